"""What can go wrong.

Every error is a `TermnestError`, and also the built-in that one would expect:

    TermnestError
    ├── InvalidOptionError  (ValueError)        an option that cannot be, or contradicts another
    ├── InvalidTermError    (ValueError)        a term, weight or row that cannot be indexed
    ├── InvalidTextError    (ValueError)        a text that is not UTF-8, or half a character
    ├── TermTypeError       (TypeError)         something else than str where terms are expected
    ├── UnknownTermError    (KeyError)          a term that is not in the vocabulary
    ├── TermIdError         (IndexError)        an id that no term has
    ├── CapacityError       (OverflowError)     more tokens than an index holds
    ├── FileAccessError     (OSError)           a file that cannot be read or written
    │   └── MissingFileError (FileNotFoundError)
    ├── DamagedIndexError   (ValueError)        an index file that has changed or was cut
    │   ├── NotAnIndexError                     a file that is no index at all
    │   └── IndexVersionError                   an index file of a newer or older termnest
    ├── UnmarkedDocError    (ValueError)        a spaCy Doc that remembers no index
    └── MissingExtraError   (ImportError)       a package that is needed for what was asked

Asking about a phrase that no term contains is no error: the answer is empty.
"""

from __future__ import annotations

import errno as _errno
from pathlib import Path
from typing import Any, Self


class TermnestError(Exception):
    """The root of all errors of this package."""

    @classmethod
    def _make(cls, message: str) -> TermnestError:
        """The error with this message; called by the native core."""
        return cls(message)


class InvalidOptionError(TermnestError, ValueError):
    """An option has a value that it cannot have, or contradicts another."""


class InvalidTermError(TermnestError, ValueError):
    """A term, a weight or a row of a file cannot be indexed."""


class InvalidTextError(TermnestError, ValueError):
    """A file is no text in UTF-8, or a str holds a lone surrogate, which is half a character."""


class TermTypeError(TermnestError, TypeError):
    """Something else than str stands where terms are expected."""


class UnknownTermError(TermnestError, KeyError):
    """The term is not in the vocabulary."""

    def __str__(self) -> str:
        # KeyError would show the message in quotes.
        return str(self.args[0])


class TermIdError(TermnestError, IndexError):
    """No term has this id."""


class CapacityError(TermnestError, OverflowError):
    """The vocabulary has more tokens than an index can hold."""


class FileAccessError(TermnestError, OSError):
    """A file cannot be read or written; `errno` and `filename` tell more."""

    @classmethod
    def _make(  # type: ignore[override]
        cls, errno: int | None, message: str, path: Path
    ) -> FileAccessError:
        error_class = MissingFileError if errno == _errno.ENOENT else cls
        return error_class._with_facts(errno, message, str(path))

    @classmethod
    def _with_facts(cls, errno: int | None, message: str, filename: str) -> Self:
        # OSError would compose a message of its own from two arguments.
        error = cls(message)
        error.errno = errno
        error.filename = filename
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._with_facts, (self.errno, str(self), self.filename)

    def __str__(self) -> str:
        return str(self.args[0])


class MissingFileError(FileAccessError, FileNotFoundError):
    """There is no file of this name."""


class DamagedIndexError(TermnestError, ValueError):
    """The index file has changed since it was written, or was cut."""


class NotAnIndexError(DamagedIndexError):
    """The file is no termnest index."""


class IndexVersionError(DamagedIndexError):
    """The index file was written by a newer termnest, or by one too old to be read."""


class UnmarkedDocError(TermnestError, ValueError):
    """A spaCy Doc has not gone through a termnest component."""


class MissingExtraError(TermnestError, ImportError):
    """A package is needed that is not installed."""
