"""Terms in many texts: every kind of column, streams, and the terms that are chosen."""

import random
from collections.abc import Iterator
from itertools import count, islice
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from termnest import InvalidOptionError, Table, TermIndex, TermTypeError

INDEX = TermIndex(["new york", "york", "New York", "city hall", "é"], lowercase=True)
TEXTS = ["in New York", None, "", "é York city  hall", "none"]
ROWS = [
    (0, 0, 3, 11, "new york"),
    (0, 2, 3, 11, "New York"),
    (0, 1, 7, 11, "york"),
    (3, 4, 0, 1, "é"),
    (3, 1, 2, 6, "york"),
    (3, 3, 7, 17, "city hall"),
]


def rows(table: Table) -> list[tuple[Any, ...]]:
    assert table.columns == ["row", "id", "start", "end", "term"]
    return [tuple(row.values()) for row in table]


def as_reader(texts: list[str | None]) -> pa.RecordBatchReader:
    """A stream of batches of two rows, which can be read once."""
    table = pa.table({"text": pa.array(texts)})
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=2))


@pytest.mark.parametrize(
    "texts",
    [
        TEXTS,
        tuple(TEXTS),
        (text for text in TEXTS),
        np.array(TEXTS, dtype=object),
        pa.array(TEXTS),
        pa.array(TEXTS, pa.large_string()),
        pa.array(TEXTS, pa.string_view()),
        pa.array(TEXTS).dictionary_encode(),
        pa.array(["x", *TEXTS, "y"], pa.string_view()).slice(1, 5),
        pa.chunked_array([TEXTS[:1], [], TEXTS[1:]]),
        pa.table({"text": TEXTS}),
        as_reader(TEXTS),
        pl.Series(TEXTS),
        pl.Series(TEXTS, dtype=pl.Categorical),
        pl.DataFrame({"text": TEXTS}),
        pd.Series(TEXTS, dtype="string"),
    ],
    ids=lambda texts: type(texts).__name__,
)
def test_texts_may_be_any_column_or_iterable(texts: Any) -> None:
    assert rows(INDEX.find_batch(texts)) == ROWS


def test_texts_may_be_a_relation_of_duckdb() -> None:
    # Closed at once: what is left open is reported as a leak when the tests end.
    with duckdb.connect() as connection:
        sql = "SELECT unnest(['in New York', NULL, '', 'é York city  hall', 'none'])"
        assert rows(INDEX.find_batch(connection.sql(sql))) == ROWS


def test_a_batch_has_the_types_of_a_table_of_matches() -> None:
    types = {"row": "uint64", "id": "uint32", "start": "uint64", "end": "uint64"}
    for texts in (TEXTS, []):
        schema = INDEX.find_batch(texts).to_arrow().schema
        found = {field.name: str(field.type) for field in schema}
        assert found == types | {"term": "large_string"}


def test_batches_of_a_stream_are_made_when_they_are_asked_for() -> None:
    read = []

    def endless() -> Iterator[str]:
        for number in count():
            read.append(number)
            yield "york"

    batches = INDEX.iter_batches(endless(), rows=3)
    assert read == []
    assert [batch.column("row").to_list() for batch in islice(batches, 2)] == [[0, 1, 2], [3, 4, 5]]
    assert read == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("number", [1, 2, 4, 5, 6])
