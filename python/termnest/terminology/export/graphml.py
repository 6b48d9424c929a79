"""GraphML: XML that networkx, Gephi, yEd and many other programs read."""

from __future__ import annotations

from collections.abc import Iterator

from termnest.terminology.export.graph import Graph
from termnest.terminology.xml import xml_text


def _name(id: int | str) -> str:
    return xml_text(str(id))


def graphml(graph: Graph) -> Iterator[str]:
    """The graph as GraphML: nodes with a `label` and a `weight`, edges with a `kind`.

    Control characters that XML 1.0 does not allow, such as U+0001, become U+FFFD.
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    yield '<key id="label" for="node" attr.name="label" attr.type="string"/>\n'
    if graph.weighted:
        yield '<key id="weight" for="node" attr.name="weight" attr.type="double"/>\n'
    yield '<key id="kind" for="edge" attr.name="kind" attr.type="string"/>\n'
    yield '<graph id="taxonomy" edgedefault="directed">\n'
    for id, term, weight, *_ in graph.nodes():
        more = "" if weight is None else f'<data key="weight">{weight!r}</data>'
        yield f'<node id="{_name(id)}"><data key="label">{xml_text(term)}</data>{more}</node>\n'
    for kind, longer, shorter in graph.edges():
        ends = f'source="{_name(longer)}" target="{_name(shorter)}"'
        yield f'<edge {ends}><data key="kind">{kind}</data></edge>\n'
    yield "</graph>\n</graphml>\n"
