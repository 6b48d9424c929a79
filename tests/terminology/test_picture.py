"""The picture of the direct neighbours of a term."""

from __future__ import annotations

import re
from typing import Any

import pytest
from graph_files import HOSTILE, LABELS, edges_of
from hypothesis import given, settings
from hypothesis import strategies as st
from svg_picture import SVG, picture

from oracle import Oracle
from termnest import TermIndex
from termnest.terminology import neighbourhood_svg
from termnest.terminology.neighbourhood import neighbourhood

words = st.lists(st.sampled_from(["p", "q", "r"]), min_size=1, max_size=5).map(" ".join)

options = st.sampled_from([{}, {"lowercase": True}, {"tokenizer": "chars"}])

CARCINOMAS = {
    "carcinoma": 90,
    "cell": 100,
    "cell carcinoma": 50,
    "basal cell carcinoma": 40,
    "cell carcinoma line": 30,
    "giant cell carcinoma": 10,
}


def test_a_picture_shows_the_direct_neighbours_and_marks_the_term_in_them() -> None:
    index = TermIndex(CARCINOMAS)
    shown = picture(index, "cell carcinoma")
    # Heads and kinds first, each heaviest first.
    assert [(drawn.text, drawn.bold, drawn.is_broader) for drawn in shown.drawn] == [
        ("carcinoma", [], True),
        ("cell", [], False),
        ("basal cell carcinoma", ["cell carcinoma"], True),
        ("giant cell carcinoma", ["cell carcinoma"], True),
        ("cell carcinoma line", ["cell carcinoma"], False),
    ]
    assert (shown.solid, shown.dashed) == (3, 2)
    assert {"cell carcinoma", "weight 50", "nested terms", "super terms"} <= set(shown.texts)
    assert "not in the vocabulary" not in shown.texts
    assert shown.drawn[2].title == (
        "basal cell carcinoma\n"
        "“basal cell carcinoma” is a kind of “cell carcinoma”, its head\nweight 40"
    )
    assert shown.drawn[1].title.splitlines()[1] == "“cell carcinoma” contains “cell”"


def test_bars_are_proportional_to_weights() -> None:
    index = TermIndex(CARCINOMAS)
    (head, _), (nested, _), *supers = picture(index, "cell carcinoma").bars
    assert head / nested == pytest.approx(0.9, abs=0.01)
    assert [length / supers[0][0] for length, _ in supers] == pytest.approx(
        [1, 0.25, 0.75], abs=0.01
    )
    unweighted = picture(TermIndex(list(CARCINOMAS)), "cell carcinoma")
    assert unweighted.bars == []
    assert not any("weight" in text for text in unweighted.texts)


def test_the_neighbours_that_are_left_out_are_counted() -> None:
    index = TermIndex(CARCINOMAS)
    shown = picture(index, "cell carcinoma", limit=1)
    assert [drawn.text for drawn in shown.drawn] == ["carcinoma", "basal cell carcinoma"]
    assert [text for text in shown.texts if "more" in text] == ["… 1 more", "… 2 more"]
    assert picture(index, "cell carcinoma", limit=0).drawn == []
    assert not any("more" in text for text in picture(index, "cell carcinoma").texts)


def test_a_phrase_outside_of_the_vocabulary_has_a_picture_too() -> None:
    shown = picture(TermIndex(["basal cell carcinoma", "cell"]), " cell carcinoma ")
    assert shown.marks() == {"cell": [], "basal cell carcinoma": ["cell carcinoma"]}
    assert {"cell carcinoma", "not in the vocabulary"} <= set(shown.texts)


@pytest.mark.parametrize("phrase", ["nothing", "", "  "])
def test_a_phrase_without_neighbours_has_a_picture(phrase: str) -> None:
    for index in (TermIndex(["a", "b a"]), TermIndex([]), TermIndex(["a"], weights=[1])):
        shown = picture(index, phrase)
        assert shown.drawn == []
        assert (shown.solid, shown.dashed) == (0, 0)
        assert {"it contains no term", "no term contains it"} <= set(shown.texts)


