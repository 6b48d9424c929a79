"""The neighbourhood of a phrase in a vocabulary, for people to read."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from termnest.arguments import count
from termnest.arguments import text as text_of
from termnest.columns import OwnColumns
from termnest.display import cell, cut, terminal_width, visible, width_of
from termnest.replace import TextChanges

# The columns of a terminal that the names of facts take at least.
_NAMES = 12


@dataclass(frozen=True)
class Neighbourhood:
    """What a vocabulary has around a phrase: `print` shows it, and a notebook as HTML.

    The lists have the first terms only, heaviest first; the counts are of all.
    """

    phrase: str
    id: Any
    """The id of the term that the phrase is; None if it is not in the vocabulary."""
    term: str | None
    """This term, as the vocabulary writes it."""
    weight: float | None
    """Its weight, if the vocabulary has weights."""
    columns: dict[str, Any]
    """The values of its columns."""
    variants: list[str]
    """The other terms that the phrase matches."""
    super_terms: list[str]
    super_count: int
    nested_terms: list[str]
    nested_count: int
    completions: list[str]
    """Terms that begin like the phrase, or have a word that does."""
    variant_count: int = field(default=0)

    def _facts(self) -> Iterator[tuple[str, str]]:
        """The names and values of what is known of the term."""
        if self.term is None:
            yield "", "not in the vocabulary"
        else:
            if self.term != self.phrase:
                yield "term", self.term
            yield "id", cell(self.id)
        if self.weight is not None:
            yield "weight", cell(self.weight)
        for name, value in self.columns.items():
            yield name, cell(value)

    def _lists(self) -> Iterator[tuple[str, list[str], int]]:
        """The lists with their names, and how many terms each has in all."""
        yield "variants", self.variants, self.variant_count
        yield "contains", self.nested_terms, self.nested_count
        yield "is in", self.super_terms, self.super_count
        yield "completions", self.completions, len(self.completions)

    def __str__(self) -> str:
        width = terminal_width()
        rows = [(name, [value]) for name, value in self._facts()]
        for name, terms, total in self._lists():
            if terms:
                more = [f"… {total - len(terms):,} more"] if total > len(terms) else []
                rows.append((name, [*terms, *more]))
        longest = max(map(width_of, (name for name, _ in rows)), default=0)
        room = min(max(longest, _NAMES), width // 3)
        lines = [cut(visible(self.phrase), width)]
        for name, values in rows:
            head = cut(visible(name), room)
            for value in values:
                blank = " " * (room - width_of(head))
                lines.append(f"  {head}{blank}  {cut(visible(value), width - room - 4)}".rstrip())
                head = ""
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        def row(name: str, value: str) -> str:
            return f"<tr><th>{html.escape(name)}</th><td>{value}</td></tr>"

        rows = [row(name, html.escape(value)) for name, value in self._facts()]
        for name, terms, total in self._lists():
            if terms:
                more = f"<br>… {total - len(terms):,} more" if total > len(terms) else ""
                rows.append(row(name, "<br>".join(map(html.escape, terms)) + more))
        return f"<table><caption>{html.escape(self.phrase)}</caption>{''.join(rows)}</table>"


class Showing(TextChanges, OwnColumns):
    """What shows a vocabulary to a person."""

    __slots__ = ()

    def show(self, phrase: str, *, limit: int = 10) -> Neighbourhood:
        """The neighbourhood of a phrase: the term that it is, and the terms around it.

        >>> from termnest import TermIndex
        >>> cities = ["new york", "york", "new york city", "York"]
        >>> TermIndex(cities, columns={"state": ["NY", "PA", "NY", None]}, fold=True).show("york")
        york
          id            1
          state         PA
          variants      York
          is in         new york
                        new york city
          completions   new york city

        Args:
            phrase: The phrase, which need not be a term.
            limit: The most terms of each list.
        """
        most = count("limit", limit)
        ids = self._index.lookup(text_of("phrase", phrase))
        terms = [self._index.term(self._index.number_of_id(id)) for id in ids]
        first = self._index.number_of_id(ids[0]) if ids else None
        names = self.columns if ids else ()
        is_weighted = self._index.weighted and first is not None
        completions = self._index.complete(phrase, most + 1, "given")
        return Neighbourhood(
            phrase=phrase,
            id=ids[0] if ids else None,
            term=terms[0] if ids else None,
            weight=self._index.weight(first) if is_weighted and first is not None else None,
            columns={name: self._index.value(ids[0], name) for name in names},
            variants=terms[1 : most + 1],
            variant_count=max(0, len(terms) - 1),
            super_terms=self.super_terms(phrase, limit=most),
            super_count=self.count_super_terms(phrase),
            nested_terms=self.nested_terms(phrase, limit=most),
            nested_count=self.count_nested_terms(phrase),
            completions=[term for term in completions if term not in terms[:1]][:most],
        )
