"""The texts of a corpus: files, folders, JSON Lines and standard input, read piece by piece."""

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

from termnest import arguments
from termnest.errors import FileAccessError, InvalidOptionError, InvalidTextError, file_error
from termnest.files import path_name
from termnest.foreign import tmx_segments
from termnest.options import StrPath
from termnest.terminology.markup import html_text, markdown_text

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CorpusFormat = Literal["text", "jsonl"]

_STANDARD_INPUT = "-"
# Without the mark that some programs write at the start of a file.
_UTF8 = "utf-8-sig"
_TABLE = "a table, not running text"
# What files are that have no running text, or none that we can read, by their names.
_OTHER_FILES = {
    ".docx": "a Word document: save it as text",
    ".doc": "an old Word document: save it as text",
    ".odt": "a LibreOffice document: save it as text",
    ".rtf": "a rich text document: save it as text",
    ".pdf": "a PDF: convert it to text",
    ".epub": "an e-book: convert it to text",
    ".pptx": "a presentation: save it as text",
    ".xlsx": "an Excel workbook, not running text",
    ".xls": "an old Excel workbook, not running text",
    ".ods": "a spreadsheet, not running text",
    ".parquet": "a table, not running text",
    ".nest": "an index of terms, not running text",
    ".tbx": "a termbase, not running text",
    ".ttl": "RDF, not running text",
    ".rdf": "RDF, not running text",
    ".zip": "a zip archive: unpack it",
}
_TEXT_WITHOUT_SENTENCES = {".rtf", ".tbx", ".ttl", ".rdf"}
# Formats of one text with markup, by the names of the files.
_MARKUP = {
    ".html": html_text,
    ".htm": html_text,
    ".xhtml": html_text,
    ".md": markdown_text,
    ".markdown": markdown_text,
}
_TERMS = "a table of terms, not running text"
# For both of them: another option of `extract`.
_RANK_TERMS = ("candidates", "vocabulary", "rank its terms")
# The columns of each table of terms that `extract` writes.
_TERM_COLUMNS = {"term", "frequency", "score"}

# The bytes that show whether a file is binary: git looks at as many.
_HEAD_BYTES = 8192
# Control characters, but for white space and the one that starts escape sequences.
_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n\v\f\r\x1b"})
# Of the bytes of a text that is not UTF-8, at most this share are control characters.
_MAX_CONTROL_SHARE = 0.03

# Bytes that are decoded at a time: 256 KiB.
_BLOCK_BYTES = 1 << 18
# Characters at the end of a text in which the last border is looked for first.
_NEAR_END = 4096
# Characters of a piece without an end of a sentence: beyond it, other places will do for a cut.
_MAX_PIECE = 1 << 24
# No run of words crosses these, so that a text may be cut after them.
_SENTENCE_ENDS = re.compile(r"\n\s*\n|[.!?]\s")
# If a long text has none: other signs that end a run of words; then any white space, which may cut
# a run; as a last resort a word is cut.
_SIGNS = re.compile(r',(?!\d)|[;:!?()\[\]{}<>"“”„«»…—–/|。、，！？；：（）「」『』]')
_SPACE = re.compile(r"\s")


class Skipped(NamedTuple):
    """A file of a folder that was not read."""

    path: str
    reason: str


