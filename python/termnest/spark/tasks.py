"""The tasks of the join, which run on executors. Each is pickled, and called with the batches of a
partition."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from termnest import _core
from termnest.errors import InvalidOptionError
from termnest.spark.batches import Batches, batch_of, batch_of_blocks
from termnest.spark.term_filter import FilterShape

# The numbers of the facts that are not slices of the filter.
FREQUENT_NGRAMS, CHECKSUMS = -1, -2


@dataclass(frozen=True)
class TermFields:
    """Which columns a join has besides terms."""

    ids: bool
    """There is an id column; without one, the terms' surfaces are the ids."""
    long: bool
    """The ids are integers."""
    weights: bool
    occurrences: bool
    """Pairs have the length of the nested term and all of its starts, which the scores need."""

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
        return _core.TermAnalyzer(self.analysis, self.key)


@dataclass(frozen=True)
class TermsTask:
    """The first exchange."""

    analyzer: Analyzer
    partitions: int
    fields: TermFields

    def __call__(self, batches: Batches) -> Batches:
        """Entries to blocks of terms, with the number of entries that are terms."""
        analyzer, fields = self.analyzer.native(), self.fields
        sender = _core.TermSender(self.partitions, fields)
        for batch in batches:
            sender.add(
                analyzer,
                batch["term"],
                batch["id"] if fields.ids else None,
                batch["weight"] if fields.weights else None,
            )
            if sender.full:
                yield self._rows(sender)
        yield self._rows(sender)

    def _rows(self, sender: _core.TermSender) -> pa.RecordBatch:
        rows = batch_of_blocks(block=sender.take())
        # The first row has the entries of all.
        entries = [sender.take_entries(), *[0] * len(rows)][: len(rows)]
        return rows.append_column("entries", pa.array(entries, pa.int64()))


@dataclass(frozen=True)
class _Partition:
    """What a task gets of a partition after the first exchange, and of the whole vocabulary."""

    terms: _core.TermTable
    number: int
    facts: dict[int, bytes]

    @classmethod
    def of(cls, batches: Batches, fields: TermFields) -> _Partition:
        """Reads blocks of terms, and the facts.

        Blocks arrive in any order, and are read in one that is always the same. So a task that is
        repeated, after an executor was lost, makes the same rows again. Spark compares them, and
        ends a job that would mix two different outputs.
        """
        blocks: list[bytes] = []
        facts: dict[int, bytes] = {}
        number = 0
        for batch in batches:
            blocks += batch["block"].drop_null().to_pylist()
            known = batch.filter(pc.is_valid(batch["fact"]))
            facts.update(zip(known["fact"].to_pylist(), known["data"].to_pylist(), strict=True))
            number = batch["partition"][0].as_py() if len(batch) else number
        terms = _core.TermTable(fields)
        for block in sorted(blocks):
            terms.add_block(block)
        return cls(terms, number, facts)


@dataclass(frozen=True)
class RowsTask:
    """The terms as rows of Spark, for the scores."""

    fields: TermFields

    def __call__(self, batches: Batches) -> Batches:
        """Blocks of terms to the terms of the partition, each once."""
        terms = _Partition.of(batches, self.fields).terms
        first = 0
        while first < len(terms):
            rows, first = terms.rows(first)
            yield batch_of(rows)


@dataclass(frozen=True)
class NGramsTask:
    """The second exchange."""

    analyzer: Analyzer
    partitions: int
    fields: TermFields
    shape: FilterShape

    def __call__(self, batches: Batches) -> Batches:
        """Blocks of terms, and the facts, to blocks of terms and n-grams."""
        partition = _Partition.of(batches, self.fields)
        terms, facts = partition.terms, partition.facts
        frequent = _core.FrequentNGrams(facts.pop(FREQUENT_NGRAMS, b""))
        # If there is a filter, it is one of the terms that it was made of.
        checksums = facts.pop(CHECKSUMS, None)
        if checksums is not None and terms.checksum != checksums[16 * partition.number :][:16]:
            raise InvalidOptionError(
                "the vocabulary did not have the same terms each time that it was read: write it "
                "to a file and read that, or persist it"
            )
        words = b"".join(facts[slice] for slice in range(len(facts)))
        filter = _core.TermFilter(words, self.shape.bits) if words else None
        analyzer, first = self.analyzer.native(), 0
        while first < len(terms):
            out, ngrams, first = terms.outgoing(analyzer, first, self.partitions, filter, frequent)
            yield batch_of_blocks(terms=out, ngrams=ngrams)


@dataclass(frozen=True)
class PairsTask:
    """The pairs of a partition."""

    fields: TermFields

    def __call__(self, batches: Batches) -> Batches:
        """Blocks of terms and n-grams to pairs."""
        maker = _core.PairMaker(self.fields)
        received = []
        for batch in batches:
            for block in batch["terms"]:
                maker.add_terms(block.as_py())
            received.append(batch["ngrams"])
        for blocks in received:
            for block in blocks:
                data, at = block.as_py(), 0
                while at < len(data):
                    pairs, at = maker.pairs(data, at)
                    yield batch_of(pairs)


@dataclass(frozen=True)
class SharesTask:
    """What part of each super term counts for each of its nested terms, for the C-value."""

    def __call__(self, batches: Batches) -> Batches:
        """Pairs, sorted by their super terms, to the same with their shares."""
        waiting: list[pa.RecordBatch] = []
        for batch in batches:
            if not len(batch):
                continue
            # The pairs of the last super term may go on in the next batch.
            last = pc.index(batch["super"], batch["super"][-1]).as_py()
            if last > 0 or (waiting and waiting[-1]["super"][-1] != batch["super"][0]):
                yield _with_shares([*waiting, batch.slice(0, last)])
                waiting = []
            waiting.append(batch.slice(last))
        if waiting:
            yield _with_shares(waiting)


def _with_shares(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    pairs = pa.concat_batches(batches)
    ends = pc.run_end_encode(pairs["super"], run_end_type=pa.int64()).run_ends
    start, length = pairs["start"].cast(pa.int64()), pairs["length"].cast(pa.int64())
    shares = batch_of(_core.nested_shares(ends, start, length, pairs["repeats"]))
    kept = [name for name in pairs.schema.names if name not in ("start", "length", "repeats")]
    columns = [pairs[name] for name in kept]
    return pa.RecordBatch.from_arrays([*columns, shares["share"]], [*kept, "share"])
