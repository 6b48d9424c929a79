"""The scores of a vocabulary on Spark: sums over its pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812, its usual name

from termnest.options import Case, Hyphens, Normalize, Tokenizer
from termnest.spark.join import AnalysisOptions, Join
from termnest.spark.term_filter import FILTER_BYTES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def containment_scores(
    df: DataFrame,
    term: str = "term",
    id: str | None = None,
    weight: str | None = None,
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
    """The containment figures and scores of terms, a row for each term, in no order.

    The columns are `term` (its surface, or its id if there is an id column) and, as in
    `TermIndex.scores`, `length`, `frequency`, `super_count`, `super_frequency`, `nested_count`,
    `c_value_jate`, `basic` and `combo_basic`.

    `independent`, `c_value` and `c_value_plus_one` are missing. How often a term occurs outside of
    its super terms depends on how often these occur outside of theirs, which takes a join for each
    length of a term. On one machine `TermIndex.scores` has them.

    Args:
        weight: The column of the terms' weights, which are their frequencies as a rule: numbers of
            zero or more. Those of equal terms add up. Without it, each term has the weight 1.

    The other arguments are those of `containment_pairs`.

    Raises:
        InvalidTermError: A weight is not a number of zero or more, or as for `containment_pairs`.
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
    join = Join(df, term, id, weight, options, partitions, filter_bytes)
    one = "weight" if weight is not None else "1D"
    # Each pair counts for both of its terms. Spark adds up before it exchanges.
    of_pairs = join.pairs().selectExpr(
        f"stack(2, nested, 1L, {one}, 0L, super, 0L, 0D, 1L)"
        " as (term, super_count, super_frequency, nested_count)",
        "0 as length",
        "0D as frequency",
    )
    of_terms = join.terms().selectExpr(
        "term",
        "0L as super_count",
        "0D as super_frequency",
        "0L as nested_count",
        "length",
        f"{one} as frequency",
    )
    sums = ("frequency", "super_count", "super_frequency", "nested_count")
    figures = (
        of_pairs.unionByName(of_terms)
        .groupBy("term")
        .agg(F.max("length").alias("length"), *[F.sum(name).alias(name) for name in sums])
    )
    own = "if(super_count > 0, frequency - super_frequency / super_count, frequency)"
    made = figures.selectExpr(
        "term",
        "length",
        *sums,
        f"log2(length + 0.1) * {own} as c_value_jate",
        _basic("0.72 * super_count", "basic"),
        _basic("0.75 * super_count + 0.1 * nested_count", "combo_basic"),
    )
    return join.with_ids(made, "term")


def _basic(counts: str, name: str) -> str:
    """Basic and its relatives in SQL, as in src/graph/scores.rs."""
    return (
        f"case when frequency <= 0 then 0D when length = 1 then ln(frequency)"
        f" else length * ln(frequency) + {counts} end as {name}"
    )
