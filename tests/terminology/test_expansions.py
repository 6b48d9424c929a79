"""The words that terms add to a phrase."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import Key, Oracle
from termnest import InvalidOptionError, TermIndex
from termnest.cli import main

words = st.lists(st.sampled_from(["a", "b", "c", "A"]), min_size=1, max_size=5).map(" ".join)


def expansions_of(oracle: Oracle, phrase: Key, side: str) -> list[tuple[str, int, float]]:
    found: dict[str, set[int]] = {}
    for term, key in enumerate(oracle.keys):
        for at in range(len(key) - len(phrase) + 1):
            place = at - 1 if side == "left" else at + len(phrase)
            if phrase and key[at : at + len(phrase)] == phrase and 0 <= place < len(key):
                found.setdefault(key[place], set()).add(term)
    rows = [(word, len(t), sum(oracle.weights[i] for i in t)) for word, t in found.items()]
    return sorted(rows, key=lambda row: (-row[2], -row[1], row[0].encode()))


@given(
    st.lists(st.tuples(words, st.integers(0, 9)), max_size=15),
    st.lists(st.sampled_from(["a", "b", "c", "zz"]), max_size=4),
)
def test_expansions_equal_the_definition(entries: list[tuple[str, int]], phrase: list[str]) -> None:
    terms = [term for term, _ in entries]
    weights = [float(weight) for _, weight in entries]
    index = TermIndex(terms, weights=weights)
    oracle = Oracle(terms, weights=weights)
    for side in ("left", "right"):
        rows = index.expansions(" ".join(phrase), side=side).to_pylist()
        found = [(row["word"], row["terms"], row["weight"]) for row in rows]
        assert found == expansions_of(oracle, tuple(phrase), side)


def test_a_term_counts_once_for_each_word_that_it_adds() -> None:
    index = TermIndex(["a b a b", "a b"], weights=[3, 4])
    assert index.expansions("a", side="right").to_pylist() == [
        {"word": "b", "terms": 2, "weight": 7.0}
    ]
    assert index.expansions("a", side="left").to_pylist() == [
        {"word": "b", "terms": 1, "weight": 3.0}
    ]


def test_the_added_words_are_in_lower_case_if_the_index_is() -> None:
    index = TermIndex(["New York", "new york CITY", "York"], lowercase=True)
    assert [row["word"] for row in index.expansions("YORK", side="left").to_pylist()] == ["new"]
    assert [row["word"] for row in index.expansions("york", side="right").to_pylist()] == ["city"]


@pytest.mark.parametrize("side", ["", "Left", "both"])
def test_a_side_other_than_left_and_right_is_refused(side: Any) -> None:
    with pytest.raises(InvalidOptionError, match=r'side.*it must be "left" or "right"'):
        TermIndex(["a"]).expansions("a", side=side)


@pytest.fixture
def vocabulary(tmp_path: Path) -> Path:
    path = tmp_path / "terms.tsv"
    path.write_text(
        "carcinoma\t9\nbasal cell carcinoma\t4\ncell carcinoma\t5\nlobular carcinoma\t7\ncell\t1\n"
    )
    return path


def run(capfdbinary: pytest.CaptureFixture[bytes], *arguments: object) -> tuple[int, str]:
    code = main([str(argument) for argument in arguments])
    return code, capfdbinary.readouterr().out.decode()


def test_expand_prints_the_words_of_both_sides_or_of_one(
    vocabulary: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    options = ["--weight-column", 1]
    both = "left\tcell\t2\t9\nleft\tlobular\t1\t7\n"
    assert run(capfdbinary, "expand", vocabulary, "carcinoma", *options) == (0, both)
    assert run(capfdbinary, "expand", vocabulary, "cell", "--limit", 1) == (
        0,
        "left\tbasal\t1\t4\nright\tcarcinoma\t2\t9\n",
    )
    assert run(capfdbinary, "expand", vocabulary, "cell", "--side", "left", "--json") == (
        0,
        '{"side": "left", "word": "basal", "terms": 1, "weight": 4.0}\n',
    )
    assert run(capfdbinary, "expand", vocabulary, "no such phrase") == (1, "")
