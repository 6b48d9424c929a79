"""What a prompt and a notebook show: tables, matches and the neighbourhood of a phrase."""

import html
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termnest import InvalidOptionError, TermIndex, TermTypeError
from termnest.display import width_of

LONG = "term " * 40
COUNTS = {"cell": 9, "basal cell": 12345678.0, "basal cell layer": 5.123456789}
INDEX = TermIndex(
    COUNTS, columns={"label": ["bio <b>", None, "x" * 200], "n": [1, 2, 3]}, fold=True
)


class Parsed(HTMLParser):
    """The tags that are open, and the text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.tags: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


cells = st.text(max_size=100) | st.sampled_from(
    [LONG, "東京" * 50, "e\u0301" * 90, "a\tb\nc\x1b[1m"]
)


@given(st.lists(cells, min_size=1, max_size=12), st.integers(1, 9), st.integers(20, 100))
def test_no_line_of_a_table_runs_off_the_page(texts: list[str], columns: int, width: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        index = TermIndex(
            [f"t{i}" for i in range(len(texts))],
            columns={f"column {i}": texts for i in range(columns)},
        )
        own = [f"column {i}" for i in range(columns)]
        for shown in (repr(index.scores(terms=True, columns=own)), str(index.show("t0"))):
            for line in shown.splitlines():
                assert width_of(line) <= width, line
                assert line.isprintable()


def test_a_table_shows_terms_and_short_numbers() -> None:
    shown = repr(INDEX.pairs())
    assert shown.splitlines() == [
        "<termnest.Table of 3 rows>",
        "nested        super               start",
        "0 cell        1 basal cell            1",
        "0 cell        2 basal cell layer      1",
        "1 basal cell  2 basal cell layer      0",
    ]
    weights = repr(TermIndex(COUNTS).super_terms_batch(["cell"]))
    assert "12345678 " in weights
    assert "5.12346 " in weights
    assert "2 basal cell layer" in repr(INDEX.taxonomy())
    assert INDEX.pairs()._repr_html_().count("1 basal cell") == 2
    assert INDEX.pairs()[0] == {"nested": 0, "super": 1, "start": 1}


def test_a_table_shows_ten_rows_and_the_number_of_others() -> None:
    table = TermIndex([f"a{i}" for i in range(25)]).scores(terms=True)
    lines = repr(table).splitlines()
    assert len(lines) == 13
    assert lines[-1] == "… 15 more rows"
    assert repr(TermIndex([]).pairs()).splitlines()[0] == "<termnest.Table of 0 rows>"


@given(st.lists(st.sampled_from(["cell", "basal", "layer", "<i>", "&", "x"]), max_size=30))
def test_a_notebook_shows_the_text_with_its_marks(words: list[str]) -> None:
    text = " ".join(words)
    found = INDEX.find(text)
    page = found._repr_html_()
    parsed = Parsed(page)
    assert parsed.open == []
    assert parsed.tags <= {"p", "mark", "table", "thead", "tbody", "tr", "th", "td"}
    marked = page.split("</p>")[0]
    assert html.unescape(re.sub(r"</?(mark|p)[^>]*>", "", marked)) == text
    inside = [html.unescape(m) for m in re.findall(r"<mark[^>]*>(.*?)</mark>", marked)]
    spans: list[tuple[int, int]] = []
    for match in found:
        if spans and match.start < spans[-1][1]:
            spans[-1] = spans[-1][0], max(spans[-1][1], match.end)
        else:
            spans.append((match.start, match.end))
    assert inside == [text[start:end] for start, end in spans]


def test_a_notebook_shows_the_beginning_of_a_long_text() -> None:
    page = INDEX.find("cell " * 100_000)._repr_html_()
    assert len(page) < 60_000
    assert page.split("</p>")[0].endswith("…")


def test_show_has_the_neighbourhood_of_a_phrase() -> None:
    near = INDEX.show("Basal Cell", limit=1)
    assert (near.id, near.term, near.weight) == (1, "basal cell", 12345678.0)
    assert near.columns == {"label": None, "n": 2}
    assert (near.nested_terms, near.nested_count) == (["cell"], 1)
    assert (near.super_terms, near.super_count) == (["basal cell layer"], 1)
    assert near.completions == ["basal cell layer"]
    lines = str(near).splitlines()
    assert lines[0] == "Basal Cell"
    assert "  term          basal cell" in lines
    assert "  weight        12345678" in lines
    assert "  is in         basal cell layer" in lines
    assert repr(near) == str(near)
    many = TermIndex(["york", *(f"york {i}" for i in range(30))]).show("york", limit=3)
    assert "… 27 more" in str(many)
    assert (len(many.super_terms), many.super_count) == (3, 30)


def test_show_of_a_phrase_that_is_no_term() -> None:
    near = INDEX.show("cell layer")
    assert (near.id, near.term, near.weight) == (None, None, None)
    assert "not in the vocabulary" in str(near)
    assert near.super_terms == ["basal cell layer"]
    assert INDEX.show("").super_terms == []


def test_show_in_a_notebook_escapes_every_text() -> None:
    index = TermIndex(["<b>", "<b> x"], columns={"<i>": ["&", "<u>"]}, tokenizer="whitespace")
    parsed = Parsed(index.show("<b>")._repr_html_())
    assert parsed.open == []
    assert parsed.tags <= {"table", "caption", "tr", "th", "td", "br"}
    assert "<b> x" in parsed.text
    assert "<i>" in parsed.text


def test_a_wrong_argument_of_show_is_named() -> None:
    wrong: Any = 5
    with pytest.raises(TermTypeError, match="phrase"):
        INDEX.show(wrong)
    with pytest.raises(InvalidOptionError, match="limit"):
        INDEX.show("cell", limit=-1)
