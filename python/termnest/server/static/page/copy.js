// What is seen, for the clipboard: as CSV, as JSON, or as the command that asks for it.

import { address, hasToken, pages } from "./api.js";

// More rows than that are better asked for with curl.
const MOST_ROWS = 10_000;

/** All rows of an answer, or the first of them, and how many there are. */
export async function allRows(route, question, pageSize, signal) {
  const rows = [];
  let total = 0;
  for await (const page of pages(route, question, signal, [pageSize])) {
    total = page.total;
    rows.push(...page.results);
    if (rows.length >= MOST_ROWS) break;
  }
  return { total, rows: rows.slice(0, MOST_ROWS) };
}

/**
 * Rows as CSV (RFC 4180), with the names of the columns.
 *
 * Programs for tables compute what begins like a formula; with an apostrophe before it, it is text.
 */
export function csv(columns, rows) {
  const field = (value) => {
    const plain = Array.isArray(value) ? value.join(" ") : String(value ?? "");
    const isFormula = typeof value === "string" && /^[=+\-@\t\r]/.test(value);
    const text = isFormula ? `'${plain}` : plain;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [columns, ...rows.map((row) => columns.map((name) => row[name]))];
  return lines.map((line) => `${line.map(field).join(",")}\r\n`).join("");
}

/**
 * The command that asks one or more questions, each a route and its parameters.
 *
 * All of a question is encoded in its address, and no line ends: what a shell gets when one pastes
 * the command is one command, which waits for Enter, whatever the phrase holds.
 */
export function curl(...questions) {
  const urls = questions.map(([route, parameters]) => {
    const url = new URL(address(route, parameters), document.baseURI).href;
    return `'${url.replaceAll("'", "%27")}'`;
  });
  const header = hasToken() ? ["--header", '"Authorization: Bearer $TERMNEST_TOKEN"'] : [];
  return ["curl", ...header, ...urls].join(" ");
}

/** Puts a text into the clipboard. */
export async function copy(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  // Browsers have the clipboard in safe contexts only; a server without TLS is none.
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "unseen";
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (!copied) throw new Error("The browser does not let the page use the clipboard.");
}