class Corpus:
    """The texts of files and folders. Each iteration reads them again.

    >>> folder = getfixture("tmp_path")
    >>> _ = (folder / "a.txt").write_text("Basal cell carcinoma.")
    >>> _ = (folder / "b.jsonl").write_text('{"text": "A cell."}\\n{"text": "No cell."}\\n')
    >>> list(Corpus([folder]))
    ['Basal cell carcinoma.', 'A cell.', 'No cell.']

    A text file is read in pieces, cut after a sentence or a paragraph, so that a file may be larger
    than memory. In JSON Lines (`.jsonl`, `.ndjson`), each row is a text. HTML (`.html`, `.htm`) and
    Markdown (`.md`) are read without their markup, translation memories (`.tmx`) in their source
    language. Files may be compressed with gzip.

    A folder is read with all of its subfolders, sorted by name, without hidden files and folders.
    Binary files, tables (`.tsv`, `.csv`, and the `.jsonl` of `extract`), unreadable files, text
    that is not UTF-8, damaged JSON Lines, files that are not regular and links to folders are
    skipped and listed in `skipped`. A file that you give by name is never skipped: if it cannot be
    read as text, that is an error. A file that you give twice is read once.

    Args:
        paths: Files and folders; `"-"` is standard input.
        format: `"text"` or `"jsonl"`; by default the name of each file decides.
        field: The key of the text in rows that are JSON objects; other rows are strings.
        errors: What to do with bytes that are not UTF-8: `"strict"` raises an error that names the
            line, `"replace"` reads them as U+FFFD.
        encoding: The encoding of all files, if it is not UTF-8: `"cp1252"`, for instance.
        exclude: Files in the folders that are not part of the corpus.

    Raises:
        MissingFileError: A path does not exist.
        FileAccessError: A path cannot be read.
    """

    files: list[str]
    """The files, in the order in which they are read."""
    size: int | None
    """The size of all files in bytes; None if one of them is standard input or a pipe."""
    read: int
    """The number of bytes that were read so far."""
    skipped: list[Skipped]
    """The files that the last iteration skipped."""
    document: int
    """The number of the document whose text was read last: a text file, or a row."""

    def __init__(
        self,
        paths: Iterable[StrPath] | StrPath,
        *,
        format: CorpusFormat | None = None,
        field: str = "text",
        errors: Literal["strict", "replace"] = "strict",
        encoding: str | None = None,
        exclude: Iterable[StrPath] = (),
    ) -> None:
        if format not in (None, "text", "jsonl"):
            raise InvalidOptionError(
                option="format", value=repr(format), expected="it must be 'text' or 'jsonl'"
            )
        if errors not in ("strict", "replace"):
            raise InvalidOptionError(
                option="errors", value=repr(errors), expected="it must be 'strict' or 'replace'"
            )
        given = arguments.paths("paths", paths)
        self._format = format
        self._field = arguments.text("field", field)
        self._errors = errors
        self._encoding = _codec(encoding)
        self._named: set[str] = set()
        # The name of each file by its real path; empty if it is excluded.
        self._names = {os.path.realpath(path): "" for path in arguments.paths("exclude", exclude)}
        # The files skipped when the folders are listed, before anything is read.
        self._unlisted: list[Skipped] = []
        self.files = []
        self.size = 0
        self.read = 0
        self.skipped = []
        self.document = 0
        for path in given:
            self._list(path)

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
        try:
            real = os.path.realpath(path)
        except OSError:  # a link that may not be read
            real = str(Path(path).absolute())
        if real in self._names:
            return
        self._names[real] = path
        self.files.append(path)
        with suppress(OSError):  # reported when the file is read
            status = Path(path).stat()
            if not stat.S_ISREG(status.st_mode) and path in self._named:
                self.size = None
            elif self.size is not None:
                self.size += status.st_size

    def holds_text(self, path: StrPath) -> bool:
        """Whether this is a file of the corpus with a text that overwriting it would destroy.

        The output of an earlier `extract` is not such a text.
        """
        name = self._names.get(os.path.realpath(path_name("path", path)))
        if not name or self._is_table(name):
            return False
        # An unreadable file is skipped, so it has no text.
        with suppress(OSError, EOFError, zlib.error), Path(name).open("rb") as raw:
            first = _first(_unpacked(_Counted(raw)))
            return bool(first) and not self._problem(name, first) and not self._is_terms(first)
        return False

    def __iter__(self) -> Iterator[str]:
        self.read = 0
        self.document = 0
        self.skipped = list(self._unlisted)
        for file in self.files:
            yield from self._texts(file)

    def _texts(self, name: str) -> Iterator[str]:
        if name == _STANDARD_INPUT:
            if sys.stdin is None:
                raise InvalidOptionError("standard input is closed: name a file")
            yield from self._opened(sys.stdin.buffer, name)
            return
        try:
            # Reading a pipe or a device that happens to be in a folder might never end.
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

    def _suffix(self, name: str) -> str:
        return Path(name.lower().removesuffix(".gz")).suffix if self._format is None else ""

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
        except InvalidTextError as error:
            if self._is_named(name):
                raise
            reason = error.problem.removeprefix(f"{name}, ")
            self.skipped.append(Skipped(name, f"not read from here on: {reason}"))
        except gzip.BadGzipFile as error:
            if self.read > before:
                raise self._cut_short(name, error) from error
            self._skip_or_fail(name, "not a valid gzip file")
        except (OSError, EOFError, zlib.error) as error:
            if isinstance(error, FileAccessError):
                raise
            raise self._cut_short(name, error) from error

    def _problem(self, name: str, first: bytes) -> str:
        """Why a file that starts with these bytes is not read; empty if it is."""
        suffix = self._suffix(name)
        if suffix in _TEXT_WITHOUT_SENTENCES:
            return _OTHER_FILES[suffix]
        binary = _OTHER_FILES.get(suffix, "binary, not text")
        if self._encoding != _UTF8:
            return binary if first.startswith((b"%PDF-", b"PK\x03\x04")) else ""
        if first.startswith((b"\xff\xfe", b"\xfe\xff")):
            return "UTF-16, not UTF-8: give its encoding, utf-16"
        if first.startswith(b"\x28\xb5\x2f\xfd"):
            return "compressed with zstd: decompress it first"
        # The rule of git, and PDF, which may have no zero byte near its start.
        if b"\0" in first or first.startswith((b"%PDF-", b"PK\x03\x04")):
            return binary
        # A file that was given by name gets an error with the line that is not UTF-8 instead.
        if not self._is_named(name) and _is_noise(first):
            return binary
        return _TERMS if self._has_rows(name) and self._is_terms(first) else ""

    def _is_terms(self, first: bytes) -> bool:
        """Whether a file that starts with these bytes is the output of `extract`, without texts."""
        line = first.partition(b"\n")[0].decode("utf-8-sig", "replace")
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        columns = set(row) if isinstance(row, dict) else set(re.split("[\t,]", line))
        return columns >= _TERM_COLUMNS and self._field not in columns

    def _is_named(self, name: str) -> bool:
        return name in self._named or name == _STANDARD_INPUT

    def _cut_short(self, name: str, error: Exception) -> FileAccessError:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"cannot read {_shown(name)} to its end: {reason}"
        return file_error(message, getattr(error, "errno", None), name)

    def _skip_or_fail(self, name: str, reason: str, error: OSError | None = None) -> None:
        if not self._is_named(name):
            self.skipped.append(Skipped(name, reason))
        elif error is not None:
            message = f"cannot read {name}: {reason}"
            raise file_error(message, error.errno, name) from error
        elif reason in (_TABLE, _TERMS):
            problem = f'{_shown(name)} is {reason}: read it in the format "text"'
            raise InvalidTextError(problem, remedy=_RANK_TERMS)
        else:
            raise InvalidTextError(f"{_shown(name)} is {reason}")

    def _has_rows(self, name: str) -> bool:
        plain = name.lower().removesuffix(".gz")
        by_name = self._format is None and plain.endswith((".jsonl", ".ndjson"))
        return self._format == "jsonl" or by_name

    def _decoded(self, file: BinaryIO, name: str) -> Iterator[str]:
        if self._has_rows(name):
            return self._rows(file, name)
        self.document += 1
        suffix = self._suffix(name)
        if suffix == ".tmx":
            # A segment is not part of the sentence before it.
            return (f"{segment}\n\n" for segment in tmx_segments(file.read(), name))
        if plain := _MARKUP.get(suffix):
            return iter([plain("".join(self._blocks(file, name)))])
        return _pieces(self._blocks(file, name))

    def _blocks(self, file: BinaryIO, name: str) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder(self._encoding)(self._errors)
        lines = 0
        while True:
            block = file.read(_BLOCK_BYTES)
            try:
                yield decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                # The bytes that the decoder kept from the block before contain no line end.
                at = lines + error.object.count(b"\n", 0, error.start) + 1
                raise self._not_utf8(name, at, error) from None
            lines += block.count(b"\n")
            if not block:
                return

    def _rows(self, file: BinaryIO, name: str) -> Iterator[str]:
        for number, line in enumerate(file, start=1):
            place = f"{_shown(name)}, line {number}"
            try:
                utf8 = self._encoding == _UTF8 and number > 1
                row = line.decode("utf-8" if utf8 else self._encoding, self._errors)
            except UnicodeDecodeError as error:
                raise self._not_utf8(name, number, error) from None
            if not row.strip():
                continue
            try:
                value = json.loads(row)
            except (ValueError, RecursionError) as error:
                raise InvalidTextError(f"{place} is not JSON: {error}") from None
            if isinstance(value, dict):
                if self._field not in value:
                    raise self._no_text(place, list(value))
                value = value[self._field]
            if value is None:
                continue
            if not isinstance(value, str):
                kind = type(value).__name__
                raise InvalidTextError(f"{place}: the text must be a string, not {kind}")
            try:
                value.encode()
            except UnicodeEncodeError:  # half a character, which JSON allows
                if self._errors == "strict":
                    raise InvalidTextError(
                        f"{place}: the text contains half a character: correct it",
                        remedy=("errors", "replace", "replace it with U+FFFD"),
                    ) from None
                value = value.encode(errors="surrogatepass").decode(errors="replace")
            self.document += 1
            yield value

    def _no_text(self, place: str, keys: list[str]) -> InvalidTextError:
        if not keys:
            return InvalidTextError(f"{place}: the object is empty; it needs {self._field!r}")
        return InvalidTextError(
            f"{place}: there is no {self._field!r} among {', '.join(map(repr, keys))}: "
            "correct the row",
            remedy=("field", keys[0], "read the text there"),
        )

    def _not_utf8(self, name: str, line: int, error: UnicodeDecodeError) -> InvalidTextError:
        byte = f"{_shown(name)}, line {line}: byte 0x{error.object[error.start]:02x}"
        if self._encoding != _UTF8:
            return InvalidTextError(f"{byte} is not {self._encoding}: give another encoding")
        return InvalidTextError(
            f"{byte} is not UTF-8: convert the file",
            remedy=("encoding", "cp1252", "read Western European text of Windows"),
        )


