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
from termnest.files import is_index
from termnest.frames import containment_join
from termnest.index import TermIndex
from termnest.options import Options, Stats
from termnest.show import Neighbourhood
from termnest.table import Column, Match, Matches, Spans, Table

__all__ = [
    "MAX_TERM_BYTES",
    "MAX_TERM_TOKENS",
    "MAX_TOKENS",
    "CapacityError",
    "Column",
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
    "Neighbourhood",
    "NotAnIndexError",
    "Options",
    "Spans",
    "Stats",
    "Table",
    "TermIdError",
    "TermIndex",
    "TermTypeError",
    "TermnestError",
    "UnknownTermError",
    "UnmarkedDocError",
    "__version__",
    "containment_join",
    "is_index",
]
