"""What a prompt and a notebook show of an index and of tables."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from termnest.index import TermIndex

# As many rows as one looks at, and as many terms as fit on a line.
SHOWN_ROWS = 10
_SHOWN_TERMS = 5


def html_table(columns: list[str], rows: list[dict[str, Any]], total: int) -> str:
    """The first rows as HTML, every text escaped."""

    def line(cells: list[Any], tag: str) -> str:
        return "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells)

    body = "".join(f"<tr>{line(list(row.values()), 'td')}</tr>" for row in rows)
    more = f"<p>… {total - len(rows):,} more rows</p>" if total > len(rows) else ""
    head = f"<thead><tr>{line(columns, 'th')}</tr></thead>"
    return f"<table>{head}<tbody>{body}</tbody></table>{more}"


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
