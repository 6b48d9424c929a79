"""The index of a vocabulary."""

from __future__ import annotations

import html
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from operator import index as index_of
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, Self, SupportsIndex

from termnest import _core
from termnest.errors import (
    DamagedIndexError,
    InvalidTextError,
    TermIdError,
    TermTypeError,
    UnknownTermError,
)
from termnest.parquet import parquet_columns
from termnest.table import Matches, Table

Tokenizer = Literal["whitespace", "words", "chars"]
Where = Literal["anywhere", "start", "end", "inside"]
Overlaps = Literal["all", "longest", "leftmost"]
Format = Literal["text", "tsv", "csv", "jsonl", "parquet"]
Normalize = Callable[[str], str]
StrPath = str | os.PathLike[str]


class ArrowStream(Protocol):
    """A column of polars, pandas, pyarrow or DuckDB: what speaks the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class ArrowArray(Protocol):
    """An array that speaks the Arrow PyCapsule interface."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...


Strings = Iterable[str] | ArrowStream | ArrowArray
Numbers = Iterable[float] | ArrowStream | ArrowArray


class Stats(NamedTuple):
    """The facts of an index."""

    terms: int
    tokens: int
    """Tokens of all terms."""
    distinct_tokens: int
    skipped: int
    """Entries that had no token and were left out."""
    duplicates: int
    """Entries that were merged into an earlier one with the same surface."""
    longest_term: int
    """The tokens of the longest term."""
    memory_bytes: int
    """The memory that the index holds for itself; 0 when its file is mapped."""
    file_bytes: int
    """The size of the index as a file."""
    pairs: int | None
    """The (nested, super) pairs of the vocabulary, if they were asked for."""


