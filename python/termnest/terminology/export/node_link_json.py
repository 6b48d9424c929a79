"""JSON of nodes and edges, for networkx and d3."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from termnest.terminology.export.graph import Graph


def node_link_json(graph: Graph) -> Iterator[str]:
    """The graph as JSON in node-link form: nodes with a `term`, edges with a `kind`."""
    yield '{"directed": true, "multigraph": false, "graph": {}, "nodes": ['
    yield from _items(
        {"id": id, "term": term} | ({} if weight is None else {"weight": weight})
        for id, term, weight, *_ in graph.nodes()
    )
    yield '], "edges": ['
    yield from _items(
        {"source": longer, "target": shorter, "kind": kind}
        for kind, longer, shorter in graph.edges()
    )
    yield "]}\n"


def _items(values: Iterator[dict[str, Any]]) -> Iterator[str]:
    separator = "\n"
    for value in values:
        yield separator + json.dumps(value, ensure_ascii=False)
        separator = ",\n"
