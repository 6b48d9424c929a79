"""All pairs of a vocabulary that no machine holds: a join of its terms with their n-grams.

The steps:

1. The entries become terms with the fingerprints of their keys, and go to the *part* of their
   fingerprint. There equal surfaces meet.
2. The *survey*: all parts together make a filter of the whole vocabulary, and a sample of the terms
   tells the n-grams that stand in very many. Both are broadcast.
3. In each part, the n-grams of its terms are made. The frequent ones, half of all and what would
   pile up in one part, stay; the few terms that they are go to all parts. Of the others, the filter
   lets those through that may be terms, and they go to the part of their fingerprint.
4. In each part, terms and n-grams of one fingerprint are pairs.

Steps 1 and 2 are done when the function is called, 3 and 4 when the data frame is used.

What goes from one task to one part is packed (src/parcels.rs): Spark carries thousands of large
rows, not billions of small ones, as its own join would. The work is done by the core, on Arrow
columns; there is no Python object for a term.
"""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F  # noqa: N812, which is what all call it
from pyspark.sql.types import IntegralType, NumericType, StringType

from termnest import _core
from termnest.errors import (
    InvalidOptionError,
    InvalidTermError,
    InvalidTextError,
    TermTypeError,
)
from termnest.options import Normalize, Tokenizer, analysis_of
from termnest.spark.session import (
    column_type,
    context_of,
    errors_of_executors,
    quoted,
    string_column,
)

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import DataFrame

Batches = Iterator[pa.RecordBatch]

# A sample of at least so many terms tells the frequent n-grams: one that stands in a thousandth of
# all terms is in it a hundred times. The larger the vocabulary, the more parts, and the rarer an
# n-gram may be that is much in one of them.
_SAMPLE = 100_000
_SAMPLE_SHARE = 50_000
# Of more n-grams in one part's sample, those that occur once are not told; and of the others only
# the most frequent, so that the driver gets a few times as many as are kept.
_TOLD = 20_000
# An n-gram is frequent that stands in so many terms of the sample; so many of them are kept.
_OFTEN = 2
_FREQUENT = 50_000
# Bits of the filter for each entry, if there is room; below the least it keeps too little out.
_FILTER_BITS = 16
_LEAST_FILTER_BITS = 4
# A part of the filter, of so many words, is made by one task.
_FILTER_PART = 1 << 21
# A part of the vocabulary: about so many bytes of what is exchanged.
_PART_BYTES = 64 << 20
FILTER_BYTES = 256 << 20

