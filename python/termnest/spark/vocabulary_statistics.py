"""The statistics of the vocabulary: its filter, its frequent n-grams, its checksums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from termnest import _core
from termnest.errors import InvalidTermError, InvalidTextError, TermTypeError
from termnest.spark.batches import Batches, batch_of
from termnest.spark.tasks import Analyzer
from termnest.spark.term_filter import FilterShape

# Terms in the sample that gives the frequent n-grams: an n-gram in a thousandth of all terms is in
# it a hundred times. A larger vocabulary has more partitions, and a rarer n-gram can be too much
# for one of them, so it is at least one term in 50,000.
_SAMPLE_TERMS = 100_000
_SAMPLE_STEP = 50_000
# N-grams that one task counts. Of more, those in only one term of the sample are left out.
_COUNTED_NGRAMS = 20_000
# An n-gram is frequent if it is in this many terms of the sample.
LEAST_COUNT = 2
# Frequent n-grams, the most frequent ones: about 2 MB in each Python worker.
FREQUENT_NGRAMS = 50_000

# There are three kinds of rows: entries or words of a slice of the filter; an n-gram, as its
# fingerprint, with its count; the number of entries that one task has read, with their checksums.
STATISTICS_SCHEMA = "slice int, filter binary, ngram binary, count long, checksums binary"
_TYPES = {
    "slice": pa.int32(),
    "filter": pa.binary(),
    "ngram": pa.binary(),
    "count": pa.int64(),
    "checksums": pa.binary(),
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
    """Makes the statistics of a part of the vocabulary, and finds what is wrong in it."""

    analyzer: Analyzer
    partitions: int
    filter_slices: int
    entries: int
    """The entries of the whole vocabulary."""

    def __call__(self, batches: Batches) -> Batches:
        """Entries to rows of `STATISTICS_SCHEMA`."""
        analyzer = self.analyzer.native()
        sample = max(_SAMPLE_TERMS, self.entries // _SAMPLE_STEP) / max(self.entries, 1)
        statistics = _core.PartitionStatistics(self.partitions, self.filter_slices, min(sample, 1))
        for batch in batches:
            if "weight" in batch.schema.names:
                _check_weights(batch)
            try:
                statistics.add(analyzer, batch["term"])
            except TermTypeError as error:
                if "UTF8" not in str(error):
                    raise
                raise InvalidTextError(
                    "the vocabulary has text that is not UTF-8: convert it first"
                ) from error
            if statistics.full:
                yield self._filter(statistics)
        yield self._filter(statistics)
        counts = batch_of(statistics.counts(_COUNTED_NGRAMS))
        # All tasks report about four times as many as are kept.
        share = statistics.sampled / max(sample * self.entries, 1)
        reported = max(FREQUENT_NGRAMS // 25, int(4 * FREQUENT_NGRAMS * share))
        if len(counts) > reported:
            # By both columns, so that it is the same when the task is repeated.
            order = [("count", "descending"), ("ngram", "ascending")]
            counts = counts.take(pc.sort_indices(counts, order).slice(0, reported))
        yield statistics_batch(ngram=counts["ngram"], count=counts["count"])
        yield statistics_batch(count=[statistics.entries], checksums=[statistics.checksums])

    def _filter(self, statistics: _core.PartitionStatistics) -> pa.RecordBatch:
        return statistics_batch(slice=range(self.filter_slices), filter=statistics.take_filter())


def _check_weights(batch: pa.RecordBatch) -> None:
    weights = batch["weight"]
    good = pc.and_(pc.is_finite(weights), pc.greater_equal(weights, 0)).fill_null(False)
    bad = pc.index(good, False).as_py()
    if bad >= 0:
        term, weight = batch["term"][bad].as_py(), weights[bad].as_py()
        shown = "null" if weight is None else weight
        raise InvalidTermError(
            f"the weight of {term!r} is {shown}, and a weight must be a finite number of zero or "
            "more"
        )


@dataclass(frozen=True)
class FilterTask:
    """Makes slices of the filter."""

    shape: FilterShape

    def __call__(self, batches: Batches) -> Batches:
        """The entries of slices to their words. Rows without a slice pass unchanged."""
        entries: dict[int, list[bytes]] = {}
        for batch in batches:
            in_filter = pc.is_valid(batch["slice"])
            rows = batch.filter(in_filter)
            slices, data = rows["slice"].to_pylist(), rows["filter"].to_pylist()
            for slice, part in zip(slices, data, strict=True):
                entries.setdefault(slice, []).append(part)
            yield batch.filter(pc.invert(in_filter))
        for slice, packed in entries.items():
            yield statistics_batch(slice=[slice], filter=[self.shape.words(slice, packed)])


@dataclass(frozen=True)
class Statistics:
    """The statistics of the whole vocabulary."""

    entries: int
    """Entries that are terms."""
    filter_slices: list[bytes]
    frequent_ngrams: bytes
    """Their fingerprints, the most frequent first."""
    checksums: bytes
    """Those of the partitions, of 16 bytes each."""


def gathered(table: pa.Table, partitions: int) -> Statistics:
    """The statistics of the whole vocabulary, from the rows of all tasks."""
    slices = table.filter(pc.is_valid(table["slice"])).sort_by("slice")["filter"].to_pylist()
    totals = table.filter(pc.is_valid(table["checksums"]))
    # Each has room for the sum of all tasks, so that those of all partitions can be added as one
    # number.
    sums = totals["checksums"].to_pylist()
    checksums = sum(int.from_bytes(checksums, "little") for checksums in sums)
    counts = table.filter(pc.is_valid(table["ngram"])).select(["ngram", "count"])
    counts = counts.group_by("ngram").aggregate([("count", "sum")])
    frequent = counts.filter(pc.greater_equal(counts["count_sum"], LEAST_COUNT))
    frequent = frequent.sort_by([("count_sum", "descending")]).slice(0, FREQUENT_NGRAMS)
    return Statistics(
        pc.sum(totals["count"]).as_py() or 0,
        slices,
        b"".join(frequent["ngram"].to_pylist()),
        checksums.to_bytes(16 * partitions, "little"),
    )
