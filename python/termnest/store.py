"""A vocabulary that changes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from termnest import _core
from termnest.aliases import core_aliases
from termnest.arguments import items, text
from termnest.columns import core_columns
from termnest.errors import InvalidOptionError, InvalidTermError, TermTypeError, UnknownTermError
from termnest.files import path_name
from termnest.options import (
    Aliases,
    Case,
    Hyphens,
    Normalize,
    Numbers,
    Strings,
    StrPath,
    Tokenizer,
    analysis_of,
)
from termnest.snapshot import Snapshot, StoreQuestions


class TermStore(StoreQuestions):
    """A vocabulary that changes: terms are added and removed while others ask.

    >>> path = getfixture("tmp_path") / "terms.store"
    >>> with TermStore.open(path, create=True) as store:
    ...     store.add("lung cancer", weight=3)
    ...     store.add_many(["cancer", "cancer cell"])
    0
    [1, 2]
    >>> reader = TermStore.open(path, readonly=True)
    >>> reader.super_terms("cancer")
    ['lung cancer', 'cancer cell']
    >>> with TermStore.open(path) as store:
    ...     store.remove("cancer cell")
    >>> reader.super_terms("cancer")  # sees the newest commit
    ['lung cancer']

    There is one writer at a time, and any number of readers. What the writer has changed is
    durable, and visible to all, when `commit` returns; its own questions see its last commit, too.
    Leaving a `with` block commits; leaving it with an error drops what is not committed.

    A term keeps its id as long as it is there, and no id is given to two terms. A surface is one
    term: adding it again changes what is given.

    docs/store.md has the promises and their limits.
    """

    __slots__ = ("_mmap", "_store", "path")

    _store: _core.Store
    _mmap: bool
    path: Path
    """The folder of the store."""

    def __init__(self, *_: object, **__: object) -> None:
        raise InvalidOptionError("a TermStore is opened: call TermStore.open(path)")

    @classmethod
    def open(
        cls,
        path: StrPath,
        *,
        create: bool = False,
        readonly: bool = False,
        tokenizer: Tokenizer | None = None,
        separator: str | None = None,
        lowercase: bool | None = None,
        strip_accents: bool | None = None,
        fold: bool | None = None,
        language: str | None = None,
        hyphens: Hyphens | None = None,
        case: Case | None = None,
        normalize: Normalize | None = None,
        mmap: bool = True,
        threads: int | None = None,
    ) -> Self:
        """Opens a store: a folder on a local file system.

        Args:
            path: The folder.
            create: Create the store if there is none.
            readonly: Open it for reading: no lock is taken and nothing is written, and each
                question sees the newest commit.
            mmap: Map the files, or read them into memory; for readers.
            threads: How many threads build segments; one for each core by default.

        How terms match is decided when the store is created, by the options of `TermIndex`; if they
        are given later, they must be the same. `normalize` must be given each time.

        Raises:
            LockedStoreError: Another process writes the store; the message has its number.
            NotAStoreError: There is something else than a store.
            MissingFileError: There is nothing, and `create` is false.
            DamagedIndexError: No manifest holds. If only the newest one is damaged, the generation
                before is opened, with a warning.
        """
        name = path_name("path", path)
        given: dict[str, Any] = {
            "tokenizer": tokenizer,
            "separator": separator,
            "lowercase": lowercase,
            "strip_accents": strip_accents,
            "fold": fold,
            "language": language,
            "hyphens": hyphens,
            "case": case,
        }
        given = {option: value for option, value in given.items() if value is not None}
        if readonly and create:
            expected = "a store is created for writing: leave out one of the two"
            raise InvalidOptionError(option="create", value="True with readonly", expected=expected)
        if create:
            # What is left out is decided by the core, as for an index.
            options: dict[str, Any] = {
                **dict.fromkeys(("tokenizer", "separator", "language", "hyphens", "case")),
                **dict.fromkeys(("lowercase", "strip_accents", "fold"), False),
                "normalize": normalize,
                "threads": threads,
            }
            store = _core.Store.create(name, analysis_of(**(options | given)))
        else:
            store = _core.Store.open(name, not readonly, mmap, normalize, threads)
        self = cls.__new__(cls)
        self._store = store
        self.path = Path(name).absolute()
        self._mmap = mmap
        self._start(store, normalize)
        own = self.options._asdict() | ({"fold": True} if given.get("language") else {})
        for option, value in given.items():
            if own[option] != value and not (option == "fold" and own["language"]):
                self.close()
                expected = (
                    f"{name} was created with {own[option]!r}: leave the option out, or create "
                    "another store"
                )
                raise InvalidOptionError(option=option, value=repr(value), expected=expected)
        if store.warning is not None:
            warnings.warn(store.warning, RuntimeWarning, stacklevel=2)
        return self

    def _now(self) -> _core.Snapshot:
        return self._store.snapshot()

    # --- changes ---

    def add(
        self,
        term: str,
        *,
        weight: float | None = None,
        columns: Mapping[str, Any] | None = None,
        aliases: str | list[str] | None = None,
    ) -> int:
        """Adds a term and returns its id. Of a term that is there, what is given is changed.

        Args:
            term: The term.
            weight: A number of zero or more; 1 for a new term without one.
            columns: A value for each of some columns, by their names. Columns that the store does
                not have yet are added; other terms have no value in them.
            aliases: All other names of the term.

        Raises:
            InvalidTermError: It has no token, or is too long; a value or an alias cannot be.
        """
        [id] = self._add([text("term", term)], weight, columns, aliases)
        if id is None:
            raise InvalidTermError(f"{term!r} cannot be a term: it has no word")
        return id

    def _add(
        self,
        terms: list[str],
        weight: float | None,
        columns: Mapping[str, Any] | None,
        aliases: str | list[str] | None,
    ) -> list[int | None]:
        """Adds one term."""
        rows = None
        if columns is not None:
            named: object = columns
            if not isinstance(named, Mapping):
                expected = "a mapping from names of columns to values"
                raise TermTypeError(option="columns", value=repr(columns), expected=expected)
            rows = {name: [value] for name, value in named.items()}
        names = None if aliases is None else (False, [aliases])
        weights = None if weight is None else [weight]
        return self._store.add(terms, weights, core_columns(rows, None), names)

    def add_many(
        self,
        terms: Strings,
        *,
        weights: Numbers | None = None,
        columns: Mapping[str, Any] | None = None,
        aliases: Aliases | None = None,
    ) -> list[int | None]:
        """Adds terms and returns their ids; None for entries without a token, such as "".

        Either all entries are accepted or, with an error that names the first bad one, none.

        Args:
            terms: Any iterable of str, or any Arrow column, as in `TermIndex`; or a mapping with
                the weights as its values.
            weights: A weight for each entry.
            columns: A column of values for each of some names.
            aliases: A list for each entry, a mapping from terms, or a file, as in `TermIndex`.
        """
        if isinstance(terms, Mapping) and weights is None:
            weights = list(terms.values())
        return self._store.add(terms, weights, core_columns(columns, None), core_aliases(aliases))

    def update(
        self,
        term: str,
        *,
        weight: float | None = None,
        columns: Mapping[str, Any] | None = None,
        aliases: str | list[str] | None = None,
    ) -> int:
        """Changes what is given of a term that is there, and returns its id.

        Raises:
            UnknownTermError: There is no such term.
        """
        if self._store.id(term) is None:
            raise UnknownTermError(f"{term!r} is not in the vocabulary")
        [id] = self._add([term], weight, columns, aliases)
        assert id is not None
        return id

    def remove(self, term: str) -> None:
        """Removes a term. If it is added again later, it gets another id.

        Raises:
            UnknownTermError: There is no such term.
        """
        self.remove_many([text("term", term)])

    def remove_many(self, terms: Strings) -> None:
        """Removes terms: all of them, or none if one is not there.

        Raises:
            UnknownTermError: One of them is not there; the message names it.
        """
        listed = items("terms", terms, "an iterable of str")
        missing = self._store.remove(listed)
        if missing is not None:
            raise UnknownTermError(f"{listed[missing]!r} is not in the vocabulary")

    @property
    def pending(self) -> int:
        """The number of terms that were added, changed or removed and are not committed."""
        return self._store.pending()

    def commit(self) -> int:
        """Makes all changes durable and visible in one step; returns the generation.

        When it returns, the changes survive a crash and a loss of power. If it fails for want of
        space, or because the disk refuses, the last commit is still there, and the store is closed.

        Raises:
            FileAccessError: A file could not be written.
        """
        return self._store.commit()

    def rollback(self) -> None:
        """Drops all changes that are not committed."""
        self._store.rollback()

    def compact(self) -> int:
        """Commits, and merges all segments into one index, without what was removed.

        It takes the time of a build. Afterwards questions are as fast as those of `TermIndex`, and
        `index` returns at once.
        """
        return self._store.compact()

    # --- the object ---

    def pin(self) -> Snapshot:
        """The newest generation, which stays as it is: for several questions that belong together.

        >>> path = getfixture("tmp_path") / "terms.store"
        >>> store = TermStore.open(path, create=True)
        >>> _ = store.add_many(["cell", "stem cell"])
        >>> _ = store.commit()
        >>> with store.pin() as snapshot:
        ...     store.remove("stem cell")
        ...     _ = store.commit()
        ...     snapshot.super_terms("cell"), store.super_terms("cell")
        (['stem cell'], [])
        """
        return Snapshot(self._now(), self.path, self._normalize)

    @property
    def readonly(self) -> bool:
        """Whether the store was opened for reading."""
        return not self._store.writable

    def close(self) -> None:
        """Drops what is not committed, and lets another process write."""
        self._store.close()

    def __enter__(self) -> Self:
        """The store itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        """Commits, or after an error drops what is not committed; closes the store."""
        try:
            if kind is None and not self.readonly and self._store.is_open():
                self.commit()
        finally:
            self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process reads: there is one writer.
        return _reopened, (type(self), os.fspath(self.path), self._normalize, self._mmap)

    def __repr__(self) -> str:
        kind = "readonly " if self.readonly else ""
        return f"<{kind}TermStore {str(self.path)!r}: {len(self):,} terms>"


def _reopened(
    cls: type[TermStore], path: str, normalize: Normalize | None, mmap: bool
) -> TermStore:
    """The store of a pickle."""
    return cls.open(path, readonly=True, normalize=normalize, mmap=mmap)


def is_store(path: StrPath) -> bool:
    """Whether a folder is a store.

    >>> path = getfixture("tmp_path") / "terms.store"
    >>> TermStore.open(path, create=True).close()
    >>> is_store(path), is_store(path / "LOCK")
    (True, False)
    """
    return _core.is_store(path_name("path", path))
