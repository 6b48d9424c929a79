"""The systems of the paper agree with the definition and with TermIndex, and count correctly."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import unicode_names
from shared_cases import ALL_CASES, Case
from termnest import TermIndex
from termnest.paper import (
    TBI,
    AhoCorasick,
    Comparisons,
    HashTable,
    KarpRabin,
    LuBrowne,
    Naive,
    TermStore,
    hash_table,
    karp_rabin,
    tbi,
)
from termnest.paper.terms import Compared, is_super_term, n_grams, tokens
from termnest.reproduce.measure import SYSTEMS, disagreements

ALL: list[Any] = [Naive, HashTable, TBI, LuBrowne, AhoCorasick, KarpRabin]
# As published, these know no super terms of a phrase that is not in the vocabulary.
LOOK_UP_ONLY = (HashTable, TBI)

every_system = pytest.mark.parametrize("system", ALL, ids=lambda system: system.__name__)


def test_the_reproduction_has_every_system() -> None:
    assert set(SYSTEMS.values()) == set(ALL)


# --- they agree ---


def is_plain(case: Case) -> bool:
    """Whether the tokens of a case are separated by blanks, with no other option."""
    texts = [*case["terms"], *case["args"].values()]
    return (
        case["call"] in ("super_terms", "nested_terms")
        and not case["options"]
        and set(case["args"]) == {"term"}
        and all(isinstance(text, str) and text.split(" ") == text.split() for text in texts)
    )


PLAIN_CASES = [case for _, case in ALL_CASES if is_plain(case)]


def test_there_are_shared_cases_of_both_questions() -> None:
    assert len(PLAIN_CASES) > 10
    assert {case["call"] for case in PLAIN_CASES} == {"super_terms", "nested_terms"}


@every_system
@pytest.mark.parametrize("case", PLAIN_CASES, ids=lambda case: case["name"])
def test_every_system_gives_the_answer_of_a_shared_case(system: Any, case: Case) -> None:
    store: TermStore = system(case["terms"])
    term = case["args"]["term"]
    expected = set(case["answer"])
    if case["call"] == "super_terms" and system in LOOK_UP_ONLY and term not in case["terms"]:
        expected = set()
    assert getattr(store, case["call"])(term) == expected


phrases = st.lists(st.sampled_from(["a", "b", "ab"]), max_size=6).map(" ".join)


@given(st.lists(phrases, max_size=12), st.lists(phrases, max_size=4))
def test_all_agree_on_random_vocabularies(terms: list[str], others: list[str]) -> None:
    index = TermIndex(terms, separator=" ")
    naive = Naive(terms)
    stores = [system(terms) for system in ALL]
    for term in {*terms, *others}:
        super_terms, nested_terms = naive.super_terms(term), naive.nested_terms(term)
        assert set(index.super_terms(term)) == super_terms
        assert set(index.nested_terms(term)) == nested_terms
        for store in stores:
            assert store.nested_terms(term) == nested_terms, type(store)
            looked_up = isinstance(store, LOOK_UP_ONLY) and term not in terms
            assert store.super_terms(term) == (set() if looked_up else super_terms), type(store)


def test_all_agree_on_every_term_of_a_part_of_the_unicode_names() -> None:
    # These names share their first words, so that some are nested in others.
    names = [name for name in unicode_names() if "ARROW" in name or "CAT" in name]
    assert len(names) > 700
    assert disagreements(names) == {}


def test_nested_terms_of_every_unicode_name() -> None:
    names = unicode_names()
    index = TermIndex(names, separator=" ")
    # The others take minutes to index 33,000 names.
    stores: list[TermStore] = [LuBrowne(names), AhoCorasick(names), KarpRabin(names)]
    for name in names:
        expected = set(index.nested_terms(name))
        for store in stores:
            assert store.nested_terms(name) == expected, type(store)


def test_a_wrong_system_is_found_by_comparing_it_with_the_index(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Forgetful(Naive):
        def super_terms(self, term: str) -> set[str]:
            return super().super_terms(term) - {"a b c"}

    monkeypatch.setitem(SYSTEMS, "forgetful", Forgetful)
    assert disagreements(["a", "a b", "a b c", "d"]) == {"forgetful": ["a", "a b"]}


@every_system
def test_repeated_terms_blanks_and_empty_terms_change_no_answer(system: Any) -> None:
    store: TermStore = system(["a", "", " ", "a  b", "a b", " a"])
    assert store.super_terms("a") == {"a b"}
    assert store.super_terms(" a ") == {"a b"}
    assert store.nested_terms(" a   b") == {"a"}
    assert store.super_terms("") == store.nested_terms("") == set()


@every_system
def test_an_empty_vocabulary_has_no_answers(system: Any) -> None:
    store: TermStore = system([])
    assert store.super_terms("a") == store.nested_terms("a b") == set()


@every_system
def test_only_whole_tokens_match(system: Any) -> None:
    store: TermStore = system(["art", "modern art", "modern artist", "state of the art museum"])
    assert store.super_terms("art") == {"modern art", "state of the art museum"}
    assert store.nested_terms("modern artist") == set()


def test_terms_with_equal_hashes_are_distinguished_by_their_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_hash(words: list[str], length: int) -> Iterable[int]:
        return [0] * (len(words) - length + 1)

    monkeypatch.setattr(karp_rabin, "rolling_hashes", no_hash)
    store = KarpRabin(["a", "b", "a b", "b a c"])
    assert store.super_terms("a") == {"a b", "b a c"}
    assert store.nested_terms("a b") == {"a", "b"}
    assert store.nested_terms("c c") == set()


# --- TBI as published ---


def test_the_example_of_the_paper_is_in_the_bucket_of_the_paper() -> None:
    store = TBI(["united states of america"], drop_buckets=False)
    assert store.table_bucket == {21: {4: {24: {7: {"united states of america"}}}}}


def test_the_buckets_are_dropped_unless_asked_for() -> None:
    terms = ["new york", "york"]
    assert TBI(terms).table_bucket == {}
    kept = TBI(terms, drop_buckets=False)
    assert kept.table_bucket == {7: {2: {8: {4: {"new york"}}}}, 4: {1: {4: {4: {"york"}}}}}
    assert kept.table_super_terms == {"york": {"new york"}, "new york": set()}


def test_the_hash_table_tests_every_ordered_pair_and_tbi_few_with_the_same_test(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[tuple[str, str]] = []

    def noted(longer: str, term: str) -> bool:
        tried.append((longer, term))
        return is_super_term(longer, term)

    for module in (hash_table, tbi):
        assert vars(module)["is_super_term"] is is_super_term
    terms = random.Random(1).sample(unicode_names(), 200)
    monkeypatch.setattr(hash_table, "is_super_term", noted)
    HashTable(terms)
    assert sorted(tried) == sorted((a, b) for a in terms for b in terms)
    tried.clear()
    monkeypatch.setattr(tbi, "is_super_term", noted)
    TBI(terms)
    assert 0 < len(tried) < 200 * 200 / 3
    assert len(set(tried)) == len(tried)
    assert all(len(tokens(longer)) > len(tokens(term)) for longer, term in tried)


# --- comparisons ---


def test_counting_is_off_unless_asked_for() -> None:
    for system in ALL:
        assert system(["a"]).compared is iter


def count(system: Any, terms: list[str], question: str, term: str) -> int:
    comparisons = Comparisons()
    compared: Compared = comparisons
    getattr(system(terms, compared=compared), question)(term)
    return comparisons.count


TERMS = ["a", "a b", "a b c", "b", "b c d", "bc"]


@pytest.mark.parametrize("term", ["a", "a b", "bc d", "a b c d", "zz zz"])
def test_nested_comparisons_are_characters_words_and_n_grams(term: str) -> None:
    m = len(tokens(term))
    assert len(list(n_grams(term))) == m * (m + 1) // 2 - 1
    assert count(AhoCorasick, TERMS, "nested_terms", term) == len(term)
    assert count(LuBrowne, TERMS, "nested_terms", term) == m
    assert count(TBI, TERMS, "nested_terms", term) == m * (m + 1) // 2 - 1
    assert count(HashTable, TERMS, "nested_terms", term) == m * (m + 1) // 2 - 1
    assert count(Naive, TERMS, "nested_terms", term) == len(TERMS)


def test_super_comparisons_are_visited_nodes() -> None:
    # The trie of words, with the levels below each: a(2) b(1) c(0); b(2) c(1) d(0); bc(0).
    assert count(LuBrowne, TERMS, "super_terms", "a") == 7
    # After an "a" that matched, one word is left and there is at least one level; after the "b" at
    # the root two are left and there are two levels; after its "c", which begins no match, two are
    # left and there is one level: "d" is not visited.
    assert count(LuBrowne, TERMS, "super_terms", "a b") == 6
    # The trie is three levels deep.
    assert count(LuBrowne, TERMS, "super_terms", "a b c d") == 0
    for system in LOOK_UP_ONLY:
        assert count(system, TERMS, "super_terms", "a") == 1
    assert count(Naive, TERMS, "super_terms", "a") == len(TERMS)
    # Characters: a(1) -> b(0); b(0). After the "a" one character is left and there is one level;
    # the blank that is missing before it is not part of the input.
    assert count(AhoCorasick, ["ab", "b"], "super_terms", "b") == 3
    # a(2) -> blank(1) -> b(0); b(0).
    assert count(AhoCorasick, ["a b", "b"], "super_terms", "b") == 4
    assert count(AhoCorasick, ["ab", "b"], "super_terms", "bbb") == 0
