"""All pairs of a vocabulary that no machine holds: a join of its terms with their n-grams.

The steps, and what each costs:

1. `_Survey` counts the entries, looks at a sample for the n-grams that stand in very many terms, and
   reads the vocabulary once to make a filter of all terms. Both are broadcast.
2. The entries become terms, with the fingerprints of their keys; equal surfaces meet in one
   exchange of the vocabulary.
3. The frequent n-grams of a term are looked up where the term is. They are half of all, and what
   would pile up in one place; no exchange sees them.
4. Of the other n-grams, the filter lets those through that may be terms. Spark joins them with the
   terms, by fingerprint.

The work on text is done by the core (src/ngrams.rs), on Arrow columns; there is no Python object
for a term.
"""

from __future__ import annotations

import secrets
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
from termnest.spark.session import column_type, errors_of_executors, string_column

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import DataFrame

Batches = Iterator[pa.RecordBatch]

# A sample of so many entries tells the frequent n-grams: one that stands in a thousandth of all terms
# is in it a hundred times.
_SAMPLE = 100_000
_SAMPLE_TASKS = 4
# An n-gram is frequent that stands in so many terms of the sample; so many of them are kept.
_OFTEN = 4
_FREQUENT = 50_000
# The filter: bits for each entry, if there is room; below the least of them it keeps too little out.
_FILTER_BITS = 16
_LEAST_FILTER_BITS = 4
# A part of the filter is made by one task.
_PART_WORDS = 1 << 21
# A frequent key of more variants is left to the join: its terms would not be a small table.
_VARIANTS = 1_000
# The text in one batch for Spark.
_BATCH_BYTES = 1 << 25

