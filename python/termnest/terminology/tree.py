"""The tree of terms and their heads: what of it is shown, and its files."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from termnest.atomic import atomic_write
from termnest.errors import InvalidOptionError, UnknownTermError
from termnest.index import StrPath, TermIndex
from termnest.table import Table
from termnest.terminology import graphs, picture
from termnest.terminology.graphs import NO_HEAD, Graph

_ROWS_AT_ONCE = 100_000

_GRAPH_FORMATS = {
    ".graphml": graphs.graphml,
    ".dot": graphs.dot,
    ".gv": graphs.dot,
    ".json": graphs.node_link_json,
}
EXTENSIONS = (".ttl", *_GRAPH_FORMATS, ".svg")


def taxonomy(index: TermIndex) -> Table:
    """The tree of terms and their heads as a table, a row for each term, by id.

    >>> index = TermIndex(["carcinoma", "cell carcinoma", "basal cell"])
    >>> for row in taxonomy(index).to_pylist():
    ...     print(row)
    {'term': 'carcinoma', 'id': 0, 'broader': None, 'depth': 0, 'root': 0}
    {'term': 'cell carcinoma', 'id': 1, 'broader': 0, 'depth': 1, 'root': 0}
    {'term': 'basal cell', 'id': 2, 'broader': None, 'depth': 0, 'root': 2}

    The columns are those of `TermIndex.taxonomy`.
    """
    return index.taxonomy(terms=True)


class Written(NamedTuple):
    """What a file of a taxonomy holds."""

    terms: int
    broader: int
    """Edges from a term to its head, and to the terms that are matched like the head."""
    contains: int
    """Edges of any other direct containment."""
    left_out: int
    """Terms that `depth` and `limit` leave out, however deep they stand."""


def write_taxonomy(
    index: TermIndex,
    path: StrPath,
    *,
    term: str | None = None,
    depth: int | None = None,
    limit: int | None = None,
    base_uri: str | None = None,
) -> Written:
    """Writes terms, their heads and all other direct containment to a file, by its extension.

    | extension | what |
    |---|---|
    | `.ttl` | SKOS in Turtle: `skos:broader` for heads, `termnest:contains` for the others |
    | `.graphml` | GraphML; characters that XML cannot hold, such as U+0001, become U+FFFD |
    | `.dot`, `.gv` | DOT, for Graphviz: edges to heads are solid, others dashed |
    | `.json` | node-link JSON, for networkx (`node_link_graph(data, edges="links")`) and d3 |
    | `.svg` | a picture of what stands directly around `term`: see `neighbourhood_svg` |

    >>> index = TermIndex(["carcinoma", "cell carcinoma", "basal cell carcinoma", "basal cell"])
    >>> path = getfixture("tmp_path") / "terms.ttl"
    >>> write_taxonomy(index, path)
    Written(terms=4, broader=2, contains=1, left_out=0)
    >>> print(*path.read_text().splitlines()[-3:], sep="\\n")
    term:1 skos:broader term:0 .
    term:2 skos:broader term:1 .
    term:2 termnest:contains term:3 .

    All edges lead from the longer term to the shorter, and both are in the file. The file is
    written beside its target and renamed: there is all of it or none.

    Args:
        term: Only this term and what stands below it in the tree. It is matched as queries are.
        depth: Only so many steps below the roots, or below `term`.
        limit: Only so many terms below each term, the heaviest. In a picture: so many on each side,
            12 by default.
        base_uri: For `.ttl`: ids are put behind it to make the URIs of terms; `urn:termnest:` by
            default. Give one of your own to publish terms, or to merge files.

    Raises:
        InvalidOptionError: The extension is none of these, or an option does not go with it.
        UnknownTermError: There is no such term; or, for a picture, which can be made of any phrase,
            there is nothing around it.
        FileAccessError: The file cannot be written.
    """
    format = file_format(path)
    for name, value in [("depth", depth), ("limit", limit)]:
        if value is not None and value < 0:
            raise InvalidOptionError(f"{name} cannot be {value}: it must be 0 or more")
    if base_uri is not None:
        if format != ".ttl":
            raise InvalidOptionError(f"base_uri goes with .ttl files only, not with {format}")
        graphs.check_base_uri(base_uri)
    if format == ".svg":
        return _write_picture(index, path, term, depth, limit)

    tree = Tree(index)
    chosen, left_out = tree.selection(term, depth, limit)
    graph = Graph(index, tree.heads, chosen)
    if format == ".ttl":
        text = graphs.turtle(graph, base_uri or graphs.DEFAULT_BASE_URI)
    else:
        text = _GRAPH_FORMATS[format](graph)
    with atomic_write(path) as file:
        file.writelines(part.encode() for part in text)
    return Written(len(graph), **graph.edges_written, left_out=left_out)


def file_format(path: StrPath) -> str:
    """The extension of the file, if it is one of a format."""
    extension = Path(path).suffix.lower()
    if extension not in EXTENSIONS:
        raise InvalidOptionError(
            f"cannot tell the format of {str(path)!r} by its name: it must end with "
            f"{', '.join(EXTENSIONS[:-1])} or {EXTENSIONS[-1]}"
        )
    return extension


def _write_picture(
    index: TermIndex, path: StrPath, term: str | None, depth: int | None, limit: int | None
) -> Written:
    if term is None:
        raise InvalidOptionError("a picture is that of the neighbourhood of a term: give the term")
    if depth is not None:
        raise InvalidOptionError("depth does not go with a picture, which shows direct neighbours")
    around = picture.neighbourhood(index, term, picture.LIMIT if limit is None else limit)
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


class Step(NamedTuple):
    """A line of a tree as it is shown: a term, or how many more there are."""

    level: int
    id: int | None
    left_out: int = 0
    """With no id: how many terms the limit leaves out here."""


class Tree:
    """The tree of terms and their heads, by ids; four bytes a term, and eight more once walked."""

    def __init__(self, index: TermIndex) -> None:
        self._index = index
        self.heads = array("I")
        """The id of the head of each term; `NO_HEAD` for a root."""
        table = index.taxonomy()._table
        for start in range(0, len(table), _ROWS_AT_ONCE):
            heads = table.values("broader", start, start + _ROWS_AT_ONCE)
            self.heads.extend(NO_HEAD if head is None else head for head in heads)

    @cached_property
    def _links(self) -> tuple[array[int], array[int]]:
        """For each term the first term below it, and the next one below the same head."""
        nothing = array("I", [NO_HEAD])
        first, following = nothing * len(self.heads), nothing * len(self.heads)
        for id in range(len(self.heads) - 1, -1, -1):
            if (head := self.heads[id]) != NO_HEAD:
                following[id] = first[head]
                first[head] = id
        return first, following

    def find(self, phrase: str) -> int | None:
        """The term that a phrase is. Of terms that are matched alike it is the first: what ends
        with any of them stands below that one."""
        return next(iter(self._index.lookup(phrase)), None)

    def narrower(self, id: int) -> list[int]:
        """The terms right below a term, heaviest first."""
        first, following = self._links
        found = []
        below = first[id]
        while below != NO_HEAD:
            found.append(below)
            below = following[below]
        return self._heaviest_first(found)

    def _heaviest_first(self, ids: list[int]) -> list[int]:
        native = self._index._index
        # They come by id, and terms of one weight stay so.
        return sorted(ids, key=lambda one: -native.weight(one)) if native.weighted else ids

    def roots(self, *, alone: bool) -> list[int]:
        """The terms without a head, heaviest first; those with nothing below them if `alone`."""
        first, _ = self._links
        found = (id for id, head in enumerate(self.heads) if head == NO_HEAD)
        return self._heaviest_first([id for id in found if alone or first[id] != NO_HEAD])

    def walk(self, roots: list[int], depth: int | None, limit: int | None) -> Iterator[Step]:
        """The trees below the roots, each term before what stands below it.

        This is what `depth` and `limit` mean wherever a tree is shown or written. No recursion, as
        a tree may be thousands of terms deep.
        """
        stack = [Step(0, id) for id in reversed(roots)]
        while stack:
            step = stack.pop()
            yield step
            if step.id is None or (depth is not None and step.level >= depth):
                continue
            below = self.narrower(step.id)
            shown = below[:limit]
            if len(shown) < len(below):
                stack.append(Step(step.level + 1, None, len(below) - len(shown)))
            stack += [Step(step.level + 1, id) for id in reversed(shown)]

    def selection(
        self, term: str | None, depth: int | None, limit: int | None
    ) -> tuple[bytearray | None, int]:
        """A byte for each term, 1 if it is to be written (None if all are); how many are left out.

        Without a term it is that of all trees, those of one term included.
        """
        if term is None:
            if depth is None and limit is None:
                return None, 0
            roots = self.roots(alone=True)
            total = len(self.heads)
        else:
            root = self.find(term)
            if root is None:
                raise UnknownTermError(f"{term!r} is not in the vocabulary")
            roots = [root]
            total = sum(1 for _ in self.walk(roots, None, None))
        chosen = bytearray(len(self.heads))
        for step in self.walk(roots, depth, limit):
            if step.id is not None:
                chosen[step.id] = 1
        return chosen, total - chosen.count(1)
