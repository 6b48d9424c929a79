"""Finding out what INDEX is, and loading it."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from termnest.cli.errors import BadInput, flag
from termnest.cli.options import given_options
from termnest.cli.progress import progress_bar
from termnest.errors import InvalidOptionError
from termnest.files import is_index
from termnest.index import TermIndex
from termnest.snapshot import Snapshot
from termnest.store import TermStore, is_store

Asked = TermIndex | Snapshot
"""What questions are put to: an index, or the newest generation of a store."""

STANDARD_INPUT = "-"


def load_asked(name: str, vocabulary: dict[str, Any] | None, *, asks: bool = True) -> Asked:
    """The saved index of this name, the newest generation of a store, or the index of a vocabulary.

    A store answers without an index of all its terms; `load` makes one. The arguments are the same.
    """
    if not is_store(name):
        return load(name, vocabulary, asks=asks)
    given = given_options(vocabulary or {})
    if given:
        names = ", ".join(map(flag, given))
        raise BadInput(
            f"{name} is a store, which was created with its own options: leave out {names}"
        )
    try:
        return TermStore.open(name, readonly=True).pin()
    except InvalidOptionError as error:
        if not asks:
            return TermStore.open(name, readonly=True, normalize=str).pin()
        raise BadInput(
            f"{name} was created with a normalize function in Python: ask it in Python, with "
            "TermStore.open(path, normalize=...)"
        ) from error


def load(name: str, vocabulary: dict[str, Any] | None, *, asks: bool = True) -> TermIndex:
    """The saved index of this name, or the index of the vocabulary or of the store of this name.

    Args:
        name: A file, a pipe, or `-` for standard input.
        vocabulary: The options with which a vocabulary is read; None if it must be an index.
        asks: Whether questions follow. If not, an index that was built with a function of Python
            can be loaded too.
    """
    if is_store(name):
        found = load_asked(name, vocabulary, asks=asks)
        return found.index() if isinstance(found, Snapshot) else found
    given = given_options(vocabulary or {})
    content = _content(name)
    if not is_index(name if content is None else content):
        if vocabulary is None:
            raise BadInput(f"{name} is not an index: make one with `termnest build`")
        source = name if content is None else _Pipe(content, name)
        with progress_bar() as progress:
            return TermIndex.from_file(source, progress=progress, **given)
    if given:
        names = ", ".join(map(flag, given))
        raise BadInput(
            f"{name} is an index, which was built with its own options: leave out {names}, or "
            "build it again from its vocabulary"
        )
    # The function is not stored in the file; where no question follows, any function will do.
    normalize = None if asks else str
    try:
        return _open(name, content, normalize)
    except InvalidOptionError as error:
        if not asks:
            return _open(name, content, None)
        raise BadInput(
            f"{name} was built with a normalize function in Python: ask it in Python, with "
            "TermIndex.open(path, normalize=...)"
        ) from error


class _Pipe(io.BytesIO):
    """The content of standard input or a pipe; the name of a pipe may show its format."""

    def __init__(self, content: bytes, name: str) -> None:
        super().__init__(content)
        self.name = None if name == STANDARD_INPUT else name


def _open(name: str, content: bytes | None, normalize: Callable[[str], str] | None) -> TermIndex:
    if content is None:
        return TermIndex.open(name, normalize=normalize)
    return TermIndex.from_bytes(content, normalize=normalize)


def is_index_file(name: str) -> bool:
    """Whether a file of this name exists and is an index."""
    return Path(name).is_file() and is_index(name)


def _content(name: str) -> bytes | None:
    """All bytes of standard input or a pipe, which can be read only once; None for a file."""
    if name == STANDARD_INPUT:
        return standard_input("give the name of a file").read()
    path = Path(name)
    if path.is_dir():
        raise BadInput(f"{name} is a folder: give the name of a file")
    if not path.exists():
        raise BadInput(f"there is no file {name}")
    return None if path.is_file() else path.read_bytes()


def phrases_of(phrases: tuple[str, ...], index: str) -> Iterable[str]:
    """The phrases of the command line, or else the lines of standard input."""
    if phrases not in ((), (STANDARD_INPUT,)):
        return phrases
    if index == STANDARD_INPUT:
        raise BadInput("standard input is the vocabulary already: give a phrase")
    return _lines(standard_input("give a phrase"))


def standard_input(instead: str) -> BinaryIO:
    """Standard input; `instead` is what to give if it is closed."""
    if sys.stdin is None:
        raise BadInput(f"standard input is closed: {instead}")
    return sys.stdin.buffer


def _lines(stream: Iterable[bytes]) -> Iterator[str]:
    for number, line in enumerate(stream, start=1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            yield text.removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError as error:
            raise BadInput(
                f"line {number} of standard input is not UTF-8: convert it to UTF-8"
            ) from error


def read_text(name: str, errors: str) -> str:
    """The text of a file or of standard input, without a byte order mark."""
    try:
        content = (
            standard_input("give the name of a file").read()
            if name == STANDARD_INPUT
            else Path(name).read_bytes()
        )
    except FileNotFoundError as error:
        raise BadInput(f"there is no file {name}") from error
    except OSError as error:
        raise BadInput(f"cannot read {name}: {error.strerror}") from error
    try:
        return content.decode("utf-8-sig", errors)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadInput(
            f"line {line} of {name} is not UTF-8: convert the file to UTF-8, or give "
            "--errors replace"
        ) from error
