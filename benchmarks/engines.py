"""The peers: other ways to the same answers, each as fast as its library allows.

A peer is built from the terms (`list(index)`) and gives a function from a query to a fresh list of
str, in any order, unless its name says otherwise. The query itself is never in the answer.
"""

from __future__ import annotations

import importlib
import re
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Answer = Callable[[str], Sequence[str]]
Find = Callable[[str], Sequence[Any]]


@dataclass(frozen=True)
class Peer:
    """A library, or a few lines of Python, that answers one of the two questions."""

    name: str
    module: str | None
    """The module that must be importable; None for Python itself."""
    build: Callable[[Sequence[str], str], Answer]
    slow: bool = False
    """Whether it is asked only a tenth of the queries."""


@dataclass(frozen=True)
class Automaton:
    """A matcher of strings: it finds nested terms, and possibly terms in text.

    It works on characters. Terms and text are wrapped in separators, so that it keeps to the
    borders of tokens; a match that shares a separator with another one is not lost, since all of
    them report overlapping matches.
    """

    name: str
    module: str
    build: Callable[[Sequence[str], str], Any]
    nested: Callable[[Any, Sequence[str], str], Answer]
    find: Callable[[Any], Find] | None


def missing(module: str | None) -> bool:
    """Whether a peer's module cannot be imported."""
    if module is None:
        return False
    try:
        importlib.import_module(module)
    except ImportError:
        return True
    return False


# --- super terms ---


def super_table(
    terms: Sequence[str], separator: str
) -> tuple[dict[str, int], dict[int, list[int]]]:
    """The table of the paper: from each term to its super terms, ids both."""
    ids = {term: id for id, term in enumerate(terms)}
    supers: dict[int, list[int]] = {}
    for id, term in enumerate(terms):
        for nested in _nested_ids(ids, term, separator):
            supers.setdefault(nested, []).append(id)
    return ids, supers


def _nested_ids(ids: dict[str, int], term: str, separator: str) -> set[int]:
    tokens = term.split(separator)
    found = set()
    for length in range(1, len(tokens)):
        for start in range(len(tokens) - length + 1):
            id = ids.get(separator.join(tokens[start : start + length]))
            if id is not None:
                found.add(id)
    return found


def dict_of_ids(terms: Sequence[str], separator: str) -> Answer:
    """A dict from id to ids, and a dict from term to id."""
    ids, supers = super_table(terms, separator)

    def answer(term: str) -> Sequence[str]:
        return [terms[i] for i in supers.get(ids.get(term, -1), ())]

    return answer


def dict_of_lists(terms: Sequence[str], separator: str) -> Answer:
    """A dict from term to a list of terms that all callers share."""
    _, supers = super_table(terms, separator)
    lists = {terms[id]: [terms[i] for i in found] for id, found in supers.items()}

    def answer(term: str) -> Sequence[str]:
        return lists.get(term, ())

    return answer


def fts5(terms: Sequence[str], separator: str) -> Answer:
    """SQLite FTS5 in memory, asked for the phrase.

    Its tokenizers fold case and split at signs, so they are given a number for each token: with
    these, its tokens are exactly ours.
    """
    numbers: dict[str, str] = {}
    database = sqlite3.connect(":memory:", isolation_level=None)
    database.execute("CREATE VIRTUAL TABLE v USING fts5(t, content='', columnsize=0)")
    database.execute("BEGIN")
    database.executemany(
        "INSERT INTO v(rowid, t) VALUES (?, ?)",
        (
            (
                id,
                " ".join([numbers.setdefault(t, str(len(numbers))) for t in term.split(separator)]),
            )
            for id, term in enumerate(terms)
        ),
    )
    database.execute("COMMIT")
    database.execute("INSERT INTO v(v) VALUES ('optimize')")
    ask = "SELECT rowid FROM v WHERE v MATCH ?"

    def answer(term: str) -> Sequence[str]:
        try:
            phrase = " ".join([numbers[token] for token in term.split(separator)])
        except KeyError:
            return []
        found = [terms[id] for (id,) in database.execute(ask, (f'"{phrase}"',))]
        return [one for one in found if one != term]

    return answer


