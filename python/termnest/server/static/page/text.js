// Texts, their places and directions, and numbers.

/** The parts of a text before, at and behind a span, which counts code points, not UTF-16 units. */
export function cutAt(text, [start, end]) {
  const from = unitsOf(text, start, 0, 0);
  const to = unitsOf(text, end, start, from);
  return [text.slice(0, from), text.slice(from, to), text.slice(to)];
}

/** Where a code point begins in UTF-16 units; `units` is where the one numbered `known` does. */
function unitsOf(text, point, known, units) {
  for (; known < point && units < text.length; known++) {
    units += text.codePointAt(units) > 0xffff ? 2 : 1;
  }
  return units;
}

/** Where each of some spans, in order and apart, lies in UTF-16 units. */
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

/** The direction of a text, by its first letter, as `dir="auto"` has it. */
export function directionOf(text) {
  const letter = LETTER.exec(text);
  return letter && RIGHT_TO_LEFT.test(letter[0]) ? "rtl" : "ltr";
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A text of at most so many letters; what a reader takes for one letter is not cut. */
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

/** A number as people read it. */
export function figure(number) {
  if (Number.isInteger(number) && Math.abs(number) < 1e15) return whole.format(number);
  return Math.abs(number) < 1e15 ? grouped.format(number) : number.toPrecision(6);
}

/** A number of things. */
export function count(number, one, many = `${one}s`) {
  return `${figure(number)} ${number === 1 ? one : many}`;
}
