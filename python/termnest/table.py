"""Tables of answers: Arrow columns that every data frame library takes without a copy."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, SupportsIndex, overload

from termnest import _core
from termnest.arguments import items
from termnest.arguments import text as text_of
from termnest.atomic import atomic_write
from termnest.display import SHOWN_ROWS, html_table, html_text, terminal_width, text_table
from termnest.errors import InvalidOptionError, MissingExtraError, TermIdError, TermTypeError
from termnest.files import path_name

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

File = str | os.PathLike[str] | BinaryIO

# Rows become Python objects or lines in portions of this many, which take some megabytes.
_ROWS_AT_ONCE = 100_000


def optional_package(name: str) -> Any:
    """A package that only some calls need."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtraError(
            f"{name} is not installed: pip install {name.split('.')[0]}"
        ) from error


def _chosen(row: SupportsIndex | slice, count: int) -> int | range:
    """The number of a row, or the numbers that a slice means of `count` rows."""
    try:
        # A range knows what negative numbers, slices and numbers beyond the end mean.
        return range(count)[row]
    except IndexError:
        rows = f"rows are 0 to {count - 1}" if count else "there are none"
        raise TermIdError(f"there is no row {row}: {rows}") from None
    except TypeError:
        raise TermTypeError(option="row", value=repr(row), expected="an int or a slice") from None


class Column:
    """A column of a table: a sequence of its values, and an Arrow array.

    Values become Python objects when you look at them; a library that speaks the Arrow PyCapsule
    interface takes the column as it is (`polars.Series(column)`, `pyarrow.array(column)`), and so
    does `TermIndex`.

    >>> from termnest import TermIndex
    >>> table = TermIndex(["llc", "google llc", "alphabet google llc"]).pairs(terms=True)
    >>> TermIndex(table.column("super_term")).super_terms("google")
    ['google llc', 'alphabet google llc']
    """

    __slots__ = ("_column",)

    def __init__(self, column: _core.Column) -> None:
        self._column = column

    def __len__(self) -> int:
        """The number of values."""
        return len(self._column)

    @overload
    def __getitem__(self, row: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, row: slice) -> list[Any]: ...
    def __getitem__(self, row: SupportsIndex | slice) -> Any:
        rows = _chosen(row, len(self))
        if not isinstance(rows, range):
            return self._column.values(rows, rows + 1)[0]
        if rows.step == 1:
            return self._column.values(rows.start, rows.stop)
        return [self._column.values(row, row + 1)[0] for row in rows]

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), _ROWS_AT_ONCE):
            yield from self._column.values(start, start + _ROWS_AT_ONCE)

    def to_list(self) -> list[Any]:
        """All values."""
        return self._column.values(0, len(self))

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return self._column.__arrow_c_array__(requested_schema)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:3]))
        more = ", ..." if len(self) > 3 else ""
        return f"<termnest.Column of {len(self):,}: [{shown}{more}]>"


