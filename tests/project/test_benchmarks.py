"""The synthetic vocabulary of the benchmarks has the properties that their README states."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from conftest import ROOT
from termnest import TermIndex

pytest.importorskip("numpy")


@pytest.fixture(scope="module")
def vocabulary() -> ModuleType:
    path = ROOT / "benchmarks" / "vocabulary.py"
    spec = importlib.util.spec_from_file_location("benchmark_vocabulary", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_same_seed_gives_the_same_terms_and_text(vocabulary: ModuleType) -> None:
    one, same, other = (vocabulary.synthetic(2_000, seed) for seed in (1, 1, 2))
    assert list(one.terms()) == list(same.terms()) != list(other.terms())
    assert one.text(500) == same.text(500) != other.text(500)


@pytest.mark.parametrize("terms", [1_000, 20_000])
def test_the_vocabulary_has_the_promised_shape(vocabulary: ModuleType, terms: int) -> None:
    made = list(vocabulary.synthetic(terms).terms())
    assert len(set(made)) == len(made) == terms
    stats = TermIndex(made).stats(pairs=True)
    assert stats.pairs is not None
    assert 1.5 <= stats.pairs / terms <= 2
    assert 1.9 <= stats.tokens / terms <= 2.2
    assert 0.27 <= stats.distinct_tokens / terms <= 0.33
    assert stats.longest_term == 6


def test_every_rank_has_a_word_of_its_own(vocabulary: ModuleType) -> None:
    words = [vocabulary.word(rank) for rank in range(200_000)]
    assert len(set(words)) == len(words)
    assert sum(map(len, words[:100])) < sum(map(len, words[-100:]))


def test_text_is_about_as_long_as_asked(vocabulary: ModuleType) -> None:
    assert 900 <= len(vocabulary.synthetic(2_000).text(1_000).split()) <= 1_100


def test_writing_gives_one_term_per_line(vocabulary: ModuleType, tmp_path: Path) -> None:
    made = vocabulary.synthetic(1_000)
    made.write(tmp_path / "terms.txt")
    assert (tmp_path / "terms.txt").read_text().splitlines() == list(made.terms())
