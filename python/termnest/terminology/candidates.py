"""Candidates for terms, with their frequencies in a corpus: n-grams or noun phrases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from termnest import _core
from termnest.arguments import instance, items, text
from termnest.errors import InvalidOptionError, MissingExtraError, TermTypeError
from termnest.index import TermIndex
from termnest.table import Table
from termnest.terminology.stop_words import ENGLISH

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Span

# Characters of a noun phrase: a longer one is not a term, but text that the parser misunderstood.
_MAX_PHRASE = 1_000
# What spaCy calls as many processes as there are cores.
_ALL_CORES = -1
_MOST_PROCESSES = 1_000
# Characters of a value in a message.
_MAX_SHOWN = 80


@dataclass(frozen=True)
class Candidates:
    """Candidates for terms: the result of `ngrams` and `noun_phrases`."""

    index: TermIndex
    """The candidates in alphabetical order. Their weights are their frequencies, which include the
    occurrences inside of other candidates."""
    words: int
    """The number of words of the corpus; for noun phrases, of spaCy's tokens."""
    maximal: bytes | None
    """A byte for each candidate, 1 if it occurs outside of all longer ones; None if unknown."""


def ngrams(
    texts: Iterable[str],
    *,
    max_words: int = 5,
    min_frequency: int = 2,
    stop_words: Iterable[str] | None = None,
    fold: bool = True,
    maximal: bool = False,
    progress: Callable[[str, float], object] | None = None,
) -> Candidates:
    """Counts the runs of words that neither start nor end with a stop word.

    >>> text = "Basal cell carcinoma is a carcinoma. The cells of a basal cell carcinoma grow."
    >>> found = ngrams([text])
    >>> {term: found.index.weight(term) for term in found.index}
    {'basal': 2.0, 'basal cell': 2.0, 'basal cell carcinoma': 2.0, 'carcinoma': 3.0, 'cell': 2.0, \
'cell carcinoma': 2.0}

    Words are those of `tokenizer="text"`, of at most 255 bytes: what is counted, `index.find` finds
    in the texts. A run of words ends at punctuation, at a possessive 's or an elided article (l',
    dell'), at an empty line and at the end of a text. A run needs a letter to be a candidate.

    Counting uses at most about 600 MB and then spills to temporary files; only the distinct words
    and the resulting candidates must fit in memory.

    Args:
        texts: The texts, read one after the other; a `Corpus`, for instance.
        max_words: The maximal number of words of a candidate, from 1 to 20.
        min_frequency: Leave out candidates that occur less often.
        stop_words: English function words by default. They are split into words as the texts are:
            entries without a letter or digit are ignored.
        fold: Count words however they are written, and show them in lower case; else as written.
        maximal: Also find the candidates that occur outside of longer ones: `rank` needs them for
            `keep="maximal"`.
        progress: Called now and then once all texts are read, with the name of the current step
            and the share of it that is done, from 0 to 1.
    """
    stops = sorted(_stop_words(stop_words))
    counter = _core.CandidateCounter(max_words, stops, fold, maximal, None)
    for one in _checked(texts):
        counter.add(one)
    counted, maximal_marks, words = counter.finish(min_frequency, None, progress)
    return Candidates(_index(Table(counted), fold, progress), words, maximal_marks)


def noun_phrases(
    texts: Iterable[str],
    nlp: Language,
    *,
    max_words: int | None = None,
    min_frequency: int = 2,
    stop_words: Iterable[str] | None = None,
    fold: bool = True,
    processes: int = 1,
    progress: Callable[[str, float], object] | None = None,
) -> Candidates:
    """Counts the noun phrases that a spaCy pipeline finds.

    Stop words and punctuation at both ends of a phrase are left out. An occurrence inside of a
    longer noun phrase counts too, so that frequencies mean the same as those of `ngrams`.

    Args:
        texts: The texts; a `Corpus`, for instance.
        nlp: A pipeline with a parser, such as `spacy.load("en_core_web_sm")`.
        max_words: The maximal number of words of a candidate. Longer phrases are left out, but
            the candidates inside of them still count.
        min_frequency: Leave out phrases that occur less often.
        stop_words: English function words by default. They are compared with spaCy's tokens.
        fold: As in `ngrams`.
        processes: The number of processes that spaCy runs in.
        progress: As in `ngrams`.
    """
    if not hasattr(nlp, "pipe"):
        raise TermTypeError(option="nlp", value=repr(nlp), expected="a spaCy pipeline")
    instance("processes", processes, int, "an int")
    if not 1 <= processes <= _MOST_PROCESSES and processes != _ALL_CORES:
        expected = f"it must be from 1 to {_MOST_PROCESSES:,}, or -1 for one for each core"
        raise InvalidOptionError(option="processes", value=str(processes), expected=expected)
    stops = _stop_words(stop_words)
    counter = _core.CandidateCounter(1, [], fold, True, None)
    words = 0
    # The core checks the texts of n-grams.
    whole = (text(f"entry {i} of texts", one) for i, one in enumerate(_checked(texts)))
    pieces = _within(whole, nlp.max_length)
    for doc in nlp.pipe(pieces, n_process=processes):
        words += len(doc)
        for chunk in _noun_chunks(doc):
            if phrase := _phrase(chunk, stops):
                counter.add_phrase(phrase)
    counted, maximal_marks, _ = counter.finish(min_frequency, max_words, progress)
    return Candidates(_index(Table(counted), fold, progress), words, maximal_marks)


