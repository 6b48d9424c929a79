"""Scores and expansions: the published example, and the formulas by brute force."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import Key, Oracle
from termnest import InvalidOptionError, TermIndex
from termnest.cli import main

# Frantzi, Ananiadou and Mima (2000), with their C-values.
PUBLISHED = {
    "adenoid cystic basal cell carcinoma": (5, 11.61),
    "cystic basal cell carcinoma": (11, 12),
    "ulcerated basal cell carcinoma": (7, 14),
    "recurrent basal cell carcinoma": (5, 10),
    "circumscribed basal cell carcinoma": (3, 6),
    "basal cell carcinoma": (984, 1551.36),
}


def contains(longer: Key, key: Key) -> bool:
    starts = range(len(longer) - len(key) + 1)
    return len(longer) > len(key) and any(longer[at : at + len(key)] == key for at in starts)


def scores_of(oracle: Oracle) -> list[dict[str, float]]:
    """Every column by its formula."""
    terms = range(len(oracle.keys))
    keys, f = oracle.keys, oracle.weights
    supers = {a: [b for b in terms if contains(keys[b], keys[a])] for a in terms}
    independent: dict[int, float] = {}
    for a in sorted(terms, key=lambda a: -len(keys[a])):
        independent[a] = f[a] - sum(independent[b] for b in supers[a])
    rows = []
    for a in terms:
        n, count = len(keys[a]), len(supers[a])
        nested = sum(a in supers[b] for b in terms)
        total = sum(f[b] for b in supers[a])
        inside = f[a] - independent[a]
        own = f[a] - inside / count if count else f[a]
        own_jate = f[a] - total / count if count else f[a]
        log = math.log(f[a]) if f[a] else 0.0
        rows.append(
            {
                "id": a,
                "length": n,
                "frequency": f[a],
                "super_count": count,
                "super_frequency": total,
                "nested_count": nested,
                "independent": independent[a],
                "c_value": math.log2(n) * own,
                "c_value_plus_one": math.log2(n + 1) * own,
                "c_value_jate": math.log2(n + 0.1) * own_jate,
                "basic": n * log + (0.72 * count if n > 1 and f[a] else 0),
                "combo_basic": n * log + (0.75 * count + 0.1 * nested if n > 1 and f[a] else 0),
            }
        )
    return rows


def test_the_published_c_values() -> None:
    counts = [count for count, _ in PUBLISHED.values()]
    rows = TermIndex(PUBLISHED, weights=counts).scores(terms=True).to_pylist()
    assert {row["term"]: round(row["c_value"], 2) for row in rows} == {
        term: value for term, (_, value) in PUBLISHED.items()
    }
    # 984, less 5 in the longest, 6 more in the second, and 7, 5 and 3.
    assert rows[-1]["independent"] == 958
    assert rows[-1]["super_count"] == 5
    assert rows[-1]["super_frequency"] == 31


def test_a_worked_example_of_every_score() -> None:
    # f(cell) = 10, f(basal cell) = 6, f(basal cell layer) = 2.
    index = TermIndex(["cell", "basal cell", "basal cell layer"], weights=[10, 6, 2])
    rows = index.scores().to_pylist()
    assert [row["independent"] for row in rows] == [10 - 2 - 4, 6 - 2, 2]
    assert [row["c_value"] for row in rows] == pytest.approx([0, 1 * (6 - 2 / 1), math.log2(3) * 2])
    assert [row["c_value_plus_one"] for row in rows] == pytest.approx(
        [1 * (10 - 6 / 2), math.log2(3) * 4, 2 * 2]
    )
    assert [row["c_value_jate"] for row in rows] == pytest.approx(
        [math.log2(1.1) * (10 - 8 / 2), math.log2(2.1) * (6 - 2), math.log2(3.1) * 2]
    )
    assert [row["basic"] for row in rows] == pytest.approx(
        [math.log(10), 2 * math.log(6) + 0.72, 3 * math.log(2)]
    )
    assert [row["combo_basic"] for row in rows] == pytest.approx(
        [math.log(10), 2 * math.log(6) + 0.75 + 0.1, 3 * math.log(2) + 0.2]
    )


words = st.lists(st.sampled_from(["a", "b", "c", "A"]), min_size=1, max_size=5).map(" ".join)


@given(
    st.lists(st.tuples(words, st.integers(0, 9)), max_size=15),
    st.sampled_from([{}, {"lowercase": True}, {"tokenizer": "chars"}]),
)
def test_scores_equal_the_formulas(entries: list[tuple[str, int]], options: Any) -> None:
    terms = [term for term, _ in entries]
    weights = [float(weight) for _, weight in entries]
    rows = TermIndex(terms, weights=weights, **options).scores().to_pylist()
    expected = scores_of(Oracle(terms, weights=weights, **options))
    assert len(rows) == len(expected)
    for row, other in zip(rows, expected, strict=True):
        assert row == pytest.approx(other)


def test_scores_do_not_depend_on_the_order_of_long_and_short_terms() -> None:
    dice = random.Random(5)
    terms = list({" ".join(dice.choices("abc", k=dice.randint(1, 6))) for _ in range(400)})
    count = {term: dice.randint(1, 50) for term in terms}

    def c_values(order: list[str]) -> dict[str, float]:
        index = TermIndex(order, weights=[count[term] for term in order])
        return {row["term"]: row["c_value"] for row in index.scores(terms=True).to_pylist()}

    expected = c_values(sorted(terms))
    assert c_values(sorted(terms, reverse=True)) == pytest.approx(expected)
    assert c_values(sorted(terms, key=len)) == pytest.approx(expected)


def test_without_weights_every_term_counts_once() -> None:
    rows = TermIndex(["a", "a b"]).scores().to_pylist()
    assert [row["frequency"] for row in rows] == [1, 1]
    assert [row["basic"] for row in rows] == pytest.approx([0, 0])
    assert TermIndex([]).scores().to_pylist() == []


# --- expansions ---


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


def test_a_term_counts_once_for_a_word_however_often_it_has_it() -> None:
    index = TermIndex(["a b a b", "a b"], weights=[3, 4])
    assert index.expansions("a", side="right").to_pylist() == [
        {"word": "b", "terms": 2, "weight": 7.0}
    ]
    assert index.expansions("a", side="left").to_pylist() == [
        {"word": "b", "terms": 1, "weight": 3.0}
    ]


def test_words_are_shown_as_they_are_matched() -> None:
    index = TermIndex(["New York", "new york CITY", "York"], lowercase=True)
    assert [row["word"] for row in index.expansions("YORK", side="left").to_pylist()] == ["new"]
    assert [row["word"] for row in index.expansions("york", side="right").to_pylist()] == ["city"]


@pytest.mark.parametrize("side", ["", "Left", "both"])
def test_another_side_is_refused(side: Any) -> None:
    with pytest.raises(InvalidOptionError, match=r'side.*it must be "left" or "right"'):
        TermIndex(["a"]).expansions("a", side=side)


# --- taxonomy ---


@given(
    st.lists(words, max_size=15),
    st.sampled_from([{}, {"lowercase": True}, {"tokenizer": "chars"}]),
)
def test_the_taxonomy_equals_the_definition(terms: list[str], options: Any) -> None:
    rows = TermIndex(terms, **options).taxonomy().to_pylist()
    heads = Oracle(terms, **options).heads()
    assert [row["broader"] for row in rows] == heads
    for row in rows:
        way = [row["id"]]
        while (head := heads[way[-1]]) is not None:
            way.append(head)
        assert (row["root"], row["depth"]) == (way[-1], len(way) - 1)


def test_a_head_that_also_stands_elsewhere_in_the_term() -> None:
    rows = TermIndex(["city", "city hall city"]).taxonomy(terms=True).to_pylist()
    assert rows[1] == {"term": "city hall city", "id": 1, "broader": 0, "depth": 1, "root": 0}


def test_gaps_of_a_table_come_through_arrow() -> None:
    table = TermIndex(["a", "b a"]).taxonomy()
    assert table.to_polars()["broader"].to_list() == [None, 0]
    assert table.to_arrow()["broader"].to_pylist() == [None, 0]


# --- the commands ---

VOCABULARY = {
    "carcinoma": 9,
    "basal cell carcinoma": 4,
    "cell carcinoma": 5,
    "lobular carcinoma": 7,
    "cell": 1,
}


@pytest.fixture
def vocabulary(tmp_path: Path) -> Path:
    path = tmp_path / "terms.tsv"
    path.write_text("".join(f"{term}\t{count}\n" for term, count in VOCABULARY.items()))
    return path


def run(capfdbinary: pytest.CaptureFixture[bytes], *arguments: object) -> tuple[int, str]:
    code = main([str(argument) for argument in arguments])
    return code, capfdbinary.readouterr().out.decode()


def test_tree(vocabulary: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    whole = "carcinoma\n  lobular carcinoma\n  cell carcinoma\n    basal cell carcinoma\n"
    options = ["--weight-column", 1]
    assert run(capfdbinary, "tree", vocabulary, *options) == (0, whole)
    assert run(capfdbinary, "tree", vocabulary, "carcinoma", *options) == (0, whole)
    assert run(capfdbinary, "tree", vocabulary, "cell carcinoma") == (
        0,
        "cell carcinoma\n  basal cell carcinoma\n",
    )
    assert run(capfdbinary, "tree", vocabulary, "cell") == (0, "cell\n")
    assert run(capfdbinary, "tree", vocabulary, "basal") == (1, "")
    assert run(capfdbinary, "tree", vocabulary, "--depth", 1, "--limit", 1, *options) == (
        0,
        "carcinoma\n  lobular carcinoma\n  ... 1 more\n",
    )


def test_a_tree_thousands_of_terms_deep(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "terms.txt"
    path.write_text("".join(" ".join(["a"] * count) + "\n" for count in range(1, 2_001)))
    code, out = run(capfdbinary, "tree", path)
    assert code == 0
    assert out.splitlines()[-1] == "  " * 1_999 + " ".join(["a"] * 2_000)


def test_expand(vocabulary: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    options = ["--weight-column", 1]
    both = "left\tcell\t2\t9\nleft\tlobular\t1\t7\n"
    assert run(capfdbinary, "expand", vocabulary, "carcinoma", *options) == (0, both)
    assert run(capfdbinary, "expand", vocabulary, "cell", "--limit", 1) == (
        0,
        "left\tbasal\t1\t1\nright\tcarcinoma\t2\t2\n",
    )
    assert run(capfdbinary, "expand", vocabulary, "cell", "--side", "left", "--json") == (
        0,
        '{"side": "left", "word": "basal", "terms": 1, "weight": 1.0}\n',
    )
    assert run(capfdbinary, "expand", vocabulary, "no such phrase") == (1, "")