def test_a_kind_of_the_term_is_marked_at_its_end_and_other_terms_at_the_first_place() -> None:
    svg = neighbourhood_svg(TermIndex(["x", "x y x", "y x z x z"]), "x")
    assert ">x y <tspan font-weight='bold'>x</tspan></text>" in svg
    assert ">y <tspan font-weight='bold'>x</tspan> z x z</text>" in svg


def test_the_first_variant_of_a_head_is_the_broader_term() -> None:
    index = TermIndex(["US", "us", "big us"], weights=[1, 5, 1], lowercase=True)
    drawn = picture(index, "big us").drawn
    assert [(one.text, one.is_broader) for one in drawn] == [("US", True), ("us", False)]


@settings(max_examples=60, deadline=None)
@given(st.lists(words, min_size=1, max_size=12), options)
def test_a_picture_has_the_edges_of_the_files(terms: list[str], options: dict[str, Any]) -> None:
    index, oracle = TermIndex(terms, **options), Oracle(terms, **options)
    broader, contains = edges_of(oracle)
    for id, term in enumerate(oracle.surfaces):
        around = neighbourhood(index, term, 99)
        nested, supers = around.nested.shown, around.supers.shown
        for edges, is_broader in [(broader, True), (contains, False)]:
            shown = {(id, one.id) for one in nested if one.is_broader == is_broader}
            shown |= {(one.id, id) for one in supers if one.is_broader == is_broader}
            assert shown == {edge for edge in edges if id in edge}


def first_letter(token: str) -> str:
    return token[0]


@pytest.mark.parametrize(
    ("terms", "options", "phrase", "marks"),
    [
        (["New York City"], {"lowercase": True}, "new YORK", {"New York City": ["New York"]}),
        (["Café noir"], {"strip_accents": True}, "Cafe", {"Café noir": ["Café"]}),
        (["New_York_City"], {"separator": "_"}, "New York", {"New_York_City": ["New_York"]}),
        (["New_York_City"], {"separator": "_"}, "New_York", {"New_York_City": ["New_York"]}),
        (["b a_a", "c"], {"separator": "_"}, "a", {"b a_a": ["a"]}),
        (["a\nb_c"], {"separator": "_"}, "a\nb", {"a␊b_c": ["a␊b"]}),
        (["New York, N.Y."], {"tokenizer": "words"}, "york", {}),
        (
            ["New (York), City"],
            {"tokenizer": "words"},
            "York City",
            {"New (York), City": ["York), City"]},
        ),
        (["東京大学"], {"tokenizer": "chars"}, "京大", {"東京大学": ["京大"]}),
        (["fine cats"], {"normalize": first_letter}, "cat", {"fine cats": ["cats"]}),
        (["שלום עולם"], {}, "עולם", {"שלום עולם": ["עולם"]}),
    ],
)
def test_marks_follow_the_matching_rules_of_the_index(
    terms: list[str], options: dict[str, Any], phrase: str, marks: dict[str, list[str]]
) -> None:
    assert picture(TermIndex(terms, **options), phrase).marks() == marks


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(words, st.integers(0, 3)), max_size=12), words, options)
def test_the_neighbours_are_those_of_the_definition(
    entries: list[tuple[str, int]], phrase: str, options: dict[str, Any]
) -> None:
    terms = [term for term, _ in entries]
    weights = [float(weight) for _, weight in entries]
    index = TermIndex(terms, weights=weights, **options)
    oracle = Oracle(terms, weights=weights, **options)
    everything = neighbourhood(index, phrase, 100)
    kinds = {row.id for row in oracle.super_rows(phrase, where="end", direct=True)}
    direct = {row.id for row in oracle.super_rows(phrase, direct=True)}
    assert {one.id: one.is_broader for one in everything.supers.shown} == {
        id: id in kinds for id in kinds | direct
    }
    # Several are heads if they are matched alike; the first of these is that of the taxonomy.
    heads = {row.id for row in oracle.nested_rows(phrase, where="end", direct=True)}
    nested = {row.id for row in oracle.nested_rows(phrase, direct=True)} | heads
    assert {one.id: one.is_broader for one in everything.nested.shown} == {
        id: id in heads for id in nested
    }
    if phrase in oracle.surfaces:
        head = oracle.heads()[oracle.surfaces.index(phrase)]
        assert min(heads, default=None) == head
    few = neighbourhood(index, phrase, 2)
    for some, all_ in ((few.nested, everything.nested), (few.supers, everything.supers)):
        assert len(some.shown) == min(2, len(all_.shown))
        assert len(some.shown) + some.left_out == len(all_.shown)
        assert all_.left_out == 0
    heaviest = sorted(everything.supers.shown, key=lambda one: (-one.weight, one.id))[:2]
    assert {one.id for one in few.supers.shown} == {one.id for one in heaviest}


