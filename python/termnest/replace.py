"""Texts with their terms replaced, or marked."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from termnest.arguments import text as text_of
from termnest.errors import InvalidOptionError, TermTypeError
from termnest.find import FindQuestions
from termnest.options import Chosen
from termnest.table import Match

By = str | Mapping[str, str] | Callable[[Match], str]
_BY = "the name of a column of strings, a mapping from terms to str, or a function of a match"
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


class TextChanges(FindQuestions):
    """What makes one text of another."""

    __slots__ = ()

    def replace(
        self,
        text: str,
        by: By,
        *,
        case: Literal["keep"] | None = None,
        where: Chosen | None = None,
    ) -> str:
        """The text with every term replaced, from left to right the longest, each place once.

        >>> from termnest import TermIndex
        >>> index = TermIndex(["colour", "colour chart"], fold=True)
        >>> index.replace("Colours: a colour chart.", {"colour chart": "swatch", "colour": "color"})
        'Colours: a swatch.'
        >>> index = TermIndex(["NYC", "SF"], columns={"name": ["New York", "San Francisco"]})
        >>> index.replace("from NYC to SF", "name")
        'from New York to San Francisco'
        >>> index.replace("from NYC to SF", lambda match: f"[{match.term}]({match.id})")
        'from [NYC](0) to [SF](1)'

        Args:
            text: The text, of any length.
            by: What replaces a term: the value in the column of this name; the value for the term
                in a mapping; or what a function returns for the match. Of several terms with one
                span, the first of the vocabulary is replaced.
            case: `"keep"`: the replacement of a word in capitals is in capitals, that of a
                capitalised word begins with a capital.
            where: Which terms to replace, as in `find`.

        Raises:
            InvalidOptionError: A term that occurs has no replacement, or there is no such column.
        """
        if case not in (None, "keep"):
            expected = "it must be 'keep' or None"
            raise InvalidOptionError(option="case", value=repr(case), expected=expected)
        replacement = self._replacement(by)
        pieces = []
        for match, between, found in self._places(text, where):
            new = replacement(match) if match is not None else ""
            pieces += [between, _in_case_of(found, new) if case == "keep" else new]
        return "".join(pieces)

    def highlight(
        self,
        text: str,
        *,
        format: Literal["html", "terminal"] = "html",
        where: Chosen | None = None,
    ) -> str:
        """The text with every term marked, from left to right the longest.

        >>> from termnest import TermIndex
        >>> TermIndex(["New York"], fold=True).highlight("a < NEW YORK")
        'a &lt; <mark title="New York">NEW YORK</mark>'

        Args:
            text: The text, of any length.
            format: `"html"`: all of the text is escaped, each term is a `<mark>` with the term of
                the vocabulary as its title. `"terminal"`: terms are bold.
            where: Which terms to mark, as in `find`.
        """
        if format not in ("html", "terminal"):
            expected = "it must be 'html' or 'terminal'"
            raise InvalidOptionError(option="format", value=repr(format), expected=expected)
        pieces = []
        for match, between, found in self._places(text, where):
            marked = ""
            if format == "terminal":
                marked = f"{_BOLD}{found}{_PLAIN}" if found else ""
            elif match is not None:
                marked = f'<mark title="{html.escape(match.term)}">{html.escape(found)}</mark>'
            pieces += [html.escape(between) if format == "html" else between, marked]
        return "".join(pieces)

    def _places(self, text: str, where: Chosen | None) -> Iterator[tuple[Match | None, str, str]]:
        """Each match, with the text before it and its own; then None, with the text at the end."""
        end = 0
        for match in self.find(text, overlaps="leftmost", variants="first", where=where):
            yield match, text[end : match.start], text[match.start : match.end]
            end = match.end
        yield None, text[end:], ""

    def _replacement(self, by: By) -> Callable[[Match], str]:
        if isinstance(by, str):
            # An unknown column is refused even if no term occurs.
            self._index.column(text_of("by", by))
            return lambda match: _checked(match, getattr(match, by), f"the column {by!r}")
        if isinstance(by, Mapping):
            return lambda match: _checked(match, by.get(match.term), "the mapping")
        if not callable(by):
            raise TermTypeError(option="by", value=repr(by), expected=_BY)
        return lambda match: _checked(match, by(match), "the function")


def _checked(match: Match, new: Any, source: str) -> str:
    if new is None:
        raise InvalidOptionError(
            option="by",
            value=source,
            expected=f"it has no replacement for {match.term!r}: add one, or leave the term out "
            "with where=",
        )
    if not isinstance(new, str):
        expected = f"{source} has {new!r} for {match.term!r}, and a replacement is a str"
        raise TermTypeError(option="by", value=type(new).__name__, expected=expected)
    return text_of("by", new)


def _in_case_of(found: str, new: str) -> str:
    """A replacement in capitals, or with a first capital, like what it replaces."""
    if found.isupper() and sum(map(str.isalpha, found)) > 1:
        return new.upper()
    return new[:1].upper() + new[1:] if found[:1].isupper() else new
