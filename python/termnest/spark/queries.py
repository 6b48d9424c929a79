"""Queries and texts by the billion against one saved index.

Every Python worker opens the index once and keeps it: the file is mapped, so that all workers of a
machine share its memory.
"""

from __future__ import annotations

import socket
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from termnest.errors import InvalidOptionError, MissingFileError
from termnest.index import TermIndex
from termnest.options import Normalize, Overlaps, StrPath, Where
from termnest.spark.session import column_type, quoted, string_column

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Batches = Iterator[pa.RecordBatch]

# Phrases that are asked at a time, and about how many answers they may have, which are held in
# memory; one phrase may have more.
_AT_ONCE = 1_000
_ANSWERS_AT_ONCE = 200_000

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

    The columns are that of the phrases and those to keep, then as in `TermIndex.super_terms_batch`
    `id`, `term`, `weight`, `start` and `length`. A phrase that no term contains has no row.

    Args:
        queries: A data frame of phrases.
        index: The file of the index, at a path that all executors see; or sent to them with
            `spark.sparkContext.addFile(path)` before.
        column: The column of the phrases.
        keep: Other columns to keep, an id for instance.
        normalize: The function that the index was built with, if it was built with one.

    The other arguments are those of `TermIndex.super_terms`.

    Raises:
        InvalidOptionError: There is no such column, or an option cannot be.
        TermTypeError: The phrases are not strings.

    What goes wrong on executors is raised by Spark when the data frame is used; its message has the
    sentence of ours: that an executor does not see the index (`MissingFileError`), for instance.
    """
    options = {
        "where": where,
        "direct": direct,
        "max_extra": max_extra,
        "limit": limit,
        "offset": offset,
    }
    TermIndex([]).super_terms_batch([], **options)  # type: ignore[arg-type]  # refuses bad options
    task = _BatchTask(_index(index, normalize), "super_terms_batch", options, column)
    return _asked(queries, column, keep, task, _ANSWERS)


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
    task = _BatchTask(_index(index, normalize), "nested_terms_batch", options, column)
    return _asked(queries, column, keep, task, _ANSWERS)


def find(
    texts: DataFrame,
    index: StrPath,
    *,
    column: str = "text",
    keep: Sequence[str] = (),
    overlaps: Overlaps = "all",
    normalize: Normalize | None = None,
) -> DataFrame:
    """The terms of a saved index that stand in texts: a row for each text and match.

    The columns are those to keep (not the text, unless it is among them), then as in
    `TermIndex.find` `term`, `id`, `start` and `end`, in characters. The other arguments are those
    of `super_terms`.
    """
    TermIndex([]).find("", overlaps=overlaps)  # refuses bad options
    task = _FindTask(_index(index, normalize), overlaps, column)
    return _asked(texts, column, keep, task, _MATCHES, keep_asked=False)


def _asked(
    frame: DataFrame,
    column: str,
    keep: Sequence[str],
    task: Callable[[Batches], Batches],
    answers: dict[str, tuple[str, Any]],
    keep_asked: bool = True,
) -> DataFrame:
    """What a task makes of a data frame: columns of it, and those of the answers."""
    from pyspark.sql.types import DataType, StructField, StructType

    string_column(frame, column, "column")
    if isinstance(keep, str):
        raise InvalidOptionError(f"keep must be a list of columns, not one str: [{keep!r}]")
    kept = list(dict.fromkeys([column, *keep] if keep_asked else keep))
    fields = [StructField(name, column_type(frame, name, "keep")) for name in kept]
    for name in kept:
        # Spark does not tell upper from lower case in names, as a rule.
        if name.lower() in answers:
            raise InvalidOptionError(
                f"the column {name!r} cannot be kept, since answers have one of this name: rename "
                "it with withColumnRenamed"
            )
    for name, (type, _) in answers.items():
        fields.append(StructField(name, DataType.fromDDL(type)))
    read = list(dict.fromkeys([column, *kept]))
    asked = frame.select([quoted(name) for name in read])
    return asked.mapInArrow(_Keeping(task, tuple(kept)), StructType(fields))


# --- what runs on executors ---


@dataclass(frozen=True)
class _Index:
    """A saved index."""

    path: str
    normalize: Normalize | None = None
    call: str | None = None
    """Tells one normalize from another, which nothing else does when they are pickled."""
    checksum: int | None = None
    """Of the file that the driver sees, if it does."""

    def open(self) -> TermIndex:
        """The index, opened once in a process as long as its file stays the same."""
        path = _visible(Path(self.path))
        facts = path.stat()
        name = (str(path), facts.st_ino, facts.st_mtime_ns, facts.st_size, self.call)
        if name not in _opened:
            _opened.clear()
            _opened[name] = TermIndex.open(path, normalize=self.normalize)
        opened = _opened[name]
        # Files are sent under their last name only, which another one may have had.
        was_sent = path != Path(self.path)
        if was_sent and self.checksum not in (None, opened._index.checksum):
            raise InvalidOptionError(
                f"the file {path.name} that was sent to the executors is not {self.path}: send "
                "that one, under a name of its own"
            )
        return opened


def _index(path: StrPath, normalize: Normalize | None) -> _Index:
    checksum = None
    if Path(path).is_file():
        checksum = TermIndex.open(path, normalize=normalize)._index.checksum
    call = uuid.uuid4().hex if normalize is not None else None
    return _Index(str(path), normalize, call, checksum)


_opened: dict[object, TermIndex] = {}


def _visible(path: Path) -> Path:
    from pyspark import SparkFiles

    if path.is_file():
        return path
    try:
        sent = Path(SparkFiles.get(path.name))
    except Exception:  # no file was ever sent
        sent = path
    if sent.is_file():
        return sent
    raise MissingFileError(
        f"the executor on {socket.gethostname()} sees no index {path}: put it on a file system "
        f"that all executors share, or send it with spark.sparkContext.addFile({str(path)!r})"
    )


@dataclass(frozen=True)
class _Keeping:
    """A task, the answers of which get columns of the rows that they answer."""

    task: Callable[[Batches], Batches]
    kept: tuple[str, ...]

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            for start in range(0, len(batch), _AT_ONCE):
                part = batch.slice(start, _AT_ONCE)
                for answers in self.task(iter([part])):
                    rows = answers["row"]
                    columns = {name: part[name].take(rows) for name in self.kept}
                    for name in answers.schema.names[1:]:
                        columns[name] = answers[name]
                    yield pa.RecordBatch.from_pydict(columns)


@dataclass(frozen=True)
class _BatchTask:
    """Phrases to their super or nested terms, with the numbers of their rows."""

    index: _Index
    question: str
    options: dict[str, Any]
    column: str

    def __call__(self, batches: Batches) -> Batches:
        index = self.index.open()
        ask = getattr(index, self.question)
        for batch in batches:
            phrases = batch[self.column]
            for first, last in self._portions(index, phrases):
                asked = phrases.slice(first, last - first)
                table = ask(asked, **self.options).to_arrow()
                for start in range(0, len(table), _ANSWERS_AT_ONCE):
                    answers = table.slice(start, _ANSWERS_AT_ONCE).combine_chunks()
                    yield _rows(answers, pc.add(answers["query"].cast(pa.int64()), first), _ANSWERS)

    def _portions(self, index: TermIndex, phrases: pa.Array) -> Iterator[tuple[int, int]]:
        """Phrases that have not too many answers together: their first number and the one behind
        their last."""
        limit = self.options["limit"]
        first = answers = 0
        # Only super terms may be very many.
        if self.question == "super_terms_batch" and (
            limit is None or limit * len(phrases) > _ANSWERS_AT_ONCE
        ):
            for number, phrase in enumerate(phrases.to_pylist()):
                found = 0 if phrase is None else index.count_super_terms(phrase)
                found = found if limit is None else min(found, limit)
                if answers and answers + found > _ANSWERS_AT_ONCE:
                    yield first, number
                    first, answers = number, 0
                answers += found
        yield first, len(phrases)


@dataclass(frozen=True)
class _FindTask:
    """Texts to the terms that stand in them, with the numbers of their rows."""

    index: _Index
    overlaps: Overlaps
    column: str

    def __call__(self, batches: Batches) -> Batches:
        index = self.index.open()
        for batch in batches:
            found: list[pa.Table] = []
            rows: list[pa.Array] = []
            count = 0
            for row, text in enumerate(batch[self.column]):
                if text.is_valid:
                    matches = index.find(text.as_py(), overlaps=self.overlaps).to_arrow()
                    found.append(matches)
                    rows.append(pa.repeat(pa.scalar(row, pa.int64()), len(matches)))
                    count += len(matches)
                if count and (count >= _ANSWERS_AT_ONCE or row == len(batch) - 1):
                    yield _rows(pa.concat_tables(found), pa.concat_arrays(rows), _MATCHES)
                    found, rows, count = [], [], 0


def _rows(table: pa.Table, rows: Any, answers: dict[str, tuple[str, Any]]) -> pa.RecordBatch:
    """The columns of answers, of the types that Spark has, behind the numbers of the rows."""
    columns = {"row": rows.cast(pa.int64())}
    for name, (_, type) in answers.items():
        columns[name] = table[name].cast(type)
    columns = {
        name: column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        for name, column in columns.items()
    }
    return pa.RecordBatch.from_pydict(columns)
