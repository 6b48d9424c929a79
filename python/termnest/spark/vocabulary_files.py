"""Reads the vocabulary of the command: text, CSV, TSV or Parquet, from wherever Spark reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from termnest import _core
from termnest.errors import InvalidOptionError
from termnest.spark.columns import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def read_vocabulary(
    spark: SparkSession, path: str, format: str | None, column: str | None, id_column: str | None
) -> tuple[DataFrame, str]:
    """The vocabulary, and the name of the column of its terms.

    Raises:
        InvalidOptionError: A column of a text file is named.
    """
    format = format or _format_of(path)
    if format == "text":
        if column not in (None, "term"):
            raise InvalidOptionError(
                option="column", value=repr(column), expected=f"{path} is text, without columns"
            )
        return _read_text(spark, path), "term"
    if format == "parquet":
        frame = spark.read.parquet(path)
    else:
        frame = _read_table(spark, path, format, [name for name in (column, id_column) if name])
    if column is None:
        names = frame.columns or ["term"]
        column = names[_core.find_columns(names)[0]]
    return frame, column


def _format_of(path: str) -> str:
    name = path.rstrip("/").removesuffix(".gz").removesuffix(".bz2")
    ending = name.rpartition(".")[2]
    return ending if ending in ("csv", "tsv", "parquet") else "text"


def _read_text(spark: SparkSession, path: str) -> DataFrame:
    # A line ends at LF, CRLF or a CR alone, as everywhere in termnest.
    return spark.read.text(path).withColumnRenamed("value", "term")


def _read_table(spark: SparkSession, path: str, format: str, named: Sequence[str]) -> DataFrame:
    quote = "" if format == "tsv" else '"'

    def read(separator: str, header: bool = True) -> DataFrame:
        return spark.read.csv(path, header=header, sep=separator, quote=quote, escape='"')

    separator = "\t" if format == "tsv" else ","
    frame = read(separator)
    if format == "csv" and len(frame.columns) == 1:
        names = frame.columns[0].split(";")
        if _core.find_columns(names)[2] or any(name in named for name in names):
            separator = ";"
            frame = read(separator)
    # A column that is named and missing is reported later, with the columns that there are.
    if not named and not _has_header(frame):
        frame = read(separator, header=False)
    return frame


def _has_header(frame: DataFrame) -> bool:
    """Whether the first row, which has become the names of the columns, is a header.

    The rule is that of `TermIndex.from_file` (src/vocabulary/header.rs), with one difference: a
    column with numbers in most rows, not in all, makes the first row a term, not an error.
    """
    _, weight, certain = _core.find_columns(frame.columns)
    if certain or weight is None or len(frame.columns) == 1:
        return certain
    number = f"try_cast({quoted(frame.columns[weight])} as double)"
    return frame.where(f"{number} is null").isEmpty()
