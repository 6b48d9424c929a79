"""Vocabularies in Parquet files."""

from __future__ import annotations

import io
import os
from typing import Any

from termnest.errors import InvalidOptionError, InvalidTermError, file_error
from termnest.table import optional_package

_WEIGHT_NAMES = ("weight", "frequency")


def parquet_columns(
    path: str | os.PathLike[str],
    content: bytes | None,
    column: str | int | None,
    weight_column: str | int | None,
) -> tuple[Any, Any | None]:
    """The columns of terms and of weights, chosen as in other files that have a header."""
    parquet = optional_package("pyarrow.parquet")
    arrow = optional_package("pyarrow")
    try:
        file = parquet.ParquetFile(io.BytesIO(content) if content is not None else os.fspath(path))
        names = file.schema_arrow.names
        if len(set(names)) < max(len(names), 1):
            problem = "two columns of one name" if names else "no column"
            raise InvalidTermError(f"{os.fspath(path)} has {problem}")
        terms = _named(column, names, path) if column is not None else _default(names)
        weights = (
            _named(weight_column, names, path)
            if weight_column is not None
            else next((name for name in names if name.lower() in _WEIGHT_NAMES), None)
        )
        table = file.read([name for name in (terms, weights) if name is not None])
    except OSError as error:
        # pyarrow tells a file that is no Parquet as an OSError or as an error of its own.
        message = f"cannot read {os.fspath(path)}: {error.strerror or error}"
        raise file_error(message, error.errno, path) from error
    except arrow.ArrowException as error:
        raise InvalidTermError(f"{os.fspath(path)} is no Parquet file: {error}") from error
    return table[terms], table[weights] if weights is not None else None


def _default(names: list[str]) -> str:
    return next((name for name in names if name.lower() == "term"), names[0])


def _named(column: str | int, names: list[str], path: str | os.PathLike[str]) -> str:
    if isinstance(column, int) and 0 <= column < len(names):
        return names[column]
    if isinstance(column, str) and column in names:
        return column
    raise InvalidOptionError(
        f"{os.fspath(path)} has no column {column!r}; it has {', '.join(map(repr, names))}"
    )
