"""Paths, file objects and standard input, wherever a file is expected."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import BinaryIO

from termnest import _core
from termnest.errors import TermTypeError, file_error
from termnest.options import StrPath


def is_index(file: StrPath | bytes) -> bool:
    """Whether a file, or what begins with these bytes, is a termnest index.

    >>> path = getfixture("tmp_path") / "companies.nest"
    >>> from termnest import TermIndex
    >>> TermIndex(["llc"]).save(path)
    >>> is_index(path), is_index(b"llc")
    (True, False)
    """
    if isinstance(file, bytes):
        return _core.is_index(file[:8])
    name = path_name("file", file)
    try:
        with Path(name).open("rb") as opened:
            return _core.is_index(opened.read(8))
    except OSError as error:
        raise file_error(
            f"cannot read {name}: {error.strerror or error}", error.errno, name
        ) from error


def path_name(argument: str, path: object) -> str:
    """A path as str; `argument` is what an error calls it."""
    try:
        name = os.fspath(path)  # type: ignore[call-overload]
    except TypeError:
        name = None
    if not isinstance(name, str):
        raise TermTypeError(option=argument, value=repr(path), expected="a str or PathLike")
    try:
        impossible = b"\0" in os.fsencode(name)
    except UnicodeEncodeError:
        impossible = True
    if impossible:
        problem = f"{argument} cannot be {name!r}: no file can have this name"
        raise file_error(problem, errno.EINVAL, name)
    return name


def named_content(
    path: StrPath | BinaryIO, argument: str = "path"
) -> tuple[str | None, bytes | None]:
    """The name of a file, if it has one, and its content, if it is not to be read by that name.

    `"-"` is standard input; a binary file object is read to its end. `argument` is what an error
    calls the path.
    """
    if hasattr(path, "read"):
        content = path.read()
        if not isinstance(content, bytes):
            raise TermTypeError(f"{argument} is a text file: open it in binary mode")
        name = getattr(path, "name", None)
        return name if isinstance(name, str) else None, content
    name = path_name(argument, path)
    return (None, sys.stdin.buffer.read()) if name == "-" else (name, None)
