"""The facts about the whole vocabulary, which the driver broadcasts to the executors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from termnest import _core
from termnest.spark.term_filter import FilterShape
from termnest.spark.worker_cache import cached

if TYPE_CHECKING:
    from pyspark import Broadcast


@dataclass(frozen=True)
class Broadcasts:
    """The filter and the frequent n-grams."""

    key: bytes
    """The key of the job's fingerprints, by which the worker caches what it makes."""
    shape: FilterShape
    filter_words: Broadcast[bytes]
    frequent_ngrams: Broadcast[bytes]

    def filter(self) -> _core.TermFilter | None:
        """The filter, if there is one."""
        if not self.shape.slices:
            return None
        made: _core.TermFilter = cached(
            ("filter", self.key),
            lambda: _core.TermFilter(self.filter_words.value, self.shape.bits),
        )
        return made

    def frequent(self) -> _core.FrequentNGrams:
        """The frequent n-grams."""

        def make() -> _core.FrequentNGrams:
            table = pa.ipc.open_stream(self.frequent_ngrams.value).read_all()
            return _core.FrequentNGrams(table["high"], table["low"])

        made: _core.FrequentNGrams = cached(("frequent", self.key), make)
        return made


def table_bytes(table: pa.Table) -> bytes:
    """A table as bytes, which can be broadcast."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed
