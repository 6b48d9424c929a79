"""The search box and its completions."""

import re
import urllib.parse
from typing import Any

from playwright.sync_api import expect

from serving.page.reader import Reader, Served, address, heading, rows_of, search_box


def test_completions_appear_while_typing(reader: Reader, medical: Served) -> None:
    page = reader.open(medical.url)
    box = search_box(page)
    options = page.get_by_role("option")
    expect(box).to_have_attribute("aria-expanded", "false")
    for typed in ("c", "ce", "cel", "cell", "cell c"):
        box.press_sequentially(typed[-1] if len(typed) < 5 else typed[-2:])
        expect(options.locator(".term")).to_have_text(medical.index.complete(typed))
    expect(box).to_have_attribute("aria-expanded", "true")
    controlled = box.get_attribute("aria-controls")
    expect(page.locator(f"#{controlled}")).to_have_attribute("role", "listbox")
    box.press_sequentially("zzz")
    expect(options).to_have_count(0)
    expect(box).to_have_attribute("aria-expanded", "false")


def test_a_completion_is_chosen_with_the_keyboard(reader: Reader, medical: Served) -> None:
    page = reader.open(medical.url)
    box = search_box(page)
    box.press_sequentially("cell")
    options = page.get_by_role("option")
    offered = medical.index.complete("cell")
    expect(options).to_have_count(len(offered))

    def active() -> str | None:
        chosen = box.get_attribute("aria-activedescendant")
        if chosen is None:
            assert page.locator("[role=option][aria-selected=true]").count() == 0
            return None
        option = page.locator(f"#{chosen}")
        expect(option).to_have_attribute("aria-selected", "true")
        return option.locator(".term").inner_text()

    assert active() is None
    for key, expected in [
        *(("ArrowDown", offered[0]), ("ArrowDown", offered[1]), ("ArrowUp", offered[0])),
        *(("ArrowUp", offered[-1]), ("ArrowDown", offered[0]), ("Home", None)),
        *(("ArrowUp", offered[-1]), ("End", None), ("ArrowDown", offered[0])),
    ]:
        box.press(key)
        assert active() == expected
        expect(box).to_be_focused()
    box.press("ArrowDown")
    box.press("Enter")
    expect(heading(page)).to_have_text(offered[1])
    expect(box).to_have_value(offered[1])
    expect(options).to_have_count(0)
    assert urllib.parse.parse_qs(urllib.parse.urlsplit(page.url).query) == {"q": [offered[1]]}


def test_escape_closes_the_list_then_empties_the_box(reader: Reader, medical: Served) -> None:
    page = reader.open(medical.url)
    box = search_box(page)
    box.press_sequentially("cell")
    expect(page.get_by_role("listbox")).to_be_visible()
    box.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    expect(box).to_have_value("cell")
    box.press("ArrowDown")
    expect(page.get_by_role("listbox")).to_be_visible()
    box.press("Tab")
    expect(page.get_by_role("listbox")).to_be_hidden()
    expect(box).not_to_be_focused()
    box.press("Escape")
    expect(box).to_have_value("")


def test_a_completion_is_chosen_with_the_mouse(reader: Reader, medical: Served) -> None:
    page = reader.open(address(medical, "lung"))
    page.keyboard.press("/")
    box = search_box(page)
    expect(box).to_be_focused()
    box.fill("basal")
    page.get_by_role("option").filter(has_text="basal cell carcinoma").first.click()
    expect(heading(page)).to_have_text("basal cell carcinoma")


def test_words_in_another_order_are_completed_if_no_term_has_them_in_this(
    reader: Reader, medical: Served
) -> None:
    page = reader.open(medical.url)
    assert medical.index.complete("carcinoma ba") == []
    search_box(page).fill("carcinoma ba")
    options = page.get_by_role("option").locator(".term")
    expect(options).to_have_text(medical.index.complete("carcinoma ba", order="any"))


def test_a_late_answer_is_dropped(reader: Reader, medical: Served) -> None:
    page = reader.open(medical.url)
    held: list[Any] = []
    first = re.compile(r"complete\?prefix=b&")
    page.route(first, lambda route: held.append(route))
    with page.expect_request(first):
        search_box(page).press("b")
    search_box(page).press("a")
    options = page.get_by_role("option").locator(".term")
    expect(options).to_have_text(medical.index.complete("ba"))
    assert len(held) == 1
    held[0].fulfill(json={"prefix": "b", "results": [{"id": 0, "term": "late", "weight": 1}]})
    # By the time that another question is answered, the late answer has come.
    page.evaluate("fetch('healthz').then(answer => answer.text())")
    expect(options).to_have_text(medical.index.complete("ba"))


def test_any_phrase_can_be_looked_up(reader: Reader, medical: Served) -> None:
    page = reader.open(medical.url)
    box = search_box(page)
    box.press_sequentially("Cell  Carcinoma of")
    box.press("Enter")
    expect(page.locator("ul.facts")).to_contain_text("Not in the vocabulary")
    assert rows_of(page) == medical.index.super_terms("cell carcinoma of")
