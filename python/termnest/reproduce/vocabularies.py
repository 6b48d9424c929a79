"""The vocabularies to measure on, and what the paper tells of those that it has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from termnest.errors import InvalidOptionError, InvalidTermError
from termnest.index import TermIndex
from termnest.shipped import character_names, manual_phrases


@dataclass(frozen=True)
class Published:
    """What the paper tells of a dataset. Times are seconds."""

    terms: int
    words: float
    characters: float
    nested: dict[str, float]
    super: dict[str, float]
    indexing: dict[str, float]


def _published(
    terms: int,
    words: float,
    characters: float,
    nested: Sequence[float],
    super_: Sequence[float],
    indexing: Sequence[float],
) -> Published:
    tries = ("Aho-Corasick", "Lu-Browne", "TBI")
    return Published(
        terms,
        words,
        characters,
        dict(zip(tries, nested, strict=False)),
        dict(zip(tries, super_, strict=False)),
        dict(zip(("hash table", "TBI"), indexing, strict=True)),
    )


PUBLISHED = {
    "brown": _published(
        95_241, 2.23, 15.21, (15.21, 2.23, 3.45), (42_433.99, 33_629.19, 1), (2_230.8, 418.2)
    ),
    "wsj": _published(
        92_690, 2.49, 17.11, (17.11, 2.48, 4.09), (29_170.87, 22_657.57, 1), (2_110.8, 384)
    ),
    "swbd": _published(
        28_429, 2.21, 13.23, (13.23, 2.21, 3.39), (9_556.54, 12_172.2, 1), (214.2, 33)
    ),
    "nyt": _published(
        16_242, 2.01, 13.27, (13.27, 2.01, 3.01), (8_673.56, 6_496.11, 1), (67.8, 10.8)
    ),
    "w2v": _published(3_000_000, 1.96, 13.74, (), (), (1_630_872, 235_188)),
}


@dataclass
class Vocabulary:
    """A vocabulary to measure on: terms of tokens with single blanks between them."""

    name: str
    terms: list[str]
    path: str = ""
    """The file that it was read from."""

    @property
    def published(self) -> Published | None:
        """What the paper tells of it, if it has the dataset of this name."""
        return PUBLISHED.get(self.name.lower())


def read(given: str, separator: str | None = None) -> Vocabulary:
    """The vocabulary given as NAME=PATH, or as PATH alone, whose name is then the file's."""
    name, equals, path = given.partition("=")
    if not equals:
        name, path = Path(given).name.split(".")[0], given
    if not name or not path:
        raise InvalidOptionError(f"{given!r} is no vocabulary: give NAME=PATH.")
    terms = list(TermIndex.from_file(path, separator=separator))
    if separator is None:
        # White space of any kind separated.
        terms = [" ".join(term.split()) for term in terms]
    elif separator != " ":
        blank = next((term for term in terms if " " in term), None)
        if blank is not None:
            raise InvalidTermError(
                f"{path}: {blank!r} has a blank inside of a word, where the paper's systems split."
            )
        terms = [term.replace(separator, " ") for term in terms]
    if not terms:
        raise InvalidTermError(f"{path} has no terms: there is nothing to measure.")
    return Vocabulary(name, list(dict.fromkeys(terms)), path)


def shipped() -> list[Vocabulary]:
    """Vocabularies that every Python has: the names of characters, and phrases of its manual."""
    found = [Vocabulary("unicode", character_names()), Vocabulary("manual", manual_phrases())]
    return [vocabulary for vocabulary in found if vocabulary.terms]
