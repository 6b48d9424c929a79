"""Checks of the columns that a user names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termnest.arguments import instance
from termnest.errors import InvalidOptionError, TermTypeError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType


def quoted(name: str) -> str:
    """The name of a column in Spark's expressions; it may have any characters."""
    return "`" + name.replace("`", "``") + "`"


def check_frame(argument: str, frame: object) -> None:
    """Checks that an argument is a data frame of Spark.

    Raises:
        TermTypeError: It is something else.
    """
    from pyspark.sql import DataFrame

    instance(argument, frame, DataFrame, "a Spark data frame")


def column_type(frame: DataFrame, name: str, option: str) -> DataType:
    """The type of the column that an option names.

    Raises:
        InvalidOptionError: There is no such column.
        TermTypeError: The name is not a string.
    """
    instance(option, name, str, "the name of a column")
    if frame.columns.count(name) != 1:
        have = "several columns have" if name in frame.columns else "no column has"
        columns = ", ".join(map(repr, frame.columns)) or "none"
        raise InvalidOptionError(
            option=option, value=repr(name), expected=f"{have} this name; there are {columns}"
        )
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
        raise wrong_type(option, name, found, "strings")


def wrong_type(option: str, name: str, found: DataType, expected: str) -> TermTypeError:
    """The error of a column that has values of another type than expected."""
    return TermTypeError(
        option=option,
        value=f"{name!r}, a column of {found.simpleString()}",
        expected=f"a column of {expected}",
    )
