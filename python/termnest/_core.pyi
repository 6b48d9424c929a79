"""The native module; `termnest.TermIndex` is its documented face."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Protocol, Self, SupportsIndex, TypedDict, TypeVar, final

from typing_extensions import disjoint_base

__all__ = [
    "MAX_TERM_BYTES",
    "MAX_TERM_TOKENS",
    "MAX_TOKENS",
    "MAX_WORDS",
    "MAX_WORD_BYTES",
    "CandidateCounter",
    "Candidates",
    "Column",
    "FilterEntries",
    "Frame",
    "FrequentNGrams",
    "Index",
    "JsonAnswers",
    "Matches",
    "NGramCounts",
    "PairMaker",
    "Questions",
    "Snapshot",
    "Store",
    "Table",
    "TermAnalyzer",
    "TermFilter",
    "TermSender",
    "TermTable",
    "TextBatches",
    "TokenFinder",
    "__version__",
    "containment_join",
    "find_columns",
    "heads",
    "is_index",
    "is_store",
    "nested_shares",
    "options_of_matching",
    "read_aliases",
]

__version__: str
MAX_TERM_TOKENS: int
MAX_TERM_BYTES: int
MAX_TOKENS: int
MAX_WORDS: int
MAX_WORD_BYTES: int

class _Analysis(TypedDict):
    tokenizer: str | None
    separator: str | None
    lowercase: bool
    strip_accents: bool
    fold: bool
    language: str | None
    hyphens: str | None
    case: str | None
    normalize: Callable[[str], str] | None
    threads: int | None

_Row = TypeVar("_Row", bound=tuple[str, int, int, int])
_Where = Literal["anywhere", "start", "end", "inside"]
_Sort = Literal["weight", "left", "right", "length"]
_NestedSort = Literal["weight", "length"]

@disjoint_base
class Questions:
    """The base of `termnest.TermIndex`: questions about one phrase.

    They are native methods: a Python call around them would take a tenth of their time.
    """

    def __new__(cls, *_arguments: Any, **_options: Any) -> Self: ...
    def _attach(self, asked: Index | Store | Snapshot) -> None: ...
    def super_terms(
        self,
        term: str,
        *,
        where: _Where = "anywhere",
        direct: bool = False,
        max_extra: int | None = None,
        min_length: int | None = None,
        max_length: int | None = None,
        sort: _Sort = "weight",
        limit: int | None = None,
        offset: int = 0,
    ) -> list[str]:
        """The terms that contain a phrase: heaviest first, then by id.

        The phrase need not be a term. A term contains neither itself nor its variants.

        >>> index = TermIndex(["york", "new york", "new york city", "york minster"])
        >>> index.super_terms("york")
        ['new york', 'new york city', 'york minster']
        >>> index.super_terms("york", where="end")
        ['new york']
        >>> index.super_terms("york", direct=True)
        ['new york', 'york minster']
        >>> index.super_terms("york", sort="left", max_length=2)
        ['york minster', 'new york']

        Time and memory grow with the number of terms that contain the phrase, even if `limit` is
        small: all of them must be seen to know the heaviest.

        Args:
            term: The phrase.
            where: Where in the answers the phrase must occur: `"anywhere"`, `"start"`, `"end"`, or
                `"inside"`, which touches neither end. If it occurs more than once, one occurrence
                that fits is enough.
            direct: Return only terms with no other term in between, under the same `where`.
            max_extra: Return only terms with at most this many tokens more than the phrase.
            min_length: Return only terms with at least this many tokens.
            max_length: Return only terms with at most this many tokens.
            sort: `"weight"`, heaviest first; `"left"` or `"right"`, by the words on that side of
                the phrase, nearest first; or `"length"`, fewest tokens first, then heaviest.
            limit: Return at most this many terms.
            offset: Skip this many terms.
        """

    def nested_terms(
        self,
        term: str,
        *,
        where: _Where = "anywhere",
        direct: bool = False,
        min_length: int | None = None,
        max_length: int | None = None,
        sort: _NestedSort = "weight",
        limit: int | None = None,
        offset: int = 0,
    ) -> list[str]:
        """The terms that a phrase contains: heaviest first, then by id.

        A phrase that equals a term does not contain that term: use `find` for the terms in a text.

        >>> index = TermIndex(["york", "new york", "city", "new york city"])
        >>> index.nested_terms("new york city hall")
        ['york', 'new york', 'city', 'new york city']
        >>> index.nested_terms("new york city hall", direct=True)
        ['new york city']

        Args:
            term: The phrase, of any length.
            where: Where in the phrase the answers must occur: `"anywhere"`, `"start"`, `"end"`, or
                `"inside"`, which touches neither end.
            direct: Return only terms with no other term in between, under the same `where`.
            min_length: Return only terms with at least this many tokens.
            max_length: Return only terms with at most this many tokens.
            sort: `"weight"`, heaviest first, or `"length"`, fewest tokens first, then heaviest.
            limit: Return at most this many terms.
            offset: Skip this many terms.
        """

    def count_super_terms(
        self,
        term: str,
        *,
        where: _Where = "anywhere",
        direct: bool = False,
        max_extra: int | None = None,
        min_length: int | None = None,
        max_length: int | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> int:
        """The number of terms that `super_terms` returns, without making them.

        >>> TermIndex(["llc", "google llc", "llc llc"]).count_super_terms("llc")
        2
        """

    def count_nested_terms(
        self,
        term: str,
        *,
        where: _Where = "anywhere",
        direct: bool = False,
        min_length: int | None = None,
        max_length: int | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> int:
        """The number of terms that `nested_terms` returns, without making them.

        >>> TermIndex(["llc", "google llc"]).count_nested_terms("alphabet google llc")
        2
        """

@final
class Index:
    @staticmethod
    def build(
        terms: object,
        weights: object | None,
        aliases: tuple[bool, object] | None,
        rows: tuple[object | None, list[tuple[str, object]]] | None,
        analysis: _Analysis,
        progress: Callable[[str, float], object] | None,
    ) -> Index: ...
    @staticmethod
    def from_file(
        path: str | PathLike[str] | None,
        content: bytes | None,
        analysis: _Analysis,
        format: str | None,
        column: str | int | None,
        weight_column: str | int | None,
        errors: str,
        aliases: tuple[bool, object] | None,
        columns: list[str] | None,
        all_columns: bool,
        id_column: str | int | None,
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
    def checksum(self) -> int: ...
    @property
    def json(self) -> JsonAnswers: ...
    def check_bytes(self) -> None: ...
    @property
    def matching(self) -> str | None: ...
    @property
    def weighted(self) -> bool: ...
    def options(
        self,
    ) -> tuple[str, str | None, bool, bool, bool, str | None, str, str | None, bool]: ...
    def stats(
        self, pairs: bool
    ) -> tuple[int, int, int, int, int, int, int, int, int, int | None]: ...
    def __len__(self) -> int: ...
    def term(self, id: int) -> str: ...
    def number(self, term: str) -> int | None: ...
    def number_of_id(self, id: SupportsIndex | str) -> int: ...
    def id_of_number(self, number: int) -> int | str: ...
    def lookup(self, phrase: str) -> list[int | str]: ...
    def ids(self, terms: object) -> list[int | str | None]: ...
    def columns(self) -> list[tuple[str, str]]: ...
    @property
    def id_kind(self) -> str | None: ...
    def column(self, name: str) -> Column: ...
    def value(self, id: int | str, column: str) -> object: ...
    def term_mask(self, where: object) -> Column: ...
    def numbers(self, terms: object) -> list[int | None]: ...
    def aliases(self) -> Table: ...
    def equal_terms(self, columns: Iterable[str] | None) -> Table: ...
    def settled(self, text: str) -> list[int]: ...
    def weight(self, id: int) -> float: ...
    def super_terms_batch(
        self,
        terms: object,
        place: str,
        direct: bool,
        max_extra: int | None,
        min_length: int | None,
        max_length: int | None,
        sort: str,
        limit: int | None,
        offset: int,
        columns: Iterable[str] | None,
        threads: int | None,
    ) -> Table: ...
    def nested_terms_batch(
        self,
        terms: object,
        place: str,
        direct: bool,
        min_length: int | None,
        max_length: int | None,
        sort: str,
        limit: int | None,
        offset: int,
        columns: Iterable[str] | None,
        threads: int | None,
    ) -> Table: ...
    def find(
        self,
        text: str,
        overlaps: str,
        variants: str,
        columns: Iterable[str] | None,
        where: object | None,
        threads: int | None,
    ) -> Matches: ...
    def find_batch(
        self,
        texts: object,
        overlaps: str,
        variants: str,
        columns: Iterable[str] | None,
        where: object | None,
        threads: int | None,
    ) -> Table: ...
    def iter_batches(
        self,
        texts: object,
        rows: int,
        overlaps: str,
        variants: str,
        columns: Iterable[str] | None,
        where: object | None,
        threads: int | None,
    ) -> TextBatches: ...
    def complete(self, prefix: str, limit: int | None, order: str) -> list[str]: ...
    def expansions(self, term: str, side: str) -> Table: ...
    def scores(self, terms: bool, columns: Iterable[str] | None) -> Table: ...
    def filtered(self, min_weight: float, max_length: int | None) -> Index: ...
    def ranking(
        self,
        score: str,
        keep: str,
        marked: bytes | None,
        top: int | None,
        columns: Iterable[str] | None,
    ) -> Table: ...
    def taxonomy(self, terms: bool, columns: Iterable[str] | None) -> Table: ...
    def pairs(self, direct: bool, terms: bool, columns: Iterable[str] | None) -> Table: ...

@final
class Store:
    @staticmethod
    def create(path: str | PathLike[str], analysis: _Analysis) -> Store: ...
    @staticmethod
    def open(
        path: str | PathLike[str],
        write: bool,
        mmap: bool,
        normalize: Callable[[str], str] | None,
        threads: int | None,
    ) -> Store: ...
    @property
    def warning(self) -> str | None: ...
    @property
    def writable(self) -> bool: ...
    def is_open(self) -> bool: ...
    def snapshot(self) -> Snapshot: ...
    def add(
        self,
        terms: object,
        weights: object | None,
        rows: tuple[object | None, list[tuple[str, object]]] | None,
        aliases: tuple[bool, object] | None,
    ) -> list[int | None]: ...
    def id(self, term: str) -> int | None: ...
    def remove(self, terms: object) -> int | None: ...
    def pending(self) -> int: ...
    def rollback(self) -> None: ...
    def commit(self) -> int: ...
    def compact(self) -> int: ...
    def close(self) -> None: ...

@final
class Snapshot:
    @property
    def generation(self) -> int: ...
    def __len__(self) -> int: ...
    def options(
        self,
    ) -> tuple[str, str | None, bool, bool, bool, str | None, str, str | None, bool]: ...
    @property
    def matching(self) -> str | None: ...
    @property
    def weighted(self) -> bool: ...
    def columns(self) -> list[tuple[str, str]]: ...
    def facts(self) -> tuple[list[tuple[int, int]], int, int]: ...
    def files(self) -> list[str]: ...
    @property
    def checksum(self) -> int: ...
    def check(self, checksums_only: bool) -> None: ...
    def ids(self) -> Column: ...
    def id(self, term: str) -> int | None: ...
    def lookup(self, phrase: str) -> list[int]: ...
    def term(self, id: int) -> str | None: ...
    def weight(self, id: int) -> float | None: ...
    def is_light(self, phrase: str) -> bool: ...
    def index(self) -> Index: ...
    def about(self, question: str, what: object, limit: int | None) -> Index: ...

@final
class Frame:
    """A data frame: named columns of one length."""

    @staticmethod
    def of_stream(argument: str, frame: object) -> Frame:
        """The columns of an object that has an Arrow stream of rows."""

    @staticmethod
    def of_columns(argument: str, given: Sequence[tuple[str, object]]) -> Frame:
        """Columns by their names: any Arrow columns, or any iterables of values."""

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""

    def __len__(self) -> int: ...

def containment_join(
    left: Frame,
    right: Frame,
    on: tuple[str, str],
    how: str,
    phrases: str,
    proper: bool,
    left_columns: Sequence[tuple[str, str]],
    right_columns: Sequence[tuple[str, str]],
    analysis: _Analysis,
) -> Table:
    """The rows of two frames of which one has a phrase that occurs in the text of the other.

    `on` are the columns of the two, `phrases` is the side that has the phrases. `left_columns` and
    `right_columns` are pairs of a column and its name in the answer.
    """

@final
class JsonAnswers:
    """The answers of an index as bytes of JSON, which the server sends.

    Long answers come in pages: an answer has the `total` number of its rows, its first `results`,
    and as `next` the cursor of the next page, or null.

    >>> index = TermIndex(["llc", "google llc"])
    >>> index.json.complete("goog")
    b'{"prefix":"goog","results":[{"id":1,"term":"google llc","weight":1.0}]}'
    """

    def super_terms(
        self,
        term: str,
        *,
        where: _Where = "anywhere",
        direct: bool = False,
        max_extra: int | None = None,
        min_length: int | None = None,
        max_length: int | None = None,
        sort: _Sort = "weight",
        limit: int = 50,
        cursor: str | None = None,
        patient: bool = True,
        columns: Iterable[str] = (),
    ) -> bytes | None:
        """A page of the terms that contain a phrase; options as in `TermIndex.super_terms`.

        Args:
            limit: The most rows of the page.
            cursor: The `next` of the page before.
            columns: The columns of the index whose values each result has, as its `columns`.
            patient: If false, None is returned at once if the answer would take more than some
                microseconds.
        """

    def nested_terms(
        self,
        term: str,
        *,
        where: _Where = "anywhere",
        direct: bool = False,
        min_length: int | None = None,
        max_length: int | None = None,
        sort: _NestedSort = "weight",
        limit: int = 50,
        cursor: str | None = None,
        patient: bool = True,
        columns: Iterable[str] = (),
    ) -> bytes | None:
        """A page of the terms that a phrase contains; the options are those of
        `TermIndex.nested_terms`, the others are as in `super_terms`.
        """

    def batch(
        self,
        ask: Literal["super", "nested"],
        terms: Iterable[str],
        *,
        where: _Where = "anywhere",
        direct: bool = False,
        max_extra: int | None = None,
        min_length: int | None = None,
        max_length: int | None = None,
        sort: _Sort = "weight",
        limit: int = 50,
        columns: Iterable[str] = (),
    ) -> bytes:
        """The first answers to one question about many phrases.

        Args:
            ask: `"super"` or `"nested"`.
            terms: The phrases.
            limit: The most rows for each phrase.
        """

    def term(
        self,
        term: str,
        *,
        columns: Iterable[str] = (),
    ) -> bytes:
        """The facts of a phrase: whether it is a term, its tokens, how many answers it has. With
        `columns`, also the values of the term, and as `terms` all terms that match the phrase.
        """

    def complete(
        self,
        prefix: str,
        *,
        limit: int = 50,
        order: Literal["given", "any"] = "given",
        columns: Iterable[str] = (),
    ) -> bytes:
        """The terms that complete a phrase, as in `TermIndex.complete`."""

    def expansions(
        self,
        term: str,
        *,
        side: Literal["left", "right"],
        limit: int = 50,
    ) -> bytes:
        """The words that terms add to a phrase, as in `TermIndex.expansions`."""

    def find(
        self,
        text: str,
        *,
        overlaps: Literal["all", "longest", "leftmost"] = "all",
        variants: Literal["all", "first"] = "all",
        limit: int = 50,
        cursor: str | None = None,
        columns: Iterable[str] = (),
        where: Mapping[str, object] | None = None,
    ) -> bytes:
        """A page of the terms in a text, as in `TermIndex.find`."""

@final
class Matches:
    def __len__(self) -> int: ...
    @property
    def columns(self) -> list[str]: ...
    def rows(self, kind: type[_Row], start: int, stop: int) -> list[_Row]: ...
    def buffers(self) -> tuple[memoryview, memoryview, memoryview]: ...
    def table(self) -> Table: ...

@final
class TokenFinder:
    """Finds the terms of an index in documents whose tokens are given as hashes."""

    def __new__(
        cls,
        index: Index,
        compared: str,
        alignment: str,
        overlaps: str,
        variants: str,
        tokenize: Callable[[str], object] | None,
        whole: bool,
        respelled: bytes | None,
    ) -> Self: ...
    def find(self, tokens: object, strings: object) -> list[tuple[int, int, int]]:
        """The start, the end and the number of every term, in tokens.

        Args:
            tokens: A buffer of `uint64` with a row for each token: the hash of its text, and, if
                the text is compared, whether a space follows.
            strings: Has the text of each hash.
        """
    def term(self, number: int) -> str:
        """A term that was found, as written in the vocabulary."""
    def value(self, number: int, column: str) -> Any:
        """The value of a term that was found in a column; `"id"` is its id."""
    def respelled(self) -> bytes:
        """The terms that the tokenizer splits otherwise than the index, for another process."""

@final
class TextBatches:
    def __iter__(self) -> Self: ...
    def __next__(self) -> Table: ...

@final
class Table:
    def __len__(self) -> int: ...
    def with_text(self, name: str, text: str) -> Table: ...
    def with_texts(self, name: str, texts: Sequence[str]) -> Table: ...
    @property
    def columns(self) -> list[str]: ...
    def column(self, name: str) -> Column | None: ...
    def other_type(self) -> tuple[str, str] | None: ...
    def to_parts(self) -> list[Any]: ...
    @staticmethod
    def from_parts(parts: list[Any]) -> Table: ...
    def values(self, column: str, start: int, stop: int) -> list[Any]: ...
    def lines(self, columns: Iterable[str], start: int, stop: int) -> bytes: ...
    def csv_lines(self, start: int, stop: int) -> bytes: ...
    def json_lines(self, start: int, stop: int) -> bytes: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...

@final
class Column:
    def __len__(self) -> int: ...
    def values(self, start: int, stop: int) -> list[Any]: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...

@final
class CandidateCounter:
    def __new__(
        cls,
        max_words: int,
        function_words: Sequence[Sequence[str]],
        fold: bool,
        skip_repeated_lines: bool,
        max_nodes: int | None,
    ) -> Self: ...
    def begin_document(self) -> None: ...
    def add(self, text: str) -> None: ...
    def add_phrase(self, phrase: str) -> None: ...
    def distinct_words(self) -> list[tuple[str, int]]: ...
    def finish(
        self,
        min_frequency: int,
        max_words: int | None,
        bases: Sequence[str] | None,
        progress: Callable[[str, float], object] | None,
    ) -> Candidates: ...

@final
class Candidates:
    """Candidates with their counts, forms and scores."""

    def __len__(self) -> int: ...
    @property
    def total_words(self) -> int: ...
    def words(self) -> list[str]: ...
    def forms(self) -> list[list[tuple[str, int]]]: ...
    def table(self) -> Table: ...
    def ranking(
        self,
        score: str,
        keep: str,
        top: int | None,
        reference: tuple[Sequence[float], Sequence[float] | None, float] | None,
    ) -> Table: ...

def heads(
    index: Index,
    first: bool,
    borders: Sequence[str],
    function_words: Sequence[str],
    bases: Mapping[str, str],
    min_part: int,
) -> Table: ...

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
    """The n-grams that occur in very many terms."""

    def __new__(cls, fingerprints: bytes) -> Self: ...

class _Fields(Protocol):
    # Which columns a join has: `termnest.spark.tasks.TermFields`.

    @property
    def ids(self) -> bool: ...
    @property
    def long(self) -> bool: ...
    @property
    def weights(self) -> bool: ...
    @property
    def occurrences(self) -> bool: ...

@final
class TermSender:
    """The terms that one task reads, on their way to their partitions."""

    def __new__(cls, partitions: int, fields: _Fields) -> Self: ...
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
    def take_entries(self) -> int:
        """The number of entries that are terms since the last call."""
    def take(self) -> list[bytes]:
        """The blocks, one for each partition."""

@final
class NGramCounts:
    """In how many terms of a sample the n-grams occur."""

    def __new__(cls) -> Self: ...
    def add(self, analyzer: TermAnalyzer, terms: object) -> None:
        """Adds the entries of a column that are terms."""
    @property
    def terms(self) -> int:
        """The number of terms."""
    @property
    def ngrams(self) -> int:
        """The number of their n-grams."""
    def counts(self, most: int) -> Table:
        """N-grams, as fingerprints, with the number of terms in which each occurs.

        If there are more than `most`, those of one term are left out.
        """

@final
class FilterEntries:
    """The entries of a filter, and the checksums of the partitions to be."""

    def __new__(cls, slices: int, partitions: int) -> Self: ...
    def add(self, analyzer: TermAnalyzer, terms: object) -> None:
        """Adds the entries of a column that are terms."""
    @property
    def full(self) -> bool:
        """Whether the entries should be taken and sent."""
    def take(self) -> list[bytes]:
        """The entries since the last call, by the slices of the filter, as eight bytes each."""
    @property
    def checksums(self) -> bytes:
        """The checksums of the vocabulary's entries by partition, as 16 bytes each."""

