"""Checks of the columns that a user names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termnest.errors import InvalidOptionError, TermTypeError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType


def quoted(name: str) -> str:
    """The name of a column in Spark's expressions, whatever characters it has."""
    return "`" + name.replace("`", "``") + "`"


def column_type(frame: DataFrame, name: str, option: str) -> DataType:
    """The type of the column that an option names.

    Raises:
        InvalidOptionError: There is no such column.
        TermTypeError: The frame is not a data frame, or the name not a string.
    """
    from pyspark.sql import DataFrame

    if not isinstance(frame, DataFrame):
        raise TermTypeError(f"a Spark data frame is needed, not a {type(frame).__name__}")
    if not isinstance(name, str):
        raise TermTypeError(f"{option} must be the name of a column, not {name!r}")
    if frame.columns.count(name) != 1:
        has = "several columns" if name in frame.columns else "no column"
        columns = ", ".join(map(repr, frame.columns)) or "none"
        raise InvalidOptionError(f"the data frame has {has} {name!r} ({option}), only {columns}")
    return frame.schema[name].dataType


def check_strings(frame: DataFrame, name: str, option: str) -> None:
    """Checks that a column has strings.

    Raises:
        InvalidOptionError: There is no such column.
        TermTypeError: It has values of another type.
    """
    from pyspark.sql.types import NullType, StringType

    found = column_type(frame, name, option)
    if not isinstance(found, StringType | NullType):
        raise TermTypeError(
            f"the column {name!r} ({option}) is of {found.simpleString()}, not of strings"
        )
