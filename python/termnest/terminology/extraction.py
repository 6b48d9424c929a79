"""From a corpus, or from a vocabulary with frequencies, to a ranked list of terms."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from termnest import is_index
from termnest.arguments import count, function, instance, paths
from termnest.errors import InvalidOptionError, InvalidTextError, TermTypeError
from termnest.index import TermIndex
from termnest.options import SCORES, TERM_SCORES, Format, StrPath, TermScore
from termnest.parquet import forms_of
from termnest.table import Table
from termnest.terminology.candidates import (
    Candidates,
    load_pipeline,
    ngrams,
    noun_phrases,
)
from termnest.terminology.contexts import sentences
from termnest.terminology.corpus import Corpus, Skipped
from termnest.terminology.languages import LANGUAGES, language_name
from termnest.terminology.reference import (
    EXTRA,
    Reference,
    general_frequencies,
    has_general_frequencies,
    read_reference,
    shares,
)

Kind = Literal["ngrams", "noun-phrases", "vocabulary"]
Keep = Literal["all", "maximal"]
_COMPARING = ("keyness", "log-likelihood", "weirdness")
# Of these, the frequencies of phrases count, not those of their words alone.
_OF_PHRASES = ("keyness", "log-likelihood")
# A corpus of fewer words says too little of its language to be worth a warning.
_MANY_WORDS = 200

# Defaults. Longer n-grams are mostly parts of sentences, and what occurs once is rarely a term.
_MAX_NGRAM_WORDS = 5
_MIN_FREQUENCY = 2
_PLURAL = {"ngrams": "n-grams", "noun-phrases": "noun phrases", "vocabulary": "vocabularies"}

# The options that only some candidates have, with their defaults.
_CORPUS_OPTIONS: dict[str, object] = {
    "language": None,
    "reference": None,
    "stop_words": None,
    "fold": True,
    "field": "text",
    "encoding": None,
    "contexts": 0,
}
_PIPELINE_OPTIONS: dict[str, object] = {"spacy_model": None, "processes": 1}
_VOCABULARY_OPTIONS: dict[str, object] = {"column": None, "weight_column": None, "separator": None}
_DEFAULTS = _CORPUS_OPTIONS | _PIPELINE_OPTIONS | _VOCABULARY_OPTIONS
_OPTIONS_OF = {
    "ngrams": {*_CORPUS_OPTIONS},
    "noun-phrases": {*_CORPUS_OPTIONS, *_PIPELINE_OPTIONS},
    "vocabulary": {*_VOCABULARY_OPTIONS},
}


class Extraction(NamedTuple):
    """The result of `extract`."""

    table: Table
    """The terms, best first: `term`, `frequency`, `score`, `documents` (in how many it occurs),
    `super_count`, `nested_count`, `forms` (how else it is written, with counts); and in every row
    `matching`, the options with which the list is indexed as it was counted. The terms of a
    vocabulary have no `documents` and `forms`."""
    candidates: int
    """The number of candidates."""
    words: int
    """The number of words of the corpus; for noun phrases, of spaCy's tokens; for a vocabulary, \
0."""
    files: int
    """The number of files that were read."""
    skipped: list[Skipped]
    """The files in folders that were not read."""
    weighted: bool = True
    """False for a vocabulary without weights, in which every frequency is 1."""
    language: str | None = None
    """The code of the language of the corpus; None for a vocabulary."""
    reference: str | None = None
    """What the terms were compared with; None if with nothing."""
    warnings: tuple[str, ...] = ()
    """What may be wrong with the result."""