class TermIndex(_core.Questions):
    """An index of terms that tells which of them contain a phrase, and which it contains.

    >>> index = TermIndex(["google", "google llc", "llc", "alphabet google llc"])
    >>> index.super_terms("google")
    ['google llc', 'alphabet google llc']
    >>> index.nested_terms("google llc")
    ['google', 'llc']
    >>> index.super_terms("alphabet google")  # the query need not be a term
    ['alphabet google llc']

    The index is immutable: threads and forked processes may share it.

    Args:
        terms: Any iterable of str, or any Arrow column (polars, pandas, pyarrow, DuckDB). Entries
            with equal surfaces are one term; entries without a token are skipped, and so are the
            nulls of a column. In a list, None is an error.
        weights: A number of zero or more for each entry, its frequency for instance. The weights of
            equal entries add up. Answers come heaviest first.
        tokenizer: How terms and queries are split: `"whitespace"`; `"words"`, at the word borders
            of UAX #29, punctuation dropped (symbols are not punctuation: "C++" has three tokens,
            "C#" one); or `"chars"`, into grapheme clusters, which makes
            containment that of substrings.
        separator: What to split at instead of white space, `"_"` for instance. If no term holds
            white space, or none of ASCII, queries may use that for it: "New York" is `New_York`.
        lowercase: Match in lower case, as `str.lower` does; terms keep their surface.
        strip_accents: Match without combining marks: "é" is "e".
        normalize: A function from token to token, for lemmas or stems. It is called once for each
            distinct token, after the options above; a token for which it gives `""` is not matched.
            It is not stored: give it again to `open`.
        threads: How many threads build the index; one for each core by default.

    Raises:
        InvalidTermError: A term has more than 4,096 tokens or 65,535 bytes, or a weight is no
            number of zero or more.
        CapacityError: The terms have more than 4,294,967,295 tokens, or distinct ones of more than
            16 GiB.
    """

    __slots__ = ("_index", "_mmap", "_normalize", "_path")

    _index: _core.Index
    _normalize: Normalize | None
    # Where the index was opened from, if it was.
    _path: Path | None
    _mmap: bool

    def __init__(
        self,
        terms: Strings,
        *,
        weights: Numbers | None = None,
        tokenizer: Tokenizer = "whitespace",
        separator: str | None = None,
        lowercase: bool = False,
        strip_accents: bool = False,
        normalize: Normalize | None = None,
        threads: int | None = None,
    ) -> None:
        if isinstance(terms, Path):
            raise TermTypeError(f"terms is a path: TermIndex.from_file({str(terms)!r}) reads it")
        analysis = _analysis(tokenizer, separator, lowercase, strip_accents, normalize, threads)
        self._set(_core.Index.build(terms, weights, analysis), normalize)

    def _set(
        self,
        index: _core.Index,
        normalize: Normalize | None,
        path: Path | None = None,
        mmap: bool = True,
    ) -> None:
        self._ask(index)
        self._index = index
        self._normalize = normalize
        self._path = path
        self._mmap = mmap

    @classmethod
    def _of(
        cls,
        index: _core.Index,
        normalize: Normalize | None,
        path: Path | None = None,
        mmap: bool = True,
    ) -> Self:
        self = cls.__new__(cls)
        self._set(index, normalize, path, mmap)
        return self

    @classmethod
    def from_file(
        cls,
        path: StrPath,
        *,
        format: Format | None = None,
        column: str | int | None = None,
        weight_column: str | int | None = None,
        errors: Literal["strict", "replace"] = "strict",
        tokenizer: Tokenizer = "whitespace",
        separator: str | None = None,
        lowercase: bool = False,
        strip_accents: bool = False,
        normalize: Normalize | None = None,
        threads: int | None = None,
        progress: Callable[[str, float], object] | None = None,
    ) -> Self:
        """The index of a vocabulary file: text, TSV, CSV or JSON Lines, also gzip or zstd; Parquet.

        >>> path = getfixture("tmp_path") / "companies.tsv"
        >>> _ = path.write_text("term\\tfrequency\\nllc\\t12\\ngoogle llc\\t3\\n")
        >>> index = TermIndex.from_file(path)
        >>> index.super_terms("llc"), index.weight("llc")
        (['google llc'], 12.0)

        Args:
            path: The file; `"-"` is standard input.
            format: `"text"` (a term a line), `"tsv"` (no quoting), `"csv"`, `"jsonl"` (strings or
                objects) or `"parquet"` (needs pyarrow); told by the file's name if not given.
                Standard input is text, unless its first line is the header of a TSV file.
            column: The column of the terms, by name or by number from 0. The one named `term` by
                default, or else the first one. The first row is a header if a cell of it is `term`,
                or if a column is given by name. Where a header has semicolons and no comma, they
                separate the columns of a CSV file.
            weight_column: The column of the weights; by default the one named `weight` or
                `frequency`, if there is a header.
            errors: What to do with bytes that are not UTF-8: `"strict"` refuses them and tells the
                line, `"replace"` puts U+FFFD in their place.
            progress: Called now and then with what is being done and the share of it that is done,
                from 0 to 1.

        The other arguments are those of `TermIndex`.
        """
        content = sys.stdin.buffer.read() if os.fspath(path) == "-" else None
        return cls._from_file(
            path,
            content,
            format=format,
            column=column,
            weight_column=weight_column,
            errors=errors,
            tokenizer=tokenizer,
            separator=separator,
            lowercase=lowercase,
            strip_accents=strip_accents,
            normalize=normalize,
            threads=threads,
            progress=progress,
        )

    @classmethod
    def _from_file(
        cls,
        path: StrPath,
        content: bytes | None,
        *,
        format: str | None = None,
        column: str | int | None = None,
        weight_column: str | int | None = None,
        errors: str = "strict",
        tokenizer: str = "whitespace",
        separator: str | None = None,
        lowercase: bool = False,
        strip_accents: bool = False,
        normalize: Normalize | None = None,
        threads: int | None = None,
        progress: Callable[[str, float], object] | None = None,
    ) -> Self:
        """`from_file`, of a file or of what was read from it."""
        analysis = _analysis(tokenizer, separator, lowercase, strip_accents, normalize, threads)
        if format == "parquet" or (format is None and os.fspath(path).endswith(".parquet")):
            terms, weights = parquet_columns(path, content, column, weight_column)
            return cls._of(_core.Index.build(terms, weights, analysis), normalize)
        index = _core.Index.from_file(
            None if content is not None else path,
            content,
            analysis,
            format,
            column,
            weight_column,
            errors,
            progress,
        )
        return cls._of(index, normalize)

    @classmethod
    def load(cls, path: StrPath) -> Self:
        """The index that a file holds: opened if `save` wrote it, else built by `from_file`.

        The first bytes of the file tell, not its name.
        """
        try:
            with Path(path).open("rb") as file:
                first = file.read(8)
        except OSError:
            first = b""  # told below
        return cls.open(path) if _core.is_index(first) else cls.from_file(path)

    @classmethod
    def open(cls, path: StrPath, *, normalize: Normalize | None = None, mmap: bool = True) -> Self:
        """Opens a saved index, in constant time whatever its size.

        The file is mapped: its pages are read when they are needed, and shared by all processes
        that open it. So it must not be changed in place while it is open; replacing it, as `save`
        does, is safe. `mmap=False` reads the file into memory instead: for network file systems,
        and for files that others may overwrite.

        Only the head of the file is checked. `check` reads all of it.

        Args:
            path: A file that `save` or `termnest build` wrote.
            normalize: The function that the index was built with, if it was built with one.
            mmap: Map the file, or read it.

        Raises:
            NotAnIndexError: The file is no index.
            IndexVersionError: The file was written by a newer termnest, or by one too old.
            DamagedIndexError: The file was cut, or its head has changed.
        """
        # Absolute now: the folder may have changed when the index is pickled.
        place = Path(path).absolute()
        return cls._of(_core.Index.open(path, mmap, normalize), normalize, place, mmap)

    def save(self, path: StrPath) -> None:
        """Saves the index to a file, `.nest` by custom.

        The file is written beside its target, synced and renamed: a crash or a full disk leaves the
        old file as it was, and whoever has that open keeps it.

        >>> path = getfixture("tmp_path") / "companies.nest"
        >>> TermIndex(["llc", "google llc"]).save(path)
        >>> TermIndex.open(path).super_terms("llc")
        ['google llc']
        """
        self._index.save(path)

    def check(self) -> None:
        """Reads the whole index and compares it with what a build would make of its terms.

        Raises:
            DamagedIndexError: The file has changed since it was written.
        """
        try:
            self._index.check()
        except DamagedIndexError as error:
            if self.path is None:
                raise
            raise DamagedIndexError(f"{self.path}: {error}") from error

    # --- the vocabulary ---

    def __len__(self) -> int:
        """The number of terms."""
        return len(self._index)

    def __contains__(self, term: object) -> bool:
        """Whether a term with this surface is in the vocabulary."""
        try:
            return isinstance(term, str) and self._index.id(term) is not None
        except InvalidTextError:
            return False  # half a character stands in no term

    def __getitem__(self, id: SupportsIndex) -> str:
        """The surface of the term with this id.

        >>> TermIndex(["llc", "google  llc"])[1]
        'google llc'
        """
        return self._index.term(self._checked(id))

    def __iter__(self) -> Iterator[str]:
        """The surfaces of all terms, by id."""
        return map(self._index.term, range(len(self._index)))

    def _checked(self, id: SupportsIndex) -> int:
        try:
            id = index_of(id)
        except TypeError:
            message = f"an id is an int, not {id!r}; index.id(term) gives that of a term"
            raise TermTypeError(message) from None
        if not 0 <= id < len(self._index):
            ids = f"ids are 0 to {len(self) - 1}" if len(self) else "there are no terms"
            raise TermIdError(f"no term has id {id}: {ids}")
        return id

    def id(self, term: str) -> int:
        """The id of the term with this surface: its place among the terms, from 0.

        Raises:
            UnknownTermError: There is no such term.
        """
        id = self._index.id(term)
        if id is None:
            raise UnknownTermError(f"{term!r} is not in the vocabulary")
        return id

    def ids(self, terms: Strings) -> list[int | None]:
        """The ids of many terms; None for those that are not in the vocabulary.

        >>> TermIndex(["llc", "google llc"]).ids(["google llc", "inc"])
        [1, None]
        """
        return self._index.ids(terms)

    def weight(self, term: str) -> float:
        """The weight of a term; 1 if the vocabulary has no weights.

        >>> TermIndex(["llc", "inc", "llc"], weights=[3, 1, 4]).weight("llc")
        7.0

        Raises:
            UnknownTermError: There is no such term.
        """
        return self._index.weight(self.id(term))

    # --- the two questions, many at a time; _core.Questions answers one ---

    def super_terms_batch(
        self,
        terms: Strings,
        *,
        where: Where = "anywhere",
        direct: bool = False,
        max_extra: int | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> Table:
        """The super terms of many phrases, as one table; on all cores, with the GIL released.

        The options are those of `super_terms`, for each phrase. The columns:

        - `query`: the row number of the phrase;
        - `id`, `term`, `weight`: the answer;
        - `start`: where the shorter of the two stands in the longer, in tokens: the first place
          that fits `where`;
        - `length`: the tokens of the answer.

        >>> index = TermIndex(["llc", "google llc", "alphabet google llc"])
        >>> table = index.super_terms_batch(["google", "llc"])
        >>> [(row["query"], row["term"], row["start"]) for row in table.to_pylist()]
        [(0, 'google llc', 0), (0, 'alphabet google llc', 1), (1, 'google llc', 1), \
(1, 'alphabet google llc', 2)]
        """
        return Table(self._index.super_terms_batch(terms, where, direct, max_extra, limit, offset))

    def nested_terms_batch(
        self,
        terms: Strings,
        *,
        where: Where = "anywhere",
        direct: bool = False,
        limit: int | None = None,
        offset: int = 0,
    ) -> Table:
        """The nested terms of many phrases, as one table; see `super_terms_batch`."""
        return Table(self._index.nested_terms_batch(terms, where, direct, limit, offset))

    # --- more questions ---

    def find(self, text: str, *, overlaps: Overlaps = "all") -> Matches:
        """The terms that stand in a running text, by start, end and id.

        Offsets count characters of the text as given. A term is found whatever white space stands
        between its words.

        >>> index = TermIndex(["new york", "york", "city hall"])
        >>> for match in index.find("The New  York city hall"):
        ...     print(match)
        Match(term='city hall', id=2, start=14, end=23)
        >>> index = TermIndex(["new york", "york", "city hall"], lowercase=True)
        >>> [(m.term, m.start, m.end) for m in index.find("The New  York city hall")]
        [('new york', 4, 13), ('york', 9, 13), ('city hall', 14, 23)]

        Args:
            text: The text, of any length.
            overlaps: Which of the spans that overlap to report: `"all"`; `"longest"`, those inside
                of no other; `"leftmost"`, from left to right the longest, none overlapping. All
                terms of a span are reported.
        """
        return Matches(self._index.find(text, overlaps))

    def complete(self, prefix: str, *, limit: int | None = 10) -> list[str]:
        """Terms in which a phrase is followed by something, its last word possibly unfinished.

        Those that start with the phrase come first, then the heaviest. White space (or a separator)
        at the end of the phrase ends its last word.

        >>> index = TermIndex(["google", "google llc", "googleplex", "alphabet google llc"])
        >>> index.complete("goog")
        ['google', 'google llc', 'googleplex', 'alphabet google llc']
        >>> index.complete("google")
        ['google llc', 'googleplex', 'alphabet google llc']
        >>> index.complete("google ")
        ['google llc', 'alphabet google llc']

        An unfinished word is not given to the `normalize` function.
        """
        return self._index.complete(prefix, limit)

    def pairs(self, *, direct: bool = False) -> Table:
        """Every (nested, super) pair of the vocabulary: the columns `nested` and `super`, ids both,
        and `start`, the first place of the one in the other, in tokens; ordered by ids.

        >>> TermIndex(["llc", "google llc", "alphabet google llc"]).pairs().to_pylist()
        [{'nested': 0, 'super': 1, 'start': 1}, {'nested': 0, 'super': 2, 'start': 2}, \
{'nested': 1, 'super': 2, 'start': 1}]

        Args:
            direct: Only pairs with no other term in between.
        """
        return Table(self._index.pairs(direct, False))

    def expansions(self, term: str, *, side: Literal["left", "right"]) -> Table:
        """The words that terms of the vocabulary add to a phrase, on its left or on its right.

        The columns are `word`, the number of `terms` that have it there, and the sum of their
        `weight`; heaviest first, then those of the most terms.

        >>> index = TermIndex(["basal cell", "basal cell carcinoma", "basal cell layer", "t cell"])
        >>> index.expansions("basal cell", side="right").to_pylist()
        [{'word': 'carcinoma', 'terms': 1, 'weight': 1.0}, {'word': 'layer', 'terms': 1, \
'weight': 1.0}]
        >>> index.expansions("cell", side="left").to_pylist()
        [{'word': 'basal', 'terms': 3, 'weight': 3.0}, {'word': 't', 'terms': 1, 'weight': 1.0}]

        A word is shown as it is matched: in lower case, if the index is.
        """
        return Table(self._index.expansions(term, side))

    def scores(self, *, terms: bool = False) -> Table:
        """The figures of terminology extraction, a row for each term, by id.

        The weights should be the counts of the terms in a corpus, occurrences inside of longer
        terms included. `f` is the weight of a term, `n` its number of tokens, `T` its super terms.

        | column | what |
        |---|---|
        | `length` | `n` |
        | `frequency` | `f` |
        | `super_count` | the size of `T` |
        | `super_frequency` | the sum of `f` over `T` |
        | `nested_count` | the number `m` of terms that are nested in it |
        | `independent` | `i = f - t`, where `t` is the sum of `i` over `T`: what the term occurs \
outside of its super terms |
        | `c_value` | `log2(n) (f - t / size of T)`, or `log2(n) f` if `T` is empty: Frantzi, \
Ananiadou and Mima (2000) |
        | `c_value_plus_one` | the same with `log2(n + 1)`, so that terms of one word count |
        | `c_value_jate` | `log2(n + 0.1) (f - super_frequency / size of T)`, as JATE computes it |
        | `basic` | `n ln(f) + 0.72 (size of T)`; `ln(f)` if `n` is 1: Bordea, Buitelaar and \
Polajnar (2013) |
        | `combo_basic` | `n ln(f) + 0.75 (size of T) + 0.1 m`; `ln(f)` if `n` is 1: \
Astrakhantsev (2016) |

        A term of weight 0 has a `basic` and a `combo_basic` of 0.

        >>> counts = {"basal cell carcinoma": 984, "cystic basal cell carcinoma": 11}
        >>> index = TermIndex(counts, weights=list(counts.values()))
        >>> [(row["independent"], round(row["c_value"], 2)) for row in index.scores().to_pylist()]
        [(973.0, 1542.17), (11.0, 22.0)]

        Args:
            terms: With the column `term`.
        """
        return Table(self._index.scores(terms))

    def taxonomy(self, *, terms: bool = False) -> Table:
        """The tree of terms and their heads, a row for each term, by id.

        In English a phrase ends with its head, and a term is as a rule a kind of its head:
        "basal cell carcinoma" is a "cell carcinoma". `broader` is the id of the longest term that a
        term ends with, None for a root; `depth` the number of steps to the root, `root` its id.

        >>> index = TermIndex(["carcinoma", "cell carcinoma", "basal cell carcinoma", "basal cell"])
        >>> index.taxonomy().to_pylist()
        [{'id': 0, 'broader': None, 'depth': 0, 'root': 0}, \
{'id': 1, 'broader': 0, 'depth': 1, 'root': 0}, \
{'id': 2, 'broader': 1, 'depth': 2, 'root': 0}, \
{'id': 3, 'broader': None, 'depth': 0, 'root': 3}]

        Of terms that are matched alike (under `lowercase`, say) the first is the broader one.

        Args:
            terms: With the column `term`.
        """
        return Table(self._index.taxonomy(terms))

    def stats(self, pairs: bool = False) -> Stats:
        """The facts of the index; with `pairs`, their number too, which costs a scan.

        >>> TermIndex(["llc", "google llc", "llc", " "]).stats(pairs=True)
        Stats(terms=2, tokens=3, distinct_tokens=2, skipped=1, duplicates=1, longest_term=2, \
memory_bytes=..., file_bytes=..., pairs=1)
        """
        return Stats(*self._index.stats(pairs))

    # --- the object ---

    @property
    def path(self) -> Path | None:
        """The file that the index was opened from; None if it was built."""
        return self._path

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy of an index that came from a file is the file: nothing else need be sent.
        if self._path is not None:
            arguments = (str(self._path), self._normalize, self._mmap, self._index.checksum)
            return _reopen, (type(self), *arguments)
        return _from_bytes, (type(self), self._index.to_bytes(), self._normalize)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def _facts(self) -> dict[str, str]:
        """What `repr` shows."""
        stats = self.stats()
        tokenizer, separator, lowercase, strip_accents, normalized = self._index.options()
        options = [
            f"tokenizer={tokenizer!r}" if tokenizer != "whitespace" else "",
            f"separator={separator!r}" if separator is not None else "",
            "lowercase" if lowercase else "",
            "strip_accents" if strip_accents else "",
            "normalize" if normalized else "",
            "weights" if self._index.weighted else "",
        ]
        facts = {
            "terms": f"{stats.terms:,}",
            "tokens": f"{stats.tokens:,}",
            "distinct tokens": f"{stats.distinct_tokens:,}",
            "options": ", ".join(filter(None, options)),
            "file": str(self._path) if self._path is not None else "",
        }
        return {name: fact for name, fact in facts.items() if fact}

    def __repr__(self) -> str:
        facts = self._facts()
        numbers = ", ".join(f"{facts.pop(name)} {name}" for name in list(facts)[:3])
        return f"<TermIndex of {', '.join([numbers, *facts.values()])}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{name}</th><td>{html.escape(fact)}</td></tr>"
            for name, fact in self._facts().items()
        )
        terms = ", ".join(self[id] for id in range(min(5, len(self))))
        more = ", …" if len(self) > 5 else ""
        return f"<table><caption>TermIndex</caption>{rows}</table><p>{html.escape(terms)}{more}</p>"


