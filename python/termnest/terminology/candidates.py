"""Candidates for terms, with their frequencies in a corpus: n-grams or noun phrases."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termnest import _core
from termnest.arguments import instance, items, text
from termnest.errors import InvalidOptionError, MissingExtraError, TermTypeError
from termnest.index import TermIndex
from termnest.table import Table
from termnest.terminology.corpus import Corpus
from termnest.terminology.languages import SAMPLE, Detected, detect
from termnest.terminology.languages import language as language_of

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
_DEFAULT_LANGUAGE = "en"

Progress = Callable[[str, float | None], object]


class Candidates:
    """Candidates for terms: the result of `ngrams` and `noun_phrases`."""

    language: str
    """The code of their language."""
    words: int
    """The number of words of the corpus; for noun phrases, of spaCy's tokens."""
    counted: _core.Candidates
    """What the core counted."""
    detected: Detected | None
    """What the texts show of their language; None if the language was given."""

    def __init__(
        self,
        counted: _core.Candidates,
        language: str,
        detected: Detected | None,
        fold: bool,
        words: int | None = None,
    ) -> None:
        self.counted = counted
        self.words = counted.total_words if words is None else words
        self._fold = fold
        self.language = language
        self.detected = detected

    def __len__(self) -> int:
        """The number of candidates."""
        return len(self.counted)

    @cached_property
    def index(self) -> TermIndex:
        """The candidates in alphabetical order, with their other forms as aliases. Their weights
        are their frequencies, which include the occurrences inside of other candidates.
        """
        table = Table(self.counted.table())
        terms, frequencies = table.column("term"), table.column("frequency")
        others = {
            forms[0][0]: [form for form, _ in forms[1:]] for forms in self.forms if len(forms) > 1
        }
        # As in the core: a word with hyphens is one word.
        return TermIndex(
            terms, weights=frequencies, fold=self._fold, hyphens="keep", aliases=others or None
        )

    @cached_property
    def forms(self) -> list[list[tuple[str, int]]]:
        """The forms of each candidate with their counts, the most frequent first."""
        return self.counted.forms()

    @cached_property
    def distinct_words(self) -> list[str]:
        """The distinct words of the corpus."""
        return self.counted.words()


def ngrams(
    texts: Iterable[str],
    *,
    language: str | None = None,
    max_words: int = 5,
    min_frequency: int = 2,
    stop_words: Iterable[str] | None = None,
    fold: bool = True,
    progress: Progress | None = None,
) -> Candidates:
    """Counts the runs of words without function words, other than a connector such as "of".

    >>> text = "A basal cell carcinoma is a carcinoma. The cells of basal cell carcinomas grow."
    >>> found = ngrams([text], language="en")
    >>> {term: found.index.weight(term) for term in found.index}
    {'basal': 2.0, 'basal cell': 2.0, 'basal cell carcinoma': 2.0, 'carcinoma': 3.0, 'cell': 3.0, \
'cell carcinoma': 2.0}

    Words are those of `tokenizer="text"`, of at most 255 bytes: what is counted, `index.find` finds
    in the texts. A run of words ends at a function word, at punctuation, at a possessive 's, at an
    empty line and at the end of a text. A run needs a letter to be a candidate.

    Inflected forms, and spellings with a hyphen, a space or neither, are one candidate. It is shown
    as it is written most often; the forms are its aliases. A line of four words or more counts at
    most three times in a document: heads and feet of pages repeat.

    Counting uses at most about 600 MB and then spills to temporary files; only the distinct words
    and the resulting candidates must fit in memory.

    Args:
        texts: The texts, read one after the other; a `Corpus`, for instance. Each is a document.
        language: The code of their language, one of `LANGUAGES`; by default it is detected, and
            English if it is not clear.
        max_words: The maximal number of words of a candidate, from 1 to 20.
        min_frequency: Leave out candidates that occur less often.
        stop_words: The function words, by default those of the language. They are split into words
            as the texts are: entries without a letter or digit are ignored.
        fold: Count words however they are written; else each spelling on its own.
        progress: Called now and then with the name of the current step and the share of it that is
            done, from 0 to 1, or None if that is unknown.
    """
    counter: _core.CandidateCounter | None = None
    stops = None if stop_words is None else _words(stop_words)
    if language is not None:
        language_of(language)
    detected = None
    last = 0
    documents, sample = _with_sample(_documents(texts, progress))
    if language is None:
        detected = detect(sample)
        language = detected.code or _DEFAULT_LANGUAGE
    counter = counter_of(language, max_words=max_words, stop_words=stops, fold=fold)
    for number, one in documents:
        if number != last:
            counter.begin_document()
            last = number
        counter.add(one)
    return _finished(counter, language, detected, min_frequency, None, fold, progress)


def counter_of(
    language: str,
    *,
    max_words: int = 5,
    stop_words: frozenset[str] | None = None,
    fold: bool = True,
) -> _core.CandidateCounter:
    """A counter of n-grams of a language."""
    known = language_of(language)
    stops = known.stop_words if stop_words is None else stop_words
    function_words = [
        sorted(words)
        for words in (
            stops,
            known.connectors & stops,
            known.determiners,
            known.verbal,
            known.prepositions,
            known.general,
        )
    ]
    return _core.CandidateCounter(max_words, function_words, fold, True, None)