def extract(
    corpus: Iterable[StrPath] | StrPath,
    *,
    candidates: Kind = "ngrams",
    score: TermScore | None = None,
    keep: Keep | None = None,
    top: int | None = None,
    min_frequency: int | None = None,
    max_words: int | None = None,
    language: str | None = None,
    reference: Iterable[StrPath] | StrPath | Literal[False] | None = None,
    stop_words: Iterable[str] | None = None,
    fold: bool = True,
    spacy_model: str | None = None,
    processes: int = 1,
    format: Format | None = None,
    field: str = "text",
    encoding: str | None = None,
    contexts: int = 0,
    column: str | int | None = None,
    weight_column: str | int | None = None,
    separator: str | None = None,
    errors: Literal["strict", "replace"] = "strict",
    exclude: Iterable[StrPath] = (),
    progress: Callable[[str, float | None], object] | None = None,
) -> Extraction:
    """The terms of a corpus, ranked.

    >>> report = getfixture("tmp_path") / "report.txt"
    >>> _ = report.write_text("Solar cells age. A solar cell panel has many solar cells. Solar cell"
    ...     " panels of thin film; the solar cell panel.")
    >>> found = extract(report, language="en", reference=False)
    >>> [(row["term"], row["frequency"]) for row in found.table.to_pylist()]
    [('solar cell panel', 3.0), ('solar cell', 5.0)]

    Where the terms and their frequencies are known already, it ranks those of a vocabulary:

    >>> counts = getfixture("tmp_path") / "counts.tsv"
    >>> _ = counts.write_text("term\\tfrequency\\nsolar cell\\t14\\nsilicon solar cell\\t3\\n")
    >>> found = extract(counts, candidates="vocabulary")
    >>> [(row["term"], round(row["score"], 2)) for row in found.table.to_pylist()]
    [('solar cell', 11.0), ('silicon solar cell', 4.75)]

    Args:
        corpus: Files and folders, as in `Corpus`; with `candidates="vocabulary"`, one vocabulary
            file or saved index.
        candidates: `"ngrams"` are runs of words without function words; `"noun-phrases"` are found
            by the pipeline `spacy_model`; `"vocabulary"` are the terms of a vocabulary, with their
            weights as frequencies.
        score: The score to rank by; docs/terminology.md has the formulas. The default is
            `"termhood"`, and for a vocabulary `"c-value"`.
        keep: `"maximal"` drops the terms that occur only inside of longer candidates, the default
            for a corpus; `"all"` keeps them.
        top: Return at most N terms.
        min_frequency: Leave out candidates that occur less often; 2 by default, for a vocabulary 0.
        max_words: Leave out candidates of more words; 5 by default for n-grams, which may have up
            to 20, else any number.
        language: The code of the language of the corpus, one of `LANGUAGES`; detected by default.
        reference: Other texts to compare with: files and folders, or a vocabulary with counts. By
            default the general frequencies of the extra `terminology`, if it is installed; False
            compares with nothing.
        stop_words: The function words, by default those of the language.
        fold: Count words however they are written: Solar as solar.
        spacy_model: The name or the path of a spaCy pipeline.
        processes: The number of processes that spaCy runs in.
        format: `"text"` or `"jsonl"`, and for a vocabulary also `"tsv"`, `"csv"` or `"parquet"`; by
            default the name of each file decides.
        field: The key of the text in JSON Lines, as in `Corpus`.
        encoding: The encoding of the corpus, as in `Corpus`.
        contexts: Add a column `contexts` with up to N sentences that contain the term, with " | "
            in between. The corpus is then read twice, so it cannot be standard input.
        column, weight_column, separator: Those of a vocabulary, as in `TermIndex.from_file`.
        errors: What to do with bytes that are not UTF-8, as in `Corpus`.
        exclude: Files in the folders that are not part of the corpus.
        progress: Called now and then with the name of the current step and the share of it that is
            done, from 0 to 1; None if that is unknown, as with standard input and pipes.

    Raises:
        InvalidOptionError: An option has a value that it cannot have, or does not apply to these
            candidates.
        InvalidTextError: The corpus contains no word, or a file is not UTF-8.
        FileAccessError: A file cannot be read.
    """
    _refuse_what_does_not_apply(
        candidates,
        {
            "language": language,
            "reference": reference,
            "stop_words": stop_words,
            "fold": fold,
            "field": field,
            "encoding": encoding,
            "contexts": contexts,
            "spacy_model": spacy_model,
            "processes": processes,
            "column": column,
            "weight_column": weight_column,
            "separator": separator,
        },
        format,
    )
    files = paths("corpus", corpus)
    function("progress", progress)
    if min_frequency is not None:
        min_frequency = count("min_frequency", min_frequency)
    if max_words is not None:
        max_words = count("max_words", max_words)
    if candidates == "vocabulary":
        options = {
            "format": format,
            "column": column,
            "weight_column": weight_column,
            "separator": separator,
            "errors": None if errors == "strict" else errors,
        }
        index = _vocabulary(files, options, progress)
        least = 0 if min_frequency is None else min_frequency
        if least or max_words is not None:
            index = index.filtered(min_weight=least, max_length=max_words)
        by: Any = score or "c-value"
        table = _with_matching(rank(index, score=by, keep=keep or "all", top=top), index)
        return Extraction(table, len(index), 0, 1, [], index.weighted)
    texts = Corpus(
        files,
        format=format,  # type: ignore[arg-type]  # checked above
        field=field,
        errors=errors,
        encoding=encoding,
        exclude=exclude,
    )
    if count("contexts", contexts) and texts.size is None:
        raise InvalidOptionError(
            option="contexts",
            value=str(contexts),
            expected="standard input and pipes can be read only once: give files",
        )
    counting: dict[str, Any] = {
        "min_frequency": _MIN_FREQUENCY if min_frequency is None else min_frequency,
        "stop_words": stop_words,
        "language": language,
        "fold": fold,
        "progress": progress,
    }
    if candidates == "ngrams":
        words = _MAX_NGRAM_WORDS if max_words is None else max_words
        found = ngrams(texts, max_words=words, **counting)
    else:
        nlp = load_pipeline(spacy_model or "")
        found = noun_phrases(texts, nlp, max_words=max_words, processes=processes, **counting)
    if not found.words:
        raise InvalidTextError(f"the corpus contains no word ({_files_read(texts)})")
    warnings = _check_language(found, stop_words is not None)
    how = {"field": field, "errors": errors, "encoding": encoding}
    other = _reference_of(found.language, reference, how)
    if other is not None and other.language not in (None, found.language):
        warnings.append(
            f"the reference {other.name} is {language_name(other.language)}, and the corpus "
            f"{language_name(found.language)}: its frequencies say little of the terms"
        )
    table = rank(found, score=score, keep=keep, top=top, reference=other or False)
    if contexts:
        table = _with_contexts(table, texts, contexts, fold)
    read = len(set(texts.files) - {path for path, _ in texts.skipped})
    return Extraction(
        _with_matching(table, TermIndex([], fold=fold, hyphens="keep")),
        len(found),
        found.words,
        read,
        texts.skipped,
        language=found.language,
        reference=None if other is None else other.name,
        warnings=tuple(warnings),
    )


