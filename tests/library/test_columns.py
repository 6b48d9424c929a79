"""The user's own columns and ids: from every source, kept, shown on request, refused if wrong."""

import copy
import gzip
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from termnest import (
    InvalidOptionError,
    InvalidTermError,
    Match,
    TermIdError,
    TermIndex,
    TermnestError,
    TermTypeError,
)

TERMS = ["aspirin", "aspirin", "new york", "york", "new york city"]
COLUMNS: dict[str, list[Any]] = {
    "concept": ["C1", "C2", None, "C4", "C4"],
    "year": [1899, 1899, -5, None, 2**62],
    "rate": [0.5, None, 1e300, -2.0, 0.0],
    "known": [True, False, None, True, False],
    "tags": [["x", "y"], [], None, ["é"], ["x"]],
}
IDS = ["D1", "D2", "P1", "P2", "P3"]


@pytest.fixture(scope="module")
def index() -> TermIndex:
    """Columns of all types, ids, and two terms with one surface."""
    return TermIndex(TERMS, columns=COLUMNS, ids=IDS)


def values(index: TermIndex) -> dict[str, list[Any]]:
    return {name: index.column(name).to_list() for name in index.columns}


# --- in, kept, and out ---


def test_the_columns_of_an_index_are_those_given(index: TermIndex) -> None:
    assert list(index) == TERMS
    assert index.columns == tuple(COLUMNS)
    assert values(index) == COLUMNS
    assert index.column("id").to_list() == IDS
    assert index.column_types == {
        "id": "strings",
        "concept": "strings",
        "year": "integers",
        "rate": "floats",
        "known": "booleans",
        "tags": "lists of strings",
    }


ARROW: dict[str, Callable[[dict[str, list[Any]]], dict[str, Any]]] = {
    "tuples": lambda columns: {name: tuple(column) for name, column in columns.items()},
    "generators": lambda columns: {name: iter(column) for name, column in columns.items()},
    "pyarrow": lambda columns: {name: pa.array(column) for name, column in columns.items()},
    "chunks": lambda columns: {
        name: pa.chunked_array([pa.array(column[:2]), pa.array(column[2:])])
        for name, column in columns.items()
    },
    "slices": lambda columns: {
        name: pa.array([*column[:1], *column])[1:] for name, column in columns.items()
    },
    "polars": lambda columns: {name: pl.Series(column) for name, column in columns.items()},
    "dictionaries": lambda columns: {
        name: pa.array(column).dictionary_encode() if name == "concept" else column
        for name, column in columns.items()
    },
}


@pytest.mark.parametrize("source", ARROW)
def test_every_source_gives_the_same_index(source: str, index: TermIndex) -> None:
    columns = ARROW[source](COLUMNS)
    assert TermIndex(TERMS, columns=columns, ids=pa.array(IDS)).checksum == index.checksum


