"""Reads the vocabulary of the command: text, CSV, TSV or Parquet, from wherever Spark reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from termnest.errors import InvalidOptionError

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
        names = [name for name in frame.columns if name.lower() == "term"]
        column = (names or frame.columns or ["term"])[0]
    return frame, column


def _format_of(path: str) -> str:
    name = path.rstrip("/").removesuffix(".gz").removesuffix(".bz2")
    ending = name.rpartition(".")[2]
    return ending if ending in ("csv", "tsv", "parquet") else "text"


def _read_text(spark: SparkSession, path: str) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812

    # A line ends at LF or CRLF, as everywhere in termnest. Spark would also end it at CR alone.
    lines = spark.read.text(path, lineSep="\n")
    line = F.expr(r"if(endswith(value, '\r'), left(value, length(value) - 1), value)")
    return lines.select(line.alias("term"))


def _read_table(spark: SparkSession, path: str, format: str, named: Sequence[str]) -> DataFrame:
    quote = "" if format == "tsv" else '"'

    def read(separator: str, header: bool = True) -> DataFrame:
        return spark.read.csv(path, header=header, sep=separator, quote=quote, escape='"')

    separator = "\t" if format == "tsv" else ","
    frame = read(separator)
    if format == "csv" and len(frame.columns) == 1:
        names = frame.columns[0].split(";")
        if _is_header(names, named):
            separator = ";"
            frame = read(separator)
    # A column that is named and missing is reported later, with the columns that there are.
    if not named and not _is_header(frame.columns, named):
        frame = read(separator, header=False)
    return frame


def _is_header(cells: Sequence[str], named: Sequence[str]) -> bool:
    """Whether the first row of a table is a header, by the rule of `TermIndex.from_file`.

    The rule itself is in src/vocabulary/tables.rs. This is a copy: Spark reads the files, not the
    core.
    """
    return any(cell.lower() == "term" or cell in named for cell in cells)
