// The page: reads the address, asks the server, shows the answers.

import { addressOf, format, parse } from "./address.js";
import { answeringVersion, get, onToken, ServerProblem } from "./api.js";
import { columnsTable } from "./columns.js";
import { searchBox } from "./combobox.js";
import { Concordance } from "./concordance.js";
import { Containment } from "./containment.js";
import { allRows, copy, csv, curl } from "./copy.js";
import { announce, element, termText } from "./dom.js";
import { examples } from "./examples.js";
import { headline } from "./nested.js";
import { offers } from "./offers.js";
import { count, figure } from "./text.js";
import { WordTree } from "./wordtree.js";

const VIEWS = { list: "Super terms", tree: "Word tree", graph: "Containment" };
const SORTS = { weight: "Weight", left: "Left", right: "Right", length: "Length" };
const SORT_TITLES = {
  weight: "Heaviest first",
  left: "By the words before the phrase, nearest first",
  right: "By the words after the phrase",
  length: "Shortest first",
};
const WHERES = {
  anywhere: "anywhere",
  start: "at the start",
  end: "at the end",
  inside: "in the middle",
};
const MAX_NESTED = 200; // nested terms shown as bars

const content = document.getElementById("content");
let info = null; // the answer of /v1/info
let infoVersion = null; // the version of the index and the server that `info` describes
let shown = null; // what is being shown; `end` stops it

// --- going to an address ---

const search = searchBox(document.querySelector(".search"), {
  choose: (phrase) => go({ ...current(), q: phrase, where: "anywhere", min: null, max: null }),
  weighted: () => info?.weights ?? false,
  // Until the limit is known, the server's default applies.
  pageSize: () => info && pageSize(),
});

function current() {
  return parse(location.search);
}

/** Goes to a state. The current state is loaded again. */
function go(state) {
  const to = format(state);
  if (to !== format(current())) {
    keepPlace();
    history.pushState(null, "", to);
  }
  show();
}

// The browser cannot restore the position in a list that is not loaded yet; `show` does.
history.scrollRestoration = "manual";

function keepPlace() {
  history.replaceState({ top: scrollY }, "");
}

let kept = 0;
addEventListener("scroll", () => {
  clearTimeout(kept);
  kept = setTimeout(keepPlace, 200);
}, { passive: true });
addEventListener("popstate", (event) => {
  clearTimeout(kept);
  show(event.state?.top ?? 0);
});

// Links within the page do not reload it.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || event.defaultPrevented || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const href = link.getAttribute("href");
  if (!/^(\?|\.\/$|#)/.test(href)) return;
  event.preventDefault();
  if (href.startsWith("#")) content.focus();
  else go(parse(href.startsWith("?") ? href : ""));
});

// --- showing ---

/** Shows what the address asks for. */
async function show(top = 0) {
  shown?.end();
  const state = current();
  const going = new AbortController();
  const parts = [];
  shown = {
    end() {
      going.abort();
      for (const part of parts) part.end();
    },
  };
  search.show(state.q);
  document.title = state.q ? `${state.q} · termnest` : "termnest";
  content.setAttribute("aria-busy", "true");
  try {
    await learn(going.signal);
    if (state.q.trim() === "") showStart(going.signal);
    else await showTerm(state, going.signal, parts, top);
  } catch (error) {
    if (error.name === "AbortError" || going.signal.aborted) return;
    fail(error);
  } finally {
    if (!going.signal.aborted) content.setAttribute("aria-busy", "false");
  }
}

/** Reads /v1/info, unless it is known for the version that answered last. */
async function learn(signal) {
  if (info !== null && infoVersion === answeringVersion()) return;
  info = await get("info", {}, signal);
  infoVersion = answeringVersion();
}

/** Shows what went wrong, and a button to try again. */
function fail(error) {
  if (!(error instanceof ServerProblem)) console.error(error);
  const message =
    error instanceof ServerProblem ? error.message : "The page could not show the answer.";
  // A new index or a restarted server may have other facts and limits.
  info = null;
  content.replaceChildren(
    element(
      "section",
      { class: "failure", role: "alert" },
      element("h1", {}, { 0: "No answer", 401: "No access" }[error.status] ?? "Something went wrong"),
      element("p", {}, message),
      element("button", { type: "button", class: "primary", onclick: () => show() }, "Try again"),
    ),
  );
  document.body.classList.remove("start");
}