@pytest.mark.parametrize(
    ("column", "kind", "expected"),
    [
        (pa.array([1, None], pa.uint8()), "integers", [1, None]),
        (pa.array([1, -1], pa.int16()), "integers", [1, -1]),
        (pa.array([2**63 - 1, 0], pa.uint64()), "integers", [2**63 - 1, 0]),
        (pa.array([5, None], pa.decimal128(38, 0)), "integers", [5, None]),
        (pa.array([0.5, None], pa.float32()), "floats", [0.5, None]),
        (pa.array(["a", None], pa.string_view()), "strings", ["a", None]),
        (pa.array(["a", None], pa.large_string()), "strings", ["a", None]),
        (pa.array([None, None]), "strings", [None, None]),
        (pa.array([None, None], pa.int64()), "integers", [None, None]),
        (pa.array([None, None], pa.dictionary(pa.int8(), pa.string())), "strings", [None, None]),
        (pa.array([["a"], None], pa.large_list(pa.string())), "lists of strings", [["a"], None]),
        (pa.array([["a", "b"], None], pa.list_(pa.string(), 2)), "lists of strings", None),
        (pl.Series(["a", "b"], dtype=pl.Categorical), "strings", ["a", "b"]),
        (pl.Series(["a", "b"], dtype=pl.Enum(["b", "a"])), "strings", ["a", "b"]),
        (np.array([1, 2]), "integers", [1, 2]),
        (np.array([1.5, 2], dtype=np.float32), "floats", [1.5, 2.0]),
        (np.array([True, False]), "booleans", [True, False]),
        ([1, 2.5], "floats", [1.0, 2.5]),
        ([(), ("a",)], "lists of strings", [[], ["a"]]),
        (["", "\0"], "strings", ["", "\0"]),
    ],
)
def test_a_column_has_the_type_and_values_that_it_was_given(
    column: Any, kind: str, expected: list[Any] | None
) -> None:
    index = TermIndex(["a", "b"], columns={"own": column})
    assert index.column_types == {"own": kind}
    assert index.column("own").to_list() == (expected or column.to_pylist())
    index.check()


def test_columns_are_kept_wherever_an_index_goes(index: TermIndex, tmp_path: Path) -> None:
    path = tmp_path / "a.nest"
    index.save(path)
    opened = TermIndex.open(path)
    built = TermIndex(TERMS, columns=COLUMNS, ids=IDS)
    for other in (
        opened,
        TermIndex.open(path, mmap=False),
        opened.reopen(),
        TermIndex.load(path),
        TermIndex.from_bytes(index.to_bytes()),
        pickle.loads(pickle.dumps(built)),
        pickle.loads(pickle.dumps(opened)),
        copy.deepcopy(built),
    ):
        other.check()
        assert values(other) == COLUMNS
        assert other.column("id").to_list() == IDS
        assert other.checksum == index.checksum


def test_a_filtered_index_has_the_columns_of_its_terms(index: TermIndex) -> None:
    words = index.filtered(max_length=1)
    assert list(words) == ["aspirin", "aspirin", "york"]
    assert values(words) == {name: [v[0], v[1], v[3]] for name, v in COLUMNS.items()}
    assert words.column("id").to_list() == ["D1", "D2", "P2"]
    words.check()


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_the_bytes_do_not_depend_on_the_threads(threads: int) -> None:
    terms = [f"t{i % 9000} of {i % 7}" for i in range(30_000)]
    columns = {
        "label": [["drug", "gene", None][i % 3] for i in range(30_000)],
        "number": [i % 1000 for i in range(30_000)],
        "tags": [["a", "b"][: i % 3] for i in range(30_000)],
    }
    built = TermIndex(terms, columns=columns, threads=threads)
    assert built.to_bytes() == TermIndex(terms, columns=columns).to_bytes()


def test_repeated_strings_and_small_numbers_take_little_space() -> None:
    count = 20_000
    terms = [f"t{i}" for i in range(count)]
    plain = TermIndex(terms).stats().file_bytes
    labels = ["a label that is repeated", "another one", "and a third"]
    columns = {"label": [labels[i % 3] for i in range(count)], "year": [2000] * count}
    # Two bits for a label, none for a year.
    assert TermIndex(terms, columns=columns).stats().file_bytes < plain + count / 4 + 2_000


# --- terms are rows ---


def test_rows_with_one_surface_are_terms_of_their_own() -> None:
    index = TermIndex(
        ["llc", "llc", "llc", "llc"], columns={"in": ["us", "uk", "us", None]}, weights=[1, 2, 4, 8]
    )
    assert index.column("in").to_list() == ["us", "uk", None]
    assert [match.id for match in index.find("llc")] == [0, 1, 2]
    assert index.stats().duplicates == 1
    table = index.nested_terms_batch(["an llc"], columns=["in"])
    assert table.column("weight").to_list() == [8.0, 5.0, 2.0]
    assert table.column("in").to_list() == [None, "us", "uk"]
    assert index.id("llc") == 0
    assert index.lookup("llc") == [0, 1, 2]
    index.check()


