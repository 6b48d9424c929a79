"""The index that a server answers from, and the switch to its new versions."""

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

# Seconds between two looks at the file of the index.
_POLL_SECONDS = 1.0


class Served:
    """The index that a server answers from.

    A request reads `json` once, and keeps that version until it is answered. A new version replaces
    the old one in one step.
    """

    json: JsonAnswers
    etag: bytes
    """The ETag of answers from this version."""

    def __init__(self, index: TermIndex) -> None:
        self.reloads = 0
        # `put` may be called by a signal handler that interrupts another `put`; an Event's `set`
        # would deadlock.
        self._wakes: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._take(index)

    def _take(self, index: TermIndex) -> None:
        self.index = index
        self.json = index.json
        self.etag = f'"{__version__}-{index.checksum}"'.encode()

    def watch(self, often: bool) -> None:
        """Starts a thread that switches to new versions of the file.

        It looks at the file after each call of `wake`; if `often`, also every second.
        """
        if self._thread is None and self.index.path is not None:
            arguments = (_POLL_SECONDS if often else None,)
            self._thread = threading.Thread(
                target=self._watch, args=arguments, name="termnest-reload", daemon=True
            )
            self._thread.start()

    def wake(self) -> None:
        """Makes the watching thread look at the file now. A signal handler may call it."""
        self._wakes.put(None)

    def reload(self) -> None:
        """Switches to a new version of the file, unless it is damaged.

        Requests are answered meanwhile.
        """
        if self.index.path is None:
            return
        try:
            new = self.index.reopen()
            if new.checksum == self.index.checksum:
                return
            # No answer may come from a damaged file.
            new.check(checksums_only=True)
        except TermnestError as error:
            _log.error("the new index is unusable, so the old one is kept: %s", error)
            return
        self._take(new)
        self.reloads += 1
        terms = f"{len(new):,} {'term' if len(new) == 1 else 'terms'}"
        _log.info("now serving a new version of %s: %s", new.path, terms)

    def _watch(self, seconds: float | None) -> None:
        """Reloads the file when it has changed, every `seconds`, and after each `wake`."""
        seen = None
        # Reload at once: the file may have been replaced since the index was opened.
        asked = True
        while True:
            file = _identity(self.index)
            # A missing file is being replaced: look again later.
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
        stats, options = index.stats(), index.options
        facts = {
            "version": __version__,
            "checksum": index.checksum,
            "terms": stats.terms,
            "tokens": stats.tokens,
            "distinct_tokens": stats.distinct_tokens,
            "longest_term": stats.longest_term,
            "file_bytes": stats.file_bytes,
            "weights": index.weighted,
            "tokenizer": options.tokenizer,
            "separator": options.separator,
            "lowercase": options.lowercase,
            "strip_accents": options.strip_accents,
            "fold": options.fold,
            "language": options.language,
            "hyphens": options.hyphens,
            "case": options.case,
            "normalize": options.normalize,
            "ids": index.column_types.get("id"),
            "columns": {name: index.column_types[name] for name in index.columns},
            "limits": settings.limits(),
        }
        return json.dumps(facts, ensure_ascii=False).encode()


def _identity(index: TermIndex) -> tuple[int, ...] | None:
    """Numbers that change when the file of an index is replaced; None if there is no file."""
    try:
        if index.path is None:
            return None
        facts = index.path.stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns
