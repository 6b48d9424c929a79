"""The start page, other vocabularies, colours, screen sizes, and addresses below a prefix."""

import re
import urllib.parse
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from serving.page.reader import (
    Reader,
    Serve,
    Served,
    address,
    heading,
    parts_of,
    rows_of,
    search_box,
)
from serving.process import Process
from termnest import TermIndex


def test_the_start_page_shows_the_size_of_the_vocabulary(reader: Reader, medical: Served) -> None:
    page = reader.open(medical.url)
    expect(page.locator("p.facts")).to_have_text("17 terms · 16 distinct words")
    stats = medical.index.stats()
    assert (stats.terms, stats.distinct_tokens) == (17, 16)


def brightness(page: Page) -> float:
    colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(map(float, re.findall(r"[\d.]+", colour)[:3])) / 3


def test_colours_follow_the_system_until_the_reader_chooses(
    reader: Reader, medical: Served
) -> None:
    assert brightness(reader.open(address(medical, "cell"))) > 200
    page = reader.open(address(medical, "cell"), color_scheme="dark")
    assert brightness(page) < 60
    switch = page.get_by_role("button", name="Dark mode")
    expect(switch).to_have_attribute("aria-pressed", "true")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "false")
    assert brightness(page) > 200
    page.reload()
    assert brightness(page) > 200


@pytest.mark.parametrize("view", ["list", "tree", "graph"])
def test_no_view_is_wider_than_the_screen(reader: Reader, medical: Served, view: str) -> None:
    phrase = "metastatic basal cell carcinoma of the lung in situ and beyond"
    page = reader.open(medical.url, width=360, height=740)
    for term in ("carcinoma", phrase):
        page.goto(address(medical, term, view=view))
        expect(page.locator("main")).to_have_attribute("aria-busy", "false")
        for width in (360, 768, 1280):
            page.set_viewport_size({"width": width, "height": 740})
            expect(heading(page)).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            expect(search_box(page)).to_be_in_viewport(ratio=1)


def test_the_start_page_fits_a_small_screen(reader: Reader, hostile: Served) -> None:
    page = reader.open(hostile.url, width=360, height=640)
    expect(page.get_by_role("heading")).to_be_visible()
    search_box(page).press_sequentially("<im")
    expect(page.get_by_role("listbox")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_examples_of_the_start_page_are_terms(reader: Reader, serve: Serve) -> None:
    terms = ["company", "company law", "new company law", "law", "store", "store room"]
    served = serve(TermIndex(terms))
    page = reader.open(served.url)
    example = page.get_by_role("list", name="Examples").get_by_role("link", name="law", exact=True)
    example.click()
    expect(heading(page)).to_have_text("law")
    assert rows_of(page) == served.index.super_terms("law")


def test_separators_and_characters_are_shown_as_in_the_vocabulary(
    reader: Reader, serve: Serve
) -> None:
    served = serve(TermIndex(["New_York", "New_York_City", "York"], separator="_"))
    page = reader.open(address(served, "New_York"))
    expect(heading(page)).to_have_text("New_York")
    assert parts_of(page.locator(".rows li")) == ("", "New_York", "_City")
    page.goto(address(served, "New_York", view="tree"))
    page.get_by_role("tree", name="Words after").locator(".label").click()
    expect(page.locator(".caption a")).to_have_text("New_York_City")
    served = serve(TermIndex(["東京", "東京都", "都"], tokenizer="chars"))
    page = reader.open(address(served, "東京都"))
    expect(heading(page)).to_have_text("東京都")
    expect(page.locator(".bars li")).to_have_text(["都", "東京"])
    page.goto(address(served, "東京"))
    assert parts_of(page.locator(".rows li")) == ("", "東京", "都")


def test_the_page_works_below_a_prefix(reader: Reader, tmp_path: Path) -> None:
    program = """
import uvicorn
from fastapi import FastAPI
from termnest import TermIndex
from termnest.server import create_app

outer = FastAPI()
outer.mount("/terms", create_app(TermIndex(["cell", "basal cell"])))
uvicorn.run(outer, port=0)
"""
    (tmp_path / "outer.py").write_text(program)
    server = Process([str(tmp_path / "outer.py")], "running on")
    try:
        page = reader.open(f"{server.url}terms/?q=cell")
        assert rows_of(page) == ["basal cell"]
        page.locator(".rows a").click()
        expect(heading(page)).to_have_text("basal cell")
        assert urllib.parse.urlsplit(page.url).path == "/terms/"
        page.get_by_role("link", name="termnest, home page").click()
        expect(page.get_by_role("heading", name="Which terms contain a phrase")).to_be_visible()
        assert urllib.parse.urlsplit(page.url).path == "/terms/"
        page.close()
    finally:
        server.end()
