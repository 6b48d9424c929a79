"""Writing a taxonomy in the format that the extension of the file names."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from termnest.arguments import count, instance, text
from termnest.atomic import atomic_write
from termnest.errors import InvalidOptionError, UnknownTermError
from termnest.files import path_name
from termnest.index import TermIndex
from termnest.options import StrPath
from termnest.terminology import picture
from termnest.terminology.export import skos
from termnest.terminology.export.dot import dot
from termnest.terminology.export.graph import Graph
from termnest.terminology.export.graphml import graphml
from termnest.terminology.export.node_link_json import node_link_json
from termnest.terminology.export.tbx import tbx
from termnest.terminology.languages import Head
from termnest.terminology.neighbourhood import LIMIT, neighbourhood
from termnest.terminology.tree import Tree, known_language

_GRAPH_FORMATS = {
    ".graphml": graphml,
    ".dot": dot,
    ".gv": dot,
    ".json": node_link_json,
}
EXTENSIONS = (".ttl", ".tbx", *_GRAPH_FORMATS, ".svg")


class Written(NamedTuple):
    """The content of a file of a taxonomy."""

    terms: int
    broader: int
    """Edges from a term to its head."""
    contains: int
    """Edges of any other direct containment."""
    left_out: int
    """Terms that `depth` and `limit` leave out, at any depth."""


def write_taxonomy(
    index: TermIndex,
    path: StrPath,
    *,
    term: str | None = None,
    depth: int | None = None,
    limit: int | None = None,
    language: str | None = None,
    head: Head | None = None,
    base_uri: str | None = None,
    title: str | None = None,
) -> Written:
    """Writes terms, their heads and all other direct containment to a file.

    The extension of the file chooses the format:

    | extension | format |
    |---|---|
    | `.ttl` | SKOS in Turtle: `skos:broader` for heads, `termnest:contains` for other edges |
    | `.tbx` | TBX-Basic (ISO 30042:2019): an entry for each term, with its aliases |
    | `.graphml` | GraphML; characters that XML does not allow, such as U+0001, become U+FFFD |
    | `.dot`, `.gv` | DOT, for Graphviz: edges to heads are solid, others dashed |
    | `.json` | node-link JSON, for networkx (`node_link_graph(data)`) and d3 |
    | `.svg` | a picture of the direct neighbours of `term`: see `neighbourhood_svg` |

    >>> index = TermIndex(["carcinoma", "cell carcinoma", "basal cell carcinoma", "basal cell"])
    >>> path = getfixture("tmp_path") / "terms.ttl"
    >>> write_taxonomy(index, path)
    Written(terms=4, broader=2, contains=1, left_out=0)
    >>> print(path.read_text().splitlines()[-1])
    <urn:termnest:basal_cell_carcinoma> termnest:contains <urn:termnest:basal_cell> .

    Every edge leads from the longer term to the shorter one, and both terms are in the file. The
    URI of a term is made of the term, or of its own id: it stays when other terms come and go. The
    file is written atomically.

    Args:
        index: The vocabulary.
        path: The file.
        term: Write only this term and the terms below it. It is matched as queries are.
        depth: Write at most N levels below the roots, or below `term`.
        limit: Write at most N terms directly below each term, the heaviest. In a picture: at most N
            neighbours on each side, 12 by default.
        language: The code of the language of the terms, which decides where their heads are; by
            default that of the index, or what their function words show. Labels have a language
            tag if it is known.
        head: Where heads are, `"first"` or `"last"`, whatever the language.
        base_uri: For `.ttl`: the start of each URI. The default is `urn:termnest:`; use one of your
            own to publish the terms or to merge files.
        title: For `.ttl` and `.tbx`: the title of the terms, by default the name of the file.

    Raises:
        InvalidOptionError: The extension is unknown, or an option does not apply to the format.
        UnknownTermError: The vocabulary does not contain `term`. A picture can show any phrase;
            there, the phrase has no neighbours either.
        FileAccessError: The file cannot be written.
    """
    instance("index", index, TermIndex, "a TermIndex")
    format = file_format(path)
    if term is not None:
        text("term", term)
    for name, value in [("depth", depth), ("limit", limit)]:
        if value is not None:
            count(name, value)
    if base_uri is not None:
        instance("base_uri", base_uri, str, "a str or None")
        if format != ".ttl":
            raise InvalidOptionError(
                option="base_uri", value=repr(base_uri), expected=f"{format} files have no URIs"
            )
        skos.check_base_uri(base_uri)
    if format == ".svg":
        return _write_picture(index, path, term, depth, limit, language, head)

    tree = Tree(index, language, head)
    chosen, left_out = tree.selection(term, depth, limit)
    name = Path(path_name("path", path)).stem
    known = language or known_language(index)
    graph = Graph(tree, chosen, known, name if title is None else text("title", title))
    if format == ".ttl":
        parts = skos.turtle(graph, base_uri or skos.DEFAULT_BASE_URI)
    elif format == ".tbx":
        entries = ((node.key, node.term, node.forms, None) for node in graph.nodes())
        parts = tbx(entries, known, graph.title)
    else:
        parts = _GRAPH_FORMATS[format](graph)
    with atomic_write(path) as file:
        file.writelines(part.encode() for part in parts)
    return Written(len(graph), **graph.edges_written, left_out=left_out)


def file_format(path: StrPath) -> str:
    """The extension of the file in lower case, if it is that of a format."""
    extension = Path(path_name("path", path)).suffix.lower()
    if extension not in EXTENSIONS:
        known = f"{', '.join(EXTENSIONS[:-1])} or {EXTENSIONS[-1]}"
        raise InvalidOptionError(
            f"the name {str(path)!r} has none of the known extensions: end it with {known}"
        )
    return extension


def _write_picture(
    index: TermIndex,
    path: StrPath,
    term: str | None,
    depth: int | None,
    limit: int | None,
    language: str | None,
    head: Head | None,
) -> Written:
    if term is None:
        raise InvalidOptionError(
            option="term", value="None", expected="a picture shows the neighbours of one term"
        )
    if depth is not None:
        raise InvalidOptionError(
            option="depth", value=str(depth), expected="a picture shows direct neighbours only"
        )
    most = LIMIT if limit is None else limit
    around = neighbourhood(index, term, most, language=language, head=head)
    if around.is_empty:
        raise UnknownTermError(
            f"{term!r} is not in the vocabulary, contains no term of it, and no term contains it"
        )
    with atomic_write(path) as file:
        file.write(picture.draw(around).encode())
    shown = [*around.nested.shown, *around.supers.shown]
    broader = sum(neighbour.is_broader for neighbour in shown)
    return Written(
        terms=len(shown) + around.is_term,
        broader=broader,
        contains=len(shown) - broader,
        left_out=around.nested.left_out + around.supers.left_out,
    )
