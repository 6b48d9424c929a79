"""The list of super terms: order, filters, addresses, scrolling."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from serving.page.reader import (
    HUGE,
    RUNNING,
    WEIGHTS,
    Reader,
    Served,
    address,
    heading,
    parts_of,
    rows_of,
    search_box,
)


def ordered(served: Served, phrase: str, sort: str, where: Any, least: int, most: int) -> list[str]:
    """The super terms that the page should show, by the answers of the library."""
    words = phrase.split()

    def cut(term: str) -> tuple[list[str], list[str]]:
        tokens = term.split()
        starts = range(len(tokens) - len(words) + 1)
        start = next(i for i in starts if tokens[i : i + len(words)] == words)
        return tokens[:start][::-1], tokens[start + len(words) :]

    keys: dict[str, Callable[[str], Any]] = {
        "weight": lambda term: -WEIGHTS[term],
        "left": lambda term: cut(term),
        "right": lambda term: cut(term)[::-1],
        "length": lambda term: (len(term.split()), -WEIGHTS[term]),
    }
    found = served.index.super_terms(phrase, where=where)
    return sorted((t for t in found if least <= len(t.split()) <= most), key=keys[sort])


@pytest.mark.parametrize("sort", ["weight", "left", "right", "length"])
@pytest.mark.parametrize("where", ["anywhere", "start", "end", "inside"])
def test_the_address_sorts_and_filters_super_terms(
    reader: Reader, medical: Served, sort: str, where: str
) -> None:
    page = reader.open(address(medical, "carcinoma", sort=sort, where=where, max=4))
    assert rows_of(page) == ordered(medical, "carcinoma", sort, where, 0, 4)


def test_sorting_and_filtering_make_an_address_to_share(reader: Reader, medical: Served) -> None:
    page = reader.open(address(medical, "cell"))
    page.get_by_role("link", name="Left", exact=True).click()
    expect(page.get_by_role("link", name="Left", exact=True)).to_have_attribute(
        "aria-current", "true"
    )
    expect(page.get_by_role("link", name="Left", exact=True)).to_be_focused()
    page.get_by_label("Phrase occurs").select_option("inside")
    expect(page.locator(".total")).to_contain_text("5 of 9")
    page.get_by_label("Minimum of words").fill("4")
    page.get_by_label("Minimum of words").press("Enter")
    expected = ordered(medical, "cell", "left", "inside", 4, 99)
    expect(page.locator(".total")).to_have_text(
        f"{len(expected)} of {medical.index.count_super_terms('cell')} super terms"
    )
    assert rows_of(page) == expected
    other = reader.open(page.url)
    assert rows_of(other) == expected
    expect(other.get_by_label("Phrase occurs")).to_have_value("inside")
    expect(other.get_by_label("Minimum of words")).to_have_value("4")
    other.get_by_label("Minimum of words").fill("40")
    other.get_by_label("Minimum of words").press("Enter")
    other.get_by_role("link", name="Show all").click()
    assert rows_of(other) == ordered(medical, "cell", "left", "anywhere", 0, 99)


def test_rows_are_aligned_on_the_phrase(reader: Reader, medical: Served) -> None:
    page = reader.open(address(medical, "cell carcinoma"))
    rows = page.locator(".rows li")
    expect(rows).to_have_count(5)
    for row in rows.all():
        before, mark, after = parts_of(row)
        term = row.locator("a").get_attribute("aria-label")
        assert mark == "cell carcinoma"
        assert " ".join(filter(None, [before, mark, after])) == term
    edges = page.evaluate("""
        () => [...document.querySelectorAll('.rows li')].map(row => {
            const box = name => row.querySelector(name).getBoundingClientRect();
            return [box('.before bdi').right, box('mark').left, box('mark').right,
                    box('.after').left];
        })""")
    starts = {round(start) for _, start, _, _ in edges}
    assert len(starts) == 1
    assert all(before <= start < end <= after + 1 for before, start, end, after in edges)


def test_back_and_forward_go_through_the_views(reader: Reader, medical: Served) -> None:
    page = reader.open(medical.url)
    box = search_box(page)
    box.press_sequentially("cell")
    box.press("Enter")
    expect(heading(page)).to_have_text("cell")
    page.locator(".rows a").filter(has_text="basal").first.click()
    expect(heading(page)).to_have_text("basal cell")
    page.get_by_role("link", name="Right", exact=True).click()
    page.get_by_role("link", name="Word tree").click()
    expect(page.locator(".wordtree")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("link", name="Right", exact=True)).to_have_attribute(
        "aria-current", "true"
    )
    page.go_back()
    page.go_back()
    expect(heading(page)).to_have_text("cell")
    expect(box).to_have_value("cell")
    page.go_back()
    expect(page.get_by_role("heading", name="Which terms contain a phrase")).to_be_visible()
    expect(box).to_have_value("")
    for _ in range(4):
        page.go_forward()
    expect(page.locator(".wordtree")).to_be_visible()
    expect(heading(page)).to_have_text("basal cell")
    assert page.title() == "basal cell · termnest"


def scroll_to(page: Page, row: int) -> None:
    page.evaluate(
        """row => {
            const list = document.querySelector('.rows');
            const height = parseFloat(getComputedStyle(list).getPropertyValue('--row'));
            scrollTo(0, list.getBoundingClientRect().top + scrollY + row * height - 200);
        }""",
        row,
    )


def test_a_huge_answer_scrolls_with_few_elements(reader: Reader, huge: Served) -> None:
    page = reader.open(address(huge, "cell"))
    expect(page.locator("ul.facts")).to_contain_text("100,000 super terms")
    rows_of(page)
    for row in (0, 150, 5_000, 99_999, 1_234, 50_000):
        scroll_to(page, row)
        item = page.locator(f".rows li[aria-posinset='{row + 1}']")
        expect(item.locator("a")).to_have_attribute("aria-label", RUNNING[row], timeout=30_000)
        expect(item).to_have_attribute("aria-setsize", str(HUGE))
        expect(item).to_be_in_viewport()
        assert page.locator(".rows li").count() < 100
        places = page.locator(".rows li").evaluate_all(
            "items => items.map(item => Number(item.getAttribute('aria-posinset')))"
        )
        assert places == sorted(places)
    assert page.evaluate("document.querySelectorAll('*').length") < 1_500


def test_going_back_returns_to_the_same_row_of_a_huge_answer(reader: Reader, huge: Served) -> None:
    page = reader.open(address(huge, "cell"))
    rows_of(page)
    scroll_to(page, 20_000)
    row = page.get_by_role("link", name="n020000 cell")
    row.click()
    expect(heading(page)).to_have_text("n020000 cell")
    page.go_back()
    expect(row).to_be_in_viewport(timeout=30_000)


def test_the_arrow_keys_move_through_the_rows(reader: Reader, huge: Served) -> None:
    page = reader.open(address(huge, "cell"))
    rows_of(page)
    page.locator(".rows a").first.focus()
    for _ in range(60):
        page.keyboard.press("ArrowDown")
    focused = page.locator(".rows a:focus")
    expect(focused).to_have_attribute("aria-label", RUNNING[60])
    expect(focused).to_be_in_viewport()
    # The row with the focus stays, wherever one scrolls.
    scroll_to(page, 30_000)
    expect(page.get_by_role("link", name="n030000 cell")).to_be_visible(timeout=30_000)
    expect(focused).to_have_attribute("aria-label", RUNNING[60])
    page.keyboard.press("Enter")
    expect(heading(page)).to_have_text(RUNNING[60])


def test_arrow_keys_may_be_faster_than_the_page(reader: Reader, huge: Served) -> None:
    page = reader.open(address(huge, "cell"))
    rows_of(page)
    page.locator(".rows a").first.focus()
    # No row is made in between.
    page.evaluate(
        "for (let i = 0; i < 90; i++) document.activeElement.dispatchEvent("
        "new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }))"
    )
    focused = page.locator(".rows a:focus")
    expect(focused).to_have_attribute("aria-label", RUNNING[90])
    expect(focused).to_be_in_viewport()