def _with_contexts(table: Table, texts: Corpus, number: int, fold: bool) -> Table:
    terms = table.column("term").to_list()
    forms = table.column("forms").to_list()
    names = {term: forms_of(term, cell) for term, cell in zip(terms, forms, strict=True)}
    index = TermIndex(terms, fold=fold, hyphens="keep", aliases=names)
    found = sentences(texts, index, number)
    # A sentence may have the sign that is between two of them.
    shown = [
        " | ".join(one.replace(" | ", " ") for one in found.get(place, ()))
        for place in range(len(terms))
    ]
    return table.with_texts("contexts", shown)


def _check_language(found: Candidates, has_stop_words: bool) -> list[str]:
    """Warnings about the language that was detected, if it was."""
    detected = found.detected
    if detected is None or detected.code is not None or has_stop_words:
        return []
    if detected.unspaced is not None:
        raise InvalidOptionError(
            f"the corpus is in {detected.unspaced} script, which has no spaces between words: find "
            "its terms with a spaCy pipeline for its language",
            remedy=("candidates", "noun-phrases", "use one"),
        )
    if detected.words < _MANY_WORDS:
        return []
    return [
        "the language of the corpus is not clear, and it was taken for English: name it "
        f"({', '.join(LANGUAGES)}), or give the function words of another language as stop words"
    ]


def _reference_of(
    language: str,
    reference: Iterable[StrPath] | StrPath | Literal[False] | None,
    how: dict[str, Any],
) -> Reference | None:
    if reference is False:
        return None
    if reference is None:
        return general_frequencies(language) if has_general_frequencies(language) else None
    return read_reference(reference, language, **how)


