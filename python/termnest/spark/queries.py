"""Many queries and texts against one saved index.

Every Python worker opens the index once and keeps it. The file is mapped, so that all workers of a
machine share its memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from termnest.arguments import items
from termnest.errors import InvalidOptionError, MissingFileError, TermTypeError
from termnest.index import TermIndex
from termnest.options import Normalize, Overlaps, StrPath, Variants, Where
from termnest.spark.batches import Batches
from termnest.spark.columns import check_frame, check_strings, column_type, quoted
from termnest.spark.saved_index import SavedIndex, saved_index

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Phrases of one batch query, and texts, of which most have few matches.
_PHRASES = 1_000
_TEXTS = 10_000
# Bytes of texts that are searched at a time.
_TEXT_BYTES = 1 << 20
# Answers of one batch query, which are in memory at the same time. One phrase may have more.
_ANSWERS_IN_MEMORY = 200_000

_ANSWERS = {
    "id": ("bigint", pa.int64()),
    "term": ("string", pa.string()),
    "weight": ("double", pa.float64()),
    "start": ("int", pa.int32()),
    "length": ("int", pa.int32()),
}
_MATCHES = {
    "term": ("string", pa.string()),
    "id": ("bigint", pa.int64()),
    "start": ("bigint", pa.int64()),
    "end": ("bigint", pa.int64()),
}
# The user's own columns, by the names of their types.
_OWN = {
    "strings": ("string", pa.string()),
    "integers": ("bigint", pa.int64()),
    "floats": ("double", pa.float64()),
    "booleans": ("boolean", pa.bool_()),
    "lists of strings": ("array<string>", pa.list_(pa.string())),
}


Answers = dict[str, tuple[str, Any]]


def _with_ids_of(index: SavedIndex, answers: Answers) -> Answers:
    """The types of the columns of answers; ids are strings if those of the index are."""
    strings = index.id_type == "strings"
    return answers | {"id": ("string", pa.string())} if strings else answers


def super_terms(
    queries: DataFrame,
    index: StrPath,
    *,
    column: str = "query",
    keep: Sequence[str] = (),
    where: Where = "anywhere",
    direct: bool = False,
    max_extra: int | None = None,
    limit: int | None = None,
    offset: int = 0,
    normalize: Normalize | None = None,
) -> DataFrame:
    """The terms of a saved index that contain phrases: a row for each phrase and answer.

    The columns are that of the phrases and those to keep, then `id`, `term`, `weight`, `start` and
    `length` as in `TermIndex.super_terms_batch`. A phrase that no term contains has no row.

    Args:
        queries: A data frame of phrases.
        index: The file of the index: a path that all executors see, or a file that was sent to them
            before with `spark.sparkContext.addFile(path)`.
        column: The column of the phrases.
        keep: Other columns of `queries` that the answers get, an id for instance.
        normalize: The function that the index was built with, if it was built with one.

    The other arguments are those of `TermIndex.super_terms`.

    Raises:
        InvalidOptionError: There is no such column, or an option cannot be.
        TermTypeError: The phrases are not strings.

    Errors on executors are raised by Spark when the data frame is used. Its message quotes that of
    termnest, for instance that an executor does not see the index (`MissingFileError`).
    """
    options = {
        "where": where,
        "direct": direct,
        "max_extra": max_extra,
        "limit": limit,
        "offset": offset,
    }
    TermIndex([]).super_terms_batch([], **options)  # type: ignore[arg-type]  # refuses bad options
    return _asked_batch(queries, index, "super_terms_batch", options, column, keep, normalize)


def nested_terms(
    queries: DataFrame,
    index: StrPath,
    *,
    column: str = "query",
    keep: Sequence[str] = (),
    where: Where = "anywhere",
    direct: bool = False,
    limit: int | None = None,
    offset: int = 0,
    normalize: Normalize | None = None,
) -> DataFrame:
    """The terms of a saved index that phrases contain; see `super_terms`."""
    options = {"where": where, "direct": direct, "limit": limit, "offset": offset}
    TermIndex([]).nested_terms_batch([], **options)  # type: ignore[arg-type]
    return _asked_batch(queries, index, "nested_terms_batch", options, column, keep, normalize)


def _asked_batch(
    queries: DataFrame,
    index: StrPath,
    question: str,
    options: dict[str, Any],
    column: str,
    keep: Sequence[str],
    normalize: Normalize | None,
) -> DataFrame:
    saved = saved_index(index, normalize)
    check_frame("queries", queries)
    answers = _with_ids_of(saved, _ANSWERS)
    task = _BatchTask(saved, question, options, column)
    return _asked(queries, column, keep, task, answers)


def find(
    texts: DataFrame,
    index: StrPath,
    *,
    column: str = "text",
    keep: Sequence[str] = (),
    overlaps: Overlaps = "all",
    variants: Variants = "all",
    columns: Sequence[str] = (),
    where: Mapping[str, Any] | None = None,
    normalize: Normalize | None = None,
) -> DataFrame:
    """The terms of a saved index that occur in texts: a row for each text and match.

    The columns are those to keep (not the text, unless it is among them), then `term`, `id`,
    `start` and `end` as in `TermIndex.find`, in characters, then those of the index that are asked
    for.

    Args:
        columns: The index's own columns that the answers get. The driver must see the index.
        where: Which terms to look for, by their values in columns, as in `TermIndex.find`.

    The other arguments are those of `super_terms`.
    """
    TermIndex([]).find("", overlaps=overlaps, variants=variants)  # refuses bad options
    saved = saved_index(index, normalize)
    chosen = list(dict.fromkeys(items("columns", columns, "a list of names of columns")))
    answers = _with_ids_of(saved, _MATCHES) | _types_of(saved, chosen)
    if where is not None:
        given: object = where
        if not isinstance(given, Mapping):
            expected = "a mapping from names of columns to values"
            raise TermTypeError(option="where", value=repr(where), expected=expected)
        if saved.column_types is not None:
            saved.open_here().term_mask(where)  # refuses bad conditions
        where = dict(where)
    check_frame("texts", texts)
    task = _FindTask(saved, overlaps, variants, column, tuple(chosen), where)
    return _asked(texts, column, keep, task, answers, rows=_TEXTS, keep_asked=False)


def _types_of(index: SavedIndex, columns: list[str]) -> Answers:
    """The types of columns of an index."""
    if columns and index.column_types is None:
        raise MissingFileError(
            f"the driver sees no index {index.path}: columns= needs it there, for the types"
        )
    types = dict(index.column_types or ())
    for name in columns:
        if name not in types:
            expected = f"the columns of the index are {', '.join(types) or 'none'}"
            raise InvalidOptionError(option="columns", value=repr(name), expected=expected)
        if name.lower() in _MATCHES:
            expected = "answers have a column of this name"
            raise InvalidOptionError(option="columns", value=repr(name), expected=expected)
    return {name: _OWN[types[name]] for name in columns}


def _asked(
    frame: DataFrame,
    column: str,
    keep: Sequence[str],
    task: Callable[[Batches], Batches],
    answers: Answers,
    rows: int = _PHRASES,
    keep_asked: bool = True,
) -> DataFrame:
    """The answers of a task to the rows of a data frame, with columns of both."""
    from pyspark.sql.types import DataType, StructField, StructType

    check_strings(frame, column, "column")
    if isinstance(keep, str):
        raise InvalidOptionError(
            option="keep", value=repr(keep), expected=f"it must be a list of columns: [{keep!r}]"
        )
    keep = items("keep", keep, "a list of columns")
    kept = list(dict.fromkeys([column, *keep] if keep_asked else keep))
    fields = [StructField(name, column_type(frame, name, "keep")) for name in kept]
    for name in kept:
        # Names of columns in Spark are the same in upper and lower case, by default.
        if name.lower() in answers:
            raise InvalidOptionError(
                option="keep" if name in keep else "column",
                value=repr(name),
                expected="answers have a column of this name; rename it with withColumnRenamed",
            )
    for name, (type, _) in answers.items():
        fields.append(StructField(name, DataType.fromDDL(type)))
    read = list(dict.fromkeys([column, *kept]))
    asked = frame.select([quoted(name) for name in read])
    return asked.mapInArrow(_Keeping(task, tuple(kept), rows), StructType(fields))


# --- what runs on executors ---


@dataclass(frozen=True)
class _Keeping:
    """A task whose answers get columns of the rows that they answer."""

    task: Callable[[Batches], Batches]
    kept: tuple[str, ...]
    # The most rows that the task gets at a time.
    rows: int

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            for start in range(0, len(batch), self.rows):
                part = batch.slice(start, self.rows)
                for answers in self.task(iter([part])):
                    rows = answers["row"]
                    columns = {name: part[name].take(rows) for name in self.kept}
                    for name in answers.schema.names[1:]:
                        columns[name] = answers[name]
                    yield pa.RecordBatch.from_pydict(columns)


@dataclass(frozen=True)
class _BatchTask:
    """Phrases to their super or nested terms, each with the number of its row."""

    index: SavedIndex
    question: str
    options: dict[str, Any]
    column: str

    def __call__(self, batches: Batches) -> Batches:
        index, types = self.index.open(), _with_ids_of(self.index, _ANSWERS)
        ask = getattr(index, self.question)
        for batch in batches:
            phrases = batch[self.column]
            for first, last in self._chunks(index, phrases):
                asked = phrases.slice(first, last - first)
                table = ask(asked, **self.options).to_arrow()
                for start in range(0, len(table), _ANSWERS_IN_MEMORY):
                    answers = table.slice(start, _ANSWERS_IN_MEMORY).combine_chunks()
                    rows = pc.add(answers["query"].cast(pa.int64()), first)
                    yield _rows(answers, rows, types)

    def _chunks(self, index: TermIndex, phrases: pa.Array) -> Iterator[tuple[int, int]]:
        """Cuts the phrases into chunks whose answers fit into memory: the first number of each and
        the one after its last."""
        limit = self.options["limit"]
        first = answers = 0
        # Nested terms are never that many.
        if self.question == "super_terms_batch" and (
            limit is None or limit * len(phrases) > _ANSWERS_IN_MEMORY
        ):
            for number, phrase in enumerate(phrases.to_pylist()):
                found = 0 if phrase is None else index.count_super_terms(phrase)
                found = found if limit is None else min(found, limit)
                if answers and answers + found > _ANSWERS_IN_MEMORY:
                    yield first, number
                    first, answers = number, 0
                answers += found
        yield first, len(phrases)


@dataclass(frozen=True)
class _FindTask:
    """Texts to the terms that occur in them, each with the number of its row."""

    index: SavedIndex
    overlaps: Overlaps
    variants: Variants
    column: str
    columns: tuple[str, ...] = ()
    where: Mapping[str, Any] | None = None

    def __call__(self, batches: Batches) -> Batches:
        index = self.index.open()
        types = _with_ids_of(self.index, _MATCHES) | _types_of(self.index, [*self.columns])
        for batch in batches:
            texts = batch[self.column]
            # Texts of about equal size, whose matches are in memory at the same time.
            rows = max(1, _TEXT_BYTES * len(texts) // max(1, texts.nbytes))
            for first in range(0, len(texts), rows):
                # Spark runs a task on each core.
                found = index.find_batch(
                    texts.slice(first, rows),
                    overlaps=self.overlaps,
                    variants=self.variants,
                    columns=self.columns,
                    where=self.where,
                    threads=1,
                )
                table = found.to_arrow()
                for start in range(0, len(table), _ANSWERS_IN_MEMORY):
                    matches = table.slice(start, _ANSWERS_IN_MEMORY).combine_chunks()
                    yield _rows(matches, pc.add(matches["row"].cast(pa.int64()), first), types)


def _rows(table: pa.Table, rows: Any, answers: Answers) -> pa.RecordBatch:
    """The numbers of the rows, then the columns of answers in types that Spark has."""
    columns = {"row": rows.cast(pa.int64())}
    for name, (_, type) in answers.items():
        columns[name] = table[name].cast(type)
    columns = {
        name: column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        for name, column in columns.items()
    }
    return pa.RecordBatch.from_pydict(columns)
