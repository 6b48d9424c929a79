"""Where terms occur in a corpus: sentences that contain them, and keywords in context."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from termnest.arguments import count, items, text
from termnest.errors import InvalidOptionError
from termnest.index import TermIndex

# Where a sentence ends, for people who read one.
_END = re.compile(r"[.!?…。！？][\"')\]»”’]*(?=\s|$)|\n\s*\n")
# Characters of a sentence that is shown.
_MAX_SENTENCE = 300


class Line(NamedTuple):
    """An occurrence of a term, with what is beside it."""

    document: int
    """The number of the text, from 1."""
    left: str
    match: str
    right: str


def sentences(
    texts: Iterable[str], index: TermIndex, number: int, *, wanted: int | None = None
) -> dict[int, list[str]]:
    """Up to `number` sentences that contain each term of an index, by the places of the terms.

    Args:
        texts: The texts, as a `Corpus` has them.
        index: The terms.
        number: The number of sentences for each term.
        wanted: Stop when the first terms of the index have their sentences: how many of them.
    """
    found: dict[int, list[str]] = {}
    open_terms = set(range(len(index) if wanted is None else wanted))
    for one in texts:
        for match in index.find(one, overlaps="all"):
            if match.id not in open_terms:
                continue
            start, end = _sentence(one, match.start, match.end)
            sentence = " ".join(one[start:end].split())
            shown = found.setdefault(match.id, [])
            if sentence not in shown:
                shown.append(sentence)
            if len(shown) >= number:
                open_terms.discard(match.id)
        if not open_terms:
            break
    return found


def _sentence(one: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence begins and ends that contains these characters."""
    first = max(0, start - _MAX_SENTENCE)
    ends = [border.end() for border in _END.finditer(one, first, start)]
    border = _END.search(one, end, end + _MAX_SENTENCE)
    # A very long sentence is cut between two words.
    begin = ends[-1] if ends else (0 if first == 0 else one.find(" ", first, start) + 1 or start)
    if border:
        return begin, border.end()
    if end + _MAX_SENTENCE >= len(one):
        return begin, len(one)
    space = one.rfind(" ", end, end + _MAX_SENTENCE)
    return begin, end if space < 0 else space


def concordance(
    texts: Iterable[str],
    terms: Iterable[str],
    *,
    width: int = 40,
    language: str | None = None,
) -> Iterator[Line]:
    """The occurrences of terms in texts, with what is on their left and on their right.

    >>> texts = ["Solar cells age. A solar cell is small."]
    >>> for line in concordance(texts, ["solar cell"], width=12, language="en"):
    ...     print(line)
    Line(document=1, left='', match='Solar cells', right=' age. A sola')
    Line(document=1, left='ells age. A ', match='solar cell', right=' is small.')

    Args:
        texts: The texts, as a `Corpus` has them.
        terms: The terms; they match however they are written.
        width: Characters on each side.
        language: The code of a language, under which inflected forms match too.

    Raises:
        InvalidOptionError: A term has no word.
    """
    given = [text("each of terms", term) for term in items("terms", terms, "a list of terms")]
    count("width", width)
    index = TermIndex(given, language=language, fold=language is None)
    if not len(index):
        raise InvalidOptionError(
            option="terms", value=repr(given), expected="give a term with a word"
        )

    def lines() -> Iterator[Line]:
        for number, one in enumerate(texts, start=1):
            document = getattr(texts, "document", number)
            for match in index.find(one, overlaps="longest"):
                left = _plain(one[max(0, match.start - 2 * width) : match.start])
                right = _plain(one[match.end : match.end + 2 * width])
                shown = _plain(one[match.start : match.end])
                yield Line(document, left[-width:] if width else "", shown, right[:width])

    return lines()


def _plain(part: str) -> str:
    """A part of a text on one line; white space at its ends stays, as one space."""
    return re.sub(r"\s+", " ", part)
