"""The texts of a corpus: files, folders, JSON Lines, standard input; read piece by piece."""

from __future__ import annotations

import codecs
import errno
import gzip
import io
import json
import os
import re
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple

from termnest.errors import (
    FileAccessError,
    InvalidOptionError,
    InvalidTextError,
    file_error,
)
from termnest.index import StrPath

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CorpusFormat = Literal["text", "jsonl"]

_STANDARD_INPUT = "-"
_TABLE = (
    "a table, not running text: --candidates vocabulary takes the terms of a table, and "
    "format='text' reads it as it is"
)
_TERMS = "a table of terms, not running text: --candidates vocabulary takes it"
# What each table of terms has that `extract` writes.
_TERM_COLUMNS = {"term", "frequency", "score"}
_FIRST = 8192
"""The bytes by which a file is told to be binary."""
# Control characters, but for white space and the one that begins escape sequences.
_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n\v\f\r\x1b"})
_MOST_CONTROLS = 0.03
"""The share of them that a text in another encoding may have."""
_BLOCK = 1 << 18
_LONGEST_PIECE = 1 << 24
# No run of words goes on behind these: a text may be cut there.
_BORDERS = re.compile(r"\n\s*\n|[.!?]\s")
# Where there are none for long, other signs do that end a run; then any white space, which may cut
# a run, and then nothing is left but to cut a word.
_SIGNS = re.compile(r',(?!\d)|[;:!?()\[\]{}<>"“”„«»…—–/|。、，！？；：（）「」『』]')
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

    Folders are read with all that they hold, by name; hidden files and folders are left out. What
    in a folder is binary, a table (`.tsv`, `.csv`, the `.jsonl` of `extract`) or no regular file,
    cannot be read or has gone, is skipped, and noted in `skipped`; so are links to folders. If it
    was given by name, it is an error. A file that is there twice is read once.

    Args:
        paths: Files and folders; `"-"` is standard input.
        format: `"text"` or `"jsonl"`; told by each file's name if not given.
        field: The key of the text in rows that are JSON objects; other rows are strings.
        errors: What to do with bytes that are not UTF-8: `"strict"` refuses them and tells where
            they are, `"replace"` puts U+FFFD in their place.
        exclude: Files of the folders that are left out.

    Raises:
        MissingFileError: A path does not exist.
    """

    files: list[str]
    """The files, in the order in which they are read."""
    size: int | None
    """The bytes of all files; None if one of them is standard input or a pipe."""
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
        exclude: Iterable[StrPath] = (),
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
        # The name of each file by its real path; empty if it is left out.
        self._names = {os.path.realpath(path): "" for path in exclude}
        # What is known before anything is read.
        self._unlisted: list[Skipped] = []
        self.files = []
        self.size = 0
        self.read = 0
        self.skipped = []
        for path in given:
            self._list(os.fspath(path))

    def _list(self, path: str) -> None:
        if path == _STANDARD_INPUT:
            self.files.append(path)
            self.size = None
            return
        try:
            mode = os.stat(path).st_mode  # noqa: PTH116  # Path("") is the current folder
        except FileNotFoundError:
            message = f"there is no file or folder {path!r}"
            raise file_error(message, errno.ENOENT, path) from None
        except OSError as error:
            message = f"cannot read {path}: {error.strerror or error}"
            raise file_error(message, error.errno, path) from error
        if not stat.S_ISDIR(mode):
            self._named.add(path)
            self._add(path)
            return

        def unreadable(error: OSError) -> None:
            if error.filename == path:
                message = f"cannot read the folder {path}: {error.strerror}"
                raise file_error(message, error.errno, path) from error
            self._unlisted.append(Skipped(error.filename, error.strerror or str(error)))

        for folder, folders, names in os.walk(path, onerror=unreadable):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in folders:
                if Path(folder, name).is_symlink():
                    reason = "a link to a folder, not followed"
                    self._unlisted.append(Skipped(str(Path(folder, name)), reason))
            for name in sorted(names):
                if not name.startswith("."):
                    self._add(str(Path(folder, name)))

    def _add(self, path: str) -> None:
        """Adds a file, once."""
        real = os.path.realpath(path)
        if real in self._names:
            return
        self._names[real] = path
        self.files.append(path)
        with suppress(OSError):  # told when it is to be read
            status = Path(path).stat()
            if not stat.S_ISREG(status.st_mode) and path in self._named:
                self.size = None
            elif self.size is not None:
                self.size += status.st_size

    def holds_text(self, path: StrPath) -> bool:
        """Whether this is a file of the corpus, and has a text, which would be lost with it.

        What an earlier `extract` wrote is none.
        """
        name = self._names.get(os.path.realpath(path))
        if not name or self._is_table(name):
            return False
        # What cannot be read is skipped.
        with suppress(OSError, EOFError, zlib.error), Path(name).open("rb") as raw:
            first = _first(_unpacked(_Counted(raw)))
            return bool(first) and not self._problem(name, first) and not self._is_terms(first)
        return False

    def __iter__(self) -> Iterator[str]:
        self.read = 0
        self.skipped = list(self._unlisted)
        for file in self.files:
            yield from self._texts(file)

    def _texts(self, name: str) -> Iterator[str]:
        if name == _STANDARD_INPUT:
            if sys.stdin is None:
                raise InvalidOptionError("standard input is closed")
            yield from self._opened(sys.stdin.buffer, name)
            return
        try:
            # In a folder, a pipe or a device may have nothing to read for ever.
            if name not in self._named and not stat.S_ISREG(Path(name).stat().st_mode):
                self._skip_or_fail(name, "not a regular file")
                return
            raw = Path(name).open("rb")  # noqa: SIM115
        except OSError as error:
            self._skip_or_fail(name, error.strerror or str(error), error)
            return
        with raw:
            if self._is_table(name):
                self._skip_or_fail(name, _TABLE)
            else:
                yield from self._opened(raw, name)

    def _is_table(self, name: str) -> bool:
        plain = name.lower().removesuffix(".gz")
        return self._format is None and plain.endswith((".tsv", ".tab", ".csv"))

    def _opened(self, raw: BinaryIO, name: str) -> Iterator[str]:
        """The texts of an open file, which may be a pipe."""
        before = self.read
        try:
            file = _Counted(raw)
            buffered = _unpacked(file)
            if problem := self._problem(name, _first(buffered)):
                self._skip_or_fail(name, problem)
            else:
                for text in self._decoded(buffered, name):
                    self.read = before + file.count
                    yield text
            self.read = before + file.count
        except gzip.BadGzipFile as error:
            if self.read > before:
                raise self._broken_off(name, error) from error
            self._skip_or_fail(name, "no sound gzip file")
        except (OSError, EOFError, zlib.error) as error:
            if isinstance(error, FileAccessError):
                raise
            raise self._broken_off(name, error) from error

    def _problem(self, name: str, first: bytes) -> str:
        """Why a file that begins with these bytes is not read; empty if it is."""
        if first.startswith((b"\xff\xfe", b"\xfe\xff")):
            return "UTF-16, not UTF-8: convert it first"
        if first.startswith(b"\x28\xb5\x2f\xfd"):
            return "compressed by zstd: decompress it first"
        # As git tells it, and PDF, which may have no such byte near its beginning.
        if b"\0" in first or first.startswith(b"%PDF-"):
            return "binary, not text"
        # Of a file that was given by name, the line is told at which it cannot be read.
        if not self._is_named(name) and _is_noise(first):
            return "binary, not text"
        return _TERMS if self._has_rows(name) and self._is_terms(first) else ""

    def _is_terms(self, first: bytes) -> bool:
        """Whether a file that begins with these bytes is what `extract` wrote, and has no texts."""
        line = first.partition(b"\n")[0].decode("utf-8-sig", "replace")
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        columns = set(row) if isinstance(row, dict) else set(re.split("[\t,]", line))
        return columns >= _TERM_COLUMNS and self._field not in columns

    def _is_named(self, name: str) -> bool:
        return name in self._named or name == _STANDARD_INPUT

    def _broken_off(self, name: str, error: Exception) -> FileAccessError:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"cannot read {_shown(name)} to its end: {reason}"
        return file_error(message, getattr(error, "errno", None), name)

    def _skip_or_fail(self, name: str, reason: str, error: OSError | None = None) -> None:
        if not self._is_named(name):
            self.skipped.append(Skipped(name, reason))
        elif error is not None:
            message = f"cannot read {name}: {reason}"
            raise file_error(message, error.errno, name) from error
        else:
            raise InvalidTextError(f"{_shown(name)} is {reason}")

    def _has_rows(self, name: str) -> bool:
        plain = name.lower().removesuffix(".gz")
        by_name = self._format is None and plain.endswith((".jsonl", ".ndjson"))
        return self._format == "jsonl" or by_name

    def _decoded(self, file: BinaryIO, name: str) -> Iterator[str]:
        if self._has_rows(name):
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
            place = f"{_shown(name)}, line {number}"
            try:
                row = line.decode("utf-8-sig" if number == 1 else "utf-8", self._errors)
            except UnicodeDecodeError as error:
                raise self._not_utf8(name, number, error) from None
            if not row.strip():
                continue
            try:
                value = json.loads(row)
            except (ValueError, RecursionError) as error:
                raise InvalidTextError(f"{place}: no JSON: {error}") from None
            if isinstance(value, dict):
                if self._field not in value:
                    keys = ", ".join(map(repr, value)) or "nothing"
                    raise InvalidTextError(
                        f"{place}: there is no {self._field!r} among {keys}: name the field of "
                        "the text (field='body', for instance)"
                    )
                value = value[self._field]
            if value is None:
                continue
            if not isinstance(value, str):
                raise InvalidTextError(f"{place}: the text is no string")
            try:
                value.encode()
            except UnicodeEncodeError:  # half a character, which JSON can hold
                if self._errors == "strict":
                    raise InvalidTextError(
                        f"{place}: the text holds half a character: mend it, or have it replaced "
                        "(errors='replace')"
                    ) from None
                value = value.encode(errors="surrogatepass").decode(errors="replace")
            yield value

    def _not_utf8(self, name: str, line: int, error: UnicodeDecodeError) -> InvalidTextError:
        return InvalidTextError(
            f"{_shown(name)}, line {line}: byte 0x{error.object[error.start]:02x} is not UTF-8: "
            "convert the file, or have such bytes replaced (errors='replace')"
        )


class _Counted(io.RawIOBase):
    """A file that counts what is read from it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer).cast("B")
        data = self._file.read(len(view))
        view[: len(data)] = data
        self.count += len(data)
        return len(data)


