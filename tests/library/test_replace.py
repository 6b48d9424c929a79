"""Texts with their terms replaced or marked."""

import html
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termnest import InvalidOptionError, TermIndex, TermTypeError

TERMS = ["new york", "york", "New York City", "é", "it"]
INDEX = TermIndex(
    TERMS, columns={"short": ["NY", "Y", "NYC", "e", None], "n": [1, 2, 3, 4, 5]}, fold=True
)


@given(st.lists(st.sampled_from([*TERMS, "YORK", "of", ",", "<b>", " "]), max_size=8).map(" ".join))
def test_each_place_is_replaced_once_and_the_rest_stays(text: str) -> None:
    replaced = INDEX.replace(text, lambda match: f"<{match.id}>")
    matches = INDEX.find(text, overlaps="leftmost")
    expected, end = "", 0
    for match in matches:
        expected += text[end : match.start] + f"<{match.id}>"
        end = match.end
    assert replaced == expected + text[end:]
    marked = INDEX.highlight(text)
    assert html.unescape(re.sub(r"</?mark[^>]*>", "", marked)) == text
    assert marked.count("<mark") == len(matches)
    assert INDEX.highlight(text, format="terminal").count("\x1b[1m") == len(matches)


def test_a_replacement_is_a_column_a_mapping_or_a_function() -> None:
    text = "York, NEW YORK city."
    assert INDEX.replace(text, "short") == "Y, NYC."
    assert INDEX.replace(text, {"york": "a", "New York City": "new york"}) == "a, new york."
    assert INDEX.replace(text, lambda match: str(match.n)) == "2, 3."
    assert INDEX.replace(text, "short", where={"n": 2}) == "Y, NEW Y city."
    assert INDEX.replace("", "short") == ""


def test_capitals_are_kept_if_asked() -> None:
    names = {"new york": "big apple", "york": "eboracum", "it": "x", "é": "ß"}
    text = "New York, NEW YORK, york, É"
    assert INDEX.replace(text, names, case="keep") == "Big apple, BIG APPLE, eboracum, SS"
    assert INDEX.replace(text, names) == "big apple, big apple, eboracum, ß"


def test_terms_with_one_span_are_replaced_by_the_first() -> None:
    index = TermIndex(["Rose", "rose"], columns={"by": ["a", "b"]}, fold=True)
    assert index.replace("rose ROSE", "by") == "a a"


@pytest.mark.parametrize(
    ("by", "error", "said"),
    [
        (
            "short",
            InvalidOptionError,
            "the column 'short'.*no replacement for 'it': add one, or choose other terms",
        ),
        ({}, InvalidOptionError, "the mapping.*no replacement for 'it'"),
        (lambda match: None, InvalidOptionError, "the function.*no replacement for 'it'"),
        ("n", TermTypeError, "the column 'n' has 5 for 'it', and a replacement is a str"),
        ("none", InvalidOptionError, "none"),
        (3, TermTypeError, "the name of a column"),
        ({"it": "\ud800"}, Exception, "by"),
    ],
)
def test_what_is_no_replacement_is_refused(by: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        INDEX.replace("do it", by)


def test_other_ways_are_refused() -> None:
    with pytest.raises(InvalidOptionError, match="case cannot be 'upper'"):
        INDEX.replace("it", "short", case="upper")  # type: ignore[arg-type]
    with pytest.raises(InvalidOptionError, match="format cannot be 'rtf'"):
        INDEX.highlight("it", format="rtf")  # type: ignore[arg-type]


def test_marks_are_escaped() -> None:
    index = TermIndex(['<b>"'], tokenizer="whitespace")
    mark = '<mark title="&lt;b&gt;&quot;">&lt;b&gt;&quot;</mark>'
    assert index.highlight('x & <b>" y') == f"x &amp; {mark} y"
