"""All pairs of a vocabulary on Spark. join.py has the steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termnest.options import Case, Hyphens, Normalize, Tokenizer
from termnest.spark.join import AnalysisOptions, Join
from termnest.spark.term_filter import FILTER_BYTES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def containment_pairs(
    df: DataFrame,
    term: str = "term",
    id: str | None = None,
    *,
    tokenizer: Tokenizer | None = None,
    separator: str | None = None,
    lowercase: bool = False,
    strip_accents: bool = False,
    fold: bool = False,
    language: str | None = None,
    hyphens: Hyphens | None = None,
    case: Case | None = None,
    normalize: Normalize | None = None,
    partitions: int | None = None,
    filter_bytes: int = FILTER_BYTES,
) -> DataFrame:
    """Every (nested, super) pair of a vocabulary, like `TermIndex.pairs`, in no order.

    The columns are `nested`, `super`, and `start`: where the nested term first begins in the super
    term, in tokens. The terms are given by their ids, or without an id column by their surfaces.

    The call reads the vocabulary twice, to count it and to make its partitions, and a third time to
    check the ids if there are any. The pairs are made when the data frame is used. As long as it
    exists, the executors keep the partitions on disk, like any exchange of Spark.

    Args:
        df: The vocabulary, a row for each entry. Null entries and those without a token are
            skipped. Entries with equal surfaces are one term, which has the least of their ids.
        term: The column of the terms.
        id: The column of their ids, integers or strings. No id may occur twice.
        tokenizer, separator, lowercase, strip_accents, fold, language, hyphens, case, normalize: As
            for `TermIndex`, but hyphens cannot be `"both"` and case cannot be `"smart"`: all terms
            are compared by one key here. A function is pickled and sent to the executors.
        partitions: The number of partitions, a task each. By default partitions of about 64 MB, and
            at least two for each core.
        filter_bytes: The most memory for the filter, on the driver and in each Python worker. It
            keeps n-grams that are not terms out of the exchange. Two bytes a term are best. With
            less than half a byte a term there is no filter, and all n-grams are exchanged.

    Raises:
        InvalidOptionError: There is no such column, or an option cannot be.
        InvalidTermError: An id occurs twice, or a term is too long.
        TermTypeError: The terms are not strings, or the ids neither integers nor strings.
    """
    options: AnalysisOptions = {
        "tokenizer": tokenizer,
        "separator": separator,
        "lowercase": lowercase,
        "strip_accents": strip_accents,
        "fold": fold,
        "language": language,
        "hyphens": hyphens,
        "case": case,
        "normalize": normalize,
    }
    join = Join(df, term, id, None, options, partitions, filter_bytes)
    return join.with_ids(join.pairs(), "nested", "super")
