"""The option --where: which terms to look for, by their values in the columns of the index."""

from __future__ import annotations

from typing import Any

import click

from termnest.cli.errors import BadInput
from termnest.index import TermIndex
from termnest.snapshot import Snapshot

conditions_option = click.option(
    "--where",
    "conditions",
    multiple=True,
    metavar="COLUMN=VALUE",
    help="Only terms that have this value in this column of the index. With several values of a "
    "column, one of them; with several columns, in all of them.",
)


def conditions_of(
    index: TermIndex | Snapshot, given: tuple[str, ...]
) -> dict[str, list[Any]] | None:
    """What `where=` is, of the conditions on the command line."""
    if not given:
        return None
    types = index.column_types
    conditions: dict[str, list[Any]] = {}
    for condition in given:
        name, equals, value = condition.partition("=")
        if not equals:
            raise BadInput(f"--where cannot be {condition!r}: it must be COLUMN=VALUE")
        if name not in types:
            columns = ", ".join(types) or "none: build it with --columns"
            raise BadInput(
                f"--where {condition!r}: the index has no column {name!r}; it has {columns}"
            )
        conditions.setdefault(name, []).extend(_values(condition, value, types[name]))
    return conditions


def _values(condition: str, value: str, kind: str) -> list[Any]:
    """The values that a text means in a column of this type."""
    if not value:
        return [None, ""] if kind in ("strings", "lists of strings") else [None]
    truth = {"true": True, "false": False}
    try:
        if kind == "integers":
            return [int(value)]
        if kind == "floats":
            return [float(value)]
        return [truth[value.lower()]] if kind == "booleans" else [value]
    except (ValueError, KeyError):
        raise BadInput(f"--where {condition!r}: the column has {kind}") from None
