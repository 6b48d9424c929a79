"""Terms are text in every view, whatever they contain, and in scripts of either direction."""

import pytest
from playwright.sync_api import expect

from serving.page.reader import (
    HOSTILE,
    Reader,
    Served,
    address,
    heading,
    parts_of,
    rows_of,
    search_box,
)


@pytest.mark.parametrize("view", ["list", "tree", "graph"])
def test_terms_are_text_in_every_view(reader: Reader, hostile: Served, view: str) -> None:
    page = reader.open(hostile.url)
    for term in HOSTILE if view == "list" else HOSTILE[::2]:
        page.goto(address(hostile, term, view=view))
        expect(page.locator("main")).to_have_attribute("aria-busy", "false")
        assert (heading(page).text_content() or "").split() == term.split()
        assert page.locator("main img, main script").count() == 0
        if view == "list" and (expected := hostile.index.super_terms(term)):
            assert rows_of(page) == expected
            marks = page.locator(".rows mark").all_text_contents()
            # The punctuation around a term is not marked.
            assert len(marks) == len(expected)
            assert all(mark and mark in term for mark in marks)
            for row in page.locator(".rows li").all():
                label = row.locator("a").get_attribute("aria-label")
                assert "".join(parts_of(row)).replace(" ", "") == (label or "").replace(" ", "")


def test_hostile_completions_are_text(reader: Reader, hostile: Served) -> None:
    page = reader.open(hostile.url)
    box = search_box(page)
    for typed in ("<", '"', "ס", "\U0001d518", "cafe\u0301", "</script>"):
        box.fill(typed)
        expect(page.get_by_role("option").locator(".term")).to_have_text(
            hostile.index.complete(typed)
        )
    assert page.locator("form img, form script").count() == 0


def test_words_before_the_phrase_are_on_the_right_in_right_to_left_scripts(
    reader: Reader, hostile: Served
) -> None:
    page = reader.open(address(hostile, "סרטן העור"))
    row = page.locator(".rows li")
    assert parts_of(row) == ("טיפול", "סרטן העור", "המתקדם")
    places = [
        row.locator(name).evaluate("part => part.getBoundingClientRect().left")
        for name in (".before bdi", "mark", ".after bdi")
    ]
    assert places == sorted(places, reverse=True)
    page.goto(address(hostile, "סרטן העור", view="tree"))
    phrase = page.locator(".wordtree .phrase rect").bounding_box()
    before = page.get_by_role("tree", name="Words before").locator("text").bounding_box()
    assert phrase is not None
    assert before is not None
    assert before["x"] >= phrase["x"] + phrase["width"]
