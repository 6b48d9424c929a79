"""Tables of answers: Arrow columns that every data frame library takes without a copy."""

from __future__ import annotations

import html
import importlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, SupportsIndex, overload

from termnest.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from termnest import _core

_SHOWN_ROWS = 10


def optional_package(name: str) -> Any:
    """A package that only some calls need."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtraError(
            f"{name} is not installed: pip install {name.split('.')[0]}"
        ) from error


class Table:
    """Rows of answers in named columns.

    Any library that speaks the Arrow PyCapsule interface takes a table as it is
    (`polars.DataFrame(rows)`, `pyarrow.table(rows)`, `duckdb.sql("FROM rows")`).

    >>> from termnest import TermIndex
    >>> table = TermIndex(["llc", "google llc"]).super_terms_batch(["llc", "inc"])
    >>> table.to_pylist()
    [{'query': 0, 'id': 1, 'term': 'google llc', 'weight': 1.0, 'start': 1, 'length': 2}]
    """

    __slots__ = ("_table",)

    def __init__(self, table: _core.Table) -> None:
        self._table = table

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._table.columns

    def __len__(self) -> int:
        """The number of rows."""
        return len(self._table)

    def to_pylist(self) -> list[dict[str, Any]]:
        """The rows as dicts."""
        return self._rows(0, len(self))

    def to_polars(self) -> polars.DataFrame:
        """The table as a polars data frame."""
        frame: polars.DataFrame = optional_package("polars").DataFrame(self)
        return frame

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas data frame; needs pyarrow as well."""
        optional_package("pandas")
        frame: pandas.DataFrame = self.to_arrow().to_pandas()
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """The table as a pyarrow table."""
        table: pyarrow.Table = optional_package("pyarrow").table(self)
        return table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._table.__arrow_c_schema__()

    def _rows(self, start: int, stop: int) -> list[dict[str, Any]]:
        names = self.columns
        values = [self._table.values(name, start, stop) for name in names]
        return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]

    def __reduce__(self) -> NoReturn:
        message = "a Table is not pickled: to_arrow(), to_pandas() or to_polars() gives one that is"
        raise TypeError(message)

    def __repr__(self) -> str:
        return f"<termnest.Table of {len(self):,} rows: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        return _html_table(self.columns, self._rows(0, _SHOWN_ROWS), len(self))


def _html_table(columns: list[str], rows: list[dict[str, Any]], total: int) -> str:
    """The first rows as HTML, every text escaped."""

    def line(cells: list[Any], tag: str) -> str:
        return "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells)

    body = "".join(f"<tr>{line(list(row.values()), 'td')}</tr>" for row in rows)
    more = f"<p>… {total - len(rows):,} more rows</p>" if total > len(rows) else ""
    head = f"<thead><tr>{line(columns, 'th')}</tr></thead>"
    return f"<table>{head}<tbody>{body}</tbody></table>{more}"


class Match(NamedTuple):
    """A term in a text: `text[start:end]` is where it stands."""

    term: str
    id: int
    start: int
    end: int


class Matches(Sequence[Match]):
    """The matches in a text, by start, end and id: a sequence of `Match`, and a table.

    A `Match` is made when it is looked at; as a table (`to_polars()`, `pyarrow.table(matches)`)
    none is made at all.
    """

    __slots__ = ("_matches",)

    def __init__(self, matches: _core.Matches) -> None:
        self._matches = matches

    def __len__(self) -> int:
        return len(self._matches)

    @overload
    def __getitem__(self, place: SupportsIndex) -> Match: ...
    @overload
    def __getitem__(self, place: slice) -> list[Match]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Match | list[Match]:
        # A range knows what negative numbers, slices and numbers beyond the end mean.
        rows = range(len(self._matches))[place]
        if isinstance(rows, range):
            return [Match(*self._matches.row(row)) for row in rows]
        return Match(*self._matches.row(rows))

    def __iter__(self) -> Iterator[Match]:
        for row in range(len(self._matches)):
            yield Match(*self._matches.row(row))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Matches | list):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[list[Match]], tuple[list[Match]]]:
        # Without the index, which another process may not have: a plain list comes out.
        return list, (self[:],)

    @property
    def table(self) -> Table:
        """The matches as a table with the columns term, id, start and end."""
        return Table(self._matches.table())

    def to_pylist(self) -> list[dict[str, Any]]:
        """The matches as dicts."""
        return self.table.to_pylist()

    def to_polars(self) -> polars.DataFrame:
        """The matches as a polars data frame."""
        return self.table.to_polars()

    def to_pandas(self) -> pandas.DataFrame:
        """The matches as a pandas data frame; needs pyarrow as well."""
        return self.table.to_pandas()

    def to_arrow(self) -> pyarrow.Table:
        """The matches as a pyarrow table."""
        return self.table.to_arrow()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._matches.table().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._matches.table().__arrow_c_schema__()

    def __repr__(self) -> str:
        shown = ", ".join(repr(match) for match in self[:3])
        more = ", ..." if len(self) > 3 else ""
        return f"<termnest.Matches of {len(self):,}: [{shown}{more}]>"

    def _repr_html_(self) -> str:
        rows = [match._asdict() for match in self[:_SHOWN_ROWS]]
        return _html_table(list(Match._fields), rows, len(self))
