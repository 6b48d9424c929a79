"""Which terms of a vocabulary contain a phrase, and which does it contain?"""

from termnest._core import MAX_TERM_BYTES, MAX_TERM_TOKENS, MAX_TOKENS, __version__
from termnest.errors import (
    CapacityError,
    ClosedStoreError,
    DamagedIndexError,
    FileAccessError,
    IndexVersionError,
    InvalidOptionError,
    InvalidTermError,
    InvalidTextError,
    LockedStoreError,
    MissingExtraError,
    MissingFileError,
    NotAnIndexError,
    NotAStoreError,
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
from termnest.snapshot import Snapshot, StoreStats
from termnest.store import TermStore, is_store
from termnest.table import Column, Match, Matches, Spans, Table

__all__ = [
    "MAX_TERM_BYTES",
    "MAX_TERM_TOKENS",
    "MAX_TOKENS",
    "CapacityError",
    "ClosedStoreError",
    "Column",
    "DamagedIndexError",
    "FileAccessError",
    "IndexVersionError",
    "InvalidOptionError",
    "InvalidTermError",
    "InvalidTextError",
    "LockedStoreError",
    "Match",
    "Matches",
    "MissingExtraError",
    "MissingFileError",
    "Neighbourhood",
    "NotAStoreError",
    "NotAnIndexError",
    "Options",
    "Snapshot",
    "Spans",
    "Stats",
    "StoreStats",
    "Table",
    "TermIdError",
    "TermIndex",
    "TermStore",
    "TermTypeError",
    "TermnestError",
    "UnknownTermError",
    "UnmarkedDocError",
    "__version__",
    "containment_join",
    "is_index",
    "is_store",
]
