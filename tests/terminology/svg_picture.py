"""A picture of a term, read back from its SVG."""

from __future__ import annotations

from typing import Any, NamedTuple
from xml.etree import ElementTree

from termnest import TermIndex
from termnest.terminology import neighbourhood_svg

SVG = "{http://www.w3.org/2000/svg}"


class Drawn(NamedTuple):
    """A term in a picture."""

    text: str
    bold: list[str]
    title: str
    is_broader: bool


class Picture:
    """The parts of a picture."""

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
