"""What a person on a terminal is offered when nothing was found."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from termnest.cli.loading import Asked, is_index_file
from termnest.cli.output import printable
from termnest.index import TermIndex
from termnest.snapshot import Snapshot

# The options that make more words match, those first that change least.
_LOOSER: list[tuple[dict[str, Any], str]] = [
    ({"fold": True}, "--fold"),
    ({"fold": True, "strip_accents": True}, "--fold --strip-accents"),
    ({"fold": True, "hyphens": "both"}, "--fold --hyphens both"),
    ({"language": "en"}, "--language en"),
    ({"language": "en", "hyphens": "both"}, "--language en --hyphens both"),
]
_MOST_TERMS = 5_000_000
"""The terms of a vocabulary that is indexed again for a hint, which then takes some seconds."""


def say_nothing_found(
    name: str, index: Asked, answer: Callable[[TermIndex], str | None], note: str = ""
) -> None:
    """Says on a terminal that nothing was found, and which option would find something.

    Args:
        name: What was given as INDEX.
        index: The index that was asked.
        answer: A term that another index would give in answer, if it gives any.
        note: Why there is no answer, if that is known.
    """
    if not on_terminal():
        return
    hint = "" if note else _hint(name, index, answer)
    click.echo(f"nothing found{note and f': {note}'}{hint and f'; {hint}'}", err=True)


def on_terminal() -> bool:
    """Whether a person reads the answers and the messages."""
    return sys.stdout.isatty() and sys.stderr.isatty()


def _hint(name: str, index: Asked, answer: Callable[[TermIndex], str | None]) -> str:
    if isinstance(index, Snapshot):
        return ""  # how its terms match is not up to the question
    own = index.options
    if own.separator is not None or own.tokenizer == "chars" or own.normalize:
        return ""
    if not 0 < len(index) <= _MOST_TERMS:
        return ""
    terms = list(index)
    for options, flags in _LOOSER:
        if all(getattr(own, option) == value for option, value in options.items()):
            continue
        if (term := answer(TermIndex(terms, **options))) is not None:
            how = "build the index again with" if is_index_file(name) else "add"
            return f"`{printable(term)}` is in the vocabulary: {how} {flags}"
    return ""
