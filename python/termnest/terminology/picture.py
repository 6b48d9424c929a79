"""A picture of the direct neighbours of a term: an SVG that needs no other file."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from termnest import arguments
from termnest.index import TermIndex
from termnest.terminology.neighbourhood import (
    LIMIT,
    Neighbour,
    Neighbourhood,
    Side,
    Span,
    neighbourhood,
)
from termnest.terminology.xml import xml_text


def neighbourhood_svg(index: TermIndex, term: str, *, limit: int = LIMIT) -> str:
    """A picture of the direct neighbours of a term, or of any phrase, as SVG.

    The terms that it contains are on its left, and the terms that contain it on its right, where
    it is set in bold. A solid line leads from a term to a term that ends with it, and so is a kind
    of it; a dashed line means that one merely contains the other. Bars show the weights, if there
    are any. The picture follows the light or dark scheme of its viewer and contains no script.

    >>> index = TermIndex(["carcinoma", "cell", "cell carcinoma", "basal cell carcinoma"])
    >>> svg = neighbourhood_svg(index, "cell carcinoma")
    >>> "basal <tspan font-weight='bold'>cell carcinoma</tspan>" in svg
    True

    Args:
        index: The vocabulary.
        term: The term, or any phrase.
        limit: Show at most N terms on each side, the heaviest.
    """
    arguments.instance("index", index, TermIndex, "a TermIndex")
    phrase = arguments.text("term", term)
    return draw(neighbourhood(index, phrase, arguments.count("limit", limit)))


# Sizes are in pixels.
_FONT_SIZE = 14
_MARGIN = 24
_CHIP_HEIGHT = 30
_ROW = 40
_PADDING = 12
_MAX_TEXT_WIDTH = 330
_CENTRE_HEIGHT = 46
_CURVE = 96
_BAR = 64
_BAR_GAP = 8
_LEGEND_SIZE = 12

# Rules for each scheme, not CSS variables: not every program that shows SVG supports those.
_STYLE = """
.tn-ground{fill:#fff}
.tn-text{fill:#1c2530}
.tn-muted{fill:#616e7c}
.tn-chip{fill:#f5f7f9;stroke:#b4bdc8}
.tn-chip.tn-broader{fill:#e8f2fd;stroke:#2477cf}
.tn-centre{fill:#123b66;stroke:#123b66}
.tn-centre.tn-phrase{fill:#fff;stroke:#123b66;stroke-dasharray:5 4}
.tn-centre-text{fill:#fff}
.tn-phrase-text{fill:#123b66}
.tn-line{fill:none;stroke:#97a3b0;stroke-width:1.5;stroke-dasharray:5 4}
.tn-line.tn-broader{stroke:#2477cf;stroke-width:2;stroke-dasharray:none}
.tn-bar{fill:#b4bdc8}
.tn-bar.tn-broader{fill:#7fb2e8}
.tn-rule{stroke:#e3e7ec}
@media (prefers-color-scheme:dark){
.tn-ground{fill:#12171d}
.tn-text{fill:#e4e9ef}
.tn-muted{fill:#95a1af}
.tn-chip{fill:#1b222a;stroke:#4b5764}
.tn-chip.tn-broader{fill:#112c48;stroke:#5aa5f2}
.tn-centre{fill:#cfe4fa;stroke:#cfe4fa}
.tn-centre.tn-phrase{fill:#12171d;stroke:#cfe4fa}
.tn-centre-text{fill:#0e2238}
.tn-phrase-text{fill:#cfe4fa}
.tn-line{stroke:#6a7785}
.tn-line.tn-broader{stroke:#5aa5f2}
.tn-bar{fill:#4b5764}
.tn-bar.tn-broader{fill:#3573b3}
.tn-rule{stroke:#28313b}
}
"""


def draw(around: Neighbourhood) -> str:
    """The neighbourhood as SVG."""
    return "".join(_Drawing(around).parts())


class _Drawing:
    """The layout, from left to right: bars, terms, curves, the phrase, curves, terms, bars."""

    def __init__(self, around: Neighbourhood) -> None:
        self.around = around
        sides = (around.nested, around.supers)
        numbers = [_number(one.weight) for side in sides for one in side.shown]
        number_width = max((_width(text, _LEGEND_SIZE) for text in numbers), default=0.0)
        beside = number_width + _BAR + 2 * _BAR_GAP if around.weighted else 0.0

        self.centre_text = _Label(around.phrase, _FONT_SIZE + 2, None, bold=True)
        self.centre_width = max(96.0, self.centre_text.width + 4 * _PADDING)
        self.left_width = _column_width(around.nested, _WORDS_LEFT)
        self.right_width = _column_width(around.supers, _WORDS_RIGHT)

        self.left = _MARGIN + beside
        self.centre = self.left + self.left_width + _CURVE
        self.right = self.centre + self.centre_width + _CURVE
        self.legend = _legend(around.weighted)
        legend_width = self.legend[-1].x + _width(self.legend[-1].text, _LEGEND_SIZE)
        inner = self.right + self.right_width + beside
        # A picture of short terms is at least as wide as its legend.
        spare = max(0.0, 2 * _MARGIN + legend_width - inner - _MARGIN)
        self.left, self.centre, self.right = (
            x + spare / 2 for x in (self.left, self.centre, self.right)
        )
        self.width = round(inner + spare + _MARGIN)

        self.top = _MARGIN + 32
        rows = max(3, around.nested.rows, around.supers.rows)
        self.middle = self.top + rows * _ROW / 2
        self.bottom = self.top + rows * _ROW
        self.height = round(self.bottom + 16 + 44)

    def parts(self) -> Iterator[str]:
        phrase = xml_text(self.around.phrase)
        yield (
            f"<svg xmlns='http://www.w3.org/2000/svg' width='{self.width}' height='{self.height}' "
            f"viewBox='0 0 {self.width} {self.height}' role='img' font-size='{_FONT_SIZE}' "
            'font-family=\'system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif\'>\n'
            f"<title>{phrase}: its direct nested terms and super terms</title>\n"
            f"<style>{_STYLE}</style>\n"
            f"<rect class='tn-ground' width='{self.width}' height='{self.height}' rx='12'/>\n"
        )
        yield from self._side(self.around.nested, is_left=True)
        yield from self._side(self.around.supers, is_left=False)
        yield from self._centre()
        yield from self._legend()
        yield "</svg>\n"

    def _side(self, side: Side, is_left: bool) -> Iterator[str]:
        heading, nothing = _WORDS_LEFT if is_left else _WORDS_RIGHT
        x, width = (self.left, self.left_width) if is_left else (self.right, self.right_width)
        y = self.middle - max(1, side.rows) * _ROW / 2
        centre = x + width / 2
        yield _small_text(centre, y - 12, heading, "middle")
        # Curves first: terms lie on top of them.
        for row, one in enumerate(side.shown):
            yield self._curve(y + (row + 0.5) * _ROW, one, is_left)
        # Nested terms are usually heavier than super terms: each side has a scale of its own.
        heaviest = max((one.weight for one in side.shown), default=0.0)
        for row, one in enumerate(side.shown):
            chip = y + row * _ROW + (_ROW - _CHIP_HEIGHT) / 2
            yield f"<g><title>{xml_text(self._title(one, is_left))}</title>\n"
            yield (
                f"<rect class='{_of_kind('tn-chip', one)}' x='{x:.1f}' y='{chip:.1f}' "
                f"width='{width:.1f}' height='{_CHIP_HEIGHT}' rx='8'/>\n"
            )
            label = _Label(one.term, _FONT_SIZE, one.mark)
            yield label.svg(x, chip, width, _CHIP_HEIGHT, "tn-text", "start")
            if self.around.weighted:
                length = max(1.0, _BAR * one.weight / heaviest) if heaviest else 1.0
                yield self._bar(x, chip + _CHIP_HEIGHT / 2, width, length, one, is_left)
            yield "</g>\n"
        last = y + len(side.shown) * _ROW + _ROW / 2 + 4
        if side.left_out:
            yield _small_text(centre, last, f"… {side.left_out:,} more", "middle")
        elif not side.shown:
            yield _small_text(centre, last, nothing, "middle")

    def _curve(self, y: float, one: Neighbour, is_left: bool) -> str:
        start = self.left + self.left_width if is_left else self.right
        end = self.centre if is_left else self.centre + self.centre_width
        half = (start + end) / 2
        return (
            f"<path class='{_of_kind('tn-line', one)}' d='M{start:.1f} {y:.1f}"
            f"C{half:.1f} {y:.1f} {half:.1f} {self.middle:.1f} {end:.1f} {self.middle:.1f}'/>\n"
        )

    def _bar(
        self, x: float, y: float, width: float, length: float, one: Neighbour, is_left: bool
    ) -> str:
        """The bar of a weight, which grows away from the term, and its number after it."""
        bar = x - _BAR_GAP - length if is_left else x + width + _BAR_GAP
        number = bar - _BAR_GAP / 2 if is_left else bar + length + _BAR_GAP / 2
        return (
            f"<rect class='{_of_kind('tn-bar', one)}' x='{bar:.1f}' y='{y - 4:.1f}' "
            f"width='{length:.1f}' height='8' rx='2'/>\n"
            + _small_text(number, y + 4, _number(one.weight), "end" if is_left else "start")
        )

    def _title(self, one: Neighbour, is_left: bool) -> str:
        """The tooltip of a term, which screen readers read."""
        phrase = self.around.phrase
        shorter, longer = (one.term, phrase) if is_left else (phrase, one.term)
        relation = (
            f"“{longer}” is a kind of “{shorter}”, its head"
            if one.is_broader
            else f"“{longer}” contains “{shorter}”"
        )
        weight = f"\nweight {_number(one.weight)}" if self.around.weighted else ""
        return f"{one.term}\n{relation}{weight}"

    def _centre(self) -> Iterator[str]:
        around = self.around
        y = self.middle - _CENTRE_HEIGHT / 2
        if not around.is_term:
            note = "not in the vocabulary"
        elif around.weight is not None:
            note = f"weight {_number(around.weight)}"
        else:
            note = ""
        shape, text = (
            ("tn-centre", "tn-centre-text")
            if around.is_term
            else ("tn-centre tn-phrase", "tn-phrase-text")
        )
        yield f"<g><title>{xml_text(around.phrase)}{note and f'{chr(10)}{note}'}</title>\n"
        yield (
            f"<rect class='{shape}' x='{self.centre:.1f}' y='{y:.1f}' "
            f"width='{self.centre_width:.1f}' height='{_CENTRE_HEIGHT}' "
            f"rx='{_CENTRE_HEIGHT / 2:.0f}'/>\n"
        )
        yield self.centre_text.svg(
            self.centre, y, self.centre_width, _CENTRE_HEIGHT, text, "middle"
        )
        yield "</g>\n"
        if note:
            x = self.centre + self.centre_width / 2
            yield _small_text(x, y + _CENTRE_HEIGHT + 18, note, "middle")

    def _legend(self) -> Iterator[str]:
        y = self.bottom + 16
        right = self.width - _MARGIN
        yield f"<path class='tn-rule' d='M{_MARGIN} {y:.1f}H{right}'/>\n"
        for item in self.legend:
            x = _MARGIN + item.x
            yield item.swatch.format(x=x - _SWATCH - 8, y=y + 22)
            yield _small_text(x, y + 26, item.text, "start")


class _LegendItem(NamedTuple):
    x: float
    """Where its text starts."""
    swatch: str
    text: str


_SWATCH = 32
# The heading of a side, and the note if it is empty.
_WORDS_LEFT = ("nested terms", "it contains no term")
_WORDS_RIGHT = ("super terms", "no term contains it")


def _legend(weighted: bool) -> list[_LegendItem]:
    line = "<path class='{name}' d='M{{x:.1f}} {{y:.1f}}h" + str(_SWATCH) + "'/>\n"
    bar = f"<rect class='tn-bar' x='{{x:.1f}}' y='{{y:.1f}}' width='{_SWATCH}' height='8' rx='2' "
    entries = [
        (line.format(name="tn-line tn-broader"), "the right term is a kind of the left term"),
        (line.format(name="tn-line"), "the right term contains the left term"),
    ]
    if weighted:
        entries.append((bar + "transform='translate(0 -4)'/>\n", "weight"))
    items = []
    x = 0.0
    for swatch, text in entries:
        x += _SWATCH + 8
        items.append(_LegendItem(x, swatch, text))
        x += _width(text, _LEGEND_SIZE) + 24
    return items


def _of_kind(name: str, one: Neighbour) -> str:
    return f"{name} tn-broader" if one.is_broader else name


def _column_width(side: Side, words: tuple[str, str]) -> float:
    texts = [_Label(one.term, _FONT_SIZE, one.mark).width + 2 * _PADDING for one in side.shown]
    return max(texts + [_width(text, _LEGEND_SIZE) for text in words])


def _small_text(x: float, y: float, text: str, anchor: str) -> str:
    return (
        f"<text class='tn-muted' x='{x:.1f}' y='{y:.1f}' font-size='{_LEGEND_SIZE}' "
        f"text-anchor='{anchor}'>{xml_text(text)}</text>\n"
    )


def _number(weight: float) -> str:
    return f"{weight:,.0f}" if weight == int(weight) and weight < 1e9 else f"{weight:.4g}"


# --- labels ---


class _Label:
    """A text on one line; if it is too long it is cut so that its marked part stays visible."""

    def __init__(self, text: str, size: float, mark: Span | None, bold: bool = False) -> None:
        start, end = _window(text, _MAX_TEXT_WIDTH / size, mark)
        self.size = size
        self.bold = bold
        first, last = mark or (start, start)
        first, last = (min(max(place, start), end) for place in (first, last))
        self.before = "…" * (start > 0) + text[start:first]
        self.marked = text[first:last]
        self.after = text[last:end] + "…" * (end < len(text))
        self.width = _width(self.before + self.marked + self.after, size)

    def svg(self, x: float, y: float, width: float, height: float, name: str, anchor: str) -> str:
        """The text in a box, which hides what does not fit: a font may be wider than we assume."""
        inset = _PADDING if anchor == "start" else width / 2
        weight = " font-weight='bold'" if self.bold else ""
        marked = _one_line(self.marked)
        return (
            f"<svg x='{x:.1f}' y='{y:.1f}' width='{width:.1f}' height='{height}' "
            f"overflow='hidden'><text class='{name}' x='{inset:.1f}' "
            f"y='{height / 2 + 0.35 * self.size:.1f}' font-size='{self.size}' "
            f"text-anchor='{anchor}' xml:space='preserve'{weight}>{_one_line(self.before)}"
            + (f"<tspan font-weight='bold'>{marked}</tspan>" if marked else "")
            + f"{_one_line(self.after)}</text></svg>\n"
        )


# Control characters are drawn as their pictures: "␊" for a line break.
_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "\u2421"}


def _one_line(text: str) -> str:
    return xml_text(text.translate(_PICTURES))


def _window(text: str, room: float, mark: Span | None) -> Span:
    """The part of a text that fits into `room` ems: its start, its end, or the part at the mark."""
    advances = [_advance(character) for character in text]
    if sum(advances) <= room:
        return 0, len(text)
    room -= 2 * _advance("…")

    def reach(places: range) -> int:
        """The number of characters that fit, counted from the first of these places."""
        left = room
        for count, place in enumerate(places):
            left -= advances[place]
            if left < 0:
                return count
        return len(places)

    end = reach(range(len(text)))
    if mark is None or mark[1] <= end:
        return 0, end
    start = len(text) - reach(range(len(text) - 1, -1, -1))
    if start <= mark[0]:
        return start, len(text)
    start = max(0, mark[0] - 8)
    return start, start + reach(range(start, len(text)))


def _width(text: str, size: float) -> float:
    """An upper estimate of the width of a text: there is no font to measure it with."""
    return size * sum(map(_advance, text))


def _advance(character: str) -> float:
    """The width of a character in ems, in a wide, bold font."""
    if character in _NARROW:
        return 0.42
    if character in _BROAD:
        return 1.05
    if character.isascii():
        return 0.78 if character.isupper() else 0.66
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return 1.1
    return 0.85


_NARROW = frozenset(" !'(),.:;I[]`fijlrt|")
_BROAD = frozenset("%@MWmw…—")
