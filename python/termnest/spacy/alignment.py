"""The words of an index and the tokens of spaCy: what is searched, and which tokens a match covers.

spaCy splits "(Google's)" into four tokens, an index that splits at white space into one word. So
the text of a Doc is read up to three times: as it is, with punctuation split off, and with clitics
split off too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import IDX, LENGTH, ORTH, SPACY
from spacy.tokens import Doc, Span

from termnest.index import TermIndex
from termnest.options import Overlaps

Offsets = NDArray[np.int64]
Flags = NDArray[np.bool_]

_WORD, _SPACE, _PUNCTUATION, _LEFT_CLITIC, _RIGHT_CLITIC = range(5)
_APOSTROPHES = ("'", "’")


def _kind(token: str) -> int:
    if token.isalnum():
        return _WORD
    if token.isspace():
        return _SPACE
    if not any(map(str.isalnum, token)):
        return _PUNCTUATION
    if token.startswith(_APOSTROPHES):
        return _RIGHT_CLITIC
    return _LEFT_CLITIC if token.endswith(_APOSTROPHES) else _WORD


class Reading(NamedTuple):
    """A text to search: that of a Doc, with separators inserted at some places."""

    text: str
    separators: Offsets
    """Where the separators start in the text."""
    width: int
    """The length of a separator in characters."""

    def original(self, offsets: Offsets) -> Offsets:
        """The offsets in the Doc that belong to offsets in the text."""
        return offsets - self.width * np.searchsorted(self.separators, offsets)


def readings(words: Doc | Span, index: TermIndex) -> Iterator[Reading]:
    """The texts in which to find the terms of an index, from the least split to the most."""
    options = index.options
    text = words.text
    yield Reading(text, np.empty(0, np.int64), 0)
    if options.tokenizer != "whitespace" or not len(words):
        return  # other tokenizers split off punctuation themselves
    columns = words.to_array([IDX, SPACY, ORTH])  # type: ignore[union-attr]  # missing in the stubs
    starts = columns[:, 0].astype(np.int64) - int(columns[0, 0])
    distinct, place = np.unique(columns[:, 2], return_inverse=True)
    strings = words.doc.vocab.strings
    kinds = np.array([_kind(strings[int(orth)]) for orth in distinct])[place]
    is_space = kinds == _SPACE
    # Whether a token follows white space or is the first.
    opens = np.ones(len(kinds), np.bool_)
    opens[1:] = (columns[:-1, 1] != 0) | is_space[:-1] | is_space[1:]
    closes = np.append(opens[1:], True)

    separator = options.separator or " "
    punctuation = kinds == _PUNCTUATION
    cuts_of_last = 0
    for left, right in [
        (punctuation, punctuation),
        (punctuation | (kinds == _LEFT_CLITIC), punctuation | (kinds == _RIGHT_CLITIC)),
    ]:
        leading = _runs(left, opens)
        trailing = _runs(right[::-1], closes[::-1])[::-1]
        cuts = starts[1:][~opens[1:] & (leading[:-1] | trailing[1:])]
        # Each reading has all cuts of the one before: with no more cuts, it is the same text.
        if len(cuts) > cuts_of_last:
            cuts_of_last = len(cuts)
            pieces = zip([0, *cuts.tolist()], [*cuts.tolist(), len(text)], strict=True)
            yield Reading(
                separator.join(text[start:end] for start, end in pieces),
                cuts + len(separator) * np.arange(len(cuts)),
                len(separator),
            )


def _runs(flags: Flags, opens: Flags) -> Flags:
    """Where this flag and all flags before it in the same word are set."""
    unset = np.cumsum(~flags)
    before_word = np.maximum.accumulate(np.where(opens, unset - ~flags, 0))
    return np.asarray(unset == before_word)


def aligned(doc: Doc, start: Offsets, end: Offsets, mode: str) -> tuple[Offsets, Offsets, Flags]:
    """The first token of each match, the token after its last, and whether the match is kept."""
    columns = doc.to_array([IDX, LENGTH]).astype(np.int64)
    token_start, token_end = columns[:, 0], columns[:, 0] + columns[:, 1]
    if mode == "expand":
        first = np.searchsorted(token_end, start, side="right")
        last = np.searchsorted(token_start, end, side="left")
    else:
        first = np.searchsorted(token_start, start, side="left")
        last = np.searchsorted(token_end, end, side="right")
    kept = first < last
    if mode == "strict":
        kept[kept] = (token_start[first[kept]] == start[kept]) & (
            token_end[last[kept] - 1] == end[kept]
        )
    return first, last, kept


def without_overlaps(
    spans: Iterable[tuple[int, int]], overlaps: Overlaps
) -> Iterator[tuple[int, int]]:
    """The spans that `overlaps` keeps, by start."""
    reach = 0
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if overlaps == "all" or (end > reach if overlaps == "longest" else start >= reach):
            reach = end
            yield start, end
