// Copies of a view for the clipboard: CSV, JSON, or the curl command that asks for the same.

import { address, hasToken, pages } from "./api.js";

// The most rows of a copy. To get more, copy the curl command.
const MAX_ROWS = 10_000;

/** The rows of an answer, MAX_ROWS at most, and their total number. */
export async function allRows(route, question, pageSize, signal) {
  const rows = [];
  let total = 0;
  for await (const page of pages(route, question, signal, [pageSize])) {
    total = page.total;
    rows.push(...page.results);
    if (rows.length >= MAX_ROWS) break;
  }
  return { total, rows: rows.slice(0, MAX_ROWS) };
}

/**
 * Rows as CSV (RFC 4180), with a header.
 *
 * A spreadsheet would compute a text that begins like a formula. An apostrophe before it makes it
 * text.
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
 * The command that asks one or more questions; each is a route and its parameters.
 *
 * The whole question is percent-encoded, without a line end: whatever the phrase contains, a shell
 * receives one pasted command, and waits for Enter.
 */
export function curl(...questions) {
  const urls = questions.map(([route, parameters]) => {
    const url = new URL(address(route, parameters), document.baseURI).href;
    return `'${url.replaceAll("'", "%27")}'`;
  });
  const header = hasToken() ? ["--header", '"Authorization: Bearer $TERMNEST_TOKEN"'] : [];
  return ["curl", ...header, ...urls].join(" ");
}

/** Puts a text on the clipboard. */
export async function copy(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  // Browsers offer the clipboard only to pages that come over TLS or from this machine.
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "unseen";
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (!copied) throw new Error("The browser does not let the page use the clipboard.");
}
