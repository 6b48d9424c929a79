"""The definitions of DESIGN.md, a sentence a test, as far as tests/cases cannot state them."""

from pathlib import Path

import pytest

from oracle import Tokenizer, Where
from termnest import TermIndex
from termnest.errors import TermnestError

# Terms, surfaces and ids.


def test_a_token_is_a_word_by_default_and_a_character_with_chars() -> None:
    terms = ["ethane", "methane", "ethane gas"]
    assert TermIndex(terms).super_terms("ethane") == ["ethane gas"]
    assert TermIndex(terms, tokenizer="chars").super_terms("ethane") == ["methane", "ethane gas"]


def test_the_surface_is_the_tokens_as_given_joined_by_one_space() -> None:
    assert list(TermIndex(["  New \t York\u3000City "], lowercase=True)) == ["New York City"]


def test_the_surface_is_the_tokens_as_given_joined_by_one_separator() -> None:
    index = TermIndex(["__New___York_", "San Jose_CA"], separator="_", lowercase=True)
    assert list(index) == ["New_York", "San Jose_CA"]


@pytest.mark.parametrize("tokenizer", ["words", "chars"])
def test_the_surface_of_words_and_chars_is_the_entry_trimmed(tokenizer: Tokenizer) -> None:
    index = TermIndex(["\t New  York, (City)!\n"], tokenizer=tokenizer, lowercase=True)
    assert list(index) == ["New  York, (City)!"]


def test_entries_with_equal_surfaces_are_one_term() -> None:
    index = TermIndex(["new york", " new  york", "boston", "new\tyork"])
    assert list(index) == ["new york", "boston"]
    assert index.stats().duplicates == 2


def test_the_weights_of_equal_surfaces_add_up() -> None:
    index = TermIndex(["us", "US", " us"], weights=[1, 10, 2], lowercase=True)
    assert (index.weight("us"), index.weight("US")) == (3, 10)


def test_without_weights_every_weight_is_one() -> None:
    index = TermIndex(["a", "b", "a"])
    assert (index.weight("a"), index.weight("b")) == (1, 1)


def test_entries_without_a_token_are_skipped_and_counted() -> None:
    index = TermIndex(["", "a", " \u2028", "\u3000"], weights=[1, 2, 3, 4])
    assert list(index) == ["a"]
    assert index.stats().skipped == 3
    assert index.weight("a") == 2


def test_entries_without_a_token_after_normalisation_are_skipped_and_counted() -> None:
    index = TermIndex(["\u0301", "a", "\u0301 \u0300"], strip_accents=True)
    assert list(index) == ["a"]
    assert (index.stats().skipped, index.stats().duplicates) == (2, 0)


def test_a_vocabulary_may_be_empty() -> None:
    index = TermIndex([])
    assert (len(index), list(index), "a" in index) == (0, [], False)
    assert (index.count_super_terms("a"), index.count_nested_terms("a")) == (0, 0)


def test_ids_count_from_zero_by_first_appearance_without_gaps() -> None:
    index = TermIndex(["b", "", "a", "b", " ", "c", "a"])
    assert [index.id(term) for term in ("b", "a", "c")] == [0, 1, 2]
    assert [index[0], index[1], index[2]] == ["b", "a", "c"]
    assert list(index.ids(["c", "unknown", " b "])) == [2, None, 0]


def test_terms_are_looked_up_by_surface() -> None:
    index = TermIndex(["New York", "Boston"], lowercase=True)
    assert "  New \t York" in index
    assert "new york" not in index
    with pytest.raises(KeyError):
        index.id("new york")
    with pytest.raises(KeyError):
        index.weight("")


def test_terms_with_a_separator_are_looked_up_by_surface() -> None:
    index = TermIndex(["New_York"], separator="_")
    assert "_New__York" in index
    assert "New York" not in index
    assert index.nested_terms("in New York") == ["New_York"]


