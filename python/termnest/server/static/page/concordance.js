// The list of super terms, aligned on the phrase. Only the rows in sight are elements of the page.

import { get } from "./api.js";
import { element } from "./dom.js";
import { count, cutAt, directionOf, figure } from "./text.js";

// Rows kept above and below those in sight, so that scrolling shows no gaps.
const MARGIN_ROWS = 12;
// Rows of the first page; a small page arrives sooner.
const FIRST_PAGE = 100;
// Rows of the list: browsers limit the height of an element to little more than this many rows.
const MAX_ROWS = 400_000;

/**
 * A list that loads its rows while the reader scrolls.
 *
 * `question` has the parameters of /v1/super, `link` returns the address of a term, `weighted` is
 * whether to show weights, `pageSize` is the limit of rows per page, and `failed` is called with an
 * error. `start` resolves with the total when the first rows have arrived.
 */
export class Concordance {
  constructor({ question, link, weighted, pageSize, failed }) {
    this.question = question;
    this.link = link;
    this.weighted = weighted;
    this.pageSize = pageSize;
    this.failed = failed;
    this.rows = [];
    this.shown = new Map();
    this.cursor = null;
    this.total = 0;
    this.loading = false;
    // The row that the arrow keys ask for and that is not there yet.
    this.wanted = null;
    this.ended = new AbortController();
    this.list = element("ol", { class: "rows", role: "list", "aria-label": "Super terms" });
    this.note = element("p", { class: "note", hidden: true });
    this.element = element(
      "div",
      { class: "concordance", dir: directionOf(question.term) },
      this.list,
      this.note,
    );
    this.element.classList.toggle("weighted", weighted);
    this.element.dataset.where = question.where;
    const { signal } = this.ended;
    let due = false;
    const schedule = () => {
      if (due) return;
      due = true;
      requestAnimationFrame(() => {
        due = false;
        this.render();
      });
    };
    addEventListener("scroll", schedule, { passive: true, signal });
    addEventListener("resize", () => (this.fit(), schedule()), { signal });
    this.list.addEventListener("keydown", (event) => this.#move(event));
    this.list.addEventListener("focusout", () => {
      this.wanted = null;
      schedule();
    });
  }

  /** Loads the first rows. */
  async start() {
    await this.#load(Math.min(FIRST_PAGE, this.pageSize));
    if (this.total > MAX_ROWS) {
      this.note.hidden = false;
      this.note.textContent =
        `These are the first ${figure(MAX_ROWS)} of ${count(this.total, "term")}. ` +
        "Filter by position or length to see the others.";
    }
    return this.total;
  }

  /** Stops loading and drawing. */
  end() {
    this.ended.abort();
  }

  /** Sets the height of all rows. The list must be part of the page. */
  fit() {
    this.list.style.height = `${Math.min(this.total, MAX_ROWS) * this.#rowHeight()}px`;
    this.#fitPhrase();
  }

  /** Makes elements for the rows in sight, and removes all others but the one with the focus. */
  render() {
    if (this.ended.signal.aborted || !this.element.isConnected) return;
    const rowHeight = this.#rowHeight();
    const top = this.list.getBoundingClientRect().top;
    const most = Math.min(this.total, MAX_ROWS);
    const first = Math.max(0, Math.floor(-top / rowHeight) - MARGIN_ROWS);
    const last = Math.min(most, Math.ceil((innerHeight - top) / rowHeight) + MARGIN_ROWS);
    const focused = this.list.contains(document.activeElement)
      ? Number(document.activeElement.closest("li").dataset.row)
      : -1;
    for (const [place, item] of this.shown) {
      const empty = item.classList.contains("pending") && place < this.rows.length;
      if (((place < first || place >= last) && place !== focused) || empty) {
        item.remove();
        this.shown.delete(place);
      }
    }
    let after = null;
    const places = [...this.shown.keys()].sort((a, b) => a - b);
    let known = 0;
    for (let place = first; place < last; place++) {
      while (known < places.length && places[known] < place) after = this.shown.get(places[known++]);
      let item = this.shown.get(place);
      if (!item) {
        item = this.#item(place, rowHeight);
        this.shown.set(place, item);
        if (after) after.after(item);
        else this.list.prepend(item);
      }
      after = item;
    }
    // Load the rows below those in sight before they are needed.
    if (Math.min(most, last + 4 * MARGIN_ROWS) > this.rows.length) this.#loadOn();
    this.#follow();
  }

  #rowHeight() {
    return parseFloat(getComputedStyle(this.element).getPropertyValue("--row")) || 36;
  }

  async #load(limit) {
    const { question, cursor } = this;
    const page = await get("super", { ...question, limit, cursor }, this.ended.signal);
    this.total = page.total;
    this.cursor = page.next;
    for (const row of page.results) this.rows.push(row);
  }

  async #loadOn() {
    if (this.loading || this.cursor === null) return;
    this.loading = true;
    try {
      await this.#load(this.pageSize);
    } catch (error) {
      if (error.name !== "AbortError") this.failed(error);
      return;
    } finally {
      this.loading = false;
    }
    // If rows in sight are still missing, this loads the next page.
    this.render();
  }

  #item(place, rowHeight) {
    const row = this.rows[place];
    const item = element("li", {
      class: row ? null : "pending",
      "data-row": place,
      "aria-posinset": place + 1,
      "aria-setsize": this.total,
    });
    item.style.transform = `translateY(${place * rowHeight}px)`;
    if (!row) return item;
    const [before, phrase, after] = cutAt(row.term, row.span);
    const cell = (name, text) =>
      element("span", { class: name }, element("bdi", {}, text.trim() === "" ? "" : text));
    item.append(
      element(
        "a",
        { href: this.link(row.term), "aria-label": row.term, title: row.term },
        cell("before", before),
        element("mark", {}, element("bdi", {}, phrase)),
        cell("after", after),
        this.weighted ? element("span", { class: "weight" }, figure(row.weight)) : null,
      ),
    );
    return item;
  }

  /** Makes the column of the phrase as wide as the widest of the first rows. */
  #fitPhrase() {
    const texts = new Set(this.rows.map((row) => cutAt(row.term, row.span)[1]));
    const probe = element("div", { class: "probe", "aria-hidden": "true" });
    probe.append(...[...texts].map((text) => element("mark", {}, element("bdi", {}, text))));
    this.element.append(probe);
    const widths = [...probe.children].map((mark) => mark.getBoundingClientRect().width);
    probe.remove();
    if (widths.length) {
      this.element.style.setProperty("--phrase", `${Math.ceil(Math.max(...widths))}px`);
    }
  }

  #move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const item = event.target.closest("li");
    if (!step || !item) return;
    event.preventDefault();
    const last = Math.min(this.total, MAX_ROWS) - 1;
    const row = (this.wanted ?? Number(item.dataset.row)) + step;
    this.wanted = Math.min(Math.max(row, 0), last);
    this.#follow();
  }

  /** Moves the focus to the row that the arrow keys ask for, when it is loaded and made. */
  #follow() {
    const { wanted } = this;
    if (wanted === null || wanted >= this.rows.length) return;
    const item = this.shown.get(wanted);
    if (!item) {
      // Scrolling makes it.
      const top = this.list.getBoundingClientRect().top + wanted * this.#rowHeight();
      scrollBy(0, top - innerHeight / 2);
      return;
    }
    const link = item.querySelector("a");
    if (!link) return;
    this.wanted = null;
    link.focus();
  }
}
