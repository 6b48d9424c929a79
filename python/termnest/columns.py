"""The user's own columns and ids, in the forms in which they can be given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from termnest import _core
from termnest.arguments import items, text
from termnest.errors import TermTypeError
from termnest.table import Column


def core_columns(
    columns: Mapping[str, Any] | None, ids: Any | None
) -> tuple[Any | None, list[tuple[str, Any]]] | None:
    """Ids and columns as the native core takes them: the ids, and pairs of a name and a column."""
    if columns is None and ids is None:
        return None
    expected = "a mapping from names to columns or a data frame, with a value for each term"
    named: Any = {} if columns is None else columns
    names = getattr(named, "column_names", getattr(named, "columns", None))
    # A lazy frame has no length, and no values yet.
    if not isinstance(named, Mapping) and names is not None and hasattr(named, "__len__"):
        frame: Any = named
        named = {name: frame[name] for name in names}
    if not isinstance(named, Mapping):
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


class OwnColumns:
    """What an index stores for its user: a value of each column for each term."""

    __slots__ = ()

    _index: _core.Index

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that the index stores.

        >>> from termnest import TermIndex
        >>> TermIndex(["llc", "inc"], columns={"country": ["us", None]}).columns
        ('country',)
        """
        return tuple(name for name, _ in self._index.columns())

    @property
    def column_types(self) -> dict[str, str]:
        """The types of the columns: strings, integers, floats, booleans or lists of strings.

        The column `id` is there if the ids are your own.
        """
        own = {} if self._index.id_kind is None else {"id": self._index.id_kind}
        return own | dict(self._index.columns())

    def column(self, name: str) -> Column:
        """The values of all terms in a column, in the order of the terms; `"id"` is that of ids.

        >>> from termnest import TermIndex
        >>> index = TermIndex(["new york", "york"], columns={"state": ["NY", "PA"]}, ids=[5, 8])
        >>> index.column("state").to_list(), index.column("id").to_list()
        (['NY', 'PA'], [5, 8])

        Raises:
            InvalidOptionError: There is no such column.
        """
        return Column(self._index.column(text("name", name)))

    def term_mask(self, where: Mapping[str, Any]) -> Column:
        """For each term, in their order, whether it has certain values in certain columns.

        >>> from termnest import TermIndex
        >>> labels = ["drug", None, "gene"]
        >>> index = TermIndex(["aspirin", "york", "tp53"], columns={"label": labels})
        >>> index.term_mask({"label": ["drug", "gene"]}).to_list()
        [True, False, True]

        Args:
            where: Names of columns, each with a value that the term must have, or a list of such
                values; all conditions must be met. Of a column of lists, one of the strings must be
                among the values. None is for terms without a value, and `"id"` for ids.

        Raises:
            InvalidOptionError: There is no such column, or no term can have the value.
        """
        return Column(self._index.term_mask(where))