/** The start page, without a phrase. */
function showStart(signal) {
  const list = element("ul", { class: "examples", "aria-label": "Examples" });
  const unit = info.tokenizer === "chars" ? "character" : "word";
  const facts = [count(info.terms, "term")];
  if (info.generation === undefined) facts.push(count(info.distinct_tokens, `distinct ${unit}`));
  else facts.push(`generation ${info.generation.toLocaleString("en")}`);
  content.replaceChildren(
    element(
      "section",
      { class: "welcome" },
      element("h1", {}, "Which terms contain a phrase, and which does it contain?"),
      element(
        "p",
        {},
        "Type a term or any other phrase to see the terms that contain it, the terms inside it, " +
          "and the words before and after it.",
      ),
      list,
      element("p", { class: "facts" }, facts.join(" · ")),
    ),
  );
  document.body.classList.add("start");
  scrollTo(0, 0);
  search.focus();
  examples(info.limits, signal).then(
    (found) => {
      list.append(
        ...found.map(({ term, total }) =>
          element(
            "li",
            {},
            element(
              "a",
              { href: format({ q: term }), title: `${count(total, "super term")}` },
              termText(term),
            ),
          ),
        ),
      );
    },
    () => {}, // the page works without examples
  );
}

/** A phrase: its headline with nested terms, its facts, and one of the views. */
async function showTerm(state, signal, parts, top) {
  const link = (term) => addressOf(term, state);
  const busy = setTimeout(() => content.classList.add("waiting"), 150);
  let facts, nested;
  try {
    [facts, nested] = await Promise.all([
      get("term", { term: state.q, columns: Object.keys(info.columns).join(",") }, signal),
      get("nested", { term: state.q, sort: "length", limit: Math.min(MAX_NESTED, pageSize()) }, signal),
    ]);
    await learn(signal);
  } finally {
    clearTimeout(busy);
    content.classList.remove("waiting");
  }
  if (signal.aborted) return;
  const made = makeView(state, link);
  const { view } = made;
  parts.push(view);
  document.body.classList.remove("start");
  const body = element("div", { class: "view" }, element("p", { class: "loading" }, "Loading…"));
  const control = document.activeElement?.dataset.control;
  const inside = content.contains(document.activeElement);
  content.replaceChildren(
    element(
      "section",
      { class: "about" },
      headline(facts, nested, { link, weighted: info.weights }),
      factsLine(facts, nested),
      columnsTable(facts, info),
    ),
    bar(state, made, facts),
    body,
  );
  // The keyboard focus stays at the same control, or goes to the new answer.
  const same = control && content.querySelector(`[data-control="${control}"]`);
  if (inside) (same ?? content).focus({ preventScroll: true });
  if (!top) scrollTo(0, 0);
  const found = await view.start();
  if (signal.aborted) return;
  body.replaceChildren(found ? view.element : nothing(state, facts));
  if (!found && !facts.in_vocabulary && !facts.super_count) {
    // The answer is complete without them.
    offers(state.q, info, link, signal).then((line) => line && body.append(line), () => {});
  }
  if (found) {
    view.fit?.();
    if (top) scrollTo(0, top);
    view.render();
  }
  if (isFiltered(state)) {
    const total = content.querySelector(".total");
    if (total) total.textContent = `${figure(found)} of ${count(facts.super_count, "super term")}`;
  }
  const where = facts.in_vocabulary ? "in" : "not in";
  announce(
    `${state.q}: ${where} the vocabulary, ${count(facts.super_count, "super term")}, ` +
      `${count(facts.nested_count, "nested term")}`,
  );
}

function isFiltered(state) {
  return state.where !== "anywhere" || state.min !== null || state.max !== null;
}

/** The number of results to ask for at a time. */
function pageSize() {
  return Math.min(1000, info.limits.max_page);
}

