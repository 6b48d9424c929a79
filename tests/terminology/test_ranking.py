"""Ranking candidates by their scores, and writing the ranked terms."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from termnest import (
    InvalidOptionError,
    TermIndex,
    TermTypeError,
)
from termnest.terminology import (
    ngrams,
    rank,
    write_terms,
)


def test_keep_maximal_drops_the_terms_that_occur_only_inside_of_longer_ones() -> None:
    # "b c" occurs in "a b c" and in "b c d", and once for itself; by sums of frequencies, all of
    # its occurrences would be inside.
    texts = ["a b c. b c d. b c. a b c. b c d."]
    found = ngrams(texts, max_words=3, min_frequency=2, stop_words=[], language="en")
    kept = {row["term"] for row in rank(found, keep="maximal").to_pylist()}
    assert kept == {"a b c", "b c d", "b c"}
    without = ngrams(["a b c. b c d. a b c. b c d."], max_words=3, stop_words=[], language="en")
    assert {row["term"] for row in rank(without, keep="maximal").to_pylist()} == {"a b c", "b c d"}


def test_terms_are_ranked_by_score_then_frequency_then_id() -> None:
    counts = {"z": 3, "c d": 5, "b": 3, "a b": 5, "a": 9}
    index = TermIndex(counts)
    rows = rank(index, score="c-value").to_pylist()
    assert [row["term"] for row in rows] == ["c d", "a b", "a", "z", "b"]
    best = rank(index, score="frequency", top=2).to_pylist()
    assert [row["term"] for row in best] == ["a", "c d"]
    assert len(rank(index, top=0)) == 0
    assert len(rank(index, top=99)) == 5


@pytest.mark.parametrize(
    ("score", "column"),
    [
        ("c-value", "c_value"),
        ("c-value-plus-one", "c_value_plus_one"),
        ("c-value-jate", "c_value_jate"),
        ("basic", "basic"),
        ("combo-basic", "combo_basic"),
        ("independent", "independent"),
        ("frequency", "frequency"),
    ],
)
def test_a_ranking_has_the_scores_of_the_index(score: Any, column: str) -> None:
    rng = random.Random(1)
    terms = {
        " ".join(rng.choices("abc", k=rng.randint(1, 4))): rng.randint(1, 50) for _ in range(60)
    }
    index = TermIndex(terms, weights=list(terms.values()))
    figures = {row["term"]: row for row in index.scores(terms=True).to_pylist()}
    rows = rank(index, score=score).to_pylist()
    assert len(rows) == len(terms)
    for row in rows:
        of_term = figures[row["term"]]
        assert row["score"] == of_term[column]
        assert row["frequency"] == terms[row["term"]]
        assert row["super_count"] == of_term["super_count"]
        assert row["nested_count"] == of_term["nested_count"]
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)


def test_rank_refuses_bad_options() -> None:
    found = ngrams(["a b"], stop_words=[], min_frequency=1, language="en")
    with pytest.raises(InvalidOptionError, match="combo-basic"):
        rank(found, score="tfidf")  # type: ignore[arg-type]
    for score in ("keyness", "log-likelihood", "weirdness"):
        with pytest.raises(InvalidOptionError, match=r"give one, or pip install 'termnest\[termin"):
            rank(found, score=score, reference=False)
        with pytest.raises(InvalidOptionError, match="terms with their frequencies have c-value,"):
            rank(TermIndex({"a b": 1}), score=score)
    with pytest.raises(InvalidOptionError, match="top"):
        rank(found, top=-1)
    with pytest.raises(TermTypeError, match=r"candidates must be the result of ngrams .* not list"):
        rank([("a b", 1)])  # type: ignore[arg-type]


def test_quotes_and_commas_survive_csv(tmp_path: Path) -> None:
    terms = ['say "cell"', "a, b", "plain"]
    write_terms(rank(TermIndex(terms, weights=[3, 2, 1])), tmp_path / "terms.csv")
    assert set(TermIndex.from_file(tmp_path / "terms.csv")) == set(terms)
