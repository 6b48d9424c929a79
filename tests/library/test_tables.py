"""Arrow in and out: columns of every data frame library go in, tables come out to each of them."""

import csv
import io
import json
import pickle
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pytest

from termnest import (
    InvalidOptionError,
    InvalidTermError,
    Match,
    MissingExtraError,
    Table,
    TermIndex,
    TermTypeError,
)

TERMS = ["york", "new york", "new york city", "city", "new"]
WEIGHTS = [5.0, 3.0, 1.0, 4.0, 2.5]
INDEX = TermIndex(TERMS, weights=WEIGHTS)

BATCH_TYPES = {
    "query": pyarrow.uint32(),
    "id": pyarrow.uint32(),
    "term": pyarrow.large_string(),
    "weight": pyarrow.float64(),
    "start": pyarrow.uint32(),
    "length": pyarrow.uint32(),
}
PAIR_TYPES = {name: pyarrow.uint32() for name in ("nested", "super", "start")}
MATCH_TYPES = {
    "term": pyarrow.large_string(),
    "id": pyarrow.uint32(),
    "start": pyarrow.uint64(),
    "end": pyarrow.uint64(),
}

# A table of each kind, the types of its columns, and its rows.
TABLES: dict[str, tuple[Any, dict[str, Any], list[tuple[object, ...]]]] = {
    "super_terms_batch": (
        INDEX.super_terms_batch(["york", "none", "new york"]),
        BATCH_TYPES,
        [
            (0, 1, "new york", 3.0, 1, 2),
            (0, 2, "new york city", 1.0, 1, 3),
            (2, 2, "new york city", 1.0, 0, 3),
        ],
    ),
    "nested_terms_batch": (
        INDEX.nested_terms_batch(["new york city"]),
        BATCH_TYPES,
        [
            (0, 0, "york", 5.0, 1, 1),
            (0, 3, "city", 4.0, 2, 1),
            (0, 1, "new york", 3.0, 0, 2),
            (0, 4, "new", 2.5, 0, 1),
        ],
    ),
    "pairs": (
        INDEX.pairs(direct=True),
        PAIR_TYPES,
        [(0, 1, 1), (1, 2, 0), (3, 2, 2), (4, 1, 0)],
    ),
    "find": (
        INDEX.find("é new\tyork"),
        MATCH_TYPES,
        [("new", 4, 2, 5), ("new york", 1, 2, 10), ("york", 0, 6, 10)],
    ),
    "no rows": (INDEX.super_terms_batch([]), BATCH_TYPES, []),
    "no pairs": (TermIndex([]).pairs(), PAIR_TYPES, []),
    "no matches": (INDEX.find(""), MATCH_TYPES, []),
}

table_of_each_kind = pytest.mark.parametrize(
    ("table", "types", "rows"), list(TABLES.values()), ids=list(TABLES)
)


def kind_of(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__name__}"


def rows_of(records: Sequence[dict[str, Any]]) -> list[tuple[object, ...]]:
    return [tuple(record.values()) for record in records]


# Out.


@table_of_each_kind
def test_a_table_comes_out_as_plain_python(
    table: Any, types: dict[str, Any], rows: list[tuple[object, ...]]
) -> None:
    assert len(table) == len(rows)
    assert rows_of(table.to_pylist()) == rows
    for row in table.to_pylist():
        assert list(row) == list(types)


@table_of_each_kind
def test_a_table_comes_out_as_pyarrow(
    table: Any, types: dict[str, Any], rows: list[tuple[object, ...]]
) -> None:
    for arrow in (
        table.to_arrow(),
        pyarrow.table(table),
        pyarrow.RecordBatchReader.from_stream(table),
    ):
        assert dict(zip(arrow.schema.names, arrow.schema.types, strict=True)) == types
    assert rows_of(table.to_arrow().to_pylist()) == rows
    table.to_arrow().validate(full=True)
    assert pyarrow.schema(table) == table.to_arrow().schema