class Table:
    """Rows of answers in named columns: a sequence of dicts, and an Arrow table.

    Any library that speaks the Arrow PyCapsule interface takes a table as it is
    (`polars.DataFrame(rows)`, `pyarrow.table(rows)`, `duckdb.sql("FROM rows")`).

    >>> from termnest import TermIndex
    >>> table = TermIndex(["llc", "google llc"]).super_terms_batch(["llc", "inc"])
    >>> table[0]
    {'query': 0, 'id': 1, 'term': 'google llc', 'weight': 1.0, 'start': 1, 'length': 2}
    >>> table.column("term").to_list()
    ['google llc']
    """

    __slots__ = ("_table", "_terms")

    def __init__(
        self, table: _core.Table, terms: Mapping[str, Callable[[Any], str]] | None = None
    ) -> None:
        self._table = table
        # Of columns of ids whose terms the table does not have: how to find them, to show them.
        self._terms = terms or {}

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._table.columns

    def with_text(self, name: str, text: str) -> Table:
        """The table with one more column, which has the same text in every row."""
        table = self._table.with_text(text_of("name", name), text_of("text", text))
        return Table(table, self._terms)

    def column(self, name: str) -> Column:
        """A column by its name.

        Raises:
            InvalidOptionError: There is no such column.
        """
        column = self._table.column(name) if name in self.columns else None
        if column is None:
            expected = f"the columns are {', '.join(self.columns)}"
            raise InvalidOptionError(option="column", value=repr(name), expected=expected)
        return Column(column)

    def __len__(self) -> int:
        """The number of rows."""
        return len(self._table)

    @overload
    def __getitem__(self, row: SupportsIndex) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, row: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, row: SupportsIndex | slice) -> dict[str, Any] | list[dict[str, Any]]:
        rows = _chosen(row, len(self))
        if not isinstance(rows, range):
            return self._rows(rows, rows + 1)[0]
        if rows.step == 1:
            return self._rows(rows.start, rows.stop)
        return [self._rows(row, row + 1)[0] for row in rows]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for start in range(0, len(self), _ROWS_AT_ONCE):
            yield from self._rows(start, start + _ROWS_AT_ONCE)

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

    def write_tsv(
        self, file: File, columns: Sequence[str] | None = None, *, header: bool = True
    ) -> None:
        """Writes the rows as tab separated values.

        A tab or line end in a term becomes `\\t`, `\\n` or `\\r`; the other formats are exact.

        >>> from termnest import TermIndex
        >>> path = getfixture("tmp_path") / "pairs.tsv"
        >>> pairs = TermIndex(["llc", "google llc"]).pairs(terms=True)
        >>> pairs.write_tsv(path, ["nested_term", "super_term"])
        >>> path.read_text()
        'nested_term\\tsuper_term\\nllc\\tgoogle llc\\n'

        Args:
            file: A path, which is written atomically, or a binary file object.
            columns: The columns to write, in this order; all by default.
            header: Write the names of the columns first.
        """
        names = self.columns if columns is None else items("columns", columns, "a list of str")
        for name in names:
            self.column(name)
        first = "\t".join(names) + "\n" if header else ""
        self._write(file, first, lambda *rows: self._table.lines(names, *rows))

    def write_csv(self, file: File, *, header: bool = True) -> None:
        """Writes the rows as CSV, with quotes where they are needed.

        Args:
            file: A path, which is written atomically, or a binary file object.
            header: Write the names of the columns first.
        """
        first = ",".join(self.columns) + "\n" if header else ""
        self._write(file, first, self._table.csv_lines)

    def write_jsonl(self, file: File) -> None:
        """Writes the rows as JSON Lines.

        Args:
            file: A path, which is written atomically, or a binary file object.
        """
        self._write(file, "", self._table.json_lines)

    def _write(self, file: File, first: str, lines: Callable[[int, int], bytes]) -> None:
        if isinstance(file, str | os.PathLike):
            with atomic_write(path_name("file", file)) as opened:
                self._write(opened, first, lines)
            return
        self._check_types("written as text")
        if not hasattr(file, "write") or hasattr(file, "encoding"):  # a text file has one
            expected = "a path or a binary file object"
            raise TermTypeError(option="file", value=repr(file), expected=expected)
        file.write(first.encode())
        for start in range(0, len(self), _ROWS_AT_ONCE):
            file.write(lines(start, start + _ROWS_AT_ONCE))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._table.__arrow_c_schema__()

    def _rows(self, start: int, stop: int) -> list[dict[str, Any]]:
        names = self.columns
        values = [self._table.values(name, start, stop) for name in names]
        return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]

    def __reduce__(self) -> tuple[Any, ...]:
        self._check_types("pickled")
        return _unpickled, (self._table.to_parts(),)

    def _check_types(self, action: str) -> None:
        """Refuses columns of frames of users of which only their libraries know the type."""
        if other := self._table.other_type():
            name, kind = other
            raise TermTypeError(
                f"the column {name!r} of type {kind} cannot be {action}: take the table with "
                "to_polars() or to_arrow(), or leave the column out"
            )

    def _shown(self) -> list[dict[str, Any]]:
        """The first rows, with the terms beside their ids."""
        rows = self._rows(0, SHOWN_ROWS)
        for row in rows:
            for name, term in self._terms.items():
                if row.get(name) is not None:
                    row[name] = f"{row[name]} {term(row[name])}"
        return rows

    def __repr__(self) -> str:
        return text_table(self.columns, self._shown(), len(self), terminal_width())

    def _repr_html_(self) -> str:
        return html_table(self.columns, self._shown(), len(self))


