// The index's own columns of a phrase: a table with a row for each term that the phrase is.

import { element, termText } from "./dom.js";
import { count } from "./text.js";

const MAX_ROWS = 50; // terms of one phrase that are shown

/** The table; null if the index has no columns, or the phrase is not a term. */
export function columnsTable(facts, info) {
  const names = Object.keys(info.columns);
  const terms = facts.terms ?? [];
  if (terms.length === 0) return null;
  const several = terms.some(({ term }) => term !== facts.term);
  const head = [...(several ? ["term"] : []), ...(info.ids ? ["id"] : []), ...names];
  const row = ({ id, term, columns }) =>
    element(
      "tr",
      {},
      several ? element("td", {}, termText(term)) : null,
      info.ids ? element("td", {}, valueText(id)) : null,
      ...names.map((name) => element("td", {}, valueText(columns[name]))),
    );
  const more = terms.length - MAX_ROWS;
  return element(
    "div",
    { class: "columns", tabindex: 0, role: "group", "aria-label": "Columns" },
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...head.map((name) => element("th", { scope: "col" }, name)))),
      element("tbody", {}, ...terms.slice(0, MAX_ROWS).map(row)),
    ),
    more > 0 ? element("p", {}, `and ${count(more, "more term")}`) : null,
  );
}

/** A value as text; nothing for a null. */
function valueText(value) {
  if (value === null || value === undefined) return "";
  return termText(Array.isArray(value) ? value.join(", ") : String(value));
}