def test_many_rows_with_one_surface_are_all_found() -> None:
    count = 1_000
    terms = ["llc"] * count + ["google llc"] * 3
    index = TermIndex(terms, columns={"n": [*range(count), 1, 2, 3]})
    assert len(index.find("llc")) == count
    assert [m.n for m in index.find("google llc", overlaps="leftmost")] == [1, 2, 3]
    assert len(index.pairs()) == 3 * count
    assert index.id("llc") == 0
    assert index.id("google llc") == count
    index.check()


def test_an_alias_leads_to_all_rows_of_its_term() -> None:
    index = TermIndex(
        ["color", "color"], columns={"in": ["en-US", "css"]}, aliases={"color": ["colour"]}
    )
    assert [(m.term, getattr(m, "in")) for m in index.find("a colour")] == [
        ("color", "en-US"),
        ("color", "css"),
    ]
    index.check()


# --- matches and tables ---


def test_a_match_has_the_columns_as_attributes(index: TermIndex) -> None:
    first, second = index.find("take aspirin")
    assert first == ("aspirin", "D1", 5, 12)
    assert isinstance(first, Match)
    assert repr(first) == "Match(term='aspirin', id='D1', start=5, end=12)"
    assert (second.concept, second.year, second.rate, second.known, second.tags) == (
        "C2",
        1899,
        None,
        False,
        [],
    )
    for copied in (pickle.loads(pickle.dumps(second)), copy.copy(second)):
        assert copied == second
        assert copied.concept == "C2"
        assert repr(copied) == repr(second)
    with pytest.raises(AttributeError):
        _ = first.label


def test_an_index_without_columns_has_plain_matches() -> None:
    assert type(TermIndex(["a"]).find("a")[0]) is Match


def test_tables_have_the_columns_asked_for(index: TermIndex) -> None:
    names = ["tags", "concept", "tags"]
    found = index.find("york", columns=names)
    expected = {"term": "york", "id": "P2", "start": 0, "end": 4, "tags": ["é"], "concept": "C4"}
    assert found.to_pylist() == [expected]
    assert found.to_polars().to_dicts() == [expected]
    assert found.to_arrow().to_pylist() == [expected]
    assert pickle.loads(pickle.dumps(found.table)).to_pylist() == [expected]
    assert "é" in found._repr_html_()

    pairs = index.pairs(terms=True, columns=["concept", "rate"])
    assert pairs.columns[5:] == ["nested_concept", "super_concept", "nested_rate", "super_rate"]
    assert pairs[0] == {
        "nested_term": "new york",
        "super_term": "new york city",
        "nested": "P1",
        "super": "P3",
        "start": 0,
        "nested_concept": None,
        "super_concept": "C4",
        "nested_rate": 1e300,
        "super_rate": 0.0,
    }
    for table in (index.scores(columns=["known"]), index.taxonomy(columns=["known"])):
        assert table.column("known").to_list() == COLUMNS["known"]
        assert table.column("id").to_list() == IDS
    assert index.taxonomy().column("broader").to_list() == [None, None, "P2", None, None]
    ranking = index.ranking(columns=["year"], top=1)
    assert ranking[0]["year"] == 2**62
    super_ = index.super_terms_batch(["york"], columns=["known"])
    assert [(row["id"], row["known"]) for row in super_] == [("P1", None), ("P3", False)]


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_can_be_written_and_pickled(index: TermIndex, name: str, tmp_path: Path) -> None:
    table = index.scores(terms=True, columns=[name])
    table.write_jsonl(tmp_path / "a.jsonl")
    lines = (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)[name] for line in lines] == COLUMNS[name]
    assert pickle.loads(pickle.dumps(table)).to_pylist() == table.to_pylist()
    for write, separator in ((table.write_tsv, "\t"), (table.write_csv, ",")):
        write(tmp_path / "table")
        rows = (tmp_path / "table").read_text(encoding="utf-8").splitlines()
        assert rows[0].endswith(separator + name)
        assert rows[1 + COLUMNS[name].index(None)].endswith(separator)


