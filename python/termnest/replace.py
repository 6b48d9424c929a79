"""Texts with their terms replaced, or marked."""

from __future__ import annotations

import html
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

from termnest.arguments import instance
from termnest.arguments import text as text_of
from termnest.errors import InvalidOptionError, TermTypeError
from termnest.find import FindQuestions
from termnest.options import Chosen
from termnest.table import Match, Matches

By = str | Mapping[str, str] | Callable[[Match], str]
_BY = "the name of a column of strings, a mapping from terms to str, or a function of a match"
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_CHARACTERS_AT_ONCE = 1 << 20
"""The characters that are searched at a time."""


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
        return "".join(self.replace_stream([_whole("text", text)], by, case=case, where=where))

    def replace_stream(
        self,
        pieces: Iterable[str],
        by: By,
        *,
        case: Literal["keep"] | None = None,
        where: Chosen | None = None,
    ) -> Iterator[str]:
        """The text that comes in pieces with every term replaced, also in pieces: `replace` for a
        text that is larger than memory.

        Where the pieces are cut makes no difference: a term may begin in one and end in another.

        >>> from termnest import TermIndex
        >>> index = TermIndex(["New York"], columns={"short": ["NY"]})
        >>> "".join(index.replace_stream(["from New", " York on"], "short"))
        'from NY on'

        Args:
            pieces: Any iterable of str, such as an open text file. About a million characters are
                searched at a time; more only where nothing shows the end of a word, as in a text
                without white space.

        The other arguments are those of `replace`.
        """
        if case not in (None, "keep"):
            expected = "it must be 'keep' or None"
            raise InvalidOptionError(option="case", value=repr(case), expected=expected)
        replacement = self._replacement(by)
        if isinstance(pieces, str) or not isinstance(pieces, Iterable):
            expected = "an iterable of str"
            raise TermTypeError(option="pieces", value=repr(pieces), expected=expected)

        def replaced(matches: Iterable[Match], text: str) -> Iterator[str]:
            for match, between, found in _places(matches, text):
                new = replacement(match) if match is not None else ""
                yield between
                yield _in_case_of(found, new) if case == "keep" else new

        def all_pieces() -> Iterator[str]:
            held, most = "", _CHARACTERS_AT_ONCE
            for i, piece in enumerate(pieces):
                held += _whole(f"entry {i} of pieces", piece)
                if len(held) < most:
                    continue
                matches = self._leftmost(held, where)
                end = _untouched(self._index.settled(held), matches)
                yield from replaced((match for match in matches if match.end <= end), held[:end])
                held = held[end:]
                most = max(_CHARACTERS_AT_ONCE, 2 * len(held))
            yield from replaced(self._leftmost(held, where), held)

        return all_pieces()

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
        for match, between, found in _places(self._leftmost(text, where), text):
            marked = ""
            if format == "terminal":
                marked = f"{_BOLD}{found}{_PLAIN}" if found else ""
            elif match is not None:
                marked = f'<mark title="{html.escape(match.term)}">{html.escape(found)}</mark>'
            pieces += [html.escape(between) if format == "html" else between, marked]
        return "".join(pieces)

    def _leftmost(self, text: str, where: Chosen | None) -> Matches:
        return self.find(text, overlaps="leftmost", variants="first", where=where)

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


def _whole(argument: str, text: object) -> str:
    return instance(argument, text, str, "a str")


def _places(matches: Iterable[Match], text: str) -> Iterator[tuple[Match | None, str, str]]:
    """Each match, with the text before it and its own; then None, with the text at the end."""
    end = 0
    for match in matches:
        yield match, text[end : match.start], text[match.start : match.end]
        end = match.end
    yield None, text[end:], ""


def _untouched(places: list[int], matches: Matches) -> int:
    """The last of some places that is in no match; 0 if all are in one."""
    starts = [match.start for match in matches]
    for place in reversed(places):
        before = bisect_left(starts, place)
        if not before or matches[before - 1].end <= place:
            return place
    return 0


def _checked(match: Match, new: Any, source: str) -> str:
    if new is None:
        raise InvalidOptionError(
            option="by",
            value=source,
            expected=f"it has no replacement for {match.term!r}: add one, or choose other terms",
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
