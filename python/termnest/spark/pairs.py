"""All pairs of a vocabulary that no machine holds: a join of its terms with their n-grams.

The steps:

1. The *survey*, when the function is called: the entries are counted, a sample tells the n-grams
   that stand in very many terms, and one pass over the vocabulary makes a filter of all terms and
   finds those that are frequent. Both are broadcast.
2. The entries become terms with the fingerprints of their keys, and go to the part of their
   fingerprint. There equal surfaces meet.
3. In each part, the n-grams of its terms are made. Those that are frequent are known at once; they
   are half of all, and what would pile up in one part. Of the others, the filter lets those through
   that may be terms, and they go to the part of their fingerprint.
4. In each part, terms and n-grams of one fingerprint are pairs.

What goes from one task to one part is packed (src/parcels.rs): Spark carries thousands of large
rows, not billions of small ones, and its own join would have to see each. The work is done by the
core, on Arrow columns; there is no Python object for a term.
"""

from __future__ import annotations

import secrets
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F  # noqa: N812, which is what all call it
from pyspark.sql.types import IntegralType, NumericType, StringType

from termnest import _core
from termnest.errors import InvalidOptionError, InvalidTermError, TermTypeError
from termnest.index import Normalize, Tokenizer, _analysis
from termnest.spark.session import column_type, errors_of_executors, quoted, string_column

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import DataFrame

Batches = Iterator[pa.RecordBatch]

# A sample of so many entries, at least, tells the frequent n-grams: one that stands in a thousandth
# of all terms is in it a hundred times. The larger the vocabulary, the more parts, and the rarer an
# n-gram may be that is much in one of them.
_SAMPLE = 100_000
_SAMPLE_SHARE = 50_000
# Of more n-grams in one task, those that occur once are not told.
_TOLD = 20_000
# An n-gram is frequent that stands in so many terms of the sample; so many of them are kept.
_OFTEN = 4
_FREQUENT = 50_000
# A frequent key of more variants is left to the join: its terms would not be a small table.
_VARIANTS = 1_000
# Bits of the filter for each entry, if there is room; below the least it keeps too little out.
_FILTER_BITS = 16
_LEAST_FILTER_BITS = 4
# A part of the filter, of so many words, is made by one task.
_FILTER_PART = 1 << 21
# A part of the vocabulary: about so many bytes of what is exchanged.
_PART_BYTES = 64 << 20
# What a task holds of the terms that it has read before it sends them to their parts.
_HELD_BYTES = 64 << 20

FILTER_BYTES = 256 << 20

# What a parcel holds.
_TERMS, _NGRAMS, _FREQUENT_NGRAMS = range(3)
# What a total of the sample is of.
_FILTER_ENTRIES, _TEXT_BYTES = range(2)


def containment_pairs(
    df: DataFrame,
    term: str = "term",
    id: str | None = None,
    *,
    tokenizer: Tokenizer = "whitespace",
    separator: str | None = None,
    lowercase: bool = False,
    strip_accents: bool = False,
    normalize: Normalize | None = None,
    parts: int | None = None,
    filter_bytes: int = FILTER_BYTES,
) -> DataFrame:
    """Every (nested, super) pair of a vocabulary: what `TermIndex.pairs` gives, in no order.

    The columns are `nested`, `super`, and `start`, the first place of the one in the other, in
    tokens. Without an id column the terms' surfaces stand for them.

    The call reads the vocabulary, to count it and to make a filter of it; the pairs are made when
    the data frame is used. Where `df` is costly to make, cache it before.

    Args:
        df: The vocabulary, a row for each entry. Null entries and those without a token are
            skipped; entries with equal surfaces are one term, which has the least of their ids.
        term: The column of the terms.
        id: The column of their ids, integers or strings, each of which stands once.
        tokenizer, separator, lowercase, strip_accents, normalize: As for `TermIndex`. A function is
            pickled and sent to the executors.
        parts: Into how many parts the vocabulary is dealt; a task each. By default parts of some
            64 MB, and at least two for each core.
        filter_bytes: The memory for the filter that keeps n-grams which are no terms out of the
            exchange, on the driver and in each Python worker: two bytes a term are best. Below half
            a byte a term there is none, and all n-grams are exchanged.

    Raises:
        InvalidOptionError: There is no such column, or an option cannot be.
        InvalidTermError: An id stands twice, or a term is too long.
        TermTypeError: The terms are not strings, or the ids neither integers nor strings.
    """
    analysis = _analysis(tokenizer, separator, lowercase, strip_accents, normalize, 1)
    return Join(df, term, id, None, analysis, parts, filter_bytes).pairs()


def containment_scores(
    df: DataFrame,
    term: str = "term",
    id: str | None = None,
    weight: str | None = None,
    *,
    tokenizer: Tokenizer = "whitespace",
    separator: str | None = None,
    lowercase: bool = False,
    strip_accents: bool = False,
    normalize: Normalize | None = None,
    parts: int | None = None,
    filter_bytes: int = FILTER_BYTES,
) -> DataFrame:
    """What the scores of terminology extraction are made of, a row for each term, in no order.

    The columns are `term` (the id, if there is an id column), and as in `TermIndex.scores`
    `length`, `frequency`, `super_count`, `super_frequency` and `nested_count`, of which
    `c_value_jate`, `basic` and `combo_basic` are made here too. `independent`, and with it
    `c_value` and `c_value_plus_one`, are not: what a term occurs outside of its super terms depends
    on what they occur outside of theirs, which is a join for each length of a term. On one machine
    `TermIndex.scores` has them.

    Args:
        weight: The column of the terms' weights, their frequencies as a rule: numbers of zero or
            more. Those of equal terms add up. 1 for each term without it.

    The other arguments are those of `containment_pairs`.

    Raises:
        InvalidTermError: A weight is no number of zero or more, or what `containment_pairs` raises.
    """
    analysis = _analysis(tokenizer, separator, lowercase, strip_accents, normalize, 1)
    join = Join(df, term, id, weight, analysis, parts, filter_bytes)
    one = "weight" if weight is not None else "1D"
    # Each pair counts for both of its terms; Spark adds up before it exchanges.
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
    return figures.selectExpr(
        "term",
        "length",
        *sums,
        f"log2(length + 0.1) * {own} as c_value_jate",
        _basic("0.72 * super_count", "basic"),
        _basic("0.75 * super_count + 0.1 * nested_count", "combo_basic"),
    )


def _basic(counts: str, name: str) -> str:
    """The sum of Basic and its relatives, as in src/scores.rs."""
    return (
        f"case when frequency <= 0 then 0D when length = 1 then ln(frequency)"
        f" else length * ln(frequency) + {counts} end as {name}"
    )


