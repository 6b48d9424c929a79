"""Candidates for terms, with their counts in a corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from termnest import _core
from termnest.errors import InvalidOptionError, MissingExtraError, TermTypeError
from termnest.index import TermIndex
from termnest.table import Table
from termnest.terminology.stop_words import ENGLISH

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Span

# A noun phrase longer than this is no term, but something that a parser did not understand.
_LONGEST_PHRASE = 1_000


@dataclass(frozen=True)
class Candidates:
    """Candidates for terms."""

    index: TermIndex
    """The candidates by the alphabet, weighted by how often they occur, inside of others too."""
    words: int
    """The words of the corpus; of noun phrases, the tokens of spaCy."""
    maximal: bytes | None
    """A byte for each candidate, 1 if it occurs outside of all longer ones; None if not known."""


def ngrams(
    texts: Iterable[str],
    *,
    max_words: int = 5,
    min_frequency: int = 2,
    stop_words: Iterable[str] | None = None,
    lowercase: bool = True,
    maximal: bool = False,
    progress: Callable[[str, float], object] | None = None,
) -> Candidates:
    """Counts the runs of words that neither start nor end with a stop word.

    >>> text = "Basal cell carcinoma is a carcinoma. The cells of a basal cell carcinoma grow."
    >>> found = ngrams([text])
    >>> {term: found.index.weight(term) for term in found.index}
    {'basal': 2.0, 'basal cell': 2.0, 'basal cell carcinoma': 2.0, 'carcinoma': 3.0, 'cell': 2.0, \
'cell carcinoma': 2.0}

    A word is a run of letters, digits and combining marks, of at most 255 bytes; hyphens,
    apostrophes, periods, `&` and `_` join its parts, as does a comma between digits. All other
    punctuation, an empty line and the end of a text end a run. A run without any letter is no
    candidate.

    The texts are read one after the other. What does not fit into some 600 MB is counted in
    temporary files, so that only the distinct words and what is found must fit into memory.

    Args:
        texts: The texts; see `Corpus`.
        max_words: The most words of a run: 1 to 20.
        min_frequency: Runs that occur less often are left out.
        stop_words: English function words if not given. They are cut as texts are: "e.g." is the
            word "e.g", and what has no letter or digit is none.
        lowercase: Count in lower case, so that the start of a sentence makes no difference.
        maximal: Also find out which candidates occur outside of longer ones; `rank` needs it for
            `keep="maximal"`.
        progress: Called now and then, when all texts are read, with what is being done and the
            share of it that is done.
    """
    stops = sorted(_stop_words(stop_words))
    counter = _core.CandidateCounter(max_words, stops, lowercase, maximal, None)
    for text in _checked(texts):
        counter.add(text)
    counted, marks, words = counter.finish(min_frequency, None, progress)
    return Candidates(_index(Table(counted), progress), words, marks)


def noun_phrases(
    texts: Iterable[str],
    nlp: Language,
    *,
    max_words: int | None = None,
    min_frequency: int = 2,
    stop_words: Iterable[str] | None = None,
    lowercase: bool = True,
    processes: int = 1,
    progress: Callable[[str, float], object] | None = None,
) -> Candidates:
    """Counts the noun phrases that a spaCy pipeline finds.

    Stop words and punctuation at both ends of a phrase are left out. A candidate occurs where a
    phrase is it or contains it, so that counts mean the same as those of `ngrams`.

    Args:
        texts: The texts; see `Corpus`.
        nlp: A pipeline with a parser, as of `spacy.load("en_core_web_sm")`.
        max_words: The most words of a candidate. What is longer is left out, not what occurs in it.
        min_frequency: Phrases that occur less often are left out.
        stop_words: English function words if not given. They are compared with the tokens of spaCy.
        lowercase: Count in lower case.
        processes: The processes that spaCy runs in.
        progress: As that of `ngrams`.
    """
    stops = _stop_words(stop_words)
    counter = _core.CandidateCounter(1, [], lowercase, True, None)
    words = 0
    pieces = _within(_checked(texts), nlp.max_length)
    for doc in nlp.pipe(pieces, n_process=processes):
        words += len(doc)
        for chunk in _noun_chunks(doc):
            if phrase := _phrase(chunk, stops):
                counter.add_phrase(phrase)
    counted, marks, _ = counter.finish(min_frequency, max_words, progress)
    return Candidates(_index(Table(counted), progress), words, marks)


def _index(counted: Table, progress: Callable[[str, float], object] | None) -> TermIndex:
    return TermIndex(counted.column("term"), weights=counted.column("frequency"), progress=progress)


def load_pipeline(name: str) -> Language:
    """The spaCy pipeline of this name or path, for `noun_phrases`.

    Raises:
        MissingExtraError: spaCy, or the pipeline, is not installed.
    """
    try:
        import spacy
    except ImportError as error:
        raise MissingExtraError(
            "noun phrases need spaCy, which is not installed: pip install 'termnest[spacy]'"
        ) from error
    try:
        # Names of persons and places are not asked for, and finding them takes long.
        return spacy.load(name, exclude=["ner"])
    except OSError as error:
        if not name.isidentifier() or Path(name).exists():  # a path, and no name of a package
            raise MissingExtraError(
                f"there is no spaCy pipeline at {name!r}: give the path of a folder that "
                "nlp.to_disk wrote, or the name of a pipeline that is installed"
            ) from error
        raise MissingExtraError(
            f"there is no spaCy pipeline {name!r}: python -m spacy download {name}, or give the "
            "path of one"
        ) from error
    except (ValueError, ImportError) as error:
        # A damaged configuration, or a component that is not installed.
        raise InvalidOptionError(f"cannot load the spaCy pipeline {name!r}: {error}") from error


def _stop_words(stop_words: Iterable[str] | None) -> frozenset[str]:
    if stop_words is None:
        return ENGLISH
    if isinstance(stop_words, str):
        raise TermTypeError("stop_words is one str: give a list or a set of words")
    words = list(stop_words)
    if not all(isinstance(word, str) for word in words):
        raise TermTypeError("stop_words must all be str")
    return frozenset(word.lower() for word in words)


def _checked(texts: Iterable[str]) -> Iterator[str]:
    if isinstance(texts, str):
        raise TermTypeError("texts is one str: give a list of texts, or a Corpus of files")
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise TermTypeError(f"text {number} is no str, but {type(text).__name__}")
        yield text


def _within(texts: Iterable[str], longest: int) -> Iterator[str]:
    """Texts that a pipeline takes; longer ones are cut, at white space if there is any."""
    for text in texts:
        start = 0
        while len(text) - start > longest:
            space = text.rfind(" ", start + 1, start + longest)
            end = space + 1 if space > 0 else start + longest
            yield text[start:end]
            start = end
        yield text[start:]


def _noun_chunks(doc: object) -> Iterator[Span]:
    try:
        # A language without rules for noun phrases tells so only when they are asked for.
        yield from doc.noun_chunks  # type: ignore[attr-defined]
    except (ValueError, NotImplementedError) as error:
        raise InvalidOptionError(
            "the spaCy pipeline finds no noun phrases: it needs a parser, for a language that has "
            f"rules for them ({error})"
        ) from error


def _phrase(chunk: Span, stops: frozenset[str]) -> str:
    """The words of a noun phrase, without what stands around them; empty if nothing is left."""
    start, end = chunk.start, chunk.end

    def is_outside(at: int) -> bool:
        text = chunk.doc[at].text
        return text.lower() in stops or not any(map(str.isalnum, text))

    while start < end and is_outside(start):
        start += 1
    while start < end and is_outside(end - 1):
        end -= 1
    # Words as they stand between spaces: spaCy cuts them at hyphens.
    phrase = " ".join(chunk.doc[start:end].text.split())
    letters = any(map(str.isalpha, phrase))
    return phrase if letters and len(phrase) <= _LONGEST_PHRASE else ""