def test_batches_have_the_columns_asked_for_and_where_selects_by_them(index: TermIndex) -> None:
    texts = ["aspirin", None, "new york"]
    table = index.find_batch(texts, columns=["concept", "tags"])
    assert table.columns == ["row", "id", "start", "end", "term", "concept", "tags"]
    rows = [(row["row"], row["id"], row["concept"], row["tags"]) for row in table]
    assert rows == [
        (0, "D1", "C1", ["x", "y"]),
        (0, "D2", "C2", []),
        (2, "P1", None, None),
        (2, "P2", "C4", ["é"]),
    ]
    for chosen in ({"concept": ["C2", "C4"]}, index.term_mask({"concept": ["C2", "C4"]})):
        table = index.find_batch(texts, where=chosen, overlaps="leftmost")
        assert table.column("id").to_list() == ["D2", "P2"]
        batches = index.iter_batches(texts, rows=2, where=chosen, columns=["year"])
        assert [row["year"] for batch in batches for row in batch] == [1899, None]
    assert [m.id for m in index.find("aspirin", variants="first")] == ["D1"]
    found = index.find("new york", where={"id": "P2", "known": True})
    assert [match.concept for match in found] == ["C4"]
    assert index.find_spans("york").ids.tolist() == [3]
    for ask in (index.find_batch, index.iter_batches):
        with pytest.raises(InvalidOptionError, match="the columns of the index are concept"):
            ask(texts, columns=["zzz"])
        with pytest.raises(InvalidOptionError, match='no term can have 1 as its "concept"'):
            ask(texts, where={"concept": 1})


def test_matches_in_bulk_have_ids_and_columns(index: TermIndex) -> None:
    text = "aspirin new york " * 3000
    found = index.find(text)
    assert [match.id for match in found[:4]] == ["D1", "D2", "P1", "P2"]
    # All at once, and one by one.
    assert list(found) == [found[row] for row in range(len(found))]
    assert {(m.id, m.concept) for m in found} == {
        ("D1", "C1"),
        ("D2", "C2"),
        ("P1", None),
        ("P2", "C4"),
    }
    assert type(found[0]) is type(found[:2][1]) is type(next(iter(found)))
    batch = index.find_batch([text], columns=["concept"], threads=2)
    assert batch.column("concept").to_list() == [match.concept for match in found]
    first = index.find_batch([text], columns=["concept"], variants="first")
    assert set(first.column("id")) == {"D1", "P1", "P2"}


@pytest.mark.parametrize(
    ("chosen", "ids"),
    [
        ({"concept": "C2"}, [1]),
        ({"concept": ("C1", "C4")}, [0, 3]),
        ({"concept": {"C1"}}, [0]),
        ({"concept": None}, [2]),
        ({"concept": []}, []),
        ({"id": ["D1", "P2"], "concept": "C4"}, [3]),
        ({"tags": "x"}, [0]),
        ({}, [0, 1, 2, 3]),
    ],
)
def test_conditions_choose_the_terms_to_look_for(
    index: TermIndex, chosen: dict[str, Any], ids: list[int]
) -> None:
    text = "aspirin in new york"
    assert index.find_spans(text, where=chosen).ids.tolist() == ids
    mask = index.term_mask(chosen)
    for where in (chosen, mask, mask.to_list()):
        assert [m.id for m in index.find(text, where=where)] == [index.column("id")[i] for i in ids]
        table = index.find_batch([text], where=where)
        assert table.column("start").to_list() == [[0, 0, 11, 15][i] for i in ids]


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"zzz": "C1"}, "the columns of the index are concept"),
        ({"concept": 7}, 'no term can have 7 as its "concept": the column has strings'),
        ({"year": ["1899"]}, "the column has integers"),
    ],
)
def test_conditions_that_no_term_can_meet_are_refused(
    index: TermIndex, chosen: dict[str, Any], message: str
) -> None:
    for ask in (index.find, index.find_spans):
        with pytest.raises(InvalidOptionError, match=message):
            ask("aspirin", where=chosen)
    for ask_many in (index.find_batch, index.iter_batches):
        with pytest.raises(InvalidOptionError, match=message):
            ask_many(["aspirin"], where=chosen)
    with pytest.raises(TermTypeError, match="a name in where"):
        index.find("aspirin", where={1: "C1"})  # type: ignore[arg-type]
    with pytest.raises(TermTypeError, match="where"):
        index.find("aspirin", where={"concept": b"C1"})


