// The review of a list of terms: a table to decide in, the tree of the terms, and downloads.

import { announce, element, termText } from "./dom.js";

const PAGE = 100;
const STATUSES = {
  all: "all",
  open: "undecided",
  accepted: "accepted",
  rejected: "rejected",
  merged: "merged",
};
const COLUMNS = [
  ["term", "Term", "asc"],
  ["frequency", "Frequency", "desc"],
  ["score", "Score", "desc"],
  ["documents", "Documents", "desc"],
];
const DECISIONS = [
  ["accepted", "Accept", "a"],
  ["rejected", "Reject", "r"],
  ["open", "Undecided", "u"],
];

const byId = (id) => document.getElementById(id);
const state = { sort: "score", order: "desc", status: "all", filter: "", letter: "", view: "list" };
let rows = [];
let total = 0;
let selected = 0;
let hasContexts = false;
// Answers to older questions must not replace those to newer ones.
let asked = 0;

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The server does not answer: start it again, and reload this page.");
  }
  const body = await answer.json().catch(() => ({}));
  if (answer.status === 404 && path.startsWith("v1/review/terms")) {
    throw new Error("This server has no list to review: start it with “termnest review FOLDER”.");
  }
  if (!answer.ok) throw new Error(body.detail ?? `The server answered ${answer.status}.`);
  return body;
}

function show(error) {
  byId("problem").hidden = !error;
  byId("problem").textContent = error ? error.message : "";
}

function parameters(offset) {
  const { sort, order, status, filter, letter } = state;
  return new URLSearchParams({ sort, order, status, filter, letter, offset, limit: PAGE });
}

/** Loads the rows from `offset` on; from 0 on it makes the table again. */
async function load(offset = 0) {
  asked += 1;
  const mine = asked;
  try {
    const found = await ask(`v1/review/terms?${parameters(offset)}`);
    if (mine !== asked) return;
    show(null);
    rows = offset ? rows.concat(found.rows) : found.rows;
    total = found.total;
    hasContexts = found.has_contexts;
    byId("title").textContent = found.title;
    if (!offset) selected = 0;
    drawCounts(found.counts);
    drawLetters(found.letters);
    drawTable();
  } catch (error) {
    if (mine === asked) show(error);
  }
}

function drawCounts(counts) {
  const decided = Object.entries(counts).filter(([status]) => status !== "open");
  byId("count").textContent =
    `${total.toLocaleString("en")} terms shown; ` +
    decided.map(([status, count]) => `${count.toLocaleString("en")} ${status}`).join(", ");
}

function drawLetters(letters) {
  const names = ["", ...Object.keys(letters)];
  const buttons = names.map((letter) =>
    element(
      "button",
      {
        type: "button",
        "aria-pressed": String(letter === state.letter),
        onclick: () => {
          state.letter = letter;
          load();
        },
      },
      letter || "all",
    ),
  );
  const focused = [...byId("letters").children].indexOf(document.activeElement);
  byId("letters").replaceChildren(...buttons);
  if (focused >= 0) buttons[Math.min(focused, buttons.length - 1)].focus();
}

const shown = (number) =>
  Number(number).toLocaleString("en", { maximumFractionDigits: 2 });

function header([name, title, usual]) {
  const isSorted = state.sort === name;
  const direction = state.order === "asc" ? "ascending" : "descending";
  const sort = () => {
    state.order = isSorted ? (state.order === "asc" ? "desc" : "asc") : usual;
    state.sort = name;
    load().then(() => byId(`sort-${name}`)?.focus());
  };
  const arrow = isSorted ? (state.order === "asc" ? " ↑" : " ↓") : "";
  return element(
    "th",
    {
      scope: "col",
      class: name === "term" ? null : `number${name === "frequency" ? "" : " wide"}`,
      "aria-sort": isSorted ? direction : "none",
    },
    element("button", { type: "button", id: `sort-${name}`, onclick: sort }, title + arrow),
  );
}

