"""The definition, by brute force, with which all others are compared."""

from __future__ import annotations

from collections.abc import Iterable

from termnest.paper.terms import Compared, distinct, tokens


class Naive:
    """Looks at every term, token by token."""

    def __init__(self, terms: Iterable[str], compared: Compared = iter) -> None:
        self.vocabulary = {term: tokens(term) for term in distinct(terms)}
        self.compared = compared

    def super_terms(self, term: str) -> set[str]:
        """The terms with more tokens than `term` that contain its tokens as a run."""
        words = tokens(term)
        entries = self.compared(self.vocabulary.items())
        return {longer for longer, its_words in entries if is_nested(words, its_words)}

    def nested_terms(self, term: str) -> set[str]:
        """The terms with fewer tokens than `term` whose tokens occur in it as a run."""
        words = tokens(term)
        entries = self.compared(self.vocabulary.items())
        return {nested for nested, its_words in entries if is_nested(its_words, words)}


def is_nested(words: list[str], in_words: list[str]) -> bool:
    """Whether `words` occur in the longer `in_words` as a run."""
    if not 0 < len(words) < len(in_words):
        return False
    starts = range(len(in_words) - len(words) + 1)
    return any(in_words[start : start + len(words)] == words for start in starts)
