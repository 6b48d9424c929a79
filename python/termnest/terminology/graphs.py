"""The formats of a graph of terms: SKOS in Turtle, GraphML, DOT and JSON.

Each is a function from a `Graph` to portions of text, so that a graph of millions of terms is
never in memory as a whole.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from termnest.errors import InvalidOptionError
from termnest.index import TermIndex

Kind = Literal["broader", "contains"]

NO_HEAD = 2**32 - 1
"""What stands for the head of a root: an id that no term has."""

DEFAULT_BASE_URI = "urn:termnest:"

_ROWS_AT_ONCE = 100_000


class Node(NamedTuple):
    """A term of a graph."""

    id: int
    term: str
    weight: float | None
    """None if the vocabulary has no weights."""
    is_root: bool


class Edge(NamedTuple):
    """Two terms of a graph, by id: the longer one contains the shorter one."""

    kind: Kind
    longer: int
    shorter: int


class Graph:
    """Terms, and the edges between them.

    A `broader` edge leads from a term to its head in the taxonomy, and to each term that is matched
    like the head. A `contains` edge is any other direct containment. Both lead from the longer term
    to the shorter.
    """

    def __init__(self, index: TermIndex, heads: array[int], chosen: bytearray | None) -> None:
        self._index = index
        self._heads = heads
        # A byte for each term, 1 if it is in the graph; None if all are.
        self._chosen = chosen
        self.weighted = index._index.weighted
        self.edges_written: dict[Kind, int] = {"broader": 0, "contains": 0}

    def __len__(self) -> int:
        return len(self._heads) if self._chosen is None else self._chosen.count(1)

    def _has(self, id: int) -> bool:
        return self._chosen is None or self._chosen[id] == 1

    def nodes(self) -> Iterator[Node]:
        """The terms, by id."""
        native = self._index._index
        for id, head in enumerate(self._heads):
            if self._has(id):
                weight = native.weight(id) if self.weighted else None
                is_root = head == NO_HEAD or not self._has(head)
                yield Node(id, native.term(id), weight, is_root)

    def edges(self) -> Iterator[Edge]:
        """The edges of which both ends are in the graph; they are counted on the way."""
        for edge in self._all_edges():
            if self._has(edge.longer) and self._has(edge.shorter):
                self.edges_written[edge.kind] += 1
                yield edge

    def _all_edges(self) -> Iterator[Edge]:
        heads = self._heads
        firsts = _first_alike(self._index)
        alike: dict[int, list[int]] = {}
        for id, first in firsts.items():
            alike.setdefault(first, []).append(id)
        for id, head in enumerate(heads):
            if head != NO_HEAD:
                yield Edge("broader", id, head)
                for variant in alike.get(head, ()):
                    yield Edge("broader", id, variant)
        pairs = self._index.pairs(direct=True)._table
        for start in range(0, len(pairs), _ROWS_AT_ONCE):
            stop = start + _ROWS_AT_ONCE
            nested, supers = pairs.values("nested", start, stop), pairs.values("super", start, stop)
            for shorter, longer in zip(nested, supers, strict=True):
                if heads[longer] != firsts.get(shorter, shorter):
                    yield Edge("contains", longer, shorter)


def _first_alike(index: TermIndex) -> dict[int, int]:
    """For each term that is matched like an earlier one, the first of these, which heads are."""
    native = index._index
    tokenizer, _, lowercase, strip_accents, _ = native.options()
    if tokenizer == "whitespace" and not (lowercase or strip_accents or index._normalize):
        return {}  # every term is matched as it stands, and none like another
    found = {}
    for id in range(len(index)):
        first = next(iter(index.lookup(index[id])), None)
        if first is not None and first != id:
            found[id] = first
    return found


# --- SKOS, in Turtle ---

_HEAD = """\
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix termnest: <urn:termnest:property:> .
@prefix term: <{base_uri}> .

termnest:contains a rdf:Property ;
  rdfs:label "contains"@en ;
  rdfs:comment "The words of the object stand in the subject in a row, no other term lies between \
the two, and the object is not a broader term of the subject."@en ;
  rdfs:domain skos:Concept ;
  rdfs:range skos:Concept .
term:scheme a skos:ConceptScheme .
"""
_WEIGHT = """\
termnest:weight a rdf:Property ;
  rdfs:label "weight"@en ;
  rdfs:comment "The weight of the term in its vocabulary: how often it occurs, for instance."@en ;
  rdfs:domain skos:Concept ;
  rdfs:range xsd:double .