FILTER_BYTES = 256 << 20


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
        id: The column of their ids, numbers or strings, each of which stands once.
        tokenizer, separator, lowercase, strip_accents, normalize: As for `TermIndex`. A function is
            pickled and sent to the executors.
        filter_bytes: The memory for the filter that keeps n-grams which are no terms out of the
            exchange, on the driver and in each Python worker: 2 bytes a term are best. Below half a
            byte a term there is none, and all n-grams are exchanged.

    Raises:
        InvalidOptionError: There is no such column, or an option cannot be.
        InvalidTermError: An id stands twice, or a term is too long.
        TermTypeError: The terms are not strings, or the ids neither numbers nor strings.
    """
    analysis = _analysis(tokenizer, separator, lowercase, strip_accents, normalize, 1)
    join = _Join(df, term, id, None, analysis, filter_bytes)
    return join.pairs().select("nested", "super", "start")


class _Join:
    """The vocabulary of a join, surveyed."""

    def __init__(
        self,
        df: DataFrame,
        term: str,
        id: str | None,
        weight: str | None,
        analysis: _core._Analysis,
        filter_bytes: int,
    ) -> None:
        _core.TermAnalyzer(analysis, bytes(32))  # refuses bad options here, not on executors
        string_column(df, term, "term")
        columns = [F.col(_quoted(term)).alias("term")]
        self.id_type: str | None = None
        if id is not None:
            found = column_type(df, id, "id")
            if not isinstance(found, IntegralType | StringType):
                raise TermTypeError(
                    f"the column {id!r} (id) is of {found.simpleString()}, and ids are integers or "
                    "strings"
                )
            self.id_type = found.simpleString()
            columns.append(F.col(_quoted(id)).alias("id"))
        self.weighted = weight is not None
        if weight is not None:
            if not isinstance(column_type(df, weight, "weight"), NumericType):
                raise TermTypeError(f"the column {weight!r} (weight) is not of numbers")
            columns.append(F.col(_quoted(weight)).cast("double").alias("weight"))
        self.entries = df.select(columns)
        if id is not None:
            self._check_ids(id)
        self.analyzer = _Analyzer(analysis, secrets.token_bytes(32))
        self.known = self._survey(filter_bytes)

    def _check_ids(self, name: str) -> None:
        with errors_of_executors():
            twice = (
                self.entries.groupBy("id").count().where("id is null or count > 1").limit(1)
            ).collect()
        if twice:
            what = "null" if twice[0]["id"] is None else repr(twice[0]["id"])
            times = twice[0]["count"]
            raise InvalidTermError(
                f"the id {what} stands {times} time{'s' if times > 1 else ''} in the column "
                f"{name!r}, and each entry needs one of its own"
            )

    # --- step 1 ---

    def _survey(self, filter_bytes: int) -> _Known:
        with errors_of_executors():
            count = self.entries.count()
            frequent, filter_entries = self._sample(count)
            per_entry = filter_bytes * 8 / max(filter_entries, 1)
            bits = min(per_entry, _FILTER_BITS) if per_entry >= _LEAST_FILTER_BITS else 0
            words = int(filter_entries * bits) // 64 + 1 if bits else 0
            parts = -(-words // _PART_WORDS)
            shape = _FilterShape(
                parts, -(-words // parts) if parts else 0, _core.TermFilter.best_bits(bits)
            )
            candidates = self._broadcast(_packed(frequent))
            survey = _SurveyTask(self.analyzer, shape, candidates, self.id_type is not None)
            schema = f"part int, data binary, {self._terms_schema(weight=False)}"
            made = self.entries.drop("weight").mapInArrow(survey, schema)
            if parts:
                parts_made = made.repartition(min(parts, 1000), "part")
                made = parts_made.mapInArrow(_FilterTask(shape), schema)
            table = made.toArrow()
        in_filter = pc.is_valid(table["part"])
        filter_parts = table.filter(in_filter).sort_by("part")["data"]
        filter = b"".join(part.as_py() for part in filter_parts)
        terms = table.filter(pc.invert(in_filter)).drop_columns(["part", "data"])
        merged = _packed(self._merged(terms))
        key = self.analyzer.key
        return _Known(key, shape, self._broadcast(filter), self._broadcast(merged))

    def _sample(self, count: int) -> tuple[pa.Table, int]:
        """The fingerprints that are frequent in a sample; about how many entries a filter has."""
        entries = self.entries.select("term")
        fraction = min(1.0, _SAMPLE / max(count, 1))
        if fraction < 1:
            entries = entries.sample(fraction, seed=1)
        counts = (
            entries.repartition(_SAMPLE_TASKS)
            .mapInArrow(_SampleTask(self.analyzer), "high long, low long, count long")
            .groupBy("high", "low")
            .agg(F.sum("count").alias("count"))
            .where(F.col("high").isNull() | (F.col("count") >= _OFTEN))
            .orderBy(F.col("high").isNotNull(), F.desc("count"))
            .limit(_FREQUENT + 1)
            .toArrow()
        )
        is_total = pc.is_null(counts["high"])
        filter_entries = pc.sum(counts.filter(is_total)["count"]).as_py() or 0
        return counts.filter(pc.invert(is_total)), int(filter_entries / fraction)

    def _merged(self, terms: pa.Table) -> pa.Table:
        """Frequent terms that came from several tasks, each once; without keys of many variants."""
        keys = ["high", "low", "term", "length"]
        merged = terms.group_by(keys).aggregate([("id", "min")] if self.id_type else [])
        merged = merged.rename_columns(keys + (["id"] if self.id_type else []))
        variants = merged.group_by(["high", "low"]).aggregate([("term", "count")])
        few = variants.filter(pc.less_equal(variants["term_count"], _VARIANTS))
        return merged.join(few.drop_columns(["term_count"]), ["high", "low"], join_type="left semi")

    def _broadcast(self, data: bytes) -> Broadcast[bytes]:
        return self.entries.sparkSession.sparkContext.broadcast(data)

    def _terms_schema(self, weight: bool) -> str:
        id = f", id {self.id_type}" if self.id_type else ""
        weights = ", weight double" if weight else ""
        return f"high long, low long, term string, length int{id}{weights}"

    # --- steps 2 to 4 ---

    def terms(self) -> DataFrame:
        """The terms, each once: the halves of the fingerprint, surface, length, id and weight."""
        task = _TermsTask(self.analyzer)
        terms = self.entries.mapInArrow(task, self._terms_schema(self.weighted))
        columns = ["high", "low", "term", "length"]
        merged = [F.min("id").alias("id")] if self.id_type else []
        merged += [F.sum("weight").alias("weight")] if self.weighted else []
        return terms.groupBy(*columns).agg(*merged) if merged else terms.distinct()

    def pairs(self) -> DataFrame:
        """The pairs: nested, super, start, and the weight of the super term if there are weights."""
        id = "id" if self.id_type else "term"
        id_type = self.id_type or "string"
        weight = ", weight double" if self.weighted else ""
        terms = self.terms()
        # A term of one token holds no shorter one.
        longer = terms.where("length > 1").drop("high", "low", "length")
        resolved = longer.mapInArrow(
            _NGramsTask(self.analyzer, self.known, resolve=True),
            f"nested {id_type}, super {id_type}, start int{weight}",
        )
        candidates = longer.mapInArrow(
            _NGramsTask(self.analyzer, self.known, resolve=False),
            f"high long, low long, super {id_type}, start int{weight}",
        )
        nested = terms.select("high", "low", F.col(id).alias("nested"))
        joined = candidates.join(nested, ["high", "low"]).drop("high", "low")
        return resolved.unionByName(joined)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


# --- what runs on executors ---


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


@dataclass(frozen=True)
class _Known:
    """What executors know of the whole vocabulary."""

    key: bytes
    """Of the job's fingerprints, and so of the job."""
    shape: _FilterShape
    filter_words: Broadcast[bytes]
    frequent_terms: Broadcast[bytes]

    def filter(self) -> _core.TermFilter | None:
        if not self.shape.parts:
            return None
        made: _core.TermFilter = _kept(
            ("filter", self.key),
            lambda: _core.TermFilter(self.filter_words.value, self.shape.bits),
        )
        return made

    def frequent(self) -> tuple[pa.Table, _core.FrequentTerms]:
        return _frequent(("frequent", self.key), self.frequent_terms)


