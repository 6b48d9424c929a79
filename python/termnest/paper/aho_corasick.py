"""Aho and Corasick (1975): an automaton over characters.

Nested terms are found in one pass over the input. Super terms need a traversal of the trie.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from termnest.paper.terms import Compared, distinct, tokens
from termnest.paper.trie import Node, insert, terms_containing


class State(Node):
    """A node of the trie of characters, with the links that make it an automaton."""

    __slots__ = ("failure", "output")

    def __init__(self) -> None:
        super().__init__()
        self.failure: State | None = None
        """The state to continue at if no child fits: the longest proper end of the path."""
        self.output: State | None = None
        """The next state along the failure links at which a term ends."""


class AhoCorasick:
    """One edge of the trie is one character; answers begin and end at token borders."""

    def __init__(self, terms: Iterable[str], compared: Compared = iter) -> None:
        self.root = State()
        for term in distinct(terms):
            insert(self.root, term, term)
        self._link()
        self.compared = compared

    def _link(self) -> None:
        """Sets the links, level by level: those of a state need those of all before it."""
        states = deque([self.root])
        while states:
            state = states.popleft()
            for character, child in state.children.items():
                assert isinstance(child, State)
                child.failure = self._next(state.failure, character)
                ends = child.failure.term is not None
                child.output = child.failure if ends else child.failure.output
                states.append(child)

    def _next(self, state: State | None, character: str) -> State:
        """The state after `character`; None is the state before the root, where all can begin."""
        while state is not None:
            child = state.children.get(character)
            if isinstance(child, State):
                return child
            state = state.failure
        return self.root

    def super_terms(self, term: str) -> set[str]:
        """The terms whose path contains the characters of `term`, between blanks or ends.

        Every term is treated as if a blank were before it; the blank after it counts only where a
        term continues.
        """
        text = " ".join(tokens(term))
        if not text:
            return set()
        pattern = f" {text} "
        found = terms_containing(self.root, pattern, 1, len(pattern) - 1, self.compared)
        return found - {text}

    def nested_terms(self, term: str) -> set[str]:
        """The terms that end at the characters of `term`, in one pass."""
        text = " ".join(tokens(term))
        found = set()
        state = self.root
        for end, character in enumerate(self.compared(text), start=1):
            state = self._next(state, character)
            if end < len(text) and text[end] != " ":
                continue
            ending: State | None = state
            while ending is not None:
                if ending.term is not None:
                    start = end - len(ending.term)
                    if start == 0 or text[start - 1] == " ":
                        found.add(ending.term)
                ending = ending.output
        return found - {text}
