"""What a person on a terminal is offered when nothing was found."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from termnest.cli.loading import Asked, is_index_file
from termnest.cli.output import printable
from termnest.index import TermIndex
from termnest.options import Options
from termnest.snapshot import Snapshot

# The options that make more words match, those first that change least.
_LOOSER: list[dict[str, Any]] = [
    {"hyphens": "split"},
    {"fold": True},
    {"fold": True, "strip_accents": True},
    {"hyphens": "both"},
    {"fold": True, "hyphens": "both"},
    {"language": "en"},
    {"language": "en", "hyphens": "both"},
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
    given = {name: value for name, value in own._asdict().items() if name != "normalize"}
    add = "build the index again with" if is_index_file(name) else "add"
    for options in _LOOSER:
        more = {option: value for option, value in options.items() if given[option] != value}
        if not more or not _can_be_added(own, more):
            continue
        if (term := answer(TermIndex(terms, **{**given, **more}))) is not None:
            how = " ".join([add, *(_flag(option, value) for option, value in more.items())])
            return f"`{printable(term)}` is in the vocabulary: {how}"
    in_any_case = {**given, "case": None}
    if own.case == "smart" and (term := answer(TermIndex(terms, **in_any_case))) is not None:
        how = "build the index again without" if is_index_file(name) else "leave out"
        return f"`{printable(term)}` is in the vocabulary: {how} --case smart"
    return ""


def _can_be_added(own: Options, more: dict[str, Any]) -> bool:
    if "hyphens" in more and (own.tokenizer != "text" or own.hyphens == "both"):
        return False
    return "language" not in more or own.language is None


def _flag(option: str, value: Any) -> str:
    flag = "--" + option.replace("_", "-")
    return flag if value is True else f"{flag} {value}"