def test_batches_have_the_rows_of_one_table_together(number: int) -> None:
    for texts in (list(TEXTS), pa.array(TEXTS), as_reader(TEXTS)):
        batches = list(INDEX.iter_batches(texts, rows=number))
        assert len(batches) == -(-len(TEXTS) // number)
        assert [row for batch in batches for row in rows(batch)] == ROWS
    assert list(INDEX.iter_batches([])) == []


def test_an_error_ends_the_batches() -> None:
    batches = INDEX.iter_batches(["york", "york", 1], rows=1)  # type: ignore[list-item]
    assert len(list(islice(batches, 2))) == 2
    with pytest.raises(TermTypeError, match="entry 2 of texts"):
        next(batches)
    assert list(batches) == []


@pytest.mark.parametrize(
    "where",
    [
        [False, True, False, True, False],
        iter([False, True, False, True, False]),
        np.array([False, True, False, True, False]),
        pa.array([False, True, None, True, None]),
        pl.Series([None, True, None, True, False]),
        pl.Series([0, 1, 0, 1, 0]) == 1,
    ],
    ids=lambda where: type(where).__name__,
)
def test_where_has_true_for_the_terms_to_look_for(where: Any) -> None:
    assert rows(INDEX.find_batch(TEXTS, where=where)) == [ROWS[2], ROWS[4], ROWS[5]]


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"where": [True]}, InvalidOptionError, "where cannot be 1 values: one for each of the 5"),
        ({"where": ["x"] * 5}, TermTypeError, "entry 0 of where"),
        ({"where": pa.array(["x"] * 5)}, TermTypeError, "where: it is a column of Utf8"),
        ({"where": {"label": "drug"}}, InvalidOptionError, "no columns"),
        ({"where": 5}, TermTypeError, "where"),
        ({"variants": "last"}, InvalidOptionError, 'variants cannot be "last"'),
        ({"overlaps": "none"}, InvalidOptionError, 'overlaps cannot be "none"'),
        ({"threads": 0}, InvalidOptionError, "threads cannot be 0"),
    ],
)
def test_an_option_that_cannot_be_is_refused(
    options: dict[str, Any], kind: type[Exception], message: str
) -> None:
    for ask in (INDEX.find, INDEX.find_spans):
        with pytest.raises(kind, match=message):
            ask("york", **options)
    for ask_many in (INDEX.find_batch, INDEX.iter_batches):
        with pytest.raises(kind, match=message):
            ask_many(["york"], **options)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("york", "texts cannot be the one str 'york'|texts.*the one str"),
        (["york", 5], "entry 1 of texts"),
        (pa.array([1, 2]), "texts: it is a column of Int64"),
        (pa.table({"a": ["x"], "b": ["y"]}), "it has 2 columns"),
        (5, "texts"),
    ],
)
def test_what_is_not_texts_is_refused(texts: Any, message: str) -> None:
    with pytest.raises(TermTypeError, match=message):
        INDEX.find_batch(texts)
    with pytest.raises(TermTypeError, match=message):
        list(INDEX.iter_batches(texts))


def test_zero_rows_for_each_table_are_refused() -> None:
    with pytest.raises(InvalidOptionError, match="rows cannot be 0"):
        INDEX.iter_batches(TEXTS, rows=0)


@pytest.mark.parametrize("options", [{}, {"overlaps": "leftmost"}, {"variants": "first"}])
def test_long_and_short_texts_have_the_same_matches_on_any_number_of_threads(
    options: dict[str, Any],
) -> None:
    shuffled = random.Random(7)
    words = ["new", "York", "city", "hall", "é", "ünknown", "a-very-long-word-of-a-text"]
    lengths = [3] * 20_000 + [30_000, 0, 300_000, 5, 250_000]
    texts = [" ".join(shuffled.choices(words, k=length)) for length in lengths]
    expected = INDEX.find_batch(texts, threads=1, **options).to_arrow()
    for threads in (2, 5):
        assert INDEX.find_batch(texts, threads=threads, **options).to_arrow() == expected
    for row in (0, 777, 20_000, 20_002, 20_004):
        ids = expected.filter(pa.compute.equal(expected["row"], row)).drop_columns(["row"])
        found = INDEX.find(texts[row], **options).to_arrow()
        assert ids == found.select(["id", "start", "end", "term"])


def test_spans_are_buffers_that_numpy_takes_without_a_copy() -> None:
    spans = INDEX.find_spans("in New York")
    assert [np.asarray(numbers).dtype for numbers in spans] == [np.uint32, np.uint64, np.uint64]
    assert [numbers.tolist() for numbers in spans] == [[0, 2, 1], [3, 3, 7], [11, 11, 11]]
    assert all(numbers.readonly and numbers.c_contiguous for numbers in spans)
    ids = np.asarray(spans.ids)
    del spans
    assert ids.tolist() == [0, 2, 1]
    assert [numbers.tolist() for numbers in INDEX.find_spans("")] == [[], [], []]