@table_of_each_kind
def test_a_table_comes_out_as_polars(
    table: Any, types: dict[str, Any], rows: list[tuple[object, ...]]
) -> None:
    kinds = {
        pyarrow.uint32(): polars.UInt32,
        pyarrow.uint64(): polars.UInt64,
        pyarrow.float64(): polars.Float64,
        pyarrow.large_string(): polars.String,
    }
    # Matches are a sequence as well, which polars looks at first.
    answers = table if isinstance(table, Table) else table.table
    for frame in (table.to_polars(), polars.DataFrame(answers)):
        assert dict(frame.schema) == {name: kinds[kind] for name, kind in types.items()}
        assert frame.rows() == rows


@table_of_each_kind
def test_a_table_comes_out_as_pandas(
    table: Any, types: dict[str, Any], rows: list[tuple[object, ...]]
) -> None:
    frame = table.to_pandas()
    assert list(frame.columns) == list(types)
    for name, kind in types.items():
        if kind == pyarrow.large_string():
            assert pandas.api.types.is_string_dtype(frame[name]) or not len(frame)
        else:
            assert str(frame[name].dtype) == str(kind).replace("double", "float64")
    assert list(frame.itertuples(index=False, name=None)) == rows


@table_of_each_kind
def test_duckdb_queries_a_table_without_a_copy(
    table: Any, types: dict[str, Any], rows: list[tuple[object, ...]]
) -> None:
    with duckdb.connect() as connection:
        relation = connection.sql('FROM "table"')
        assert relation.columns == list(types)
        assert relation.fetchall() == rows


def test_a_table_can_be_taken_more_than_once_and_outlives_its_index() -> None:
    index = TermIndex(TERMS)
    table = index.pairs()
    frames = [polars.DataFrame(table), polars.DataFrame(table)]
    del index, table
    assert frames[0].equals(frames[1])
    assert len(frames[0]) == 6


def test_a_row_number_of_a_batch_leads_back_to_its_query() -> None:
    queries = polars.DataFrame({"phrase": ["city", "none", "york"]}).with_row_index("query")
    answers = INDEX.super_terms_batch(queries["phrase"]).to_polars()
    joined = queries.join(answers, on="query").select("phrase", "term")
    assert joined.rows() == [
        ("city", "new york city"),
        ("york", "new york"),
        ("york", "new york city"),
    ]