/** The facts of a phrase: whether it is a term, its weight, its numbers of super and nested terms. */
function factsLine(facts, nested) {
  const known = facts.in_vocabulary;
  const line = element("ul", { class: "facts" });
  const add = (...children) => line.append(element("li", {}, ...children));
  add(
    element("span", { class: known ? "badge known" : "badge" },
      known ? "In the vocabulary" : "Not in the vocabulary"),
  );
  if (known && facts.surface && facts.surface !== facts.term) {
    add("as ", termText(facts.surface));
  }
  if (known && info.weights) add("weight ", element("b", {}, figure(facts.weight)));
  const counted = (number, name) =>
    add(element("b", {}, figure(number)), ` ${name}${number === 1 ? "" : "s"}`);
  counted(facts.super_count, "super term");
  counted(facts.nested_count, "nested term");
  if (nested.total > nested.results.length) {
    add(`showing the ${figure(nested.results.length)} shortest`);
  }
  return line;
}

/** Why a view is empty. */
function nothing(state, facts) {
  const filtered = state.view === "list" && isFiltered(state) && facts.super_count > 0;
  if (filtered) {
    const all = format({ ...state, where: "anywhere", min: null, max: null });
    return element(
      "p",
      { class: "nothing" },
      "No super term matches these filters. ",
      element("a", { href: all }, `Show all ${figure(facts.super_count)}`),
    );
  }
  const sentence = {
    list: "No term in the vocabulary contains this phrase.",
    tree: "No term in the vocabulary adds a word to this phrase.",
    graph: "No term in the vocabulary contains this phrase, and the phrase contains none.",
  }[state.view];
  return element("p", { class: "nothing" }, sentence);
}

// --- the bar above a view ---

function bar(state, made, facts) {
  const views = element(
    "nav",
    { class: "views", "aria-label": "Views" },
    ...Object.entries(VIEWS).map(([name, title]) =>
      element(
        "a",
        {
          href: format({ ...state, view: name }),
          "aria-current": name === state.view ? "page" : null,
          "data-control": `view-${name}`,
        },
        title,
      ),
    ),
  );
  return element(
    "section",
    { class: "bar", "aria-label": "View" },
    element("div", { class: "bar-line" }, views, copyButtons(made)),
    state.view === "list" && facts.super_count > 0 ? filters(state) : null,
  );
}

function filters(state) {
  const units = info.tokenizer === "chars" ? "characters" : "words";
  const sorts = Object.entries(SORTS).map(([name, title]) =>
    element(
      "a",
      {
        href: format({ ...state, sort: name }),
        "aria-current": name === state.sort ? "true" : null,
        "data-control": `sort-${name}`,
        title: name === "weight" && !info.weights ? "In the order of the vocabulary" : SORT_TITLES[name],
      },
      name === "weight" && !info.weights ? "Vocabulary" : title,
    ),
  );
  const where = element(
    "select",
    { id: "where", "data-control": "where", onchange: (event) => go({ ...state, where: event.target.value }) },
    ...Object.entries(WHERES).map(([name, title]) =>
      element("option", { value: name, selected: name === state.where }, title),
    ),
  );
  const length = (name, label) =>
    element("input", {
      type: "number",
      inputmode: "numeric",
      min: 1,
      max: 99999,
      value: state[name],
      "aria-label": label,
      "data-control": name,
      placeholder: name === "min" ? "1" : "∞",
      onchange: (event) => {
        const { value } = event.target;
        const number = /^[1-9]\d{0,4}$/.test(value) ? Number(value) : null;
        event.target.value = number ?? "";
        go({ ...state, [name]: number });
      },
    });
  return element(
    "div",
    { class: "filters" },
    element("div", { class: "choice", role: "group", "aria-label": "Sort" },
      element("span", { class: "name", "aria-hidden": "true" }, "Sort"),
      element("span", { class: "segments" }, ...sorts)),
    element("div", { class: "choice" },
      element("label", { for: "where", class: "name" }, "Phrase occurs"), where),
    element("div", { class: "choice", role: "group", "aria-label": `Length in ${units}` },
      element("span", { class: "name", "aria-hidden": "true" }, `Length in ${units}`),
      length("min", `Minimum of ${units}`),
      element("span", { "aria-hidden": "true" }, "–"),
      length("max", `Maximum of ${units}`)),
    element("span", { class: "total", role: "status" }),
  );
}