def test_terms_with_equal_keys_are_variants_and_none_contains_another() -> None:
    index = TermIndex(["US", "us", "Us"], lowercase=True)
    assert list(index) == ["US", "us", "Us"]
    assert len(index.pairs()) == 0
    for term in index:
        assert index.super_terms(term) == []
        assert index.nested_terms(term) == []


# Normalisation.


def test_a_key_is_made_by_lowercase_then_strip_accents_then_normalize() -> None:
    seen = []

    def spell_out(token: str) -> str:
        seen.append(token)
        return "saint" if token == "st" else token

    index = TermIndex(
        ["ŚT Malo"], lowercase=True, strip_accents=True, normalize=spell_out, threads=1
    )
    assert sorted(seen) == ["malo", "st"]
    assert index.super_terms("Saint") == ["ŚT Malo"]


def test_normalize_is_called_once_per_distinct_token() -> None:
    seen = []

    def note(token: str) -> str:
        seen.append(token)
        return token

    TermIndex(["a b a", "b c", "c a b"], normalize=note)
    assert sorted(seen) == ["a", "b", "c"]


def test_normalize_may_join_tokens_into_variants() -> None:
    index = TermIndex(["runs fast", "run", "running"], normalize=lambda token: token[:3])
    assert index.nested_terms("runner up") == ["run", "running"]
    assert index.super_terms("ran, run, runner") == []
    assert index.super_terms("runner") == ["runs fast"]


def test_a_token_normalised_to_nothing_stays_in_the_surface_and_leaves_the_key() -> None:
    index = TermIndex(
        ["bank of england", "bank england", "england", "of"],
        normalize=lambda token: "" if token == "of" else token,
    )
    assert list(index) == ["bank of england", "bank england", "england"]
    assert index.stats().skipped == 1
    assert index.super_terms("bank of england") == []
    assert index.super_terms("of england") == ["bank of england", "bank england"]
    [row, _] = index.super_terms_batch(["england"]).to_pylist()
    assert (row["start"], row["length"]) == (1, 2)


def test_a_span_of_text_reaches_over_a_token_normalised_to_nothing() -> None:
    index = TermIndex(["bank england"], normalize=lambda token: "" if token == "of" else token)
    [match] = index.find("the of bank of of england of")
    assert (match.start, match.end) == (7, 25)


def test_an_unfinished_token_is_not_given_to_normalize() -> None:
    def stem(token: str) -> str:
        return {"running": "run", "runn": "never"}.get(token, token)

    index = TermIndex(["running shoes", "runner"], normalize=stem)
    assert index.complete("ru") == ["running shoes", "runner"]
    assert index.complete("runn") == ["runner"]
    assert index.complete("running") == []
    assert index.complete("running ") == ["running shoes"]
    assert index.complete("running sh") == ["running shoes"]


def test_normalize_is_given_again_on_open(tmp_path: Path) -> None:
    TermIndex(["runs fast", "run"], normalize=lambda token: token[:3]).save(tmp_path / "a.nest")
    index = TermIndex.open(tmp_path / "a.nest", normalize=lambda token: token[:3])
    assert index.super_terms("runner") == ["runs fast"]


def test_a_separator_cannot_be_combined_with_another_tokenizer() -> None:
    with pytest.raises(TermnestError):
        TermIndex(["a"], separator="_", tokenizer="chars")
    with pytest.raises(TermnestError):
        TermIndex(["a"], separator="_", tokenizer="words")


def test_an_empty_separator_is_an_error() -> None:
    with pytest.raises(TermnestError):
        TermIndex(["a"], separator="")


# Rows and counts.


def test_a_super_row_has_the_first_occurrence_that_fits_and_the_length_of_the_answer() -> None:
    index = TermIndex(["x y x x y"], weights=[7])
    starts: dict[Where, int] = {"anywhere": 0, "start": 0, "end": 3}
    for where, start in starts.items():
        [row] = index.super_terms_batch(["x y"], where=where).to_pylist()
        assert row["start"] == start
    assert index.super_terms_batch(["z", "x"], where="inside").to_pylist() == [
        {"query": 1, "id": 0, "term": "x y x x y", "weight": 7, "start": 2, "length": 5}
    ]


