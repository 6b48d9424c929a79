"""The index of a vocabulary."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self, SupportsIndex, cast

from termnest import _core
from termnest.aliases import core_aliases, core_aliases_of_file
from termnest.arguments import function, instance, number
from termnest.columns import columns_of_file, core_columns
from termnest.display import index_html, index_line
from termnest.errors import (
    DamagedIndexError,
    InvalidOptionError,
    InvalidTextError,
    TermTypeError,
    UnknownTermError,
)
from termnest.files import is_index, named_content, path_name
from termnest.foreign import converted
from termnest.options import (
    Aliases,
    Case,
    Format,
    Hyphens,
    NestedSort,
    Normalize,
    Numbers,
    Options,
    Overlaps,
    Progress,
    Side,
    Sort,
    Stats,
    Strings,
    StrPath,
    Tokenizer,
    Variants,
    Where,
    WordOrder,
    analysis_of,
)
from termnest.parquet import parquet_columns
from termnest.pickles import from_content, reopened
from termnest.show import Showing
from termnest.table import Match, Table, match_class


class TermIndex(Showing):
    """An index of terms: finds the terms that contain a phrase, and the terms that it contains.

    >>> index = TermIndex(["google", "google llc", "llc", "alphabet google llc"])
    >>> index.super_terms("google")
    ['google llc', 'alphabet google llc']
    >>> index.nested_terms("google llc")
    ['google', 'llc']
    >>> index.super_terms("alphabet google")  # the query need not be a term
    ['alphabet google llc']

    The index is immutable: threads and forked processes may share it.

    `super_terms`, `nested_terms` and their counts are native methods, as a Python call around them
    would take a tenth of their time; their documentation is in `_core.pyi`. `find` and its
    relatives are in find.py, questions about all terms at once (`pairs`, `scores`) in graph.py.

    Args:
        terms: Any iterable of str, or any Arrow column (polars, pandas, pyarrow, DuckDB). Entries
            with equal surfaces are one term; None, nulls and entries without a token are skipped. A
            dict or Counter has the terms as its keys and their weights as its values.
        weights: A number of zero or more for each entry, such as its frequency. The weights of
            equal entries add up. Answers come heaviest first.
        columns: Values of your own for each entry, as a data frame or a mapping from names to any
            columns: strings, integers, floats, booleans or lists of strings, None for no value.
            They are stored with the index, and answers have them on request. Entries are then one
            term only if all of their values are equal too.
        ids: Your own id of each entry, strings or integers, all different. They are the ids of the
            terms wherever ids are shown or asked for, instead of numbers from 0.
        tokenizer: How terms, queries and texts are split: `"text"`, into the words of prose,
            without the punctuation around them, which is the default; `"whitespace"`, the default
            with a separator; `"words"`, at the word boundaries of UAX #29; or `"chars"`, into
            grapheme clusters, so that a term contains its substrings.
        separator: What to split at instead, `"_"` for instance. If no term contains white space, or
            none of ASCII, queries may use that too: "New York" is `New_York`.
        lowercase: Match in lower case, as `str.lower` does, a final sigma like any sigma; terms
            keep their surface.
        strip_accents: Match Latin, Greek and Cyrillic letters without their accents: "é" is "e".
            Marks that make another letter stay: those of й, of ガ, and of all other scripts.
        fold: Ignore how words are written: capitals ("Straße", "STRASSE"), ligatures, kinds of
            apostrophes and dashes, soft hyphens, a possessive 's, an elided article ("l'homme").
        language: Match the stems of words: with `"en"`, "stem cells" is "stem cell". It is the
            code of a language, and implies `fold`.
        hyphens: What the hyphen in "e-mail" is, with `tokenizer="text"`: `"split"`, the default,
            the border of two words ("New York" is in "New York-based"); `"keep"`, a part of the
            word ("add" is not in "add-on"); `"both"`, as `"split"`, and "email" is the same too.
        case: `"smart"`: a word that a term has in capitals (IT, WHO, US) matches only words in
            capitals; all others, and those with digits (MP3), match in any case. A heading in
            capitals has IT too. Only with `fold`, `language` or `lowercase`.
        aliases: Other names of terms, which lead to them wherever their own do: a mapping from
            terms to their aliases, a column with a list for each entry, or a file of them (TSV, CSV
            or JSON Lines, with the columns `term` and `alias`). The answer is always the term.
        normalize: A function from token to token, for lemmas; called by one thread at a time, once
            for each distinct token, after the options above. A token for which it returns `""` is
            ignored. It is not stored: give it to `open` again.
        threads: How many threads build the index; one for each core by default.
        progress: Called now and then with the current stage and how much of it is done, from 0
            to 1.

    Raises:
        InvalidTermError: A term has more than 4,096 tokens or 65,535 bytes, or a weight is not a
            number of zero or more.
        CapacityError: The terms have more than 4,294,967,295 tokens, or their distinct tokens take
            more than 16 GiB.
    """

    __slots__ = ("_match", "_mmap", "_normalize", "_path")

    _normalize: Normalize | None
    _path: Path | None
    _mmap: bool
    # The class of its matches.
    _match: type[Match]

    def __init__(
        self,
        terms: Strings | Mapping[str, float],
        *,
        weights: Numbers | None = None,
        columns: Mapping[str, Any] | None = None,
        ids: Any | None = None,
        tokenizer: Tokenizer | None = None,
        separator: str | None = None,
        lowercase: bool = False,
        strip_accents: bool = False,
        fold: bool = False,
        language: str | None = None,
        hyphens: Hyphens | None = None,
        case: Case | None = None,
        aliases: Aliases | None = None,
        normalize: Normalize | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        if isinstance(terms, Path):
            raise TermTypeError(f"terms is a path: TermIndex.from_file({str(terms)!r}) reads it")
        if isinstance(terms, Mapping) and weights is None:
            counts = list(terms.values())
            # dict.fromkeys(terms) is a set that keeps its order.
            weights = counts if any(count is not None for count in counts) else None
        analysis = analysis_of(
            tokenizer=tokenizer,
            separator=separator,
            lowercase=lowercase,
            strip_accents=strip_accents,
            fold=fold,
            language=language,
            hyphens=hyphens,
            case=case,
            normalize=normalize,
            threads=threads,
        )
        names, rows = core_aliases(aliases), core_columns(columns, ids)
        index = _core.Index.build(terms, weights, names, rows, analysis, progress)
        self._set(index, normalize)

    def _set(
        self,
        index: _core.Index,
        normalize: Normalize | None,
        path: Path | None = None,
        mmap: bool = True,
    ) -> None:
        self._attach(index)
        self._index = index
        self._match = match_class(index)
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
        path: StrPath | BinaryIO,
        *,
        format: Format | None = None,
        column: str | int | None = None,
        weight_column: str | int | None = None,
        columns: Iterable[str] | Literal[True] | None = None,
        id_column: str | int | None = None,
        errors: Literal["strict", "replace"] = "strict",
        encoding: str | None = None,
        tokenizer: Tokenizer | None = None,
        separator: str | None = None,
        lowercase: bool = False,
        strip_accents: bool = False,
        fold: bool = False,
        language: str | None = None,
        hyphens: Hyphens | None = None,
        case: Case | None = None,
        aliases: Aliases | None = None,
        normalize: Normalize | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """The index of a vocabulary file: text, TSV, CSV or JSON Lines, also gzip or zstd; Parquet,
        TBX, TMX (its source language), SKOS (with rdflib) and XLSX (with openpyxl).

        >>> path = getfixture("tmp_path") / "companies.tsv"
        >>> _ = path.write_text("term\\tfrequency\\nllc\\t12\\ngoogle llc\\t3\\n")
        >>> index = TermIndex.from_file(path)
        >>> index.super_terms("llc"), index.weight("llc")
        (['google llc'], 12.0)

        Args:
            path: The file, or a binary file object; `"-"` is standard input.
            format: `"text"` (a term on each line), `"tsv"` (no quoting), `"csv"`, `"jsonl"`
                (strings or objects) or `"parquet"` (needs pyarrow). A line ends at LF, CRLF or a CR
                alone. By default the ending of the file's name decides. If it says nothing
                (`.txt`), or without a name, the file is text; but it is TSV if it has tabs and its
                first line is a header, or every line is a term, a tab and a number.
            column: The column of the terms, by name or by number from 0. By default it is the one
                named `term` or `keyword`, or else the first without the weights. The first row is a
                header if it has one of these names, if a column is given by name, or if it names
                the weights and every other row has a number there. Semicolons separate the columns
                of a CSV file if its first line has no comma and they make a header, or two columns
                of which the second has only numbers.
            weight_column: The column of the weights. By default `weight` or `frequency`; or, if no
                column is given and every row has a number there, `count`, `search volume`, `volume`
                or `n`, or the second of a table of two columns without a header.
            columns: The names of columns that the index stores, as in `TermIndex`; `True` for all
                others. The first row is then a header. Cells of TSV and CSV are strings, or None
                if they are empty; JSON Lines and Parquet have types.
            id_column: The column of your own ids, by name or by number from 0.
            errors: What to do with bytes that are not UTF-8: `"strict"` refuses them and names the
                line, `"replace"` replaces them by U+FFFD.
            encoding: The encoding of a text file that is not UTF-8, such as `"cp1252"`.

        The other arguments are those of `TermIndex`. If none says how terms match, the first row
        of a column `matching` does: `termnest extract` writes one, with "fold" for instance. Other
        forms in its column `forms`, and further labels in TBX and SKOS, are aliases.
        """
        analysis = analysis_of(
            tokenizer=tokenizer,
            separator=separator,
            lowercase=lowercase,
            strip_accents=strip_accents,
            fold=fold,
            language=language,
            hyphens=hyphens,
            case=case,
            normalize=normalize,
            threads=threads,
        )
        names = core_aliases_of_file(aliases)
        own, all_own = columns_of_file(columns)
        name, content = named_content(path)
        if format == "parquet" or (format is None and (name or "").endswith(".parquet")):
            terms, weights, rows, analysis, forms = parquet_columns(
                name or "input", content, analysis, column, weight_column, own, all_own, id_column
            )
            names = names or ((True, forms) if forms else None)
            index = _core.Index.build(terms, weights, names, rows, analysis, progress)
            return cls._of(index, normalize)
        if (foreign := converted(name, content, encoding, format)) is not None:
            content, format = foreign.content, foreign.format
            names = names or ((True, foreign.aliases) if foreign.aliases else None)
        from_table = (column, weight_column, errors, names, own, all_own, id_column)
        index = _core.Index.from_file(name, content, analysis, format, *from_table, progress)
        return cls._of(index, normalize)

    @classmethod
    def load(cls, path: StrPath) -> Self:
        """The index in a file: opened if `save` wrote it, or else built by `from_file`.

        The first bytes of the file decide, not its name. Of a store, it is that of all its terms.
        """
        name = path_name("path", path)
        if _core.is_store(name):
            return cls._of(_core.Store.open(name, False, True, None, None).snapshot().index(), None)
        return cls.open(name) if is_index(name) else cls.from_file(name)

    @classmethod
    def open(cls, path: StrPath, *, normalize: Normalize | None = None, mmap: bool = True) -> Self:
        """Opens a saved index, in constant time for any size.

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
            NotAnIndexError: The file is not an index.
            IndexVersionError: The file was written by a newer termnest, or by one too old.
            DamagedIndexError: The file was cut, or its head has changed.
        """
        # Absolute now: the current folder may be another when the index is pickled.
        place = Path(path_name("path", path)).absolute()
        return cls._of(_core.Index.open(os.fspath(path), mmap, normalize), normalize, place, mmap)

    def reopen(self) -> Self:
        """Opens the index's file again, with the same settings: its newest version."""
        if self._path is None:
            raise InvalidOptionError("the index has no file: save it, or open it from one")
        return type(self).open(self._path, normalize=self._normalize, mmap=self._mmap)

    @classmethod
    def from_bytes(cls, content: bytes, *, normalize: Normalize | None = None) -> Self:
        """The index that `to_bytes` made bytes of, or the content of an index file."""
        if not isinstance(content, bytes):
            raise TermTypeError(option="content", value=repr(content), expected="bytes")
        return cls._of(_core.Index.from_bytes(content, normalize), normalize)

    def to_bytes(self) -> bytes:
        """The index as bytes: what `save` writes to a file."""
        return self._index.to_bytes()

    def save(self, path: StrPath) -> None:
        """Saves the index to a file, `.nest` by convention.

        The file is written beside its target, synced and renamed: a crash or a full disk leaves the
        old file as it was, and whoever has that open keeps it. From then on a pickle of the index
        refers to the file and has no copy.

        >>> path = getfixture("tmp_path") / "companies.nest"
        >>> TermIndex(["llc", "google llc"]).save(path)
        >>> TermIndex.open(path).super_terms("llc")
        ['google llc']
        """
        name = path_name("path", path)
        self._index.save(name)
        self._path = Path(name).absolute()

    def check(self, *, checksums_only: bool = False) -> None:
        """Reads the whole index and compares it with what a build would make of its terms.

        Args:
            checksums_only: Only compare the bytes of its file with their checksums, which is
                faster. This detects damage, but not a file that somebody forged.

        Raises:
            DamagedIndexError: The file has changed since it was written.
        """
        try:
            if checksums_only:
                self._index.check_bytes()
            else:
                self._index.check()
        except DamagedIndexError as error:
            if self.path is None:
                raise
            raise type(error)(error.problem, file=str(self.path)) from error

    # --- the vocabulary ---

    def __len__(self) -> int:
        """The number of terms."""
        return len(self._index)

    def __contains__(self, term: object) -> bool:
        """Whether a term with this surface is in the vocabulary."""
        try:
            return isinstance(term, str) and self._index.number(term) is not None
        except InvalidTextError:
            return False  # no term contains half a character

    def __getitem__(self, id: SupportsIndex | str) -> str:
        """The surface of the term with this id.

        >>> TermIndex(["llc", "google  llc"])[1]
        'google llc'
        >>> TermIndex(["llc", "google llc"], ids=["Q1", "Q95"])["Q95"]
        'google llc'
        """
        return self._index.term(self._index.number_of_id(id))

    def __iter__(self) -> Iterator[str]:
        """The surfaces of all terms, by their numbers."""
        return map(self._index.term, range(len(self._index)))

    def _number(self, term: str) -> int:
        """The number of the term with this surface."""
        number = self._index.number(term)
        if number is None:
            raise UnknownTermError(f"{term!r} is not in the vocabulary")
        return number

    def id(self, term: str) -> Any:
        """The id of the term with this surface: its place among the terms, from 0, or your own.

        Of several terms with one surface it is the first; `lookup` has all.

        Raises:
            UnknownTermError: There is no such term.
        """
        return self._index.id_of_number(self._number(term))

    def ids(self, terms: Strings) -> list[Any]:
        """The ids of many terms; None for those that are not in the vocabulary.

        >>> TermIndex(["llc", "google llc"]).ids(["google llc", "inc"])
        [1, None]
        """
        return self._index.ids(terms)

    def lookup(self, phrase: str) -> list[Any]:
        """The ids of the terms that a phrase matches, under the index's own rules.

        Unlike `id`, which compares surfaces, it matches like a query: in lower case if the index
        does, for instance. Terms that differ in their surface only are all returned, in id order.

        >>> index = TermIndex(["New York", "new york", "York"], lowercase=True)
        >>> index.lookup("NEW  YORK")
        [0, 1]
        >>> index.lookup("york minster")
        []
        """
        return self._index.lookup(phrase)

    def filtered(self, *, min_weight: float = 0.0, max_length: int | None = None) -> Self:
        """An index of the terms with at least this weight and at most this many tokens.

        >>> counts = {"llc": 12, "google llc": 3, "alphabet google llc": 1}
        >>> list(TermIndex(counts).filtered(min_weight=2))
        ['llc', 'google llc']
        """
        least = number("min_weight", min_weight)
        return self._of(self._index.filtered(least, max_length), self._normalize)

    def aliases(self) -> Table:
        """The aliases of all terms, with the columns `term`, `id` and `alias`.

        >>> index = TermIndex(["color"], aliases={"color": ["colour"]})
        >>> index.aliases().to_pylist()
        [{'term': 'color', 'id': 0, 'alias': 'colour'}]
        >>> index.find("a colour code")[0].term
        'color'
        """
        return Table(self._index.aliases())

    def weight(self, term: str) -> float:
        """The weight of a term, the first with this surface; 1 if the vocabulary has no weights.

        >>> TermIndex(["llc", "inc", "llc"], weights=[3, 1, 4]).weight("llc")
        7.0

        Raises:
            UnknownTermError: There is no such term.
        """
        return self._index.weight(self._number(term))

    # --- the two questions, for many phrases; _core.Questions has them for one ---

    def super_terms_batch(
        self,
        terms: Strings,
        *,
        where: Where = "anywhere",
        direct: bool = False,
        max_extra: int | None = None,
        min_length: int | None = None,
        max_length: int | None = None,
        sort: Sort = "weight",
        limit: int | None = None,
        offset: int = 0,
        columns: Iterable[str] | None = None,
        threads: int | None = None,
    ) -> Table:
        """The super terms of many phrases, as one table; on all cores, with the GIL released.

        The options are those of `super_terms`, for each phrase; `threads` is the number of threads,
        one for each core by default. The columns:

        - `query`: the row number of the phrase;
        - `id`, `term`, `weight`: the answer;
        - `start`: where the shorter of the two begins in the longer, in tokens: its first
          occurrence that fits `where`;
        - `length`: the number of tokens of the answer;
        - those of the index's own `columns` that are asked for.

        >>> index = TermIndex(["llc", "google llc", "alphabet google llc"])
        >>> table = index.super_terms_batch(["google", "llc"])
        >>> [(row["query"], row["term"], row["start"]) for row in table.to_pylist()]
        [(0, 'google llc', 0), (0, 'alphabet google llc', 1), (1, 'google llc', 1), \
(1, 'alphabet google llc', 2)]
        """
        return Table(
            self._index.super_terms_batch(
                terms,
                where,
                direct,
                max_extra,
                min_length,
                max_length,
                sort,
                limit,
                offset,
                columns,
                threads,
            )
        )

    def nested_terms_batch(
        self,
        terms: Strings,
        *,
        where: Where = "anywhere",
        direct: bool = False,
        min_length: int | None = None,
        max_length: int | None = None,
        sort: NestedSort = "weight",
        limit: int | None = None,
        offset: int = 0,
        columns: Iterable[str] | None = None,
        threads: int | None = None,
    ) -> Table:
        """The nested terms of many phrases, as one table; see `super_terms_batch`.

        A phrase that equals a term does not contain that term: `find_batch` has the terms in texts.
        """
        return Table(
            self._index.nested_terms_batch(
                terms, where, direct, min_length, max_length, sort, limit, offset, columns, threads
            )
        )

    # --- more questions ---

    def token_finder(
        self,
        *,
        attr: str = "text",
        alignment_mode: str = "strict",
        overlaps: Overlaps = "longest",
        variants: Variants = "first",
        tokenize: Callable[[str], Any] | None = None,
        whole: bool = False,
        respelled: bytes | None = None,
    ) -> _core.TokenFinder:
        """What finds the terms in documents that have tokens already; for the spaCy component.

        Args:
            attr: What a token of a document is compared by: `"text"`, the text, as the index reads
                it; `"normal"`, what the index makes of the token; `"exact"` and `"lower"`, the
                token.
            alignment_mode: `"strict"`, `"contract"` or `"expand"`, as in spaCy's `Doc.char_span`.
            overlaps: Which of several overlapping spans to report, as in `find`.
            variants: Of several terms in one place report the `"first"`, or `"all"`.
            tokenize: The tokenizer of the documents. It is given words with spaces between them,
                and returns an array of `uint64` with the offset and the length of each token.
            whole: Give `tokenize` one term at a time; it returns its tokens as a list of str.
            respelled: What `TokenFinder.respelled` returned; `tokenize` is then not called.
        """
        function("tokenize", tokenize)
        if respelled is not None:
            instance("respelled", respelled, bytes, "bytes or None")
        return _core.TokenFinder(
            self._index, attr, alignment_mode, overlaps, variants, tokenize, whole, respelled
        )

    def complete(
        self, prefix: str, *, limit: int | None = 10, order: WordOrder = "given"
    ) -> list[str]:
        """The terms that complete a phrase, whose last word may be unfinished.

        Terms that start with the phrase come first, then the heaviest. White space (or a separator)
        at the end of the phrase ends its last word.

        >>> index = TermIndex(["google", "google llc", "googleplex", "alphabet google llc"])
        >>> index.complete("goog")
        ['google', 'google llc', 'googleplex', 'alphabet google llc']
        >>> index.complete("google")
        ['google llc', 'googleplex', 'alphabet google llc']
        >>> index.complete("google ")
        ['google llc', 'alphabet google llc']

        With `order="any"`, a term needs the same words in any order, wherever they are: for each
        word of the phrase another one of its own. The heaviest come first.

        >>> index.complete("llc a", order="any")
        ['alphabet google llc']

        An unfinished word is not given to the `normalize` function.
        """
        return self._index.complete(prefix, limit, order)

    def expansions(self, term: str, *, side: Side) -> Table:
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

    def stats(self, pairs: bool = False) -> Stats:
        """The facts of the index; with `pairs`, also the number of its pairs, which takes a scan.

        >>> TermIndex(["llc", "google llc", "llc", " "]).stats(pairs=True)
        Stats(terms=2, aliases=0, tokens=3, distinct_tokens=2, skipped=1, duplicates=1, \
longest_term=2, memory_bytes=..., file_bytes=..., pairs=1)
        """
        return Stats(*self._index.stats(pairs))

    # --- the object ---

    @property
    def path(self) -> Path | None:
        """The file that the index was opened from or last saved to, if any."""
        return self._path

    @property
    def options(self) -> Options:
        """How the index splits and matches terms.

        >>> TermIndex(["New_York"], separator="_").options.separator
        '_'
        """
        names = self._index.options()
        return Options(*cast(tuple[Any, ...], names))

    @property
    def matching(self) -> str | None:
        """The options in the words of a column `matching`; None if there are no words for them."""
        return self._index.matching

    @property
    def normalize(self) -> Normalize | None:
        """The `normalize` function that the index was built or opened with, if any."""
        return self._normalize

    @property
    def weighted(self) -> bool:
        """Whether the vocabulary has weights."""
        return self._index.weighted

    @property
    def checksum(self) -> str:
        """Eight hexadecimal digits: indexes with the same checksum give the same answers.

        An index has the checksum of its file. For an index without a file it is computed once, from
        all of its bytes.
        """
        return f"{self._index.checksum:08x}"

    @property
    def json(self) -> _core.JsonAnswers:
        """The answers of the index as JSON, as bytes: what the server sends."""
        return self._index.json

    def __reduce__(self) -> tuple[Any, ...]:
        # A file is its own copy: nothing else need be sent.
        if self._path is not None:
            arguments = (str(self._path), self._normalize, self._mmap, self.checksum)
            return reopened, (type(self), *arguments)
        return from_content, (type(self), self._index.to_bytes(), self._normalize)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __repr__(self) -> str:
        return index_line(self)

    def _repr_html_(self) -> str:
        return index_html(self)
