"""The native module; `termnest.TermIndex` is its documented face."""

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Any, Literal, Self, TypedDict, final

from typing_extensions import disjoint_base

__all__ = [
    "MAX_TERM_BYTES",
    "MAX_TERM_TOKENS",
    "MAX_TOKENS",
    "MAX_WORDS",
    "MAX_WORD_BYTES",
    "CandidateCounter",
    "FrequentNGrams",
    "Index",
    "Matches",
    "PairMaker",
    "PartitionStatistics",
    "Questions",
    "Table",
    "TermAnalyzer",
    "TermFilter",
    "TermSender",
    "TermTable",
    "__version__",
    "is_index",
]

__version__: str
MAX_TERM_TOKENS: int
MAX_TERM_BYTES: int
MAX_TOKENS: int
MAX_WORDS: int
MAX_WORD_BYTES: int

class _Analysis(TypedDict):
    tokenizer: str
    separator: str | None
    lowercase: bool
    strip_accents: bool
    normalize: Callable[[str], str] | None
    threads: int | None

_Where = Literal["anywhere", "start", "end", "inside"]

@disjoint_base
class Questions:
    def __new__(cls, *_arguments: Any, **_options: Any) -> Self: ...
    def _ask(self, index: Index) -> None: ...
    def super_terms(
        self,
        term: str,
        *,
        where: _Where = "anywhere",
        direct: bool = False,
        max_extra: int | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[str]: ...
    def nested_terms(
        self,
        term: str,
        *,
        where: _Where = "anywhere",
        direct: bool = False,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[str]: ...
    def count_super_terms(
        self,
        term: str,
        *,
        where: _Where = "anywhere",
        direct: bool = False,
        max_extra: int | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> int: ...
    def count_nested_terms(
        self,
        term: str,
        *,
        where: _Where = "anywhere",
        direct: bool = False,
        limit: int | None = None,
        offset: int = 0,
    ) -> int: ...

@final
class Index:
    @staticmethod
    def build(terms: object, weights: object | None, analysis: _Analysis) -> Index: ...
    @staticmethod
    def from_file(
        path: str | PathLike[str] | None,
        content: bytes | None,
        analysis: _Analysis,
        format: str | None,
        column: str | int | None,
        weight_column: str | int | None,
        errors: str,
        progress: Callable[[str, float], object] | None,
    ) -> Index: ...
    @staticmethod
    def open(
        path: str | PathLike[str], mmap: bool, normalize: Callable[[str], str] | None
    ) -> Index: ...
    @staticmethod
    def from_bytes(content: bytes, normalize: Callable[[str], str] | None) -> Index: ...
    def to_bytes(self) -> bytes: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def check(self) -> None: ...
    @property
    def checksum(self) -> int | None: ...
    @property
    def fingerprint(self) -> int: ...
    def check_bytes(self) -> None: ...
    @property
    def weighted(self) -> bool: ...
    def options(self) -> tuple[str, str | None, bool, bool, bool]: ...
    def stats(self, pairs: bool) -> tuple[int, int, int, int, int, int, int, int, int | None]: ...
    def __len__(self) -> int: ...
    def term(self, id: int) -> str: ...
    def id(self, term: str) -> int | None: ...
    def id_alike(self, phrase: str) -> int | None: ...
    def ids(self, terms: object) -> list[int | None]: ...
    def weight(self, id: int) -> float: ...
    def super_terms_batch(
        self,
        terms: object,
        where: str,
        direct: bool,
        max_extra: int | None,
        limit: int | None,
        offset: int,
    ) -> Table: ...
    def nested_terms_batch(
        self, terms: object, where: str, direct: bool, limit: int | None, offset: int
    ) -> Table: ...
    def find(self, text: str, overlaps: str) -> Matches: ...
    def complete(self, prefix: str, limit: int | None) -> list[str]: ...
    def expansions(self, term: str, side: str) -> Table: ...
    def scores(self, terms: bool) -> Table: ...
    def filtered(self, min_weight: float, max_words: int | None) -> Index: ...
    def ranking(self, score: str, keep: str, marked: bytes | None, top: int | None) -> Table: ...
    def taxonomy(self, terms: bool) -> Table: ...
    def answer_json(
        self,
        term: str,
        ask: str,
        where: str,
        direct: bool,
        max_extra: int | None,
        min_length: int | None,
        max_length: int | None,
        sort: str,
        limit: int,
        cursor: str | None,
        patient: bool,
    ) -> bytes | None: ...
    def batch_json(
        self,
        terms: Iterable[str],
        ask: str,
        where: str,
        direct: bool,
        max_extra: int | None,
        min_length: int | None,
        max_length: int | None,
        sort: str,
        limit: int,
    ) -> bytes: ...
    def term_json(self, term: str) -> bytes: ...
    def complete_json(self, prefix: str, limit: int) -> bytes: ...
    def expansions_json(self, term: str, side: str, limit: int) -> bytes: ...
    def find_json(self, text: str, overlaps: str, limit: int, cursor: str | None) -> bytes: ...
    def pairs(self, direct: bool, terms: bool) -> Table: ...

@final
class Matches:
    def __len__(self) -> int: ...
    def row(self, i: int) -> tuple[str, int, int, int]: ...
    def table(self) -> Table: ...

@final
class Table:
    def __len__(self) -> int: ...
    @property
    def columns(self) -> list[str]: ...
    def values(self, column: str, start: int, stop: int) -> list[Any]: ...
    def lines(self, columns: Iterable[str], start: int, stop: int) -> bytes: ...
    def csv_lines(self, start: int, stop: int) -> bytes: ...
    def json_lines(self, start: int, stop: int) -> bytes: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...

@final
class CandidateCounter:
    def __new__(
        cls,
        max_words: int,
        stop_words: Sequence[str],
        lowercase: bool,
        maximal: bool,
        max_nodes: int | None,
    ) -> Self: ...
    def add(self, text: str) -> None: ...
    def add_phrase(self, phrase: str) -> None: ...
    def finish(
        self,
        min_frequency: int,
        max_words: int | None,
        progress: Callable[[str, float], object] | None,
    ) -> tuple[Index, bytes | None, int]: ...

# The containment join of termnest.spark; src/join describes the steps.

@final
class TermAnalyzer:
    """How terms become fingerprints: the analysis of a job, and its key of 32 bytes."""

    def __new__(cls, analysis: _Analysis, key: bytes) -> Self: ...

@final
class TermFilter:
    """A filter of all terms: which n-grams may be terms."""

    def __new__(cls, words: bytes, bits: int) -> Self: ...
    @staticmethod
    def best_bits(bits_per_entry: float) -> int:
        """The best number of bits for an entry to set."""
    @staticmethod
    def slice(slice: int, slices: int, slice_words: int, bits: int, entries: list[bytes]) -> bytes:
        """The words of one slice of a filter, from the entries that the statistics have for it."""

@final
class FrequentNGrams:
    """The n-grams that occur in very many terms, from the halves of their fingerprints."""

    def __new__(cls, high: object, low: object) -> Self: ...

@final
class TermSender:
    """The terms that one task reads, on their way to their partitions."""

    def __new__(cls, partitions: int, with_ids: bool, long: bool, weighted: bool) -> Self: ...
    @property
    def full(self) -> bool:
        """Whether the blocks should be taken and sent."""
    def add(
        self,
        analyzer: TermAnalyzer,
        terms: object,
        ids: object | None,
        weights: object | None,
    ) -> None:
        """Adds the entries of a column that are terms."""
    def take(self) -> list[bytes]:
        """The blocks, one for each partition."""

@final
class PartitionStatistics:
    """What all machines must know of the terms of a partition."""

    def __new__(cls, with_ids: bool, weighted: bool, filter_slices: int, sample: int) -> Self: ...
    def add_block(self, analyzer: TermAnalyzer, block: bytes) -> None:
        """Adds the terms of a block."""
    @property
    def entries(self) -> int:
        """The number of entries, equal ones included."""
    def filter(self) -> list[bytes]:
        """The entries of the filter, by its slices, as eight bytes each."""
    def counts(self, most: int) -> Table:
        """N-grams, with the number of sampled terms in which each occurs. If there are more than
        `most`, those of one term are left out."""

@final
class TermTable:
    """The terms of a partition, each once."""

    def __new__(cls, with_ids: bool, long: bool, weighted: bool) -> Self: ...
    def __len__(self) -> int: ...
    def add_block(self, block: bytes) -> None:
        """Adds the terms of a block."""
    def outgoing(
        self,
        analyzer: TermAnalyzer,
        first: int,
        partitions: int,
        filter: TermFilter | None,
        frequent: FrequentNGrams,
    ) -> tuple[list[list[bytes]], int]:
        """The blocks of the second exchange, as four lists: terms, terms that are frequent n-grams,
        n-grams, and terms with the frequent n-grams in them. Each list has one block for each
        partition, but the second has one block for all. A call packs some of the terms, from number
        `first` on; the last value is the number of the next term."""
    def rows(self, first: int) -> tuple[Table, int]:
        """Some of the terms, from number `first` on, and the number of the next term."""

@final
class PairMaker:
    """The terms of a partition, which it joins with n-grams."""

    def __new__(cls, long: bool, weighted: bool) -> Self: ...
    def add_terms(self, block: bytes) -> None:
        """Adds a block of terms. All terms of a partition must be added before pairs are made."""
    def add_frequent_terms(self, block: bytes) -> None:
        """Adds a block of terms that are frequent n-grams."""
    def pairs(self, block: bytes, at: int) -> tuple[Table, int]:
        """Some pairs of a block of n-grams, from byte `at` on, and the byte at which to go on."""
    def frequent_pairs(self, block: bytes, at: int) -> tuple[Table, int]:
        """The same of a block of terms with the frequent n-grams in them."""

def is_index(first_bytes: bytes) -> bool: ...
