"""Writing ranked terms as TSV, CSV, JSON Lines, Parquet, XLSX or TBX."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from termnest.arguments import instance
from termnest.atomic import atomic_write
from termnest.errors import InvalidOptionError
from termnest.files import path_name
from termnest.options import StrPath
from termnest.parquet import forms_of
from termnest.table import Table, optional_package
from termnest.terminology.export import xlsx
from termnest.terminology.export.tbx import tbx


def write_terms(
    table: Table, path: StrPath, *, language: str | None = None, title: str | None = None
) -> None:
    """Writes a table as TSV, CSV, JSON Lines, Parquet, XLSX or TBX: the extension decides.

    `TermIndex.from_file` and every command can read the file. It is written atomically.

    Args:
        table: The terms, as `extract` and `rank` return them.
        path: The file: `.tsv`, `.csv`, `.jsonl`, `.parquet` (which needs pyarrow), `.xlsx` (which
            needs openpyxl) or `.tbx`.
        language: For `.tbx`: the code of the language of the terms.
        title: For `.tbx`: the title of the termbase; by default the name of the file.

    Raises:
        InvalidOptionError: The extension is none of these.
        FileAccessError: The file cannot be written.
    """
    instance("table", table, Table, "a Table")
    write = writer(path, language=language, title=title)
    with atomic_write(path) as file:
        write(table, file)


def writer(
    path: StrPath, *, language: str | None = None, title: str | None = None
) -> Callable[[Table, BinaryIO], None]:
    """The function that writes a table in the format of a file with this name."""
    file = Path(path_name("path", path))
    name = file.name.lower()
    if name.endswith(".tbx"):
        return partial(_write_tbx, language=language, title=file.stem if title is None else title)
    for extension, write in _WRITERS.items():
        if name.endswith(extension):
            if extension == ".parquet":
                optional_package("pyarrow.parquet")  # reports now that it is not installed
            elif extension == ".xlsx":
                xlsx.package()
            return write
    *most, last = *_WRITERS, ".tbx"
    raise InvalidOptionError(
        f"the name {str(path)!r} has none of the known extensions: end it with "
        f"{', '.join(most)} or {last}"
    )


def _write_parquet(table: Table, file: BinaryIO) -> None:
    optional_package("pyarrow.parquet").write_table(table.to_arrow(), file)


def _write_tbx(table: Table, file: BinaryIO, language: str | None, title: str) -> None:
    def entries() -> Iterator[tuple[str, str, list[str], str | None]]:
        for row in table:
            forms = forms_of(row["term"], row.get("forms"))
            context = (row.get("contexts") or "").split(" | ")[0]
            yield row["term"], row["term"], forms, context or None

    file.writelines(part.encode() for part in tbx(entries(), language, title))


_WRITERS: dict[str, Callable[[Table, BinaryIO], None]] = {
    ".tsv": Table.write_tsv,
    ".csv": Table.write_csv,
    ".jsonl": Table.write_jsonl,
    ".parquet": _write_parquet,
    ".xlsx": xlsx.write_xlsx,
}