function drawTable() {
  const body = element("tbody", {}, rows.map(drawRow));
  const table = element(
    "table",
    { class: "review", id: "terms" },
    element("caption", { class: "unseen" }, "Terms"),
    element(
      "thead",
      {},
      element("tr", {}, COLUMNS.map(header), element("th", { scope: "col", class: "decide" }, "Decision")),
    ),
    body,
  );
  const rest = total - rows.length;
  const more = element(
    "button",
    { type: "button", id: "more", onclick: () => load(rows.length) },
    `Show ${Math.min(PAGE, rest)} more of ${rest.toLocaleString("en")}`,
  );
  byId("place").replaceChildren(table, ...(rest > 0 ? [more] : []));
  if (!rows.length) {
    byId("place").replaceChildren(element("p", {}, "No term: change the filter, or show all."));
  }
  select(selected, false);
}

function drawRow(row, place) {
  const buttons = DECISIONS.map(([status, title, key]) =>
    element(
      "button",
      {
        type: "button",
        "aria-pressed": String(row.status === status),
        "aria-label": `${title}: ${row.term}`,
        title: `${title} (${key})`,
        onclick: () => decide(place, status),
      },
      title,
    ),
  );
  const merge = element(
    "button",
    {
      type: "button",
      "aria-pressed": String(row.status === "merged"),
      "aria-label": `Merge: ${row.term}`,
      title: "Merge (m)",
      onclick: () => askMerge(place),
    },
    "Merge",
  );
  const notes = [];
  if (row.forms.length) notes.push(`also: ${row.forms.join(", ")}`);
  if (row.into) notes.push(`merged with ${row.into}`);
  const term = element(
    "td",
    {},
    termText(row.term),
    notes.map((note) => element("div", { class: "forms" }, element("bdi", {}, note))),
  );
  const number = (value, name) => element("td", { class: `number ${name}` }, shown(value));
  return element(
    "tr",
    { "data-status": row.status, onclick: () => select(place, false) },
    term,
    number(row.frequency, ""),
    number(row.score, "wide"),
    number(row.documents, "wide"),
    element("td", { class: "decide" }, [...buttons, merge].flatMap((one) => [one, " "])),
  );
}

const rowElements = () => byId("terms")?.querySelectorAll("tr[data-status]") ?? [];

function select(place, scroll = true) {
  const elements = rowElements();
  if (!elements.length) return;
  selected = Math.max(0, Math.min(place, elements.length - 1));
  for (const [at, one] of [...elements].entries()) {
    if (at === selected) one.setAttribute("aria-current", "true");
    else one.removeAttribute("aria-current");
  }
  if (scroll) elements[selected].scrollIntoView({ block: "nearest" });
}

