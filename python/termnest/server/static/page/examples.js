// Example terms on the start page, for readers who do not know the vocabulary.

import { get, post } from "./api.js";

const EXAMPLES = 8;
// Prefixes with which words often begin; those of other scripts are tried if the first find nothing.
const PREFIXES = [
  ["c", "s", "p", "C", "S", "P"],
  ["а", "с", "ω", "α", "ا", "م", "א", "מ", "中", "日", "の", "क", "가", "1"],
];

const READABLE = /^[\p{L}\p{M}][\p{L}\p{M}\s_'-]{2,30}$/u;

/** Terms with many super terms; the heaviest terms are tried first. `limits` are the server's. */
export async function examples(limits, signal) {
  const limit = Math.min(20, limits.max_page);
  const most = Math.min(400, limits.max_batch, limits.max_batch_results);
  for (const prefixes of PREFIXES) {
    const answers = await Promise.all(
      prefixes.map((prefix) => get("complete", { prefix, limit }, signal)),
    );
    const terms = answers.flatMap(({ results }) => results.map(({ term }) => term));
    // The words of the terms are candidates too: they occur in more terms.
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
  const long = known.filter((result) => isLong(result) && result.total > 2).slice(0, EXAMPLES / 2);
  const short = known.filter((result) => !isLong(result)).slice(0, EXAMPLES - long.length);
  return [...short, ...long];
}