def test_json_has_the_columns_asked_for(index: TermIndex) -> None:
    term = json.loads(index.json.term("aspirin", columns=["concept", "tags"]))
    assert term["id"] == "D1"
    assert term["columns"] == {"concept": "C1", "tags": ["x", "y"]}
    assert [row["columns"]["concept"] for row in term["terms"]] == ["C1", "C2"]
    assert "columns" not in json.loads(index.json.term("aspirin"))
    expected = {"concept": None, "year": -5, "rate": 1e300, "known": None, "tags": None}
    for answer in (
        index.json.super_terms("york", columns=index.columns),
        index.json.complete("new y", columns=index.columns),
        index.json.find("new york", columns=index.columns),
    ):
        assert answer is not None
        row = json.loads(answer)["results"][0]
        assert (row["id"], row["columns"]) == ("P1", expected)
    batch = json.loads(index.json.batch("nested", ["new york city"], columns=["year"]))
    assert batch["results"][0]["results"][0]["columns"] == {"year": -5}


# --- ids ---


@pytest.mark.parametrize("ids", [[7, -1, 2**63 - 1], ["b", "a", ""]])
def test_ids_of_ones_own_are_shown_and_asked_for_everywhere(ids: list[Any]) -> None:
    index = TermIndex(["new york", "york", "york city"], ids=ids)
    assert [index.id(term) for term in index] == ids
    assert [index[id] for id in ids] == list(index)
    assert index.ids(["york", "zzz"]) == [ids[1], None]
    assert index.lookup("york") == [ids[1]]
    assert index.weight("york") == 1.0
    assert [match.id for match in index.find("new york city")] == ids
    assert index.pairs().column("super").to_list() == [ids[0], ids[2]]
    with pytest.raises(TermIdError):
        index[3 if ids[0] == 7 else "zzz"]
    index.check()


def test_entries_without_a_token_need_no_id() -> None:
    assert TermIndex(["a", None, " "], ids=[5, None, 5]).column("id").to_list() == [5]  # type: ignore[list-item]


# --- selecting terms ---


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([("concept", "C4")], [3, 4]),
        ([("concept", ["C1", "C2", "zzz"])], [0, 1]),
        ([("concept", None)], [2]),
        ([("concept", ["C1", None])], [0, 2]),
        ([("tags", "x")], [0, 4]),
        ([("tags", ["y", "é"])], [0, 3]),
        ([("year", [1899, -5])], [0, 1, 2]),
        ([("year", 1899.0)], [0, 1]),
        ([("rate", 0)], [4]),
        ([("known", True)], [0, 3]),
        ([("known", True), ("concept", ["C4"])], [3]),
        ([("id", ["D1", "P3"])], [0, 4]),
        ([("concept", [])], []),
        ([], [0, 1, 2, 3, 4]),
    ],
)
def test_a_mask_has_the_terms_with_these_values(
    index: TermIndex, conditions: list[tuple[str, object]], expected: list[int]
) -> None:
    mask = index.term_mask(dict(conditions))
    assert [term for term, fits in enumerate(mask) if fits] == expected


# --- files ---


def write(path: Path, text: str) -> Path:
    content = text.encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


FILES = {
    "a.tsv": "term\tlabel\tcui\tweight\nllc\tlegal\tC1\t3\nllc\t\tC2\t1\n",
    "a.csv": 'term,label,cui,weight\nllc,"legal",C1,3\n\nllc,,C2,1\n',
    "a.csv.gz": "term;label;cui;weight\nllc;legal;C1;3\nllc;;C2;1\n",
    "a.jsonl": '{"term":"llc","label":"legal","cui":"C1","weight":3}\n'
    '{"term":"llc","cui":"C2","weight":1}\n',
}


@pytest.mark.parametrize("columns", [["label"], True])
@pytest.mark.parametrize("name", [*FILES, "a.parquet"])
def test_files_of_all_formats_have_columns_and_ids(name: str, columns: Any, tmp_path: Path) -> None:
    path = tmp_path / name
    if name == "a.parquet":
        table = {"term": ["llc"] * 2, "label": ["legal", None], "cui": ["C1", "C2"]}
        pq.write_table(pa.table(table | {"weight": [3, 1]}), path)
    else:
        write(path, FILES[name])
    index = TermIndex.from_file(path, columns=columns, id_column="cui")
    assert index.columns == ("label",)
    assert index.column("label").to_list() == ["legal", None]
    assert index.column("id").to_list() == ["C1", "C2"]
    assert index.weighted
    expected = TermIndex(["llc"] * 2, columns={"label": ["legal", None]}, ids=["C1", "C2"])
    assert values(index) == values(expected)


def test_json_lines_have_types(tmp_path: Path) -> None:
    rows = [
        {"term": "a", "year": 1, "rate": 1, "known": True, "tags": ["x"]},
        {"term": "b", "year": 2, "rate": 0.5, "late": "z"},
    ]
    lines = "\n".join(map(json.dumps, rows)) + '\n"c"\n\n'
    index = TermIndex.from_file(write(tmp_path / "a.jsonl", lines), columns=True)
    assert values(index) == {
        "year": [1, 2, None],
        "rate": [1.0, 0.5, None],
        "known": [True, None, None],
        "tags": [["x"], None, None],
        "late": [None, "z", None],
    }


def test_a_file_with_a_column_asked_for_has_a_header(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "name,label\nllc,legal\n")
    index = TermIndex.from_file(path, columns=["label"])
    assert (list(index), index.column("label").to_list()) == (["llc"], ["legal"])
    assert TermIndex.from_file(path, column="name", columns=True).columns == ("label",)


@pytest.mark.parametrize(
    ("name", "text", "options", "problem"),
    [
        ("a.tsv", "term\tx\na\tb\n", {"columns": ["y"]}, 'there is no column "y"'),
        ("a.jsonl", '{"term":"a","x":1}\n', {"columns": ["y"]}, 'there is no column "y"'),
        ("a.jsonl", '{"term":"a","x":1}\n', {"id_column": "y"}, 'there is no column "y"'),
        ("a.tsv", "term\tx\na\tb\nc\n", {"columns": ["x"]}, "line 3: the row has 1 column"),
        ("a.txt", "a\nb\n", {"columns": ["x"]}, "only TSV, CSV and JSON Lines have columns"),
        ("a.txt", "a\nb\n", {"columns": True}, "only TSV, CSV and JSON Lines have columns"),
        ("a.jsonl", '{"term":"a","x":1}\n{"term":"b","x":"y"}\n', {"columns": True}, "at line 2"),
        ("a.jsonl", '{"term":"a","x":{}}\n', {"columns": ["x"]}, "at line 1 is {}"),
        ("a.jsonl", '{"term":"a","x":[1]}\n', {"columns": ["x"]}, "at line 1 is [1]"),
        ("a.csv", "term,frequency,count\na,1,2\n", {"columns": True}, 'named "count"'),
        ("a.csv", "term,x,\na,1,2\n", {"columns": True}, "give it a name"),
        ("a.csv", "term,x\na,1\nb,1\n", {"id_column": "x"}, "at row 1 and at row 2"),
        ("a.csv", "term,x\na,\n", {"id_column": "x"}, "the term at row 1 has no id"),
    ],
)
def test_what_is_wrong_with_the_columns_of_a_file_is_said(
    name: str, text: str, options: dict[str, Any], problem: str, tmp_path: Path
) -> None:
    path = write(tmp_path / name, text)
    with pytest.raises(TermnestError) as error:
        TermIndex.from_file(path, **options)
    assert problem in str(error.value)
    assert name in str(error.value)