def _analysis(
    tokenizer: str,
    separator: str | None,
    lowercase: bool,
    strip_accents: bool,
    normalize: Normalize | None,
    threads: int | None,
) -> _core._Analysis:
    for name, value, kind in [
        ("tokenizer", tokenizer, str),
        ("separator", separator, str | None),
        ("lowercase", lowercase, bool),
        ("strip_accents", strip_accents, bool),
        ("threads", threads, int | None),
    ]:
        if not isinstance(value, kind):
            expected = getattr(kind, "__name__", str(kind))
            raise TermTypeError(f"{name} must be {expected}, not {value!r}")
    return {
        "tokenizer": tokenizer,
        "separator": separator,
        "lowercase": lowercase,
        "strip_accents": strip_accents,
        "normalize": normalize,
        "threads": threads,
    }


def _reopen(
    cls: type[TermIndex],
    path: str,
    normalize: Normalize | None,
    mmap: bool,
    checksum: int | None,
) -> TermIndex:
    """The index of a pickle that names a file."""
    index = cls.open(path, normalize=normalize, mmap=mmap)
    if index._index.checksum != checksum:
        raise DamagedIndexError(
            f"{path} is not the file that it was when the index was pickled: open it anew"
        )
    return index


def _from_bytes(cls: type[TermIndex], content: bytes, normalize: Normalize | None) -> TermIndex:
    """The index of a pickle that holds it."""
    return cls._of(_core.Index.from_bytes(content, normalize), normalize)
