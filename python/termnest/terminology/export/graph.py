"""The graph of terms that every format writes: terms as nodes, containment as edges.

A format is a function from a `Graph` to pieces of text, one for each node and edge, so that the
file of a graph of millions of terms is never in memory as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
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


class Edge(NamedTuple):
    """Two terms of a graph, by id: the longer one contains the shorter one."""

    kind: EdgeKind
    longer: int | str
    shorter: int | str


class Graph:
    """Terms, and the edges between them, each from the longer term to the shorter.

    A `broader` edge leads from a term to its head in the taxonomy, and to each variant of the
    head. A `contains` edge is any other direct containment.

    Args:
        tree: The terms and their heads.
        chosen: A byte for each term, 1 if it is in the graph; None if all are.
    """

    def __init__(self, tree: Tree, chosen: bytearray | None) -> None:
        self._tree = tree
        self._chosen = chosen
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
                is_root = head == NO_HEAD or not self._has(head)
                weight = weights[number] if weights else None
                yield Node(tree.ids[number], tree.term(number), weight, is_root)

    def edges(self) -> Iterator[Edge]:
        """The edges with both ends in the graph; counts them in `edges_written`."""
        ids = self._tree.ids
        for kind, longer, shorter in self._all_edges():
            if self._has(longer) and self._has(shorter):
                self.edges_written[kind] += 1
                yield Edge(kind, ids[longer], ids[shorter])

    def _all_edges(self) -> Iterator[tuple[EdgeKind, int, int]]:
        """All edges, by the numbers of their terms."""
        index, heads, number = self._tree.index, self._tree.heads, self._tree.number
        firsts = _first_variants(self._tree)
        later: dict[int, list[int]] = {}
        for id, first in firsts.items():
            later.setdefault(first, []).append(id)
        for id, head in enumerate(heads):
            if head != NO_HEAD:
                yield "broader", id, head
                for variant in later.get(head, ()):
                    yield "broader", id, variant
        pairs = index.pairs(direct=True)
        nested, supers = (map(number, pairs.column(name)) for name in ("nested", "super"))
        for shorter, longer in zip(nested, supers, strict=True):
            if heads[longer] != firsts.get(shorter, shorter):
                yield "contains", longer, shorter


def _first_variants(tree: Tree) -> dict[int, int]:
    """For each variant of an earlier term, the first of the variants: only that one is a head."""
    index = tree.index
    options = index.options
    if (
        options.tokenizer == "whitespace"
        and not (options.lowercase or options.strip_accents or options.fold or options.normalize)
        and not index.column_types
    ):
        return {}  # terms with equal keys have equal surfaces
    firsts = {}
    for id, term in enumerate(index):
        first = tree.number(index.lookup(term)[0])
        if first != id:
            firsts[id] = first
    return firsts