/** Decides about the row at a place; the row stays where it is until the list is loaded again. */
async function decide(place, status, into = null) {
  const row = rows[place];
  if (!row) return;
  const body = { terms: [row.term], status };
  if (into) body.into = into;
  try {
    const answer = await ask("v1/review/decide", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    show(null);
    row.status = status;
    row.into = into;
    drawCounts(answer.counts);
    const old = rowElements()[place];
    if (old && rows[place] === row) {
      const button = [...old.querySelectorAll("button")].indexOf(document.activeElement);
      const fresh = drawRow(row, place);
      old.replaceWith(fresh);
      if (button >= 0) fresh.querySelectorAll("button")[button].focus();
      select(selected, false);
    }
    announce(`${row.term}: ${STATUSES[status]}`);
  } catch (error) {
    show(error);
  }
}

function askMerge(place) {
  const row = rows[place];
  if (!row) return;
  byId("merge-title").textContent = `Merge “${row.term}”`;
  byId("into").value = "";
  byId("into-list").replaceChildren(
    ...rows.filter((one) => one !== row).map((one) => element("option", { value: one.term })),
  );
  const dialog = byId("merge");
  dialog.querySelector("form").onsubmit = () => decide(place, "merged", byId("into").value.trim());
  dialog.showModal();
}

async function toggleContexts(place) {
  const row = rows[place];
  const above = rowElements()[place];
  if (!row || !above) return;
  const old = above.nextElementSibling;
  if (old?.matches(".below")) {
    old.remove();
    return;
  }
  const list = element("ul", { class: "contexts", "aria-label": `Contexts of ${row.term}` });
  const below = element("td", { colspan: COLUMNS.length + 1 }, list);
  above.after(element("tr", { class: "below" }, below));
  if (!hasContexts) {
    list.append(element("li", {}, "There are no texts: start with --corpus to see contexts."));
    return;
  }
  try {
    const found = await ask(`v1/review/contexts?${new URLSearchParams({ term: row.term })}`);
    list.append(
      ...found.map(({ left, match, right }) =>
        element("li", {}, "…", left, element("mark", {}, match), right, "…"),
      ),
    );
    if (!found.length) list.append(element("li", {}, "It does not occur in the texts."));
  } catch (error) {
    below.parentElement.remove();
    show(error);
  }
}

/** Fills a list with the terms directly below a term; those with terms below them open on request. */
async function drawBranch(list, term) {
  const path = term === null ? "v1/review/tree" : `v1/review/tree?${new URLSearchParams({ term })}`;
  const found = await ask(path);
  list.replaceChildren(
    ...found.map((row) => {
      const notes = ` ${shown(row.frequency)}${row.status === "open" ? "" : `, ${row.status}`}`;
      const label = [termText(row.term), element("span", { class: "soft" }, notes)];
      if (!row.narrower) return element("li", {}, label);
      const inner = element("ul", { class: "branch" });
      const details = element("details", {}, element("summary", {}, label), inner);
      details.addEventListener("toggle", () => {
        if (details.open && !inner.children.length) drawBranch(inner, row.term).catch(show);
      });
      return element("li", {}, details);
    }),
  );
  if (!found.length) list.append(element("li", {}, "No term is a kind of another."));
}

async function drawTree() {
  asked += 1;
  const list = element("ul", { class: "branch", "aria-label": "Terms below their heads" });
  byId("place").replaceChildren(list);
  try {
    await drawBranch(list, null);
    show(null);
  } catch (error) {
    show(error);
  }
}

function draw() {
  const isList = state.view === "list";
  byId("letters").hidden = !isList;
  return isList ? load() : drawTree();
}

function keyPressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("merge").open) return;
  if (event.target.matches("input, select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "/") {
    byId("filter").focus();
  } else if (state.view !== "list") {
    return;
  } else if (event.key === "ArrowDown" || event.key === "j") {
    select(selected + 1);
    if (selected > rows.length - 5 && rows.length < total) load(rows.length);
  } else if (event.key === "ArrowUp" || event.key === "k") {
    select(selected - 1);
  } else if (event.key === "m") {
    askMerge(selected);
  } else if (event.key === "Enter") {
    if (event.target.matches("button, a, summary")) return;
    toggleContexts(selected);
  } else {
    const decision = DECISIONS.find(([, , key]) => key === event.key);
    if (!decision) return;
    const place = selected;
    select(selected + 1);
    decide(place, decision[0]);
  }
  event.preventDefault();
}

function begin() {
  byId("status").append(
    ...Object.entries(STATUSES).map(([value, title]) => element("option", { value }, title)),
  );
  byId("status").addEventListener("change", (event) => {
    state.status = event.target.value;
    draw();
  });
  byId("view").addEventListener("change", (event) => {
    state.view = event.target.value;
    draw();
  });
  byId("filter").addEventListener("input", (event) => {
    state.filter = event.target.value;
    if (state.view === "list") load();
  });
  document.querySelector(".tools").addEventListener("submit", (event) => event.preventDefault());
  byId("merge-cancel").addEventListener("click", () => byId("merge").close());
  byId("downloads").append(
    ...["csv", "xlsx", "tbx", "ttl"].flatMap((format) => [
      element(
        "a",
        { href: `v1/review/download?format=${format}`, download: `terms.${format}` },
        format === "ttl" ? "SKOS" : format.toUpperCase(),
      ),
      " ",
    ]),
  );
  document.addEventListener("keydown", keyPressed);
  draw();
}

begin();
