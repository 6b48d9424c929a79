"""The page on which a list of terms is reviewed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from serving.page.reader import Reader
from serving.process import Process, wait_until_healthy

TEXT = (
    "A wind turbine has a rotor, and the rotor of the wind turbine has a blade. Wind turbines with "
    "a rotor and a blade. <b>Rotor</b> blade of the rotor. The windmill, the windmill. A turbine, "
    "the turbine, and a turbine."
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "wind"
    path.mkdir()
    (path / "text.txt").write_text(TEXT)
    return path


@pytest.fixture
def url(folder: Path) -> Iterator[str]:
    command = ["-m", "termnest", "review", str(folder), "--language", "en", "--reference", "none"]
    server = Process([*command, "--port", "0"], "reviewing")
    wait_until_healthy(server)
    yield f"{server.url}review"
    assert server.end() == 0


def row(page: Page, term: str) -> Locator:
    name = page.get_by_text(term, exact=True)
    return page.locator("#terms tr[data-status]").filter(has=name)


def decisions(folder: Path) -> list[dict[str, str]]:
    path = folder.with_name("wind.review.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_list_is_reviewed_with_the_keyboard_and_decisions_stay(
    reader: Reader, url: str, folder: Path
) -> None:
    page = reader.open(url)
    rows = page.locator("#terms tr[data-status]")
    expect(rows.first).to_be_visible()
    terms = rows.locator(".term").all_inner_texts()
    assert {"rotor", "wind turbine", "windmill"} <= set(terms)
    page.keyboard.press("a")
    expect(rows.nth(0)).to_have_attribute("data-status", "accepted")
    expect(rows.nth(1)).to_have_attribute("aria-current", "true")
    page.keyboard.press("r")
    expect(rows.nth(1)).to_have_attribute("data-status", "rejected")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("u")
    expect(rows.nth(1)).to_have_attribute("data-status", "open")
    expect(page.locator("#count")).to_contain_text("1 accepted, 0 rejected")
    assert decisions(folder) == [
        {"term": terms[0], "status": "accepted"},
        {"term": terms[1], "status": "rejected"},
        {"term": terms[1], "status": "open"},
    ]
    page.reload()
    expect(rows.nth(0)).to_have_attribute("data-status", "accepted")


def test_a_term_is_merged_with_another_and_downloaded(
    reader: Reader, url: str, folder: Path
) -> None:
    page = reader.open(url)
    row(page, "windmill").get_by_role("button", name="Merge: windmill").click()
    page.get_by_label("With which term?").fill("wind turbine")
    page.get_by_role("dialog").get_by_role("button", name="Merge").click()
    expect(row(page, "windmill")).to_contain_text("merged with wind turbine")
    row(page, "wind turbine").get_by_role("button", name="Accept: wind turbine").click()
    expect(row(page, "wind turbine")).to_have_attribute("data-status", "accepted")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    content = Path(download.value.path()).read_text(encoding="utf-8-sig")
    assert content.splitlines()[1].startswith("wind turbine,3.0,")
    assert content.splitlines()[1].endswith(",wind turbines | windmill")


def test_contexts_the_filter_the_letters_and_the_tree(reader: Reader, url: str) -> None:
    page = reader.open(url)
    rows = page.locator("#terms tr[data-status]")
    expect(rows.first).to_be_visible()
    everything = rows.count()
    page.get_by_label("Filter").fill("WIND T")
    expect(rows).to_have_count(1)
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(page.locator(".contexts li")).to_have_count(3)
    expect(page.locator(".contexts mark").first).to_have_text("wind turbine")
    page.keyboard.press("Enter")
    expect(page.locator(".contexts li")).to_have_count(0)
    page.get_by_label("Filter").fill("")
    expect(rows).to_have_count(everything)
    page.get_by_role("navigation", name="A to Z").get_by_role("button", name="R").click()
    expect(rows.locator(".term").first).to_have_text("rotor")
    page.get_by_label("View").select_option("tree")
    expect(page.locator(".branch summary").first).to_be_visible()
    page.locator(".branch summary").first.click()
    expect(page.locator(".branch .branch li").first).to_be_visible()


def test_a_narrow_screen_shows_the_frequencies_and_nothing_is_cut_off(
    reader: Reader, url: str
) -> None:
    page = reader.open(url, width=375, height=700)
    first = page.locator("#terms tr[data-status]").first
    expect(first.locator(".number").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


def test_sorting_is_reported_to_screen_readers(reader: Reader, url: str) -> None:
    page = reader.open(url)
    header = page.get_by_role("columnheader", name="Term")
    expect(header).to_have_attribute("aria-sort", "none")
    header.get_by_role("button").click()
    expect(header).to_have_attribute("aria-sort", "ascending")
    terms = page.locator("#terms .term").all_inner_texts()
    assert terms == sorted(terms, key=str.casefold)