def tantivy_phrase(terms: Sequence[str], separator: str) -> Answer:
    """Tantivy in memory, in one segment, asked for the phrase; it reads ids from a fast field."""
    tantivy: Any = importlib.import_module("tantivy")
    schema = (
        tantivy.SchemaBuilder()
        .add_text_field("t", tokenizer_name="ours", index_option="position")
        .add_integer_field("id", fast=True)
        .build()
    )
    index = tantivy.Index(schema)
    tokenizer = tantivy.Tokenizer.regex(f"[^{re.escape(separator)}]+")
    index.register_tokenizer("ours", tantivy.TextAnalyzerBuilder(tokenizer).build())
    writer = index.writer(heap_size=512_000_000, num_threads=1)
    for id, term in enumerate(terms):
        writer.add_document(tantivy.Document(t=term, id=id))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    query = tantivy.Query

    def answer(term: str) -> Sequence[str]:
        words = term.split(separator)
        # It allocates memory for the limit of hits: the limit is the number of terms.
        limit = min([searcher.doc_freq("t", word) for word in words])
        if not limit:
            return []
        if len(words) == 1:
            phrase = query.term_query(schema, "t", term, "basic")
        else:
            phrase = query.phrase_query(schema, "t", words)
        hits = searcher.search(query.const_score_query(phrase, 1.0), limit, count=False).hits
        ids = searcher.fast_field_values("id", [address for _, address in hits])
        found = [terms[id] for id in ids]
        return [one for one in found if one != term]

    return answer


SUPER = [
    Peer("dict of ids", None, dict_of_ids),
    Peer("dict of shared lists", None, dict_of_lists),
    Peer("SQLite FTS5", "sqlite3", fts5, slow=True),
    Peer("tantivy", "tantivy", tantivy_phrase, slow=True),
]


# --- nested terms ---


def ngram_dict(terms: Sequence[str], separator: str) -> Answer:
    """A dict from term to id, asked for each run of tokens shorter than the query."""
    ids = {term: id for id, term in enumerate(terms)}
    join = separator.join

    def answer(term: str) -> Sequence[str]:
        tokens = term.split(separator)
        count = len(tokens)
        found = []
        for start in range(count):
            # The run from the first token to the last is the query itself.
            for end in range(start + 1, count + (start > 0)):
                run = join(tokens[start:end])
                if run in ids and run not in found:
                    found.append(run)
        return found

    return answer


NESTED = [Peer("dict of n-grams", None, ngram_dict)]


def _build_pyahocorasick(terms: Sequence[str], separator: str) -> Any:
    automaton = importlib.import_module("ahocorasick").Automaton()
    for term in terms:
        automaton.add_word(separator + term + separator, term)
    automaton.make_automaton()
    return automaton


def _nested_pyahocorasick(automaton: Any, terms: Sequence[str], separator: str) -> Answer:
    matches = automaton.iter

    def answer(term: str) -> Sequence[str]:
        found = {one for _, one in matches(separator + term + separator)}
        found.discard(term)
        return list(found)

    return answer


def _find_pyahocorasick(automaton: Any) -> Find:
    return lambda text: list(automaton.iter(f" {text} "))


def _build_ahocorasick_rs(terms: Sequence[str], separator: str) -> Any:
    library = importlib.import_module("ahocorasick_rs")
    return library.AhoCorasick([separator + term + separator for term in terms])


def _nested_ahocorasick_rs(automaton: Any, terms: Sequence[str], separator: str) -> Answer:
    matches = automaton.find_matches_as_indexes

    def answer(term: str) -> Sequence[str]:
        found = {terms[m[0]] for m in matches(separator + term + separator, overlapping=True)}
        found.discard(term)
        return list(found)

    return answer


