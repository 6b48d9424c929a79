"""The word tree and the containment diagram."""

import json

import pytest
from playwright.sync_api import expect

from serving.page.reader import Reader, Serve, Served, address, clipboard, heading
from termnest import TermIndex


def test_the_word_tree_has_the_words_before_and_after(reader: Reader, medical: Served) -> None:
    page = reader.open(address(medical, "carcinoma", view="tree"))
    phrase = page.locator(".wordtree .phrase rect").bounding_box()
    assert phrase is not None
    sizes = {}
    for side, name in (("left", "Words before"), ("right", "Words after")):
        words = page.get_by_role("tree", name=name).locator("> .word")
        answer = medical.index.expansions("carcinoma", side=side).to_pylist()  # type: ignore[arg-type]
        expect(words.locator("> .label text")).to_have_text([row["word"] for row in answer])
        for word in words.locator("> .label text").all():
            box = word.bounding_box()
            assert box is not None
            if side == "left":
                assert box["x"] + box["width"] <= phrase["x"]
            else:
                assert box["x"] >= phrase["x"] + phrase["width"]
        for row, word in zip(answer, words.locator("> .label text").all(), strict=True):
            sizes[row["weight"]] = float(word.get_attribute("font-size") or 0)
    by_weight = [sizes[weight] for weight in sorted(sizes)]
    assert by_weight == sorted(by_weight)
    assert by_weight[0] < by_weight[-1]


@pytest.fixture(scope="module")
def wide(serve: Serve) -> Served:
    """A vocabulary whose word tree is wider than a screen."""
    words = [f"w{i:02d}" for i in range(20)]
    before = [f"{one} {other} carcinoma" for one in words for other in words]
    after = [f"carcinoma {one} {other}" for one in words for other in words]
    return serve(TermIndex(["carcinoma", *before, *after]))


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (360, 780)])
def test_the_phrase_of_a_wide_word_tree_is_in_sight(
    reader: Reader, wide: Served, width: int, height: int
) -> None:
    page = reader.open(address(wide, "carcinoma", view="tree"), width=width, height=height)
    phrase = page.locator(".wordtree .phrase rect")
    expect(phrase).to_be_in_viewport(ratio=1)
    box = phrase.bounding_box()
    assert box is not None
    assert abs(box["x"] + box["width"] / 2 - width / 2) < 20
    picture = page.locator(".wordtree svg").bounding_box()
    assert picture is not None
    assert picture["y"] + picture["height"] <= height
    for side in ("before", "after"):
        label = page.get_by_role("tree", name=f"Words {side}").locator("> .word > .label").first
        expect(label).to_be_in_viewport(ratio=1)


def test_branches_unfold_by_mouse_and_keyboard(reader: Reader, medical: Served) -> None:
    page = reader.open(address(medical, "carcinoma", view="tree"))
    before = page.get_by_role("tree", name="Words before")
    cell = before.locator("> .word").first
    expect(cell).to_have_attribute("aria-expanded", "true")
    inner = cell.locator("> g > .word > .label text")
    expected = [
        row["word"] for row in medical.index.expansions("cell carcinoma", side="left").to_pylist()
    ]
    expect(inner).to_have_text(expected)
    cell.locator("> .label").click()
    expect(before.locator("> .word").first).to_have_attribute("aria-expanded", "false")
    expect(inner).to_have_count(0)
    page.keyboard.press("Enter")
    expect(inner).to_have_text(expected)
    expect(cell).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".word:focus")).to_have_attribute("data-phrase", "basal cell carcinoma")
    caption = page.locator(".caption")
    expect(caption).to_contain_text("basal cell carcinoma occurs in 2 terms")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".word:focus")).to_have_attribute("data-phrase", "cell carcinoma")
    caption.get_by_role("link").click()
    expect(heading(page)).to_have_text("cell carcinoma")
    expect(page.locator(".wordtree")).to_be_visible()


def test_a_wide_branch_shows_more_when_asked(reader: Reader, huge: Served) -> None:
    page = reader.open(address(huge, "cell", view="tree"))
    words = page.get_by_role("tree", name="Words before").locator("> .word:not(.more)")
    expect(words).to_have_count(10)
    page.get_by_text("99,990 more").click()
    expect(words).to_have_count(20)
    expect(page.get_by_text("99,980 more")).to_be_visible()
    expect(words.nth(10)).to_be_focused()


def test_a_branch_shows_as_many_words_as_the_server_returns(reader: Reader, strict: Served) -> None:
    page = reader.open(address(strict, "cell", view="tree"))
    before = page.get_by_role("tree", name="Words before")
    expect(before.locator("> .word")).to_have_count(5)
    expect(before.locator("> .rest")).to_have_text("7 more")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_the_diagram_has_the_direct_edges_only(reader: Reader, medical: Served) -> None:
    term = "basal cell carcinoma"
    page = reader.open(address(medical, term, view="graph"))

    def level(number: int) -> list[str]:
        nodes = page.locator(f".containment a[data-level='{number}']")
        return sorted(node.get_attribute("data-term") or "" for node in nodes.all())

    expect(page.locator(".containment .phrase")).to_be_visible()
    assert level(1) == sorted(medical.index.super_terms(term, direct=True))
    assert level(-1) == sorted(medical.index.nested_terms(term, direct=True))
    assert level(-1) == ["basal cell", "cell carcinoma"]
    assert level(-2) == ["carcinoma", "cell"]
    page.get_by_role("button", name="Copy as JSON").click()
    expect(page.locator(".copied")).to_have_text("Copied")
    edges = {(row["nested"], row["super"]) for row in json.loads(clipboard(page))}
    names = list(medical.index)
    direct = {
        (names[row["nested"]], names[row["super"]])
        for row in medical.index.pairs(direct=True).to_pylist()
    }
    assert edges <= direct
    assert edges == {
        *(("basal cell", term), ("cell carcinoma", term), ("cell", "basal cell")),
        *(("cell", "cell carcinoma"), ("carcinoma", "cell carcinoma")),
        (term, "metastatic basal cell carcinoma"),
    }
    assert page.locator(".containment .edge").count() == len(edges)
    page.locator(".containment a[data-term='cell carcinoma']").click()
    expect(heading(page)).to_have_text("cell carcinoma")
