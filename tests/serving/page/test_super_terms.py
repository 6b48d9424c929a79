"""The page, in a real browser, asking a real server."""

import csv
import json
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect, sync_playwright

from termnest import TermIndex

CHROMIUM = (
    os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
)
# What must hold before a release must not be skipped there.
NEVER_SKIP = bool(os.environ.get("TERMNEST_NEVER_SKIP"))

WEIGHTS = {
    "carcinoma": 90,
    "cell": 80,
    "cell carcinoma": 50,
    "basal cell": 45,
    "basal cell carcinoma": 40,
    "squamous cell carcinoma": 35,
    "lobular carcinoma": 20,
    "carcinoma of the lung": 18,
    "small cell carcinoma of the lung": 9,
    "renal cell carcinoma": 8,
    "cell wall": 7,
    "carcinoma in situ": 6,
    "lobular carcinoma in situ": 5,
    "lung": 4,
    "metastatic basal cell carcinoma": 3,
    "invasive lobular carcinoma": 2,
    "cell by cell": 1,
}
HUGE = 100_000
RUNNING = [*(f"n{i:06d} cell" for i in range(HUGE)), "cell"]

INJECTION = "<img src=x onerror=alert(1)>"
HOSTILE = [
    *(INJECTION, f"{INJECTION} term", f"the {INJECTION} term", "onerror=alert(1)>", "src=x"),
    *("\"quoted\" 'term' & more", "\"quoted\" 'term'", "javascript:alert(1)"),
    *("see javascript:alert(1) link", "</script><script>alert(1)</script> cell"),
    *("סרטן", "סרטן העור", "טיפול סרטן העור המתקדם", "علاج سرطان الجلد", "سرطان", "سرطان الجلد"),
    *("cafe\u0301", "grand cafe\u0301 noir", "n\u0303 cafe\u0301"),
    *("\U0001d518\U0001d52b\U0001d526", "big \U0001d518\U0001d52b\U0001d526 \U0001f600 point"),
    *("\u202eevil\u202c", "abc \u202eevil\u202c def", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
    "\U0001f600 \U0001f468\u200d\U0001f469\u200d\U0001f467 x",
]

# --- servers and browsers ---


class Server:
    """`termnest serve`, in a process of its own."""

    def __init__(
        self, source: Path, *options: str, command: Sequence[str] = (), **environment: str
    ):
        command = command or [sys.executable, "-m", "termnest", "serve", str(source), "--port", "0"]
        self.process = subprocess.Popen(
            [*command, *options],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )
        assert self.process.stderr is not None
        lines: queue.Queue[str] = queue.Queue()
        stderr = self.process.stderr

        def read() -> None:
            for line in stderr:
                lines.put(line)

        self._reader = threading.Thread(target=read, daemon=True)
        self._reader.start()
        told = ""
        while not (found := re.search(r"http://[\w.]+:\d+", told)):
            try:
                told += lines.get(timeout=30)
            except queue.Empty:
                self.end()
                pytest.fail(f"the server did not start: {told}")
        self.url = f"{found[0]}/"

    def end(self) -> None:
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(timeout=10)
        assert self.process.stderr is not None
        self.process.stderr.close()


@dataclass(frozen=True)
class Served:
    """An index, and the address where it is served."""

    index: TermIndex
    url: str


Serve = Callable[..., Served]


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Serves an index until the tests of this file have run."""
    servers: list[Server] = []

    def start(index: TermIndex, *options: str, **environment: str) -> Served:
        path = tmp_path_factory.mktemp("served") / "index.nest"
        index.save(path)
        servers.append(Server(path, *options, **environment))
        return Served(index, servers[-1].url)

    yield start
    for server in servers:
        server.end()


@pytest.fixture(scope="module")
def medical(serve: Serve) -> Served:
    return serve(TermIndex(WEIGHTS, weights=list(WEIGHTS.values()), lowercase=True))


@pytest.fixture(scope="module")
def huge(serve: Serve) -> Served:
    return serve(TermIndex(RUNNING))


@pytest.fixture(scope="module")
def hostile(serve: Serve) -> Served:
    return serve(TermIndex(HOSTILE))


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A vocabulary whose server answers small questions only."""
    terms = ["cell", *(f"w{i:02d} cell" for i in range(12)), "cell w00", "cell w01"]
    program = f"""
import uvicorn
from termnest import TermIndex
from termnest.server import Settings, create_app

settings = Settings(max_page=5, max_batch=3, max_batch_results=4)
uvicorn.run(create_app(TermIndex({terms}), settings), port=0)
"""
    path = tmp_path_factory.mktemp("strict") / "strict.py"
    path.write_text(program)
    server = Server(path, command=[sys.executable, str(path)])
    yield Served(TermIndex(terms), server.url)
    server.end()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        message = "the page is tested in Chromium: apt-get install chromium, or set CHROMIUM"
        if NEVER_SKIP:
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        # Chromium has no sandbox for root.
        root = hasattr(os, "geteuid") and os.geteuid() == 0
        started = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"] if root else []
        )
        yield started
        started.close()