def _find_ahocorasick_rs(automaton: Any) -> Find:
    def find(text: str) -> Sequence[Any]:
        found: list[Any] = automaton.find_matches_as_indexes(f" {text} ", overlapping=True)
        return found

    return find


def _build_daachorse(terms: Sequence[str], separator: str) -> Any:
    library = importlib.import_module("daachorse")
    return library.DoubleArrayAhoCorasick(
        [f"{separator}{term}{separator}".encode() for term in terms]
    )


def _nested_daachorse(automaton: Any, terms: Sequence[str], separator: str) -> Answer:
    matches = automaton.find_overlapping

    def answer(term: str) -> Sequence[str]:
        found = {terms[m[2]] for m in matches((separator + term + separator).encode())}
        found.discard(term)
        return list(found)

    return answer


def _find_daachorse(automaton: Any) -> Find:
    def find(text: str) -> Sequence[Any]:
        found: list[Any] = automaton.find_overlapping(f" {text} ".encode())
        return found

    return find


def _build_marisa(terms: Sequence[str], separator: str) -> Any:
    library = importlib.import_module("marisa_trie")
    return library.Trie([term + separator for term in terms])


def _nested_marisa(trie: Any, terms: Sequence[str], separator: str) -> Answer:
    prefixes = trie.prefixes

    def answer(term: str) -> Sequence[str]:
        rest = term + separator
        found = set(prefixes(rest))
        found.discard(rest)
        start = rest.find(separator) + 1
        while start < len(rest):
            found.update(prefixes(rest[start:]))
            start = rest.find(separator, start) + 1
        return [one[:-1] for one in found]

    return answer


AUTOMATA = [
    Automaton("daachorse", "daachorse", _build_daachorse, _nested_daachorse, _find_daachorse),
    Automaton(
        "ahocorasick_rs",
        "ahocorasick_rs",
        _build_ahocorasick_rs,
        _nested_ahocorasick_rs,
        _find_ahocorasick_rs,
    ),
    Automaton(
        "pyahocorasick",
        "ahocorasick",
        _build_pyahocorasick,
        _nested_pyahocorasick,
        _find_pyahocorasick,
    ),
    # A trie has no links from suffix to suffix: finding terms in text would be a walk from each
    # token, in Python.
    Automaton("marisa-trie", "marisa_trie", _build_marisa, _nested_marisa, None),
]


# --- all pairs ---


def polars_pairs(terms: Sequence[str], separator: str) -> Any:
    """All pairs by a self-join: a frame with the columns nested and super, ids both."""
    polars: Any = importlib.import_module("polars")
    col = polars.col
    vocabulary = polars.DataFrame({"term": terms}).with_row_index("id")
    tokens = (
        vocabulary.select("id", token=col("term").str.split(separator))
        .with_columns(tokens=col("token").list.len())
        .with_columns(end=col("tokens").cum_sum())
        .explode("token")
    )
    # The n-grams of one length are those of the length before, each with one more token; an n-gram
    # that ends its term has none, and one that is the whole term is not looked up.
    words = tokens["token"]
    grams = tokens.select(
        "id",
        "tokens",
        "end",
        gram=col("token"),
        next=polars.int_range(1, polars.len() + 1, dtype=polars.UInt32),
    )
    found = []
    length = 1
    while True:
        shorter = grams.filter(col("tokens") > length)
        if shorter.is_empty():
            break
        found.append(
            shorter.join(vocabulary, left_on="gram", right_on="term", how="inner").select(
                nested="id_right", super="id"
            )
        )
        grams = shorter.filter(col("next") < col("end"))
        grams = grams.with_columns(
            gram=polars.concat_str(grams["gram"], words.gather(grams["next"]), separator=separator),
            next=col("next") + 1,
        )
        length += 1
    if not found:
        return polars.DataFrame(schema={"nested": polars.UInt32, "super": polars.UInt32})
    return polars.concat(found).unique()
