// The containment diagram of a phrase: a line joins a term and one that contains it, if there is no
// other term in between.

import { get, post } from "./api.js";
import { element, fadeEdges, frame, svg } from "./dom.js";
import { count, directionOf, figure, shortened } from "./text.js";

const NARROW = innerWidth < 640;
// The most terms of each kind. More would not fit on a screen.
const MAX_SUPER = NARROW ? 6 : 12; // terms that directly contain the phrase
const MAX_OUTER = 2; // terms that directly contain each of those
const MAX_NESTED = 40; // terms nested in the phrase
// Lengths in pixels.
const FONT_SIZE = NARROW ? 13 : 15;
const BOX_HEIGHT = 30;
const BOX_PADDING = 13; // from a label to the sides of its box
const BOX_GAP = 10; // between the boxes of a column
const COLUMN_GAP = NARROW ? 28 : 64;
const MARGIN = 16; // around the diagram

/** The diagram of a phrase, which need not be a term; `limits` are those of the server. */
export class Containment {
  constructor({ term, link, limits }) {
    this.term = term;
    this.link = link;
    this.limits = limits;
    this.ended = new AbortController();
    this.edges = []; // pairs of terms: [nested, super]
    // From the distance to the phrase (negative: nested in it) to the terms of that column.
    this.columns = new Map();
    this.frame = element("div", { class: "picture", tabindex: "-1" });
    fadeEdges(this.frame);
    this.caption = element("p", { class: "caption" });
    this.element = element("figure", { class: "containment" }, this.frame, this.caption);
  }

