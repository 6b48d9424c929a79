"""Files of a taxonomy, read by the programs that they are for, and the edges they must have."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import networkx
import pydot
import rdflib
from rdflib.namespace import DCTERMS, RDF, RDFS, SKOS

from oracle import Oracle

OWN = rdflib.Namespace("urn:termnest:property:")


class Content(NamedTuple):
    """What a file says: terms by id, and edges from the longer term to the shorter."""

    labels: dict[int, str]
    weights: dict[int, float]
    """Of no term, if there are none."""
    broader: set[tuple[int, int]]
    contains: set[tuple[int, int]]


def read_turtle(
    path: Path, base_uri: str = "urn:termnest:", terms: list[str] | None = None
) -> Content:
    graph = rdflib.Graph().parse(path, format="turtle")
    concepts = set(graph.subjects(RDF.type, SKOS.Concept))
    scheme = rdflib.URIRef(f"{base_uri}~scheme")
    assert set(graph.subjects(RDF.type, SKOS.ConceptScheme)) == {scheme}
    assert graph.value(scheme, DCTERMS.title) == graph.value(scheme, SKOS.prefLabel)
    assert graph.value(scheme, DCTERMS.title)
    assert set(graph.subjects(SKOS.inScheme, scheme)) == concepts
    # The top concepts are those with nothing broader.
    top = {concept for concept in concepts if (concept, SKOS.broader, None) not in graph}
    assert set(graph.objects(scheme, SKOS.hasTopConcept)) == top
    assert set(graph.subjects(SKOS.topConceptOf, scheme)) == top
    assert set(graph.subject_objects(SKOS.narrower)) == {
        (broader, concept) for concept, broader in graph.subject_objects(SKOS.broader)
    }
    weights = list(graph.subject_objects(OWN.weight))
    for own in [OWN.contains] + [OWN.weight] * bool(weights):
        assert (own, RDF.type, RDF.Property) in graph
        assert graph.value(own, RDFS.label)
        assert graph.value(own, RDFS.comment)
    labels = list(graph.subject_objects(SKOS.prefLabel))
    assert len(labels) == len(concepts) + 1
    # Concepts are written in the order of their ids.
    lines = path.read_text(encoding="utf-8").split("\n")
    uris = [line.split(">")[0][1:] for line in lines if " a skos:Concept ;" in line]
    assert all(uri.startswith(base_uri) for uri in uris)
    ids: dict[Any, int] = {rdflib.URIRef(uri): id for id, uri in enumerate(uris)}
    if terms is not None:  # of which the file has some
        ids = {concept: terms.index(str(label)) for concept, label in labels if concept != scheme}

    def edges(predicate: rdflib.URIRef) -> set[tuple[int, int]]:
        return {(ids[a], ids[b]) for a, b in graph.subject_objects(predicate)}

    return Content(
        {ids[concept]: str(label) for concept, label in labels if concept != scheme},
        {ids[concept]: float(str(weight)) for concept, weight in weights},
        edges(SKOS.broader),
        edges(OWN.contains),
    )


def of_networkx(graph: Any, label: str) -> Content:
    assert type(graph) is networkx.DiGraph

    def edges(kind: str) -> set[tuple[int, int]]:
        return {(a, b) for a, b, data in graph.edges(data=True) if data["kind"] == kind}

    assert len(edges("broader")) + len(edges("contains")) == graph.number_of_edges()
    return Content(
        dict(graph.nodes(data=label)),
        {id: weight for id, weight in graph.nodes(data="weight") if weight is not None},
        edges("broader"),
        edges("contains"),
    )


def read_graphml(path: Path) -> Content:
    return of_networkx(networkx.read_graphml(path, node_type=int), "label")


def read_json(path: Path) -> Content:
    data = json.loads(path.read_bytes())
    return of_networkx(networkx.node_link_graph(data), "term")


def read_dot(path: Path) -> Content:
    found = pydot.graph_from_dot_data(path.read_bytes().decode())
    assert found is not None
    (graph,) = found
    assert graph.get_type() == "digraph"

    def text(value: str) -> str:
        """A label as Graphviz reads it."""
        assert value[0] == value[-1] == '"'
        letters = {"n": "\n", '"': '"', "\\": "\\"}
        return html.unescape(re.sub(r"\\(.)", lambda escape: letters[escape[1]], value[1:-1]))

    nodes = {
        int(node.get_name()): node.get_attributes()
        for node in graph.get_nodes()
        if node.get_name() != "node"
    }
    edges: dict[str, set[tuple[int, int]]] = {"broader": set(), "contains": set()}
    for edge in graph.get_edges():
        kind, style = text(edge.get("kind")), text(edge.get("style"))
        assert style == {"broader": "solid", "contains": "dashed"}[kind]
        edges[kind].add((int(str(edge.get_source())), int(str(edge.get_destination()))))
    return Content(
        {id: text(node["label"]) for id, node in nodes.items()},
        {id: float(text(node["weight"])) for id, node in nodes.items() if "weight" in node},
        **edges,
    )


READERS: dict[str, Callable[[Path], Content]] = {
    ".ttl": read_turtle,
    ".graphml": read_graphml,
    ".json": read_json,
    ".dot": read_dot,
    ".gv": read_dot,
}

# What a format cannot hold is replaced.
LABELS: dict[str, Callable[[str], str]] = {
    ".graphml": lambda term: re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "\ufffd", term),
    ".dot": lambda term: term.replace("\0", "\ufffd"),
}


def edges_of(oracle: Oracle) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """All broader edges and all contains edges."""
    broader = {
        (id, alike)
        for id, head in enumerate(oracle.heads())
        if head is not None
        for alike, key in enumerate(oracle.keys)
        if key == oracle.keys[head]
    }
    direct = {(pair.super, pair.nested) for pair in oracle.pairs(direct=True)}
    return broader, direct - broader


HOSTILE = [
    *('say "a"', "back\\slash", 'both\\"', "ends\\", "\\N\\G\\l\\n", "'''", "%s {0} {}"),
    *("<img src=x onerror=alert(1)>", "]]>", "<!--", "a&amp;b", "a&b", "&#1;", "?><script>"),
    *("a\x00b", "a\x01b", "tab\ta", "line\nbreak", "cr\ra", "cr\r\nlf", "\x1b[31m", "a\x7fb"),
    *("\x85", "\u2028", "\ufeffmark", "\ufffe", "\uffff", "\ufdd0", "👩\u200d👩", "é", "e\u0301"),
    *("\u0301", "\u202eoverridden", "שלום", "a שלום b", "東京", " spaces ", "a" * 2_000),
]
