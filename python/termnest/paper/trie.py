"""A trie, and the search for super terms in it: what Lu-Browne and Aho-Corasick share.

The paper's authors added the second to both: every node keeps the maximum depth of the sub-tree
below it, and that is not traversed when more of the input is left to be matched.
"""

from __future__ import annotations

from collections.abc import Sequence

from termnest.paper.terms import Compared


class Node:
    """A node of a trie whose edges are words, or characters."""

    __slots__ = ("children", "max_depth", "term")

    def __init__(self) -> None:
        self.children: dict[str, Node] = {}
        self.term: str | None = None
        """The term that ends here."""
        self.max_depth = 0
        """The levels below the node."""


def insert(root: Node, path: Sequence[str], term: str) -> None:
    """Adds a term whose edges are `path`."""
    node = root
    for done, label in enumerate(path):
        node.max_depth = max(node.max_depth, len(path) - done)
        child = node.children.get(label)
        if child is None:
            child = node.children[label] = type(root)()
        node = child
    node.term = term


def terms_containing(
    root: Node, pattern: Sequence[str], matched: int, needed: int, compared: Compared
) -> set[str]:
    """The terms on whose path `pattern` stands, found by traversal of the whole trie.

    The input is the pattern from label `matched` up to label `needed`. What stands before it counts
    as matched at the root; a term that ends when the input is matched is an answer, and below a
    node where the whole pattern is, every term is. A sub-tree is skipped if more of the input
    remains to be matched than it is deep.
    """
    found: set[str] = set()
    fall_back = borders(pattern)
    stack = [(root, matched)] if needed - matched <= root.max_depth else []
    while stack:
        node, so_far = stack.pop()
        for label, child in compared(node.children.items()):
            now = so_far
            if now < len(pattern):
                # As Knuth, Morris and Pratt do: what remains matched when the next label differs.
                while now and pattern[now] != label:
                    now = fall_back[now]
                now += pattern[now] == label
            if child.term is not None and now >= needed:
                found.add(child.term)
            if needed - max(now, matched) <= child.max_depth:
                stack.append((child, now))
    return found


def borders(pattern: Sequence[str]) -> list[int]:
    """For every beginning of the pattern, the length of its longest proper one that it ends with.

    >>> borders(["a", "b", "a", "b", "c"])
    [0, 0, 0, 1, 2, 0]
    """
    lengths = [0, 0]
    for label in pattern[1:]:
        length = lengths[-1]
        while length and pattern[length] != label:
            length = lengths[length]
        lengths.append(length + (pattern[length] == label))
    return lengths
