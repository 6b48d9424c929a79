"""Nothing goes quadratic: each hard vocabulary, query and text is done in seconds.

Each test runs in a process of its own, which is stopped after a minute, and fails if it needs more
than 4 GB of memory. The tests assert answers only; quadratic work would not end in time.
"""

import random
import resource
from collections.abc import Callable
from itertools import islice

import pytest

from conftest import OVERLAPS, WHERES, apart
from termnest import TermIndex

TOKENS_OF_A_TEXT = 100_000
# Bytes. Each test needs a fraction of it; the square of its input would not fit.
MEMORY = 4 << 30


def in_proportion(work: Callable[..., None], *args: object) -> None:
    """Does the work with at most MEMORY bytes."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    work(*args)


def texts(*words: str) -> dict[str, str]:
    """A periodic and a random text of these words."""
    dice = random.Random(7)
    count = TOKENS_OF_A_TEXT // len(words)
    return {
        "periodic": " ".join(words * count),
        "random": " ".join(dice.choices(words, k=TOKENS_OF_A_TEXT)),
    }


def ask_about_long_texts(index: TermIndex, *words: str) -> None:
    """Asks everything that takes a long phrase or text. The point is that it ends."""
    for text in texts(*words).values():
        for where in WHERES:
            for direct in (False, True):
                index.nested_terms(text, where=where, direct=direct)
                assert index.super_terms(text, where=where, direct=direct) == []
        for overlaps in ("longest", "leftmost"):
            assert len(index.find(text, overlaps=overlaps)) <= TOKENS_OF_A_TEXT
        assert index.complete(text) == []
        assert text not in index


# A thousand terms of a thousand tokens.

LONG = " ".join(["a"] * 999)
HALF = " ".join(["a"] * 500)
REPETITIVE: dict[str, list[str]] = {
    "the same term": [f"a {LONG}"] * 1_000,
    "a word each": [" ".join([f"w{number}"] * 1_000) for number in range(1_000)],
    "another end each": [f"{LONG} w{number}" for number in range(1_000)],
    "another start each": [f"w{number} {LONG}" for number in range(1_000)],
    "another middle each": [f"{HALF} w{number} {HALF}" for number in range(1_000)],
}


def index_of_repetitive_terms(kind: str, count: int) -> tuple[TermIndex, int]:
    """The index of the first `count` long terms, and the number of those that contain a."""
    terms = REPETITIVE[kind][:count]
    containing_a = 0 if kind == "a word each" else len(set(terms))
    return TermIndex([*terms, "a", "a a"]), containing_a


def ask_about_repetitive_terms(kind: str) -> None:
    index, containing_a = index_of_repetitive_terms(kind, 1_000)
    terms = REPETITIVE[kind]
    assert len(index) == len(set(terms)) + 2
    index.check()
    assert index.count_super_terms("a") == containing_a + 1
    assert index.super_terms(terms[0]) == []
    assert index.nested_terms(terms[0]) == (["a", "a a"] if containing_a else [])
    assert len(index.pairs()) == 2 * containing_a + 1
    assert len(index.super_terms_batch(["a", "a a"])) == 2 * containing_a + 1
    asked = terms[::5]
    assert len(index.nested_terms_batch(asked)) == 2 * len(asked) * bool(containing_a)
    for overlaps in OVERLAPS:
        text = f"{terms[-1]} x {terms[-1]}"
        assert max(match.end for match in index.find(text, overlaps=overlaps)) == len(text)
    ask_about_long_texts(index, "a", "w0")


@pytest.mark.parametrize("kind", REPETITIVE)
def test_a_thousand_terms_of_a_thousand_equal_tokens(kind: str) -> None:
    apart(in_proportion, ask_about_repetitive_terms, kind)


def ask_about_direct_repetitive_terms(kind: str) -> None:
    index, containing_a = index_of_repetitive_terms(kind, 300)
    assert index.super_terms("a", direct=True) == ["a a"]
    assert index.count_super_terms("a a", direct=True) == containing_a
    for where in WHERES:
        assert index.count_super_terms("a", where=where, direct=True) <= containing_a + 1
    long_term = REPETITIVE[kind][0]
    assert index.nested_terms(long_term, direct=True) == (["a a"] if containing_a else [])
    assert len(index.pairs(direct=True)) == containing_a + 1


@pytest.mark.parametrize("kind", REPETITIVE)
def test_direct_answers_of_300_terms_of_a_thousand_equal_tokens(kind: str) -> None:
    apart(in_proportion, ask_about_direct_repetitive_terms, kind)


# The terms a, a a, ... up to a thousand a's.


def ask_about_a_ladder() -> None:
    ladder = [" ".join(["a"] * count) for count in range(1, 1_001)]
    index = TermIndex(ladder)
    index.check()
    assert len(index.pairs()) == 499_500
    assert index.stats(pairs=True).pairs == 499_500
    assert len(index.pairs(direct=True)) == 999
    assert index.super_terms("a") == ladder[1:]
    assert index.super_terms("a", direct=True) == ladder[1:2]
    assert index.count_super_terms("a", where="inside") == 998
    assert index.nested_terms(ladder[-1]) == ladder[:-1]
    assert index.nested_terms(ladder[-1], direct=True) == ladder[-2:-1]
    assert len(index.nested_terms_batch(ladder[::20], limit=10)) == 490
    assert len(index.super_terms_batch(ladder[::20], limit=10)) == 500

    many = " ".join(["a"] * TOKENS_OF_A_TEXT)
    assert index.nested_terms(many) == ladder
    assert index.nested_terms(many, direct=True) == ladder[-1:]
    assert len(index.find(many, overlaps="longest")) == TOKENS_OF_A_TEXT - 999
    assert len(index.find(many, overlaps="leftmost")) == TOKENS_OF_A_TEXT // 1_000
    assert len(index.find(many[:9_999], overlaps="all")) == 1_000 * 5_001 - 500_500
    ask_about_long_texts(index, "a", "b")


def test_the_terms_a_and_a_a_up_to_a_thousand_of_them() -> None:
    apart(in_proportion, ask_about_a_ladder)


def ask_about_a_periodic_ladder() -> None:
    words = ["a", "b"] * (TOKENS_OF_A_TEXT // 2)
    ladder = [" ".join(words[:count]) for count in range(1, 1_001)]
    index = TermIndex(ladder)
    index.check()
    assert index.nested_terms(" ".join(words)) == ladder
    assert index.count_super_terms("b") == 999
    # Each is nested in all longer ones.
    assert len(index.pairs()) == 499_500
    ask_about_long_texts(index, "a", "b")


def test_a_periodic_query_of_100_000_tokens_has_a_thousand_nested_terms() -> None:
    apart(in_proportion, ask_about_a_periodic_ladder)


def ask_about_random_words() -> None:
    dice = random.Random(7)
    words = [f"w{number}" for number in range(100)]
    terms = [" ".join(dice.choices(words, k=dice.randint(1, 6))) for _ in range(50_000)]
    index = TermIndex(terms)
    ask_about_long_texts(index, *words)
    text = texts(*words)["random"]
    assert {match.term for match in index.find(text)} == set(index.nested_terms(text))


def test_a_query_and_a_text_of_100_000_random_tokens() -> None:
    apart(in_proportion, ask_about_random_words)


# A token that occurs in each of a million terms.

MILLION = 1_000_000


def ask_about_a_common_token() -> None:
    terms = [f"{number} the" for number in range(MILLION)]
    index = TermIndex([*terms, "the"], weights=range(MILLION + 1))
    heaviest = terms[:-11:-1]
    assert index.count_super_terms("the") == MILLION
    assert index.count_super_terms("the", where="start") == 0
    assert index.count_super_terms("the", where="end", direct=True) == MILLION
    assert index.super_terms("the", limit=10) == heaviest
    assert index.super_terms("the", limit=10, direct=True) == heaviest
    assert index.super_terms("the", limit=1, offset=MILLION - 1) == terms[:1]
    assert index.nested_terms(terms[7]) == ["the"]
    assert index.complete("the", limit=3) == []
    assert index.complete("99999", limit=3) == ["999999 the", "999998 the", "999997 the"]
    assert len(index.super_terms_batch(["the"] * 20, limit=10)) == 200
    assert len(index.pairs()) == len(index.pairs(direct=True)) == MILLION
    assert len(index.find("the " * TOKENS_OF_A_TEXT)) == TOKENS_OF_A_TEXT


def test_a_token_that_occurs_in_each_of_a_million_terms() -> None:
    apart(in_proportion, ask_about_a_common_token)


# Tokens and keys that look alike.


def ask_about_similar_tokens() -> None:
    same = "x" * 100
    for terms in (
        [f"{same}{number:06}" for number in range(200_000)],
        [f"{number:06}{same}" for number in range(200_000)],
        [f"{same}{number:06}{same}" for number in range(100_000)],
    ):
        index = TermIndex(terms)
        assert len(index) == len(terms)
        assert index.ids(terms) == list(range(len(terms)))
        assert index.ids(islice(map(str.upper, terms), 1_000)) == [None] * 1_000
        assert index.complete(same[:50], limit=2) == (terms[:2] if terms[0][0] == "x" else [])


def test_tokens_that_differ_only_in_their_first_or_last_bytes() -> None:
    apart(in_proportion, ask_about_similar_tokens)


def ask_about_variants() -> None:
    terms = [f"v{number}" for number in range(100_000)]
    index = TermIndex(terms, normalize=lambda token: "x")
    assert [index.id(term) for term in terms] == list(range(len(terms)))
    assert index.ids(terms) == list(range(len(terms)))
    assert index.super_terms("anything") == []
    assert len(index.pairs()) == 0
    assert index.nested_terms("two words") == terms
    assert len(index.find("one", overlaps="leftmost")) == len(terms)
    assert index.complete("x", limit=3) == []
    index.check()


def test_a_hundred_thousand_variants_of_one_key() -> None:
    apart(in_proportion, ask_about_variants)


def ask_about_variants_in_a_term() -> None:
    terms = [f"v{number}" for number in range(100_000)]
    index = TermIndex([*terms, "one two"], normalize=lambda token: "x")
    assert index.super_terms("anything") == ["one two"]
    assert index.super_terms("anything", direct=True) == ["one two"]
    assert len(index.pairs()) == len(index.pairs(direct=True)) == len(terms)
    assert index.count_nested_terms("two words") == len(terms)
    assert index.count_nested_terms("now three words") == len(terms) + 1


def test_a_hundred_thousand_variants_nested_in_a_term() -> None:
    apart(in_proportion, ask_about_variants_in_a_term)


def ask_about_long_characters() -> None:
    # One character of many marks, and a term of one kind of character.
    marked = "a" + "\u0301" * 32_000
    index = TermIndex([marked, "b" * 4_096, "b"], tokenizer="chars")
    assert index.super_terms("b") == ["b" * 4_096]
    assert index.nested_terms(marked * 50) == [marked]
    assert len(index.find("b" * TOKENS_OF_A_TEXT, overlaps="leftmost")) == 24 + 1_696
    assert index.nested_terms("b" * TOKENS_OF_A_TEXT) == ["b" * 4_096, "b"]


def test_characters_of_many_marks_and_texts_without_a_space() -> None:
    apart(in_proportion, ask_about_long_characters)