def test_a_nested_row_has_the_position_of_the_answer_in_the_query() -> None:
    index = TermIndex(["x", "x y"])
    rows = index.nested_terms_batch(["y x x y", "x"], where="inside").to_pylist()
    assert rows == [{"query": 0, "id": 0, "term": "x", "weight": 1, "start": 1, "length": 1}]
    rows = index.nested_terms_batch(["y x x y"], where="end").to_pylist()
    assert rows == [{"query": 0, "id": 1, "term": "x y", "weight": 1, "start": 2, "length": 2}]


def test_limit_and_offset_count_for_each_query_of_a_batch() -> None:
    index = TermIndex(["a b", "a c", "b a", "c b"])
    rows = index.super_terms_batch(["a", "z", "b", "a"], limit=1, offset=1).to_pylist()
    assert [(row["query"], row["term"]) for row in rows] == [(0, "a c"), (2, "b a"), (3, "a c")]


def test_counts_are_of_the_answer_with_the_same_options() -> None:
    index = TermIndex(["a", "a b", "c a", "c a b", "a b c d"])
    assert index.count_super_terms("a") == 4
    assert index.count_super_terms("a", where="start") == 2
    assert index.count_super_terms("a", direct=True) == 2
    assert index.count_super_terms("a", max_extra=1) == 2
    assert index.count_super_terms("a", limit=3) == 3
    assert index.count_super_terms("a", limit=3, offset=2) == 2
    assert index.count_nested_terms("c a b") == 3
    assert index.count_nested_terms("c a b", where="end", direct=True) == 1


def test_the_same_vocabulary_gives_the_same_answers_in_any_order_of_questions() -> None:
    terms = ["a b", "a", "b a", "a b a"]
    first, second = TermIndex(terms), TermIndex(terms)
    asked = [(term, first.super_terms(term)) for term in terms]
    assert [(term, second.super_terms(term)) for term in reversed(terms)] == asked[::-1]


# Limits.


@pytest.mark.parametrize(("tokenizer", "joint"), [("whitespace", " "), ("chars", "")])
def test_a_term_has_at_most_4096_tokens(tokenizer: Tokenizer, joint: str) -> None:
    longest = joint.join(["a"] * 4_096)
    index = TermIndex([longest, "a"], tokenizer=tokenizer)
    assert index.super_terms("a") == [longest]
    assert index.nested_terms(longest) == ["a"]
    with pytest.raises(TermnestError, match=r"4,?096") as caught:
        TermIndex(["a", longest + joint + "a"], tokenizer=tokenizer)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("letter", ["a", "é", "👩"])
def test_a_term_has_at_most_65535_bytes(letter: str) -> None:
    number = 65_535 // len(letter.encode())
    longest = letter * number
    assert TermIndex([longest], tokenizer="whitespace")[0] == longest
    with pytest.raises(TermnestError, match=r"65,?535") as caught:
        TermIndex([longest + letter], tokenizer="whitespace")
    assert isinstance(caught.value, ValueError)


def test_a_query_has_no_limit() -> None:
    index = TermIndex(["a", "b a", "a b", "b a b"])
    phrase = "a " * 10_000 + "b"
    assert index.nested_terms(phrase) == ["a", "a b"]
    assert index.nested_terms(phrase, where="end") == ["a b"]
    assert index.super_terms(phrase) == []
    assert index.super_terms("a" * 100_000) == []
    assert index.complete(phrase) == []
    assert "a" * 100_000 not in index


def test_a_text_has_no_limit() -> None:
    index = TermIndex(["a b", "b"])
    found = index.find("a " * 100_000 + "b")
    assert [(match.term, match.start, match.end) for match in found] == [
        ("a b", 199_998, 200_001),
        ("b", 200_000, 200_001),
    ]
