// The word tree of a phrase: the words before it on the left, the words after it on the right.

import { get } from "./api.js";
import { announce, element, fadeEdges, frame, svg, termText } from "./dom.js";
import { count, directionOf, figure, shortened } from "./text.js";

const WORDS_PER_STEP = 10; // words of a branch when it unfolds, and with each click on "more"
const UNFOLDED = 3; // branches of a side that are unfolded from the start, if they fit
const UNFOLDED_WORDS = 4; // words of each of those
// On a small screen everything is smaller, so that both sides of the phrase are in sight.
const NARROW = innerWidth < 640;
// Lengths in pixels.
const MIN_FONT_SIZE = 13; // of the lightest words
const MAX_FONT_SIZE = NARROW ? 20 : 30; // of the heaviest words
const PHRASE_FONT_SIZE = NARROW ? 17 : 24;
const BOX_PADDING = NARROW ? 7 : 14; // from the phrase to the sides of its box
const COLUMN_GAP = NARROW ? 24 : 58; // between a word and the next ones
const MARGIN = 16; // around the tree

let measured = null;

/** The width of a word in pixels. */
function widthOf(text, size, weight = 400) {
  measured ??= document.createElement("canvas").getContext("2d");
  const family = getComputedStyle(document.documentElement).getPropertyValue("--serif");
  measured.font = `${weight} ${size}px ${family}`;
  return measured.measureText(text).width;
}

/** A word of the tree, and the words next to it, away from the phrase. */
class Branch {
  constructor(parent, side, word, terms, weight, phrase) {
    Object.assign(this, { parent, side, word, terms, weight, phrase });
    this.depth = parent ? parent.depth + 1 : 0;
    this.children = null; // null: not loaded yet
    this.total = 0;
    this.open = false;
  }

  get isLeaf() {
    return this.children !== null && this.total === 0;
  }
}

/** The word tree of a phrase; `join` joins two parts to a longer phrase. */
export class WordTree {
  constructor({ term, weighted, join, link, pageSize, failed }) {
    this.term = term;
    this.weighted = weighted;
    this.join = join;
    this.link = link;
    this.pageSize = pageSize;
    this.failed = failed;
    this.ended = new AbortController();
    this.mirrored = directionOf(term) === "rtl";
    this.roots = {
      left: new Branch(null, "left", term, 0, 0, term),
      right: new Branch(null, "right", term, 0, 0, term),
    };
    this.nodes = new Map();
    this.focus = null; // the branch that the Tab key reaches
    this.caption = element("p", { class: "caption", role: "status" });
    this.frame = element("div", { class: "picture", tabindex: "-1" });
    fadeEdges(this.frame);
    this.element = element("figure", { class: "wordtree" }, this.frame, this.caption);
  }

