"""The direct neighbours of a phrase: what a picture of it shows."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from termnest.errors import InvalidTermError
from termnest.index import TermIndex
from termnest.table import Table
from termnest.terminology.languages import Head
from termnest.terminology.languages import language as language_of
from termnest.terminology.tree import language_of_terms, taxonomy

LIMIT = 12
"""The default number of neighbours on each side: they fit on a screen."""

Span = tuple[int, int]


class Neighbour(NamedTuple):
    """A term that contains the phrase or occurs in it, with no other term in between."""

    id: int
    term: str
    weight: float
    is_broader: bool
    """Whether the longer of the two is a kind of the shorter, which is its head."""
    mark: Span | None
    """Of a super term: where the phrase occurs in it, in characters."""


class Side(NamedTuple):
    """The neighbours on one side, from top to bottom."""

    shown: list[Neighbour]
    left_out: int

    @property
    def rows(self) -> int:
        """The number of lines that the side takes."""
        return len(self.shown) + (self.left_out > 0)


class Neighbourhood(NamedTuple):
    """A phrase and its neighbours."""

    phrase: str
    is_term: bool
    weight: float | None
    """None if the phrase is not a term or the vocabulary has no weights."""
    weighted: bool
    nested: Side
    supers: Side

    @property
    def is_empty(self) -> bool:
        """Whether the phrase is not a term and has no neighbours."""
        return not (self.is_term or self.nested.rows or self.supers.rows)


def neighbourhood(
    index: TermIndex,
    phrase: str,
    limit: int,
    *,
    language: str | None = None,
    head: Head | None = None,
) -> Neighbourhood:
    """The phrase and its direct neighbours, at most `limit` on each side."""
    rule = _Rule(index, language, head)
    limit = min(limit, len(index))
    surface, term = phrase, phrase if phrase in index else None
    if term is None:
        surface = phrase.strip()
        term = next((index[id] for id in index.lookup(phrase)), None)
    return Neighbourhood(
        surface,
        term is not None,
        index.weight(term) if term is not None and index.weighted else None,
        index.weighted,
        _nested(index, phrase, limit, rule),
        _supers(index, phrase, limit, rule),
    )


class _Rule:
    """Which terms are the heads of which, in the language of an index."""

    def __init__(self, index: TermIndex, language: str | None, head: Head | None) -> None:
        known = language_of(language) if language is not None else language_of_terms(index)
        self._index = index
        self._language = known.code
        self.head: Head = head or known.head
        self.side: Literal["start", "end"] = "start" if self.head == "first" else "end"

    def head_of(self, longer: str, phrase: str) -> str | None:
        """The head of a term among the terms in it and a phrase."""
        options = self._index.options
        rows = self._index.nested_terms_batch([longer]).to_pylist()
        # Of variants the first is the head.
        rows.sort(key=lambda row: row["id"])
        inside = [*(row["term"] for row in rows), phrase, longer]
        index = TermIndex(inside, tokenizer=options.tokenizer, separator=options.separator)
        tree = taxonomy(index, language=self._language, head=self.head)
        heads = zip(tree.column("term"), tree.column("broader"), strict=True)
        head = next((head for term, head in heads if term == longer), None)
        return None if head is None else index[head]


def _nested(index: TermIndex, phrase: str, limit: int, rule: _Rule) -> Side:
    anywhere = index.nested_terms_batch([phrase], direct=True)
    heads = index.nested_terms_batch([phrase], where=rule.side, direct=True)
    rows = _rows(anywhere) | _rows(heads)
    head = rule.head_of(phrase.strip(), phrase.strip()) if phrase.strip() else None
    found = [Neighbour(id, *row, is_broader=row[0] == head, mark=None) for id, row in rows.items()]
    found.sort(key=lambda one: (not one.is_broader, -one.weight, one.id))
    return Side(found[:limit], max(0, len(found) - limit))


def _supers(index: TermIndex, phrase: str, limit: int, rule: _Rule) -> Side:
    anywhere = index.super_terms_batch([phrase], direct=True)
    # Where the head is there may be more: "x" is the head of "y x z x" even if "y x z" is a term.
    kinds = index.super_terms_batch([phrase], where=rule.side, direct=True)
    # Both tables are sorted by weight: the heaviest of both are among the first rows of each.
    rows = _rows(anywhere, limit) | _rows(kinds, limit)
    heaviest = sorted(rows, key=lambda one: (-rows[one][1], one))[:limit]
    own = phrase if phrase in index else phrase.strip()
    kind_ids = {id for id in heaviest if rule.head_of(rows[id][0], own) == own}
    heaviest.sort(key=lambda one: one not in kind_ids)
    marks = _marks(index, phrase, [rows[id][0] for id in heaviest])
    shown = []
    for id, spans in zip(heaviest, marks, strict=True):
        is_kind = id in kind_ids
        # What makes it a kind of the phrase; otherwise any place will do, so the first.
        mark = spans[-1 if is_kind and rule.head == "last" else 0] if spans else None
        shown.append(Neighbour(id, *rows[id], is_broader=is_kind, mark=mark))
    return Side(shown, len(_ids(anywhere) | _ids(kinds)) - len(shown))


def _ids(table: Table) -> set[int]:
    return set(table.column("id"))


def _rows(table: Table, limit: int | None = None) -> dict[int, tuple[str, float]]:
    return {row["id"]: (row["term"], row["weight"]) for row in table[:limit]}


def _marks(index: TermIndex, phrase: str, super_terms: list[str]) -> list[list[Span]]:
    """Where the phrase occurs in each of its super terms, from left to right.

    An index that contains the phrase, made with the same options, finds it. It contains the super
    terms too, so that white space means the same in it as in the vocabulary.
    """
    options: dict[str, Any] = index.options._asdict() | {"normalize": index.normalize}
    spellings = [phrase]
    if index.options.separator is not None and (words := list(TermIndex([phrase]))):
        # A query may have white space instead of the separator.
        spellings.append(words[0].replace(" ", index.options.separator))
    for spelling in spellings:
        try:
            finder = TermIndex([*super_terms, spelling], **options)
        except InvalidTermError:
            continue  # a phrase may be longer than a term can be
        found = [
            [(m.start, m.end) for m in finder.find(term) if m.id == len(super_terms)]
            for term in super_terms
        ]
        if any(found):
            return found
    return [[] for _ in super_terms]
