"""The vocabularies to measure, and the paper's figures of those that it has."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from termnest.errors import InvalidOptionError, InvalidTermError
from termnest.index import TermIndex
from termnest.shipped import character_names, manual_phrases


@dataclass(frozen=True)
class Published:
    """The paper's figures of a dataset. Times are in seconds."""

    terms: int
    words: float
    characters: float
    nested: dict[str, float]
    super: dict[str, float]
    indexing: dict[str, float]


def _comparisons(aho_corasick: float, lu_browne: float, tbi: float) -> dict[str, float]:
    return {"Aho-Corasick": aho_corasick, "Lu-Browne": lu_browne, "TBI": tbi}


def _seconds(hash_table: float, tbi: float) -> dict[str, float]:
    return {"hash table": hash_table, "TBI": tbi}


PUBLISHED = {
    "brown": Published(
        terms=95_241,
        words=2.23,
        characters=15.21,
        nested=_comparisons(15.21, 2.23, 3.45),
        super=_comparisons(42_433.99, 33_629.19, 1),
        indexing=_seconds(2_230.8, 418.2),
    ),
    "wsj": Published(
        terms=92_690,
        words=2.49,
        characters=17.11,
        nested=_comparisons(17.11, 2.48, 4.09),
        super=_comparisons(29_170.87, 22_657.57, 1),
        indexing=_seconds(2_110.8, 384),
    ),
    "swbd": Published(
        terms=28_429,
        words=2.21,
        characters=13.23,
        nested=_comparisons(13.23, 2.21, 3.39),
        super=_comparisons(9_556.54, 12_172.2, 1),
        indexing=_seconds(214.2, 33),
    ),
    "nyt": Published(
        terms=16_242,
        words=2.01,
        characters=13.27,
        nested=_comparisons(13.27, 2.01, 3.01),
        super=_comparisons(8_673.56, 6_496.11, 1),
        indexing=_seconds(67.8, 10.8),
    ),
    # The paper has no retrieval on w2v.
    "w2v": Published(
        terms=3_000_000,
        words=1.96,
        characters=13.74,
        nested={},
        super={},
        indexing=_seconds(1_630_872, 235_188),
    ),
}


@dataclass
class Vocabulary:
    """A vocabulary to measure: terms of tokens with single blanks between them."""

    name: str
    terms: list[str]
    path: str = ""
    """The file that it was read from; empty if it ships with Python."""

    @property
    def published(self) -> Published | None:
        """The paper's figures, if it has a dataset of this name."""
        return PUBLISHED.get(self.name.lower().removeprefix("google "))


def read(given: str, separator: str | None = None) -> Vocabulary:
    """Reads a vocabulary given as NAME=PATH, or as PATH, which is named after the file."""
    name, equals, path = given.partition("=")
    if not equals:
        name, path = Path(given).name.split(".")[0], given
    if not name or not path:
        raise InvalidOptionError(f"{given!r} is not a vocabulary: give NAME=PATH.")
    try:
        terms = list(TermIndex.from_file(path, tokenizer="whitespace", separator=separator))
    except InvalidTermError as error:
        # Without the remedy errors="replace": there is no such option here.
        raise InvalidTermError(error.problem, file=error.file) from error
    if separator is not None and separator != " ":
        split = [term.split(separator) for term in terms]
        blank = next((words for words in split if any(" " in word for word in words)), None)
        if blank is not None:
            shown = separator.join(blank)
            raise InvalidTermError(
                f"{path}: {shown!r} has a blank inside a word: the paper's systems split there."
            )
        terms = [" ".join(words) for words in split]
    if not terms:
        raise InvalidTermError(f"{path} has no terms: there is nothing to measure.")
    return Vocabulary(name, terms, path)


def shipped() -> list[Vocabulary]:
    """Vocabularies that ship with Python: names of characters, and phrases of its manual."""
    found = [Vocabulary("unicode", character_names()), Vocabulary("manual", manual_phrases())]
    return [vocabulary for vocabulary in found if vocabulary.terms]
