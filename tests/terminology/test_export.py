"""The files of the taxonomy, read by the programs that they are for."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from graph_files import HOSTILE, LABELS, READERS, Content, edges_of, read_turtle
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import unicode_names
from oracle import Oracle
from termnest import FileAccessError, InvalidOptionError, TermIndex, UnknownTermError
from termnest.terminology import write_taxonomy
from termnest.terminology.export import EXTENSIONS, Written
from termnest.terminology.export.dot import dot
from termnest.terminology.export.graph import Graph
from termnest.terminology.export.graphml import graphml
from termnest.terminology.export.node_link_json import node_link_json
from termnest.terminology.export.skos import turtle
from termnest.terminology.tree import Tree


def written(index: TermIndex, extension: str, **selection: Any) -> tuple[Content, Written]:
    """What another program reads from the file, and what we say of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"terms{extension}"
        reported = write_taxonomy(index, path, **selection)
        if extension == ".ttl":
            return read_turtle(path, terms=list(index)), reported
        return READERS[extension](path), reported


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


# .gv is another name of .dot.
FORMATS = [extension for extension in READERS if extension != ".gv"]

words = st.lists(st.sampled_from(["p", "q", "r"]), min_size=1, max_size=5).map(" ".join)

options = st.sampled_from([{}, {"lowercase": True}, {"tokenizer": "chars"}])

counts = st.none() | st.integers(0, 3)

entries = st.lists(st.tuples(words, st.integers(0, 9)), max_size=12)


@pytest.mark.parametrize("extension", FORMATS)
@settings(max_examples=40, deadline=None)
@given(entries, options, st.booleans(), counts, counts, st.data())
def test_a_file_has_the_terms_and_edges_of_the_definition(
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
    content, reported = written(index, extension, term=term, depth=depth, limit=limit)
    chosen, total = chosen_of(oracle, term, depth, limit)
    expected = content_of(oracle, chosen, weighted)
    assert content == expected
    assert reported == (
        len(chosen),
        len(expected.broader),
        len(expected.contains),
        total - len(chosen),
    )


@pytest.mark.parametrize("extension", FORMATS)
def test_any_term_can_be_read_back(extension: str) -> None:
    terms = ["p", *HOSTILE, *(f"p_{term}" for term in HOSTILE), *(f"{term}_p" for term in HOSTILE)]
    index = TermIndex(terms, separator="_")
    assert list(index) == terms  # nothing was lost before
    content, reported = written(index, extension)
    expected = content_of(Oracle(terms, separator="_"), set(range(len(terms))), weighted=False)
    label = LABELS.get(".dot" if extension == ".gv" else extension, str)
    assert content.labels == {id: label(term) for id, term in expected.labels.items()}
    assert content[1:] == expected[1:]
    # "p_é" ends with "é"; "é_p" ends with "p".
    assert (reported.broader, reported.contains) == (2 * len(HOSTILE), 2 * len(HOSTILE))


def test_every_variant_is_a_node_and_the_first_is_the_broader_term() -> None:
    index = TermIndex(["US", "us", "big us", "Big US"], lowercase=True)
    for extension in READERS:
        content, _ = written(index, extension)
        assert content.labels == {0: "US", 1: "us", 2: "big us", 3: "Big US"}
        assert content.broader == {(2, 0), (3, 0)}
        assert content.contains == {(2, 1), (3, 1)}


def test_a_head_is_the_broader_term_even_where_another_term_lies_between() -> None:
    # "y x z" lies between "x" and "y x z x", but not at the end.
    index = TermIndex(["x", "y x z", "y x z x"])
    for extension in READERS:
        content, _ = written(index, extension)
        assert content.broader == {(2, 0)}
        assert content.contains == {(1, 0), (2, 1)}


def test_weights_are_exact() -> None:
    weights = [0.0, 0.1, 1e-320, 1.7e308, 2.0**60]
    index = TermIndex(list("abcde"), weights=weights)
    for extension in READERS:
        assert written(index, extension)[0].weights == dict(enumerate(weights))


@pytest.mark.parametrize(
    "base_uri", ["https://example.org/terms/", "http://xn--a.b/é#", "urn:a:b:"]
)
def test_a_uri_is_the_base_followed_by_the_term(tmp_path: Path, base_uri: str) -> None:
    path = tmp_path / "terms.ttl"
    write_taxonomy(TermIndex(["p", "q p"]), path, base_uri=base_uri)
    assert read_turtle(path, base_uri).broader == {(1, 0)}


@pytest.mark.parametrize(
    "base_uri",
    ["", "terms/", "/terms/", "https://example.org/terms", "http://a b/", "http://a/> . <b:c/"]
    + [f"http://a{character}/" for character in '"<>{}|^`\\\n\0\udc80'],
)
def test_a_base_that_does_not_make_uris_is_refused(tmp_path: Path, base_uri: str) -> None:
    with pytest.raises(InvalidOptionError, match="base_uri"):
        write_taxonomy(TermIndex(["a"]), tmp_path / "terms.ttl", base_uri=base_uri)
    assert list(tmp_path.iterdir()) == []


def test_the_case_of_an_extension_does_not_matter(tmp_path: Path) -> None:
    write_taxonomy(TermIndex(["p", "q p"]), tmp_path / "TERMS.TTL")
    assert read_turtle(tmp_path / "TERMS.TTL").broader == {(1, 0)}


@pytest.mark.parametrize("name", ["terms", "terms.rdf", "terms.ttl.gz", ".ttl", "terms."])
def test_the_error_for_an_unknown_extension_lists_the_known_ones(tmp_path: Path, name: str) -> None:
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
def test_after_an_error_nothing_is_written(
    tmp_path: Path, name: str, options: dict[str, Any], problem: type[Exception]
) -> None:
    with pytest.raises(problem):
        write_taxonomy(TermIndex(["a"]), tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", [turtle, graphml, dot, node_link_json])
def test_a_file_is_made_in_small_pieces(
    format: Callable[[Graph], Iterator[str]],
) -> None:
    index = TermIndex(unicode_names())
    pieces = list(format(Graph(Tree(index), None)))
    assert len(pieces) > len(index)
    assert max(map(len, pieces)) < 2_000
