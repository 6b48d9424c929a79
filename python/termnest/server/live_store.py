"""A store that is served: each answer is from its newest generation, and it can be changed."""

from __future__ import annotations

import errno
import json
import logging
import os
import time
from typing import Any

from termnest import __version__
from termnest.errors import (
    FileAccessError,
    InvalidOptionError,
    InvalidTermError,
    LockedStoreError,
    TermnestError,
    TermTypeError,
    UnknownTermError,
)
from termnest.server.http import Problem
from termnest.server.settings import Settings
from termnest.snapshot import Snapshot, StoreJson
from termnest.store import TermStore

_log = logging.getLogger("termnest.server")

# Seconds that a change waits for another writer, and seconds between two attempts.
_LOCK_SECONDS = 5.0
_ATTEMPT_SECONDS = 0.02


class ServedStore:
    """A store that a server answers from, with the members of `Served`.

    Nothing watches it: a question costs a microsecond more to see if there was a commit.
    """

    reloads = 0

    def __init__(self, store: TermStore) -> None:
        self._reader = store if store.readonly else TermStore.open(store.path, readonly=True)
        self._problem = ""
        self._take(self._reader.pin())

    def _take(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._json = snapshot.json
        self._etag = f'"{__version__}-{snapshot.checksum}"'.encode()

    def _look(self) -> None:
        """Switches to a new generation, unless it cannot be read."""
        try:
            generation = self._reader.generation
        except TermnestError as error:
            if str(error) != self._problem:
                self._problem = str(error)
                _log.error("the store is unusable, so its last generation is kept: %s", error)
            return
        if generation != self._snapshot.generation:
            self._take(self._reader.pin())
            self._problem = ""
            self.reloads += 1

    @property
    def index(self) -> Snapshot:
        """The generation that is served."""
        self._look()
        return self._snapshot

    @property
    def json(self) -> StoreJson:
        """The answers of the newest generation."""
        self._look()
        return self._json

    @property
    def etag(self) -> bytes:
        """The ETag of answers from the newest generation."""
        self._look()
        return self._etag

    def watch(self, often: bool) -> None:
        """Does nothing: each question sees the newest generation."""

    def wake(self) -> None:
        """Does nothing, too."""

    def info(self, settings: Settings) -> bytes:
        """The facts of the store and the limits of the server, as JSON."""
        snapshot = self.index
        stats = snapshot.stats()
        facts = {
            "version": __version__,
            "checksum": snapshot.checksum,
            "generation": stats.generation,
            "writable": settings.writable,
            "terms": stats.terms,
            "file_bytes": stats.file_bytes,
            "weights": snapshot.weighted,
            **snapshot.options._asdict(),
            "ids": None,
            "columns": {name: snapshot.column_types[name] for name in snapshot.columns},
            "limits": settings.limits(),
        }
        return json.dumps(facts, ensure_ascii=False).encode()

    # --- changes ---

    def add(self, changes: Any) -> bytes:
        """Adds terms, or changes what is given of those that are there, and commits."""
        ids: list[int] = []
        with _changing(self._reader) as store:
            for change in changes.terms:
                given = change.model_dump(exclude_none=True)
                ids.append(store.add(given.pop("term"), **given))
            generation = store.commit()
        return json.dumps({"generation": generation, "ids": ids}).encode()

    def remove(self, terms: Any) -> bytes:
        """Removes terms, and commits."""
        with _changing(self._reader) as store:
            store.remove_many(terms.terms)
            generation = store.commit()
        return json.dumps({"generation": generation, "removed": len(set(terms.terms))}).encode()


class _changing:  # noqa: N801 (it is called like a function)
    """The writer of a store for one change, and its errors as problems.

    It is opened for each change: so all workers of a server, and other programs, can write in turn.
    """

    def __init__(self, reader: TermStore) -> None:
        self._reader = reader

    def __enter__(self) -> TermStore:
        until = time.monotonic() + _LOCK_SECONDS
        while True:
            try:
                self._store = TermStore.open(self._reader.path, normalize=self._reader.normalize)
            except LockedStoreError as error:
                if time.monotonic() > until:
                    raise Problem(503, str(error), [(b"retry-after", b"5")]) from None
                time.sleep(_ATTEMPT_SECONDS)
            except FileAccessError as error:
                raise _refused(error) from None
            else:
                return self._store

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        self._store.close()
        if isinstance(error, UnknownTermError):
            raise Problem(404, f"{error}: nothing was removed") from None
        if isinstance(error, InvalidTermError | InvalidOptionError | TermTypeError):
            raise Problem(422, f"{error}: nothing was added") from None
        if isinstance(error, FileAccessError):
            raise _refused(error) from None


def _refused(error: FileAccessError) -> Problem:
    """The problem of a store whose files cannot be written."""
    _log.error("a change failed: %s", error)
    status = 507 if error.errno in (errno.ENOSPC, errno.EDQUOT) else 500
    why = os.strerror(error.errno) if error.errno else "its files cannot be written"
    return Problem(status, f"the store was not changed: {why}")
