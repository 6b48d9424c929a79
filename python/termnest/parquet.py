"""Vocabularies in Parquet files."""

from __future__ import annotations

import io
import os
from typing import Any

from termnest import _core
from termnest.errors import InvalidTermError, file_error
from termnest.options import Options
from termnest.table import optional_package

_MATCHING = "matching"


def parquet_columns(
    path: str | os.PathLike[str],
    content: bytes | None,
    analysis: _core._Analysis,
    column: str | int | None,
    weight_column: str | int | None,
    own: list[str] | None,
    all_own: bool,
    id_column: str | int | None,
) -> tuple[Any, Any | None, tuple[Any | None, list[tuple[str, Any]]], _core._Analysis]:
    """The columns of terms and of weights, chosen as in other files that have a header; and the
    user's ids and own columns; and how the terms match, which a column `matching` may say.

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
        ids = None if id_column is None else _chosen(schema.names, id_column, path)
        names = own or []
        if all_own:
            names = [name for name in schema.names if name not in (terms, weights, ids)]
        names = [_chosen(schema.names, name, path) for name in names]
        matching = _MATCHING if _MATCHING in schema.names else None
        read = [name for name in (terms, weights, ids, matching, *names) if name is not None]
        table = file.read(list(dict.fromkeys(read)))
    except OSError as error:
        # For a file that is not Parquet, pyarrow raises an OSError or an error of its own.
        message = f"cannot read {os.fspath(path)}: {error.strerror or error}"
        raise file_error(message, error.errno, path) from error
    except arrow.ArrowException as error:
        raise InvalidTermError(f"{os.fspath(path)} is not a Parquet file: {error}") from error
    columns = [(name, table[name]) for name in names]
    rows = (None if ids is None else table[ids], columns)
    if matching is not None and len(table):
        analysis = _analysis_of(analysis, str(table[matching][0].as_py()))
    return table[terms], table[weights] if weights is not None else None, rows, analysis


def _analysis_of(given: _core._Analysis, matching: str) -> _core._Analysis:
    """The options that the column says, unless others were given."""
    names = [name for name in Options._fields if name in given and name != "normalize"]
    if any(given[name] not in (None, False) for name in names):  # type: ignore[literal-required]
        return given
    said = Options(*_core.options_of_matching(matching))._asdict()
    return {**given, **{name: said[name] for name in names}}  # type: ignore[typeddict-item]


def _chosen(names: list[str], column: str | int, path: str | os.PathLike[str]) -> str:
    """The name of a column that was asked for by its name or number."""
    number, _, _ = _core.find_columns(names, column, numeric=[False] * len(names), file=path)
    return names[number]


def _is_numeric(kind: Any) -> bool:
    types = optional_package("pyarrow.types")
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))
