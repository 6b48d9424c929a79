"""The review of a list of terms: decisions in a file beside it, and the routes of its page."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import tempfile
import threading
import unicodedata
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from termnest.errors import FileAccessError, InvalidOptionError, InvalidTextError, MissingExtraError
from termnest.index import TermIndex
from termnest.server.http import (
    JSON,
    Handler,
    Problem,
    Receive,
    Scope,
    Send,
    query_parameters,
    read_json,
    send_answer,
    wrong_method,
)
from termnest.server.settings import Settings
from termnest.terminology import Corpus, taxonomy, write_taxonomy
from termnest.terminology.contexts import concordance
from termnest.terminology.export import xlsx

STATUSES = ("open", "accepted", "rejected", "merged")
SORTS = ("score", "term", "frequency", "documents")
FORMATS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "tbx": "application/x-tbx+xml",
    "ttl": "text/turtle; charset=utf-8",
}
# Rows of an answer, and lines of context.
_MAX_ROWS = 500
_MAX_CONTEXTS = 20
_CONTEXT_WIDTH = 60
_COLUMNS = ("term", "frequency", "score", "documents", "forms")


class Term(NamedTuple):
    """A term of the list."""

    term: str
    frequency: float
    score: float
    documents: int
    forms: tuple[str, ...]
    """Its other forms."""


class Review:
    """A list of terms and what was decided about each.

    Decisions are lines of JSON, added to the end of a file as soon as they are made: the last one
    about a term counts.

    Args:
        terms: The terms, best first.
        path: The file of the decisions. It need not exist.
        language: The code of the language of the terms, if it is known.
        title: What the terms are called together.
        corpus: The files and folders of the texts in which terms are shown, and the options with
            which a `Corpus` reads them; None without texts.

    Raises:
        FileAccessError: The file cannot be read or written.
        InvalidTextError: The file is not one of decisions.
    """

    def __init__(
        self,
        terms: Iterable[Term],
        path: Path,
        *,
        language: str | None = None,
        title: str = "Terms",
        corpus: tuple[list[str], dict[str, Any]] | None = None,
    ) -> None:
        self.terms = list(terms)
        self.path = path
        self.language = language
        self.title = title
        self.corpus = corpus
        self._places = {term.term: place for place, term in enumerate(self.terms)}
        self._folded = [term.term.casefold() for term in self.terms]
        self._letters = [letter_of(term.term) for term in self.terms]
        self._orders = {
            "score": list(range(len(self.terms))),
            "term": sorted(range(len(self.terms)), key=lambda i: (self._folded[i], i)),
            "frequency": sorted(range(len(self.terms)), key=lambda i: -self.terms[i].frequency),
            "documents": sorted(range(len(self.terms)), key=lambda i: -self.terms[i].documents),
        }
        self._narrower: dict[str | None, list[str]] | None = None
        self._open()

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs; it reads the decisions itself."""
        mine = ("_lock", "_status", "_into")
        return {name: value for name, value in self.__dict__.items() if name not in mine}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._open()

    def _open(self) -> None:
        """Reads the decisions."""
        self._lock = threading.Lock()
        self._status = ["open"] * len(self.terms)
        self._into: dict[str, str] = {}
        try:
            self._read()
            # What cannot be kept is reported before anything is decided.
            self.path.open("ab").close()
        except OSError as error:
            raise FileAccessError(f"cannot use {self.path}: {error.strerror}") from error

    def again(self) -> Review:
        """The same review with the decisions that its file has now."""
        self._open()
        return self

    def _read(self) -> None:
        if not self.path.exists():
            return
        for number, line in enumerate(self.path.read_bytes().splitlines(), start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                term, status, into = row["term"], row["status"], row.get("into")
            except (ValueError, KeyError, TypeError, AttributeError):
                raise InvalidTextError(
                    f"{self.path}, line {number} is not a decision about a term: correct it, or "
                    "name another file"
                ) from None
            # A list that was made again may lack a term.
            if term in self._places and status in STATUSES:
                self._status[self._places[term]] = status
                self._into.pop(term, None)
                if status == "merged":
                    self._into[term] = into

    def decide(self, terms: list[str], status: str, into: str | None) -> None:
        """Notes a decision about terms; on return it is on the disk."""
        if status not in STATUSES:
            raise Problem(422, f"the status cannot be {status!r}: {', '.join(STATUSES)}")
        with self._lock:
            for term in terms:
                if term not in self._places:
                    raise Problem(422, f"{term!r} is not in the list")
            if status == "merged":
                self._check_merge(terms, into)
            lines = []
            for term in terms:
                row = {"term": term, "status": status}
                if status == "merged" and into is not None:
                    row["into"] = into
                lines.append(json.dumps(row, ensure_ascii=False) + "\n")
            with self.path.open("ab") as file:
                file.write("".join(lines).encode())
                file.flush()
                os.fsync(file.fileno())
            for term in terms:
                self._status[self._places[term]] = status
                self._into.pop(term, None)
                if status == "merged" and into is not None:
                    self._into[term] = into

    def _check_merge(self, terms: list[str], into: str | None) -> None:
        if into is None or into not in self._places:
            raise Problem(422, f"{into!r} is not in the list: merge with a term of it")
        if into in terms:
            raise Problem(422, f"{into!r} cannot be merged with itself")
        if self._status[self._places[into]] == "merged":
            raise Problem(422, f"{into!r} is merged itself: merge with {self._into[into]!r}")

    def rows(
        self,
        *,
        sort: str = "score",
        descending: bool | None = None,
        filter: str = "",
        status: str = "all",
        letter: str = "",
        offset: int = 0,
        limit: int = 100,
    ) -> dict[str, Any]:
        """Some rows of the list, and how many there are."""
        order = self._orders[sort]
        # The best first, and terms from A.
        usual = sort != "term"
        if descending is not None and descending != usual:
            order = order[::-1]
        wanted = filter.casefold().strip()
        found = [
            place
            for place in order
            if (status in ("all", self._status[place]))
            and (not letter or self._letters[place] == letter)
            and (not wanted or wanted in self._folded[place])
        ]
        counts = dict.fromkeys(STATUSES, 0)
        for one in self._status:
            counts[one] += 1
        letters: dict[str, int] = {}
        for one in self._letters:
            letters[one] = letters.get(one, 0) + 1
        return {
            "title": self.title,
            "total": len(found),
            "counts": counts,
            "letters": dict(sorted(letters.items())),
            "has_contexts": self.corpus is not None,
            "file": str(self.path),
            "rows": [self._row(place) for place in found[offset : offset + limit]],
        }

    def _row(self, place: int) -> dict[str, Any]:
        term = self.terms[place]
        return {
            **term._asdict(),
            "status": self._status[place],
            "into": self._into.get(term.term),
        }

    def contexts(self, term: str) -> list[dict[str, str]]:
        """Places in the corpus where a term occurs, in any of its forms."""
        if term not in self._places:
            raise Problem(404, f"{term!r} is not in the list")
        if self.corpus is None:
            return []
        forms = [term, *self.terms[self._places[term]].forms]
        names, options = self.corpus
        lines = concordance(Corpus(names, **options), forms, width=_CONTEXT_WIDTH)
        return [
            {"left": line.left, "match": line.match, "right": line.right}
            for line in islice(lines, _MAX_CONTEXTS)
        ]

    def narrower(self, term: str | None) -> list[dict[str, Any]]:
        """The terms directly below a term, or at the top, with the number of those below each."""
        if self._narrower is None:
            self._narrower = self._tree()
        below = self._narrower.get(term, [])
        return [
            {**self._row(self._places[one]), "narrower": len(self._narrower.get(one, []))}
            for one in below
        ]

    def _tree(self) -> dict[str | None, list[str]]:
        index = TermIndex([term.term for term in self.terms], fold=True)
        found: dict[str | None, list[str]] = {}
        rows = taxonomy(index, language=self.language).to_pylist()
        for row in rows:
            broader = None if row["broader"] is None else index[row["broader"]]
            found.setdefault(broader, []).append(row["term"])
        # At the top are those that have terms below them.
        found[None] = [term for term in found.get(None, []) if term in found]
        for terms in found.values():
            terms.sort(key=lambda one: -self.terms[self._places[one]].frequency)
        return found

    def chosen(self, status: str) -> list[Term]:
        """The terms with a status, with the terms merged into each among its forms."""
        merged: dict[str, list[str]] = {}
        for term in self._into:
            into = term
            while into in self._into:
                into = self._into[into]
            own = self.terms[self._places[term]]
            merged.setdefault(into, []).extend([own.term, *own.forms])
        return [
            term._replace(forms=tuple(dict.fromkeys([*term.forms, *merged.get(term.term, ())])))
            for place, term in enumerate(self.terms)
            if self._status[place] == status
        ]

    def download(self, format: str, status: str) -> bytes:
        """The terms with a status as a file."""
        terms = self.chosen(status)
        rows = [[*term[:-1], " | ".join(term.forms)] for term in terms]
        if format == "csv":
            text = io.StringIO()
            writer = csv.writer(text, lineterminator="\r\n")
            writer.writerow(_COLUMNS)
            writer.writerows(rows)
            # With the mark by which Excel knows UTF-8.
            return text.getvalue().encode("utf-8-sig")
        if format == "xlsx":
            file = io.BytesIO()
            xlsx.write_rows(_COLUMNS, rows, file)
            return file.getvalue()
        own = {term.term for term in terms}
        index = TermIndex(
            [term.term for term in terms],
            weights=[term.frequency for term in terms],
            aliases={term.term: [one for one in term.forms if one not in own] for term in terms},
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"terms.{format}")
            write_taxonomy(index, path, language=self.language, title=self.title)
            return path.read_bytes()


def letter_of(term: str) -> str:
    """The letter under which a term is in an alphabetical list; # if it begins with none."""
    for character in unicodedata.normalize("NFD", term):
        if character.isalpha():
            return character.upper()[:1]
        if character.isdigit():
            break
    return "#"


def review_handlers(review: Review, settings: Settings) -> dict[str, Handler]:
    """The handlers of the routes below /v1/review, by address."""

    def number(parameters: dict[str, str], name: str, default: int, most: int) -> int:
        value = parameters.get(name, str(default))
        if not (value.isascii() and value.isdigit()) or int(value) > most:
            raise Problem(422, f"{name} cannot be {value!r}: it must be 0 to {most:,}")
        return int(value)

    def choice(parameters: dict[str, str], name: str, choices: Iterable[str]) -> str:
        choices = tuple(choices)
        value = parameters.get(name, choices[0])
        if value not in choices:
            raise Problem(422, f"{name} cannot be {value!r}: it must be {', '.join(choices)}")
        return value

    async def terms(parameters: dict[str, str]) -> Any:
        order = parameters.get("order")
        return review.rows(
            sort=choice(parameters, "sort", SORTS),
            descending=None
            if order is None
            else choice(parameters, "order", ("asc", "desc")) == "desc",
            filter=parameters.get("filter", ""),
            status=choice(parameters, "status", ("all", *STATUSES)),
            letter=parameters.get("letter", ""),
            offset=number(parameters, "offset", 0, 2**32),
            limit=number(parameters, "limit", 100, _MAX_ROWS),
        )

    async def contexts(parameters: dict[str, str]) -> Any:
        if "term" not in parameters:
            raise Problem(422, "the parameter term is missing")
        # A large corpus takes a while, in which others are answered.
        return await asyncio.to_thread(review.contexts, parameters["term"])

    async def tree(parameters: dict[str, str]) -> Any:
        return await asyncio.to_thread(review.narrower, parameters.get("term") or None)

    def get(answer: Callable[[dict[str, str]], Any]) -> Handler:
        async def handle(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["method"] not in ("GET", "HEAD"):
                raise wrong_method("GET, HEAD")
            found = await answer(query_parameters(scope))
            body = json.dumps(found, ensure_ascii=False).encode("utf-8", "replace")
            await send_answer(send, 200, body, JSON, [(b"cache-control", b"no-store")])

        return handle

    async def download(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in ("GET", "HEAD"):
            raise wrong_method("GET, HEAD")
        parameters = query_parameters(scope)
        format = choice(parameters, "format", FORMATS)
        status = choice(parameters, "status", ("accepted", "open", "rejected"))
        try:
            content = await asyncio.to_thread(review.download, format, status)
        except (MissingExtraError, InvalidOptionError) as error:
            raise Problem(501, str(error)) from None
        disposition = f'attachment; filename="terms.{format}"'.encode()
        headers = [(b"cache-control", b"no-store"), (b"content-disposition", disposition)]
        await send_answer(send, 200, content, FORMATS[format].encode(), headers)

    async def decide(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            raise wrong_method("POST")
        try:
            body = json.loads(await read_json(scope, receive, settings))
            given, status, into = body["terms"], body["status"], body.get("into")
            if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
                raise TypeError
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise Problem(
                422, 'the body must be an object such as {"terms": ["a"], "status": "accepted"}'
            ) from None
        try:
            await asyncio.to_thread(review.decide, given, str(status), into)
        except OSError as error:
            raise Problem(507, f"the decision cannot be kept: {error.strerror}") from None
        counts = review.rows(limit=0)["counts"]
        body = json.dumps({"counts": counts}).encode()
        await send_answer(send, 200, body, JSON, [(b"cache-control", b"no-store")])

    return {
        "/v1/review/terms": get(terms),
        "/v1/review/contexts": get(contexts),
        "/v1/review/tree": get(tree),
        "/v1/review/download": download,
        "/v1/review/decide": decide,
    }