# What a parcel of the second exchange holds; terms come before n-grams.
_TERMS, _FREQUENT_TERMS, _NGRAMS, _FREQUENT_NGRAMS = range(4)


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

    The call itself reads the vocabulary twice: it is counted, then dealt into parts, of which a
    filter is made; once more to check ids, if there are any. The pairs are made when the data frame
    is used. As long as the data frame is there, the executors keep the parts on disk, like any
    exchange of Spark's.

    Args:
        df: The vocabulary, a row for each entry. Null entries and those without a token are
            skipped; entries with equal surfaces are one term, which has the least of their ids.
        term: The column of the terms.
        id: The column of their ids, integers or strings, each of which stands once.
        tokenizer, separator, lowercase, strip_accents, normalize: As for `TermIndex`. A function is
            pickled and sent to the executors.
        parts: Into how many parts the vocabulary is dealt; a task each. By default parts of some
            64 MB, and at least two for each core.
        filter_bytes: The most memory for the filter that keeps n-grams which are no terms out of
            the exchange, on the driver and in each Python worker: two bytes a term are best. Below
            half a byte a term there is none, and all n-grams are exchanged.

    Raises:
        InvalidOptionError: There is no such column, or an option cannot be.
        InvalidTermError: An id stands twice, or a term is too long.
        TermTypeError: The terms are not strings, or the ids neither integers nor strings.
    """
    analysis = analysis_of(tokenizer, separator, lowercase, strip_accents, normalize, 1)
    join = Join(df, term, id, None, analysis, parts, filter_bytes)
    return join.with_ids(join.pairs(), "nested", "super")


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
    analysis = analysis_of(tokenizer, separator, lowercase, strip_accents, normalize, 1)
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
        self.context = context_of(df)
        self.entries = df.select(columns)
        if id is not None:
            self._check_ids(id)
        self.analyzer = _Analyzer(analysis, secrets.token_bytes(32))
        with errors_of_executors():
            totals = self.entries.agg(
                F.count(F.lit(1)), F.coalesce(F.sum(F.octet_length("term")), F.lit(0))
            ).head()
            assert totals is not None  # an aggregate has a row
            self.count, text_bytes = totals
            if parts is None:
                exchanged = 2 * (text_bytes + 64 * self.count)
                parts = max(-(-exchanged // _PART_BYTES), 2 * self.context.defaultParallelism)
            self.parts = _part_names(parts)
            self._in_parts = self._dealt()
            filter_entries = self.count
            if analysis["tokenizer"] == "chars":  # terms of many tokens have several
                mean = max(text_bytes / max(self.count, 1), 8)
                filter_entries = int(self.count * (1 + math.log2(mean / 8)))
            self.known = self._survey(_filter_shape(filter_entries, filter_bytes))

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

    def _dealt(self) -> DataFrame:
        """The first exchange: parcels of terms, in the parts of their terms."""
        task = _TermsTask(self.analyzer, self.parts, self.labels)
        entries = self.entries
        if not _comes_in_order(entries):
            # All columns: equal terms may differ in the others.
            entries = entries.sortWithinPartitions(*entries.columns)
        sent = entries.mapInArrow(task, "part int, data binary")
        dealt = sent.repartition(len(self.parts), "part").select("data")
        # As an RDD, the exchange is done once, and Spark keeps it as long as somebody uses it. A
        # data frame would be planned, read and exchanged anew by each job.
        spark = self.entries.sparkSession
        rows = dealt._jdf.toJavaRDD()
        made = spark._jsparkSession.createDataFrame(rows, dealt._jdf.schema())
        return type(dealt)(made, spark)

    def _survey(self, shape: _FilterShape) -> _Known:
        sample = max(_SAMPLE, self.count // _SAMPLE_SHARE) // len(self.parts) + 1
        told = max(_FREQUENT // 25, 4 * _FREQUENT // len(self.parts))
        task = _SurveyTask(self.analyzer, self.labels, shape.parts, sample, told)
        made = self._in_parts.mapInArrow(task, _SURVEY_SCHEMA)
        if shape.parts > 1:
            made = made.repartition(min(shape.parts, 1000), "part")
            made = made.mapInArrow(_FilterTask(shape), _SURVEY_SCHEMA)
        table = made.toArrow()
        # Rows of the filter have a part; of the others, those without a fingerprint are totals.
        in_filter = pc.is_valid(table["part"])
        filter = table.filter(in_filter).sort_by("part")["data"].to_pylist()
        words = shape.words(0, filter) if shape.parts == 1 else b"".join(filter)
        numbers = table.filter(pc.invert(in_filter)).select(["high", "low", "count"])
        is_total = pc.is_null(numbers["high"])
        totals = numbers.filter(is_total)
        self.skipped = self.count - (pc.sum(totals["count"]).as_py() or 0)
        counts = numbers.filter(pc.invert(is_total)).group_by(["high", "low"])
        often = counts.aggregate([("count", "sum")])
        often = often.filter(pc.greater_equal(often["count_sum"], _OFTEN))
        often = often.sort_by([("count_sum", "descending")]).slice(0, _FREQUENT)
        filter_words, frequent = map(self.context.broadcast, (words, _packed(often)))
        return _Known(self.analyzer.key, shape, filter_words, frequent)

    # --- the pairs ---

    def terms(self) -> DataFrame:
        """The terms: term (its surface or id), length, and weight if there are weights."""
        weight = ", weight double" if self.labels.weighted else ""
        schema = f"term {self.labels.type}, length int{weight}"
        return self._in_parts.mapInArrow(_RowsTask(self.labels), schema)

    def pairs(self) -> DataFrame:
        """The pairs: nested, super, start, and the weight of the super term if there are any."""
        type = self.labels.type
        weight = ", weight double" if self.labels.weighted else ""
        task = _NGramsTask(self.analyzer, self.parts, self.labels, self.known)
        sent = self._in_parts.mapInArrow(task, "part int, kind int, data binary")
        # The terms of a part come before the n-grams that may be one of them.
        dealt = sent.repartition(len(self.parts), "part").sortWithinPartitions("kind")
        return dealt.mapInArrow(
            _PairsTask(self.labels), f"nested {type}, super {type}, start int{weight}"
        )

    def with_ids(self, made: DataFrame, *columns: str) -> DataFrame:
        """What was made of pairs and terms, with ids of the type that they came with.

        Only at the end: their type may take for equal what are two ids, as a collation does.
        """
        if self.id_type in (None, self.labels.type):
            return made
        return made.withColumns({name: F.col(name).cast(self.id_type) for name in columns})


def _comes_in_order(frame: DataFrame) -> bool:
    """Whether a task gets its rows in the same order when it is done again.

    Those of files come so, unless they were exchanged. Of what else there may be nothing is known.
    """
    plan = frame._jdf.queryExecution().executedPlan().toString()
    scans = set(re.findall(r"\w*Scan\b", plan))
    return scans <= {"FileScan", "LocalTableScan"} and "Exchange" not in plan


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
    shape: _FilterShape
    filter_words: Broadcast[bytes]
    frequent_ngrams: Broadcast[bytes]

    def filter(self) -> _core.TermFilter | None:
        if not self.shape.parts:
            return None
        made: _core.TermFilter = _kept(
            ("filter", self.key),
            lambda: _core.TermFilter(self.filter_words.value, self.shape.bits),
        )
        return made

    def frequent(self) -> _core.FrequentNGrams:
        def make() -> _core.FrequentNGrams:
            table = pa.ipc.open_stream(self.frequent_ngrams.value).read_all()
            return _core.FrequentNGrams(table["high"], table["low"])

        made: _core.FrequentNGrams = _kept(("frequent", self.key), make)
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


_SURVEY_SCHEMA = "part int, data binary, high long, low long, count long"
_SURVEY_TYPES = {
    "part": pa.int32(),
    "data": pa.binary(),
    "high": pa.int64(),
    "low": pa.int64(),
    "count": pa.int64(),
}


def _survey_rows(**columns: Any) -> pa.RecordBatch:
    """Rows of these columns, null in the others."""
    size = len(next(iter(columns.values())))
    made = {}
    for name, type in _SURVEY_TYPES.items():
        column = columns.get(name, pa.nulls(size, type))
        made[name] = column if isinstance(column, pa.Array) else pa.array(column, type)
    return pa.RecordBatch.from_pydict(made)


@dataclass(frozen=True)
class _SurveyTask:
    """The terms of a part to the entries of a filter, part by part, and to n-grams with counts.

    A row without a fingerprint has the number of entries.
    """

    analyzer: _Analyzer
    labels: _Labels
    filter_parts: int
    sample: int
    told: int

    def __call__(self, batches: Batches) -> Batches:
        analyzer = self.analyzer.native()
        labels = self.labels
        survey = _core.PartSurvey(labels.labelled, labels.weighted, self.filter_parts, self.sample)
        for parcel in _in_order(batches):
            survey.add_parcel(analyzer, parcel)
        yield _survey_rows(part=range(self.filter_parts), data=survey.filter())
        counts = _batch(survey.counts(_TOLD))
        if len(counts) > self.told:
            # By all columns, so that it is the same when the task is done again.
            order = [("count", "descending"), ("high", "ascending"), ("low", "ascending")]
            counts = counts.take(pc.sort_indices(counts, order).slice(0, self.told))
        yield _survey_rows(high=counts["high"], low=counts["low"], count=counts["count"])
        yield _survey_rows(count=[survey.entries])


@dataclass(frozen=True)
class _FilterTask:
    """The entries of some parts of a filter to its words. Other rows are passed on."""

    shape: _FilterShape

    def __call__(self, batches: Batches) -> Batches:
        entries: dict[int, list[bytes]] = {}
        for batch in batches:
            in_filter = pc.is_valid(batch["part"])
            rows = batch.filter(in_filter)
            for part, data in zip(rows["part"].to_pylist(), rows["data"].to_pylist(), strict=True):
                entries.setdefault(part, []).append(data)
            yield batch.filter(pc.invert(in_filter))
        for part, packed in entries.items():
            yield _survey_rows(part=[part], data=[self.shape.words(part, packed)])


@dataclass(frozen=True)
class _TermsTask:
    """Entries to parcels of terms."""

    analyzer: _Analyzer
    parts: list[int]
    labels: _Labels

    def __call__(self, batches: Batches) -> Batches:
        analyzer = self.analyzer.native()
        labels = self.labels
        sender = _core.TermSender(len(self.parts), labels.labelled, labels.long, labels.weighted)
        for batch in batches:
            if labels.weighted:
                _check_weights(batch)
            try:
                sender.add(
                    analyzer,
                    batch["term"],
                    batch["id"] if labels.labelled else None,
                    batch["weight"] if labels.weighted else None,
                )
            except TermTypeError as error:
                if "UTF8" not in str(error):
                    raise
                raise InvalidTextError(
                    "the vocabulary holds text that is not UTF-8: convert it first"
                ) from error
            if sender.full:
                yield _parcels(self.parts, sender.take())
        yield _parcels(self.parts, sender.take())


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


def _in_order(batches: Batches) -> list[bytes]:
    """The parcels of a part, in an order that is the same whenever they are asked for.

    They come in any order. What is made of them must be the same when a task is done again, after
    an executor was lost: Spark compares, and ends a job that mixes two different outputs. For that
    reason, too, the parcels themselves are made of rows in an order that stays.
    """
    return sorted(parcel.as_py() for batch in batches for parcel in batch["data"])


def _table(batches: Batches, labels: _Labels) -> _core.TermTable:
    """The terms of a part."""
    table = labels.table()
    for parcel in _in_order(batches):
        table.add_parcel(parcel)
    return table


@dataclass(frozen=True)
class _RowsTask:
    """The terms of a part to rows."""

    labels: _Labels

    def __call__(self, batches: Batches) -> Batches:
        table = _table(batches, self.labels)
        first = 0
        while first < len(table):
            rows, first = table.rows(first)
            yield _batch(rows)


@dataclass(frozen=True)
class _NGramsTask:
    """The terms of a part to parcels of terms and n-grams."""

    analyzer: _Analyzer
    parts: list[int]
    labels: _Labels
    known: _Known

    def __call__(self, batches: Batches) -> Batches:
        table = _table(batches, self.labels)
        analyzer = self.analyzer.native()
        filter, frequent = self.known.filter(), self.known.frequent()
        first = 0
        while first < len(table):
            out, first = table.outgoing(analyzer, first, len(self.parts), filter, frequent)
            for kind, parcels in enumerate(out):
                if kind == _FREQUENT_TERMS:
                    parcels = parcels * len(self.parts)
                yield _parcels(self.parts, parcels, kind)


@dataclass(frozen=True)
class _PairsTask:
    """Parcels of terms, then of n-grams, to pairs."""

    labels: _Labels

    def __call__(self, batches: Batches) -> Batches:
        maker = _core.PairMaker(self.labels.long, self.labels.weighted)
        add = {_TERMS: maker.add_terms, _FREQUENT_TERMS: maker.add_frequent_terms}
        ask = {_NGRAMS: maker.pairs, _FREQUENT_NGRAMS: maker.frequent_pairs}
        for batch in batches:
            for kind, data in zip(batch["kind"].to_pylist(), batch["data"], strict=True):
                parcel = data.as_py()
                if kind in add:
                    add[kind](parcel)
                    continue
                at = 0
                while at < len(parcel):
                    pairs, at = ask[kind](parcel, at)
                    yield _batch(pairs)
