"""Vocabularies that ship with Python, to try termnest without a file."""

from __future__ import annotations

import importlib.util
import re
import sys
import unicodedata

# The function words of Python's manual.
_STOP_WORDS = frozenset(
    {"a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "for", "from", "has", "have"}
    | {"if", "in", "is", "it", "its", "may", "not", "of", "on", "or", "so", "such", "than", "that"}
    | {"the", "then", "there", "these", "this", "to", "was", "when", "which", "will", "with"}
)
# Words of a phrase: longer runs are mostly clauses.
_MAX_WORDS = 4


def character_names() -> list[str]:
    """The names of all Unicode characters but CJK and Hangul, whose names are mere numbers."""
    names = (unicodedata.name(chr(code), "") for code in range(sys.maxunicode + 1))
    return [name for name in names if name and not name.startswith(("CJK ", "HANGUL SYLLABLE "))]


def manual_phrases() -> list[str]:
    """The phrases of Python's manual: runs of up to four words without a stop word.

    The list is empty where the manual (`pydoc_data`) is not installed.
    """
    if importlib.util.find_spec("pydoc_data") is None:
        return []
    from pydoc_data.topics import topics

    found: dict[str, None] = {}
    for text in topics.values():
        run: list[str] = []
        # Words, and punctuation, which ends a phrase. The last period ends the last phrase.
        for word in [*re.findall(r"[A-Za-z]+|[^\sA-Za-z]", text), "."]:
            if word.isalpha() and word.lower() not in _STOP_WORDS:
                run.append(word)
                continue
            if 0 < len(run) <= _MAX_WORDS:
                found[" ".join(run)] = None
            run = []
    return list(found)
