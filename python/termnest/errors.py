"""What can go wrong.

Every error is a `TermnestError`, and also the built-in error that you would expect:

    TermnestError
    ├── InvalidOptionError  (ValueError)        an option with a value it cannot have
    ├── InvalidTermError    (ValueError)        a term, weight or row that cannot be indexed
    ├── InvalidTextError    (ValueError)        a text with half a character in it
    ├── TermTypeError       (TypeError)         an argument of the wrong type
    ├── UnknownTermError    (KeyError)          a term that is not in the vocabulary
    ├── TermIdError         (IndexError)        an id, or a row, that does not exist
    ├── CapacityError       (OverflowError)     more tokens than an index can have
    ├── FileAccessError     (OSError)           a file that cannot be read or written
    │   └── MissingFileError (FileNotFoundError)
    ├── DamagedIndexError   (ValueError)        an index file that has changed or was cut
    │   ├── NotAnIndexError                     a file that is not an index at all
    │   └── IndexVersionError                   an index file of a newer or older termnest
    ├── ClosedStoreError    (RuntimeError)      a change of a store that is closed or read-only
    ├── LockedStoreError    (BlockingIOError)   a store that another process writes
    ├── NotAStoreError      (ValueError)        a file or folder that is not a store
    ├── UnmarkedDocError    (ValueError)        a spaCy Doc that no termnest component has seen
    └── MissingExtraError   (ImportError)       a package that is needed for what was asked

Asking about a phrase that no term contains is not an error: the answer is empty.

An error carries the facts that its sentence is made of (`option`, `value`, `expected`, `file`,
`remedy`), so that a program with words of its own, such as a command line, can make its own
sentence: `worded` does that.
"""

from __future__ import annotations

import errno as _errno
import os
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple


class Remedy(NamedTuple):
    """A setting that would avoid an error: `option="value"`, and its effect."""

    option: str
    value: str
    effect: str


def _as_in_python(option: str, value: str) -> str:
    return f'{option}="{value}"'


class TermnestError(Exception):
    """The root of all errors of this package.

    >>> from termnest import TermIndex
    >>> try:
    ...     TermIndex(["llc"], tokenizer="letters")
    ... except TermnestError as error:
    ...     error.option, error.value
    ...     error.worded(option=lambda name: f"--{name}")
    ('tokenizer', '"letters"')
    '--tokenizer cannot be "letters": it must be "text", "whitespace", "words" or "chars"'

    Args:
        problem: What is wrong and what to do, in a sentence; not needed with the facts below.
        option: The option or argument that is wrong.
        value: Its value, as text.
        expected: What it must be.
        file: The file in which the problem is.
        remedy: A setting that avoids the problem.
    """

    _pattern: ClassVar[str] = "{option} cannot be {value}: {expected}"

    def __init__(
        self,
        problem: str = "",
        *,
        option: str | None = None,
        value: str | None = None,
        expected: str | None = None,
        file: str | None = None,
        remedy: tuple[str, str, str] | None = None,
    ) -> None:
        self.problem = problem
        self.option = option
        self.value = value
        self.expected = expected
        self.file = file
        self.remedy = Remedy(*remedy) if remedy is not None else None
        super().__init__(self.worded())

    def worded(
        self,
        option: Callable[[str], str] = str,
        setting: Callable[[str, str], str] = _as_in_python,
    ) -> str:
        """The sentence of the error in other words: those for an option, and for its setting."""
        sentence = self.problem
        if not sentence and self.option is not None:
            sentence = self._pattern.format(
                option=option(self.option), value=self.value, expected=self.expected
            )
        if self.remedy is not None:
            name, value, effect = self.remedy
            sentence += f", or give {setting(name, value)} to {effect}"
        return sentence if self.file is None else f"{self.file}: {sentence}"

    def _facts(self) -> dict[str, Any]:
        names = ("option", "value", "expected", "file", "remedy")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.problem, self._facts())

    def __str__(self) -> str:
        # KeyError would show the sentence in quotes, and OSError compose one of its own.
        return str(self.args[0])


def _restored(cls: type[TermnestError], problem: str, facts: dict[str, Any]) -> TermnestError:
    return cls(problem, **facts)


class InvalidOptionError(TermnestError, ValueError):
    """An option has a value that it cannot have, or contradicts another."""


class InvalidTermError(TermnestError, ValueError):
    """A term, a weight or a row of a file cannot be indexed."""


class InvalidTextError(TermnestError, ValueError):
    """A str contains a lone surrogate, which is half a character, or a file is not a text."""

    _pattern = (
        "{option} contains a lone surrogate (half of a UTF-16 pair), which is not a character: "
        "decode it properly, or remove it"
    )


class TermTypeError(TermnestError, TypeError):
    """An argument has the wrong type: something else than str where a term is expected."""

    _pattern = "{option} must be {expected}, not {value}"


class UnknownTermError(TermnestError, KeyError):
    """The term is not in the vocabulary."""


class TermIdError(TermnestError, IndexError):
    """No term has this id, or no row of a table this number."""


class CapacityError(TermnestError, OverflowError):
    """The vocabulary has more tokens than an index can have."""


class FileAccessError(TermnestError, OSError):
    """A file cannot be read or written; `errno` and `filename` are those of the system."""

    def __init__(
        self,
        problem: str = "",
        *,
        errno: int | None = None,
        filename: str | None = None,
        **facts: Any,
    ) -> None:
        super().__init__(problem, **facts)
        self.errno = errno
        self.filename = filename

    def _facts(self) -> dict[str, Any]:
        return {**super()._facts(), "errno": self.errno, "filename": self.filename}


class MissingFileError(FileAccessError, FileNotFoundError):
    """There is no file of this name."""


def file_error(
    problem: str, errno: int | None, filename: str | os.PathLike[str]
) -> FileAccessError:
    """The error for a file that the system refuses: a `MissingFileError` if it is not there."""
    error = MissingFileError if errno == _errno.ENOENT else FileAccessError
    return error(problem, errno=errno, filename=os.fspath(filename))


class DamagedIndexError(TermnestError, ValueError):
    """The index file has changed since it was written, or was cut."""


class NotAnIndexError(DamagedIndexError):
    """The file is not a termnest index."""


class IndexVersionError(DamagedIndexError):
    """The index file was written by a newer termnest, or by one too old to be read."""


class ClosedStoreError(TermnestError, RuntimeError):
    """A store was opened for reading, or its writer is closed, and a change was asked for."""


class LockedStoreError(TermnestError, BlockingIOError):
    """Another process has the store open for writing; the message has its number."""


class NotAStoreError(TermnestError, ValueError):
    """The file or folder is not a store."""


class UnmarkedDocError(TermnestError, ValueError):
    """A spaCy Doc has not gone through a termnest component."""


class MissingExtraError(TermnestError, ImportError):
    """A package is needed that is not installed."""
