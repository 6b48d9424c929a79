"""The texts of a corpus: files, folders, JSON Lines, standard input; read piece by piece."""

from __future__ import annotations

import codecs
import gzip
import json
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, cast

from termnest.errors import (
    FileAccessError,
    InvalidOptionError,
    InvalidTextError,
    MissingFileError,
)
from termnest.index import StrPath

CorpusFormat = Literal["text", "jsonl"]

_STANDARD_INPUT = "-"
_FIRST = 8192
"""The bytes by which a file is told to be binary."""
_BLOCK = 1 << 18
_LONGEST_PIECE = 1 << 24
# No run of words goes on behind these: a text may be cut there.
_BORDERS = re.compile(r"\n\s*\n|[.!?]\s")
_SPACE = re.compile(r"\s")


class Skipped(NamedTuple):
    """A file of a folder that was not read."""

    path: str
    reason: str


class Corpus:
    """The texts of files and folders. Iterating reads them, each time anew.

    >>> folder = getfixture("tmp_path")
    >>> _ = (folder / "a.txt").write_text("Basal cell carcinoma.")
    >>> _ = (folder / "b.jsonl").write_text('{"text": "A cell."}\\n{"text": "No cell."}\\n')
    >>> list(Corpus([folder]))
    ['Basal cell carcinoma.', 'A cell.', 'No cell.']

    A text file is read in pieces, cut at the end of a sentence or paragraph, so that a file may be
    larger than memory. Of JSON Lines (`.jsonl`, `.ndjson`), each row is a text. Files may be
    compressed by gzip.

    Folders are read with all that they hold, by name; hidden files and folders are left out. A
    binary file in a folder, or one that cannot be read or has gone, is skipped, and noted in
    `skipped`; if it was given by name, it is an error.

    Args:
        paths: Files and folders; `"-"` is standard input.
        format: `"text"` or `"jsonl"`; told by each file's name if not given.
        field: The key of the text in rows that are JSON objects; other rows are strings.
        errors: What to do with bytes that are not UTF-8: `"strict"` refuses them and tells where
            they are, `"replace"` puts U+FFFD in their place.

    Raises:
        MissingFileError: A path does not exist.
    """

    files: list[str]
    """The files, in the order in which they are read."""
    size: int
    """The bytes of all files, as far as they are known."""
    read: int
    """The bytes that were read so far."""
    skipped: list[Skipped]

    def __init__(
        self,
        paths: Iterable[StrPath] | StrPath,
        *,
        format: CorpusFormat | None = None,
        field: str = "text",
        errors: Literal["strict", "replace"] = "strict",
    ) -> None:
        if format not in (None, "text", "jsonl"):
            raise InvalidOptionError(f'format is {format!r}: it must be "text" or "jsonl"')
        if errors not in ("strict", "replace"):
            raise InvalidOptionError(f'errors is {errors!r}: it must be "strict" or "replace"')
        given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        self._format = format
        self._field = field
        self._errors = errors
        self._named: set[str] = set()
        self.files = []
        self.size = 0
        self.read = 0
        self.skipped = []
        for path in given:
            self._list(os.fspath(path))

    def _list(self, path: str) -> None:
        if path == _STANDARD_INPUT:
            self.files.append(path)
        elif Path(path).is_dir():
            for folder, folders, names in os.walk(path):
                folders[:] = sorted(name for name in folders if not name.startswith("."))
                for name in sorted(names):
                    if not name.startswith("."):
                        self._add(str(Path(folder, name)))
        elif Path(path).exists():
            self._named.add(path)
            self._add(path)
        else:
            raise MissingFileError._with_facts(None, f"there is no file or folder {path}", path)

    def _add(self, path: str) -> None:
        self.files.append(path)
        with suppress(OSError):  # told when it is to be read
            self.size += Path(path).stat().st_size

    def __iter__(self) -> Iterator[str]:
        self.read = 0
        self.skipped = []
        for file in self.files:
            yield from self._texts(file)

    def _texts(self, name: str) -> Iterator[str]:
        if name == _STANDARD_INPUT:
            if sys.stdin is None:
                raise InvalidOptionError("standard input is closed")
            yield from self._decoded(sys.stdin.buffer, name)
            return
        try:
            raw = Path(name).open("rb")  # noqa: SIM115
        except OSError as error:
            self._skip_or_fail(name, error.strerror or str(error), error)
            return
        with raw:
            try:
                first = raw.read(_FIRST)
                raw.seek(0)
                opened: BinaryIO = raw
                if first.startswith(b"\x1f\x8b"):
                    opened = cast(BinaryIO, gzip.GzipFile(fileobj=raw))
                    first = opened.read(_FIRST)
                    opened.seek(0)
                if first.startswith(b"\x28\xb5\x2f\xfd"):
                    self._skip_or_fail(name, "compressed by zstd: decompress it first")
                elif _is_binary(first):
                    self._skip_or_fail(name, "binary, not text")
                else:
                    before = self.read
                    for text in self._decoded(opened, name):
                        self.read = before + raw.tell()
                        yield text
                    self.read = before + raw.tell()
            except (OSError, EOFError, zlib.error) as error:
                if isinstance(error, FileAccessError):
                    raise
                reason = getattr(error, "strerror", None) or str(error)
                raise FileAccessError._with_facts(
                    getattr(error, "errno", None), f"cannot read {name} to its end: {reason}", name
                ) from error

    def _skip_or_fail(self, name: str, reason: str, error: OSError | None = None) -> None:
        if name not in self._named:
            self.skipped.append(Skipped(name, reason))
        elif error is not None:
            message = f"cannot read {name}: {reason}"
            raise FileAccessError._with_facts(error.errno, message, name) from error
        else:
            raise InvalidTextError(f"{name} is {reason}")

    def _decoded(self, file: BinaryIO, name: str) -> Iterator[str]:
        plain = name.removesuffix(".gz")
        if self._format == "jsonl" or (
            self._format is None and plain.endswith((".jsonl", ".ndjson"))
        ):
            return self._rows(file, name)
        return _pieces(self._blocks(file, name))

    def _blocks(self, file: BinaryIO, name: str) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder("utf-8-sig")(self._errors)
        lines = 0
        while True:
            block = file.read(_BLOCK)
            try:
                yield decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                # What the decoder had kept of the block before holds no line end.
                at = lines + error.object.count(b"\n", 0, error.start) + 1
                raise self._not_utf8(name, at, error) from None
            lines += block.count(b"\n")
            if not block:
                return

    def _rows(self, file: BinaryIO, name: str) -> Iterator[str]:
        for number, line in enumerate(file, start=1):
            try:
                row = line.decode("utf-8-sig" if number == 1 else "utf-8", self._errors)
            except UnicodeDecodeError as error:
                raise self._not_utf8(name, number, error) from None
            if not row.strip():
                continue
            try:
                value = json.loads(row)
            except ValueError as error:
                raise InvalidTextError(f"{name}, line {number}: no JSON: {error}") from None
            if isinstance(value, dict):
                if self._field not in value:
                    keys = ", ".join(map(repr, value)) or "nothing"
                    raise InvalidTextError(
                        f"{name}, line {number}: there is no {self._field!r} among {keys}: "
                        "name the field of the text"
                    )
                value = value[self._field]
            if not isinstance(value, str):
                raise InvalidTextError(f"{name}, line {number}: the text is no string")
            yield value

    def _not_utf8(self, name: str, line: int, error: UnicodeDecodeError) -> InvalidTextError:
        what = "standard input" if name == _STANDARD_INPUT else name
        utf16 = line == 1 and error.object[:2] in (b"\xff\xfe", b"\xfe\xff")
        hint = "it looks like UTF-16: " if utf16 else ""
        return InvalidTextError(
            f"{what}, line {line}: byte 0x{error.object[error.start]:02x} is not UTF-8: {hint}"
            "convert the file, or have such bytes replaced (errors: replace)"
        )


def _is_binary(first: bytes) -> bool:
    """As git tells it, but for UTF-16, which gets a message of its own; and PDF."""
    if first.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    return b"\0" in first or first.startswith(b"%PDF-")


def _pieces(blocks: Iterator[str]) -> Iterator[str]:
    """The blocks, cut where a sentence or a paragraph ends."""
    rest = ""
    for block in blocks:
        searched = len(rest)
        rest += block
        end = _last_end(_BORDERS, rest, max(searched - 2, 0))
        if not end and len(rest) > _LONGEST_PIECE:
            end = _last_end(_SPACE, rest, searched) or len(rest)
        if end:
            yield rest[:end]
            rest = rest[end:]
    if rest:
        yield rest


def _last_end(border: re.Pattern[str], text: str, start: int) -> int:
    """Where the last border ends; 0 if there is none."""
    end = 0
    for found in border.finditer(text, start):
        end = found.end()
    return end
