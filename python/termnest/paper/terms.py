"""What all systems of the paper share: the definition of a term, and a counter of comparisons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol


class TermStore(Protocol):
    """What every system has in common: it finds super terms and nested terms in a vocabulary."""

    def super_terms(self, term: str) -> set[str]:
        """The terms of the vocabulary that contain `term`."""
        ...

    def nested_terms(self, term: str) -> set[str]:
        """The terms of the vocabulary that `term` contains."""
        ...


def tokens(term: str) -> list[str]:
    """The tokens of a term: the parts between blanks."""
    return [token for token in term.split(" ") if token]


def distinct(terms: Iterable[str]) -> list[str]:
    """The distinct terms, in their order, with single blanks between their tokens."""
    tidy = (" ".join(tokens(term)) for term in terms)
    return list(dict.fromkeys(term for term in tidy if term))


def n_grams(term: str) -> Iterator[str]:
    """All runs of tokens of a term that are shorter than the term: m(m+1)/2 - 1 for m tokens."""
    words = tokens(term)
    for n in range(1, len(words)):
        for start in range(len(words) - n + 1):
            yield " ".join(words[start : start + n])


def is_super_term(longer: str, term: str) -> bool:
    """Whether `longer` contains `term`: the one test of a pair that the indexers use.

    With blanks around both, only whole tokens match: "art" is not nested in "modern artist".
    """
    return longer != term and f" {term} " in f" {longer} "


Compared = Callable[[Iterable[Any]], Iterable[Any]]
"""Wraps what a system compares its input with, in order to count it; `iter` counts nothing.

So counting costs nothing when it is off: there is one call before a loop, and none in it.
"""


class Comparisons:
    """Counts the nodes, keys or terms that a system compares its input with.

    >>> from termnest.paper import LuBrowne
    >>> comparisons = Comparisons()
    >>> store = LuBrowne(["new york", "new york city", "york"], compared=comparisons)
    >>> sorted(store.super_terms("york"))
    ['new york', 'new york city']
    >>> comparisons.count
    4
    """

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, compared: Iterable[Any]) -> Iterator[Any]:
        """Yields what is compared, and counts it."""
        for one in compared:
            self.count += 1
            yield one
