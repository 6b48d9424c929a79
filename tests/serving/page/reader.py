"""A person with a browser, the vocabularies that are served, and the parts of the page."""

import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect

from serving.process import Process
from termnest import TermIndex

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


@dataclass(frozen=True)
class Served:
    """An index, and the address where it is served."""

    index: TermIndex
    url: str


Serve = Callable[..., Served]


def start_server(index: Path, *options: str, **environment: str) -> Process:
    """A server with one worker: more take longer to start, and switch to a new index one by one."""
    command = ["-m", "termnest", "serve", str(index), "--workers", "1"]
    port = () if "--port" in options else ("--port", "0")
    return Process([*command, *port, *options], "serving", **environment)


class Reader:
    """A person with a browser, who notices every error and every request."""

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
    """The text of a row before the phrase, the phrase, and the text after it."""
    before, mark, after = row.evaluate(
        "row => ['.before', 'mark', '.after'].map(name => row.querySelector(name).textContent)"
    )
    return before.strip(), mark, after.strip()


def clipboard(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text.replace("\r\n", "\n")
