// Offsets and directions of text, and the wording of numbers.

/** The text before, in and after a span. A span counts code points, JavaScript UTF-16 units. */
export function cutAt(text, [start, end]) {
  const from = unitsOf(text, start, 0, 0);
  const to = unitsOf(text, end, start, from);
  return [text.slice(0, from), text.slice(from, to), text.slice(to)];
}

/** The offset of code point `point` in UTF-16 units, counted on from that of `known`, `units`. */
function unitsOf(text, point, known, units) {
  for (; known < point && units < text.length; known++) {
    units += text.codePointAt(units) > 0xffff ? 2 : 1;
  }
  return units;
}

/** Spans in UTF-16 units instead of code points; they must be in order and not overlap. */
export function spansInUnits(text, spans) {
  let point = 0;
  let units = 0;
  const advance = (to) => {
    units = unitsOf(text, to, point, units);
    point = to;
    return units;
  };
  return spans.map(([start, end]) => [advance(start), advance(end)]);
}

const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT = new RegExp(
  "[\\p{Script=Hebrew}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Thaana}\\p{Script=Nko}" +
    "\\p{Script=Samaritan}\\p{Script=Mandaic}\\p{Script=Adlam}\\p{Script=Hanifi_Rohingya}]",
  "u",
);

/** The direction of a text, decided by its first letter as `dir="auto"` does. */
export function directionOf(text) {
  const letter = LETTER.exec(text);
  return letter && RIGHT_TO_LEFT.test(letter[0]) ? "rtl" : "ltr";
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A text cut to at most `most` letters. A letter made of several code points is not cut. */
export function shortened(text, most) {
  if (text.length <= most) return text;
  let shown = "";
  let count = 0;
  for (const { segment } of graphemes.segment(text)) {
    if (++count === most) return `${shown}…`;
    shown += segment;
  }
  return text;
}

const grouped = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });
const whole = new Intl.NumberFormat("en");

/** A number with thousands separators and at most six significant digits if it is not whole. */
export function figure(number) {
  if (Number.isInteger(number) && Math.abs(number) < 1e15) return whole.format(number);
  return Math.abs(number) < 1e15 ? grouped.format(number) : number.toPrecision(6);
}

/** A number and its noun: "1 term", "2 terms". */
export function count(number, one, many = `${one}s`) {
  return `${figure(number)} ${number === 1 ? one : many}`;
}
