"""Karp and Rabin (1987), the rival of the paper's footnote: windows compared by rolling hashes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from termnest.paper.terms import Compared, distinct, tokens

# A polynomial of the tokens' hashes, modulo a prime.
BASE = 1_000_003
PRIME = (1 << 61) - 1


class KarpRabin:
    """Has the hash of every term, by its number of tokens; equal hashes are checked by text."""

    def __init__(self, terms: Iterable[str], compared: Compared = iter) -> None:
        self.vocabulary = {term: tokens(term) for term in distinct(terms)}
        self.by_hash: dict[int, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        for term, words in self.vocabulary.items():
            (value,) = rolling_hashes(words, len(words))
            self.by_hash[len(words)][value].add(term)
        self.compared = compared

    def super_terms(self, term: str) -> set[str]:
        """The vocabulary is scanned: does a window of the other term equal `term`?"""
        words = tokens(term)
        if not words:
            return set()
        (wanted,) = rolling_hashes(words, len(words))
        found = set()
        for longer, others in self.compared(self.vocabulary.items()):
            if len(others) > len(words):
                for start, value in enumerate(rolling_hashes(others, len(words))):
                    if value == wanted and others[start : start + len(words)] == words:
                        found.add(longer)
        return found

    def nested_terms(self, term: str) -> set[str]:
        """A window of every length that terms have rolls over `term`."""
        words = tokens(term)
        found = set()
        for length, terms in self.by_hash.items():
            if length < len(words):
                for start, value in enumerate(self.compared(rolling_hashes(words, length))):
                    window = " ".join(words[start : start + length])
                    if window in terms.get(value, ()):
                        found.add(window)
        return found


def rolling_hashes(words: list[str], length: int) -> Iterator[int]:
    """The hashes of all windows of `length` words, each made from the one before."""
    leaving = pow(BASE, length - 1, PRIME)
    value = 0
    for i, word in enumerate(words):
        if i >= length:
            value -= hash(words[i - length]) * leaving
        value = (value * BASE + hash(word)) % PRIME
        if i >= length - 1:
            yield value
