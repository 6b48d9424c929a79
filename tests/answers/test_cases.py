"""The shared cases of tests/cases: hand-written vocabularies, questions and answers.

`cargo test` reads the same files. Each case is asked of TermIndex and of the brute-force oracle, so
that neither the library nor the oracle can drift away from the written answers.
"""

from collections.abc import Callable
from typing import Any

import pytest

from oracle import Oracle
from shared_cases import ALL_CASES, Case
from termnest import TermIndex

# These cases need word boundaries or stems that the oracle does not implement.
TERMINDEX_ONLY = {"unicode_words.jsonl", "languages.jsonl"}

Engine = Callable[[Case], Any]


def answer_of_termindex(case: Case) -> Any:
    index = TermIndex(case["terms"], weights=case["weights"], **case["options"])
    answer: Any = getattr(index, case["call"])(**case["args"])
    if case["call"] == "find":
        return [[match.term, match.start, match.end] for match in answer]
    if case["call"] == "pairs":
        return [[row["nested"], row["super"], row["start"]] for row in answer.to_pylist()]
    return answer


def answer_of_oracle(case: Case) -> Any:
    oracle = Oracle(case["terms"], weights=case["weights"], **case["options"])
    answer: Any = getattr(oracle, case["call"])(**case["args"])
    if case["call"] == "find":
        return [[match.term, match.start, match.end] for match in answer]
    if case["call"] == "pairs":
        return [list(pair) for pair in answer]
    return answer


@pytest.fixture(params=[answer_of_termindex, answer_of_oracle], ids=["TermIndex", "Oracle"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """A function that answers a case: with TermIndex, or with the oracle."""
    answer_of: Engine = request.param
    return answer_of


@pytest.mark.parametrize(
    "case",
    [case for file, case in ALL_CASES if file not in TERMINDEX_ONLY],
    ids=lambda case: case["name"],
)
def test_both_engines_give_the_written_answer(engine: Engine, case: Case) -> None:
    assert engine(case) == case["answer"]


@pytest.mark.parametrize(
    "case",
    [case for file, case in ALL_CASES if file in TERMINDEX_ONLY],
    ids=lambda case: case["name"],
)
def test_term_index_gives_the_written_answer_that_the_oracle_cannot(case: Case) -> None:
    assert answer_of_termindex(case) == case["answer"]


def test_case_names_are_distinct() -> None:
    names = [case["name"] for _, case in ALL_CASES]
    assert len(set(names)) == len(names)


def test_every_call_has_cases() -> None:
    calls = {case["call"] for _, case in ALL_CASES}
    assert calls == {"super_terms", "nested_terms", "complete", "find", "pairs"}