def _unpickled(parts: list[Any]) -> Table:
    return Table(_core.Table.from_parts(parts))


class Match(NamedTuple):
    """A term in a text, at `text[start:end]`; the columns of the index are attributes too."""

    term: str
    id: Any
    start: int
    end: int

    def __getattr__(self, name: str) -> Any:
        # Columns are attributes of a subclass; type checkers do not know which there are.
        attributes = "term, id, start, end and the columns of the index"
        raise AttributeError(f"a match has no {name!r}: its attributes are {attributes}")


class _DetachedMatch(Match):
    """A match that was pickled, with the values of its term in the columns."""


# Shown like any other.
_DetachedMatch.__name__ = Match.__name__


def _detached(row: tuple[Any, ...], values: dict[str, Any]) -> Match:
    match = _DetachedMatch(*row)
    vars(match).update(values)
    return match


def match_class(index: _core.Index) -> type[Match]:
    """The class of the matches of an index: its columns are attributes, read when looked at."""
    names = [name for name, _ in index.columns()]
    if not names:
        return Match

    def attribute(name: str) -> property:
        return property(lambda match: index.value(match.id, name))

    def reduce(match: Match) -> tuple[Any, ...]:
        return _detached, (tuple(match), {name: getattr(match, name) for name in names})

    body: dict[str, Any] = {name: attribute(name) for name in names}
    body |= {"__slots__": (), "__doc__": Match.__doc__, "__reduce__": reduce}
    return type("Match", (Match,), body)


class Spans(NamedTuple):
    """The matches in a text as buffers of numbers: a match is at the same place in each."""

    ids: memoryview
    starts: memoryview
    ends: memoryview


class Matches(Sequence[Match]):
    """The matches in a text, by start, end and id: a sequence of `Match`, and a table.

    A `Match` is made when you look at it; as a table (`to_polars()`, `pyarrow.table(matches)`) none
    is made at all.
    """

    __slots__ = ("_kind", "_matches", "_text")

    def __init__(self, matches: _core.Matches, kind: type[Match], text: str) -> None:
        self._matches = matches
        self._kind = kind
        # For notebooks.
        self._text = text

    def __len__(self) -> int:
        return len(self._matches)

    @overload
    def __getitem__(self, row: SupportsIndex) -> Match: ...
    @overload
    def __getitem__(self, row: slice) -> list[Match]: ...
    def __getitem__(self, row: SupportsIndex | slice) -> Match | list[Match]:
        rows = _chosen(row, len(self))
        if not isinstance(rows, range):
            return self._rows(rows, rows + 1)[0]
        if rows.step == 1:
            return self._rows(rows.start, rows.stop)
        return [self._rows(row, row + 1)[0] for row in rows]

    def __iter__(self) -> Iterator[Match]:
        if len(self) <= _ROWS_AT_ONCE:
            return iter(self._rows(0, len(self)))
        starts = range(0, len(self), _ROWS_AT_ONCE)
        return chain.from_iterable(self._rows(start, start + _ROWS_AT_ONCE) for start in starts)

    def _rows(self, start: int, stop: int) -> list[Match]:
        return self._matches.rows(self._kind, start, stop)

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
        """The matches as a table with the columns term, id, start, end, and those asked for."""
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
        names = [*Match._fields, *self._matches.columns]
        rows = [{name: getattr(match, name) for name in names} for match in self[:SHOWN_ROWS]]
        return html_text(self._text, self) + html_table(names, rows, len(self))
