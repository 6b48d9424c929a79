"""The indexes of components, by path and checksum, which is all that a Doc or a pipeline stores."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from termnest import TermStore, is_index, is_store
from termnest.errors import DamagedIndexError, InvalidOptionError, file_error
from termnest.index import TermIndex

_Opened = TypeVar("_Opened", TermIndex, TermStore)


def checksum(path: str) -> str:
    """The checksum of an index, a store or a vocabulary: another content has another checksum."""
    if is_store(path):
        return _read_store(path).checksum
    if _contains_index(path):
        return _open(path).checksum
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()


# At most 32 indexes. One that was replaced on disk stays for the Docs that were marked with it.
@lru_cache(maxsize=32)
def load(path: str, expected: str) -> TermIndex:
    """The index in a file, that of the vocabulary in it, or that of all terms of a store.

    Raises:
        DamagedIndexError: The file does not have the expected checksum.
    """
    if checksum(path) != expected:
        raise DamagedIndexError(
            f"{path} has changed since the Doc or the pipeline was made with it: restore the old "
            "file, or make them again"
        )
    if is_store(path):
        return _read_store(path).index()
    return _open(path) if _contains_index(path) else TermIndex.from_file(path)


@lru_cache(maxsize=32)
def labels(path: str, expected: str, column: str) -> frozenset[str]:
    """The labels that a column of an index has."""
    return frozenset(
        str(value) for value in load(path, expected).column(column) if value is not None
    )


def _contains_index(path: str) -> bool:
    try:
        with Path(path).open("rb") as file:
            return is_index(file.read(8))
    except OSError as error:
        message = f"cannot read the index {path}: {error.strerror}"
        if error.errno == errno.ENOENT:
            message = (
                f"there is no index at {path}: build it there, or give its path in the config: "
                '{"index": path} in add_pipe, {"components.termnest.index": path} in spacy.load'
            )
        raise file_error(message, error.errno, path) from error


def _read_store(path: str) -> TermStore:
    return _without_function(path, lambda: TermStore.open(path, readonly=True))


def _open(path: str) -> TermIndex:
    return _without_function(path, lambda: TermIndex.open(path))


def _without_function(path: str, opened: Callable[[], _Opened]) -> _Opened:
    try:
        return opened()
    except InvalidOptionError as error:
        raise InvalidOptionError(
            f"{path} was built with a normalize function in Python, which a spaCy pipeline cannot "
            "store: build the index without one"
        ) from error
