"""The user's own columns and ids, in the forms in which they can be given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from termnest.arguments import items, text
from termnest.errors import TermTypeError


def core_columns(
    columns: Mapping[str, Any] | None, ids: Any | None
) -> tuple[Any | None, list[tuple[str, Any]]] | None:
    """Ids and columns as the native core takes them: the ids, and pairs of a name and a column."""
    if columns is None and ids is None:
        return None
    named = {} if columns is None else columns
    if not isinstance(named, Mapping):
        expected = "a mapping from names to columns, each with a value for each term"
        raise TermTypeError(option="columns", value=repr(columns), expected=expected)
    return ids, [(text("a name of columns", name), values) for name, values in named.items()]


def columns_of_file(columns: Iterable[str] | Literal[True] | None) -> tuple[list[str] | None, bool]:
    """The names of the columns of a file that are stored, and whether all of them are."""
    if columns is True:
        return None, True
    if columns is None:
        return None, False
    names = items("columns", columns, "a list of names of columns, or True for all")
    return [text(f"entry {i} of columns", name) for i, name in enumerate(names)], False
