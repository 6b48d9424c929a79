"""The statistics of the vocabulary: its filter, its frequent n-grams, the number of its entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from termnest import _core
from termnest.spark.batches import Batches, batch_of, blocks_in_order
from termnest.spark.tasks import Analyzer, TermFields

# Terms in the sample that gives the frequent n-grams: an n-gram in a thousandth of all terms is in
# it a hundred times. A larger vocabulary has more partitions, and a rarer n-gram can be too much
# for one of them, so it is at least one term in 50,000.
_SAMPLE_TERMS = 100_000
_SAMPLE_STEP = 50_000
# N-grams that one partition counts. Of more, those in only one term of the sample are left out.
_COUNTED_NGRAMS = 20_000
# An n-gram is frequent if it is in this many terms of the sample.
LEAST_COUNT = 2
# Frequent n-grams, the most frequent ones: about 2 MB in each Python worker.
FREQUENT_NGRAMS = 50_000


def sample_terms(entries: int, partitions: int) -> int:
    """How many terms of each partition are in the sample."""
    return max(_SAMPLE_TERMS, entries // _SAMPLE_STEP) // partitions + 1


def reported_ngrams(partitions: int) -> int:
    """How many n-grams each partition reports to the driver, which gets about four times as many
    as it keeps."""
    return max(FREQUENT_NGRAMS // 25, 4 * FREQUENT_NGRAMS // partitions)


# There are three kinds of rows: entries or words of a slice of the filter; an n-gram, as two halves
# of its fingerprint, with its count; the number of entries of a partition, as a count alone.
STATISTICS_SCHEMA = "slice int, filter binary, high long, low long, count long"
_TYPES = {
    "slice": pa.int32(),
    "filter": pa.binary(),
    "high": pa.int64(),
    "low": pa.int64(),
    "count": pa.int64(),
}


def statistics_batch(**columns: Any) -> pa.RecordBatch:
    """Rows with these columns, and null in the others."""
    size = len(next(iter(columns.values())))
    made = {}
    for name, type in _TYPES.items():
        column = columns.get(name, pa.nulls(size, type))
        made[name] = column if isinstance(column, pa.Array) else pa.array(column, type)
    return pa.RecordBatch.from_pydict(made)


@dataclass(frozen=True)
class StatisticsTask:
    """Makes the statistics of a partition from its terms."""

    analyzer: Analyzer
    fields: TermFields
    filter_slices: int
    sample: int
    reported: int

    def __call__(self, batches: Batches) -> Batches:
        """Blocks of terms to rows of `STATISTICS_SCHEMA`."""
        analyzer = self.analyzer.native()
        fields = self.fields
        statistics = _core.PartitionStatistics(
            fields.ids, fields.weights, self.filter_slices, self.sample
        )
        for block in blocks_in_order(batches):
            statistics.add_block(analyzer, block)
        yield statistics_batch(slice=range(self.filter_slices), filter=statistics.filter())
        counts = batch_of(statistics.counts(_COUNTED_NGRAMS))
        if len(counts) > self.reported:
            # By all columns, so that it is the same when the task is repeated.
            order = [("count", "descending"), ("high", "ascending"), ("low", "ascending")]
            counts = counts.take(pc.sort_indices(counts, order).slice(0, self.reported))
        yield statistics_batch(high=counts["high"], low=counts["low"], count=counts["count"])
        yield statistics_batch(count=[statistics.entries])


@dataclass(frozen=True)
class Statistics:
    """The statistics of all partitions."""

    entries: int
    """Entries that are terms."""
    filter_slices: list[bytes]
    frequent_ngrams: pa.Table
    """The halves of their fingerprints, the most frequent first."""


def gathered(table: pa.Table) -> Statistics:
    """The statistics of all partitions together, from the rows of all tasks."""
    in_filter = pc.is_valid(table["slice"])
    slices = table.filter(in_filter).sort_by("slice")["filter"].to_pylist()
    numbers = table.filter(pc.invert(in_filter)).select(["high", "low", "count"])
    is_total = pc.is_null(numbers["high"])
    entries = pc.sum(numbers.filter(is_total)["count"]).as_py() or 0
    counts = numbers.filter(pc.invert(is_total)).group_by(["high", "low"])
    counts = counts.aggregate([("count", "sum")])
    frequent = counts.filter(pc.greater_equal(counts["count_sum"], LEAST_COUNT))
    frequent = frequent.sort_by([("count_sum", "descending")]).slice(0, FREQUENT_NGRAMS)
    return Statistics(entries, slices, frequent)