class _Counted(io.RawIOBase):
    """A file that counts the bytes that are read from it."""

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


def _codec(encoding: str | None) -> str:
    """The name of an encoding as Python has it."""
    if encoding is None:
        return _UTF8
    try:
        name = codecs.lookup(arguments.text("encoding", encoding)).name
        # Of those of Python, some are no encodings of text.
        "".encode(name)
    except (LookupError, UnicodeError, ValueError):
        raise InvalidOptionError(
            option="encoding",
            value=repr(encoding),
            expected="give the name of an encoding, such as utf-8, cp1252 or utf-16",
        ) from None
    return _UTF8 if name == "utf-8" else name


def _first(file: io.BufferedReader[Any]) -> bytes:
    """The first bytes of a file, which remain to be read."""
    return file.peek(_HEAD_BYTES)[:_HEAD_BYTES]


def _unpacked(file: io.RawIOBase) -> io.BufferedReader[Any]:
    """The content of a file that may be compressed with gzip."""
    packed: io.BufferedReader[Any] = io.BufferedReader(file, _HEAD_BYTES)
    if _first(packed).startswith(b"\x1f\x8b"):
        return io.BufferedReader(gzip.GzipFile(fileobj=packed), _HEAD_BYTES)
    return packed


def _is_noise(first: bytes) -> bool:
    """Whether a file that starts with these bytes is not text in any encoding."""
    try:
        # An incremental decoder accepts a character that is cut at the end.
        codecs.getincrementaldecoder("utf-8")().decode(first)
    except UnicodeDecodeError:
        controls = len(first) - len(first.translate(None, _CONTROLS))
        return controls > _MAX_CONTROL_SHARE * len(first)
    return False


def _pieces(blocks: Iterator[str]) -> Iterator[str]:
    """The text of the blocks, cut after sentences or paragraphs instead."""
    rest = ""
    for block in blocks:
        searched = len(rest)
        rest += block
        end = _last_end(_SENTENCE_ENDS, rest, max(searched - 2, 0))
        if not end and len(rest) > _MAX_PIECE:
            end = _last_end(_SIGNS, rest, searched) or _last_end(_SPACE, rest, searched)
            end = end or len(rest)
        if end:
            yield rest[:end]
            rest = rest[end:]
    if rest:
        yield rest


def _last_end(border: re.Pattern[str], text: str, start: int) -> int:
    """The end of the last border; 0 if there is none."""
    # Mostly it is near the end.
    for begin in (max(start, len(text) - _NEAR_END), start):
        end = 0
        for found in border.finditer(text, begin):
            end = found.end()
        if end:
            return end
    return 0