# What a Python worker keeps between its tasks: the tables of the last jobs.
_KEPT = 8
_keep: dict[Any, Any] = {}


def _kept(name: Any, make: Callable[[], Any]) -> Any:
    if name not in _keep:
        while len(_keep) >= _KEPT:
            del _keep[next(iter(_keep))]
        _keep[name] = make()
    return _keep[name]


def _frequent(name: Any, packed: Broadcast[bytes]) -> tuple[pa.Table, _core.FrequentTerms]:
    def make() -> tuple[pa.Table, _core.FrequentTerms]:
        table = pa.ipc.open_stream(packed.value).read_all().combine_chunks()
        return table, _core.FrequentTerms(table["high"], table["low"])

    made: tuple[pa.Table, _core.FrequentTerms] = _kept(name, make)
    return made


def _packed(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def _columns(table: Any) -> dict[str, pa.Array]:
    """The columns of a table of the core, of the types that Spark has."""
    batch = pa.RecordBatchReader.from_stream(table).read_next_batch()
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    if "term" in columns:
        columns["term"] = columns["term"].cast(pa.string())
    return columns


@dataclass(frozen=True)
class _TermsTask:
    """Entries to terms."""

    analyzer: _Analyzer

    def __call__(self, batches: Batches) -> Batches:
        analyzer = self.analyzer.native()
        for batch in batches:
            if "weight" in batch.schema.names:
                _check_weights(batch)
            terms = _columns(analyzer.terms(batch["term"]))
            rows = terms.pop("row")
            others = {name: batch[name].take(rows) for name in batch.schema.names[1:]}
            yield pa.RecordBatch.from_pydict(terms_first(terms) | others)


def terms_first(columns: dict[str, pa.Array]) -> dict[str, pa.Array]:
    """The columns in the order of the schema."""
    return {name: columns[name] for name in ("high", "low", "term", "length")}


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
class _SampleTask:
    """A sample of the entries to the n-grams that occur more than once in it, with their counts.

    A row without a fingerprint has the number of entries in a filter.
    """

    analyzer: _Analyzer

    def __call__(self, batches: Batches) -> Batches:
        sample = pa.chunked_array([batch["term"] for batch in batches], pa.string())
        counts, filter_entries = self.analyzer.native().count_ngrams(sample, 2)
        yield pa.RecordBatch.from_pydict(_columns(counts))
        numbers = [pa.array([number], pa.int64()) for number in (None, None, filter_entries)]
        yield pa.RecordBatch.from_arrays(numbers, ["high", "low", "count"])


@dataclass(frozen=True)
class _SurveyTask:
    """Entries to the entries of a filter, part by part, and to the terms that are frequent."""

    analyzer: _Analyzer
    shape: _FilterShape
    candidates: Broadcast[bytes]
    ids: bool

    def __call__(self, batches: Batches) -> Batches:
        analyzer = self.analyzer.native()
        _, candidates = _frequent(("candidates", self.analyzer.key), self.candidates)
        shape = self.shape
        for batch in batches:
            filter, found, _ = analyzer.survey(
                batch["term"], shape.parts, shape.part_words, candidates
            )
            parts = {
                "part": pa.array(range(shape.parts), pa.int32()),
                "data": pa.array(filter, pa.binary()),
            }
            yield self._batch(parts, batch)
            terms = _columns(found)
            rows = terms.pop("row")
            if len(rows):
                if self.ids:
                    terms["id"] = batch["id"].take(rows)
                yield self._batch(terms, batch)

    def _batch(self, columns: dict[str, pa.Array], entries: pa.RecordBatch) -> pa.RecordBatch:
        """The columns, and nulls in the others."""
        types = {
            "part": pa.int32(),
            "data": pa.binary(),
            "high": pa.int64(),
            "low": pa.int64(),
            "term": pa.string(),
            "length": pa.int32(),
        }
        if self.ids:
            types["id"] = entries.schema.field("id").type
        size = len(next(iter(columns.values())))
        return pa.RecordBatch.from_pydict(
            {name: columns.get(name, pa.nulls(size, type)) for name, type in types.items()}
        )


@dataclass(frozen=True)
class _FilterTask:
    """The entries of some parts of a filter to its words. Other rows are passed on."""

    shape: _FilterShape

    def __call__(self, batches: Batches) -> Batches:
        entries: dict[int, list[bytes]] = {}
        schema = None
        for batch in batches:
            schema = batch.schema
            is_part = pc.is_valid(batch["part"])
            rows = batch.filter(is_part)
            for part, data in zip(rows["part"].to_pylist(), rows["data"].to_pylist(), strict=True):
                entries.setdefault(part, []).append(data)
            yield batch.filter(pc.invert(is_part))
        shape = self.shape
        for part, packed in entries.items():
            words = _core.TermFilter.part(
                part, shape.parts, shape.part_words, shape.bits, packed
            )
            made: dict[str, pa.Array] = {
                "part": pa.array([part], pa.int32()),
                "data": pa.array([words], pa.binary()),
            }
            nulls = {field.name: pa.nulls(1, field.type) for field in schema or []}
            yield pa.RecordBatch.from_pydict(nulls | made)


@dataclass(frozen=True)
class _NGramsTask:
    """Terms to their n-grams: to pairs with frequent terms, or to what may be pairs."""

    analyzer: _Analyzer
    known: _Known
    resolve: bool

    def __call__(self, batches: Batches) -> Batches:
        analyzer = self.analyzer.native()
        filter = self.known.filter()
        terms, frequent = self.known.frequent()
        for batch in batches:
            id = "id" if "id" in batch.schema.names else "term"
            first = 0
            while first < len(batch):
                table, first = analyzer.ngrams(
                    batch["term"], first, filter, frequent, self.resolve
                )
                found = _columns(table)
                for start, size in _slices(found, batch):
                    part = {name: column.slice(start, size) for name, column in found.items()}
                    columns: dict[str, pa.Array] = {}
                    if self.resolve:
                        columns["nested"] = terms[id].take(part["frequent"]).combine_chunks()
                    else:
                        columns["high"], columns["low"] = part["high"], part["low"]
                    columns["super"] = batch[id].take(part["row"])
                    columns["start"] = part["start"]
                    if "weight" in batch.schema.names:
                        columns["weight"] = batch["weight"].take(part["row"])
                    yield pa.RecordBatch.from_pydict(columns)


def _slices(found: dict[str, pa.Array], batch: pa.RecordBatch) -> Iterator[tuple[int, int]]:
    """From where and how many rows to take at a time, so that their text is not too much."""
    longest = pc.max(pc.binary_length(batch["term"])).as_py() or 1
    rows = len(found["row"])
    size = max(1, _BATCH_BYTES // (longest + 1))
    for start in range(0, rows, size):
        yield start, min(size, rows - start)