def test_a_missing_column_of_a_parquet_file_is_named(tmp_path: Path) -> None:
    pq.write_table(pa.table({"term": ["a"], "x": [1]}), tmp_path / "a.parquet")
    with pytest.raises(InvalidOptionError, match='there is no column "y"'):
        TermIndex.from_file(tmp_path / "a.parquet", columns=["y"])


# --- what is refused ---


@pytest.mark.parametrize(
    ("options", "error", "problem"),
    [
        ({"columns": {"x": [1]}}, InvalidOptionError, '2 terms but 1 values of "x"'),
        ({"columns": {"x": pa.array([1, 2, 3])}}, InvalidOptionError, 'but 3 values of "x"'),
        ({"ids": [1]}, InvalidOptionError, '2 terms but 1 values of "ids"'),
        ({"ids": [1, 1]}, InvalidTermError, "the id 1 occurs twice, at entry 0"),
        ({"ids": ["x", "x"]}, InvalidTermError, 'the id "x" occurs twice'),
        ({"ids": [1, None]}, InvalidTermError, "the term at entry 1 (counted from 0) has no id"),
        ({"ids": [0.5, 1.5]}, InvalidTermError, "the ids are floats"),
        ({"columns": {"x": [1, "y"]}}, InvalidTermError, "is 'y', and the column has integers"),
        ({"columns": {"x": ["y", ["z"]]}}, InvalidTermError, "and the column has strings"),
        ({"columns": {"x": [2**63, 1]}}, InvalidTermError, "integers have 64 bits"),
        ({"columns": {"x": [object(), 1]}}, TermTypeError, 'entry 0 of columns["x"]'),
        ({"columns": {"x": [["y"], [1]]}}, TermTypeError, "an item of entry 1"),
        ({"columns": {"x": "yz"}}, TermTypeError, 'columns["x"] must be'),
        ({"columns": {"x": 5}}, TermTypeError, 'columns["x"] must be'),
        ({"columns": {"x": pa.array([1, 2], pa.date32())}}, TermTypeError, "a column of Date32"),
        ({"columns": {"x": pa.array([[1], [2]])}}, TermTypeError, "a column of List"),
        ({"columns": {"x": pa.array([["y", None], []])}}, InvalidTermError, "a list with a null"),
        ({"columns": {"x": pa.array([2**63, 1], pa.uint64())}}, InvalidTermError, "of 64 bits"),
        ({"columns": {"x": pa.table({"a": [1], "b": [2]})}}, TermTypeError, "it has 2 columns"),
        ({"columns": ["x"]}, TermTypeError, "columns must be a mapping"),
        ({"columns": {1: ["x", "y"]}}, TermTypeError, "a name of columns must be a str"),
        ({"columns": {"\ud800": [1, 2]}}, TermnestError, "a name of columns"),
        ({"columns": {"x": ["\ud800", "y"]}}, TermnestError, 'entry 0 of columns["x"]'),
    ],
)
def test_wrong_columns_are_refused_in_one_sentence(
    options: dict[str, Any], error: type[TermnestError], problem: str
) -> None:
    with pytest.raises(error) as raised:
        TermIndex(["a", "b"], **options)
    assert problem in str(raised.value)
    assert "\n" not in str(raised.value)


