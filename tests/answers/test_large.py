"""What small vocabularies and short texts do not reach: large buckets, long texts, large files."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

import pytest
import regex

from oracle import Overlaps
from termnest import TermIndex

Spans = list[list[tuple[int, int, list[str]]]]

# More than what `find` reads on one thread.
LONG = 1 << 17


def ngrams(tokens: list[str]) -> list[tuple[str, ...]]:
    lengths = range(1, len(tokens) + 1)
    return [tuple(tokens[i : i + n]) for n in lengths for i in range(len(tokens) - n + 1)]


def vocabulary_of_large_buckets() -> list[str]:
    """Terms with few first words and many later ones, so that a word has thousands of followers."""
    dice = random.Random(5)
    heads = ["new", "old", "the"]
    terms = set(heads)
    for _ in range(20_000):
        head = dice.choices(heads, k=dice.randint(1, 2))
        # Some followers are frequent, most are rare.
        tail = [f"w{int(dice.paretovariate(0.3)) % 5000}" for _ in range(dice.randint(0, 2))]
        terms.add(" ".join(head + tail))
    return sorted(terms, key=lambda term: dice.random())


def test_every_phrase_of_a_vocabulary_with_large_buckets() -> None:
    terms = vocabulary_of_large_buckets()
    index = TermIndex(terms)
    supers: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for term in terms:
        for phrase in dict.fromkeys(ngrams(term.split())):
            supers[phrase].append(term)
    # Phrases that occur in no term, between those that do.
    unknown = [(head, f"w{n}") for head in ("new", "old", "w1") for n in range(0, 6000, 7)]
    phrases = [*supers, *unknown]
    queries = [" ".join(phrase) for phrase in phrases]
    expected = [
        [term for term in supers[phrase] if term != query]
        for phrase, query in zip(phrases, queries, strict=True)
    ]
    for query, answer in zip(queries, expected, strict=True):
        assert index.super_terms(query) == answer, query
    counts = [0] * len(queries)
    for query in index.super_terms_batch(queries).to_polars()["query"]:
        counts[query] += 1
    assert counts == [len(answer) for answer in expected]


@pytest.mark.parametrize("unfinished", ["", "w", "w1", "w12", "w4999", "n", "zebra"])
@pytest.mark.parametrize("phrase", ["", "new ", "old the ", "new w1 ", "nothing "])
def test_completion_where_many_words_follow(phrase: str, unfinished: str) -> None:
    terms = vocabulary_of_large_buckets()
    words = phrase.split()

    def goes_on(tokens: list[str], at: int) -> bool:
        end = at + len(words)
        rest = tokens[end:]
        if tokens[at:end] != words or not rest or not rest[0].startswith(unfinished):
            return False
        return rest[0] != unfinished or len(rest) > 1

    expected = set()
    if words or unfinished:
        for term in terms:
            tokens = term.split()
            if any(goes_on(tokens, at) for at in range(len(tokens))):
                expected.add(term)
    assert set(TermIndex(terms).complete(phrase + unfinished, limit=None)) == expected


SPLIT = {
    "whitespace": r"\S+",
    "words": r"\w+",
    "chars": r"\X",
}


@pytest.mark.parametrize("tokenizer", SPLIT)
@pytest.mark.parametrize("gaps", ["lines", "blanks", "one line"])
def test_a_text_that_is_read_in_parts(tokenizer: str, gaps: str) -> None:
    dice = random.Random(11)
    words = ["a", "b", "naïve", "größe", "東京", "e\u0301te", "c"]
    between = {
        "lines": ["\n", "\r\n", " ", "  ", "\t", "\n\n"],
        "blanks": [" ", "  ", "\u3000"],
        "one line": ["\u00a0", "\t"],
    }[gaps]
    if tokenizer == "words":
        # Where every border of a word is plain to see.
        words = ["a", "b", "naive", "gross", "c"]
        between = [gap.replace("\u3000", " , ").replace("\u00a0", "-") for gap in between]
    text = ""
    while len(text.encode()) < LONG:
        text += "".join(dice.choice(words) + dice.choice(between) for _ in range(500))
    tokens = [(found[0], *found.span()) for found in regex.finditer(SPLIT[tokenizer], text)]
    joiner = "" if tokenizer == "chars" else " "
    terms = {joiner.join(words[:1]), joiner.join(words[1:3]), joiner.join(words[2:3] * 3)}
    terms |= {joiner.join(dice.choices(words, k=k)) for k in (1, 2, 3, 4)}
    if tokenizer == "chars":
        # A term that goes across the end of a line.
        terms |= {f"a{between[0]}b", f"c{between[1]}c"}
    index = TermIndex(sorted(terms), tokenizer=tokenizer)  # type: ignore[arg-type]
    keys = {
        tuple(found[0] for found in regex.finditer(SPLIT[tokenizer], term)): term
        for term in sorted(terms)
    }
    expected = []
    for i, (_, start, _) in enumerate(tokens):
        for n in range(1, max(map(len, keys)) + 1):
            key = tuple(token for token, _, _ in tokens[i : i + n])
            if len(key) == n and key in keys:
                expected.append((keys[key], start, tokens[i + n - 1][2]))
    found = index.find(text)
    assert len(expected) > 1000
    assert [(match.term, match.start, match.end) for match in found] == expected
    table = found.to_polars()
    assert table["term"].to_list() == [term for term, _, _ in expected]
    assert table["id"].to_list() == [index.id(term) for term, _, _ in expected]


def test_a_file_that_is_read_in_parts(tmp_path: Path) -> None:
    terms = [f"{i:x} term größe {i * 7919 % 1000}" for i in range(300_000)]
    path = tmp_path / "terms.txt"
    path.write_text("\n".join(terms), encoding="utf-8")
    assert path.stat().st_size > 5 << 20
    assert list(TermIndex.from_file(path)) == terms


def without_stop_words(token: str) -> str:
    return "" if token in ("the", "of") else token


def spans_of(keys: dict[tuple[str, ...], list[str]], tokens: list[tuple[str, int, int]]) -> Spans:
    """For each start the spans and terms from there on, shortest first."""
    longest = max(map(len, keys))
    forms = [token for token, _, _ in tokens]
    found = []
    for i, (_, start, _) in enumerate(tokens):
        there = []
        for n in range(1, longest + 1):
            if (key := tuple(forms[i : i + n])) in keys and len(key) == n:
                there.append((start, tokens[i + n - 1][2], keys[key]))
        found.append(there)
    return found


@pytest.mark.parametrize("overlaps", ["all", "longest", "leftmost"])
@pytest.mark.parametrize("length", [2_000, LONG])
def test_policies_over_parts_with_variants_and_words_that_are_dropped(
    overlaps: Overlaps, length: int
) -> None:
    dice = random.Random(length)
    words = ["a", "B", "c", "the", "of", "größe"]
    terms = ["a b", "A B", "a of b", "b", "B", "c größe a", "größe", "the", "b c größe a b"]
    index = TermIndex(terms, lowercase=True, normalize=without_stop_words)
    keys: dict[tuple[str, ...], list[str]] = {}
    for term in terms:
        key = tuple(filter(None, map(without_stop_words, term.lower().split())))
        if key:
            keys.setdefault(key, []).append(term)
    # A long stretch of dropped words goes over the borders of parts.
    text = " ".join([*dice.choices(words, k=length // 8), *["the"] * (length // 8)])
    text += " " + " ".join(dice.choices(words, k=length // 8))
    found = [(form[0].lower(), *form.span()) for form in regex.finditer(r"\S+", text)]
    starts = spans_of(keys, [token for token in found if without_stop_words(token[0])])
    expected: list[tuple[str, int, int]] = []
    covered = 0
    for there in starts:
        if overlaps == "all":
            kept = there
        else:
            kept = [
                (start, end, variants)
                for start, end, variants in there[-1:]
                if (start >= covered if overlaps == "leftmost" else end > covered)
            ]
        for start, end, variants in kept:
            covered = end
            expected += [(term, start, end) for term in variants]
    matches = index.find(text, overlaps=overlaps)
    assert len(expected) > length // 100
    assert [(match.term, match.start, match.end) for match in matches] == expected
    assert matches.to_polars()["term"].to_list() == [term for term, _, _ in expected]


def test_variants_of_what_a_policy_drops_cost_nothing() -> None:
    # Two hundred ways to write one term of as many words.
    variants = [" ".join(["A" if i == place else "a" for i in range(200)]) for place in range(200)]
    index = TermIndex(variants, lowercase=True)
    text = "a " * 20_000
    assert len(index.find(text, overlaps="leftmost")) == 100 * 200
    assert len(index.find(text, overlaps="longest")) == 19_801 * 200
