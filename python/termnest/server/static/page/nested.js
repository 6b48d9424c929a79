// The headline: the phrase, word by word, with its nested terms as bars under the words they cover.

import { element, fadeEdges, termText } from "./dom.js";
import { directionOf, figure, spansInUnits } from "./text.js";

// A phrase of more words is shown as running text, with its nested terms as a list.
const MAX_WORDS = 100;
// A nested term has a bar at each of its places. Nobody reads more bars than this.
const MAX_BARS = 600;

/** The headline of a phrase, with its nested terms. */
export function headline(facts, nested, { link, weighted }) {
  const { term, tokens } = facts;
  const aligned = tokens.length > 0 && tokens.length <= MAX_WORDS;
  const characters = [...term];
  const box = element("div", { class: "headline", dir: directionOf(term) });
  box.classList.add(aligned ? "aligned" : "running");
  box.dataset.size = characters.length <= 26 ? "large" : characters.length <= 60 ? "medium" : "small";
  // There is space between words, but not between characters, at a separator, and at some signs.
  const between = (place) => characters.slice(tokens[place - 1].span[1], tokens[place].span[0]);
  const close = tokens.some((_, place) => place > 0 && !/\s/u.test(between(place).join("")));
  box.classList.toggle("close", close);
  box.append(element("h1", {}, ...(aligned ? wordsOf(term, tokens, close) : [termText(term)])));
  if (aligned) box.style.setProperty("--words", String(tokens.length));
  if (nested.results.length) {
    const list = element("ul", { class: "bars", "aria-label": "Nested terms" });
    const bars = aligned
      ? barsOf(tokens, nested.results)
      : nested.results.map((result) => ({ result }));
    for (const bar of bars) list.append(itemOf(bar, link, weighted));
    box.append(list);
  }
  fadeEdges(box);
  return box;
}

/** The words of a phrase, one for each token, each with the punctuation around it. */
function wordsOf(phrase, tokens, close) {
  const spans = spansInUnits(
    phrase,
    tokens.map((token) => token.span),
  );
  // A word begins after the last white space before its token.
  const starts = spans.map(([start], place) => {
    if (place === 0) return 0;
    const gap = phrase.slice(spans[place - 1][1], start);
    return start - gap.match(/\S*$/u)[0].length;
  });
  return spans.flatMap((_, place) => {
    const text = phrase.slice(starts[place], starts[place + 1] ?? phrase.length);
    // Where some words have no space between them, that of the others stays as it is.
    const word = element("span", {}, element("bdi", {}, close ? text : text.trim()));
    // A screen reader and the clipboard need the space between words.
    return place === 0 || close ? [word] : [" ", word];
  });
}

function itemOf({ result, start, end, lane }, link, weighted) {
  const title = weighted ? `${result.term} (weight ${figure(result.weight)})` : result.term;
  const link_ = element("a", { href: link(result.term), title }, termText(result.term));
  const item = element("li", { "data-from": start, "data-to": end }, link_);
  if (start !== undefined) {
    item.style.gridColumn = `${start + 1} / ${end + 1}`;
    item.style.gridRow = String(lane + 1);
  }
  return item;
}

/** The bars, shortest first, each in a lane where it overlaps no other. */
function barsOf(tokens, results) {
  const bars = results
    .flatMap((result) =>
      placesOf(tokens, result).map((start) => ({ result, start, end: start + result.length })),
    )
    .sort((a, b) => a.result.length - b.result.length || a.start - b.start)
    .slice(0, MAX_BARS);
  const lanes = [];
  for (const bar of bars) {
    bar.lane = 0;
    while (lanes[bar.lane]?.some((other) => bar.start < other.end && other.start < bar.end)) {
      bar.lane++;
    }
    (lanes[bar.lane] ??= []).push(bar);
  }
  return bars;
}

/** All places where a nested term occurs in the phrase. The server's answer has the first. */
function placesOf(tokens, { start, length }) {
  // Compare the keys: the index may ignore case, accents and more.
  const keys = tokens.map((token) => token.key ?? token.text);
  const places = [start];
  for (let place = start + 1; place + length <= tokens.length; place++) {
    let same = 0;
    while (same < length && keys[place + same] === keys[start + same]) same++;
    if (same === length) places.push(place);
  }
  return places;
}
