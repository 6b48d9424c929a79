"""The vanilla hash table (as in JATE): term -> its super terms, every pair tested.

Indexing takes O(v^2) for v terms. Super terms of a term are one look-up; nested terms of a phrase
of m tokens are the O(m^2) n-grams that are keys.
"""

from __future__ import annotations

from collections.abc import Iterable

from termnest.paper.terms import Compared, distinct, is_super_term, n_grams, tokens


class HashTable:
    """As published, it knows no super terms of a phrase that is not in the vocabulary."""

    def __init__(self, terms: Iterable[str], compared: Compared = iter) -> None:
        vocabulary = distinct(terms)
        self.table: dict[str, set[str]] = {term: set() for term in vocabulary}
        for term, its_super_terms in self.table.items():
            for other in vocabulary:
                if is_super_term(other, term):
                    its_super_terms.add(other)
        self.compared = compared

    def super_terms(self, term: str) -> set[str]:
        """One look-up."""
        found: set[str] = set()
        for key in self.compared([" ".join(tokens(term))]):
            found |= self.table.get(key, set())
        return found

    def nested_terms(self, term: str) -> set[str]:
        """The n-grams of `term` that are keys."""
        return {gram for gram in self.compared(n_grams(term)) if gram in self.table}