function copyButtons(made) {
  const status = element("span", { class: "copied", role: "status" });
  let later = 0;
  const button = (title, name, make) =>
    element(
      "button",
      {
        type: "button",
        title: name,
        "aria-label": name,
        onclick: async () => {
          clearTimeout(later);
          status.textContent = "…";
          try {
            const { text, note } = await make();
            await copy(text);
            status.textContent = note ?? "Copied";
          } catch (error) {
            if (error.name === "AbortError") return;
            status.textContent = error.message;
          }
          later = setTimeout(() => (status.textContent = ""), 6000);
        },
      },
      title,
    );
  const note = ({ total, rows }) =>
    total > rows.length ? `Copied the first ${figure(rows.length)} of ${figure(total)} rows` : null;
  return element(
    "div",
    { class: "copy", role: "group", "aria-label": "Copy" },
    status,
    element("span", { class: "name", "aria-hidden": "true" }, "Copy"),
    button("CSV", "Copy as CSV", async () => {
      const table = await made.table();
      return { text: csv(made.columns, table.rows), note: note(table) };
    }),
    button("JSON", "Copy as JSON", async () => {
      const table = await made.table();
      return { text: `${JSON.stringify(table.rows, null, 1)}\n`, note: note(table) };
    }),
    button("curl", "Copy the curl command", async () => ({ text: made.command() })),
  );
}

// --- the views ---

/** The view of a state, with its rows and its curl command for copies. */
function makeView(state, link) {
  const { q: term } = state;
  const weighted = info.weights;
  const limit = pageSize();
  if (state.view === "tree") {
    const separator = info.separator ?? (info.tokenizer === "chars" ? "" : " ");
    const join = (one, other) => `${one}${separator}${other}`;
    const view = new WordTree({ term, weighted, join, link, pageSize: limit, failed: fail });
    return {
      view,
      columns: ["side", "word", "terms", "weight"],
      table: () => view.table(),
      command: () =>
        curl(...["left", "right"].map((side) => ["expansions", { term, side, limit }])),
    };
  }
  if (state.view === "graph") {
    const view = new Containment({ term, link, limits: info.limits });
    return {
      view,
      columns: ["nested", "super"],
      table: async () => complete(view.edges.map(([nested, outer]) => ({ nested, super: outer }))),
      command: () =>
        curl(...["super", "nested"].map((route) => [route, { term, direct: true, limit }])),
    };
  }
  const question = {
    term,
    where: state.where,
    sort: state.sort,
    min_length: state.min,
    max_length: state.max,
  };
  // A cursor of an index that was replaced is refused (400): load the answer again.
  const failed = (error) => {
    if (error.status !== 400) return fail(error);
    info = null;
    show(scrollY);
  };
  const view = new Concordance({ question, link, weighted, pageSize: limit, failed });
  return {
    view,
    columns: ["id", "term", "weight", "start", "length", "span"],
    table: () => allRows("super", question, limit, view.ended.signal),
    command: () => curl(["super", { ...question, limit }]),
  };
}

function complete(rows) {
  return { total: rows.length, rows };
}

// --- the token ---

onToken(
  (refused) =>
    new Promise((resolve, reject) => {
      const dialog = document.getElementById("token");
      const input = dialog.querySelector("input");
      dialog.querySelector(".problem").hidden = !refused;
      input.value = "";
      dialog.returnValue = "";
      const ended = new AbortController();
      dialog.addEventListener(
        "close",
        () => {
          ended.abort();
          if (input.value.trim() && !dialog.cancelled) resolve(input.value.trim());
          else reject(new ServerProblem(401, "This server requires an access token."));
        },
        { signal: ended.signal },
      );
      dialog.cancelled = false;
      dialog.addEventListener("cancel", () => (dialog.cancelled = true), { signal: ended.signal });
      dialog.showModal();
    }),
);

show(history.state?.top ?? 0);
