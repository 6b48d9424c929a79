"""SKOS, in Turtle: a concept for each term, `skos:broader` for its head."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

from termnest.errors import InvalidOptionError
from termnest.terminology.export.graph import EdgeKind, Graph

DEFAULT_BASE_URI = "urn:termnest:"

_HEAD = """\
@prefix dct: <http://purl.org/dc/terms/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix termnest: <urn:termnest:property:> .

"""
_CONTAINS = """\
termnest:contains a rdf:Property ;
  rdfs:label "contains"@en ;
  rdfs:comment "The subject contains the words of the object in a row, no other term lies between \
the two, and the object is not the broader term of the subject."@en ;
  rdfs:domain skos:Concept ;
  rdfs:range skos:Concept .
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
# What names the scheme, after the base: no term, since their tildes are percent-encoded.
_SCHEME = "~scheme"


def concept_name(key: str) -> str:
    """A term or an id as a part of a URI: spaces become underscores, others are percent-encoded.

    >>> concept_name("wind turbine"), concept_name("snake_case")
    ('wind_turbine', 'snake%5Fcase')
    """
    name = quote(key, safe=" ").replace("_", "%5F").replace("~", "%7E")
    return name.replace(" ", "_")


def turtle(graph: Graph, base_uri: str = DEFAULT_BASE_URI) -> Iterator[str]:
    """The graph as SKOS; edges that are not `skos:broader` have a property of our own.

    The URI of a term is `base_uri` followed by the term, or by its id if it has one of its own. So
    it stays the same when other terms come and go.
    """
    scheme = f"<{base_uri}{_SCHEME}>"
    tag = f"@{graph.language}" if graph.language else ""

    def text(value: str) -> str:
        return f'"{value.translate(_ESCAPES)}"{tag}'

    yield _HEAD
    yield _CONTAINS
    if graph.weighted:
        yield _WEIGHT
    title = text(graph.title)
    yield f"{scheme} a skos:ConceptScheme ; dct:title {title} ; skos:prefLabel {title} .\n"
    names: dict[int | str, str] = {}
    for node in graph.nodes():
        name = names[node.id] = f"<{base_uri}{concept_name(node.key)}>"
        parts = [f"{name} a skos:Concept ; skos:prefLabel {text(node.term)}"]
        # A label is either preferred or alternative.
        parts += [f"skos:altLabel {text(form)}" for form in node.forms if form != node.term]
        parts.append(f"skos:inScheme {scheme}")
        if node.weight is not None:
            parts.append(f'termnest:weight "{node.weight!r}"^^xsd:double')
        if node.is_root:
            parts.append(f"skos:topConceptOf {scheme}")
        yield " ; ".join(parts) + " .\n"
        if node.is_root:
            yield f"{scheme} skos:hasTopConcept {name} .\n"
    for kind, longer, shorter in graph.edges():
        yield f"{names[longer]} {_PREDICATES[kind]} {names[shorter]} .\n"
        if kind == "broader":
            yield f"{names[shorter]} skos:narrower {names[longer]} .\n"


def check_base_uri(base_uri: str) -> None:
    """Raises an error if `base_uri` followed by a name is not a URI."""
    if not _IRI.fullmatch(base_uri):
        problem = "give an absolute URI, such as https://example.org/terms/"
    elif base_uri[-1].isalnum():
        problem = "end it with / or #, as names follow it directly"
    else:
        return
    raise InvalidOptionError(option="base_uri", value=repr(base_uri), expected=problem)
