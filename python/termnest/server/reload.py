"""The index that is served, and its new versions."""

from __future__ import annotations

import json
import logging
import queue
import threading

from termnest import __version__
from termnest._core import JsonAnswers
from termnest.errors import TermnestError
from termnest.index import TermIndex
from termnest.server.settings import Settings

_log = logging.getLogger("termnest.server")

# How often the file of the index is looked at, in seconds.
_LOOK_EVERY = 1.0


class Served:
    """The index that is served.

    Whoever answers a request takes `json` once. A new version takes the place of the old one in one
    step, and the old one lives as long as a request holds it.
    """

    json: JsonAnswers
    etag: bytes
    """What the answers of this version are known by."""

    def __init__(self, index: TermIndex) -> None:
        self.reloads = 0
        # Unlike an event's, its lock may be asked for again by a signal in between.
        self._wakes: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._take(index)

    def _take(self, index: TermIndex) -> None:
        self.index = index
        self.json = index.json
        self.etag = f'"{__version__}-{index.checksum}"'.encode()

    def watch(self, often: bool) -> None:
        """Takes up new versions of the file when `wake` is called; if `often`, also by itself."""
        if self._thread is None and self.index.path is not None:
            arguments = (_LOOK_EVERY if often else None,)
            self._thread = threading.Thread(
                target=self._look, args=arguments, name="termnest-reload", daemon=True
            )
            self._thread.start()

    def wake(self) -> None:
        """Asks for a look at the file; may be called by a signal handler."""
        self._wakes.put(None)

    def reload(self) -> None:
        """Looks at the file of the index and takes up a new version; an unsound one is not taken.

        Requests go on meanwhile.
        """
        path = self.index.path
        if path is None:
            return
        try:
            new = self.index.reopen()
            if new.checksum == self.index.checksum:
                return
            new.check(checksums_only=True)
        except TermnestError as error:
            _log.error("the new index is not taken up: %s", error)
            return
        self._take(new)
        self.reloads += 1
        terms = f"{len(new):,} {'term' if len(new) == 1 else 'terms'}"
        _log.info("took up a new version of %s: %s", path, terms)

    def _look(self, seconds: float | None) -> None:
        seen = None
        # The first look is at once: the file may have been replaced since the index was opened.
        asked = True
        while True:
            file = _identity(self.index)
            # A file that is missing for a moment is being replaced.
            if file is not None and (asked or file != seen):
                seen = file
                self.reload()
            try:
                self._wakes.get(timeout=seconds)
                asked = True
            except queue.Empty:
                asked = False

    def info(self, settings: Settings) -> bytes:
        """The facts of the index and the limits of the server, as JSON."""
        index = self.index
        stats = index.stats()
        facts = {
            "version": __version__,
            "checksum": index.checksum,
            "terms": stats.terms,
            "tokens": stats.tokens,
            "distinct_tokens": stats.distinct_tokens,
            "longest_term": stats.longest_term,
            "file_bytes": stats.file_bytes,
            "weights": index.weighted,
            **index.options._asdict(),
            "limits": settings.limits(),
        }
        return json.dumps(facts, ensure_ascii=False).encode()


def _identity(index: TermIndex) -> tuple[int, ...] | None:
    """What changes when the file of an index is replaced."""
    try:
        if index.path is None:
            return None
        facts = index.path.stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns
