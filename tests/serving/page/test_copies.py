"""Copies as CSV, as JSON and as a curl command."""

import csv
import json
import re
import shlex
import urllib.request
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from serving.page.reader import RUNNING, WEIGHTS, Reader, Serve, Served, address, clipboard, rows_of
from termnest import TermIndex


def test_a_copy_has_the_rows_of_the_list(reader: Reader, medical: Served) -> None:
    page = reader.open(address(medical, "cell", sort="left", where="end"))
    expected = rows_of(page)
    for kind in ("as CSV", "as JSON", "the curl command"):
        page.get_by_role("button", name=f"Copy {kind}").click()
        expect(page.locator(".copied")).to_have_text("Copied")
        text = clipboard(page)
        if kind == "as CSV":
            read = list(csv.DictReader(text.splitlines()))
            assert [row["term"] for row in read] == expected
            assert [float(row["weight"]) for row in read] == [WEIGHTS[term] for term in expected]
        elif kind == "as JSON":
            assert [row["term"] for row in json.loads(text)] == expected
        else:
            (answer,) = asked_by(text)
            assert [row["term"] for row in answer["results"]] == expected


def asked_by(command: str) -> list[Any]:
    """What the server answers to a curl command, one answer for each address."""
    program, *urls = shlex.split(command)
    assert program == "curl"
    answers = []
    for url in urls:
        with urllib.request.urlopen(url) as answer:
            answers.append(json.load(answer))
    return answers


@pytest.mark.parametrize("view", ["list", "tree", "graph"])
def test_a_pasted_command_waits_for_enter_whatever_the_phrase_contains(
    reader: Reader, medical: Served, view: str
) -> None:
    term = "cell'\n\x1b[201~\r$(touch x)`y` !! {a,b} [1-9] \\ é"
    page = reader.open(address(medical, term, view=view))
    expect(page.locator("main")).to_have_attribute("aria-busy", "false")
    page.get_by_role("button", name="Copy the curl command").click()
    expect(page.locator(".copied")).to_have_text("Copied")
    command: str = page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(r"curl( '[\w:/.?=&%+*-]+')+", command, re.ASCII)
    assert [answer["term"] for answer in asked_by(command)] == [term] * (1 if view == "list" else 2)


def test_hostile_terms_are_copied_unchanged(reader: Reader, hostile: Served) -> None:
    term = "\"quoted\" 'term'"
    page = reader.open(address(hostile, term))
    assert rows_of(page) == [f"{term} & more"]
    page.get_by_role("button", name="Copy as CSV").click()
    expect(page.locator(".copied")).to_have_text("Copied")
    assert [row["term"] for row in csv.DictReader(clipboard(page).splitlines())] == rows_of(page)
    page.get_by_role("button", name="Copy the curl command").click()
    expect(page.locator(".copied")).to_have_text("Copied")
    (answer,) = asked_by(clipboard(page))
    assert answer["term"] == term


def test_a_copied_table_has_no_formulas(reader: Reader, serve: Serve) -> None:
    begins = ["=1+1", "+1", "-1", "@sum", "a=1"]
    terms = ["cell", *(f"{begin} cell" for begin in begins)]
    served = serve(TermIndex(terms))
    page = reader.open(address(served, "cell"))
    assert rows_of(page) == terms[1:]
    page.get_by_role("button", name="Copy as CSV").click()
    expect(page.locator(".copied")).to_have_text("Copied")
    copied = [row["term"] for row in csv.DictReader(clipboard(page).splitlines())]
    assert copied == ["'=1+1 cell", "'+1 cell", "'-1 cell", "'@sum cell", "a=1 cell"]
    page.reload()
    assert rows_of(page) == terms[1:]
    page.get_by_role("button", name="Copy as JSON").click()
    expect(page.locator(".copied")).to_have_text("Copied")
    assert [row["term"] for row in json.loads(clipboard(page))] == terms[1:]


def test_a_copy_of_a_huge_answer_says_what_it_leaves_out(reader: Reader, huge: Served) -> None:
    page = reader.open(address(huge, "cell"))
    rows_of(page)
    page.get_by_role("button", name="Copy as CSV").click()
    expect(page.locator(".copied")).to_have_text("Copied the first 10,000 of 100,000 rows")
    copied = [row["term"] for row in csv.DictReader(clipboard(page).splitlines())]
    assert copied == RUNNING[:10_000]


@pytest.mark.parametrize("kind", ["CSV", "JSON"])
def test_a_copy_of_a_word_tree_has_all_words_that_the_server_returns(
    reader: Reader, huge: Served, strict: Served, kind: str
) -> None:
    def copied(page: Page, status: str) -> list[tuple[str, str]]:
        expect(page.locator(".wordtree")).to_be_visible()
        page.get_by_role("button", name=f"Copy as {kind}").click()
        expect(page.locator(".copied")).to_have_text(status)
        text = clipboard(page)
        read = csv.DictReader(text.splitlines()) if kind == "CSV" else json.loads(text)
        return [(row["side"], row["word"]) for row in read]

    page = reader.open(address(huge, "cell", view="tree"))
    words = [("left", term.split()[0]) for term in RUNNING[:1_000]]
    assert copied(page, "Copied the first 1,000 of 100,000 rows") == words
    page.goto(address(strict, "cell", view="tree"))
    assert copied(page, "Copied the first 7 of 14 rows") == [
        *(("left", f"w{i:02d}") for i in range(5)),
        *(("right", f"w{i:02d}") for i in range(2)),
    ]
