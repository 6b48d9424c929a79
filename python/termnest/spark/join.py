"""The join that makes pairs and scores, as the driver plans it.

The steps:

1. The entries become terms with the fingerprints of their keys, and go to the *partition* of their
   fingerprint. Equal terms meet there.
2. The *statistics*: all partitions make a filter of the whole vocabulary, and a sample of the terms
   gives the n-grams that occur in very many terms. Both are broadcast.
3. Each partition makes the n-grams of its terms. The frequent ones stay: they are half of all
   n-grams, and would pile up in one partition. The few terms that equal them go to all partitions
   instead. The filter lets those of the others through that may be terms, and they go to the
   partition of their fingerprint.
4. In each partition, a term and an n-gram with the same fingerprint are a pair.

Steps 1 and 2 are done when a `Join` is made, steps 3 and 4 when Spark computes the data frame.

Spark moves *blocks*, thousands of large rows, where its own join would move billions of small ones.
The core makes and reads them (src/join), on Arrow columns: there is no Python object for a term.
"""

from __future__ import annotations

import math
import secrets
from typing import TYPE_CHECKING, TypedDict

from pyspark.sql import functions as F  # noqa: N812, its usual name
from pyspark.sql.types import IntegralType, NumericType, StringType

from termnest import _core
from termnest.errors import InvalidOptionError, InvalidTermError
from termnest.options import Case, Hyphens, Normalize, Tokenizer, analysis_of
from termnest.spark.broadcasts import Broadcasts, table_bytes
from termnest.spark.columns import check_frame, check_strings, column_type, quoted, wrong_type
from termnest.spark.executor_errors import errors_of_executors
from termnest.spark.partitions import has_stable_order, partition_keys
from termnest.spark.session import context_of
from termnest.spark.tasks import Analyzer, NGramsTask, PairsTask, RowsTask, TermFields, TermsTask
from termnest.spark.term_filter import FilterShape, FilterTask, filter_shape
from termnest.spark.vocabulary_statistics import (
    STATISTICS_SCHEMA,
    StatisticsTask,
    gathered,
    reported_ngrams,
    sample_terms,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Bytes of a partition that its tasks exchange, which a Python worker keeps in memory: 64 MB.
_PARTITION_BYTES = 64 << 20
# Bytes that a term takes in an exchange besides its text: its fingerprint, its length, its id.
_TERM_BYTES = 64
# Partitions of the data frame that makes the slices of the filter.
_MAX_FILTER_PARTITIONS = 1000


class AnalysisOptions(TypedDict):
    """The options of `TermIndex` that say how terms become tokens."""

    tokenizer: Tokenizer | None
    separator: str | None
    lowercase: bool
    strip_accents: bool
    fold: bool
    language: str | None
    hyphens: Hyphens | None
    case: Case | None
    normalize: Normalize | None


class Join:
    """A vocabulary in partitions, with its statistics.

    Raises:
        InvalidOptionError: There is no such column, or an option cannot be.
        InvalidTermError: An id occurs twice, or a term is too long.
        TermTypeError: A column has values of a wrong type.
    """

    entries: int
    """The number of entries."""
    skipped: int
    """Those that are null or have no token."""
    partitions: int
    """The number of partitions."""

    def __init__(
        self,
        df: DataFrame,
        term: str,
        id: str | None,
        weight: str | None,
        options: AnalysisOptions,
        partitions: int | None,
        filter_bytes: int,
    ) -> None:
        analysis = analysis_of(**options, threads=1)
        for option, refused in [("hyphens", "both"), ("case", "smart")]:
            if analysis[option] == refused:  # type: ignore[literal-required]
                expected = (
                    "pairs on Spark are found by one key for each term, so leave it out, or use "
                    "TermIndex.pairs on one machine"
                )
                raise InvalidOptionError(option=option, value=repr(refused), expected=expected)
        _core.TermAnalyzer(analysis, bytes(32))  # bad options fail here, not on executors
        if partitions is not None:
            _check_least("partitions", partitions, 1)
        _check_least("filter_bytes", filter_bytes, 0)
        self._select(df, term, id, weight)
        self._context = context_of(df)
        if id is not None:
            self._check_ids(id)
        self._analyzer = Analyzer(analysis, secrets.token_bytes(32))
        with errors_of_executors():
            text_bytes = self._count()
            if partitions is None:
                exchanged = 2 * (text_bytes + _TERM_BYTES * self.entries)
                least = 2 * self._context.defaultParallelism
                partitions = max(-(-exchanged // _PARTITION_BYTES), least)
            self.partitions = partitions
            self._partition_keys = partition_keys(partitions)
            self._terms = self._partitioned()
            filter_entries = self.entries
            if options["tokenizer"] == "chars":  # terms of many tokens have several entries
                mean = max(text_bytes / max(self.entries, 1), 8)
                filter_entries = int(self.entries * (1 + math.log2(mean / 8)))
            self._broadcasts = self._statistics(filter_shape(filter_entries, filter_bytes))

    def _select(self, df: DataFrame, term: str, id: str | None, weight: str | None) -> None:
        """Checks the columns and selects them, as `term`, `id` and `weight`."""
        check_frame("df", df)
        check_strings(df, term, "term")
        columns = [F.col(quoted(term)).cast("string").alias("term")]
        self._id_type: str | None = None
        long = False
        if id is not None:
            found = column_type(df, id, "id")
            if not isinstance(found, IntegralType | StringType):
                raise wrong_type("id", id, found, "integers or strings")
            self._id_type = found.simpleString()
            long = isinstance(found, IntegralType)
            columns.append(F.col(quoted(id)).cast("long" if long else "string").alias("id"))
        if weight is not None:
            found = column_type(df, weight, "weight")
            if not isinstance(found, NumericType):
                raise wrong_type("weight", weight, found, "numbers")
            columns.append(F.col(quoted(weight)).cast("double").alias("weight"))
        self._fields = TermFields(id is not None, long, weight is not None)
        self._vocabulary = df.select(columns)

    def _check_ids(self, name: str) -> None:
        with errors_of_executors():
            bad = (
                self._vocabulary.groupBy("id").count().where("id is null or count > 1").limit(1)
            ).collect()
        if bad:
            id, times = bad[0]
            problem = "is null" if id is None else f"{id!r} occurs {times} times"
            raise InvalidTermError(
                f"the column {name!r} (id): {problem}, and each entry needs an id of its own"
            )

    def _count(self) -> int:
        """Counts the entries, and returns the bytes of their text."""
        totals = self._vocabulary.agg(
            F.count(F.lit(1)), F.coalesce(F.sum(F.octet_length("term")), F.lit(0))
        ).head()
        assert totals is not None  # an aggregate has a row
        self.entries, text_bytes = totals
        return int(text_bytes)

    def _partitioned(self) -> DataFrame:
        """The first exchange: blocks of terms, in the partitions of their terms."""
        task = TermsTask(self._analyzer, self._partition_keys, self._fields)
        vocabulary = self._vocabulary
        if not has_stable_order(vocabulary):
            # By all columns: equal terms may differ in the others.
            vocabulary = vocabulary.sortWithinPartitions(*vocabulary.columns)
        sent = vocabulary.mapInArrow(task, "partition int, block binary")
        made = sent.repartition(self.partitions, "partition").select("block")
        # An exchange of an RDD is made once, and Spark keeps it as long as the RDD is used. That of
        # a data frame would be planned and made again by each job.
        spark = vocabulary.sparkSession
        rows = made._jdf.toJavaRDD()
        return type(made)(spark._jsparkSession.createDataFrame(rows, made._jdf.schema()), spark)

    def _statistics(self, shape: FilterShape) -> Broadcasts:
        """Step 2."""
        sample = sample_terms(self.entries, self.partitions)
        reported = reported_ngrams(self.partitions)
        task = StatisticsTask(self._analyzer, self._fields, shape.slices, sample, reported)
        made = self._terms.mapInArrow(task, STATISTICS_SCHEMA)
        if shape.slices > 1:
            made = made.repartition(min(shape.slices, _MAX_FILTER_PARTITIONS), "slice")
            made = made.mapInArrow(FilterTask(shape), STATISTICS_SCHEMA)
        statistics = gathered(made.toArrow())
        self.skipped = self.entries - statistics.entries
        slices = statistics.filter_slices
        # A single slice is so small that the driver makes it from the entries of all tasks.
        words = shape.words(0, slices) if shape.slices == 1 else b"".join(slices)
        return Broadcasts(
            self._analyzer.key,
            shape,
            self._context.broadcast(words),
            self._context.broadcast(table_bytes(statistics.frequent_ngrams)),
        )

    def terms(self) -> DataFrame:
        """The terms: term (its surface or id), length, and weight if there are weights."""
        weight = ", weight double" if self._fields.weights else ""
        schema = f"term {self._fields.id_type}, length int{weight}"
        return self._terms.mapInArrow(RowsTask(self._fields), schema)

    def pairs(self) -> DataFrame:
        """The pairs: nested, super, start, and the weight of the super term if there are any."""
        type = self._fields.id_type
        weight = ", weight double" if self._fields.weights else ""
        task = NGramsTask(self._analyzer, self._partition_keys, self._fields, self._broadcasts)
        sent = self._terms.mapInArrow(task, "partition int, kind int, block binary")
        # The terms of a partition come before the n-grams that may equal them.
        received = sent.repartition(self.partitions, "partition").sortWithinPartitions("kind")
        return received.mapInArrow(
            PairsTask(self._fields), f"nested {type}, super {type}, start int{weight}"
        )

    def with_ids(self, made: DataFrame, *columns: str) -> DataFrame:
        """Casts ids of pairs or terms to the type of the id column.

        Only at the end: two different ids may be equal in that type, with a collation for instance.
        """
        if self._id_type in (None, self._fields.id_type):
            return made
        return made.withColumns({name: F.col(name).cast(self._id_type) for name in columns})


def _check_least(name: str, number: int, least: int) -> None:
    if not (isinstance(number, int) and number >= least):
        raise InvalidOptionError(
            option=name, value=repr(number), expected=f"it must be a number of {least} or more"
        )
