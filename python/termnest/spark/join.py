"""The join that makes pairs and scores, as the driver plans it.

The steps:

1. The *facts*: a sample of the terms gives the n-grams that occur in very many of them. If terms
   have many n-grams, a pass over the vocabulary also makes a filter of all terms. Both are
   broadcast.
2. The entries become terms with the fingerprints of their keys, and go to the *partition* of their
   fingerprint. Equal terms meet there.
3. Each partition makes the n-grams of its terms. The frequent ones stay: they are half of all
   n-grams, and would pile up in one partition. The few terms that equal them go to all partitions
   instead. The filter lets those of the others through that may be terms, and they go to the
   partition of their fingerprint.
4. In each partition, a term and an n-gram with the same fingerprint are a pair.

Step 1 is done when a `Join` is made, the others when Spark computes the data frame. All of them are
data frames, so that they run on Spark Connect too. They are made by methods of data frames and SQL
only: `pyspark.sql.functions` makes columns for one kind of session.

Spark moves *blocks*, thousands of large rows, where its own join would move billions of small ones.
The core makes and reads them (src/join), on Arrow columns: there is no Python object for a term.
"""

from __future__ import annotations

import math
import re
import secrets
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING, TypedDict

import pyarrow as pa
from pyspark.sql.types import IntegralType, NumericType, StringType