class Join:
    """The vocabulary of a join, surveyed."""

    count: int
    """The number of entries."""
    skipped: int
    """Those that are null or have no token."""

    def __init__(
        self,
        df: DataFrame,
        term: str,
        id: str | None,
        weight: str | None,
        analysis: _core._Analysis,
        parts: int | None,
        filter_bytes: int,
    ) -> None:
        _core.TermAnalyzer(analysis, bytes(32))  # refuses bad options here, not on executors
        for name, number, least in (("parts", parts, 1), ("filter_bytes", filter_bytes, 0)):
            if number is not None and not (isinstance(number, int) and number >= least):
                raise InvalidOptionError(
                    f"{name} cannot be {number!r}: it must be a number of {least} or more"
                )
        string_column(df, term, "term")
        columns = [F.col(quoted(term)).cast("string").alias("term")]
        self.id_type: str | None = None
        if id is not None:
            found = column_type(df, id, "id")
            if not isinstance(found, IntegralType | StringType):
                raise TermTypeError(
                    f"the column {id!r} (id) is of {found.simpleString()}, and ids are integers or "
                    "strings"
                )
            self.id_type = found.simpleString()
            long = isinstance(found, IntegralType)
            columns.append(F.col(quoted(id)).cast("long" if long else "string").alias("id"))
        self.labels = _Labels(id is not None, id is not None and long, weight is not None)
        if weight is not None:
            if not isinstance(column_type(df, weight, "weight"), NumericType):
                raise TermTypeError(f"the column {weight!r} (weight) is not of numbers")
            columns.append(F.col(quoted(weight)).cast("double").alias("weight"))
        self.entries = df.select(columns)
        if id is not None:
            self._check_ids(id)
        self.analyzer = _Analyzer(analysis, secrets.token_bytes(32))
        with errors_of_executors():
            self.known = self._survey(parts, filter_bytes)

    def _check_ids(self, name: str) -> None:
        with errors_of_executors():
            twice = (
                self.entries.groupBy("id").count().where("id is null or count > 1").limit(1)
            ).collect()
        if twice:
            id, times = twice[0]
            problem = "is null" if id is None else f"{id!r} stands {times} times"
            raise InvalidTermError(
                f"the column {name!r} (id): {problem}, and each entry needs an id of its own"
            )

    # --- the survey ---

    def _survey(self, parts: int | None, filter_bytes: int) -> _Known:
        self.count = self.entries.count()
        frequent, filter_entries, text_bytes = self._sample()
        shape = _filter_shape(filter_entries, filter_bytes)
        context = self.entries.sparkSession.sparkContext
        if parts is None:
            exchanged = 2 * (text_bytes + 64 * self.count)
            parts = max(-(-exchanged // _PART_BYTES), 2 * context.defaultParallelism)
        task = _SurveyTask(self.analyzer, shape, context.broadcast(_packed(frequent)), self.labels)
        id = f", id {self.labels.type}" if self.labels.labelled else ""
        schema = f"part int, data binary, high long, low long, term string{id}"
        made = self.entries.drop("weight").mapInArrow(task, schema)
        if shape.parts > 1:
            made = made.repartition(min(shape.parts, 1000), "part")
            made = made.mapInArrow(_FilterTask(shape), schema)
        table = made.toArrow()
        # Rows of frequent terms have no part; part -1 counts the terms.
        terms = table.filter(pc.is_null(table["part"])).drop_columns(["part", "data"])
        counts = table.filter(pc.equal(table["part"], -1))["data"].to_pylist()
        self.skipped = self.count - sum(struct.unpack("<q", count)[0] for count in counts)
        filter = (
            table.filter(pc.greater_equal(table["part"], 0)).sort_by("part")["data"].to_pylist()
        )
        words = shape.words(0, filter) if shape.parts == 1 else b"".join(filter)
        return _Known(
            self.analyzer.key,
            _part_names(parts),
            shape,
            context.broadcast(words),
            context.broadcast(_packed(self._merged(terms))),
            self.labels,
        )

    def _sample(self) -> tuple[pa.Table, int, int]:
        """The fingerprints that are frequent; about how many entries a filter has, and bytes."""
        entries = self.entries.select("term")
        wanted = max(_SAMPLE, self.count // _SAMPLE_SHARE)
        fraction = min(1.0, wanted / max(self.count, 1))
        if fraction < 1:
            entries = entries.sample(fraction=fraction, seed=1)
        counts = entries.mapInArrow(
            _SampleTask(self.analyzer), "high long, low long, count long"
        ).toArrow()
        counts = counts.group_by(["high", "low"]).aggregate([("count", "sum")])
        counts = counts.rename_columns(["high", "low", "count"])
        # Rows without a fingerprint are totals.
        is_total = pc.is_null(counts["high"])
        totals = counts.filter(is_total)
        filter_entries, text_bytes = (
            int(pc.sum(totals.filter(pc.equal(totals["low"], which))["count"]).as_py() or 0)
            / fraction
            for which in (_FILTER_ENTRIES, _TEXT_BYTES)
        )
        often = pc.and_(pc.invert(is_total), pc.greater_equal(counts["count"], _OFTEN))
        counts = counts.filter(often).sort_by([("count", "descending")])
        return counts.slice(0, _FREQUENT), int(filter_entries), int(text_bytes)

    def _merged(self, terms: pa.Table) -> pa.Table:
        """Frequent terms that came from several tasks, each once; without keys of many variants."""
        keys = ["high", "low", "term"]
        ids = ["id"] if self.labels.labelled else []
        merged = terms.group_by(keys).aggregate([(id, "min") for id in ids])
        merged = merged.rename_columns(keys + ids)
        variants = merged.group_by(["high", "low"]).aggregate([("term", "count")])
        few = variants.filter(pc.less_equal(variants["term_count"], _VARIANTS))
        return merged.join(few.drop_columns(["term_count"]), ["high", "low"], join_type="left semi")

    # --- the exchanges ---

    def _terms_in_parts(self) -> DataFrame:
        task = _TermsTask(self.analyzer, self.known)
        sent = self.entries.mapInArrow(task, "part int, data binary")
        return sent.repartition(len(self.known.parts), "part")

    def terms(self) -> DataFrame:
        """The terms: term (its surface or id), length, and weight if there are weights."""
        weight = ", weight double" if self.labels.weighted else ""
        task = _RowsTask(self.analyzer, self.known)
        terms = self._terms_in_parts().mapInArrow(
            task, f"term {self.labels.type}, length int{weight}"
        )
        return terms.withColumn("term", F.col("term").cast(self.id_type or "string"))

    def pairs(self) -> DataFrame:
        """The pairs: nested, super, start, and the weight of the super term if there are any."""
        type = self.labels.type
        weight = ", weight double" if self.labels.weighted else ""
        sent = self._terms_in_parts().mapInArrow(
            _NGramsTask(self.analyzer, self.known), "part int, kind int, data binary"
        )
        # The terms of a part come before the n-grams that may be one of them.
        parts = sent.repartition(len(self.known.parts), "part").sortWithinPartitions("kind")
        pairs = parts.mapInArrow(
            _PairsTask(self.known), f"nested {type}, super {type}, start int{weight}"
        )
        if self.id_type in (None, type):
            return pairs
        return pairs.withColumns(
            {name: F.col(name).cast(self.id_type) for name in ("nested", "super")}
        )


def _filter_shape(entries: int, filter_bytes: int) -> _FilterShape:
    per_entry = filter_bytes * 8 / max(entries, 1)
    if per_entry < _LEAST_FILTER_BITS:
        return _FilterShape(0, 0, 1)
    bits = min(per_entry, _FILTER_BITS)
    words = int(entries * bits) // 64 + 1
    parts = -(-words // _FILTER_PART)
    return _FilterShape(parts, -(-words // parts), _core.TermFilter.best_bits(bits))


def _part_names(parts: int) -> list[int]:
    """For each part the number that Spark deals to it, and to no other one.

    Spark deals rows by the hash of a column. Counted from 0, some numbers would share a part while
    other parts stayed empty.
    """
    names: dict[int, int] = {}
    name = 0
    while len(names) < parts:
        names.setdefault(_spark_hash(name) % parts, name)
        name += 1
    return [names[part] for part in range(parts)]


def _spark_hash(number: int) -> int:
    """The hash of an int in Spark, the function `hash` of its SQL: MurmurHash3 with seed 42."""
    mask = 0xFFFFFFFF
    key = number * 0xCC9E2D51 & mask
    key = (key << 15 | key >> 17) * 0x1B873593 & mask
    hash = 42 ^ key
    hash = ((hash << 13 | hash >> 19) * 5 + 0xE6546B64) & mask
    hash ^= 4
    hash = (hash ^ hash >> 16) * 0x85EBCA6B & mask
    hash = (hash ^ hash >> 13) * 0xC2B2AE35 & mask
    hash ^= hash >> 16
    return hash - (1 << 32) if hash >> 31 else hash


# --- what runs on executors ---


@dataclass(frozen=True)
class _Labels:
    """What terms are called by."""

    labelled: bool
    """By ids, not by their surfaces."""
    long: bool
    """Ids are numbers."""
    weighted: bool

    @property
    def type(self) -> str:
        return "bigint" if self.long else "string"

    def table(self) -> _core.TermTable:
        return _core.TermTable(self.labelled, self.long, self.weighted)


@dataclass(frozen=True)
class _Analyzer:
    """The analysis of a job, and the key of its fingerprints."""

    analysis: _core._Analysis
    key: bytes

    def native(self) -> _core.TermAnalyzer:
        made: _core.TermAnalyzer = _kept(
            ("analyzer", self.key), lambda: _core.TermAnalyzer(self.analysis, self.key)
        )
        return made


@dataclass(frozen=True)
class _FilterShape:
    """The size of a filter: parts of so many words, in which each entry sets so many bits."""

    parts: int
    part_words: int
    bits: int

    def words(self, part: int, entries: list[bytes]) -> bytes:
        """The words of a part with these entries."""
        return _core.TermFilter.part(part, self.parts, self.part_words, self.bits, entries)


@dataclass(frozen=True)
class _Known:
    """What executors know of the whole vocabulary."""

    key: bytes
    """Of the job's fingerprints, and so of the job."""
    parts: list[int]
    """The names of the parts."""
    shape: _FilterShape
    filter_words: Broadcast[bytes]
    frequent_terms: Broadcast[bytes]
    labels: _Labels

    def filter(self) -> _core.TermFilter | None:
        if not self.shape.parts:
            return None
        made: _core.TermFilter = _kept(
            ("filter", self.key),
            lambda: _core.TermFilter(self.filter_words.value, self.shape.bits),
        )
        return made

    def frequent(self) -> _core.FrequentTerms:
        def make() -> _core.FrequentTerms:
            table = _unpacked(self.frequent_terms.value)
            labels = table["id" if self.labels.labelled else "term"]
            return _core.FrequentTerms(table["high"], table["low"], labels, self.labels.long)

        made: _core.FrequentTerms = _kept(("frequent", self.key), make)
        return made


# What a Python worker keeps between its tasks: the tables of the last jobs.
_KEPT = 8
_keep: dict[Any, Any] = {}


def _kept(name: Any, make: Callable[[], Any]) -> Any:
    if name not in _keep:
        while len(_keep) >= _KEPT:
            del _keep[next(iter(_keep))]
        _keep[name] = make()
    return _keep[name]


def _packed(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def _unpacked(packed: bytes) -> pa.Table:
    return pa.ipc.open_stream(packed).read_all()


def _batch(table: Any) -> pa.RecordBatch:
    """A table of the core."""
    batch = pa.RecordBatchReader.from_stream(table).read_next_batch()
    # All batches of a task must say alike whether there may be nulls.
    return pa.RecordBatch.from_arrays(batch.columns, batch.schema.names)


def _parcels(names: list[int], parcels: list[bytes], kind: int | None = None) -> pa.RecordBatch:
    """A row for each parcel that is not empty."""
    rows = [(name, parcel) for name, parcel in zip(names, parcels, strict=True) if parcel]
    columns = {"part": pa.array([name for name, _ in rows], pa.int32())}
    if kind is not None:
        columns["kind"] = pa.array([kind] * len(rows), pa.int32())
    columns["data"] = pa.array([parcel for _, parcel in rows], pa.binary())
    return pa.RecordBatch.from_pydict(columns)


@dataclass(frozen=True)
class _SampleTask:
    """A sample of the entries to the n-grams in it, with their counts; and totals."""

    analyzer: _Analyzer

    def __call__(self, batches: Batches) -> Batches:
        sample = pa.chunked_array([batch["term"] for batch in batches], pa.string())
        counts, filter_entries = self.analyzer.native().count_ngrams(sample, _TOLD)
        text_bytes = pc.sum(pc.binary_length(sample)).as_py() or 0
        yield _batch(counts)
        columns = {
            "high": [None, None],
            "low": [_FILTER_ENTRIES, _TEXT_BYTES],
            "count": [filter_entries, text_bytes],
        }
        yield pa.RecordBatch.from_pydict(
            {name: pa.array(numbers, pa.int64()) for name, numbers in columns.items()}
        )


@dataclass(frozen=True)
class _SurveyTask:
    """Entries to the entries of a filter, part by part, and to the terms that are frequent."""

    analyzer: _Analyzer
    shape: _FilterShape
    candidates: Broadcast[bytes]
    labels: _Labels

    def __call__(self, batches: Batches) -> Batches:
        analyzer = self.analyzer.native()
        table = _unpacked(self.candidates.value)
        candidates = _core.FrequentTerms(table["high"], table["low"], None, False)
        parts, part_words = self.shape.parts, self.shape.part_words
        total = 0
        filter: list[list[bytes]] = [[] for _ in range(parts)]
        held = 0
        for batch in batches:
            entries, found, count = analyzer.survey(batch["term"], parts, part_words, candidates)
            total += count
            for part, packed in enumerate(entries):
                filter[part].append(packed)
                held += len(packed)
            if held >= _HELD_BYTES:
                yield self._rows(part=range(parts), data=[b"".join(part) for part in filter])
                filter, held = [[] for _ in range(parts)], 0
            terms = _batch(found)
            if len(terms):
                ids = batch["id"].take(terms["row"]) if self.labels.labelled else None
                high, low, term = (terms[name] for name in ("high", "low", "term"))
                yield self._rows(high=high, low=low, term=term.cast(pa.string()), id=ids)
        yield self._rows(part=range(parts), data=[b"".join(part) for part in filter])
        yield self._rows(part=[-1], data=[struct.pack("<q", total)])

    def _rows(self, **columns: Any) -> pa.RecordBatch:
        """Rows of these columns, null in the others."""
        size = len(next(iter(columns.values())))
        types = {
            "part": pa.int32(),
            "data": pa.binary(),
            "high": pa.int64(),
            "low": pa.int64(),
            "term": pa.string(),
        }
        if self.labels.labelled:
            types["id"] = pa.int64() if self.labels.long else pa.string()
        made = {}
        for name, type in types.items():
            column = columns.get(name)
            if column is None:
                column = pa.nulls(size, type)
            made[name] = column if isinstance(column, pa.Array) else pa.array(column, type)
        return pa.RecordBatch.from_pydict(made)


@dataclass(frozen=True)
class _FilterTask:
    """The entries of some parts of a filter to its words. Other rows are passed on."""

    shape: _FilterShape

    def __call__(self, batches: Batches) -> Batches:
        entries: dict[int, list[bytes]] = {}
        schema: Any = []
        for batch in batches:
            schema = batch.schema
            is_part = pc.greater_equal(batch["part"], 0).fill_null(False)
            rows = batch.filter(is_part)
            for part, data in zip(rows["part"].to_pylist(), rows["data"].to_pylist(), strict=True):
                entries.setdefault(part, []).append(data)
            yield batch.filter(pc.invert(is_part))
        for part, packed in entries.items():
            words = self.shape.words(part, packed)
            row: dict[str, pa.Array] = {field.name: pa.nulls(1, field.type) for field in schema}
            row |= {"part": pa.array([part], pa.int32()), "data": pa.array([words], pa.binary())}
            yield pa.RecordBatch.from_pydict(row)


@dataclass(frozen=True)
class _TermsTask:
    """Entries to parcels of terms."""

    analyzer: _Analyzer
    known: _Known

    def __call__(self, batches: Batches) -> Batches:
        analyzer = self.analyzer.native()
        labels = self.known.labels
        sender = _core.TermSender(
            len(self.known.parts), labels.labelled, labels.long, labels.weighted
        )
        for batch in batches:
            if labels.weighted:
                _check_weights(batch)
            sender.add(
                analyzer,
                batch["term"],
                batch["id"] if labels.labelled else None,
                batch["weight"] if labels.weighted else None,
            )
            if len(sender) >= _HELD_BYTES:
                yield _parcels(self.known.parts, sender.take())
        yield _parcels(self.known.parts, sender.take())


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


def _table(batches: Batches, labels: _Labels) -> _core.TermTable:
    """The terms of a part."""
    table = labels.table()
    for batch in batches:
        for parcel in batch["data"]:
            table.add_parcel(parcel.as_py())
    return table


@dataclass(frozen=True)
class _RowsTask:
    """The terms of a part to rows."""

    analyzer: _Analyzer
    known: _Known

    def __call__(self, batches: Batches) -> Batches:
        table = _table(batches, self.known.labels)
        analyzer = self.analyzer.native()
        first = 0
        while first < len(table):
            rows, first = table.rows(analyzer, first)
            yield _batch(rows)


@dataclass(frozen=True)
class _NGramsTask:
    """The terms of a part to parcels of terms and n-grams."""

    analyzer: _Analyzer
    known: _Known

    def __call__(self, batches: Batches) -> Batches:
        table = _table(batches, self.known.labels)
        analyzer = self.analyzer.native()
        filter, frequent = self.known.filter(), self.known.frequent()
        parts = self.known.parts
        first = 0
        while first < len(table):
            terms, ngrams, known, first = table.outgoing(
                analyzer, first, len(parts), filter, frequent
            )
            yield _parcels(parts, terms, _TERMS)
            yield _parcels(parts, ngrams, _NGRAMS)
            yield _parcels(parts, known, _FREQUENT_NGRAMS)


@dataclass(frozen=True)
class _PairsTask:
    """Parcels of terms, then of n-grams, to pairs."""

    known: _Known

    def __call__(self, batches: Batches) -> Batches:
        labels = self.known.labels
        maker = _core.PairMaker(labels.long, labels.weighted)
        for batch in batches:
            for kind, data in zip(batch["kind"].to_pylist(), batch["data"], strict=True):
                parcel = data.as_py()
                if kind == _TERMS:
                    maker.add_terms(parcel)
                    continue
                at = 0
                while at < len(parcel):
                    if kind == _NGRAMS:
                        pairs, at = maker.pairs(parcel, at)
                    else:
                        pairs, at = maker.frequent_pairs(parcel, at, self.known.frequent())
                    yield _batch(pairs)
