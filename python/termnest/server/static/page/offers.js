// What a reader is offered when a phrase is not in the vocabulary: other spellings, and completions.

import { get } from "./api.js";
import { element, termText } from "./dom.js";

const MOST_OFFERS = 5;

/** A line of links to terms that are close to a phrase; null if there are none. */
export async function offers(phrase, info, link, signal) {
  const spelled = await inVocabulary(spellings(phrase, info), signal);
  const most = Math.min(MOST_OFFERS, info.limits.max_page);
  const completed = await completions(phrase, most, signal);
  const terms = [...new Set([...spelled, ...completed])].slice(0, most);
  if (!terms.length) return null;
  const links = terms.map((term) => element("a", { href: link(term) }, termText(term)));
  const line = element("p", { class: "offers" }, "In the vocabulary: ", links[0]);
  for (const other of links.slice(1)) line.append(", ", other);
  if (spelled.length && !info.fold && !info.lowercase) {
    line.append(". This index distinguishes capitals; one that is built with --fold does not");
  }
  line.append(".");
  return line;
}

/** The other ways to write a phrase that an index may distinguish. */
function spellings(phrase, info) {
  const lower = phrase.toLowerCase();
  const titled = lower.replace(/(^|\s)(\S)/gu, (_, space, letter) => space + letter.toUpperCase());
  const first = lower.replace(/\S/u, (letter) => letter.toUpperCase());
  const bare = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").normalize("NFC");
  const ways = [lower, first, titled, phrase.toUpperCase(), phrase.replace(/-/gu, " ")];
  if (!info.strip_accents) ways.push(bare(phrase), bare(lower));
  const words = phrase.trim().split(/\s+/u);
  if (words.length > 1) ways.push(words.join("-"));
  return [...new Set(ways)].filter((way) => way !== phrase);
}

/** The surfaces of the phrases that are terms. */
async function inVocabulary(phrases, signal) {
  const facts = await Promise.all(phrases.map((term) => get("term", { term }, signal)));
  return facts.filter((fact) => fact.in_vocabulary).map((fact) => fact.surface ?? fact.term);
}

async function completions(phrase, limit, signal) {
  const answer = await get("complete", { prefix: phrase, limit }, signal);
  return answer.results.map((result) => result.term);
}
