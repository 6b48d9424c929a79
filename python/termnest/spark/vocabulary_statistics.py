"""The statistics of the vocabulary: its frequent n-grams, its filter, its checksums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from termnest import _core
from termnest.spark.batches import Batches, batch_of
from termnest.spark.tasks import Analyzer
from termnest.spark.term_filter import FilterShape

# N-grams that one task counts. Of more, those in only one term of the sample are left out.
_COUNTED_NGRAMS = 20_000
# An n-gram is frequent if it is in this many terms of the sample.
LEAST_COUNT = 2
# Frequent n-grams, the most frequent ones: about 2 MB in each Python worker.
FREQUENT_NGRAMS = 50_000


def sample_terms(entries: int) -> int:
    """How many terms the sample has.

    An n-gram in a thousandth of all terms is in 100,000 of them a hundred times. A larger
    vocabulary has more partitions, and a rarer n-gram can be too much for one of them, so the
    sample is at least one term in 50,000.
    """
    return max(100_000, entries // 50_000)


# N-grams with the number of terms of the sample that have them; of each task a row without an
# n-gram, with the number of its terms and that of their n-grams.
SAMPLE_SCHEMA = "ngram binary, count long, ngrams long"


@dataclass(frozen=True)
class SampleTask:
    """Counts the n-grams of a part of the sample."""

    analyzer: Analyzer
    sample: int
    """The terms of the whole sample."""

    def __call__(self, batches: Batches) -> Batches:
        """Entries to rows of `SAMPLE_SCHEMA`."""
        analyzer, counter = self.analyzer.native(), _core.NGramCounts()
        for batch in batches:
            counter.add(analyzer, batch["term"])
        counts = batch_of(counter.counts(_COUNTED_NGRAMS))
        # All tasks report about four times as many as are kept.
        reported = int(4 * FREQUENT_NGRAMS * counter.terms / self.sample)
        reported = max(FREQUENT_NGRAMS // 25, reported)
        if len(counts) > reported:
            order = pc.sort_indices(counts, [("count", "descending")])
            counts = counts.take(order.slice(0, reported))
        ngrams = [*counts["ngram"].to_pylist(), None]
        numbers = [*counts["count"].to_pylist(), counter.terms]
        yield _batch(ngram=ngrams, count=numbers, ngrams=[None] * len(counts) + [counter.ngrams])


@dataclass(frozen=True)
class Sample:
    """What the sample says of the vocabulary."""

    frequent_ngrams: bytes
    """Their fingerprints, the most frequent first."""
    ngrams_of_a_term: float
    """Their mean number."""

    @classmethod
    def of(cls, table: pa.Table) -> Sample:
        """From the rows of all tasks."""
        is_total = pc.is_null(table["ngram"])
        totals = table.filter(is_total)
        terms, ngrams = pc.sum(totals["count"]).as_py(), pc.sum(totals["ngrams"]).as_py()
        counts = table.filter(pc.invert(is_total)).group_by("ngram").aggregate([("count", "sum")])
        frequent = counts.filter(pc.greater_equal(counts["count_sum"], LEAST_COUNT))
        frequent = frequent.sort_by([("count_sum", "descending")]).slice(0, FREQUENT_NGRAMS)
        return cls(b"".join(frequent["ngram"].to_pylist()), (ngrams or 0) / (terms or 1))


# Entries or words of a slice of the filter; of each task a row with its checksums.
ENTRIES_SCHEMA = "slice int, filter binary, checksums binary"


@dataclass(frozen=True)
class EntriesTask:
    """Finds the entries of the filter, the checksums, and terms that are too long."""

    analyzer: Analyzer
    partitions: int
    slices: int

    def __call__(self, batches: Batches) -> Batches:
        """Entries of the vocabulary to rows of `ENTRIES_SCHEMA`."""
        analyzer = self.analyzer.native()
        entries = _core.FilterEntries(self.slices, self.partitions)
        for batch in batches:
            entries.add(analyzer, batch["term"])
            if entries.full:
                yield self._rows(entries)
        yield self._rows(entries)
        yield _batch(slice=[None], filter=[None], checksums=[entries.checksums])

    def _rows(self, entries: _core.FilterEntries) -> pa.RecordBatch:
        made = entries.take()
        return _batch(slice=range(self.slices), filter=made, checksums=[None] * self.slices)


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
            yield _batch(slice=[slice], filter=[self.shape.words(slice, packed)], checksums=[None])


def filter_words(table: pa.Table, shape: FilterShape) -> list[bytes]:
    """The words of the filter by slices, from the rows of all tasks."""
    slices = table.filter(pc.is_valid(table["slice"])).sort_by("slice")["filter"].to_pylist()
    # A single slice was not made by a task: it is so small that the driver can do it.
    return [shape.words(0, slices)] if shape.slices == 1 else slices


def total_checksums(table: pa.Table, partitions: int) -> bytes:
    """The checksums of all partitions, from the rows of all tasks."""
    # Each has room for the sum of all tasks, so that they can be added as one number.
    made = table["checksums"].drop_null().to_pylist()
    total = sum(int.from_bytes(checksums, "little") for checksums in made)
    return total.to_bytes(16 * partitions, "little")


_TYPES = {"slice": pa.int32(), "count": pa.int64(), "ngrams": pa.int64()}


def _batch(**columns: Any) -> pa.RecordBatch:
    arrays = [pa.array(column, _TYPES.get(name, pa.binary())) for name, column in columns.items()]
    return pa.RecordBatch.from_arrays(arrays, list(columns))
