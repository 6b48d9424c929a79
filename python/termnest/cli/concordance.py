"""Terms in context: concordance."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import islice
from typing import Any

import click

from termnest.cli.exit_codes import exit_code
from termnest.cli.options import Choice, Command, Number, examples
from termnest.cli.output import cell, printable


@click.command(
    cls=Command,
    epilog=examples(
        'termnest concordance reports/ "heart failure"',
        'termnest concordance reports/ "heart failure" --language en --sort right --limit 50',
    ),
)
@click.argument("corpus", metavar="CORPUS")
@click.argument("terms", metavar="TERM...", nargs=-1, required=True)
@click.option(
    "--width", type=Number(), default=40, show_default=True, help="Characters on each side."
)
@click.option("--limit", type=Number(), help="Show at most N lines.  [default: all]")
@click.option(
    "--sort",
    type=Choice(["text", "left", "right"]),
    default="text",
    show_default=True,
    help="By place in the texts, by what is on the left, or by what is on the right.",
)
@click.option(
    "--language",
    metavar="CODE",
    help="Find inflected forms too: en, fr, de and so on.  [default: the words as they are]",
)
@click.option("--field", metavar="NAME", default="text", help="The field of JSON Lines.")
@click.option("--encoding", metavar="NAME", help="The encoding of the texts.  [default: UTF-8]")
def concordance(
    corpus: str,
    terms: tuple[str, ...],
    width: int,
    limit: int | None,
    sort: str,
    language: str | None,
    field: str,
    encoding: str | None,
) -> int:
    """Show each occurrence of terms in texts, aligned, with what is beside it.

    CORPUS is what `termnest extract` reads: a file, a folder, or - for standard input. Terms match
    however they are written.
    """
    # Imported here, so that other commands start faster.
    from termnest.terminology import Corpus, contexts

    texts = Corpus(corpus, field=field, encoding=encoding)
    lines: Any = contexts.concordance(texts, terms, width=width, language=language)
    if sort != "text":
        # What is nearest to the term counts most.
        lines = sorted(
            lines, key=lambda line: (line.left[::-1] if sort == "left" else line.right).casefold()
        )
    found = 0
    for line in islice(lines, limit):
        found += 1
        left = cell(line.left)
        space = " " * max(0, width - _cells(left))
        click.echo(printable(f"{space}{left}[{cell(line.match)}]{cell(line.right)}".rstrip()))
    _report(texts.skipped)
    return exit_code(bool(found))


def _cells(text: str) -> int:
    """The columns of a terminal that a text takes: East Asian characters take two, marks none."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))


def _report(skipped: Sequence[tuple[str, str]]) -> None:
    for path, reason in skipped:
        click.echo(printable(f"skipped {path}: {reason}"), err=True)