NAMES = ["term", "id", "weight", "row", "start", "end", "frequency", "query", "count", "index"]


@pytest.mark.parametrize("name", [*NAMES, "", " ", "a,b", "_x", "a\tb", "x" * 256, "nested_term"])
def test_a_name_that_a_column_cannot_have_is_refused(name: str) -> None:
    with pytest.raises(InvalidOptionError) as error:
        TermIndex(["a"], columns={name: [1]})
    assert json.dumps(name)[1:-1] in str(error.value)


def test_the_names_of_tables_and_matches_are_refused(index: TermIndex) -> None:
    tables = [
        index.find("york").table,
        index.pairs(terms=True),
        index.scores(terms=True),
        index.ranking(),
        index.taxonomy(terms=True),
        index.super_terms_batch(["york"]),
    ]
    attributes = [name for name in dir(Match) if not name.startswith("_")]
    for name in {*attributes, *(name for table in tables for name in table.columns)}:
        with pytest.raises(InvalidOptionError, match="rename it"):
            TermIndex(["a"], columns={name: [1]})


@pytest.mark.parametrize(
    "ask",
    [
        lambda index, columns: index.find("a", columns=columns),
        lambda index, columns: index.super_terms_batch(["a"], columns=columns),
        lambda index, columns: index.nested_terms_batch(["a"], columns=columns),
        lambda index, columns: index.pairs(columns=columns),
        lambda index, columns: index.scores(columns=columns),
        lambda index, columns: index.ranking(columns=columns),
        lambda index, columns: index.taxonomy(columns=columns),
        lambda index, columns: index.json.term("a", columns=columns),
        lambda index, columns: index.json.find("a", columns=columns),
        lambda index, columns: index.json.super_terms("a", columns=columns),
        lambda index, columns: index.json.complete("a", columns=columns),
        lambda index, columns: index.json.batch("super", ["a"], columns=columns),
    ],
)
def test_an_unknown_column_is_refused(
    index: TermIndex, ask: Callable[[TermIndex, Any], object]
) -> None:
    with pytest.raises(InvalidOptionError, match="the columns of the index are concept, year"):
        ask(index, ["concept", "zzz"])
    with pytest.raises(InvalidOptionError, match="the index has no columns"):
        ask(TermIndex(["a"]), ["zzz"])
    for wrong in ("concept", 5, [1]):
        with pytest.raises(TermTypeError, match="columns"):
            ask(index, wrong)


@pytest.mark.parametrize("conditions", [[("zzz", 1)], [("year", "x")], [("known", 1)]])
def test_a_condition_that_no_term_can_meet_is_refused(
    index: TermIndex, conditions: list[tuple[str, object]]
) -> None:
    with pytest.raises(InvalidOptionError):
        index.term_mask(dict(conditions))


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow", "dict"])
def test_columns_may_be_a_data_frame(library: str) -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    data: dict[str, list[Any]] = {"label": ["x", None], "tags": [["u"], ["v", "w"]]}
    frame = {"polars": pl.DataFrame, "pandas": pd.DataFrame, "pyarrow": pa.table, "dict": dict}
    index = TermIndex(["a", "b"], columns=frame[library](data))
    assert index.columns == ("label", "tags")
    assert index.column("label").to_list() == ["x", None]
    assert index.column("tags").to_list() == [["u"], ["v", "w"]]


def test_the_error_of_a_wrong_argument_is_a_line() -> None:
    import polars as pl

    wrong: Any = pl.DataFrame({"a": ["x"] * 100, "b": ["y"] * 100})
    with pytest.raises(TermTypeError, match=r"^entry 0 of columns must be a str, not ") as raised:
        TermIndex(["a"]).find_batch(["a"], columns=wrong)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 400