@pytest.mark.parametrize("term", HOSTILE)
def test_any_term_is_drawn_as_text(term: str) -> None:
    index = TermIndex([term, f"x_{term}", "y"], separator="_")
    for phrase in (term, "x", f"x_{term}"):
        shown = picture(index, phrase)
        assert {element.tag.removeprefix(SVG) for element in shown.root.iter()} <= {
            *("svg", "title", "style", "rect", "g", "path", "text", "tspan")
        }
        attributes = {name for element in shown.root.iter() for name in element.attrib}
        assert not any(name.startswith("on") or name.endswith("href") for name in attributes)
    # On hover the term is read as it is.
    expected = LABELS[".graphml"](term)
    assert shown.drawn[0].title.startswith(expected)


@pytest.mark.parametrize(
    "term", ["long " * 500 + "x", "x" + " long" * 500, "long " * 200 + "x" + " long" * 200]
)
def test_a_long_term_is_cut_around_its_mark(term: str) -> None:
    (drawn,) = picture(TermIndex([term]), "x").drawn
    assert drawn.bold == ["x"]
    assert len(drawn.text) < 100
    assert drawn.text.startswith("…") == term.startswith("long")
    assert drawn.text.endswith("…") == term.endswith("long")
    assert drawn.text.strip("…") in term
    assert drawn.title.splitlines()[0] == term


def test_every_box_is_inside_of_the_picture() -> None:
    terms = ["x", *(f"{letter * count} x" for letter in "iW東é👩" for count in (1, 20, 3_000))]
    weights = [10.0**at for at in range(len(terms))]
    for index in (TermIndex(terms), TermIndex(terms, weights=weights)):
        for phrase in ("x", terms[-1], terms[6]):
            shown = picture(index, phrase, limit=100)
            for left, top, right, bottom in shown.boxes()[1:]:
                assert 0 <= left <= right <= shown.width
                assert 0 <= top <= bottom <= shown.height


def test_boxes_are_wide_enough_for_their_terms_in_any_font() -> None:
    def box(text: str) -> float:
        index = TermIndex(["x", f"{text} x"])
        return max(right - left for left, _, right, _ in picture(index, "x").boxes()[2:])

    # Ideographs are one em wide, and so is a W of a wide font; an accent takes no room.
    assert box("東" * 12) > 14 * 12
    assert box("W" * 12) > 14 * 12
    assert box("a" * 12) > 14 * 12 / 2
    assert box("e\u0301" * 12) == box("e" * 12)


def test_a_picture_needs_no_other_file_and_follows_the_colour_scheme() -> None:
    svg = neighbourhood_svg(TermIndex(CARCINOMAS), "cell")
    assert "prefers-color-scheme:dark" in svg
    without_names = svg.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"http|url\(|@import|@font-face|<script|href", without_names)
