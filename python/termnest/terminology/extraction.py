"""From a corpus to a ranked terminology."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, get_args

from termnest.atomic import atomic_write
from termnest.errors import InvalidOptionError, InvalidTextError, TermTypeError
from termnest.index import StrPath, TermIndex
from termnest.table import Table, optional_package
from termnest.terminology.candidates import Candidates, load_pipeline, ngrams, noun_phrases
from termnest.terminology.corpus import Corpus, CorpusFormat, Skipped

Kind = Literal["ngrams", "noun-phrases"]
Score = Literal[
    "c-value",
    "c-value-plus-one",
    "c-value-jate",
    "basic",
    "combo-basic",
    "independent",
    "frequency",
]
Keep = Literal["all", "maximal"]

_ROWS_AT_ONCE = 100_000


class Extraction(NamedTuple):
    """What `extract` found."""

    table: Table
    """The terms, best first: `term`, `frequency`, `score`, `super_count`, `nested_count`."""
    candidates: int
    """How many candidates there were."""
    words: int
    """How many words the corpus has; for noun phrases, tokens of spaCy."""
    files: int
    """How many files were read."""
    skipped: list[Skipped]
    """The files of folders that were not."""


def extract(
    paths: Iterable[StrPath] | StrPath,
    *,
    candidates: Kind = "ngrams",
    score: Score = "c-value",
    keep: Keep = "all",
    top: int | None = None,
    min_frequency: int = 2,
    max_words: int | None = None,
    stop_words: Iterable[str] | None = None,
    lowercase: bool = True,
    spacy_model: str | None = None,
    processes: int = 1,
    format: CorpusFormat | None = None,
    field: str = "text",
    errors: Literal["strict", "replace"] = "strict",
    exclude: Iterable[StrPath] = (),
    progress: Callable[[str, float | None], object] | None = None,
) -> Extraction:
    """The terminology of a corpus, ranked.

    >>> report = getfixture("tmp_path") / "report.txt"
    >>> _ = report.write_text("Solar cells age. A solar cell panel has many solar cells. Solar cell"
    ...     " panels of thin film; the solar cell panel.")
    >>> found = extract(report, score="c-value")
    >>> [(row["term"], row["frequency"]) for row in found.table.to_pylist()][:3]
    [('solar cell panel', 2.0), ('solar cells', 2.0), ('solar cell', 3.0)]

    Args:
        paths: Files and folders, as of `Corpus`.
        candidates: `"ngrams"` or `"noun-phrases"` (with `spacy_model`). Where the terms and their
            frequencies are known already, `rank` is all that is needed.
        score: What terms are ranked by; docs/terminology.md has the formulas.
        keep: `"maximal"` drops the terms whose every occurrence is inside of a longer candidate.
        top: Only so many.
        min_frequency: Candidates below it are left out.
        max_words: The most words of a candidate: 5 for n-grams if not given, else any number.
        stop_words: English function words if not given.
        lowercase: Count in lower case.
        spacy_model: The name or path of a spaCy pipeline.
        processes: The processes that spaCy runs in.
        format, field, errors, exclude: Those of `Corpus`.
        progress: Called now and then with what is being done and the share of it that is done, None
            if that is not known: of standard input and pipes.

    Raises:
        InvalidTextError: There is no word in the corpus, or a file is not UTF-8.
    """
    if candidates not in get_args(Kind):
        raise InvalidOptionError(
            f"candidates is {candidates!r}: it must be one of {', '.join(get_args(Kind))}"
        )
    corpus = Corpus(paths, format=format, field=field, errors=errors, exclude=exclude)
    texts = _watched(corpus, progress)
    if candidates == "noun-phrases":
        if spacy_model is None:
            raise InvalidOptionError(
                "noun phrases need a spaCy pipeline: name one "
                "(spacy_model='en_core_web_sm', for instance)"
            )
        found = noun_phrases(
            texts,
            load_pipeline(spacy_model),
            max_words=max_words,
            min_frequency=min_frequency,
            stop_words=stop_words,
            lowercase=lowercase,
            processes=processes,
            progress=progress,
        )
    else:
        found = ngrams(
            texts,
            max_words=5 if max_words is None else max_words,
            min_frequency=min_frequency,
            stop_words=stop_words,
            lowercase=lowercase,
            maximal=keep == "maximal",
            progress=progress,
        )
    if not found.words:
        raise InvalidTextError(f"there is no word in the corpus ({_counted(corpus)})")
    return Extraction(
        rank(found, score=score, keep=keep, top=top),
        len(found.index),
        found.words,
        len(set(corpus.files) - {path for path, _ in corpus.skipped}),
        corpus.skipped,
    )


def rank(
    candidates: Candidates | TermIndex,
    *,
    score: Score = "c-value",
    keep: Keep = "all",
    top: int | None = None,
) -> Table:
    """The candidates by a score, best first; then the most frequent, then by id.

    >>> counts = {"cell": 20, "basal cell": 9, "basal cell carcinoma": 4}
    >>> table = rank(TermIndex(counts, weights=list(counts.values())))
    >>> [(row["term"], round(row["score"], 2)) for row in table.to_pylist()]
    [('basal cell carcinoma', 6.34), ('basal cell', 5.0), ('cell', 0.0)]

    Args:
        candidates: What `ngrams` or `noun_phrases` found; or an index with frequencies as weights.
        score: What they are ranked by: a column of `TermIndex.scores`.
        keep: `"maximal"` drops those whose every occurrence is inside of a longer candidate. Of an
            index, only frequencies are known: those whose independent frequency is not more than 0.
        top: Only so many.
    """
    if not isinstance(candidates, (Candidates, TermIndex)):
        raise TermTypeError(
            f"candidates is {type(candidates).__name__}: give an index, TermIndex(terms, "
            "weights=frequencies), or what ngrams or noun_phrases found"
        )
    if isinstance(candidates, TermIndex):
        return Table(candidates._index.ranking(score, keep, None, top))
    if keep == "maximal" and candidates.maximal is None:
        raise InvalidOptionError(
            "it is not known which candidates are maximal: count them with maximal=True"
        )
    return Table(candidates.index._index.ranking(score, keep, candidates.maximal, top))


def write_terms(table: Table, path: StrPath) -> None:
    """Writes a table as TSV, CSV, JSON Lines or Parquet, as the name of the file tells.

    The file opens with `TermIndex.from_file` and with every command. It is written beside its
    target and renamed: it is there whole or not at all.

    Raises:
        InvalidOptionError: The name tells no format.
        FileAccessError: The file cannot be written.
    """
    write = writer(path)
    with atomic_write(path) as file:
        write(table, file)


def writer(path: StrPath) -> Callable[[Table, BinaryIO], None]:
    """What writes a table in the format that a name tells."""
    name = Path(path).name.lower()
    for suffix, write in _WRITERS.items():
        if name.endswith(suffix):
            if suffix == ".parquet":
                optional_package("pyarrow.parquet")
            return write
    raise InvalidOptionError(f"{path}: the name must end with {', '.join(_WRITERS)}")


def write_tsv(table: Table, file: BinaryIO) -> None:
    """Columns between tabs, with a header."""
    columns = table.columns
    file.write(("\t".join(columns) + "\n").encode())
    for start, stop in _portions(table):
        file.write(table._table.lines(columns, start, stop))


def _write_csv(table: Table, file: BinaryIO) -> None:
    file.write((",".join(table.columns) + "\n").encode())
    for start, stop in _portions(table):
        file.write(table._table.csv_lines(start, stop))


def _write_json_lines(table: Table, file: BinaryIO) -> None:
    for start, stop in _portions(table):
        file.write(table._table.json_lines(start, stop))


def _write_parquet(table: Table, file: BinaryIO) -> None:
    optional_package("pyarrow.parquet").write_table(table.to_arrow(), file)


_WRITERS: dict[str, Callable[[Table, BinaryIO], None]] = {
    ".tsv": write_tsv,
    ".csv": _write_csv,
    ".jsonl": _write_json_lines,
    ".parquet": _write_parquet,
}


def _portions(table: Table) -> Iterator[tuple[int, int]]:
    return ((start, start + _ROWS_AT_ONCE) for start in range(0, len(table), _ROWS_AT_ONCE))


def _watched(
    corpus: Corpus, progress: Callable[[str, float | None], object] | None
) -> Iterable[str]:
    if progress is None:
        return corpus

    def watched() -> Iterator[str]:
        for text in corpus:
            yield text
            # A file may grow while it is read.
            share = min(corpus.read / corpus.size, 1.0) if corpus.size else None
            progress("counting candidates", share)

    return watched()


def _counted(corpus: Corpus) -> str:
    files = f"{len(corpus.files):,} {'file' if len(corpus.files) == 1 else 'files'}"
    if not corpus.skipped:
        return files
    first = corpus.skipped[0]
    return f"{files}, {len(corpus.skipped):,} of them skipped: {first.path} is {first.reason}"
