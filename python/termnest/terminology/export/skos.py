"""SKOS, in Turtle: a concept for each term, `skos:broader` for its head."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

from termnest.errors import InvalidOptionError
from termnest.terminology.export.graph import EdgeKind, Graph

DEFAULT_BASE_URI = "urn:termnest:"

_HEAD = """\
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix termnest: <urn:termnest:property:> .
@prefix term: <{base_uri}> .

termnest:contains a rdf:Property ;
  rdfs:label "contains"@en ;
  rdfs:comment "The subject contains the words of the object in a row, no other term lies between \
the two, and the object is not a broader term of the subject."@en ;
  rdfs:domain skos:Concept ;
  rdfs:range skos:Concept .
term:scheme a skos:ConceptScheme .
"""
_WEIGHT = """\
termnest:weight a rdf:Property ;
  rdfs:label "weight"@en ;
  rdfs:comment "The weight of the term in its vocabulary: its frequency, for instance."@en ;
  rdfs:domain skos:Concept ;
  rdfs:range xsd:double .
"""
_PREDICATES: dict[EdgeKind, str] = {"broader": "skos:broader", "contains": "termnest:contains"}
_ESCAPES = {code: f"\\u{code:04X}" for code in [*range(0x20), 0x7F]} | str.maketrans(
    {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
)
# An absolute IRI, of the characters that Turtle allows between < and >.
_IRI = re.compile(r"""[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|^`\\\ud800-\udfff]*""")


def turtle(graph: Graph, base_uri: str = DEFAULT_BASE_URI) -> Iterator[str]:
    """The graph as SKOS; edges that are not `skos:broader` have a property of our own.

    The URI of a term is `base_uri` followed by its id, percent-encoded where it must be.
    """
    yield _HEAD.format(base_uri=base_uri)
    if graph.weighted:
        yield _WEIGHT

    def name(id: int | str) -> str:
        if isinstance(id, int) and id >= 0:
            return f"term:{id}"
        return f"<{base_uri}{quote(str(id), safe='')}>"

    for id, term, weight, is_root in graph.nodes():
        label = term.translate(_ESCAPES)
        more = "" if weight is None else f' ; termnest:weight "{weight!r}"^^xsd:double'
        yield (
            f'{name(id)} a skos:Concept ; skos:prefLabel "{label}" ; skos:inScheme term:scheme'
            f"{more} .\n"
        )
        if is_root:
            yield f"term:scheme skos:hasTopConcept {name(id)} .\n"
    for kind, longer, shorter in graph.edges():
        yield f"{name(longer)} {_PREDICATES[kind]} {name(shorter)} .\n"


def check_base_uri(base_uri: str) -> None:
    """Raises an error if `base_uri` followed by an id is not a URI."""
    if not _IRI.fullmatch(base_uri):
        problem = "give an absolute URI, such as https://example.org/terms/"
    elif base_uri[-1].isalnum():
        problem = "end it with / or #, as ids follow it directly"
    else:
        return
    raise InvalidOptionError(option="base_uri", value=repr(base_uri), expected=problem)
