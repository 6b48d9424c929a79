"""The page in a browser: the time from a key press to the list of completions on the screen.

    python benchmarks/page.py w2v.txt --separator _
    python benchmarks/page.py w2v.nest --keys 500

Terms of the vocabulary are typed letter by letter. The time of a key press begins with the event in
the browser and ends when the browser has painted the list, which must be the answer of the index.
Server and browser share the machine.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from report import COLUMNS, Row, facts, write_csv
from serve import Server, say
from termnest import TermIndex

# Milliseconds between two keys: somebody types fast.
PAUSE = 60
# Letters typed of each term, and completions in the list.
LETTERS = 8
COMPLETIONS = 10

# Records the time from a key press until its list of completions is painted.
_WATCH = """
() => {
  const input = document.querySelector('#search');
  const list = document.querySelector('#completions');
  let pressed = 0;
  window.painted = [];
  input.addEventListener('keydown', (event) => { pressed = event.timeStamp; }, true);
  new MutationObserver(() => {
    const began = pressed;
    // A message that is sent in a frame arrives after that frame was painted.
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => window.painted.push(performance.now() - began);
      channel.port2.postMessage(null);
    });
  }).observe(list, { childList: true });
}
"""


def presses(page: Page, index: TermIndex, terms: list[str], count: int) -> list[float]:
    """The times from a key press to the list on the screen, in milliseconds."""
    taken: list[float] = []
    box = page.locator("#search")
    for term in terms:
        box.fill("")
        for end in range(1, min(LETTERS, len(term)) + 1):
            page.evaluate("window.painted.length = 0")
            page.keyboard.type(term[end - 1])
            while not page.evaluate("window.painted.length"):
                page.wait_for_timeout(5)
            taken.append(page.evaluate("window.painted[0]"))
            shown = page.locator("#completions .term").all_text_contents()
            if shown != index.complete(term[:end], limit=COMPLETIONS):
                sys.exit(f"the list for {term[:end]!r} is not the index's answer")
            page.wait_for_timeout(PAUSE)
            if len(taken) == count:
                return taken
    return taken


def measure(index: Path, count: int) -> Row:
    """The row of a run."""
    opened = TermIndex.open(index)
    # Only letters of an American keyboard, and only terms with more letters than are typed.
    typable = [term for term in opened if term.isascii() and len(term) > LETTERS]
    terms = random.Random(1).sample(typable, min(count, len(typable)))
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        sys.exit("the page is measured in Chromium: apt-get install chromium, or set CHROMIUM")
    server = Server(index)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{server.port}/")
            page.wait_for_selector("main[aria-busy=false]")
            page.evaluate(_WATCH)
            taken = presses(page, opened, terms, count)
            version = browser.version
            browser.close()
    finally:
        server.end()
    p95 = statistics.quantiles(taken, n=100)[94]
    notes = (
        f"median {statistics.median(taken):.1f} ms, most {max(taken):.1f} ms; Chromium {version}"
    )
    say(f"95 % of {len(taken)} lists are on the screen within {p95:.1f} ms ({notes})")
    return Row(
        *("key press to list, 95 %", "the page", p95, "ms"),
        asked="<= 100 ms",
        repeats=len(taken),
        notes=notes,
    )


def main() -> None:
    """Measures, prints and writes the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("vocabulary", type=Path, help="a vocabulary or an index")
    parser.add_argument("--separator", help="what separates the words of the vocabulary")
    parser.add_argument("--keys", type=int, default=200, help="keys to press, 100 or more")
    parser.add_argument("--out", type=Path, default=Path("target/bench"), help="the folder")
    options = parser.parse_args()
    if options.keys < 100:
        parser.error("--keys must be 100 or more for a 95th percentile")
    with tempfile.TemporaryDirectory() as folder:
        index = options.vocabulary
        if index.suffix != ".nest":
            built = TermIndex.from_file(index, tokenizer="whitespace", separator=options.separator)
            index = Path(folder, "index.nest")
            built.save(index)
        row = measure(index, options.keys)
    options.out.mkdir(parents=True, exist_ok=True)
    write_csv(options.out / "page.csv", COLUMNS, [row.cells()], facts(sys.argv, {}))


if __name__ == "__main__":
    main()