from termnest import _core
from termnest.errors import InvalidOptionError, InvalidTermError, InvalidTextError
from termnest.options import Case, Hyphens, Normalize, Tokenizer, analysis_of
from termnest.spark.batches import map_batches
from termnest.spark.columns import check_frame, check_strings, column_type, quoted, wrong_type
from termnest.spark.executor_errors import errors_of_executors
from termnest.spark.tasks import (
    CHECKSUMS,
    FREQUENT_NGRAMS,
    Analyzer,
    NGramsTask,
    PairsTask,
    RowsTask,
    SharesTask,
    TermFields,
    TermsTask,
)
from termnest.spark.term_filter import FilterShape, filter_shape
from termnest.spark.vocabulary_statistics import (
    ENTRIES_SCHEMA,
    SAMPLE_SCHEMA,
    EntriesTask,
    FilterTask,
    Sample,
    SampleTask,
    filter_words,
    sample_terms,
    total_checksums,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

# Bytes of a partition that its tasks exchange, which a Python worker keeps in memory: 64 MB at
# most, less if that would leave cores without work, but no less than 1 MB.
_MOST_PARTITION_BYTES = 64 << 20
_LEAST_PARTITION_BYTES = 1 << 20
# Bytes that a term takes in an exchange besides its text: its fingerprint, its length, its id.
_TERM_BYTES = 64
# Terms with at most this many n-grams, in the mean, need no filter: to make it takes longer than to
# exchange the n-grams that are not terms. A term of more bytes can have very many n-grams, and only
# such a term can be too long.
_FEW_NGRAMS = 4
_LONG_BYTES = 512
# A weight that cannot be, in SQL.
_BAD_WEIGHT = "weight is null or isnan(weight) or weight < 0 or weight = double('Infinity')"
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
    partitions: int
    """The number of partitions."""
    observe_entries: Callable[[DataFrame], DataFrame] | None = None
    """Observes the column `entries` of a data frame, whose sum is the number of entries that have a
    token."""

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
        self._analyzer = Analyzer(analysis, secrets.token_bytes(32))
        with errors_of_executors():
            text_bytes, longest, tasks = self._count(id)
            exchanged = 2 * (text_bytes + _TERM_BYTES * self.entries)
            self.partitions = partitions or _best_partitions(exchanged, tasks)
            sample = self._sample()
            self._facts = {FREQUENT_NGRAMS: sample.frequent_ngrams}
            self._shape = FilterShape(0, 0, 1)
            if longest > _LONG_BYTES or sample.ngrams_of_a_term > _FEW_NGRAMS:
                entries = self.entries
                if options["tokenizer"] == "chars":  # terms of many tokens have several entries
                    mean = max(text_bytes / max(self.entries, 1), 8)
                    entries = int(self.entries * (1 + math.log2(mean / 8)))
                self._shape = filter_shape(entries, filter_bytes)
                self._make_filter()

    def _select(self, df: DataFrame, term: str, id: str | None, weight: str | None) -> None:
        """Checks the columns and selects them, as `term`, `id` and `weight`."""
        check_frame("df", df)
        check_strings(df, term, "term")
        columns = [f"cast({quoted(term)} as string) as term"]
        self._id_type: str | None = None
        long = False
        if id is not None:
            found = column_type(df, id, "id")
            if not isinstance(found, IntegralType | StringType):
                raise wrong_type("id", id, found, "integers or strings")
            self._id_type = found.simpleString()
            long = isinstance(found, IntegralType)
            columns.append(f"cast({quoted(id)} as {'long' if long else 'string'}) as id")
        if weight is not None:
            found = column_type(df, weight, "weight")
            if not isinstance(found, NumericType):
                raise wrong_type("weight", weight, found, "numbers")
            columns.append(f"cast({quoted(weight)} as double) as weight")
        self._fields = TermFields(id is not None, long, weight is not None, occurrences=False)
        self._vocabulary = df.selectExpr(*columns)

    def _count(self, id: str | None) -> tuple[int, int, int]:
        """Counts the entries, and returns the bytes of their text, those of the longest and the
        number of tasks that read them. Checks the ids, the weights and the text."""
        vocabulary = self._vocabulary.selectExpr("*", "spark_partition_id() as task")
        sums = {
            "entries": "count(1)",
            "bytes": "coalesce(sum(octet_length(term)), 0)",
            "longest": "coalesce(max(octet_length(term)), 0)",
            "tasks": "coalesce(max(task), 0) + 1",
            "not_utf8": "count_if(not is_valid_utf8(term))",
        }
        if self._fields.ids:
            sums["ids"] = "count(distinct id)"
        if self._fields.weights:
            sums["bad_weights"] = f"count_if({_BAD_WEIGHT})"
        found = vocabulary.selectExpr(*[f"{sum} as {name}" for name, sum in sums.items()]).head()
        assert found is not None  # an aggregate has a row
        self.entries = found["entries"]
        if found["not_utf8"]:
            raise InvalidTextError("the vocabulary has text that is not UTF-8: convert it first")
        if self._fields.ids and found["ids"] < self.entries:
            times = self._vocabulary.groupBy("id").count().where("id is null or count > 1")
            for bad, count in times.limit(1).collect():
                problem = "is null" if bad is None else f"{bad!r} occurs {count} times"
                raise InvalidTermError(
                    f"the column {id!r} (id): {problem}, and each entry needs an id of its own"
                )
        if self._fields.weights and found["bad_weights"]:
            bad_rows = self._vocabulary.where(_BAD_WEIGHT).select("term", "weight")
            for term, weight in bad_rows.limit(1).collect():
                shown = "null" if weight is None else weight
                raise InvalidTermError(
                    f"the weight of {term!r} is {shown}, and a weight must be a finite number of "
                    "zero or more"
                )
        return found["bytes"], found["longest"], found["tasks"]

    def _sample(self) -> Sample:
        """The first part of step 1."""
        vocabulary, size = self._vocabulary, sample_terms(self.entries)
        if size < self.entries:
            vocabulary = vocabulary.sample(fraction=size / self.entries, seed=1)
        task = SampleTask(self._analyzer, size)
        return Sample.of(map_batches(vocabulary, task, SAMPLE_SCHEMA).toArrow())

    def _make_filter(self) -> None:
        """The second part of step 1."""
        shape = self._shape
        task = EntriesTask(self._analyzer, self.partitions, shape.slices)
        made = map_batches(self._in_order(), task, ENTRIES_SCHEMA)
        if shape.slices > 1:
            made = made.repartition(min(shape.slices, _MAX_FILTER_PARTITIONS), "slice")
            made = map_batches(made, FilterTask(shape), ENTRIES_SCHEMA)
        rows = made.toArrow()
        self._facts[CHECKSUMS] = total_checksums(rows, self.partitions)
        if shape.slices:
            self._facts.update(enumerate(filter_words(rows, shape)))

    def _in_order(self) -> DataFrame:
        """The vocabulary, with the rows of a partition in the same order whenever it is read."""
        vocabulary = self._vocabulary
        if _has_stable_order(vocabulary):
            return vocabulary
        # By all columns: equal terms may differ in the others.
        return vocabulary.sortWithinPartitions(*vocabulary.columns)

    def _partitioned(self) -> DataFrame:
        """Step 2: blocks of terms in their partitions, and the facts in each of them."""
        spark = self._vocabulary.sparkSession
        task = TermsTask(self._analyzer, self.partitions, self._fields)
        schema = "partition int, block binary, entries long"
        sent = map_batches(self._in_order(), task, schema)
        if self.observe_entries is not None:
            sent = self.observe_entries(sent)
        sent = sent.selectExpr("partition", "block", "cast(null as boolean) as marker")
        # A row in each partition, which the facts are joined with.
        markers = spark.range(0, self.partitions, 1, 1).selectExpr(
            "cast(id as int) as partition", "cast(null as binary) as block", "true as marker"
        )
        received = sent.unionByName(markers).repartitionById(self.partitions, "partition")
        facts = {
            "marker": pa.array([True] * len(self._facts)),
            "fact": pa.array(self._facts.keys(), pa.int32()),
            "data": pa.array(self._facts.values(), pa.binary()),
        }
        known = spark.createDataFrame(pa.table(facts)).hint("broadcast")
        return received.join(known, "marker", "left").drop("marker")

    def terms(self) -> DataFrame:
        """The terms: term (its surface or id), length, and weight if there are weights."""
        weight = ", weight double" if self._fields.weights else ""
        schema = f"term {self._fields.id_type}, length int{weight}"
        return map_batches(self._partitioned(), RowsTask(self._fields), schema)

    def pairs(self) -> DataFrame:
        """The pairs: nested, super and start."""
        return self._pairs(self._fields)

    def _pairs(self, fields: TermFields) -> DataFrame:
        """Steps 3 and 4."""
        task = NGramsTask(self._analyzer, self.partitions, fields, self._shape)
        sent = map_batches(self._partitioned(), task, "partition int, terms binary, ngrams binary")
        received = sent.repartitionById(self.partitions, "partition")
        schema = f"nested {fields.id_type}, super {fields.id_type}, start int"
        schema += ", weight double" if fields.weights else ""
        schema += ", length int, repeats binary" if fields.occurrences else ""
        return map_batches(received, PairsTask(fields), schema)

    def shares(self) -> DataFrame:
        """The pairs: nested, super, the weight of the super term if there are any, and the share of
        it that counts for the nested one (src/join/shares.rs)."""
        fields = replace(self._fields, occurrences=True)
        pairs = self._pairs(fields).repartition("super").sortWithinPartitions("super")
        schema = f"nested {fields.id_type}, super {fields.id_type}"
        schema += ", weight double" if fields.weights else ""
        return map_batches(pairs, SharesTask(), f"{schema}, share double")

    def with_ids(self, made: DataFrame, *columns: str) -> DataFrame:
        """Casts ids of pairs or terms to the type of the id column.

        Only at the end: two different ids may be equal in that type, with a collation for instance.
        """
        if self._id_type in (None, self._fields.id_type):
            return made
        cast = {name: f"cast({name} as {self._id_type}) as {name}" for name in columns}
        return made.selectExpr(*[cast.get(name, name) for name in made.columns])


def _best_partitions(exchanged: int, tasks: int) -> int:
    """The number of partitions for this many bytes of a vocabulary that is read by some tasks.

    At least two for each of these tasks, which are about as many as there are cores, unless they
    would be small; and all cores have about as many.
    """
    least = min(2 * tasks, -(-exchanged // _LEAST_PARTITION_BYTES))
    best = max(-(-exchanged // _MOST_PARTITION_BYTES), least, 1)
    return best if best < tasks else -(-best // tasks) * tasks


def _has_stable_order(frame: DataFrame) -> bool:
    """Whether a task that is repeated gets its rows in the same order again.

    It does if they come from files without an exchange. Of other sources nothing is known.
    """
    with redirect_stdout(StringIO()) as plan:
        frame.explain()
    scans = set(re.findall(r"\w*Scan\b", plan.getvalue()))
    return scans <= {"FileScan", "LocalTableScan"} and "Exchange" not in plan.getvalue()


def _check_least(name: str, number: int, least: int) -> None:
    if not (isinstance(number, int) and number >= least):
        raise InvalidOptionError(
            option=name, value=repr(number), expected=f"it must be a number of {least} or more"
        )
