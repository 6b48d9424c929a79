"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import io
import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from termnest.errors import FileAccessError, file_error

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_BUFFER = 1 << 20

_numbers = itertools.count()


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file to write to, which takes the place of `path` when all of it is there.

    It is written beside its target, synced and renamed, as `TermIndex.save` does: an error, an
    interrupt or a full disk leaves the old file as it was, and nothing beside it.

    >>> path = getfixture("tmp_path") / "terms.txt"
    >>> with atomic_write(path) as file:
    ...     _ = file.write(b"llc")
    ...     path.exists()
    False
    >>> path.read_bytes()
    b'llc'

    Raises:
        FileAccessError: The file cannot be written.
    """
    shown = Path(path)
    with _errors_name(shown):
        # What a symbolic link points to is replaced, not the link.
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise OSError(errno.EISDIR, "it is a folder")
        if target.exists() and not target.is_file():
            raise OSError(errno.EINVAL, "it exists and is not a file")
        if not target.parent.is_dir():
            raise OSError(errno.ENOENT, f"there is no folder {shown.parent}")
        raw, beside = _new_file(target.parent, shown)
    try:
        with io.BufferedWriter(raw, _BUFFER) as file:
            yield file
            file.flush()
            with _errors_name(shown):
                os.fsync(file.fileno())
        with _errors_name(shown):
            if target.exists():
                beside.chmod(target.stat().st_mode & 0o7777)
            beside.replace(target)
            _sync_folder(target.parent)
    finally:
        with suppress(OSError):
            # There is none when all went well.
            beside.unlink()


class _Raw(io.FileIO):
    """The file beside its target; what goes wrong with it is told of the target."""

    target: Path

    def write(self, data: ReadableBuffer, /) -> int:
        with _errors_name(self.target):
            return super().write(data)


def _new_file(folder: Path, target: Path) -> tuple[_Raw, Path]:
    while True:
        path = folder / f".termnest-{os.getpid()}-py-{next(_numbers)}.tmp"
        with suppress(FileExistsError):
            # Left behind by a process of the same number that was killed.
            raw = _Raw(path, "xb")
            raw.target = target
            return raw, path


def _sync_folder(folder: Path) -> None:
    """Makes the new name durable. Not every system can; the file is in place all the same."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _errors_name(path: Path) -> Iterator[None]:
    try:
        yield
    except FileAccessError:
        raise
    except OSError as error:
        message = f"cannot write {path}: {error.strerror or error}"
        raise file_error(message, error.errno, path) from error
    except ValueError as error:  # a name that holds U+0000
        message = f"cannot write {str(path)!r}: {error}"
        raise file_error(message, errno.EINVAL, path) from error