def _shown(name: str) -> str:
    return "standard input" if name == _STANDARD_INPUT else name


def _first(file: io.BufferedReader[Any]) -> bytes:
    """The first bytes of a file, which are read again."""
    return file.peek(_FIRST)[:_FIRST]


def _unpacked(file: io.RawIOBase) -> io.BufferedReader[Any]:
    """A file, or what it holds if it is compressed."""
    packed: io.BufferedReader[Any] = io.BufferedReader(file, _FIRST)
    if _first(packed).startswith(b"\x1f\x8b"):
        return io.BufferedReader(gzip.GzipFile(fileobj=packed), _FIRST)
    return packed


def _is_noise(first: bytes) -> bool:
    """Whether a file that begins with these bytes is no text in any encoding."""
    try:
        # A character may be cut at the end.
        codecs.getincrementaldecoder("utf-8")().decode(first)
    except UnicodeDecodeError:
        controls = len(first) - len(first.translate(None, _CONTROLS))
        return controls > _MOST_CONTROLS * len(first)
    return False


def _pieces(blocks: Iterator[str]) -> Iterator[str]:
    """The blocks, cut where a sentence or a paragraph ends."""
    rest = ""
    for block in blocks:
        searched = len(rest)
        rest += block
        end = _last_end(_BORDERS, rest, max(searched - 2, 0))
        if not end and len(rest) > _LONGEST_PIECE:
            end = _last_end(_SIGNS, rest, searched) or _last_end(_SPACE, rest, searched)
            end = end or len(rest)
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