@final
class TermTable:
    """The terms of a partition, each once."""

    def __new__(cls, fields: _Fields) -> Self: ...
    def __len__(self) -> int: ...
    def add_block(self, block: bytes) -> None:
        """Adds the terms of a block."""
    @property
    def checksum(self) -> bytes:
        """The checksum of the entries of all blocks, as 16 bytes."""
    def outgoing(
        self,
        analyzer: TermAnalyzer,
        first: int,
        partitions: int,
        filter: TermFilter | None,
        frequent: FrequentNGrams,
    ) -> tuple[list[bytes], list[bytes], int]:
        """The blocks of the second exchange, as two lists: terms and n-grams.

        Each list has one block for each partition. A call packs some of the terms, from number
        `first` on; the last value is the number of the next term.
        """
    def rows(self, first: int) -> tuple[Table, int]:
        """Some of the terms, from number `first` on, and the number of the next term."""

@final
class PairMaker:
    """The terms of a partition, which it joins with n-grams."""

    def __new__(cls, fields: _Fields) -> Self: ...
    def add_terms(self, block: bytes) -> None:
        """Adds a block of terms. All terms of a partition must be added before pairs are made."""
    def pairs(self, block: bytes, at: int) -> tuple[Table, int]:
        """Some pairs of a block of n-grams, from byte `at` on, and the byte at which to go on."""

def nested_shares(ends: object, start: object, length: object, repeats: object) -> Table:
    """The shares of pairs: what part of the weight of the super term counts as inside of it.

    The pairs of a super term follow one another; `ends` has the number of the pair after the last
    of each. The other columns are those of `PairMaker.pairs`.
    """

def find_columns(
    names: Sequence[str],
    column: str | int | None = None,
    weight_column: str | int | None = None,
    *,
    numeric: Sequence[bool] | None = None,
    file: str | PathLike[str] | None = None,
) -> tuple[int, int | None, bool]: ...
def is_index(first_bytes: bytes) -> bool: ...
def is_store(path: str | PathLike[str]) -> bool: ...
def options_of_matching(text: str) -> tuple[Any, ...]: ...
def read_aliases(
    path: str | PathLike[str] | None, content: bytes | None
) -> list[tuple[str, str]]: ...
