"""The tasks of the join, which run on executors. Each is pickled, and called with the batches of a
partition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from termnest import _core
from termnest.errors import InvalidTermError, InvalidTextError, TermTypeError
from termnest.spark.batches import Batches, batch_of, batch_of_blocks, blocks_in_order
from termnest.spark.worker_cache import cached

if TYPE_CHECKING:
    from termnest.spark.broadcasts import Broadcasts

# The kinds of blocks of the second exchange; terms come before n-grams.
_TERMS, _FREQUENT_TERMS, _NGRAMS, _FREQUENT_NGRAMS = range(4)


@dataclass(frozen=True)
class TermFields:
    """Which columns the vocabulary has besides terms."""

    ids: bool
    """There is an id column; without one, the terms' surfaces are the ids."""
    long: bool
    """The ids are integers."""
    weights: bool

    @property
    def id_type(self) -> str:
        """The type of ids in Spark."""
        return "bigint" if self.long else "string"


@dataclass(frozen=True)
class Analyzer:
    """The analysis of a job, and the key of its fingerprints."""

    analysis: _core._Analysis
    key: bytes

    def native(self) -> _core.TermAnalyzer:
        """The analyzer of the core."""
        made: _core.TermAnalyzer = cached(
            ("analyzer", self.key), lambda: _core.TermAnalyzer(self.analysis, self.key)
        )
        return made


@dataclass(frozen=True)
class TermsTask:
    """The first exchange."""

    analyzer: Analyzer
    partition_keys: list[int]
    fields: TermFields

    def __call__(self, batches: Batches) -> Batches:
        """Entries to blocks of terms."""
        analyzer = self.analyzer.native()
        fields, keys = self.fields, self.partition_keys
        sender = _core.TermSender(len(keys), fields.ids, fields.long, fields.weights)
        for batch in batches:
            if fields.weights:
                _check_weights(batch)
            try:
                sender.add(
                    analyzer,
                    batch["term"],
                    batch["id"] if fields.ids else None,
                    batch["weight"] if fields.weights else None,
                )
            except TermTypeError as error:
                if "UTF8" not in str(error):
                    raise
                raise InvalidTextError(
                    "the vocabulary has text that is not UTF-8: convert it first"
                ) from error
            if sender.full:
                yield batch_of_blocks(keys, sender.take())
        yield batch_of_blocks(keys, sender.take())


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


def _term_table(batches: Batches, fields: TermFields) -> _core.TermTable:
    """The terms of a partition."""
    table = _core.TermTable(fields.ids, fields.long, fields.weights)
    for block in blocks_in_order(batches):
        table.add_block(block)
    return table


@dataclass(frozen=True)
class RowsTask:
    """The terms as rows of Spark, for the scores."""

    fields: TermFields

    def __call__(self, batches: Batches) -> Batches:
        """Blocks of terms to the terms of the partition, each once."""
        table = _term_table(batches, self.fields)
        first = 0
        while first < len(table):
            rows, first = table.rows(first)
            yield batch_of(rows)


@dataclass(frozen=True)
class NGramsTask:
    """The second exchange."""

    analyzer: Analyzer
    partition_keys: list[int]
    fields: TermFields
    broadcasts: Broadcasts

    def __call__(self, batches: Batches) -> Batches:
        """Blocks of terms to blocks of terms and n-grams."""
        table = _term_table(batches, self.fields)
        analyzer = self.analyzer.native()
        filter, frequent = self.broadcasts.filter(), self.broadcasts.frequent()
        keys = self.partition_keys
        first = 0
        while first < len(table):
            out, first = table.outgoing(analyzer, first, len(keys), filter, frequent)
            for kind, blocks in enumerate(out):
                if kind == _FREQUENT_TERMS:
                    blocks = blocks * len(keys)
                yield batch_of_blocks(keys, blocks, kind)


@dataclass(frozen=True)
class PairsTask:
    """The pairs of a partition."""

    fields: TermFields

    def __call__(self, batches: Batches) -> Batches:
        """Blocks of terms, then of n-grams, to pairs."""
        maker = _core.PairMaker(self.fields.long, self.fields.weights)
        add = {_TERMS: maker.add_terms, _FREQUENT_TERMS: maker.add_frequent_terms}
        make = {_NGRAMS: maker.pairs, _FREQUENT_NGRAMS: maker.frequent_pairs}
        for batch in batches:
            for kind, data in zip(batch["kind"].to_pylist(), batch["block"], strict=True):
                block = data.as_py()
                if kind in add:
                    add[kind](block)
                    continue
                at = 0
                while at < len(block):
                    pairs, at = make[kind](block, at)
                    yield batch_of(pairs)
