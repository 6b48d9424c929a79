"""Vocabularies that every Python has, for trying things out without a file."""

from __future__ import annotations

import importlib.util
import re
import sys
import unicodedata

_STOP_WORDS = frozenset(
    {"a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "for", "from", "has", "have"}
    | {"if", "in", "is", "it", "its", "may", "not", "of", "on", "or", "so", "such", "than", "that"}
    | {"the", "then", "there", "these", "this", "to", "was", "when", "which", "will", "with"}
)
_MOST_WORDS = 4


def character_names() -> list[str]:
    """The names of the Unicode characters: no CJK, no Hangul, whose names are numbers."""
    names = (unicodedata.name(chr(code), "") for code in range(sys.maxunicode + 1))
    return [name for name in names if name and not name.startswith(("CJK ", "HANGUL SYLLABLE "))]


def manual_phrases() -> list[str]:
    """Phrases of Python's manual: runs of words without stop words; none if it is not installed."""
    if importlib.util.find_spec("pydoc_data") is None:
        return []
    from pydoc_data.topics import topics

    found: dict[str, None] = {}
    for text in topics.values():
        run: list[str] = []
        # Words, and punctuation, which no phrase crosses; the last one ends the last phrase.
        for word in [*re.findall(r"[A-Za-z]+|[^\sA-Za-z]", text), "."]:
            if word.isalpha() and word.lower() not in _STOP_WORDS:
                run.append(word)
                continue
            if 0 < len(run) <= _MOST_WORDS:
                found[" ".join(run)] = None
            run = []
    return list(found)
