"""What terms are compared with: how often words occur in other texts."""

from __future__ import annotations

import gzip
import importlib.util
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from termnest import is_index
from termnest.arguments import paths, text
from termnest.errors import InvalidTextError, MissingExtraError
from termnest.index import TermIndex
from termnest.options import StrPath
from termnest.terminology.corpus import Corpus
from termnest.terminology.languages import SAMPLE, detect
from termnest.terminology.languages import language as language_of

if TYPE_CHECKING:
    from termnest.terminology.candidates import Candidates

EXTRA = "pip install 'termnest[terminology]'"

# Shares of words in texts of this size are as good as exact.
_GENERAL_SIZE = 1e9
_TABLES = (".tsv", ".tab", ".csv", ".parquet", ".nest")
# wordfreq has one list for Bosnian, Croatian, Montenegrin and Serbian.
_NAMES = {"hr": "sh", "no": "nb"}


class Reference:
    """How often words and phrases occur in other texts.

    Args:
        name: What it is, for a message.
        words: How often each of some words occurs, in lower case; a function of these words, as
            general language has very many others.
        size: The number of words of the texts.
        phrases: How often each phrase occurs, in lower case; a function, as only some scores ask.
        language: The language of the texts, if it is known.
    """

    def __init__(
        self,
        name: str,
        words: Callable[[set[str]], dict[str, float]],
        size: float,
        phrases: Callable[[], dict[str, float]] | None = None,
        language: str | None = None,
    ) -> None:
        self.name = name
        self.language = language
        self.words = words
        self.size = size
        self.phrases = phrases


def shares(
    reference: Reference, candidates: Candidates, with_phrases: bool
) -> tuple[list[float], list[float] | None, float]:
    """The share of each distinct word, that of each candidate if it is known, and the size."""
    distinct = candidates.distinct_words
    parts = {part for word in distinct if "-" in word for part in word.split("-")}
    counts = reference.words(parts.union(distinct))
    size = reference.size
    words = [
        (_count(word, counts) if "-" in word else counts.get(word, 0.0)) / size for word in distinct
    ]
    if reference.phrases is None or not with_phrases:
        return words, None, reference.size
    known = reference.phrases()
    phrases = [
        sum(known.get(form.lower(), 0) for form, _ in forms) / reference.size
        for forms in candidates.forms
    ]
    return words, phrases, reference.size


def _count(word: str, counts: dict[str, float]) -> float:
    # A compound is as common as the rarer of its parts.
    parts = min(counts.get(part, 0.0) for part in word.split("-"))
    return max(counts.get(word, 0.0), parts)


def has_general_frequencies(code: str) -> bool:
    """Whether the frequencies of general language are installed for this language."""
    return _general_file(code) is not None


def general_frequencies(language: str) -> Reference:
    """How often words occur in a language, from the package wordfreq.

    Raises:
        MissingExtraError: The package is not installed, or does not have the language.
    """
    return _general(text("language", language))


@cache
def _general(code: str) -> Reference:
    path = _general_file(code)
    if path is None:
        raise MissingExtraError(
            f"there are no general frequencies for the language {code!r}: {EXTRA}, or give a "
            "reference"
        )
    import msgpack  # type: ignore[import-untyped]

    # The first entry is a header; the words of entry n + 1 have a share of 10 ** (-n / 100).
    _, *bins = msgpack.unpackb(gzip.decompress(path.read_bytes()), raw=False)

    def counts(wanted: set[str]) -> dict[str, float]:
        return {
            word: 10 ** (-n / 100) * _GENERAL_SIZE
            for n, words in enumerate(bins)
            for word in wanted.intersection(words)
        }

    return Reference("the general frequencies of wordfreq", counts, _GENERAL_SIZE, language=code)


def _general_file(code: str) -> Path | None:
    # The package itself is not imported: that takes longer than to read one file of its data.
    found = importlib.util.find_spec("wordfreq")
    if found is None or not found.submodule_search_locations:
        return None
    folder = Path(found.submodule_search_locations[0], "data")
    name = _NAMES.get(code, code)
    files = (folder / f"{size}_{name}.msgpack.gz" for size in ("large", "small"))
    return next((file for file in files if file.exists()), None)


def read_reference(
    reference: Iterable[StrPath] | StrPath,
    language: str,
    *,
    field: str = "text",
    errors: Literal["strict", "replace"] = "strict",
    encoding: str | None = None,
) -> Reference:
    """The reference in files: texts and folders, or one vocabulary with counts.

    Args:
        reference: The files and folders.
        language: The language of the corpus, whose function words are not compared.
        field, errors, encoding: Those of the texts, as in `Corpus`.
    """
    language_of(language)
    names = paths("reference", reference)
    if len(names) == 1 and _is_vocabulary(names[0]):
        return _of_vocabulary(names[0])
    corpus = Corpus(names, field=field, errors=errors, encoding=encoding)
    return _of_texts(names, corpus, language)


def _is_vocabulary(name: str) -> bool:
    if name.lower().removesuffix(".gz").endswith(_TABLES):
        return True
    return Path(name).is_file() and is_index(name)


def _of_vocabulary(name: str) -> Reference:
    index = TermIndex.open(name) if is_index(name) else TermIndex.from_file(name)
    if not index.weighted:
        raise InvalidTextError(
            f"the reference {name} has terms without counts: give one with a column of counts"
        )
    alone: dict[str, float] = {}
    inside: dict[str, float] = {}
    phrases: dict[str, float] = {}
    for row in index.scores(terms=True):
        term, weight = row["term"].lower(), row["frequency"]
        words = term.split()
        phrases[term] = phrases.get(term, 0.0) + weight
        counts = alone if len(words) == 1 else inside
        for word in words:
            counts[word] = counts.get(word, 0.0) + weight
    # A list of words has the counts of words; one of phrases has only their sums.
    words = alone if sum(alone.values()) >= sum(inside.values()) / 4 else inside | alone
    size = sum(words.values())
    if not size:
        raise InvalidTextError(f"the reference {name} has no term with a count above 0")
    return Reference(name, lambda _: words, size, lambda: phrases)


def _of_texts(names: list[str], corpus: Corpus, language: str) -> Reference:
    from termnest.terminology.candidates import counter_of

    counter = counter_of(language)
    sample = ""
    for one in corpus:
        if len(sample) < SAMPLE:
            sample += one[:SAMPLE]
        counter.add(one)
    shown = names[0] if len(names) == 1 else f"{len(names):,} files and folders"
    words: dict[str, float] = dict(counter.distinct_words())
    size = sum(words.values())
    if not size:
        raise InvalidTextError(f"the reference {shown} has no word")

    def phrases() -> dict[str, float]:
        found = counter.finish(1, None, None, None)
        return {form.lower(): float(count) for forms in found.forms() for form, count in forms}

    return Reference(shown, lambda _: words, size, cache(phrases), detect(sample).code)