  async start() {
    await Promise.all([this.#askAbove(), this.#askBelow()]);
    return this.edges.length;
  }

  end() {
    this.ended.abort();
  }

  /** The direct answers for some terms, or for the first of them if the server has lower limits. */
  #batch(ask, terms, most) {
    const { max_batch, max_batch_results, max_page } = this.limits;
    const limit = Math.min(most, max_page, max_batch_results);
    const asked = terms.slice(0, Math.min(max_batch, Math.floor(max_batch_results / limit)));
    return post("batch", { ask, terms: asked, direct: true, limit }, this.ended.signal);
  }

  async #askAbove() {
    const { signal } = this.ended;
    const question = { term: this.term, direct: true, limit: Math.min(MAX_SUPER, this.limits.max_page) };
    const { total, results } = await get("super", question, signal);
    this.above = total;
    const terms = results.map(({ term }) => term);
    this.columns.set(1, terms);
    for (const term of terms) this.edges.push([this.term, term]);
    if (!terms.length) return;
    const answers = (await this.#batch("super", terms, MAX_OUTER)).results;
    const beyond = [];
    for (const { term, results } of answers) {
      for (const result of results) {
        this.edges.push([term, result.term]);
        if (!beyond.includes(result.term)) beyond.push(result.term);
      }
    }
    this.columns.set(2, beyond);
  }

  /** Asks for all nested terms, level by level. A term's column is its longest distance. */
  async #askBelow() {
    const levels = new Map([[this.term, 0]]);
    const edges = [];
    let asked = [this.term];
    while (asked.length && levels.size <= MAX_NESTED) {
      const answers = (await this.#batch("nested", asked, MAX_NESTED)).results;
      const found = new Set();
      for (const { term, results } of answers) {
        for (const result of results) {
          edges.push([result.term, term]);
          if (!levels.has(result.term)) found.add(result.term);
          levels.set(result.term, Math.min(levels.get(result.term) ?? 0, levels.get(term) - 1));
        }
      }
      asked = [...found];
    }
    // A term must be to the left of every term that contains it, also where levels skip.
    for (let moved = true; moved; ) {
      moved = false;
      for (const [inner, outer] of edges) {
        if (levels.get(inner) >= levels.get(outer)) {
          levels.set(inner, levels.get(outer) - 1);
          moved = true;
        }
      }
    }
    this.edges.push(...edges);
    for (const [term, level] of levels) {
      if (level < 0) this.columns.set(level, [...(this.columns.get(level) ?? []), term]);
    }
    this.below = levels.size - 1;
  }

  /** Draws the diagram. */
  render() {
    const mirrored = directionOf(this.term) === "rtl" ? -1 : 1;
    this.columns.set(0, [this.term]);
    const context = document.createElement("canvas").getContext("2d");
    const family = getComputedStyle(document.documentElement).getPropertyValue("--serif");
    const boxes = new Map();
    const levels = [...this.columns.keys()].filter((level) => this.columns.get(level).length);
    levels.sort((a, b) => mirrored * (a - b));
    const tallest = Math.max(...levels.map((level) => this.columns.get(level).length));
    const rest = this.above - this.columns.get(1).length;
    const height = tallest * (BOX_HEIGHT + BOX_GAP) + 2 * MARGIN + (rest > 0 ? 26 : 0);
    let x = MARGIN;
    let bottom = 0;
    for (const level of levels) {
      const terms = this.columns.get(level);
      const labels = terms.map((term) => shortened(term, level === 0 ? 48 : 34));
      context.font = `${level === 0 ? 600 : 400} ${FONT_SIZE}px ${family}`;
      const width = Math.max(...labels.map((label) => context.measureText(label).width)) + 2 * BOX_PADDING;
      let y = (height - terms.length * (BOX_HEIGHT + BOX_GAP) + BOX_GAP) / 2;
      terms.forEach((term, place) => {
        boxes.set(term, { x, y, width, label: labels[place], level, term });
        y += BOX_HEIGHT + BOX_GAP;
      });
      if (level === 1) bottom = y;
      x += width + COLUMN_GAP;
    }
    const width = x - COLUMN_GAP + MARGIN;
    const picture = svg("svg", {
      role: "group",
      "aria-label": `Terms in and around ${this.term}`,
    });
    for (const [inner, outer] of this.edges) {
      const [from, to] = [boxes.get(inner), boxes.get(outer)];
      if (from && to) picture.append(line(from, to, mirrored));
    }
    for (const box of boxes.values()) picture.append(this.#node(box, mirrored));
    if (rest > 0) {
      const { x, width } = boxes.get(this.columns.get(1)[0]);
      picture.append(
        svg(
          "text",
          { class: "rest", x: x + width / 2, y: bottom + 12, "text-anchor": "middle" },
          `and ${figure(rest)} more`,
        ),
      );
    }
    const centre = boxes.get(this.term);
    frame(this.frame, picture, { width, height }, centre.x + centre.width / 2);
    this.caption.textContent =
      `${count(this.above, "direct super term")}, ${count(this.below, "nested term")}. ` +
      "A line joins two terms with no other term in between.";
  }

  #node({ x, y, width, label, level, term }, mirrored) {
    const kind = level === 0 ? "phrase" : level < 0 ? "inner" : "outer";
    const shape = [
      svg("title", {}, term),
      svg("rect", { x, y, width, height: BOX_HEIGHT, rx: 6 }),
      svg(
        "text",
        {
          x: mirrored > 0 ? x + BOX_PADDING : x + width - BOX_PADDING,
          y: y + BOX_HEIGHT / 2 + 5,
          "text-anchor": mirrored > 0 ? "start" : "end",
          "font-size": FONT_SIZE,
        },
        label,
      ),
    ];
    if (level === 0) return svg("g", { class: `node ${kind}` }, ...shape);
    const relation = { inner: "nested", outer: "super" }[kind];
    return svg(
      "a",
      {
        class: `node ${kind}`,
        href: this.link(term),
        "aria-label": `${term}, ${relation} term`,
        "data-term": term,
        "data-level": level,
      },
      ...shape,
    );
  }
}

function line(from, to, mirrored) {
  const [a, b] = mirrored > 0 ? [from.x + from.width, to.x] : [from.x, to.x + to.width];
  const [y, toY] = [from.y + BOX_HEIGHT / 2, to.y + BOX_HEIGHT / 2];
  const middle = (a + b) / 2;
  return svg("path", { class: "edge", d: `M${a} ${y}C${middle} ${y} ${middle} ${toY} ${b} ${toY}` });
}
