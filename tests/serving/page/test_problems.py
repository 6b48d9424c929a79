"""What the page shows when something goes wrong."""

import json
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from serving.page.reader import (
    WEIGHTS,
    Reader,
    Serve,
    Served,
    address,
    clipboard,
    heading,
    rows_of,
    search_box,
    start_server,
)
from termnest import TermIndex


def test_the_page_asks_for_the_token_and_keeps_it(browser: Browser, serve: Serve) -> None:
    index = TermIndex(WEIGHTS, weights=list(WEIGHTS.values()))
    served = serve(index, TERMNEST_TOKEN="s3cret-token")
    reader = Reader(browser)
    page = reader.open(address(served, "cell carcinoma"))
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    page.get_by_role("textbox", name="Token").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The server does not accept this token.")).to_be_visible()
    page.get_by_role("textbox", name="Token").fill("s3cret-token")
    page.get_by_role("button", name="Continue").click()
    expect(dialog).to_be_hidden()
    assert rows_of(page) == index.super_terms("cell carcinoma")
    page.reload()
    assert rows_of(page) == index.super_terms("cell carcinoma")
    page.get_by_role("button", name="Copy the curl command").click()
    expect(page.locator(".copied")).to_have_text("Copied")
    assert "$TERMNEST_TOKEN" in clipboard(page)
    # It is nowhere but in the headers, and another tab has to ask again.
    assert not any("s3cret" in url for url in [*reader.requests, page.url, clipboard(page)])
    other = reader.open(served.url)
    expect(other.get_by_role("dialog")).to_be_visible()
    other.keyboard.press("Escape")
    expect(other.get_by_role("alert")).to_contain_text("token")
    reader.close()
    assert all("401" in wrong for wrong in reader.wrong)


def test_the_page_says_that_the_server_does_not_answer(browser: Browser, tmp_path: Path) -> None:
    TermIndex(WEIGHTS).save(tmp_path / "index.nest")
    server = start_server(tmp_path / "index.nest")
    reader = Reader(browser)
    page = reader.open(f"{server.url}?q=cell")
    rows_of(page)
    server.end()
    page.get_by_role("link", name="Word tree").click()
    alert = page.get_by_role("alert").filter(has_text="The server does not answer.")
    expect(alert).to_be_visible()
    again = start_server(tmp_path / "index.nest", "--port", str(server.port))
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".wordtree")).to_be_visible()
    reader.close()
    again.end()


def test_the_page_says_why_the_server_refuses_a_phrase(browser: Browser, medical: Served) -> None:
    reader = Reader(browser)
    page = reader.open(medical.url)
    search_box(page).fill("a" * 10_001)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="10000")).to_be_visible()
    search_box(page).fill("cell")
    page.keyboard.press("Enter")
    expect(heading(page)).to_have_text("cell")
    reader.close()
    assert all("422" in wrong or "414" in wrong for wrong in reader.wrong)


def test_the_page_follows_a_new_version_of_the_index(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "index.nest"
    TermIndex(["cell", "a_cell", "cell wall"]).save(path)
    server = start_server(path, "--reload")
    try:
        page = reader.open(f"{server.url}?q=cell")
        assert rows_of(page) == ["cell wall"]
        weights = [7, 9, 5]
        TermIndex(["cell", "a_cell", "cell_wall"], weights=weights, separator="_").save(path)
        for _ in range(300):
            with urllib.request.urlopen(f"{server.url}v1/info") as answer:
                if json.load(answer)["weights"]:
                    break
            page.wait_for_timeout(100)
        search_box(page).fill("cell_wall")
        search_box(page).press("Enter")
        expect(page.locator("ul.facts")).to_contain_text("weight 5")
        page.get_by_role("link", name="cell", exact=True).click()
        expect(heading(page)).to_have_text("cell")
        page.get_by_role("link", name="Word tree").click()
        page.get_by_role("tree", name="Words after").locator(".label").click()
        expect(page.locator(".caption a")).to_have_text("cell_wall")
        page.close()
    finally:
        server.end()


@pytest.mark.parametrize(
    "query",
    ["?q=cell&view=none&sort=up&where=here&min=-1&max=x", "?q=cell&q=other&a=b", "?q=cell#x"],
)
def test_invalid_parts_of_an_address_are_ignored(
    reader: Reader, medical: Served, query: str
) -> None:
    page = reader.open(medical.url + query)
    assert rows_of(page) == medical.index.super_terms("cell")


def test_a_blank_phrase_shows_the_start_page(reader: Reader, medical: Served) -> None:
    page = reader.open(f"{medical.url}?q=%20%20")
    expect(page.get_by_role("heading", name="Which terms contain a phrase")).to_be_visible()


def test_the_page_respects_the_limits_of_the_server(reader: Reader, strict: Served) -> None:
    page = reader.open(strict.url)
    examples = page.get_by_role("list", name="Examples").get_by_role("link")
    expect(examples.first).to_be_visible()
    search_box(page).press_sequentially("w")
    options = page.get_by_role("option").locator(".term")
    expect(options).to_have_text(strict.index.complete("w", limit=5))
    for view, shown in (("list", ".rows"), ("tree", ".wordtree"), ("graph", ".containment")):
        page.goto(address(strict, "cell", view=view))
        expect(page.locator(shown)).to_be_visible()
    page.goto(address(strict, "cell"))
    expect(page.locator(".rows a")).to_have_count(14)