def _finished(
    counter: _core.CandidateCounter,
    language: str,
    detected: Detected | None,
    min_frequency: int,
    max_words: int | None,
    fold: bool,
    progress: Progress | None,
    words: int | None = None,
) -> Candidates:
    bases = None
    if fold:
        distinct = [word for word, _ in counter.distinct_words()]
        base_forms = language_of(language).base_forms(distinct)
        bases = [base_forms.get(word, word) for word in distinct]
    counted = counter.finish(min_frequency, max_words, bases, progress)
    return Candidates(counted, language, detected, fold, words)


def noun_phrases(
    texts: Iterable[str],
    nlp: Language,
    *,
    language: str | None = None,
    max_words: int | None = None,
    min_frequency: int = 2,
    stop_words: Iterable[str] | None = None,
    fold: bool = True,
    processes: int = 1,
    progress: Progress | None = None,
) -> Candidates:
    """Counts the noun phrases that a spaCy pipeline finds.

    Stop words and punctuation at both ends of a phrase are left out. An occurrence inside of a
    longer noun phrase counts too, so that frequencies mean the same as those of `ngrams`.

    Args:
        texts: The texts; a `Corpus`, for instance. Each is a document.
        nlp: A pipeline with a parser, such as `spacy.load("en_core_web_sm")`.
        language: The language whose inflected forms are one; by default that of the pipeline.
        max_words: The maximal number of words of a candidate. Longer phrases are left out, but
            the candidates inside of them still count.
        min_frequency: Leave out phrases that occur less often.
        stop_words: The function words, by default those of the pipeline and of the language. They
            are compared with spaCy's tokens.
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
    known = language_of(language) if language is not None else _language_of_pipeline(nlp)
    if stop_words is not None:
        stops = _words(stop_words)
    else:
        defaults = getattr(nlp, "Defaults", None)
        own = {word.lower() for word in getattr(defaults, "stop_words", ())}
        stops = known.stop_words | own
    counter = _core.CandidateCounter(1, [sorted(stops)], fold, False, None)
    # The documents of the pieces that the pipeline has taken and not yet returned. With as_tuples,
    # its processes would not end at a signal.
    numbers: deque[int] = deque()

    def pieces() -> Iterator[str]:
        for piece, number in _within(_documents(texts, progress), nlp.max_length):
            numbers.append(number)
            yield piece

    last = words = 0
    for doc in nlp.pipe(pieces(), n_process=processes):
        words += len(doc)
        number = numbers.popleft()
        if number != last:
            counter.begin_document()
            last = number
        for chunk in _noun_chunks(doc):
            if phrase := _phrase(chunk, stops):
                counter.add_phrase(phrase)
    return _finished(counter, known.code, None, min_frequency, max_words, fold, progress, words)


def _language_of_pipeline(nlp: Language) -> Any:
    try:
        return language_of(nlp.lang or _DEFAULT_LANGUAGE)
    except (AttributeError, InvalidOptionError):
        return language_of(_DEFAULT_LANGUAGE)


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


def _words(stop_words: Iterable[str]) -> frozenset[str]:
    words = items("stop_words", stop_words, "a list or a set of words")
    return frozenset(text("each of stop_words", word).lower() for word in words)


def _documents(texts: Iterable[str], progress: Progress | None) -> Iterator[tuple[int, str]]:
    """The texts, each with the number of its document, from 1."""
    if isinstance(texts, Corpus):
        for one in texts:
            yield texts.document, one
            if progress is not None:
                # At most 1: a file may grow while it is read.
                share = min(texts.read / texts.size, 1.0) if texts.size else None
                progress("counting candidates", share)
        return
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        expected = "a list of texts or a Corpus of files"
        found = "one str" if isinstance(texts, str) else _shown(texts)
        raise TermTypeError(option="texts", value=found, expected=expected)
    for number, one in enumerate(texts):
        if not isinstance(one, str):
            raise TermTypeError(
                option=f"entry {number} of texts", value=_shown(one), expected="a str"
            )
        yield number + 1, text(f"entry {number} of texts", one)


def _with_sample(
    documents: Iterator[tuple[int, str]],
) -> tuple[Iterator[tuple[int, str]], str]:
    """The documents, and the start of their texts."""
    first: list[tuple[int, str]] = []
    size = 0
    for number, one in documents:
        first.append((number, one))
        size += len(one)
        if size >= SAMPLE:
            break
    return chain(first, documents), "\n".join(one[:SAMPLE] for _, one in first)[:SAMPLE]


def _shown(value: object) -> str:
    """A value in a message. A text may be long."""
    shown = repr(value)
    return shown if len(shown) <= _MAX_SHOWN else f"a {type(value).__name__}"


def _within(texts: Iterable[tuple[int, str]], longest: int) -> Iterator[tuple[str, int]]:
    """The texts, cut into pieces that a pipeline accepts, at white space if there is any."""
    for number, whole in texts:
        start = 0
        while len(whole) - start > longest:
            space = whole.rfind(" ", start + 1, start + longest)
            end = space + 1 if space > 0 else start + longest
            yield whole[start:end], number
            start = end
        yield whole[start:], number


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
