"""The graph of terms that every format writes: terms as nodes, containment as edges.

A format is a function from a `Graph` to pieces of text, one for each node and edge, so that the
file of a graph of millions of terms is never in memory as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Literal, NamedTuple

from termnest.terminology.tree import NO_HEAD, Tree

EdgeKind = Literal["broader", "contains"]


class Node(NamedTuple):
    """A term of a graph."""

    id: int | str
    term: str
    weight: float | None
    """None if the vocabulary has no weights."""
    is_root: bool
    key: str
    """What names the term for ever: its own id, or the term itself."""
    forms: tuple[str, ...]
    """The other forms of the term: its aliases."""


class Edge(NamedTuple):
    """Two terms of a graph, by id: the longer one contains the shorter one, or ends with it."""

    kind: EdgeKind
    longer: int | str
    shorter: int | str


class Graph:
    """Terms, and the edges between them, each from the longer term to the shorter.

    A `broader` edge leads from a term to its head in the taxonomy. A `contains` edge is any other
    direct containment.

    Args:
        tree: The terms and their heads.
        chosen: A byte for each term, 1 if it is in the graph; None if all are.
        language: The code of the language of the terms, if it is known.
        title: What the terms are called together.
    """

    def __init__(
        self,
        tree: Tree,
        chosen: bytearray | None,
        language: str | None = None,
        title: str = "Terms",
    ) -> None:
        self._tree = tree
        self._chosen = chosen
        self.language = language
        self.title = title
        self.weighted = tree.index.weighted
        self.edges_written: dict[EdgeKind, int] = {"broader": 0, "contains": 0}

    def __len__(self) -> int:
        return len(self._tree.heads) if self._chosen is None else self._chosen.count(1)

    def _has(self, id: int) -> bool:
        return self._chosen is None or self._chosen[id] == 1

    def nodes(self) -> Iterator[Node]:
        """The terms, by id."""
        tree = self._tree
        weights = tree.weights if self.weighted else None
        for number, head in enumerate(tree.heads):
            if self._has(number):
                id, term = tree.ids[number], tree.term(number)
                is_root = head == NO_HEAD or not self._has(head)
                weight = weights[number] if weights else None
                forms = tuple(self._forms.get(id, ()))
                yield Node(id, term, weight, is_root, self.key(number), forms)

    def key(self, number: int) -> str:
        """What names the term with this number for ever."""
        tree = self._tree
        if tree.has_own_ids:
            return str(tree.ids[number])
        term = tree.term(number)
        same = self._same.get(number)
        return term if same is None else f"{term}\t{same}"

    @cached_property
    def _same(self) -> dict[int, int]:
        """The numbers of terms with the surface of an earlier one; only columns keep them apart."""
        if not self._tree.index.column_types:
            return {}
        seen: dict[str, int] = {}
        same = {}
        for number, term in enumerate(self._tree.index):
            seen[term] = seen.get(term, 0) + 1
            if seen[term] > 1:
                same[number] = seen[term]
        return same

    @cached_property
    def _forms(self) -> dict[int | str, list[str]]:
        forms: dict[int | str, list[str]] = {}
        for row in self._tree.index.aliases():
            forms.setdefault(row["id"], []).append(row["alias"])
        return forms

    def narrower(self) -> Iterator[Edge]:
        """The `broader` edges with both ends in the graph."""
        ids = self._tree.ids
        for number, head in enumerate(self._tree.heads):
            if head != NO_HEAD and self._has(number) and self._has(head):
                yield Edge("broader", ids[number], ids[head])

    def edges(self) -> Iterator[Edge]:
        """The edges with both ends in the graph; counts them in `edges_written`."""
        for edge in self.narrower():
            self.edges_written["broader"] += 1
            yield edge
        tree = self._tree
        pairs = tree.index.pairs(direct=True)
        nested, supers = (map(tree.number, pairs.column(name)) for name in ("nested", "super"))
        for shorter, longer in zip(nested, supers, strict=True):
            if tree.heads[longer] != shorter and self._has(longer) and self._has(shorter):
                self.edges_written["contains"] += 1
                yield Edge("contains", tree.ids[longer], tree.ids[shorter])
