"""Scores: the published example, and the formulas by brute force."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import Key, Oracle
from termnest import TermIndex

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


words = st.lists(st.sampled_from(["a", "b", "c", "A"]), min_size=1, max_size=5).map(" ".join)


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
