"""DOT, for Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from termnest.terminology.export.graph import EdgeKind, Graph

# In labels, Graphviz interprets backslashes and HTML entities; U+0000 ends its strings.
_ESCAPES = str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n", "&": "&amp;", "\0": "\ufffd"})
_STYLES: dict[EdgeKind, str] = {"broader": "solid", "contains": "dashed"}


def _name(id: int | str) -> str:
    return str(id) if isinstance(id, int) else f'"{id.translate(_ESCAPES)}"'


def dot(graph: Graph) -> Iterator[str]:
    """The graph as DOT: `broader` edges are solid, `contains` edges dashed."""
    yield 'digraph taxonomy {\nrankdir="RL";\nnode [shape="box", style="rounded"];\n'
    for id, term, weight, *_ in graph.nodes():
        more = "" if weight is None else f', weight="{weight!r}"'
        yield f'{_name(id)} [label="{term.translate(_ESCAPES)}"{more}];\n'
    for kind, longer, shorter in graph.edges():
        yield f'{_name(longer)} -> {_name(shorter)} [kind="{kind}", style="{_STYLES[kind]}"];\n'
    yield "}\n"
