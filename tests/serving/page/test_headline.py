"""The headline: a phrase with its nested terms as bars, and its facts."""

import re
from typing import Any

from playwright.sync_api import expect

from serving.page.reader import Reader, Serve, Served, address, heading
from termnest import TermIndex


def test_the_facts_are_the_weight_and_the_numbers_of_terms(reader: Reader, medical: Served) -> None:
    page = reader.open(address(medical, "cell carcinoma"))
    facts = page.locator("ul.facts li")
    expect(facts).to_have_text(
        ["In the vocabulary", "weight 50", "5 super terms", "2 nested terms"]
    )
    assert medical.index.count_super_terms("cell carcinoma") == 5
    page.goto(address(medical, "BASAL cell"))
    expect(facts).to_have_text(
        ["In the vocabulary", "as basal cell", "weight 45", "2 super terms", "1 nested term"]
    )
    page.goto(address(medical, "no such phrase"))
    expect(facts).to_have_text(["Not in the vocabulary", "0 super terms", "0 nested terms"])
    expect(page.get_by_text("No term in the vocabulary contains this phrase.")).to_be_visible()


def test_the_columns_of_all_terms_of_a_phrase_are_shown(reader: Reader, serve: Serve) -> None:
    index = TermIndex(
        ["York", "york", "<b>"],
        columns={"label": ["place", None, "<i>x</i>"], "tags": [["a", "b"], [], None]},
        ids=["C1", "C2", "C3"],
        lowercase=True,
        tokenizer="whitespace",
    )
    served = serve(index)
    page = reader.open(address(served, "york"))
    cells = page.locator(".columns tr")
    expect(cells).to_have_text(["termidlabeltags", "YorkC1placea, b", "yorkC2"])
    page.goto(address(served, "<b>"))
    expect(cells).to_have_text(["idlabeltags", "C3<i>x</i>"])
    page.goto(address(served, "york city"))
    expect(page.locator("ul.facts")).to_be_visible()
    expect(cells).to_have_count(0)


def test_bars_are_under_the_words_that_they_cover(reader: Reader, medical: Served) -> None:
    phrase = "Metastatic basal cell carcinoma, cell by cell"
    page = reader.open(address(medical, phrase))
    bars = page.locator(".bars li")
    words = page.locator("#content h1 > span")
    expect(words).to_have_text(phrase.split())
    expected = [
        *(("cell", 2, 3), ("cell", 4, 5), ("cell", 6, 7)),
        *(("carcinoma", 3, 4), ("basal cell", 1, 3), ("cell carcinoma", 2, 4)),
        *(("basal cell carcinoma", 1, 4), ("metastatic basal cell carcinoma", 0, 4)),
        ("cell by cell", 4, 7),
    ]
    shown = []
    for bar in bars.all():
        box, lefts = bar.bounding_box(), [word.bounding_box() for word in words.all()]
        assert box is not None
        covered = [
            place
            for place, word in enumerate(lefts)
            if word and word["x"] + 1 >= box["x"] and word["x"] < box["x"] + box["width"] - 1
        ]
        shown.append((bar.inner_text(), covered[0], covered[-1] + 1))
        last = lefts[covered[-1]]
        assert last is not None
        assert box["x"] + box["width"] >= last["x"] + last["width"] - 1
    assert sorted(shown) == sorted(expected)
    assert {term for term, _, _ in shown} == set(medical.index.nested_terms(phrase))
    boxes = [bar.bounding_box() for bar in bars.all()]
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            assert one is not None
            assert other is not None
            apart = one["x"] >= other["x"] + other["width"] or other["x"] >= one["x"] + one["width"]
            assert apart or abs(one["y"] - other["y"]) >= one["height"]
    bars.get_by_role("link", name="basal cell", exact=True).click()
    expect(heading(page)).to_have_text("basal cell")


def test_a_nested_term_has_a_bar_at_each_of_its_places_in_any_case(
    reader: Reader, medical: Served
) -> None:
    page = reader.open(medical.url)

    def with_keys(route: Any) -> None:
        answer = route.fetch()
        facts = answer.json()
        for token in facts["tokens"]:
            token["key"] = token["text"].lower()
        route.fulfill(response=answer, json=facts)

    page.route(re.compile(r"v1/term\?"), with_keys)
    page.goto(address(medical, "Cell and cell"))
    bars = page.locator(".bars li")
    expect(bars).to_have_text(["cell", "cell"])
    places = [(bar.get_attribute("data-from"), bar.get_attribute("data-to")) for bar in bars.all()]
    assert places == [("0", "1"), ("2", "3")]


def test_an_edge_fades_while_there_is_more_to_scroll_to(reader: Reader, medical: Served) -> None:
    phrase = "metastatic basal cell carcinoma of the lung in situ and beyond"
    page = reader.open(address(medical, phrase), width=360, height=780)
    line = page.locator(".headline")
    left, right = re.compile("more-left"), re.compile("more-right")
    expect(line).to_have_class(right)
    expect(line).not_to_have_class(left)
    line.evaluate("line => line.scrollTo(line.scrollWidth, 0)")
    expect(line).to_have_class(left)
    expect(line).not_to_have_class(right)
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(line).not_to_have_class(re.compile("more-"))