class Reader:
    """A person with a browser, who sees all that goes wrong."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[Any] = []
        self.wrong: list[str] = []
        self.requests: list[str] = []

    def open(self, url: str, *, width: int = 1280, height: int = 800, **options: Any) -> Page:
        context = self._browser.new_context(
            viewport={"width": width, "height": height},
            permissions=["clipboard-read", "clipboard-write"],
            **options,
        )
        context.set_default_timeout(10_000)
        self._contexts.append(context)
        page = context.new_page()
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        page.on("request", lambda request: self.requests.append(request.url))

        def dialog(shown: Any) -> None:
            self.wrong.append(f"dialog: {shown.message}")
            shown.dismiss()

        page.on("dialog", dialog)
        page.goto(url)
        return page

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.wrong.append(f"console: {message.text}")

    def close(self) -> None:
        for context in self._contexts:
            context.close()


@pytest.fixture
def reader(browser: Browser) -> Iterator[Reader]:
    """A reader; nothing may go wrong, and nothing may be asked of others than the server."""
    reader = Reader(browser)
    yield reader
    reader.close()
    assert reader.wrong == []
    hosts = {urllib.parse.urlsplit(url).hostname for url in reader.requests}
    assert hosts == {"127.0.0.1"}


def address(served: Served, term: str = "", **choices: object) -> str:
    query = {"q": term, **choices} if term else choices
    return f"{served.url}?{urllib.parse.urlencode(query)}" if query else served.url


def texts(locator: Locator) -> list[str]:
    return locator.all_inner_texts()


def rows_of(page: Page) -> list[str]:
    """The super terms in sight."""
    expect(page.locator(".rows li a").first).to_be_visible()
    return [
        label or ""
        for label in page.locator(".rows a").evaluate_all(
            "rows => rows.map(row => row.getAttribute('aria-label'))"
        )
    ]


def search_box(page: Page) -> Locator:
    return page.get_by_role("combobox", name="A term or phrase")


def heading(page: Page) -> Locator:
    return page.locator("#content h1")


def parts_of(row: Locator) -> tuple[str, str, str]:
    """What stands before, at and behind the phrase in a row."""
    before, mark, behind = row.evaluate(
        "row => ['.before', 'mark', '.behind'].map(name => row.querySelector(name).textContent)"
    )
    return before.strip(), mark, behind.strip()


# --- the search box ---


def test_completions_come_as_one_types(reader: Reader, medical: Served) -> None:
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


def test_an_answer_that_comes_late_is_dropped(reader: Reader, medical: Served) -> None:
    page = reader.open(medical.url)
    held: list[Any] = []
    page.route(re.compile(r"complete\?prefix=b&"), lambda route: held.append(route))
    search_box(page).press_sequentially("ba")
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


# --- the line of a phrase ---


def test_the_line_tells_weight_and_numbers(reader: Reader, medical: Served) -> None:
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
    expect(page.get_by_text("No term of the vocabulary contains this phrase.")).to_be_visible()


def test_the_start_tells_the_size_of_the_vocabulary(reader: Reader, medical: Served) -> None:
    page = reader.open(medical.url)
    expect(page.locator("p.facts")).to_have_text("17 terms · 16 distinct tokens")
    stats = medical.index.stats()
    assert (stats.terms, stats.distinct_tokens) == (17, 16)


# --- super terms ---


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
def test_super_terms_are_sorted_and_filtered_as_the_address_says(
    reader: Reader, medical: Served, sort: str, where: str
) -> None:
    page = reader.open(address(medical, "carcinoma", sort=sort, where=where, max=4))
    assert rows_of(page) == ordered(medical, "carcinoma", sort, where, 0, 4)


def test_sorting_and_filtering_by_hand_gives_an_address_to_share(
    reader: Reader, medical: Served
) -> None:
    page = reader.open(address(medical, "cell"))
    page.get_by_role("link", name="Left", exact=True).click()
    expect(page.get_by_role("link", name="Left", exact=True)).to_have_attribute(
        "aria-current", "true"
    )
    expect(page.get_by_role("link", name="Left", exact=True)).to_be_focused()
    page.get_by_label("Phrase", exact=True).select_option("inside")
    expect(page.locator(".total")).to_contain_text("5 of 9")
    page.get_by_label("At least so many").fill("4")
    page.get_by_label("At least so many").press("Enter")
    expected = ordered(medical, "cell", "left", "inside", 4, 99)
    expect(page.locator(".total")).to_have_text(
        f"{len(expected)} of {medical.index.count_super_terms('cell')} super terms"
    )
    assert rows_of(page) == expected
    other = reader.open(page.url)
    assert rows_of(other) == expected
    expect(other.get_by_label("Phrase", exact=True)).to_have_value("inside")
    expect(other.get_by_label("At least so many")).to_have_value("4")
    other.get_by_label("At least so many").fill("40")
    other.get_by_label("At least so many").press("Enter")
    other.get_by_role("link", name="Show all").click()
    assert rows_of(other) == ordered(medical, "cell", "left", "anywhere", 0, 99)


def test_rows_are_aligned_on_the_phrase(reader: Reader, medical: Served) -> None:
    page = reader.open(address(medical, "cell carcinoma"))
    rows = page.locator(".rows li")
    expect(rows).to_have_count(5)
    for row in rows.all():
        before, mark, behind = parts_of(row)
        term = row.locator("a").get_attribute("aria-label")
        assert mark == "cell carcinoma"
        assert " ".join(filter(None, [before, mark, behind])) == term
    edges = page.evaluate("""
        () => [...document.querySelectorAll('.rows li')].map(row => {
            const box = name => row.querySelector(name).getBoundingClientRect();
            return [box('.before bdi').right, box('mark').left, box('mark').right,
                    box('.behind').left];
        })""")
    starts = {round(start) for _, start, _, _ in edges}
    assert len(starts) == 1
    assert all(before <= start < end <= behind + 1 for before, start, end, behind in edges)


def test_back_and_forward_go_through_what_was_seen(reader: Reader, medical: Served) -> None:
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
    expect(page.get_by_role("heading", name="What contains it")).to_be_visible()
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


def test_a_huge_answer_is_scrolled_with_few_elements(reader: Reader, huge: Served) -> None:
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


def test_one_comes_back_to_the_same_place_of_a_huge_answer(reader: Reader, huge: Served) -> None:
    page = reader.open(address(huge, "cell"))
    rows_of(page)
    scroll_to(page, 20_000)
    row = page.get_by_role("link", name="n020000 cell")
    row.click()
    expect(heading(page)).to_have_text("n020000 cell")
    page.go_back()
    expect(row).to_be_in_viewport(timeout=30_000)


def test_rows_are_walked_with_the_keyboard(reader: Reader, huge: Served) -> None:
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


# --- nested terms ---


def test_bars_lie_under_the_words_that_they_cover(reader: Reader, medical: Served) -> None:
    phrase = "Metastatic basal cell carcinoma, cell by cell"
    page = reader.open(address(medical, phrase))
    bars = page.locator(".bars li")
    words = page.locator("#content h1 > span")
    expect(words).to_have_text(phrase.split())
    expected = [
        *(("cell", 2, 3), ("cell", 4, 5), ("cell", 6, 7)),
        *(("basal cell", 1, 3), ("cell by cell", 4, 7)),
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
    bars.filter(has_text="basal").get_by_role("link").click()
    expect(heading(page)).to_have_text("basal cell")


def test_a_nested_term_has_a_bar_at_each_of_its_places_in_whatever_case(
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


def test_an_edge_fades_while_there_is_more_behind_it(reader: Reader, medical: Served) -> None:
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


# --- the pictures ---


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


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (360, 780)])
def test_the_phrase_of_a_wide_word_tree_is_in_sight(
    reader: Reader, serve: Serve, width: int, height: int
) -> None:
    words = [f"w{i:02d}" for i in range(20)]
    before = [f"{one} {other} carcinoma" for one in words for other in words]
    after = [f"carcinoma {one} {other}" for one in words for other in words]
    served = serve(TermIndex(["carcinoma", *before, *after]))
    page = reader.open(address(served, "carcinoma", view="tree"), width=width, height=height)
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
    expect(caption).to_contain_text("basal cell carcinoma stands in 2 terms")
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


def test_a_branch_shows_no_more_than_the_server_tells(reader: Reader, strict: Served) -> None:
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


# --- copies ---


def clipboard(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text.replace("\r\n", "\n")


def test_what_is_seen_is_copied(reader: Reader, medical: Served) -> None:
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
def test_a_pasted_command_waits_for_enter_whatever_the_phrase_holds(
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


def test_copies_of_hostile_terms_are_theirs(reader: Reader, hostile: Served) -> None:
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
def test_a_copy_of_a_word_tree_has_all_words_that_the_server_tells(
    reader: Reader, huge: Served, strict: Served, kind: str
) -> None:
    def copied(page: Page, told: str) -> list[tuple[str, str]]:
        expect(page.locator(".wordtree")).to_be_visible()
        page.get_by_role("button", name=f"Copy as {kind}").click()
        expect(page.locator(".copied")).to_have_text(told)
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


# --- the look ---


def brightness(page: Page) -> float:
    colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(map(float, re.findall(r"[\d.]+", colour)[:3])) / 3


def test_colours_are_those_of_the_system_until_the_reader_chooses(
    reader: Reader, medical: Served
) -> None:
    assert brightness(reader.open(address(medical, "cell"))) > 200
    page = reader.open(address(medical, "cell"), color_scheme="dark")
    assert brightness(page) < 60
    switch = page.get_by_role("button", name="Dark colours")
    expect(switch).to_have_attribute("aria-pressed", "true")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "false")
    assert brightness(page) > 200
    page.reload()
    assert brightness(page) > 200


@pytest.mark.parametrize("view", ["list", "tree", "graph"])
def test_nothing_is_wider_than_the_screen(reader: Reader, medical: Served, view: str) -> None:
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


def test_the_start_is_not_wider_than_a_small_screen(reader: Reader, hostile: Served) -> None:
    page = reader.open(hostile.url, width=360, height=640)
    expect(page.get_by_role("heading")).to_be_visible()
    search_box(page).press_sequentially("<im")
    expect(page.get_by_role("listbox")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


# --- terms are text ---


@pytest.mark.parametrize("view", ["list", "tree", "graph"])
def test_terms_are_text_in_every_view(reader: Reader, hostile: Served, view: str) -> None:
    page = reader.open(hostile.url)
    for term in HOSTILE if view == "list" else HOSTILE[::2]:
        page.goto(address(hostile, term, view=view))
        expect(page.locator("main")).to_have_attribute("aria-busy", "false")
        assert heading(page).inner_text().split() == term.split()
        assert page.locator("main img, main script").count() == 0
        if view == "list" and (expected := hostile.index.super_terms(term)):
            assert rows_of(page) == expected
            marks = page.locator(".rows mark").all_text_contents()
            assert marks == [term] * len(expected)
            for row in page.locator(".rows li").all():
                label = row.locator("a").get_attribute("aria-label")
                assert " ".join(filter(None, parts_of(row))) == label


def test_hostile_completions_are_text(reader: Reader, hostile: Served) -> None:
    page = reader.open(hostile.url)
    box = search_box(page)
    for typed in ("<", '"', "ס", "\U0001d518", "cafe\u0301", "</script>"):
        box.fill(typed)
        expect(page.get_by_role("option").locator(".term")).to_have_text(
            hostile.index.complete(typed)
        )
    assert page.locator("form img, form script").count() == 0


def test_words_before_stand_on_the_right_in_scripts_that_run_so(
    reader: Reader, hostile: Served
) -> None:
    page = reader.open(address(hostile, "סרטן העור"))
    row = page.locator(".rows li")
    assert parts_of(row) == ("טיפול", "סרטן העור", "המתקדם")
    places = [
        row.locator(name).evaluate("part => part.getBoundingClientRect().left")
        for name in (".before bdi", "mark", ".behind bdi")
    ]
    assert places == sorted(places, reverse=True)
    page.goto(address(hostile, "סרטן העור", view="tree"))
    phrase = page.locator(".wordtree .phrase rect").bounding_box()
    before = page.get_by_role("tree", name="Words before").locator("text").bounding_box()
    assert phrase is not None
    assert before is not None
    assert before["x"] >= phrase["x"] + phrase["width"]


# --- what goes wrong ---


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
    page.get_by_role("button", name="Go on").click()
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


def test_the_page_tells_that_the_server_is_gone(browser: Browser, tmp_path: Path) -> None:
    TermIndex(WEIGHTS).save(tmp_path / "index.nest")
    server = Server(tmp_path / "index.nest")
    reader = Reader(browser)
    page = reader.open(f"{server.url}?q=cell")
    rows_of(page)
    server.end()
    page.get_by_role("link", name="Word tree").click()
    alert = page.get_by_role("alert").filter(has_text="The server does not answer.")
    expect(alert).to_be_visible()
    again = Server(tmp_path / "index.nest", "--port", server.url.rsplit(":")[-1].strip("/"))
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".wordtree")).to_be_visible()
    reader.close()
    again.end()


def test_the_page_tells_what_the_server_refuses(browser: Browser, medical: Served) -> None:
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


def test_the_page_follows_an_index_that_is_replaced(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "index.nest"
    TermIndex(["cell", "a_cell", "cell wall"]).save(path)
    # One worker: another one may take up the new index a moment later.
    server = Server(path, "--reload", "--workers", "1")
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
def test_addresses_with_nonsense_are_read_as_far_as_they_go(
    reader: Reader, medical: Served, query: str
) -> None:
    page = reader.open(medical.url + query)
    assert rows_of(page) == medical.index.super_terms("cell")


def test_a_phrase_without_words_contains_nothing(reader: Reader, medical: Served) -> None:
    page = reader.open(f"{medical.url}?q=%20%20")
    expect(page.get_by_role("heading", name="What contains it")).to_be_visible()


def test_the_page_keeps_to_the_limits_of_the_server(reader: Reader, strict: Served) -> None:
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


# --- other vocabularies ---


def test_the_start_leads_into_the_vocabulary(reader: Reader, serve: Serve) -> None:
    terms = ["company", "company law", "new company law", "law", "store", "store room"]
    served = serve(TermIndex(terms))
    page = reader.open(served.url)
    example = page.get_by_role("list", name="Examples").get_by_role("link", name="law", exact=True)
    example.click()
    expect(heading(page)).to_have_text("law")
    assert rows_of(page) == served.index.super_terms("law")


def test_separators_and_characters_keep_their_places(reader: Reader, serve: Serve) -> None:
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
    server = Server(tmp_path, command=[sys.executable, str(tmp_path / "outer.py")])
    try:
        page = reader.open(f"{server.url}terms/?q=cell")
        assert rows_of(page) == ["basal cell"]
        page.locator(".rows a").click()
        expect(heading(page)).to_have_text("basal cell")
        assert urllib.parse.urlsplit(page.url).path == "/terms/"
        page.get_by_role("link", name="termnest, start").click()
        expect(page.get_by_role("heading", name="What contains it")).to_be_visible()
        assert urllib.parse.urlsplit(page.url).path == "/terms/"
        page.close()
    finally:
        server.end()
