"""The tree of terms and their heads, and the part of it that is shown or written."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Literal, NamedTuple

from termnest.arguments import instance
from termnest.errors import InvalidOptionError, UnknownTermError
from termnest.index import TermIndex
from termnest.table import Table
from termnest.terminology.languages import LANGUAGES, SAMPLE, Language, detect_terms
from termnest.terminology.languages import language as language_of

NO_HEAD = 2**32 - 1
"""The head of a root: a number that no term has."""

# Up to this many ids, a look-up of each weight (1 us) is faster than all weights of a large index.
_MAX_LOOKUPS = 10_000
# Letters of the head of a compound: shorter ends of words are mostly no words.
_MIN_PART = 4


def taxonomy(
    index: TermIndex,
    *,
    language: str | None = None,
    head: Literal["first", "last"] | None = None,
) -> Table:
    """The tree of terms and their heads as a table, a row for each term, by id.

    >>> index = TermIndex(["carcinoma", "cell carcinoma", "basal cell"])
    >>> for row in taxonomy(index, language="en").to_pylist():
    ...     print(row)
    {'term': 'carcinoma', 'id': 0, 'broader': None, 'depth': 0, 'root': 0}
    {'term': 'cell carcinoma', 'id': 1, 'broader': 0, 'depth': 1, 'root': 0}
    {'term': 'basal cell', 'id': 2, 'broader': None, 'depth': 0, 'root': 2}

    `broader` is the id of the longest other term that is the head, None for a root; `depth` is the
    number of steps to the root, `root` its id.

    In English and other Germanic languages the head is the end of a term, before its first article
    or preposition: a "heart failure with shock" is a "heart failure". It may be the end of a
    compound, of four letters or more: a "Windenergieanlage" is an "Anlage". In Romance languages
    the head is the beginning: an "énergie éolienne" is an "énergie". Inflected forms are compared
    by their base forms.

    Args:
        index: The vocabulary.
        language: The code of its language, one of `LANGUAGES`; by default that of the index, or
            what the function words of the terms show, or English.
        head: Where heads are, whatever the language.
    """
    instance("index", index, TermIndex, "a TermIndex")
    if head not in (None, "first", "last"):
        expected = "it must be 'first' or 'last', or None for that of the language"
        raise InvalidOptionError(option="head", value=repr(head), expected=expected)
    known = language_of(language) if language is not None else language_of_terms(index)
    return index.heads(
        first=(head or known.head) == "first",
        borders=known.determiners | known.prepositions | known.connectors,
        function_words=known.stop_words,
        base_forms=known.base_forms(_words(index)),
        min_part=_MIN_PART,
    )


def language_of_terms(index: TermIndex) -> Language:
    """The language of the index, or what the function words of its terms show, else English."""
    return language_of(known_language(index) or "en")


def known_language(index: TermIndex) -> str | None:
    """The code of the language of the index, or what its terms show; None if it is not clear."""
    if index.options.language in LANGUAGES:
        return index.options.language
    sample, size = [], 0
    for term in index:
        sample.append(term)
        size += len(term)
        if size > SAMPLE:
            break
    return detect_terms("\n".join(sample))


def _words(index: TermIndex) -> set[str]:
    words = set(chain.from_iterable(term.lower().split() for term in index))
    # "l'eau" is a form of "eau" as "eau" is.
    return words.union(*(word.replace("’", "'").split("'") for word in words if not word.isalnum()))


class Step(NamedTuple):
    """A line of a tree as it is shown: a term, or the number of terms that are left out."""

    level: int
    id: int | None
    left_out: int = 0
    """If there is no id: the number of terms that the limit leaves out here."""


class Tree:
    """The tree of terms and their heads, by the numbers of the terms: `ids` has their ids.

    It takes four bytes of memory for each term, eight more once it is walked, and another eight for
    weights once many terms are sorted.
    """

    def __init__(
        self,
        index: TermIndex,
        language: str | None = None,
        head: Literal["first", "last"] | None = None,
    ) -> None:
        self.index = index
        self.has_own_ids = "id" in index.column_types
        self.heads = array("I")
        """The number of the head of each term; `NO_HEAD` for a root."""
        self.ids: Sequence[Any] = range(len(index))
        """The ids of the terms: the index's own, or their numbers."""
        self._numbers: dict[Any, int] | None = None
        if self.has_own_ids:
            self.ids = index.column("id").to_list()
            self._numbers = {id: number for number, id in enumerate(self.ids)}
        heads = taxonomy(index, language=language, head=head).column("broader")
        self.heads.extend(NO_HEAD if head is None else self.number(head) for head in heads)

    def number(self, id: Any) -> int:
        """The number of the term with this id."""
        number: int = id if self._numbers is None else self._numbers[id]
        return number

    def term(self, number: int) -> str:
        """The term with this number."""
        return self.index[self.ids[number]]

    @cached_property
    def weights(self) -> array[float]:
        """The weights of all terms, by id."""
        return array("d", self.index.scores().column("frequency"))

    @cached_property
    def _links(self) -> tuple[array[int], array[int]]:
        """For each term the first term below it, and the next term below the same head."""
        nothing = array("I", [NO_HEAD])
        first, following = nothing * len(self.heads), nothing * len(self.heads)
        for id in range(len(self.heads) - 1, -1, -1):
            if (head := self.heads[id]) != NO_HEAD:
                following[id] = first[head]
                first[head] = id
        return first, following

    def find(self, phrase: str) -> int | None:
        """The number of the term that a phrase matches, or None.

        Of several variants it is the first: that is the one with terms below it.
        """
        return next(map(self.number, self.index.lookup(phrase)), None)

    def narrower(self, id: int) -> list[int]:
        """The terms directly below a term, heaviest first."""
        first, following = self._links
        found = []
        below = first[id]
        while below != NO_HEAD:
            found.append(below)
            below = following[below]
        return self._heaviest_first(found)

    def _heaviest_first(self, ids: list[int]) -> list[int]:
        index = self.index
        if not index.weighted or len(ids) < 2:
            return ids
        # The ids ascend, and the sort keeps that order among equal weights.
        # With columns, several terms can have one surface.
        if len(ids) <= _MAX_LOOKUPS and not index.column_types:
            return sorted(ids, key=lambda one: -index.weight(index[one]))
        return sorted(ids, key=lambda one: -self.weights[one])

    def roots(self, *, alone: bool) -> list[int]:
        """The terms without a head, heaviest first.

        Args:
            alone: Include the terms that have no term below them either.
        """
        first, _ = self._links
        found = (id for id, head in enumerate(self.heads) if head == NO_HEAD)
        return self._heaviest_first([id for id in found if alone or first[id] != NO_HEAD])

    def walk(self, roots: list[int], depth: int | None, limit: int | None) -> Iterator[Step]:
        """The trees below the roots, each term before the terms below it.

        This defines `depth` and `limit` wherever a tree is shown or written. It is not recursive,
        as a tree may be thousands of terms deep.
        """
        stack = [Step(0, id) for id in reversed(roots)]
        while stack:
            step = stack.pop()
            yield step
            if step.id is None or (depth is not None and step.level >= depth):
                continue
            below = self.narrower(step.id)
            shown = below[:limit]
            if len(shown) < len(below):
                stack.append(Step(step.level + 1, None, len(below) - len(shown)))
            stack += [Step(step.level + 1, id) for id in reversed(shown)]

    def selection(
        self, term: str | None, depth: int | None, limit: int | None
    ) -> tuple[bytearray | None, int]:
        """The terms to write, and the number of terms that `depth` and `limit` leave out.

        The terms are a byte each, 1 for those to write, or None for all. Without `term`, all trees
        are selected, those of a single term included.
        """
        if term is None:
            if depth is None and limit is None:
                return None, 0
            roots = self.roots(alone=True)
            total = len(self.heads)
        else:
            root = self.find(term)
            if root is None:
                raise UnknownTermError(f"{term!r} is not in the vocabulary")
            roots = [root]
            total = sum(1 for _ in self.walk(roots, None, None))
        chosen = bytearray(len(self.heads))
        for step in self.walk(roots, depth, limit):
            if step.id is not None:
                chosen[step.id] = 1
        return chosen, total - chosen.count(1)
