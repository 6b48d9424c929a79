"""N-grams of texts: compared with the definition by brute force."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from oracle import _folded, _words_of_text
from termnest import InvalidOptionError, Table, TermIndex, TermTypeError, _core
from termnest.terminology import ENGLISH, ngrams

NO_BREAK = regex.compile(r"[\p{White_Space}\p{Cf}--[\v\f\u2029]]*", regex.VERSION1)

Run = tuple[str, ...]


def runs_of(text: str, fold: bool) -> list[Run]:
    """The runs of words that nothing interrupts."""
    runs: list[list[str]] = [[]]
    end = 0
    for token in _words_of_text(text, "keep"):
        gap = text[end : token.start]
        if not NO_BREAK.fullmatch(gap) or gap.count("\n") > 1:
            runs.append([])
        end = token.end
        folded = _folded(token.text)
        if len(token.text.encode()) > 255 or not folded or not any(map(str.isalnum, folded)):
            runs.append([])
        else:
            runs[-1].append(folded if fold else token.text)
    return [tuple(run) for run in runs]


def occurrences(run: Run, max_words: int, stops: set[str]) -> list[tuple[int, int]]:
    return [
        (start, end)
        for start in range(len(run))
        for end in range(start + 1, min(start + max_words, len(run)) + 1)
        if _folded(run[start]) not in stops and _folded(run[end - 1]) not in stops
        if any(char.isalpha() for word in run[start:end] for char in word)
    ]


def expected(
    texts: list[str], max_words: int, stops: set[str], fold: bool, least: int
) -> dict[str, tuple[int, bool]]:
    """Each candidate, its count, and whether it occurs outside of all longer ones."""
    runs = [run for text in texts for run in runs_of(text, fold)]
    found = [(run, span) for run in runs for span in occurrences(run, max_words, stops)]
    counts = Counter(" ".join(run[start:end]) for run, (start, end) in found)
    counts = Counter({term: count for term, count in counts.items() if count >= least})
    outside = set()
    for run in runs:
        spans = [
            (start, end)
            for start, end in occurrences(run, max_words, stops)
            if " ".join(run[start:end]) in counts
        ]
        for a, b in spans:
            if not any(c <= a and b <= d and (c, d) != (a, b) for c, d in spans):
                outside.add(" ".join(run[a:b]))
    return {term: (count, term in outside) for term, count in counts.items()}


def counted_form(fold: bool) -> Callable[[str], str]:
    """From a candidate as it is shown to its words as they are counted."""
    return lambda term: " ".join(_folded(word) if fold else word for word in term.split())


PIECES = [
    "a",
    "b",
    "A",
    "cell",
    "of",
    "Of",
    "the",
    "7",
    "x-ray",
    "B's",
    "3,5",
    "é",
    "straße",
    "Strasse",
    "C++",
    "+",
]

GAPS = [" ", " ", " ", "\n", "  ", "\n\n", ", ", ". ", "-", "/", "\t", "\x0c", " ' ", "\u2029"]

STOPS = {"of", "the"}


@given(
    texts=st.lists(
        st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(GAPS)), max_size=12).map(
            lambda parts: "".join(word + gap for word, gap in parts)
        ),
        max_size=4,
    ),
    max_words=st.integers(1, 4),
    fold=st.booleans(),
    least=st.integers(0, 3),
    max_nodes=st.sampled_from([None, 1, 5]),
)
def test_ngrams_are_the_candidates_of_the_definition(
    texts: list[str], max_words: int, fold: bool, least: int, max_nodes: int | None
) -> None:
    # With a few nodes only, the rest goes through temporary files.
    counter = _core.CandidateCounter(max_words, sorted(STOPS), fold, True, max_nodes)
    for text in texts:
        counter.add(text)
    counted, maximal, words = counter.finish(least, None, None)
    assert maximal is not None
    terms = Table(counted).column("term").to_list()
    frequencies = map(int, Table(counted).column("frequency"))
    found = dict(zip(terms, zip(frequencies, map(bool, maximal), strict=True), strict=True))
    as_counted = dict(zip(map(counted_form(fold), terms), found.values(), strict=True))
    assert as_counted == expected(texts, max_words, STOPS, fold, least)
    assert terms == sorted(terms, key=str.encode)
    # What is counted is found, and so are terms over punctuation, which are not counted.
    index = TermIndex(terms, fold=fold)
    matches = Counter(match.term for text in texts for match in index.find(text))
    assert all(matches[term] >= count for term, (count, _) in found.items())
    assert words == sum(len(run) for text in texts for run in runs_of(text, fold))


def test_counting_in_temporary_files_gives_the_same_counts() -> None:
    rng = random.Random(5)
    words = [f"w{i}" for i in range(30)]
    text = " ".join(rng.choice(words) + rng.choice(["", "", "", "."]) for _ in range(5000))
    whole = ngrams([text], min_frequency=1, stop_words=[])
    counter = _core.CandidateCounter(5, [], True, False, 40)
    counter.add(text)
    counted, _, _ = counter.finish(1, None, None)
    frequencies = {row["term"]: row["frequency"] for row in Table(counted)}
    assert frequencies == {term: whole.index.weight(term) for term in whole.index}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("state-of-the-art systems", ["state-of-the-art", "systems"]),
        ("AT&T's R&D", ["at&t", "r&d"]),
        ("l’armée dell'acqua", ["armée", "acqua"]),
        ("C++ and .NET", ["c++", "and", ".net"]),
        ("東京都", ["東", "京", "都"]),
        ("U.S. Army", ["u.s.", "army"]),
        ("well- known", ["well", "known"]),
        ("1,000.5 items,3", ["1,000.5", "items", "3"]),
        ("don’t_stop", ["don’t_stop"]),
        ("e\u0301te\u0301 \u0301x", ["e\u0301te\u0301", "x"]),
        ("می‌خواهم", ["می‌خواهم"]),
        ("(cell)", ["cell"]),
        ("--", []),
    ],
)
def test_a_text_is_split_into_these_words(text: str, words: list[str]) -> None:
    found = ngrams([text + " letters"], max_words=1, min_frequency=1, stop_words=[])
    with_letters = {word for word in words if any(map(str.isalpha, word))}
    assert set(found.index) == with_letters | {"letters"}
    assert found.words == len(words) + 1


def test_a_word_has_at_most_255_bytes_and_a_longer_one_ends_the_run() -> None:
    longest = "x" * _core.MAX_WORD_BYTES
    assert f"a {longest} b" in ngrams([f"a {longest} b"], min_frequency=1, stop_words=[]).index
    found = ngrams([f"a {longest}x b"], min_frequency=1, stop_words=[])
    assert list(found.index) == ["a", "b"]
    assert found.words == 2


@pytest.mark.parametrize("max_words", [1, 20])
def test_a_candidate_has_up_to_20_words(max_words: int) -> None:
    text = " ".join(f"w{i}" for i in range(25))
    found = ngrams([text], max_words=max_words, min_frequency=1)
    assert max(term.count(" ") + 1 for term in found.index) == max_words


@pytest.mark.parametrize("max_words", [0, 21, -1])
def test_other_numbers_of_words_are_refused(max_words: int) -> None:
    with pytest.raises(InvalidOptionError, match="max_words"):
        ngrams(["a"], max_words=max_words)


def test_the_default_stop_words_are_single_words_in_lower_case() -> None:
    assert all(word == word.lower() for word in ENGLISH)
    for word in ENGLISH:
        text = f"{word} cell of the {word}"
        assert list(ngrams([text], min_frequency=1).index) == ["cell"], word
    assert {"the", "of", "don't", "don’t"} <= ENGLISH


def test_stop_words_are_split_as_texts_are() -> None:
    text = "Cells, e.g. solar cells in 2020 and/or 'cause -- see fig. 7"
    stops = ["e.g.", "and/or", "'Cause", "2020", "(fig.)", "--", "", "IN"]
    found = ngrams([text], min_frequency=1, stop_words=stops).index
    for stop in ("e.g", "and", "or", "cause", "2020", "fig", "in"):
        assert not any(stop in (term.split()[0], term.split()[-1]) for term in found)
    assert set(found) == {"cells", "solar", "solar cells", "see"}


def test_one_str_instead_of_a_list_is_refused() -> None:
    with pytest.raises(
        TermTypeError, match="texts must be a list of texts or a Corpus of files, not one str"
    ):
        ngrams("solar cell")
    with pytest.raises(TermTypeError, match="entry 1 of texts must be a str, not 3"):
        ngrams(["solar cell", 3])  # type: ignore[list-item]
    with pytest.raises(
        TermTypeError, match="stop_words must be a list or a set of words, not the one str"
    ):
        ngrams(["solar cell"], stop_words="of the")
    with pytest.raises(TermTypeError, match="each of stop_words must be a str, not 3"):
        ngrams(["solar cell"], stop_words=[3])  # type: ignore[list-item]


def test_a_phrase_counts_each_time_that_it_occurs_in_another() -> None:
    counter = _core.CandidateCounter(1, [], True, False, None)
    for phrase in ["cell cell cell", "cell", "a cell b", "cell cell"]:
        counter.add_phrase(phrase)
    counted, maximal, _ = counter.finish(1, None, None)
    assert {row["term"]: row["frequency"] for row in Table(counted)} == {
        "a cell b": 1,
        "cell": 7,
        "cell cell": 3,
        "cell cell cell": 1,
    }
    assert maximal == b"\1" * 4
