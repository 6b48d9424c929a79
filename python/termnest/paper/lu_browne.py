"""Lu and Browne (2012): the vocabulary as a trie of words.

Nested terms are found by a walk from each word, O(m^2). Super terms need a traversal of the trie.
"""

from __future__ import annotations

from collections.abc import Iterable

from termnest.paper.terms import Compared, distinct, tokens
from termnest.paper.trie import Node, insert, terms_containing


class LuBrowne:
    """One edge of the trie is one word."""

    def __init__(self, terms: Iterable[str], compared: Compared = iter) -> None:
        self.root = Node()
        for term in distinct(terms):
            insert(self.root, tokens(term), term)
        self.compared = compared

    def super_terms(self, term: str) -> set[str]:
        """The terms whose path contains the words of `term`."""
        words = tokens(term)
        if not words:
            return set()
        found = terms_containing(self.root, words, 0, len(words), self.compared)
        return found - {" ".join(words)}

    def nested_terms(self, term: str) -> set[str]:
        """The terms on the walks from each word.

        The published figure is the number of walks, one for each word, and `compared` counts them;
        the children that are looked up on these walks are more.
        """
        words = tokens(term)
        found = set()
        for start in self.compared(range(len(words))):
            node: Node | None = self.root
            for word in words[start:]:
                node = node.children.get(word) if node else None
                if node is None:
                    break
                if node.term is not None:
                    found.add(node.term)
        return found - {" ".join(words)}
