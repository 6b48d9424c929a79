"""A vocabulary that every Python has, indexed and asked: demo."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import click

from termnest.cli.exit_codes import FOUND
from termnest.cli.options import Command, examples
from termnest.cli.output import counted, print_lines
from termnest.index import TermIndex
from termnest.shipped import character_names

_REPETITIONS = 100
"""Number of calls. The fastest is reported: the first ones wait for memory."""
_SHOWN = 5
"""Answers that are shown of each question."""


@click.command(cls=Command, epilog=examples("termnest demo"))
def demo() -> int:
    """Try termnest on the names of all Unicode characters.

    They come with Python, so no file is needed. Both questions are asked, and timed.
    """
    names = character_names()
    started = time.perf_counter()
    index = TermIndex(names)
    seconds = time.perf_counter() - started
    print_lines(
        [
            f"{len(index):,} Unicode character names (no CJK, no Hangul) indexed in "
            f"{seconds * 1e3:.0f} ms; {index.stats().file_bytes / 1e6:.1f} MB.",
            "",
        ]
    )
    print_lines(_answer(index, "super_terms", "GREEK SMALL LETTER ALPHA"))
    print_lines(_answer(index, "nested_terms", "GREEK SMALL LETTER ALPHA WITH TONOS"))
    print_lines(_answer(index, "super_terms", "BLACK HEART"))
    print_lines(_answer(index, "nested_terms", "SMILING CAT FACE WITH HEART-SHAPED EYES"))
    started = time.perf_counter()
    pairs = index.pairs()
    seconds = time.perf_counter() - started
    print_lines([f"All {len(pairs):,} (nested, super) pairs in {seconds * 1e3:.0f} ms."])
    return FOUND


def _answer(index: TermIndex, question: str, phrase: str) -> Iterator[str]:
    ask: Callable[[str], list[str]] = getattr(index, question)
    terms = ask(phrase)
    times = []
    for _ in range(_REPETITIONS):
        started = time.perf_counter()
        ask(phrase)
        times.append(time.perf_counter() - started)
    count = counted(len(terms), "term")
    yield f">>> index.{question}({phrase!r})   # {count} in {min(times) * 1e6:.1f} us"
    yield from (f"    {term}" for term in terms[:_SHOWN])
    if len(terms) > _SHOWN:
        yield f"    ... {len(terms) - _SHOWN:,} more"
    yield ""
