"""What a prompt and a notebook show of an index and of tables."""

from __future__ import annotations

import html
import shutil
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from termnest.index import TermIndex
    from termnest.table import Match

# As many rows as one looks at, and as many terms as fit on a line.
SHOWN_ROWS = 10
_SHOWN_TERMS = 5
# The least columns of a terminal that a column of a table is cut to.
_LEAST = 6
# The most characters of a cell, and of a text, in a notebook.
_MOST_HTML = 300
_MOST_TEXT = 5_000


def cell(value: Any) -> str:
    """A value as it is shown: numbers of at most six digits after which nothing can be seen."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, float):
        # Counts are whole, however large.
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"
    if isinstance(value, list):
        return ", ".join(map(cell, value))
    return str(value)


def html_table(columns: list[str], rows: list[dict[str, Any]], total: int) -> str:
    """The first rows as HTML, every text escaped."""

    def line(cells: list[Any], tag: str) -> str:
        shown = (f"<{tag}>{html.escape(cut(cell(one), _MOST_HTML))}</{tag}>" for one in cells)
        return "".join(shown)

    body = "".join(f"<tr>{line(list(row.values()), 'td')}</tr>" for row in rows)
    more = f"<p>… {total - len(rows):,} more rows</p>" if total > len(rows) else ""
    head = f"<thead><tr>{line(columns, 'th')}</tr></thead>"
    return f"<table>{head}<tbody>{body}</tbody></table>{more}"


def text_table(columns: list[str], rows: list[dict[str, Any]], total: int, width: int) -> str:
    """The first rows as text below a title, columns side by side, no line longer than `width`."""
    title = f"<termnest.Table of {total:,} row{'' if total == 1 else 's'}>"
    kinds = [{type(row[name]) for row in rows} - {type(None)} for name in columns]
    right = [bool(kind) and kind <= {int, float} for kind in kinds]
    grid = [[visible(name) for name in columns]]
    grid += [[visible(cell(row[name])) for name in columns] for row in rows]
    widths = [max(map(width_of, column)) for column in zip(*grid, strict=True)]
    # The widest columns give way first, but numbers stay whole.
    least = [
        max(map(width_of, column[1:]), default=0) if is_number else _LEAST
        for column, is_number in zip(zip(*grid, strict=True), right, strict=True)
    ]
    while sum(widths) + 2 * (len(widths) - 1) > width:
        spare = [(own, i) for i, own in enumerate(widths) if own > least[i]]
        if not spare:
            break
        widths[max(spare)[1]] -= 1
    # Then columns at the end are left out.
    shown = len(widths)
    while shown > 1 and sum(widths[:shown]) + 2 * shown - 2 + 3 * (shown < len(widths)) > width:
        shown -= 1
    lines = [cut(title, width)]
    for cells in grid:
        padded = []
        for text, room, is_right in zip(cells[:shown], widths, right, strict=False):
            text = cut(text, min(room, width))
            blank = " " * (room - width_of(text))
            padded.append(blank + text if is_right else text + blank)
        lines.append("  ".join(padded).rstrip() + ("  …" if shown < len(columns) else ""))
    if total > len(rows):
        lines.append(cut(f"… {total - len(rows):,} more rows", width))
    return "\n".join(lines)


def visible(text: str) -> str:
    """A text on one line that cannot control a terminal."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def width_of(text: str) -> int:
    """The columns of a terminal that a text takes."""
    if text.isascii():
        return len(text)
    return sum(map(_width, text))


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, width: int) -> str:
    """A text that takes at most `width` columns, with … where it was cut."""
    if width_of(text) <= width:
        return text
    kept, left = [], width - 1
    for character in text:
        left -= _width(character)
        if left < 0:
            break
        kept.append(character)
    return "".join(kept) + "…"


def terminal_width() -> int:
    """The columns of the terminal; 80 if there is none."""
    return shutil.get_terminal_size((80, 24)).columns


def html_text(text: str, matches: Iterable[Match]) -> str:
    """A text as HTML with its matches marked; of overlapping ones the first and longest is a mark,
    and its title has all of them."""
    marks: list[tuple[int, int, list[str]]] = []
    for match in matches:
        if marks and match.start < marks[-1][1]:
            start, end, terms = marks[-1]
            # A longer one at the same start, or one that goes on.
            marks[-1] = start, max(end, match.end), [*terms, match.term]
        elif match.start >= _MOST_TEXT:
            break
        else:
            marks.append((match.start, match.end, [match.term]))
    pieces, at = [], 0
    for start, end, terms in marks:
        title = html.escape(cut(", ".join(dict.fromkeys(terms)), _MOST_HTML))
        pieces.append(html.escape(text[at:start]))
        pieces.append(f'<mark title="{title}">{html.escape(text[start:end])}</mark>')
        at = end
    end = max(at, _MOST_TEXT)
    pieces.append(html.escape(text[at:end]) + ("…" if len(text) > end else ""))
    return f'<p style="white-space: pre-wrap">{"".join(pieces)}</p>'


def index_line(index: TermIndex) -> str:
    """An index in a line: its size, its options, its file."""
    facts = _facts(index)
    numbers = ", ".join(f"{facts.pop(name)} {name}" for name in list(facts)[:3])
    return f"<TermIndex of {', '.join([numbers, *facts.values()])}>"


def index_html(index: TermIndex) -> str:
    """An index as HTML: its facts, and its first terms."""
    rows = "".join(
        f"<tr><th>{name}</th><td>{html.escape(fact)}</td></tr>"
        for name, fact in _facts(index).items()
    )
    terms = ", ".join(index[id] for id in range(min(_SHOWN_TERMS, len(index))))
    more = ", …" if len(index) > _SHOWN_TERMS else ""
    return f"<table><caption>TermIndex</caption>{rows}</table><p>{html.escape(terms)}{more}</p>"


def _facts(index: TermIndex) -> dict[str, str]:
    stats, chosen = index.stats(), index.options
    # The tokenizer that an index has if none is named.
    unnamed = "text" if chosen.separator is None else "whitespace"
    hyphens = "split" if chosen.tokenizer == "text" else "keep"
    options = [
        f"tokenizer={chosen.tokenizer!r}" if chosen.tokenizer != unnamed else "",
        f"separator={chosen.separator!r}" if chosen.separator is not None else "",
        "lowercase" if chosen.lowercase else "",
        "strip_accents" if chosen.strip_accents else "",
        f"language={chosen.language!r}" if chosen.language else "fold" if chosen.fold else "",
        f"hyphens={chosen.hyphens!r}" if chosen.hyphens != hyphens else "",
        f"case={chosen.case!r}" if chosen.case else "",
        "normalize" if chosen.normalize else "",
        "weights" if index.weighted else "",
    ]
    facts = {
        "terms": f"{stats.terms:,}",
        "tokens": f"{stats.tokens:,}",
        "distinct tokens": f"{stats.distinct_tokens:,}",
        "options": ", ".join(filter(None, options)),
        "file": str(index.path) if index.path is not None else "",
    }
    return {name: fact for name, fact in facts.items() if fact}
