"""What all of `termnest.spark` needs of Spark: its version, its columns, its errors."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from termnest import errors
from termnest.errors import InvalidOptionError, MissingExtraError, TermnestError, TermTypeError

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType

_INSTALL = "pip install 'termnest[spark]'"


def check_packages() -> None:
    """Refuses to begin without what the extra `spark` installs.

    Raises:
        MissingExtraError: pyspark or pyarrow is not installed, or not the right version.
    """
    for name in ("pyspark", "pyarrow"):
        try:
            package = importlib.import_module(name)
        except ImportError as error:
            raise MissingExtraError(
                f"termnest.spark needs {name}, which is not installed: {_INSTALL}"
            ) from error
        if name == "pyspark" and not package.__version__.startswith("4."):
            raise MissingExtraError(
                f"termnest.spark needs pyspark 4, and {package.__version__} is installed: "
                f"{_INSTALL}"
            )


# The last line of a Python traceback from an executor, somewhere in what Spark says of it.
_OURS = re.compile(r"^termnest\.errors\.(\w+): (.+)$", re.MULTILINE)
_NOT_THERE = re.compile(r"^ModuleNotFoundError: No module named 'termnest", re.MULTILINE)


@contextmanager
def errors_of_executors() -> Iterator[None]:
    """An error of ours that was raised on an executor is raised here as what it was."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        ours = unwrapped(error)
        if ours is None:
            raise
        raise ours from None


def unwrapped(error: Exception) -> TermnestError | None:
    """The error of ours that Spark tells of, if it does."""
    found = _OURS.search(str(error))
    if found is None:
        if _NOT_THERE.search(str(error)) is None:
            return None
        return MissingExtraError(
            "the Python of the executors has no termnest: install it there, or set PYSPARK_PYTHON "
            "to a Python that has it"
        )
    error_class = getattr(errors, found[1], TermnestError)
    if not issubclass(error_class, TermnestError):
        return None
    ours: TermnestError = error_class(found[2])
    return ours


def context_of(frame: DataFrame) -> SparkContext:
    """The context of a data frame.

    Raises:
        InvalidOptionError: It has none, since it is one of Spark Connect.
    """
    from pyspark.errors import PySparkException

    try:
        return frame.sparkSession.sparkContext
    except (PySparkException, AttributeError) as error:
        raise InvalidOptionError(
            "pairs and scores need a session of Spark itself: Spark Connect has no broadcasts; use "
            "spark-submit, or a session with a master"
        ) from error


def quoted(name: str) -> str:
    """The name of a column as Spark's expressions have it, whatever characters are in it."""
    return "`" + name.replace("`", "``") + "`"


def column_type(frame: DataFrame, name: str, what: str) -> DataType:
    """The type of a column.

    Raises:
        InvalidOptionError: There is no such column.
        TermTypeError: It is no data frame, or no name.
    """
    from pyspark.sql import DataFrame

    if not isinstance(frame, DataFrame):
        raise TermTypeError(f"it takes a Spark data frame, not a {type(frame).__name__}")
    if not isinstance(name, str):
        raise TermTypeError(f"{what} must be the name of a column, not {name!r}")
    if frame.columns.count(name) != 1:
        has = "several columns" if name in frame.columns else "no column"
        columns = ", ".join(map(repr, frame.columns)) or "none"
        raise InvalidOptionError(f"the data frame has {has} {name!r} ({what}); it has {columns}")
    return frame.schema[name].dataType


def string_column(frame: DataFrame, name: str, what: str) -> None:
    """Refuses a column that is not of strings.

    Raises:
        InvalidOptionError: There is no such column.
        TermTypeError: It holds something else.
    """
    from pyspark.sql.types import NullType, StringType

    found = column_type(frame, name, what)
    if not isinstance(found, StringType | NullType):
        raise TermTypeError(
            f"the column {name!r} ({what}) is of {found.simpleString()}, not of strings"
        )
