"""XLSX: a sheet of ranked terms, with openpyxl."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO

from termnest.errors import InvalidOptionError, MissingExtraError
from termnest.table import Table

# Characters that a cell cannot have, and the rows that a sheet can.
_IMPOSSIBLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_MAX_ROWS = 1_048_576
_MAX_CELL = 32_767


def package() -> Any:
    """openpyxl, if it is installed."""
    try:
        return importlib.import_module("openpyxl")
    except ImportError as error:
        raise MissingExtraError(
            "an Excel workbook needs openpyxl: pip install 'termnest[xlsx]', or write CSV"
        ) from error


def write_xlsx(table: Table, file: BinaryIO) -> None:
    """Writes a table as a workbook of one sheet, the first row as the header."""
    if len(table) >= _MAX_ROWS:
        raise InvalidOptionError(
            f"a sheet has at most {_MAX_ROWS - 1:,} rows below its header, not {len(table):,}: "
            "take the best terms (top), or write CSV"
        )
    write_rows(table.columns, (row.values() for row in table), file)


def write_rows(columns: Sequence[str], rows: Iterable[Iterable[Any]], file: BinaryIO) -> None:
    """Writes rows below a header as a workbook of one sheet."""
    openpyxl = package()
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Terms")
    sheet.freeze_panes = "A2"
    sheet.column_dimensions["A"].width = 40
    cells = openpyxl.cell.cell
    sheet.append(list(columns))
    for row in rows:
        values = []
        for value in row:
            if isinstance(value, str):
                text = _IMPOSSIBLE.sub("\ufffd", value)[:_MAX_CELL]
                # As text: a term that begins with "=" is not a formula.
                plain = cells.WriteOnlyCell(sheet, value=text)
                plain.data_type = "s"
                values.append(plain)
            else:
                values.append(value)
        sheet.append(values)
    book.save(file)