  async start() {
    const { left, right } = this.roots;
    await Promise.all([this.#ask(left), this.#ask(right)]);
    left.open = right.open = true;
    const first = [left, right].flatMap((root) => root.children.slice(0, UNFOLDED));
    await Promise.all(first.map((branch) => this.#unfold(branch, UNFOLDED_WORDS)));
    return left.total + right.total;
  }

  /** Folds branches that do not fit on the screen, so that the phrase in the middle is in sight. */
  fit() {
    const unfolded = [this.roots.left, this.roots.right]
      .flatMap(({ children }) => children)
      .filter(({ open }) => open);
    for (const branch of unfolded) branch.open = false;
    const top = this.frame.getBoundingClientRect().top + scrollY;
    const room = innerHeight - top - this.caption.offsetHeight - 2 * MARGIN;
    const most = Math.max(room, heightOf(this.#layOutSides()));
    for (const branch of unfolded) {
      branch.open = true;
      branch.open = heightOf(this.#layOutSides()) <= most;
    }
  }

  end() {
    this.ended.abort();
  }

  /** The words next to the phrase as rows, as many as the server returns, and their total number. */
  async table() {
    const sides = await Promise.all(
      ["left", "right"].map(async (side) => {
        const question = { term: this.term, side, limit: this.pageSize };
        const { total, results } = await get("expansions", question, this.ended.signal);
        return { total, rows: results.map((result) => ({ side, ...result })) };
      }),
    );
    return {
      total: sides[0].total + sides[1].total,
      rows: [...sides[0].rows, ...sides[1].rows],
    };
  }

  /** Loads `more` words next to a branch, as far as the server's limit allows. */
  async #ask(branch, more = WORDS_PER_STEP) {
    const limit = Math.min((branch.children?.length ?? 0) + more, this.pageSize);
    const question = { term: branch.phrase, side: branch.side, limit };
    const answer = await get("expansions", question, this.ended.signal);
    branch.total = answer.total;
    const known = branch.children ?? [];
    branch.children = answer.results.map(({ word, terms, weight }, place) => {
      if (known[place]?.word === word) return known[place];
      const phrase =
        branch.side === "left" ? this.join(word, branch.phrase) : this.join(branch.phrase, word);
      return new Branch(branch, branch.side, word, terms, weight, phrase);
    });
  }

  /** Unfolds a branch, and the following ones as long as each has a single word. */
  async #unfold(branch, words = WORDS_PER_STEP) {
    for (let steps = 0; steps < 8; steps++) {
      if (branch.children === null) await this.#ask(branch, words);
      branch.open = branch.total > 0;
      if (branch.total !== 1) return;
      [branch] = branch.children;
    }
  }

  async #toggle(branch) {
    this.focus = branch;
    if (branch.open) {
      branch.open = false;
    } else {
      try {
        await this.#unfold(branch);
      } catch (error) {
        if (error.name !== "AbortError") this.failed(error);
        return;
      }
    }
    this.render();
    this.#showFacts(branch);
    this.nodes.get(branch)?.focus();
  }

  async #more(branch) {
    const known = branch.children.length;
    try {
      await this.#ask(branch);
    } catch (error) {
      if (error.name !== "AbortError") this.failed(error);
      return;
    }
    this.focus = branch.children[known] ?? branch;
    this.render();
    this.nodes.get(this.focus)?.focus();
    announce(`${count(branch.children.length - known, "more word")}`);
  }

  #showFacts(branch) {
    const facts = count(branch.terms, "term");
    const weight = this.weighted ? `, weight ${figure(branch.weight)}` : "";
    this.caption.replaceChildren(
      element("a", { href: this.link(branch.phrase) }, termText(branch.phrase)),
      ` occurs in ${facts}${weight}.`,
    );
  }

  /** Draws the tree. */
  render() {
    if (this.ended.signal.aborted) return;
    const held = this.centre === undefined ? 0 : this.frame.scrollLeft - this.centre;
    this.nodes.clear();
    const label = shortened(this.term, 40);
    const wide = widthOf(label, PHRASE_FONT_SIZE, 600) + 2 * BOX_PADDING;
    const sides = this.#layOutSides();
    const height = heightOf(sides);
    const [onLeft, onRight] = this.mirrored ? [sides[1], sides[0]] : sides;
    const width = onLeft.width + wide + onRight.width + 2 * MARGIN;
    const x = MARGIN + onLeft.width + wide / 2;
    const y = height / 2;
    const picture = svg("svg", {
      role: "group",
      "aria-label": `Words before and after ${this.term}`,
    });
    for (const side of ["left", "right"]) {
      const outwards = (side === "left") === this.mirrored ? 1 : -1;
      picture.append(this.#draw(this.roots[side], x, y, wide / 2, outwards));
    }
    picture.append(
      svg(
        "g",
        { class: "phrase" },
        svg("rect", { x: x - wide / 2, y: y - 22, width: wide, height: 44, rx: 8 }),
        svg(
          "text",
          {
            x,
            y: y + PHRASE_FONT_SIZE / 3,
            "text-anchor": "middle",
            "font-size": PHRASE_FONT_SIZE,
          },
          label,
        ),
        svg("title", {}, this.term),
      ),
    );
    // The words in sight stay where they are, even if the tree grows on the left.
    frame(this.frame, picture, { width, height }, x + held);
    this.centre = x - this.frame.clientWidth / 2;
  }

  /** Lays out both sides. The heavier a word, the larger it is. */
  #layOutSides() {
    const roots = [this.roots.left, this.roots.right];
    const weights = roots.flatMap(({ children }) => children.map((child) => child.weight));
    const heaviest = Math.max(1e-300, ...weights);
    this.sizeOf = (branch) => {
      const share = Math.sqrt(Math.min(1, branch.weight / heaviest));
      return Math.round(MIN_FONT_SIZE + (MAX_FONT_SIZE - MIN_FONT_SIZE) * share);
    };
    return roots.map((root) => this.#layOut(root));
  }

  /** Sets the size of every branch, and returns that of the side. */
  #layOut(root) {
    const columns = [];
    const measure = (branch) => {
      if (branch !== root) {
        branch.size = this.sizeOf(branch);
        branch.label = shortened(branch.word, 24);
        branch.width = widthOf(branch.label, branch.size) + 8;
        columns[branch.depth] = Math.max(columns[branch.depth] ?? 0, branch.width);
      }
      const own = branch === root ? 0 : branch.size * 1.25 + 4;
      branch.height = own;
      if (branch.open) {
        const children = branch.children.map(measure).reduce((sum, height) => sum + height, 0);
        branch.rest = branch.total - branch.children.length;
        branch.height = Math.max(own, children + (branch.rest > 0 ? 24 : 0) + 6);
        if (branch.rest > 0) {
          const needed = widthOf(`${figure(branch.rest)} more`, 13) + 8;
          columns[branch.depth + 1] = Math.max(columns[branch.depth + 1] ?? 0, needed);
        }
      }
      return branch.height;
    };
    measure(root);
    const widths = columns.slice(1);
    root.columns = widths;
    return { height: root.height, width: widths.reduce((sum, width) => sum + width + COLUMN_GAP, 0) };
  }

  #draw(root, x, y, half, outwards) {
    const group = svg("g", {
      role: "tree",
      "aria-label": root.side === "left" ? "Words before" : "Words after",
    });
    const edges = [...Array(root.columns.length + 1).keys()].map(
      (depth) =>
        x + outwards * (half + root.columns.slice(0, depth).reduce((s, w) => s + w + COLUMN_GAP, 0)),
    );
    const draw = (branch, into, fromX, fromY) => {
      const nearX = edges[branch.depth] + outwards * COLUMN_GAP;
      let top = fromY - (this.#childrenHeight(branch) - 6) / 2;
      branch.children.forEach((child, place) => {
        const middle = top + child.height / 2;
        top += child.height;
        into.append(curve(fromX, fromY, nearX - outwards * 5, middle, child.size));
        const node = this.#node(child, place, nearX, middle, outwards);
        into.append(node);
        if (child.open) {
          const inner = svg("g", { role: "group" });
          draw(child, inner, nearX + outwards * (child.width - 2), middle);
          node.append(inner);
        }
      });
      if (branch.rest > 0) {
        const place = [nearX, top + 12, outwards];
        const askable = branch.children.length < this.pageSize;
        into.append(askable ? this.#moreNode(branch, ...place) : restNode(branch, ...place));
      }
    };
    if (root.total > 0) draw(root, group, x + outwards * half, y);
    return group;
  }

  #childrenHeight(branch) {
    const heights = branch.children.reduce((sum, child) => sum + child.height, 0);
    return heights + (branch.rest > 0 ? 24 : 0) + 6;
  }

  #node(branch, place, x, y, outwards) {
    const reachable = this.focus ? this.focus === branch : branch.depth === 1 && place === 0;
    const facts = count(branch.terms, "term");
    const weight = this.weighted ? `, weight ${figure(branch.weight)}` : "";
    const node = svg("g", {
      class: branch.isLeaf ? "word leaf" : "word",
      role: "treeitem",
      tabindex: reachable ? 0 : -1,
      "aria-level": branch.depth,
      "aria-posinset": place + 1,
      "aria-setsize": branch.parent.total,
      "aria-expanded": branch.isLeaf ? null : String(branch.open),
      "aria-label": `${branch.phrase}, ${facts}${weight}`,
      "data-phrase": branch.phrase,
    });
    const left = outwards > 0 ? x - 4 : x - branch.width + 4;
    const label = svg(
      "g",
      { class: "label" },
      svg("title", {}, `${branch.phrase}\n${facts}${weight}`),
      svg("rect", {
        x: left,
        y: y - branch.size * 0.7,
        width: branch.width,
        height: branch.size * 1.4,
        rx: 4,
      }),
      svg(
        "text",
        {
          x,
          y: y + branch.size * 0.33,
          "text-anchor": outwards > 0 ? "start" : "end",
          "font-size": branch.size,
        },
        branch.label,
      ),
    );
    label.addEventListener("click", () => this.#toggle(branch));
    node.addEventListener("keydown", (event) => this.#key(event, branch, outwards));
    node.addEventListener("focus", () => this.#showFacts(branch));
    node.append(label);
    this.nodes.set(branch, node);
    return node;
  }

  #moreNode(branch, x, y, outwards) {
    const text = `${figure(branch.rest)} more`;
    const node = svg(
      "g",
      { class: "word more", role: "treeitem", tabindex: 0, "aria-level": branch.depth + 1 },
      svg(
        "text",
        { x, y: y + 4, "text-anchor": outwards > 0 ? "start" : "end", "font-size": MIN_FONT_SIZE },
        text,
      ),
    );
    node.addEventListener("click", () => this.#more(branch));
    node.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      this.#more(branch);
    });
    return node;
  }

  #key(event, branch, outwards) {
    const order = [...this.nodes.keys()].filter(({ side }) => side === branch.side);
    const place = order.indexOf(branch);
    const keys = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: order.length - 1 };
    const out = outwards > 0 ? "ArrowRight" : "ArrowLeft";
    const into = outwards > 0 ? "ArrowLeft" : "ArrowRight";
    let next = order[keys[event.key]];
    if (event.key === "Enter" || event.key === " ") {
      this.#toggle(branch);
    } else if (event.key === out) {
      if (!branch.open) this.#toggle(branch);
      else next = branch.children[0];
    } else if (event.key === into) {
      if (branch.open) this.#toggle(branch);
      else next = branch.parent.parent ? branch.parent : undefined;
    } else if (!(event.key in keys)) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (next) {
      this.nodes.get(branch).setAttribute("tabindex", "-1");
      this.focus = next;
      const node = this.nodes.get(next);
      node.setAttribute("tabindex", "0");
      node.focus();
    }
  }
}

/** The height of a picture with these two sides. */
function heightOf([left, right]) {
  return Math.max(left.height, right.height, 80) + 2 * MARGIN;
}

/** The number of words beyond the server's limit. */
function restNode(branch, x, y, outwards) {
  return svg(
    "text",
    { class: "rest", x, y: y + 4, "text-anchor": outwards > 0 ? "start" : "end" },
    `${figure(branch.rest)} more`,
  );
}

function curve(x, y, toX, toY, size) {
  const middle = (x + toX) / 2;
  return svg("path", {
    class: "edge",
    d: `M${x} ${y}C${middle} ${y} ${middle} ${toY} ${toX} ${toY}`,
    "stroke-width": Math.max(1, (size - MIN_FONT_SIZE) / 6 + 1).toFixed(1),
  });
}
