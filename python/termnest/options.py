"""The options of an index: the values that each can have, and the check of their types."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, get_args

from termnest.errors import TermTypeError

if TYPE_CHECKING:
    from termnest import _core

Tokenizer = Literal["text", "whitespace", "words", "chars"]
Hyphens = Literal["keep", "split", "both"]
Case = Literal["smart"]
Where = Literal["anywhere", "start", "end", "inside"]
Overlaps = Literal["all", "longest", "leftmost"]
Variants = Literal["all", "first"]
Sort = Literal["weight", "left", "right", "length"]
NestedSort = Literal["weight", "length"]
Side = Literal["left", "right"]
WordOrder = Literal["given", "any"]
Format = Literal["text", "tsv", "csv", "jsonl", "parquet"]
Score = Literal[
    "c-value",
    "c-value-plus-one",
    "c-value-jate",
    "basic",
    "combo-basic",
    "independent",
    "frequency",
]
SCORES: tuple[Score, ...] = get_args(Score)
# The scores of the candidates of a corpus.
TermScore = Literal["termhood", "keyness", "log-likelihood", "weirdness"] | Score
TERM_SCORES = ("termhood", "keyness", "log-likelihood", "weirdness", *SCORES)
Normalize = Callable[[str], str]
Progress = Callable[[str, float], object]
StrPath = str | os.PathLike[str]


class ArrowStream(Protocol):
    """A column of polars, pandas, pyarrow or DuckDB: what speaks the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class ArrowArray(Protocol):
    """An array that speaks the Arrow PyCapsule interface."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...


Strings = Iterable[str] | ArrowStream | ArrowArray
Texts = Iterable[str | None] | ArrowStream | ArrowArray
# Conditions on columns, or for each term whether it is chosen.
Chosen = Mapping[str, Any] | Iterable[bool] | ArrowStream | ArrowArray
# Of each entry: its aliases, as a list, as one str, or None.
AliasColumn = Iterable[Iterable[str] | str | None] | ArrowStream | ArrowArray
Aliases = Mapping[str, str | Iterable[str]] | AliasColumn | StrPath
Numbers = Iterable[float] | ArrowStream | ArrowArray


class Options(NamedTuple):
    """How an index splits and matches terms: the options that it was built with."""

    tokenizer: Tokenizer
    separator: str | None
    lowercase: bool
    strip_accents: bool
    fold: bool
    language: str | None
    hyphens: Hyphens
    case: Case | None
    normalize: bool
    """Whether it was built with a `normalize` function."""


class Stats(NamedTuple):
    """The facts of an index."""

    terms: int
    aliases: int
    """Other names of terms."""
    tokens: int
    """Tokens of all terms."""
    distinct_tokens: int
    skipped: int
    """Entries without a token; they are not terms."""
    duplicates: int
    """Entries that were merged into an earlier one with the same surface."""
    longest_term: int
    """The tokens of the longest term."""
    memory_bytes: int
    """The index's own memory; 0 if its file is mapped."""
    file_bytes: int
    """The size of the index as a file."""
    pairs: int | None
    """The (nested, super) pairs of the vocabulary, if `pairs=True`."""


def analysis_of(
    tokenizer: str | None,
    separator: str | None,
    lowercase: bool,
    strip_accents: bool,
    fold: bool,
    language: str | None,
    hyphens: str | None,
    case: str | None,
    normalize: Normalize | None,
    threads: int | None,
) -> _core._Analysis:
    """The options of a build as the native core takes them, if their types are right."""
    for name, value, kind, expected in [
        ("tokenizer", tokenizer, str | None, "a str or None"),
        ("separator", separator, str | None, "a str or None"),
        ("lowercase", lowercase, bool, "True or False"),
        ("strip_accents", strip_accents, bool, "True or False"),
        ("fold", fold, bool, "True or False"),
        ("language", language, str | None, "a str or None"),
        ("hyphens", hyphens, str | None, "a str or None"),
        ("case", case, str | None, "a str or None"),
        ("threads", threads, int | None, "an int or None"),
    ]:
        if not isinstance(value, kind):
            raise TermTypeError(option=name, value=repr(value), expected=expected)
    return {
        "tokenizer": tokenizer,
        "separator": separator,
        "lowercase": lowercase,
        "strip_accents": strip_accents,
        "fold": fold,
        "language": language,
        "hyphens": hyphens,
        "case": case,
        "normalize": normalize,
        "threads": threads,
    }