@pytest.mark.parametrize(
    ("package", "convert"),
    [
        ("polars", lambda table: table.to_polars()),
        ("pyarrow", lambda table: table.to_arrow()),
        ("pandas", lambda table: table.to_pandas()),
        ("pyarrow", lambda table: table.to_pandas()),
    ],
)
def test_a_package_that_is_missing_is_named_with_how_to_get_it(
    package: str, convert: Callable[[Any], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    for table in (INDEX.pairs(), INDEX.find("york")):
        with pytest.raises(MissingExtraError, match=f"pip install {package}") as caught:
            convert(table)
        assert isinstance(caught.value, ImportError)
    assert len(INDEX.pairs().to_pylist()) == 6


# In.

ENTRIES = ["new york", None, "york", "", "new york", "é"]

arrow_types = [
    pyarrow.string(),
    pyarrow.large_string(),
    pyarrow.string_view(),
    pyarrow.dictionary(pyarrow.int8(), pyarrow.string()),
    pyarrow.dictionary(pyarrow.uint32(), pyarrow.large_string()),
]


def arrow(kind: Any, entries: Sequence[str | None] = ENTRIES) -> Any:
    if pyarrow.types.is_dictionary(kind):
        return pyarrow.array(entries).dictionary_encode().cast(kind)
    return pyarrow.array(entries, kind)


def in_all_shapes(kind: Any) -> list[Any]:
    """The entries as an array, in two chunks, and as slices of more."""
    return [
        arrow(kind),
        arrow(kind, ["x", *ENTRIES, "y"]).slice(1, len(ENTRIES)),
        pyarrow.chunked_array([arrow(kind, ENTRIES[:2]), arrow(kind, ENTRIES[2:])]),
        pyarrow.chunked_array([arrow(kind, ["x", "y", *ENTRIES])]).slice(2),
    ]


@pytest.mark.parametrize(
    "column",
    [
        *chain.from_iterable(map(in_all_shapes, arrow_types)),
        pyarrow.table({"term": ENTRIES}),
        pyarrow.table({"term": ["x", *ENTRIES]}).slice(1),
        pyarrow.RecordBatch.from_pydict({"term": ENTRIES}),
        polars.Series(ENTRIES),
        polars.Series(["x", *ENTRIES])[1:],
        polars.concat([polars.Series(ENTRIES[:1]), polars.Series(ENTRIES[1:])], rechunk=False),
        polars.Series(ENTRIES, dtype=polars.Categorical),
        polars.Series(ENTRIES, dtype=polars.Enum(["é", "", "york", "new york"])),
        polars.DataFrame({"term": ENTRIES}),
        pandas.Series(ENTRIES),
        pandas.Series(ENTRIES, dtype=object),
        pandas.Series(ENTRIES, dtype="string"),
        pandas.Series(ENTRIES, dtype="string[pyarrow]"),
        pandas.Series(ENTRIES, dtype=pandas.ArrowDtype(pyarrow.large_string())),
        pandas.Series(ENTRIES, dtype="category"),
        pandas.Series(["x", *ENTRIES]).iloc[1:],
        pandas.Series(ENTRIES[::-1])[::-1],
        pandas.DataFrame({"term": ENTRIES}),
    ],
    ids=kind_of,
)
def test_a_column_of_strings_goes_in_and_its_nulls_are_skipped_and_counted(column: Any) -> None:
    index = TermIndex(column)
    assert list(index) == ["new york", "york", "é"]
    assert (index.stats().skipped, index.stats().duplicates) == (2, 1)


def test_a_counter_or_dict_has_its_weights_as_values() -> None:
    index = TermIndex(Counter(["york", "new york", "york"]))
    assert [index.weight(term) for term in index] == [2.0, 1.0]
    assert TermIndex({"york": 3, "new york": 0.5}, weights=[1, 2]).weight("york") == 1.0
    assert not TermIndex(dict.fromkeys(["york", "new york"])).weighted
    with pytest.raises(InvalidTermError, match=r"entry 1 .* is 'city', not a number"):
        TermIndex({"york": 3, "new york": "city"})


def test_none_in_a_list_is_skipped_like_a_null() -> None:
    index = TermIndex(["york", None, "new york"], weights=[1, 2, 3])  # type: ignore[list-item]
    assert list(index) == ["york", "new york"]
    assert (index.stats().skipped, index.weight("new york")) == (1, 3.0)
    assert index.super_terms_batch(["x", None, "york"]).column("query").to_list() == [2]  # type: ignore[list-item]


def test_decimals_and_hugeints_of_duckdb_are_weights() -> None:
    with duckdb.connect() as connection:
        rows = connection.sql(
            "SELECT * FROM (VALUES ('york', 12.25, 3), ('llc', 0.5, 4)) t(a, b, c)"
        )
        decimals = rows.select("b::DECIMAL(30, 4)")
        hugeints = rows.select("c::HUGEINT")
        for weights, expected in ((decimals, [12.25, 0.5]), (hugeints, [3.0, 4.0])):
            index = TermIndex(rows.select("a"), weights=weights)
            assert [index.weight(term) for term in index] == expected
    column = pyarrow.array([-1, 2**70], pyarrow.decimal256(60, 0))
    with pytest.raises(InvalidTermError, match="-1"):
        TermIndex(["a", "b"], weights=column)
    assert TermIndex(["a"], weights=column[1:]).weight("a") == float(2**70)


def test_columns_of_a_table_are_sequences_and_arrow_arrays() -> None:
    table = INDEX.pairs(terms=True)
    column = table.column("super_term")
    assert column.to_list() == [row["super_term"] for row in table] == list(column)
    assert (column[0], column[-1], column[1:3], column[::-2]) == (
        column.to_list()[0],
        column.to_list()[-1],
        column.to_list()[1:3],
        column.to_list()[::-2],
    )
    assert len(column) == len(table)
    assert pyarrow.array(column).to_pylist() == column.to_list()
    assert polars.Series(column).to_list() == column.to_list()
    assert list(TermIndex(column)) == list(dict.fromkeys(column))
    with pytest.raises(IndexError):
        column[len(column)]
    with pytest.raises(InvalidOptionError, match="column cannot be 'no': the columns are nested_"):
        table.column("no")


def test_a_table_writes_its_rows(tmp_path: Path) -> None:
    table = TermIndex(['a "b"', "b\tc", 'x a "b"', "b\tc, d"], tokenizer="words").taxonomy(
        terms=True
    )
    table.write_tsv(tmp_path / "t.tsv", ["term", "broader"])
    assert (tmp_path / "t.tsv").read_text().split("\n") == [
        "term\tbroader",
        'a "b"\t',
        "b\\tc\t",
        'x a "b"\t0',
        "b\\tc, d\t",
        "",
    ]
    table.write_csv(tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["term"], row["broader"]) for row in rows] == [
        (row["term"], "" if row["broader"] is None else str(row["broader"])) for row in table
    ]
    opened = io.BytesIO()
    table.write_jsonl(opened)
    assert [json.loads(line) for line in opened.getvalue().splitlines()] == table.to_pylist()
    with pytest.raises(InvalidOptionError, match="the columns are term"):
        table.write_tsv(opened, ["none"])
    with pytest.raises(TermTypeError, match="file must be a path or a binary file object, not 3"):
        table.write_csv(3)  # type: ignore[arg-type]


def test_a_duckdb_relation_of_one_column_of_strings_goes_in() -> None:
    with duckdb.connect() as connection:
        index = TermIndex(connection.sql("SELECT unnest(['new york', NULL, 'york']) AS term"))
        assert list(index) == ["new york", "york"]
        assert index.stats().skipped == 1
        with pytest.raises(TermTypeError, match="not of strings"):
            TermIndex(connection.sql("SELECT 1 AS n"))
        with pytest.raises(TermTypeError, match=r"2 columns \(name, count\): give one of them"):
            TermIndex(connection.sql("SELECT 'a' AS name, 1 AS count"))


@pytest.mark.parametrize(
    "terms",
    [
        TERMS,
        tuple(TERMS),
        dict.fromkeys(TERMS),
        (term for term in TERMS),
        numpy.array(TERMS),
        numpy.array(TERMS, dtype=object),
        pandas.Index(TERMS),
    ],
    ids=lambda terms: type(terms).__name__,
)
def test_any_iterable_of_str_goes_in(terms: Any) -> None:
    assert list(TermIndex(terms)) == TERMS


@pytest.mark.parametrize(
    "column",
    [
        pyarrow.array([], pyarrow.string()),
        pyarrow.chunked_array([], pyarrow.string()),
        arrow(pyarrow.string()).slice(2, 0),
        pyarrow.table({"term": pyarrow.array([], pyarrow.string())}),
        polars.Series([], dtype=polars.String),
        polars.DataFrame(schema={"term": polars.String}),
        pandas.Series([], dtype=object),
        pandas.Series([], dtype="string"),
    ],
    ids=kind_of,
)
def test_an_empty_column_goes_in(column: Any) -> None:
    assert list(TermIndex(column)) == []
    assert INDEX.ids(column) == []
    assert len(INDEX.super_terms_batch(column)) == 0


def test_a_column_of_nulls_is_skipped_and_counted() -> None:
    assert TermIndex(pyarrow.nulls(3)).stats().skipped == 3
    assert TermIndex(pyarrow.nulls(3, pyarrow.string())).stats().skipped == 3


@pytest.mark.parametrize(
    "frame",
    [
        polars.DataFrame({"name": ["a"], "count": [1]}),
        pandas.DataFrame({"name": ["a"], "count": [1]}),
        pyarrow.table({"name": ["a"], "count": [1]}),
        pyarrow.RecordBatch.from_pydict({"name": ["a"], "count": [1]}),
    ],
    ids=kind_of,
)
def test_a_table_of_two_columns_is_refused_with_their_names(frame: Any) -> None:
    for use in (TermIndex, INDEX.super_terms_batch, INDEX.nested_terms_batch, INDEX.ids):
        with pytest.raises(TermTypeError) as caught:
            use(frame)
        for part in ("2 columns", "name", "count", "one of them"):
            assert part in str(caught.value)


@pytest.mark.parametrize(
    "column",
    [
        polars.Series([1, 2]),
        polars.DataFrame({"n": [1.5]}),
        pandas.Series([1, 2]),
        pyarrow.array([1, 2]),
        pyarrow.array([1, 2]).dictionary_encode(),
        pyarrow.array([b"a"]),
        pyarrow.array([["a"]]),
    ],
    ids=kind_of,
)
def test_a_column_of_anything_but_strings_is_refused(column: Any) -> None:
    for use in (TermIndex, INDEX.super_terms_batch, INDEX.nested_terms_batch, INDEX.ids):
        with pytest.raises(TermTypeError, match="not of strings"):
            use(column)


def test_a_pandas_column_of_mixed_objects_is_refused() -> None:
    with pytest.raises(TypeError):
        TermIndex(pandas.Series(["a", 1], dtype=object))


@pytest.mark.parametrize(
    "weights",
    [
        WEIGHTS,
        (5, 3, True, 4, 2.5),
        iter(WEIGHTS),
        numpy.array(WEIGHTS),
        numpy.array(WEIGHTS, dtype=numpy.float32),
        polars.Series(WEIGHTS),
        polars.Series(WEIGHTS, dtype=polars.Float32),
        polars.DataFrame({"weight": WEIGHTS}),
        pandas.Series(WEIGHTS),
        pyarrow.array(WEIGHTS),
        pyarrow.array([9, *WEIGHTS]).slice(1),
        pyarrow.chunked_array([WEIGHTS[:2], WEIGHTS[2:]]),
        pyarrow.array(WEIGHTS, pyarrow.float32()),
    ],
    ids=kind_of,
)
def test_weights_of_every_kind_go_in(weights: Any) -> None:
    index = TermIndex(TERMS, weights=weights)
    assert [index.weight(term) for term in TERMS] == WEIGHTS


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint64"])
def test_weights_of_every_width_go_in(kind: str) -> None:
    largest = int(numpy.iinfo(kind).max)
    for weights in (pyarrow.array([1, largest], kind), numpy.array([1, largest], kind)):
        assert TermIndex(["a", "b"], weights=weights).weight("b") == float(largest)


def test_queries_go_in_as_columns_and_a_null_has_no_answer() -> None:
    queries = ["york", None, "new york"]
    columns = [arrow(kind, queries) for kind in arrow_types]
    columns += [polars.Series(queries), pandas.Series(queries)]
    for column in columns:
        rows = INDEX.super_terms_batch(column).to_pylist()
        assert [(row["query"], row["id"]) for row in rows] == [(0, 1), (0, 2), (2, 2)]
        assert INDEX.ids(column) == [0, None, 1]


# Looking at tables.


def test_the_repr_of_a_table_shows_its_rows_and_columns() -> None:
    assert repr(INDEX.pairs()).splitlines()[:3] == [
        "<termnest.Table of 6 rows>",
        "nested      super            start",
        "0 york      1 new york           1",
    ]
    many = TermIndex(["a " * n for n in range(1, 100)]).pairs()
    assert "4,851 rows" in repr(many)


def test_the_repr_of_matches_shows_the_first_of_them() -> None:
    shown = repr(INDEX.find("new york city"))
    assert shown.startswith("<termnest.Matches of 5: [Match(term='new', id=4, start=0, end=3), ")
    assert shown.count("Match(") == 3
    assert shown.endswith(", ...]>")


HOSTILE = "<script>alert('&')</script>"


@pytest.mark.parametrize(
    "shown",
    [
        TermIndex([HOSTILE]),
        TermIndex([f"a{HOSTILE}b"], separator=HOSTILE),
        TermIndex([f"{HOSTILE} a"]).super_terms_batch(["a"]),
        TermIndex([HOSTILE]).find(HOSTILE),
    ],
    ids=["terms", "separator", "table", "matches"],
)
def test_html_shows_texts_escaped(shown: Any) -> None:
    page = shown._repr_html_()
    assert "&lt;script&gt;" in page
    assert "<script" not in page


@pytest.mark.parametrize("count", [0, 10, 25])
def test_html_shows_ten_rows_and_the_number_of_further_ones(count: int) -> None:
    index = TermIndex([f"a {n}" for n in range(count)])
    text = " ".join(index)
    for table in (index.super_terms_batch(["a"]), index.find(text)):
        page = table._repr_html_()
        assert len(re.findall("<tr><td>", page)) == min(count, 10)
        assert ("15 more rows" in page) == (count == 25)
        assert "<th>term</th>" in page


def test_the_repr_of_an_index_shows_its_facts() -> None:
    index = TermIndex(["a b"] * 2, lowercase=True, weights=[1, 2])
    assert repr(index) == "<TermIndex of 1 terms, 2 tokens, 2 distinct tokens, lowercase, weights>"
    assert "tokenizer='chars'" in repr(TermIndex(["a"], tokenizer="chars"))
    for fact in ("<th>terms</th><td>1</td>", "lowercase, weights", "a b"):
        assert fact in index._repr_html_()


def test_html_shows_an_empty_index() -> None:
    assert "<td>0</td>" in TermIndex([])._repr_html_()


# Matches as a sequence.

MATCHES = INDEX.find("new york city")
EXPECTED = [
    Match("new", 4, 0, 3),
    Match("new york", 1, 0, 8),
    Match("new york city", 2, 0, 13),
    Match("york", 0, 4, 8),
    Match("city", 3, 9, 13),
]


def test_matches_are_a_sequence() -> None:
    assert isinstance(MATCHES, Sequence)
    assert len(MATCHES) == 5
    assert list(MATCHES) == EXPECTED
    assert list(reversed(MATCHES)) == EXPECTED[::-1]
    assert [MATCHES[number] for number in range(5)] == EXPECTED
    assert [MATCHES[number] for number in range(-5, 0)] == EXPECTED
    assert MATCHES[numpy.int64(1)] == EXPECTED[1]


@pytest.mark.parametrize("number", [5, -6, 2**70])
def test_a_match_beyond_the_end_is_an_index_error(number: int) -> None:
    with pytest.raises(IndexError):
        MATCHES[number]


@pytest.mark.parametrize("start", [None, 0, 2, -2, 9])
@pytest.mark.parametrize("stop", [None, 0, 3, -1, 9])
@pytest.mark.parametrize("step", [None, 2, -1])
def test_a_slice_of_matches_is_a_list(
    start: int | None, stop: int | None, step: int | None
) -> None:
    assert MATCHES[start:stop:step] == EXPECTED[start:stop:step]


def test_matches_can_be_searched_like_a_list() -> None:
    assert EXPECTED[2] in MATCHES
    assert Match("york", 0, 5, 9) not in MATCHES
    assert MATCHES.index(EXPECTED[3]) == 3
    assert MATCHES.count(EXPECTED[3]) == 1


def test_matches_are_equal_to_lists_and_matches_of_the_same() -> None:
    assert MATCHES == EXPECTED
    assert EXPECTED == MATCHES
    assert INDEX.find("new york city") == MATCHES
    assert EXPECTED[1:] != MATCHES
    assert INDEX.find("york") != INDEX.find(" york")
    assert INDEX.find("") == []
    assert MATCHES != "new york city"


def test_matches_are_true_where_there_are_any() -> None:
    assert MATCHES
    assert not INDEX.find("none")


def test_a_match_is_the_span_of_its_text() -> None:
    text = "İ 👩‍🔬 new  york"
    [new, new_york, york] = INDEX.find(text)
    assert text[new.start : new.end] == "new"
    assert text[new_york.start : new_york.end] == "new  york"
    term, id, start, end = york
    assert (term, id, text[start:end]) == ("york", 0, "york")


def test_matches_are_a_table_too() -> None:
    assert isinstance(MATCHES.table, Table)
    assert MATCHES.table.columns == ["term", "id", "start", "end"]
    assert rows_of(MATCHES.to_pylist()) == EXPECTED


def test_ids_of_a_table_are_ids_of_the_index() -> None:
    pairs = INDEX.pairs()
    for frame in (pairs.to_pandas(), pairs.to_polars()):
        nested, longer = frame["nested"][0], frame["super"][0]
        assert f" {INDEX[nested]} " in f" {INDEX[longer]} "


def test_matches_are_pickled_as_a_list_and_tables_as_tables() -> None:
    matches = INDEX.find("in new york city")
    assert len(matches) == 5
    copy = pickle.loads(pickle.dumps(matches))
    assert isinstance(copy, list)
    assert copy == matches
    for table in (INDEX.pairs(terms=True), INDEX.taxonomy(), INDEX.scores(), INDEX.pairs()):
        same = pickle.loads(pickle.dumps(table))
        assert isinstance(same, Table)
        assert same.columns == table.columns
        assert same.to_pylist() == table.to_pylist()
        assert same.to_arrow().equals(table.to_arrow())
