"""Writing a file atomically: its old content stays until the new content is complete."""

from __future__ import annotations

import errno
import io
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from termnest.errors import FileAccessError, file_error

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

# 1 MiB: writers give one row or node at a time.
_BUFFER_BYTES = 1 << 20


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file to write to, which replaces `path` when the `with` block ends without an error.

    Like `TermIndex.save`, it writes a temporary file in the same folder, syncs it and renames it.
    If an error, an interrupt or a full disk comes in between, the old file stays as it was and the
    temporary file is removed.

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
        # The target of a symbolic link is replaced, not the link.
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise OSError(errno.EISDIR, "it is a folder")
        if target.exists() and not target.is_file():
            raise OSError(errno.EINVAL, "it exists and is not a file")
        if not target.parent.is_dir():
            raise OSError(errno.ENOENT, f"there is no folder {shown.parent}")
        # Known before the file exists, so that an interrupt at any moment leaves none.
        temporary = target.parent / f".termnest-{os.getpid()}-{secrets.token_hex(8)}.tmp"
    try:
        with _errors_name(shown):
            raw = _Raw(temporary, "xb")
        raw.target = shown
        with io.BufferedWriter(raw, _BUFFER_BYTES) as file:
            yield file
            file.flush()
            with _errors_name(shown):
                os.fsync(file.fileno())
        with _errors_name(shown):
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o7777)
            temporary.replace(target)
            _sync_folder(target.parent)
    finally:
        with suppress(OSError):  # after a success it is gone
            temporary.unlink()


class _Raw(io.FileIO):
    """The temporary file; its errors name the target."""

    target: Path

    def write(self, data: ReadableBuffer, /) -> int:
        with _errors_name(self.target):
            return super().write(data)


def _sync_folder(folder: Path) -> None:
    """Makes the new name durable, on systems that can do it; the file is in place either way."""
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
    except ValueError as error:  # a name that contains U+0000
        message = f"cannot write {str(path)!r}: {error}"
        raise file_error(message, errno.EINVAL, path) from error
