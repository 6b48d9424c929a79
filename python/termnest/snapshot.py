"""One generation of a store, and the questions that a generation and a store answer alike."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self, cast

from termnest import _core
from termnest.arguments import count
from termnest.arguments import text as text_of
from termnest.errors import TermIdError, UnknownTermError
from termnest.index import TermIndex
from termnest.options import Chosen, Normalize, Options, Side, Strings, Texts
from termnest.replace import By
from termnest.show import Neighbourhood
from termnest.table import Column, Matches, Table


class StoreStats(NamedTuple):
    """The facts of one generation of a store."""

    terms: int
    generation: int
    """Its number: 1 for a new store, and one more after each commit."""
    segments: list[tuple[int, int]]
    """The tier and the rows of each segment, from the one that was changed last."""
    hidden: int
    """Ids with rows that are not live: of terms that were removed or changed."""
    file_bytes: int
    """The size of all files."""


class StoreQuestions(_core.Questions):
    """The questions of `TermIndex`, with the same options, answers and order.

    `super_terms`, `nested_terms` and their counts are native methods. Questions about the whole
    vocabulary (`pairs`, `variants`, `scores`, `taxonomy`, `save`) are those of `index()`.
    """

    __slots__ = ("_indexes", "_normalize", "_whole")

    _normalize: Normalize | None
    # The index of all terms, with its generation, once it was needed.
    _whole: tuple[int, TermIndex] | None
    # The indexes that the last questions for JSON were put to.
    _indexes: OrderedDict[tuple[Any, ...], TermIndex]

    def _start(self, asked: _core.Store | _core.Snapshot, normalize: Normalize | None) -> None:
        self._attach(asked)
        self._normalize = normalize
        self._whole = None
        self._indexes = OrderedDict()

    def _now(self) -> _core.Snapshot:
        """The generation to ask."""
        raise NotImplementedError

    def _about(
        self, question: str, what: object, limit: int | None = None, *, again: bool = False
    ) -> TermIndex:
        """The index of the terms that matter for a question.

        Args:
            question: What is asked about: a name of src/python/store.rs.
            what: The phrase, or the text, or many of them.
            limit: The most answers, of completions.
            again: Whether the same question is likely to come again soon, for its next page.
        """
        now = self._now()
        key = (now.generation, question, what, limit) if again else None
        if key is not None and (known := self._indexes.get(key)) is not None:
            return known
        index = TermIndex._of(now.about(question, what, limit), self._normalize)
        if key is not None:
            self._indexes[key] = index
            while len(self._indexes) > _REMEMBERED:
                self._indexes.popitem(last=False)
        return index

    # --- the vocabulary ---

    @property
    def generation(self) -> int:
        """The number of the generation that is asked."""
        return self._now().generation

    def index(self) -> TermIndex:
        """All terms as one `TermIndex`, with their ids: for pairs, scores, taxonomies, `save`.

        It is built once for each generation, in the time of a build, and takes as much memory. A
        store that was compacted has it already.
        """
        now = self._now()
        if self._whole is None or self._whole[0] != now.generation:
            self._whole = now.generation, TermIndex._of(now.index(), self._normalize)
        return self._whole[1]

    def __len__(self) -> int:
        """The number of terms."""
        return len(self._now())

    def __iter__(self) -> Iterator[str]:
        """The surfaces of all terms, by their ids."""
        return iter(self.index())

    def __contains__(self, term: object) -> bool:
        """Whether a term with this surface is in the vocabulary."""
        try:
            return isinstance(term, str) and self._now().id(text_of("term", term)) is not None
        except ValueError:
            return False  # no term contains half a character

    def __getitem__(self, id: int) -> str:
        """The surface of the term with this id."""
        found = self._now().term(id) if isinstance(id, int) and 0 <= id < _NO_ID else None
        if found is None:
            raise TermIdError(f"no term has the id {id!r}")
        return found

    def id(self, term: str) -> int:
        """The id of the term with this surface.

        Raises:
            UnknownTermError: There is no such term.
        """
        return self._id(self._now(), term)

    def _id(self, now: _core.Snapshot, term: str) -> int:
        id = now.id(term)
        if id is None:
            raise UnknownTermError(f"{term!r} is not in the vocabulary")
        return id

    def ids(self, terms: Strings) -> list[int | None]:
        """The ids of many terms; None for those that are not in the vocabulary."""
        now = self._now()
        strings = cast("Iterable[str]", _listed(terms))
        return [now.id(term) for term in strings]

    def lookup(self, phrase: str) -> list[int]:
        """The ids of the terms that a phrase matches, under the store's own rules, in order."""
        return self._now().lookup(phrase)

    def weight(self, term: str) -> float:
        """The weight of a term; 1 if it was given none.

        Raises:
            UnknownTermError: There is no such term.
        """
        now = self._now()
        weight = now.weight(self._id(now, term))
        assert weight is not None
        return weight

    def aliases(self) -> Table:
        """The aliases of all terms, with the columns `term`, `id` and `alias`."""
        return self.index().aliases()

    # --- questions ---

    def super_terms_batch(self, terms: Strings, **options: Any) -> Table:
        """The super terms of many phrases, as one table: see `TermIndex.super_terms_batch`."""
        listed = _listed(terms)
        return self._about("super_of_many", listed).super_terms_batch(listed, **options)

    def nested_terms_batch(self, terms: Strings, **options: Any) -> Table:
        """The nested terms of many phrases, as one table: see `TermIndex.nested_terms_batch`."""
        listed = _listed(terms)
        return self._about("nested_of_many", listed).nested_terms_batch(listed, **options)

    def complete(self, prefix: str, *, limit: int | None = 10) -> list[str]:
        """The terms that complete a phrase: see `TermIndex.complete`."""
        return self._about("completions", prefix, limit).complete(prefix, limit=limit)

    def show(self, phrase: str, *, limit: int = 10) -> Neighbourhood:
        """What the vocabulary has around a phrase: see `TermIndex.show`."""
        # One completion more than is shown may be the phrase itself.
        most = count("limit", limit) + 1
        return self._about("around", phrase, most).show(phrase, limit=limit)

    def expansions(self, term: str, *, side: Side) -> Table:
        """The words that terms add to a phrase: see `TermIndex.expansions`."""
        return self._about("super", term).expansions(term, side=side)

    def find(self, text: str, *, where: Chosen | None = None, **options: Any) -> Matches:
        """The terms that occur in a running text: see `TermIndex.find`."""
        return self._in_text(text, where).find(text, where=where, **options)

    def find_batch(self, texts: Texts, *, where: Chosen | None = None, **options: Any) -> Table:
        """The terms that occur in each of many texts: see `TermIndex.find_batch`."""
        listed = _listed(texts)
        if where is not None and not isinstance(where, Mapping):
            return self.index().find_batch(listed, where=where, **options)
        return self._about("texts", listed).find_batch(listed, where=where, **options)

    def iter_batches(self, texts: Texts, **options: Any) -> Iterator[Table]:
        """The tables of `find_batch`, one for every `rows` texts: see `TermIndex.iter_batches`.

        All of them are from one generation.
        """
        return self.index().iter_batches(texts, **options)

    def replace(self, text: str, by: By, *, where: Chosen | None = None, **options: Any) -> str:
        """The text with every term replaced: see `TermIndex.replace`."""
        return self._in_text(text, where).replace(text, by, where=where, **options)

    def highlight(self, text: str, *, where: Chosen | None = None, **options: Any) -> str:
        """The text with every term marked: see `TermIndex.highlight`."""
        return self._in_text(text, where).highlight(text, where=where, **options)

    def _in_text(self, text: str, where: Chosen | None) -> TermIndex:
        # A choice that is not by columns has a place for each term of the vocabulary.
        if where is not None and not isinstance(where, Mapping):
            return self.index()
        return self._about("text", text)

    # --- facts ---

    @property
    def options(self) -> Options:
        """How the store splits and matches terms."""
        return Options(*cast(tuple[Any, ...], self._now().options()))

    @property
    def matching(self) -> str | None:
        """The options in the words of a column `matching`; None if there are no words for them."""
        return self._now().matching

    @property
    def weighted(self) -> bool:
        """Whether a term has a weight of its own."""
        return self._now().weighted

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that the store has."""
        return tuple(name for name, _ in self._now().columns())

    @property
    def column_types(self) -> dict[str, str]:
        """The types of the columns; `id` is the column of the ids."""
        return {"id": "integers"} | dict(self._now().columns())

    def column(self, name: str) -> Column:
        """The values of all terms in a column, in the order of their ids; `"id"` is that of ids."""
        return Column(self._now().ids()) if name == "id" else self.index().column(name)

    def stats(self) -> StoreStats:
        """The facts of the generation: terms, segments, size."""
        now = self._now()
        segments, hidden, size = now.facts()
        return StoreStats(len(now), now.generation, segments, hidden, size)

    @property
    def checksum(self) -> str:
        """Sixteen hexadecimal digits: generations with the same checksum have the same content."""
        return f"{self._now().checksum:016x}"

    @property
    def normalize(self) -> Normalize | None:
        """The `normalize` function that the store was created or opened with, if any."""
        return self._normalize

    def check(self, *, checksums_only: bool = False) -> None:
        """Reads all files of the generation and compares them with each other.

        Args:
            checksums_only: Only compare the bytes of the files with their checksums.

        Raises:
            DamagedIndexError: A file has changed since it was written.
        """
        self._now().check(checksums_only)

    @property
    def json(self) -> StoreJson:
        """The answers as JSON, as bytes: what the server sends."""
        return StoreJson(self)


class Snapshot(StoreQuestions):
    """One generation of a store: what `TermStore.pin` returns.

    Its answers stay the same whatever is committed. Closing it lets go of its files; so does
    deleting the object.
    """

    __slots__ = ("_snapshot", "path")

    path: Path
    """The folder of the store."""

    def __init__(self, snapshot: _core.Snapshot, path: Path, normalize: Normalize | None) -> None:
        self._snapshot = snapshot
        self.path = path
        self._start(snapshot, normalize)

    def _now(self) -> _core.Snapshot:
        return self._snapshot

    @property
    def files(self) -> list[Path]:
        """The files that make up this generation, for a copy: they do not change.

        They are removed after the next commit but one, so copy them at once.
        """
        return [self.path / name for name in self._snapshot.files()]

    def __enter__(self) -> Self:
        """The snapshot itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Forgets what was made for questions about the whole vocabulary."""
        self._whole = None
        self._indexes.clear()

    def __repr__(self) -> str:
        return (
            f"<Snapshot of {str(self.path)!r}: generation {self.generation}, {len(self):,} terms>"
        )


class StoreJson:
    """The answers of a store as bytes of JSON, with the methods of `TermIndex.json`."""

    __slots__ = ("_asked",)

    def __init__(self, asked: StoreQuestions) -> None:
        self._asked = asked

    def super_terms(self, term: str, *, patient: bool = True, **options: Any) -> bytes | None:
        """A page of the terms that contain a phrase."""
        if not patient and not self._asked._now().is_light(term):
            return None
        return self._json("super", term).super_terms(term, **options)

    def nested_terms(self, term: str, *, patient: bool = True, **options: Any) -> bytes | None:
        """A page of the terms that a phrase contains."""
        if not patient and len(term) > _SHORT:
            return None
        return self._json("nested", term).nested_terms(term, **options)

    def batch(self, ask: Any, terms: Iterable[str], **options: Any) -> bytes:
        """The first answers to one question about many phrases."""
        listed = list(terms)
        question = "nested_of_many" if ask == "nested" else "super_of_many"
        return self._asked._about(question, listed).json.batch(ask, listed, **options)

    def term(self, term: str, **options: Any) -> bytes:
        """The facts of a phrase."""
        return self._json("both", term).term(term, **options)

    def complete(self, prefix: str, *, limit: int = 50, **options: Any) -> bytes:
        """The terms that complete a phrase."""
        index = self._asked._about("completions", prefix, limit)
        return index.json.complete(prefix, limit=limit, **options)

    def expansions(self, term: str, **options: Any) -> bytes:
        """The words that terms add to a phrase."""
        return self._json("super", term).expansions(term, **options)

    def find(self, text: str, **options: Any) -> bytes:
        """A page of the terms in a text."""
        return self._json("text", text).find(text, **options)

    def _json(self, question: str, what: str) -> _core.JsonAnswers:
        return self._asked._about(question, what, again=True).json


# The indexes for JSON that are remembered: their next pages are asked for soon.
_REMEMBERED = 16
# The longest phrase whose nested terms are found in some microseconds, in characters.
_SHORT = 1_000
# The number that is no id.
_NO_ID = 2**32 - 1


def _listed(strings: Any) -> Any:
    """Strings that can be read twice: an Arrow column as it is, anything else as a list."""
    readable: Callable[[str], bool] = lambda name: hasattr(strings, name)  # noqa: E731
    if isinstance(strings, str) or any(map(readable, ("__arrow_c_stream__", "__arrow_c_array__"))):
        return strings
    return list(strings) if isinstance(strings, Iterable) else strings
