"""Which terms of a vocabulary contain a phrase, and which does it contain?"""

from termnest._core import MAX_TERM_BYTES, MAX_TERM_TOKENS, MAX_TOKENS, __version__
from termnest.errors import (
    CapacityError,
    DamagedIndexError,
    FileAccessError,
    IndexVersionError,
    InvalidOptionError,
    InvalidTermError,
    InvalidTextError,
    MissingExtraError,
    MissingFileError,
    NotAnIndexError,
    TermIdError,
    TermnestError,
    TermTypeError,
    UnknownTermError,
    UnmarkedDocError,
)
from termnest.index import Stats, TermIndex
from termnest.table import Match, Matches, Table

__all__ = [
    "MAX_TERM_BYTES",
    "MAX_TERM_TOKENS",
    "MAX_TOKENS",
    "CapacityError",
    "DamagedIndexError",
    "FileAccessError",
    "IndexVersionError",
    "InvalidOptionError",
    "InvalidTermError",
    "InvalidTextError",
    "Match",
    "Matches",
    "MissingExtraError",
    "MissingFileError",
    "NotAnIndexError",
    "Stats",
    "Table",
    "TermIdError",
    "TermIndex",
    "TermTypeError",
    "TermnestError",
    "UnknownTermError",
    "UnmarkedDocError",
    "__version__",
]
