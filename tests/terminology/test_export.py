"""The files of the taxonomy, read by the programs they are for, and the picture of a term."""

from __future__ import annotations

import html
import json
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import networkx
import pydot
import pytest
import rdflib
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rdflib.namespace import RDF, RDFS, SKOS

from conftest import unicode_names
from oracle import Oracle
from termnest import FileAccessError, InvalidOptionError, TermIndex, UnknownTermError
from termnest.cli import main
from termnest.terminology import graphs, neighbourhood_svg, taxonomy, write_taxonomy
from termnest.terminology.picture import neighbourhood
from termnest.terminology.tree import EXTENSIONS, Tree, Written

OWN = rdflib.Namespace("urn:termnest:property:")


class Content(NamedTuple):
    """What a file says: terms by id, and edges from the longer term to the shorter."""

    labels: dict[int, str]
    weights: dict[int, float]
    """Of no term, if there are none."""
    broader: set[tuple[int, int]]
    contains: set[tuple[int, int]]


# --- the files, read by others ---


def read_turtle(path: Path, base_uri: str = "urn:termnest:") -> Content:
    graph = rdflib.Graph().parse(path, format="turtle")

    def id_of(node: object) -> int:
        assert str(node).startswith(base_uri)
        return int(str(node).removeprefix(base_uri))

    def edges(predicate: rdflib.URIRef) -> set[tuple[int, int]]:
        return {(id_of(a), id_of(b)) for a, b in graph.subject_objects(predicate)}

    concepts = set(graph.subjects(RDF.type, SKOS.Concept))
    scheme = rdflib.URIRef(f"{base_uri}scheme")
    assert set(graph.subjects(RDF.type, SKOS.ConceptScheme)) == {scheme}
    assert set(graph.subjects(SKOS.inScheme, scheme)) == concepts
    # The top concepts are those with nothing broader.
    assert set(graph.objects(scheme, SKOS.hasTopConcept)) == {
        concept for concept in concepts if (concept, SKOS.broader, None) not in graph
    }
    weights = list(graph.subject_objects(OWN.weight))
    for own in [OWN.contains] + [OWN.weight] * bool(weights):
        assert (own, RDF.type, RDF.Property) in graph
        assert graph.value(own, RDFS.label)
        assert graph.value(own, RDFS.comment)
    labels = list(graph.subject_objects(SKOS.prefLabel))
    assert len(labels) == len(concepts)
    return Content(
        {id_of(concept): str(label) for concept, label in labels},
        {id_of(concept): float(str(weight)) for concept, weight in weights},
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
    return of_networkx(networkx.node_link_graph(data, edges="links"), "term")


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


def written(index: TermIndex, extension: str, **selection: Any) -> tuple[Content, Written]:
    """What another program reads from the file, and what we say of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"terms{extension}"
        told = write_taxonomy(index, path, **selection)
        return READERS[extension](path), told


# --- the definition ---


def chosen_of(
    oracle: Oracle, term: str | None, depth: int | None, limit: int | None
) -> tuple[set[int], int]:
    """The ids to write, and how many there would be without depth and limit."""
    heads = oracle.heads()

    def below(id: int, depth: int | None, limit: int | None) -> Iterator[int]:
        yield id
        if depth == 0:
            return
        narrower = [other for other, head in enumerate(heads) if head == id]
        narrower.sort(key=lambda other: (-oracle.weights[other], other))
        for other in narrower[:limit]:
            yield from below(other, None if depth is None else depth - 1, limit)

    if term is None:
        roots = [id for id, head in enumerate(heads) if head is None]
    else:
        # The first of those that are matched alike.
        roots = [oracle.keys.index(oracle.keys[oracle.surfaces.index(term)])]
    chosen = {id for root in roots for id in below(root, depth, limit)}
    return chosen, sum(1 for root in roots for _ in below(root, None, None))


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


def content_of(oracle: Oracle, chosen: set[int], weighted: bool) -> Content:
    broader, contains = edges_of(oracle)

    def inside(edges: set[tuple[int, int]]) -> set[tuple[int, int]]:
        return {(a, b) for a, b in edges if a in chosen and b in chosen}

    return Content(
        {id: oracle.surfaces[id] for id in chosen},
        {id: oracle.weights[id] for id in chosen if weighted},
        inside(broader),
        inside(contains),
    )


words = st.lists(st.sampled_from(["a", "b", "c", "A"]), min_size=1, max_size=5).map(" ".join)
options = st.sampled_from([{}, {"lowercase": True}, {"tokenizer": "chars"}])
counts = st.none() | st.integers(0, 3)
entries = st.lists(st.tuples(words, st.integers(0, 9)), max_size=12)


@pytest.mark.parametrize("extension", READERS)
@settings(max_examples=40, deadline=None)
@given(entries, options, st.booleans(), counts, counts, st.data())
def test_a_file_holds_the_terms_and_edges_of_the_definition(
    extension: str,
    entries: list[tuple[str, int]],
    options: dict[str, Any],
    weighted: bool,
    depth: int | None,
    limit: int | None,
    data: st.DataObject,
) -> None:
    terms = [term for term, _ in entries]
    weights = [float(weight) for _, weight in entries] if weighted else None
    index = TermIndex(terms, weights=weights, **options)
    oracle = Oracle(terms, weights=weights, **options)
    term = data.draw(st.none() | st.sampled_from(oracle.surfaces)) if oracle.surfaces else None
    content, told = written(index, extension, term=term, depth=depth, limit=limit)
    chosen, total = chosen_of(oracle, term, depth, limit)
    expected = content_of(oracle, chosen, weighted)
    assert content == expected
    assert told == (
        len(chosen),
        len(expected.broader),
        len(expected.contains),
        total - len(chosen),
    )


HOSTILE = [
    *('say "a"', "back\\slash", 'both\\"', "ends\\", "\\N\\G\\l\\n", "'''", "%s {0} {}"),
    *("<img src=x onerror=alert(1)>", "]]>", "<!--", "a&amp;b", "a&b", "&#1;", "?><script>"),
    *("a\x00b", "a\x01b", "tab\ta", "line\nbreak", "cr\ra", "cr\r\nlf", "\x1b[31m", "a\x7fb"),
    *("\x85", "\u2028", "\ufeffmark", "\ufffe", "\uffff", "\ufdd0", "👩\u200d👩", "é", "e\u0301"),
    *("\u0301", "\u202eoverridden", "שלום", "a שלום b", "東京", " spaces ", "a" * 2_000),
]


@pytest.mark.parametrize("extension", READERS)
def test_any_term_is_read_as_it_was(extension: str) -> None:
    terms = ["a", *HOSTILE, *(f"a_{term}" for term in HOSTILE), *(f"{term}_a" for term in HOSTILE)]
    index = TermIndex(terms, separator="_")
    assert list(index) == terms  # nothing was lost before
    content, told = written(index, extension)
    expected = content_of(Oracle(terms, separator="_"), set(range(len(terms))), weighted=False)
    label = LABELS.get(".dot" if extension == ".gv" else extension, str)
    assert content.labels == {id: label(term) for id, term in expected.labels.items()}
    assert content[1:] == expected[1:]
    # "a_é" ends with "é"; "é_a" ends with "a".
    assert (told.broader, told.contains) == (2 * len(HOSTILE), 2 * len(HOSTILE))


def test_variants_are_terms_of_their_own_and_broader_terms_alike() -> None:
    index = TermIndex(["US", "us", "the us", "The US"], lowercase=True)
    for extension in READERS:
        content, _ = written(index, extension)
        assert content.labels == {0: "US", 1: "us", 2: "the us", 3: "The US"}
        assert content.broader == {(2, 0), (3, 0), (2, 1), (3, 1)}
        assert content.contains == set()


def test_a_head_is_the_broader_term_even_where_another_term_lies_between() -> None:
    # "y x z" lies between "x" and "y x z x", but not at the end.
    index = TermIndex(["x", "y x z", "y x z x"])
    for extension in READERS:
        content, _ = written(index, extension)
        assert content.broader == {(2, 0)}
        assert content.contains == {(1, 0), (2, 1)}


def test_the_table_has_the_terms() -> None:
    assert taxonomy(TermIndex(["a", "b a"])).to_pylist() == [
        {"term": "a", "id": 0, "broader": None, "depth": 0, "root": 0},
        {"term": "b a", "id": 1, "broader": 0, "depth": 1, "root": 0},
    ]


def test_weights_are_exact() -> None:
    weights = [0.0, 0.1, 1e-320, 1.7e308, 2.0**60]
    index = TermIndex(list("abcde"), weights=weights)
    for extension in READERS:
        assert written(index, extension)[0].weights == dict(enumerate(weights))


@pytest.mark.parametrize(
    "base_uri", ["https://example.org/terms/", "http://xn--a.b/é#", "urn:a:b:"]
)
def test_uris_are_ids_behind_the_base(tmp_path: Path, base_uri: str) -> None:
    path = tmp_path / "terms.ttl"
    write_taxonomy(TermIndex(["a", "b a"]), path, base_uri=base_uri)
    assert read_turtle(path, base_uri).broader == {(1, 0)}


@pytest.mark.parametrize(
    "base_uri",
    ["", "terms/", "/terms/", "https://example.org/terms", "http://a b/", "http://a/> . <b:c/"]
    + [f"http://a{character}/" for character in '"<>{}|^`\\\n\0\udc80'],
)
def test_a_base_that_makes_no_uris_is_refused(tmp_path: Path, base_uri: str) -> None:
    with pytest.raises(InvalidOptionError, match="base_uri"):
        write_taxonomy(TermIndex(["a"]), tmp_path / "terms.ttl", base_uri=base_uri)
    assert list(tmp_path.iterdir()) == []


def test_an_extension_is_known_in_any_case(tmp_path: Path) -> None:
    write_taxonomy(TermIndex(["a", "b a"]), tmp_path / "TERMS.TTL")
    assert read_turtle(tmp_path / "TERMS.TTL").broader == {(1, 0)}


@pytest.mark.parametrize("name", ["terms", "terms.rdf", "terms.ttl.gz", ".ttl", "terms."])
def test_an_unknown_extension_is_refused_with_those_that_are_known(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        write_taxonomy(TermIndex(["a"]), tmp_path / name)
    assert all(extension in str(caught.value) for extension in EXTENSIONS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "options", "problem"),
    [
        ("a.ttl", {"term": "none"}, UnknownTermError),
        ("a.ttl", {"depth": -1}, InvalidOptionError),
        ("a.ttl", {"limit": -1}, InvalidOptionError),
        ("a.json", {"base_uri": "urn:a:"}, InvalidOptionError),
        ("a.svg", {}, InvalidOptionError),
        ("a.svg", {"term": "a", "depth": 1}, InvalidOptionError),
        ("a.svg", {"term": "a", "limit": -1}, InvalidOptionError),
        ("none/a.ttl", {}, FileAccessError),
        ("none/a.svg", {"term": "a"}, FileAccessError),
    ],
)
def test_nothing_is_written_when_something_is_wrong(
    tmp_path: Path, name: str, options: dict[str, Any], problem: type[Exception]
) -> None:
    with pytest.raises(problem):
        write_taxonomy(TermIndex(["a"]), tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "format", [graphs.turtle, graphs.graphml, graphs.dot, graphs.node_link_json]
)
def test_a_file_is_made_in_small_portions(
    format: Callable[[graphs.Graph], Iterator[str]],
) -> None:
    index = TermIndex(unicode_names())
    portions = list(format(graphs.Graph(index, Tree(index).heads, None)))
    assert len(portions) > len(index)
    assert max(map(len, portions)) < 2_000


# --- the picture ---

SVG = "{http://www.w3.org/2000/svg}"


class Drawn(NamedTuple):
    """A term in a picture."""

    text: str
    bold: list[str]
    title: str
    is_broader: bool


class Picture:
    """What can be told from an SVG."""

    def __init__(self, svg: str) -> None:
        self.root = ElementTree.fromstring(svg)
        assert self.root.tag == f"{SVG}svg"
        self.width, self.height = (
            float(self.root.attrib["width"]),
            float(self.root.attrib["height"]),
        )
        self.texts = ["".join(text.itertext()) for text in self.root.iter(f"{SVG}text")]
        lines = [path.attrib["class"] for path in self.root.iter(f"{SVG}path")]
        # One of each is in the legend.
        self.solid = lines.count("tn-line tn-broader") - 1
        self.dashed = lines.count("tn-line") - 1
        self.bars = [
            (float(bar.attrib["width"]), bar.attrib["class"])
            for group in self.root.iter(f"{SVG}g")
            for bar in group.iter(f"{SVG}rect")
            if "tn-bar" in bar.attrib["class"]
        ]
        self.drawn = [
            self._term(group)
            for group in self.root.iter(f"{SVG}g")
            if "tn-chip" in group[1].attrib["class"]
        ]

    @staticmethod
    def _term(group: ElementTree.Element) -> Drawn:
        text = group.find(f"{SVG}svg/{SVG}text")
        assert text is not None
        bold = [span.text or "" for span in text if span.attrib["font-weight"] == "bold"]
        is_broader = "tn-broader" in group[1].attrib["class"]
        return Drawn("".join(text.itertext()), bold, group[0].text or "", is_broader)

    def marks(self) -> dict[str, list[str]]:
        """What is bold in each term."""
        return {drawn.text: drawn.bold for drawn in self.drawn}

    def boxes(self) -> list[tuple[float, float, float, float]]:
        names = ("x", "y", "width", "height")
        boxes = [
            tuple(float(element.attrib.get(name, "0")) for name in names)
            for element in self.root.iter()
            if element.tag in (f"{SVG}rect", f"{SVG}svg")
        ]
        return [(x, y, x + width, y + height) for x, y, width, height in boxes]


def picture(index: TermIndex, term: str, **options: Any) -> Picture:
    return Picture(neighbourhood_svg(index, term, **options))


CARCINOMAS = {
    "carcinoma": 90,
    "cell": 100,
    "cell carcinoma": 50,
    "basal cell carcinoma": 40,
    "cell carcinoma line": 30,
    "giant cell carcinoma": 10,
}


def test_a_picture_shows_the_direct_neighbours_and_marks_the_term_in_them() -> None:
    index = TermIndex(CARCINOMAS, weights=list(CARCINOMAS.values()))
    shown = picture(index, "cell carcinoma")
    # Heads and kinds first, each heaviest first.
    assert [(drawn.text, drawn.bold, drawn.is_broader) for drawn in shown.drawn] == [
        ("carcinoma", [], True),
        ("cell", [], False),
        ("basal cell carcinoma", ["cell carcinoma"], True),
        ("giant cell carcinoma", ["cell carcinoma"], True),
        ("cell carcinoma line", ["cell carcinoma"], False),
    ]
    assert (shown.solid, shown.dashed) == (3, 2)
    assert {"cell carcinoma", "weight 50", "nested terms", "super terms"} <= set(shown.texts)
    assert "not in the vocabulary" not in shown.texts
    assert shown.drawn[2].title == (
        "basal cell carcinoma\n"
        "“basal cell carcinoma” ends with “cell carcinoma”: a kind of it\nweight 40"
    )
    assert shown.drawn[1].title.splitlines()[1] == "“cell carcinoma” contains “cell”"


def test_bars_are_as_long_as_their_weights() -> None:
    index = TermIndex(CARCINOMAS, weights=list(CARCINOMAS.values()))
    (head, _), (nested, _), *supers = picture(index, "cell carcinoma").bars
    assert head / nested == pytest.approx(0.9, abs=0.01)
    assert [length / supers[0][0] for length, _ in supers] == pytest.approx(
        [1, 0.25, 0.75], abs=0.01
    )
    unweighted = picture(TermIndex(CARCINOMAS), "cell carcinoma")
    assert unweighted.bars == []
    assert not any("weight" in text for text in unweighted.texts)


def test_what_is_cut_is_counted() -> None:
    index = TermIndex(CARCINOMAS, weights=list(CARCINOMAS.values()))
    shown = picture(index, "cell carcinoma", limit=1)
    assert [drawn.text for drawn in shown.drawn] == ["carcinoma", "basal cell carcinoma"]
    assert [text for text in shown.texts if "more" in text] == ["… 1 more", "… 2 more"]
    assert picture(index, "cell carcinoma", limit=0).drawn == []
    assert not any("more" in text for text in picture(index, "cell carcinoma").texts)


def test_a_phrase_outside_of_the_vocabulary_has_a_neighbourhood_too() -> None:
    shown = picture(TermIndex(["basal cell carcinoma", "cell"]), " cell carcinoma ")
    assert shown.marks() == {"cell": [], "basal cell carcinoma": ["cell carcinoma"]}
    assert {"cell carcinoma", "not in the vocabulary"} <= set(shown.texts)


@pytest.mark.parametrize("phrase", ["nothing", "", "  "])
def test_a_phrase_without_neighbours_is_drawn(phrase: str) -> None:
    for index in (TermIndex(["a", "b a"]), TermIndex([]), TermIndex(["a"], weights=[1])):
        shown = picture(index, phrase)
        assert shown.drawn == []
        assert (shown.solid, shown.dashed) == (0, 0)
        assert {"no term stands in it", "no term contains it"} <= set(shown.texts)


def test_the_end_is_marked_in_a_kind_of_the_term_and_else_the_first_place() -> None:
    svg = neighbourhood_svg(TermIndex(["x", "x y x", "y x z x z"]), "x")
    assert ">x y <tspan font-weight='bold'>x</tspan></text>" in svg
    assert ">y <tspan font-weight='bold'>x</tspan> z x z</text>" in svg


def test_heads_that_are_matched_alike_are_broader_terms_alike() -> None:
    index = TermIndex(["US", "us", "the us"], weights=[1, 5, 1], lowercase=True)
    drawn = picture(index, "the us").drawn
    assert [(one.text, one.is_broader) for one in drawn] == [("us", True), ("US", True)]


@settings(max_examples=60, deadline=None)
@given(st.lists(words, min_size=1, max_size=12), options)
@example(["c b c A a", "A c", "b b b c a", "a a a", "c", "a", "a c A", "A"], {"lowercase": True})
def test_a_picture_has_the_edges_of_the_files(terms: list[str], options: dict[str, Any]) -> None:
    index, oracle = TermIndex(terms, **options), Oracle(terms, **options)
    broader, contains = edges_of(oracle)
    for id, term in enumerate(oracle.surfaces):
        around = neighbourhood(index, term, 99)
        nested, supers = around.nested.shown, around.supers.shown
        for edges, is_broader in [(broader, True), (contains, False)]:
            shown = {(id, one.id) for one in nested if one.is_broader == is_broader}
            shown |= {(one.id, id) for one in supers if one.is_broader == is_broader}
            assert shown == {edge for edge in edges if id in edge}


def first_letter(token: str) -> str:
    return token[0]


@pytest.mark.parametrize(
    ("terms", "options", "phrase", "marks"),
    [
        (["New York City"], {"lowercase": True}, "new YORK", {"New York City": ["New York"]}),
        (["Café noir"], {"strip_accents": True}, "Cafe", {"Café noir": ["Café"]}),
        (["New_York_City"], {"separator": "_"}, "New York", {"New_York_City": ["New_York"]}),
        (["New_York_City"], {"separator": "_"}, "New_York", {"New_York_City": ["New_York"]}),
        (["b a_a", "c"], {"separator": "_"}, "a", {"b a_a": ["a"]}),
        (["a\nb_c"], {"separator": "_"}, "a\nb", {"a␊b_c": ["a␊b"]}),
        (["New York, N.Y."], {"tokenizer": "words"}, "york", {}),
        (
            ["New (York), City"],
            {"tokenizer": "words"},
            "York City",
            {"New (York), City": ["York), City"]},
        ),
        (["東京大学"], {"tokenizer": "chars"}, "京大", {"東京大学": ["京大"]}),
        (["fine cats"], {"normalize": first_letter}, "cat", {"fine cats": ["cats"]}),
        (["שלום עולם"], {}, "עולם", {"שלום עולם": ["עולם"]}),
    ],
)
def test_marks_follow_the_options_of_the_index(
    terms: list[str], options: dict[str, Any], phrase: str, marks: dict[str, list[str]]
) -> None:
    assert picture(TermIndex(terms, **options), phrase).marks() == marks


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(words, st.integers(0, 3)), max_size=12), words, options)
def test_the_neighbours_are_those_of_the_definition(
    entries: list[tuple[str, int]], phrase: str, options: dict[str, Any]
) -> None:
    terms = [term for term, _ in entries]
    weights = [float(weight) for _, weight in entries]
    index = TermIndex(terms, weights=weights, **options)
    oracle = Oracle(terms, weights=weights, **options)
    everything = neighbourhood(index, phrase, 100)
    kinds = {row.id for row in oracle.super_rows(phrase, where="end", direct=True)}
    direct = {row.id for row in oracle.super_rows(phrase, direct=True)}
    assert {one.id: one.is_broader for one in everything.supers.shown} == {
        id: id in kinds for id in kinds | direct
    }
    # Several are heads if they are matched alike; the first of these is that of the taxonomy.
    heads = {row.id for row in oracle.nested_rows(phrase, where="end", direct=True)}
    nested = {row.id for row in oracle.nested_rows(phrase, direct=True)} | heads
    assert {one.id: one.is_broader for one in everything.nested.shown} == {
        id: id in heads for id in nested
    }
    if phrase in oracle.surfaces:
        head = oracle.heads()[oracle.surfaces.index(phrase)]
        assert min(heads, default=None) == head
    few = neighbourhood(index, phrase, 2)
    for some, all_ in ((few.nested, everything.nested), (few.supers, everything.supers)):
        assert len(some.shown) == min(2, len(all_.shown))
        assert len(some.shown) + some.left_out == len(all_.shown)
        assert all_.left_out == 0
    heaviest = sorted(everything.supers.shown, key=lambda one: (-one.weight, one.id))[:2]
    assert {one.id for one in few.supers.shown} == {one.id for one in heaviest}


@pytest.mark.parametrize("term", HOSTILE)
def test_any_term_is_drawn_as_text(term: str) -> None:
    index = TermIndex([term, f"x_{term}", "y"], separator="_")
    for phrase in (term, "x", f"x_{term}"):
        shown = picture(index, phrase)
        assert {element.tag.removeprefix(SVG) for element in shown.root.iter()} <= {
            *("svg", "title", "style", "rect", "g", "path", "text", "tspan")
        }
        attributes = {name for element in shown.root.iter() for name in element.attrib}
        assert not any(name.startswith("on") or name.endswith("href") for name in attributes)
    # On hover the term is read as it is.
    expected = LABELS[".graphml"](term)
    assert shown.drawn[0].title.startswith(expected)


@pytest.mark.parametrize(
    "term", ["long " * 500 + "x", "x" + " long" * 500, "long " * 200 + "x" + " long" * 200]
)
def test_a_long_term_is_cut_and_its_mark_stays(term: str) -> None:
    (drawn,) = picture(TermIndex([term]), "x").drawn
    assert drawn.bold == ["x"]
    assert len(drawn.text) < 100
    assert drawn.text.startswith("…") == term.startswith("long")
    assert drawn.text.endswith("…") == term.endswith("long")
    assert drawn.text.strip("…") in term
    assert drawn.title.splitlines()[0] == term


def test_no_box_leaves_the_picture_and_terms_fit_into_their_boxes() -> None:
    terms = ["x", *(f"{letter * count} x" for letter in "iW東é👩" for count in (1, 20, 3_000))]
    weights = [10.0**at for at in range(len(terms))]
    for index in (TermIndex(terms), TermIndex(terms, weights=weights)):
        for phrase in ("x", terms[-1], terms[6]):
            shown = picture(index, phrase, limit=100)
            for left, top, right, bottom in shown.boxes()[1:]:
                assert 0 <= left <= right <= shown.width
                assert 0 <= top <= bottom <= shown.height


def test_boxes_are_as_wide_as_their_terms_may_be() -> None:
    def box(text: str) -> float:
        index = TermIndex(["x", f"{text} x"])
        return max(right - left for left, _, right, _ in picture(index, "x").boxes()[2:])

    # Ideographs are one em wide, and so is a W of a wide font; an accent takes no room.
    assert box("東" * 12) > 14 * 12
    assert box("W" * 12) > 14 * 12
    assert box("a" * 12) > 14 * 12 / 2
    assert box("e\u0301" * 12) == box("e" * 12)


def test_a_picture_needs_nothing_else_and_follows_the_scheme() -> None:
    svg = neighbourhood_svg(TermIndex(CARCINOMAS), "cell")
    assert "prefers-color-scheme:dark" in svg
    without_names = svg.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"http|url\(|@import|@font-face|<script|href", without_names)


# --- the command ---

VOCABULARY = (
    "carcinoma\t9\nbasal cell carcinoma\t4\ncell carcinoma\t5\nlobular carcinoma\t7\ncell\t1\n"
)


class Ran(NamedTuple):
    """What the command gave."""

    code: int
    out: str
    err: str


@pytest.fixture
def tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Callable[..., Ran]:
    """`termnest tree terms.tsv`, in a folder of its own."""
    (tmp_path / "terms.tsv").write_text(VOCABULARY)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Ran:
        code = main(["tree", "terms.tsv", "--weight-column", "1", *arguments])
        out, err = capfdbinary.readouterr()
        return Ran(code, out.decode(), err.decode())

    return run


@pytest.mark.parametrize("extension", READERS)
def test_tree_writes_a_file_and_tells_what_it_holds(
    tree: Callable[..., Ran], extension: str
) -> None:
    name = f"out{extension}"
    assert tree("-o", name) == (0, "", f"{name}: 5 terms, 3 broader edges, 1 contains edge\n")
    content = READERS[extension](Path(name))
    assert content.broader == {(1, 2), (2, 0), (3, 0)}
    assert content.contains == {(2, 4)}
    assert content.weights[3] == 7
    assert sorted(path.name for path in Path().iterdir()) == sorted([name, "terms.tsv"])


def test_tree_writes_what_it_prints(tree: Callable[..., Ran]) -> None:
    for options in (["carcinoma"], ["carcinoma", "--limit", "1"], ["carcinoma", "--depth", "1"]):
        printed = tree(*options).out
        assert tree(*options, "-o", "out.json").code == 0
        lines = {line.strip() for line in printed.splitlines() if "more" not in line}
        assert set(read_json(Path("out.json")).labels.values()) == lines


@pytest.mark.parametrize(
    ("options", "end"),
    [
        (["--limit", "1"], ", 2 terms left out by --limit\n"),
        (["--depth", "1"], ", 1 term left out by --depth\n"),
        (["--depth", "1", "--limit", "1"], ", 2 terms left out by --depth and --limit\n"),
        (["--depth", "9", "--limit", "9"], " contains edge\n"),
        (["cell carcinoma", "--depth", "0"], ", 1 term left out by --depth\n"),
    ],
)
def test_tree_tells_what_a_file_leaves_out(
    tree: Callable[..., Ran], options: list[str], end: str
) -> None:
    ran = tree(*options, "-o", "out.ttl")
    assert ran.code == 0
    assert ran.err.endswith(end)


def test_tree_draws_a_picture(tree: Callable[..., Ran]) -> None:
    assert tree("cell carcinoma", "-o", "out.svg") == (
        0,
        "",
        "out.svg: 4 terms, 2 broader edges, 1 contains edge\n",
    )
    shown = Picture(Path("out.svg").read_text())
    assert [drawn.text for drawn in shown.drawn] == ["carcinoma", "cell", "basal cell carcinoma"]
    ran = tree("carcinoma", "-o", "out.svg", "--limit", "1")
    assert ran.err == (
        "out.svg: 2 terms, 1 broader edge, 0 contains edges, 1 term left out by --limit\n"
    )


def test_tree_takes_the_base_of_uris(tree: Callable[..., Ran]) -> None:
    assert tree("-o", "out.ttl", "--base-uri", "https://example.org/").code == 0
    assert len(read_turtle(Path("out.ttl"), "https://example.org/").labels) == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "out.svg"], "give TERM"),
        (["cell", "-o", "out.svg", "--depth", "1"], "--depth does not go with a picture"),
        (["-o", "out.pdf"], ".ttl, .graphml, .dot, .gv, .json or .svg"),
        (["-o", "out"], ".ttl, .graphml, .dot, .gv, .json or .svg"),
        (["-o", "none/out.ttl"], "there is no folder none"),
        (["-o", "folder.ttl"], "it is a folder"),
        (["--base-uri", "urn:a:"], "--base-uri goes with -o FILE.ttl"),
        (["-o", "out.json", "--base-uri", "urn:a:"], "--base-uri goes with -o FILE.ttl"),
        (["-o", "out.ttl", "--base-uri", "a"], "no absolute URI"),
        (["-o", "same.json"], "is the vocabulary itself"),
    ],
)
def test_tree_refuses_what_cannot_be(
    tree: Callable[..., Ran], options: list[str], message: str
) -> None:
    Path("folder.ttl").mkdir()
    Path("same.json").symlink_to("terms.tsv")
    before = sorted(Path().iterdir())
    ran = tree(*options)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert sorted(Path().iterdir()) == before
    assert Path("terms.tsv").read_text() == VOCABULARY


def test_tree_of_an_unknown_term_writes_nothing(tree: Callable[..., Ran]) -> None:
    ran = tree("basal", "-o", "out.ttl")
    assert ran == (1, "", "'basal' is not in the vocabulary: nothing was written.\n")
    assert not Path("out.ttl").exists()
    Path("out.svg").write_text("kept")
    ran = tree("nobody", "-o", "out.svg")
    assert ran.code == 1
    assert ran.err.startswith("'nobody' is not in the vocabulary")
    assert Path("out.svg").read_text() == "kept"
    # But any phrase has a neighbourhood.
    assert tree("basal cell", "-o", "out.svg").code == 0
    assert Picture(Path("out.svg").read_text()).marks() == {
        "cell": [],
        "basal cell carcinoma": ["basal cell"],
    }


def test_a_term_of_a_tree_is_matched_as_queries_are(tmp_path: Path) -> None:
    index = TermIndex(["cell", "CELL", "Solar Cell", "Solar"], weights=[1, 5, 2, 3], lowercase=True)
    for spelling in ("cell", "CELL", "Cell"):
        # What ends with a term stands below the first of its spellings.
        assert Tree(index).find(spelling) == 0
        written = write_taxonomy(index, tmp_path / "cell.json", term=spelling)
        assert (written.terms, written.broader) == (2, 1)
    assert Tree(index).find("cells") is None
    picture = neighbourhood(index, "SOLAR CELL", 12)
    assert (picture.is_term, picture.weight) == (True, 2)
