"""Vocabularies in Parquet files."""

from __future__ import annotations

import io
import os
from typing import Any

from termnest import _core
from termnest.errors import InvalidTermError, file_error
from termnest.table import optional_package


def parquet_columns(
    path: str | os.PathLike[str],
    content: bytes | None,
    column: str | int | None,
    weight_column: str | int | None,
) -> tuple[Any, Any | None]:
    """The columns of terms and of weights, chosen as in other files that have a header.

    `content` is what the file contains, if it has been read.
    """
    parquet = optional_package("pyarrow.parquet")
    arrow = optional_package("pyarrow")
    try:
        file = parquet.ParquetFile(io.BytesIO(content) if content is not None else os.fspath(path))
        schema = file.schema_arrow
        if len(set(schema.names)) < max(len(schema.names), 1):
            problem = "two columns of one name" if schema.names else "no column"
            raise InvalidTermError(f"{os.fspath(path)} has {problem}")
        numeric = [_is_numeric(kind) for kind in schema.types]
        term, weight, _ = _core.find_columns(
            schema.names, column, weight_column, numeric=numeric, file=path
        )
        terms = schema.names[term]
        weights = None if weight is None else schema.names[weight]
        table = file.read([name for name in (terms, weights) if name is not None])
    except OSError as error:
        # For a file that is not Parquet, pyarrow raises an OSError or an error of its own.
        message = f"cannot read {os.fspath(path)}: {error.strerror or error}"
        raise file_error(message, error.errno, path) from error
    except arrow.ArrowException as error:
        raise InvalidTermError(f"{os.fspath(path)} is not a Parquet file: {error}") from error
    return table[terms], table[weights] if weights is not None else None


def _is_numeric(kind: Any) -> bool:
    types = optional_package("pyarrow.types")
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))
