// The containment diagram of a phrase's neighbourhood: a line leads from a term to the terms that
// contain it with no other in between.

import { get, post } from "./api.js";
import { element, fadeEdges, frame, svg } from "./dom.js";
import { count, directionOf, figure, shortened } from "./text.js";

const NARROW = innerWidth < 640;
const SHOWN = NARROW ? 6 : 12; // terms that contain the phrase, at most
const BEYOND = 2; // terms that contain each of those, at most
const BELOW = 40; // terms nested in it, at most
const SIZE = NARROW ? 13 : 15;
const HIGH = 30; // of a box
const INSET = 13; // a label from the sides of its box
const APART = 10; // boxes from each other
const GAP = NARROW ? 28 : 64; // columns from each other
const MARGIN = 16;

/** The diagram of a phrase, in the vocabulary or not; `limits` are the server's. */
export class Containment {
  constructor({ term, link, limits }) {
    this.term = term;
    this.link = link;
    this.limits = limits;
    this.ended = new AbortController();
    this.edges = []; // [nested, super], terms both
    this.columns = new Map(); // how far from the phrase, negative if nested in it, to terms
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

  /** The direct answers for some terms; where the server tells fewer, for the first of them. */
  #batch(ask, terms, most) {
    const { max_batch, max_batch_results, max_page } = this.limits;
    const limit = Math.min(most, max_page, max_batch_results);
    const asked = terms.slice(0, Math.min(max_batch, Math.floor(max_batch_results / limit)));
    return post("batch", { ask, terms: asked, direct: true, limit }, this.ended.signal);
  }

  async #askAbove() {
    const { signal } = this.ended;
    const question = { term: this.term, direct: true, limit: Math.min(SHOWN, this.limits.max_page) };
    const { total, results } = await get("super", question, signal);
    this.above = total;
    const terms = results.map(({ term }) => term);
    this.columns.set(1, terms);
    for (const term of terms) this.edges.push([this.term, term]);
    if (!terms.length) return;
    const answers = (await this.#batch("super", terms, BEYOND)).results;
    const beyond = [];
    for (const { term, results } of answers) {
      for (const result of results) {
        this.edges.push([term, result.term]);
        if (!beyond.includes(result.term)) beyond.push(result.term);
      }
    }
    this.columns.set(2, beyond);
  }

  /** All that is nested in the phrase, level by level: each term in the column of its longest way. */
  async #askBelow() {
    const levels = new Map([[this.term, 0]]);
    const edges = [];
    let asked = [this.term];
    while (asked.length && levels.size <= BELOW) {
      const answers = (await this.#batch("nested", asked, BELOW)).results;
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
    // A term that several ways lead to lies beyond all of them.
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
    const height = tallest * (HIGH + APART) + 2 * MARGIN + (rest > 0 ? 26 : 0);
    let x = MARGIN;
    let bottom = 0;
    for (const level of levels) {
      const terms = this.columns.get(level);
      const labels = terms.map((term) => shortened(term, level === 0 ? 48 : 34));
      context.font = `${level === 0 ? 600 : 400} ${SIZE}px ${family}`;
      const width = Math.max(...labels.map((label) => context.measureText(label).width)) + 2 * INSET;
      let y = (height - terms.length * (HIGH + APART) + APART) / 2;
      terms.forEach((term, place) => {
        boxes.set(term, { x, y, width, label: labels[place], level, term });
        y += HIGH + APART;
      });
      if (level === 1) bottom = y;
      x += width + GAP;
    }
    const width = x - GAP + MARGIN;
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
      `Directly around it ${count(this.above, "term")}, nested in it ${count(this.below, "term")}. ` +
      "Lines join terms with no other in between.";
  }

  #node({ x, y, width, label, level, term }, mirrored) {
    const kind = level === 0 ? "phrase" : level < 0 ? "inner" : "outer";
    const shape = [
      svg("title", {}, term),
      svg("rect", { x, y, width, height: HIGH, rx: 6 }),
      svg(
        "text",
        {
          x: mirrored > 0 ? x + INSET : x + width - INSET,
          y: y + HIGH / 2 + 5,
          "text-anchor": mirrored > 0 ? "start" : "end",
          "font-size": SIZE,
        },
        label,
      ),
    ];
    if (level === 0) return svg("g", { class: `node ${kind}` }, ...shape);
    const told = { inner: "nested", outer: "super" }[kind];
    return svg(
      "a",
      {
        class: `node ${kind}`,
        href: this.link(term),
        "aria-label": `${term}, ${told} term`,
        "data-term": term,
        "data-level": level,
      },
      ...shape,
    );
  }
}

function line(from, to, mirrored) {
  const [a, b] = mirrored > 0 ? [from.x + from.width, to.x] : [from.x, to.x + to.width];
  const [y, toY] = [from.y + HIGH / 2, to.y + HIGH / 2];
  const middle = (a + b) / 2;
  return svg("path", { class: "edge", d: `M${a} ${y}C${middle} ${y} ${middle} ${toY} ${b} ${toY}` });
}
