// Terms to begin with, for those who do not know the vocabulary.

import { get, post } from "./api.js";

const SHOWN = 8;
// How words begin in many vocabularies; then in other scripts.
const BEGINNINGS = [
  ["c", "s", "p", "C", "S", "P"],
  ["а", "с", "ω", "α", "ا", "م", "א", "מ", "中", "日", "の", "क", "가", "1"],
];

const READABLE = /^[\p{L}\p{M}][\p{L}\p{M}\s_'-]{2,30}$/u;

/** Terms that stand in many others, heavy ones first looked at; `limits` are the server's. */
export async function examples(limits, signal) {
  const limit = Math.min(20, limits.max_page);
  const most = Math.min(400, limits.max_batch, limits.max_batch_results);
  for (const beginnings of BEGINNINGS) {
    const answers = await Promise.all(
      beginnings.map((prefix) => get("complete", { prefix, limit }, signal)),
    );
    const terms = answers.flatMap(({ results }) => results.map(({ term }) => term));
    // The words of the terms are candidates too: they stand in more.
    const candidates = new Set(terms.flatMap((term) => [term, ...term.split(/[\s_]+/)]));
    candidates.delete("");
    if (candidates.size) return await widest([...candidates].slice(0, most), signal);
  }
  return [];
}

async function widest(candidates, signal) {
  const readable = candidates.filter((term) => READABLE.test(term));
  const terms = readable.length ? readable : candidates;
  const { results } = await post("batch", { ask: "super", terms, limit: 1 }, signal);
  const known = results.filter(({ total }) => total > 0).sort((a, b) => b.total - a.total);
  const isLong = ({ term }) => /[\s_]/.test(term);
  const long = known.filter((result) => isLong(result) && result.total > 2).slice(0, SHOWN / 2);
  const short = known.filter((result) => !isLong(result)).slice(0, SHOWN - long.length);
  return [...short, ...long];
}
