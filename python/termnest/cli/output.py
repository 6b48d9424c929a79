"""Printing answers: lines, tab-separated columns, JSON Lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from termnest.table import Table


def print_lines(lines: Iterable[str]) -> None:
    """Prints lines as they are, as UTF-8 whatever the locale."""
    out = sys.stdout.buffer
    for line in lines:
        # The name of a file may have bytes that are not UTF-8; they are printed unchanged.
        out.write(f"{line}\n".encode(errors="surrogateescape"))


def print_rows(rows: Iterable[Sequence[object]]) -> None:
    """Prints tab-separated columns."""
    print_lines("\t".join(cell(str(value)) for value in row) for row in rows)


def print_json(rows: Iterable[dict[str, Any]]) -> None:
    """Prints JSON Lines: one object per row."""
    print_lines(json.dumps(row, ensure_ascii=False) for row in rows)


def shown(value: object) -> str:
    """A value of a column as a cell of a table: lists as JSON, None as nothing."""
    if isinstance(value, bool | list):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)


def cell(text: str) -> str:
    """A text on one line and in one column: tabs and line ends are escaped."""
    return text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def counted(count: int, what: str) -> str:
    """A number and its noun: "1 term", "2,000 terms"."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def printable(text: str) -> str:
    """A text that cannot control the terminal: the name of a file may have any character."""
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    # Python decodes a byte of a name that is not UTF-8 as U+DC00 plus the byte.
    byte = ord(character) - 0xDC00
    return f"\\x{byte:02x}" if 0x80 <= byte <= 0xFF else repr(character)[1:-1]


def print_table(table: Table, columns: list[str] | None) -> None:
    """Prints a table: these columns with tabs in between, or all of it as JSON Lines."""
    if columns is None:
        table.write_jsonl(sys.stdout.buffer)
    else:
        table.write_tsv(sys.stdout.buffer, columns, header=False)