def _index(
    counted: Table, fold: bool, progress: Callable[[str, float], object] | None
) -> TermIndex:
    terms, frequencies = counted.column("term"), counted.column("frequency")
    # As in the core: a word with hyphens is one candidate.
    return TermIndex(terms, weights=frequencies, fold=fold, hyphens="keep", progress=progress)


def load_pipeline(name: str) -> Language:
    """The spaCy pipeline with this name or path, for `noun_phrases`.

    Raises:
        MissingExtraError: spaCy, or the pipeline, is not installed.
    """
    text("name", name)
    try:
        import spacy
    except ImportError as error:
        raise MissingExtraError(
            "noun phrases need spaCy, which is not installed: pip install 'termnest[spacy]'"
        ) from error
    try:
        # Recognising names of persons and places takes long, and noun phrases do not need it.
        return spacy.load(name, exclude=["ner"])
    except OSError as error:
        if not name.isidentifier() or Path(name).exists():  # a path, not the name of a package
            raise MissingExtraError(
                f"there is no spaCy pipeline at {name!r}: give the path of a folder that "
                "nlp.to_disk wrote, or the name of an installed pipeline"
            ) from error
        raise MissingExtraError(
            f"the spaCy pipeline {name!r} is not installed: python -m spacy download {name}"
        ) from error
    except (ValueError, ImportError) as error:
        # A damaged configuration, or a component that is not installed.
        raise InvalidOptionError(f"cannot load the spaCy pipeline {name!r}: {error}") from error


def _stop_words(stop_words: Iterable[str] | None) -> frozenset[str]:
    if stop_words is None:
        return ENGLISH
    words = items("stop_words", stop_words, "a list or a set of words")
    return frozenset(text("each of stop_words", word).lower() for word in words)


def _checked(texts: Iterable[str]) -> Iterator[str]:
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        expected = "a list of texts or a Corpus of files"
        found = "one str" if isinstance(texts, str) else _shown(texts)
        raise TermTypeError(option="texts", value=found, expected=expected)
    for number, one in enumerate(texts):
        if not isinstance(one, str):
            raise TermTypeError(
                option=f"entry {number} of texts", value=_shown(one), expected="a str"
            )
        yield one


def _shown(value: object) -> str:
    """A value in a message. A text may be long."""
    shown = repr(value)
    return shown if len(shown) <= _MAX_SHOWN else f"a {type(value).__name__}"


def _within(texts: Iterable[str], longest: int) -> Iterator[str]:
    """The texts, cut into pieces that a pipeline accepts, at white space if there is any."""
    for whole in texts:
        start = 0
        while len(whole) - start > longest:
            space = whole.rfind(" ", start + 1, start + longest)
            end = space + 1 if space > 0 else start + longest
            yield whole[start:end]
            start = end
        yield whole[start:]


def _noun_chunks(doc: object) -> Iterator[Span]:
    try:
        # A language without rules for noun phrases raises an error only here.
        yield from doc.noun_chunks  # type: ignore[attr-defined]
    except (ValueError, NotImplementedError) as error:
        raise InvalidOptionError(
            "the spaCy pipeline cannot find noun phrases: use one with a parser, for a language "
            f"with rules for noun phrases ({error})"
        ) from error


def _phrase(chunk: Span, stops: frozenset[str]) -> str:
    """The noun phrase without stop words and punctuation around it; empty if nothing is left."""
    start, end = chunk.start, chunk.end

    def is_margin(at: int) -> bool:
        token = chunk.doc[at].text
        return token.lower() in stops or not any(map(str.isalnum, token))

    while start < end and is_margin(start):
        start += 1
    while start < end and is_margin(end - 1):
        end -= 1
    # The text between the tokens stays as it is: spaCy splits words at hyphens.
    phrase = " ".join(chunk.doc[start:end].text.split())
    letters = any(map(str.isalpha, phrase))
    return phrase if letters and len(phrase) <= _MAX_PHRASE else ""
