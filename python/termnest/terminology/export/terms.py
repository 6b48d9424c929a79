"""Writing ranked terms as TSV, CSV, JSON Lines or Parquet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from termnest.arguments import instance
from termnest.atomic import atomic_write
from termnest.errors import InvalidOptionError
from termnest.files import path_name
from termnest.options import StrPath
from termnest.table import Table, optional_package


def write_terms(table: Table, path: StrPath) -> None:
    """Writes a table as TSV, CSV, JSON Lines or Parquet: the extension of the file decides.

    `TermIndex.from_file` and every command can read the file. It is written atomically.

    Args:
        table: The terms, as `extract` and `rank` return them.
        path: The file: `.tsv`, `.csv`, `.jsonl` or `.parquet` (which needs pyarrow).

    Raises:
        InvalidOptionError: The extension is none of these.
        FileAccessError: The file cannot be written.
    """
    instance("table", table, Table, "a Table")
    write = writer(path)
    with atomic_write(path) as file:
        write(table, file)


def writer(path: StrPath) -> Callable[[Table, BinaryIO], None]:
    """The function that writes a table in the format of a file with this name."""
    name = Path(path_name("path", path)).name.lower()
    for extension, write in _WRITERS.items():
        if name.endswith(extension):
            if extension == ".parquet":
                optional_package("pyarrow.parquet")  # reports now that it is not installed
            return write
    *most, last = _WRITERS
    raise InvalidOptionError(
        f"the name {str(path)!r} has none of the known extensions: end it with "
        f"{', '.join(most)} or {last}"
    )


def _write_parquet(table: Table, file: BinaryIO) -> None:
    optional_package("pyarrow.parquet").write_table(table.to_arrow(), file)


_WRITERS: dict[str, Callable[[Table, BinaryIO], None]] = {
    ".tsv": Table.write_tsv,
    ".csv": Table.write_csv,
    ".jsonl": Table.write_jsonl,
    ".parquet": _write_parquet,
}
