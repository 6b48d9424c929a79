"""A saved index as an executor opens it."""

from __future__ import annotations

import socket
import uuid
from dataclasses import dataclass
from pathlib import Path

from termnest.arguments import function
from termnest.errors import InvalidOptionError, MissingFileError
from termnest.files import path_name
from termnest.index import TermIndex
from termnest.options import Normalize, StrPath
from termnest.store import TermStore, is_store


@dataclass(frozen=True)
class SavedIndex:
    """The file of an index."""

    path: str
    normalize: Normalize | None = None
    call: str | None = None
    """Distinguishes one normalize function from another: unpickled copies are never equal."""
    checksum: str | None = None
    """That of the file that the driver sees, if it sees one."""
    id_type: str | None = None
    """The type of the index's own ids, if the driver sees that it has some."""
    column_types: tuple[tuple[str, str], ...] | None = None
    """The names and types of its columns, if the driver sees the index."""

    def open(self) -> TermIndex:
        """The index. A process opens it once, as long as its file stays the same.

        Of a store it is that of all terms, of the generation that the driver has seen.

        Raises:
            MissingFileError: This executor does not see the file.
            InvalidOptionError: The file that was sent is not the one that the driver sees, or the
                store has changed.
        """
        path = _visible(Path(self.path))
        if is_store(path):
            return self._of_store(path)
        facts = path.stat()
        key = (str(path), facts.st_ino, facts.st_mtime_ns, facts.st_size, self.call)
        if key not in _opened:
            _opened.clear()
            _opened[key] = TermIndex.open(path, normalize=self.normalize)
        opened = _opened[key]
        if self.id_type != opened.column_types.get("id"):
            raise InvalidOptionError(
                f"the index {path} has ids of its own: put it where the driver sees it too"
            )
        # Files are sent under their last name only, which another file may have had.
        was_sent = path != Path(self.path)
        if was_sent and self.checksum not in (None, opened.checksum):
            raise InvalidOptionError(
                f"the file {path.name} that was sent to the executors is not {self.path}: send "
                "that one, under another name"
            )
        return opened

    def _of_store(self, path: Path) -> TermIndex:
        key = (str(path), self.checksum, self.call)
        if key not in _opened:
            snapshot = TermStore.open(path, readonly=True, normalize=self.normalize).pin()
            if self.checksum not in (None, snapshot.checksum):
                raise InvalidOptionError(
                    f"the store {path} has changed since the question was asked: ask again, or "
                    "save its index() and ask that"
                )
            _opened.clear()
            _opened[key] = snapshot.index()
        return _opened[key]

    def open_here(self) -> TermIndex:
        """The index as the driver sees it."""
        if is_store(self.path):
            return self._of_store(Path(self.path))
        return TermIndex.open(self.path, normalize=self.normalize)


_opened: dict[object, TermIndex] = {}


def saved_index(path: StrPath, normalize: Normalize | None) -> SavedIndex:
    """The index at a path, which the driver need not see."""
    name = path_name("index", path)
    function("normalize", normalize)
    checksum = id_type = columns = None
    opened: TermIndex | TermStore | None = None
    if is_store(name):
        opened = TermStore.open(name, readonly=True, normalize=normalize)
    elif Path(name).is_file():
        opened = TermIndex.open(name, normalize=normalize)
    if opened is not None:
        checksum, id_type = opened.checksum, opened.column_types.get("id")
        columns = tuple((name, opened.column_types[name]) for name in opened.columns)
    call = uuid.uuid4().hex if normalize is not None else None
    return SavedIndex(name, normalize, call, checksum, id_type, columns)


def _visible(path: Path) -> Path:
    from pyspark import SparkFiles

    if path.is_file() or is_store(path):
        return path
    try:
        sent = Path(SparkFiles.get(path.name))
    except Exception:  # no file was ever sent
        sent = path
    if sent.is_file():
        return sent
    raise MissingFileError(
        f"the executor on {socket.gethostname()} sees no index {path}: put it on a file system "
        f"that all executors share, or send it with spark.sparkContext.addFile({str(path)!r})"
    )