def rank(
    candidates: Candidates | TermIndex,
    *,
    score: TermScore | None = None,
    keep: Keep | None = None,
    top: int | None = None,
    reference: Reference | Literal[False] | None = None,
) -> Table:
    """The candidates by a score, best first; then the most frequent, then by id.

    >>> counts = {"cell": 20, "basal cell": 9, "basal cell carcinoma": 4}
    >>> table = rank(TermIndex(counts))
    >>> [(row["term"], round(row["score"], 2)) for row in table.to_pylist()]
    [('basal cell carcinoma', 6.34), ('basal cell', 5.0), ('cell', 0.0)]

    Args:
        candidates: The result of `ngrams` or `noun_phrases`, or an index with frequencies as
            weights.
        score: The score to rank by: `"termhood"` by default, `"keyness"`, `"log-likelihood"` or
            `"weirdness"`; or, and of an index only, a column of `TermIndex.scores`, by default
            `"c-value"`.
        keep: `"maximal"`, the default for candidates, drops those that occur only inside of longer
            ones. An index has no more than frequencies: of its terms, those with an independent
            frequency of 0 or less are dropped; by default none is.
        top: Return at most N candidates.
        reference: What they are compared with, as from `read_reference`. By default the general
            frequencies of their language, if they are installed; False compares with nothing.
    """
    if isinstance(candidates, TermIndex):
        by: Any = score or "c-value"
        if by not in SCORES and by in TERM_SCORES:
            raise InvalidOptionError(
                option="score",
                value=repr(by),
                expected=f"terms with their frequencies have {', '.join(SCORES)}",
            )
        return candidates.ranking(score=by, keep=keep or "all", top=top)
    if not isinstance(candidates, Candidates):
        raise TermTypeError(
            option="candidates",
            value=type(candidates).__name__,
            expected="the result of ngrams or noun_phrases, or a TermIndex with frequencies as "
            "weights",
        )
    if reference is None:
        reference = _reference_of(candidates.language, None, {}) or False
    by = score or "termhood"
    if not reference and by in _COMPARING:
        raise InvalidOptionError(
            option="score",
            value=repr(by),
            expected=f"it compares with a reference: give one, or {EXTRA} for general frequencies",
        )
    if reference:
        instance("reference", reference, Reference, "a Reference, False or None")
    others = shares(reference, candidates, by in _OF_PHRASES) if reference else None
    return Table(candidates.counted.ranking(by, keep or "maximal", top, others))


def _with_matching(table: Table, index: TermIndex) -> Table:
    matching = index.matching
    return table if matching is None else table.with_text("matching", matching)


def _refuse_what_does_not_apply(
    candidates: str, given: dict[str, object], format: str | None
) -> None:
    if candidates not in get_args(Kind):
        raise InvalidOptionError(
            option="candidates",
            value=repr(candidates),
            expected="it must be 'ngrams', 'noun-phrases' or 'vocabulary'",
        )
    for option, value in given.items():
        if option not in _OPTIONS_OF[candidates] and value != _DEFAULTS[option]:
            raise InvalidOptionError(
                option=option,
                value=repr(value),
                expected=f"it does not apply to {_PLURAL[candidates]}",
            )
    if candidates != "vocabulary" and format not in (None, "text", "jsonl"):
        raise InvalidOptionError(
            option="format", value=repr(format), expected="a corpus is 'text' or 'jsonl'"
        )
    if candidates == "noun-phrases" and given["spacy_model"] is None:
        raise InvalidOptionError(
            "noun phrases need a spaCy pipeline: count n-grams instead",
            remedy=("spacy_model", "en_core_web_sm", "use that pipeline"),
        )


def _vocabulary(
    corpus: list[str],
    options: dict[str, Any],
    progress: Callable[[str, float | None], object] | None,
) -> TermIndex:
    """The index in a file, or that of the vocabulary in it; standard input and pipes included."""
    if len(corpus) != 1:
        raise InvalidOptionError(f"rank one vocabulary at a time, not {len(corpus):,} files")
    [path] = corpus
    given = {option: value for option, value in options.items() if value is not None}
    content = None
    if path == "-":
        if sys.stdin is None:
            raise InvalidOptionError("standard input is closed: name a file")
        content = sys.stdin.buffer.read()
    elif Path(path).is_fifo():  # it can be read only once
        content = Path(path).read_bytes()
    if not is_index(path if content is None else content[:8]):
        source = path if content is None else io.BytesIO(content)
        return TermIndex.from_file(source, progress=progress, **given)
    for option, value in given.items():
        raise InvalidOptionError(
            option=option,
            value=repr(value),
            expected=f"{path} is an index, which has its own; build it again from its vocabulary "
            "to change it",
        )
    return TermIndex.open(path) if content is None else TermIndex.from_bytes(content)


def _files_read(corpus: Corpus) -> str:
    files = f"{len(corpus.files):,} {'file' if len(corpus.files) == 1 else 'files'}"
    if not corpus.skipped:
        return files
    first = corpus.skipped[0]
    return f"{files}, {len(corpus.skipped):,} of them skipped: {first.path} is {first.reason}"
