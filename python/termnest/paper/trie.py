"""A trie, and the search for super terms in it: what Lu-Browne and Aho-Corasick share.

The paper's authors added the search to both: every node has the maximum depth of the sub-tree below
it, and the sub-tree is skipped if more of the input than that is left to be matched.
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
        """The number of levels below the node."""


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
    """The terms whose path contains `pattern`, found by traversal of the whole trie.

    The input is the pattern from label `matched` up to label `needed`. The labels before it count
    as matched at the root. A term that ends where the input is matched is an answer; below a node
    where the whole pattern is matched, every term is. A sub-tree is skipped if more of the input
    remains to be matched than the sub-tree is deep.
    """
    found: set[str] = set()
    fall_back = borders(pattern)
    stack = [(root, matched)] if needed - matched <= root.max_depth else []
    while stack:
        node, so_far = stack.pop()
        for label, child in compared(node.children.items()):
            now = so_far
            if now < len(pattern):
                # As in Knuth, Morris and Pratt: what remains matched if the next label differs.
                while now and pattern[now] != label:
                    now = fall_back[now]
                now += pattern[now] == label
            if child.term is not None and now >= needed:
                found.add(child.term)
            if needed - max(now, matched) <= child.max_depth:
                stack.append((child, now))
    return found


def borders(pattern: Sequence[str]) -> list[int]:
    """For every prefix of the pattern, the length of its longest border.

    A border is a shorter prefix that is also a suffix.

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