"""
_PREDICATES: dict[Kind, str] = {"broader": "skos:broader", "contains": "termnest:contains"}
_TURTLE_ESCAPES = {code: f"\\u{code:04X}" for code in [*range(0x20), 0x7F]} | str.maketrans(
    {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
)
# An absolute IRI, of characters that may stand between < and > in Turtle.
_IRI = re.compile(r"""[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|^`\\\ud800-\udfff]*""")


def check_base_uri(base_uri: str) -> None:
    """Raises an error unless ids can be put behind it to make URIs."""
    if not _IRI.fullmatch(base_uri):
        raise InvalidOptionError(
            f"base_uri {base_uri!r} is no absolute URI: give one like https://example.org/terms/"
        )
    if base_uri[-1].isalnum():
        raise InvalidOptionError(
            f"base_uri {base_uri!r} ends with a letter or digit, and ids are put right behind it: "
            "end it with / or #"
        )


def turtle(graph: Graph, base_uri: str = DEFAULT_BASE_URI) -> Iterator[str]:
    """SKOS: a concept for each term, `skos:broader` for its head, a property of our own for others.

    The URI of a term is its id behind `base_uri`.
    """
    yield _HEAD.format(base_uri=base_uri)
    if graph.weighted:
        yield _WEIGHT
    for id, term, weight, is_root in graph.nodes():
        label = term.translate(_TURTLE_ESCAPES)
        more = "" if weight is None else f' ; termnest:weight "{weight!r}"^^xsd:double'
        yield (
            f'term:{id} a skos:Concept ; skos:prefLabel "{label}" ; skos:inScheme term:scheme'
            f"{more} .\n"
        )
        if is_root:
            yield f"term:scheme skos:hasTopConcept term:{id} .\n"
    for kind, longer, shorter in graph.edges():
        yield f"term:{longer} {_PREDICATES[kind]} term:{shorter} .\n"


# --- GraphML ---

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_XML_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"})


def xml_text(text: str) -> str:
    """A text for XML 1.0: escaped, and characters that it cannot hold replaced by U+FFFD."""
    return _NOT_XML.sub("\ufffd", text).translate(_XML_ESCAPES)


def graphml(graph: Graph) -> Iterator[str]:
    """GraphML: nodes with a `label` and a `weight`, edges with a `kind`.

    XML 1.0 cannot hold some control characters, such as U+0001: U+FFFD stands for them.
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    yield '<key id="label" for="node" attr.name="label" attr.type="string"/>\n'
    if graph.weighted:
        yield '<key id="weight" for="node" attr.name="weight" attr.type="double"/>\n'
    yield '<key id="kind" for="edge" attr.name="kind" attr.type="string"/>\n'
    yield '<graph id="taxonomy" edgedefault="directed">\n'
    for id, term, weight, _ in graph.nodes():
        more = "" if weight is None else f'<data key="weight">{weight!r}</data>'
        yield f'<node id="{id}"><data key="label">{xml_text(term)}</data>{more}</node>\n'
    for kind, longer, shorter in graph.edges():
        yield f'<edge source="{longer}" target="{shorter}"><data key="kind">{kind}</data></edge>\n'
    yield "</graph>\n</graphml>\n"


# --- DOT ---

# In labels, Graphviz reads backslashes and HTML entities; U+0000 ends its strings.
_DOT_ESCAPES = str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n", "&": "&amp;", "\0": "\ufffd"})
_DOT_STYLES: dict[Kind, str] = {"broader": "solid", "contains": "dashed"}


def dot(graph: Graph) -> Iterator[str]:
    """DOT, for Graphviz: `broader` edges are solid, `contains` edges dashed."""
    yield 'digraph taxonomy {\nrankdir="RL";\nnode [shape="box", style="rounded"];\n'
    for id, term, weight, _ in graph.nodes():
        more = "" if weight is None else f', weight="{weight!r}"'
        yield f'{id} [label="{term.translate(_DOT_ESCAPES)}"{more}];\n'
    for kind, longer, shorter in graph.edges():
        yield f'{longer} -> {shorter} [kind="{kind}", style="{_DOT_STYLES[kind]}"];\n'
    yield "}\n"


# --- JSON ---


def node_link_json(graph: Graph) -> Iterator[str]:
    """JSON in node-link form, which networkx and d3 take."""
    yield '{"directed": true, "multigraph": false, "graph": {}, "nodes": ['
    yield from _items(
        {"id": id, "term": term} | ({} if weight is None else {"weight": weight})
        for id, term, weight, _ in graph.nodes()
    )
    yield '], "links": ['
    yield from _items(
        {"source": longer, "target": shorter, "kind": kind}
        for kind, longer, shorter in graph.edges()
    )
    yield "]}\n"


def _items(values: Iterator[dict[str, Any]]) -> Iterator[str]:
    joint = "\n"
    for value in values:
        yield joint + json.dumps(value, ensure_ascii=False)
        joint = ",\n"
