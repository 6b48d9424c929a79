"""Two data frames joined by containment, against the definition."""

import datetime
from itertools import product
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termnest import InvalidOptionError, InvalidTermError, TermIndex, TermTypeError
from termnest import containment_join as join

KEYWORDS: dict[str, list[Any]] = {
    "keyword": ["new york", "boston", None, "york", "York", "!"],
    "bid": [3, 5, 7, 2, 9, 1],
}
SEARCHES: dict[str, list[Any]] = {
    "search": ["hotel in new york", None, "york minster", "paris", "york"]
}
ON = ("keyword", "search")

words = st.lists(st.sampled_from("abc"), max_size=6).map(" ".join)
column = st.lists(st.none() | words, max_size=12)


def contains(text: str | None, phrase: str | None, proper: bool = False) -> bool:
    inner, outer = (phrase or "").split(), (text or "").split()
    found = any(outer[i : i + len(inner)] == inner for i in range(len(outer) - len(inner) + 1))
    return bool(inner) and found and not (proper and inner == outer)


@given(column, column, st.booleans(), st.sampled_from(["left", "right"]))
def test_a_join_has_each_pair_of_rows_of_which_one_occurs_in_the_other(
    left: list[str | None], right: list[str | None], proper: bool, phrases: Any
) -> None:
    pairs = [
        (i, j)
        for (i, a), (j, b) in product(enumerate(left), enumerate(right))
        if (contains(b, a, proper) if phrases == "left" else contains(a, b, proper))
    ]
    frames = {"x": left, "n": list(range(len(left)))}, {"x": right}
    options: dict[str, Any] = {"on": "x", "proper": proper, "phrases": phrases}
    inner = join(*frames, **options)
    assert inner.columns == ["left_row", "right_row", "x_left", "n", "x_right"]
    assert [(row["left_row"], row["right_row"]) for row in inner] == pairs
    for row in inner:
        assert row["x_left"] == left[row["left_row"]]
        assert row["x_right"] == right[row["right_row"]]
        assert row["n"] == row["left_row"]
    alone = [i for i in range(len(left)) if all(i != pair[0] for pair in pairs)]
    anti = join(*frames, how="anti", **options)
    assert anti.columns == ["left_row", "x", "n"]
    assert anti.to_pylist() == [{"left_row": i, "x": left[i], "n": i} for i in alone]
    outer = join(*frames, how="left", **options)
    assert [(row["left_row"], row["right_row"]) for row in outer] == sorted(
        [*pairs, *((i, None) for i in alone)], key=lambda pair: pair[0]
    )
    assert all(row["x_right"] is None for row in outer if row["right_row"] is None)


@given(st.lists(words.filter(str.split), max_size=15, unique=True))
def test_a_proper_join_of_terms_with_themselves_has_the_pairs_of_an_index(terms: list[str]) -> None:
    joined = join({"t": terms}, {"t": terms}, on="t", proper=True)
    pairs = TermIndex(terms).pairs()
    assert joined.column("left_row").to_list() == pairs.column("nested").to_list()
    assert joined.column("right_row").to_list() == pairs.column("super").to_list()
    own = join({"t": terms}, {"t": terms}, on="t")
    assert len(own) == len(pairs) + len(terms)


def frames_of(data: dict[str, list[Any]]) -> list[Any]:
    """A dict of columns in each form in which a frame can come."""
    arrow = pa.table(data)
    chunked = pa.concat_tables([arrow.slice(0, 1), arrow.slice(1)])
    dictionary = arrow.set_column(0, arrow.column_names[0], arrow.column(0).dictionary_encode())
    view = arrow.set_column(0, arrow.column_names[0], arrow.column(0).cast(pa.string_view()))
    frames = [data, pl.DataFrame(data), arrow, chunked, dictionary, view]
    frames += [pd.DataFrame(data), duckdb.connect().from_arrow(arrow), arrow.to_reader()]
    return [*frames, {name: pl.Series(values) for name, values in data.items()}]


def test_frames_of_every_kind_give_the_same_answer() -> None:
    expected = join(KEYWORDS, SEARCHES, on=ON, fold=True, left_columns=["bid"]).to_pylist()
    assert [(row["left_row"], row["right_row"]) for row in expected] == [
        *[(0, 0), (3, 0), (3, 2), (3, 4), (4, 0), (4, 2), (4, 4)]
    ]
    for left, right in zip(frames_of(KEYWORDS), frames_of(SEARCHES), strict=True):
        found = join(left, right, on=ON, fold=True, left_columns=["bid"]).to_pylist()
        assert found == expected, type(left)


def test_the_answer_is_a_table_of_every_library() -> None:
    joined = join(KEYWORDS, SEARCHES, on=ON, how="left")
    assert joined.to_polars().columns == ["left_row", "right_row", "keyword", "bid", "search"]
    assert len(joined.to_pandas()) == len(joined.to_arrow()) == len(joined)
    relation = duckdb.sql("SELECT count(*) FROM joined")
    assert relation is not None
    assert relation.fetchall() == [(len(joined),)]


def test_columns_keep_their_types() -> None:
    day = datetime.date(2026, 11, 19)
    columns: dict[str, Any] = {
        "t": ["a", "b", "a c"],
        "day": [day, None, day],
        "small": pa.array([1, None, 3], pa.int8()),
        "half": pa.array([0.5, None, 2.5], pa.float32()),
        "price": pa.array([1, 2, None], pa.decimal128(9, 2)),
        "flags": [True, None, False],
        "tags": pa.array([["x"], None, []], pa.list_(pa.string())),
        "point": pa.array([{"x": 1}, None, {"x": 3}]),
        "kind": pa.array(["u", "v", None]).dictionary_encode(),
        "nothing": pa.nulls(3),
    }
    frame = pa.table(columns)
    table = join({"t": ["a", "z", "c"]}, frame, on="t", how="left")
    rows = [0, 2, None, 2]
    assert table.column("right_row").to_list() == rows
    for name in frame.column_names[1:]:
        values = frame.column(name).to_pylist()
        expected = [None if row is None else values[row] for row in rows]
        assert table.column(name).to_list() == expected, name
        assert table.to_arrow().column(name).to_pylist() == expected, name
    assert table.to_polars().schema["day"] == pl.Date


def test_a_column_that_only_its_library_knows_is_not_written_as_text() -> None:
    table = join(
        {"t": ["a"], "n": [1]}, pa.table({"t": ["a"], "day": [datetime.date.today()]}), on="t"
    )
    for write in (table.write_csv, table.write_jsonl, table.write_tsv):
        with pytest.raises(
            TermTypeError, match="the column 'day' of type Date32 cannot be written"
        ):
            write("out")
    some = join({"t": ["a"], "n": [1]}, {"t": ["b a"]}, on="t", right_columns=[])
    some.write_csv("out")


@pytest.mark.parametrize(
    ("options", "phrase", "text"),
    [
        ({"fold": True}, "New York", "in NEW YORK."),
        ({"lowercase": True}, "New York", "in NEW YORK."),
        ({"strip_accents": True}, "café", "a cafe"),
        ({"language": "en"}, "stem cell", "two stem cells"),
        ({"hyphens": "both"}, "e-mail", "an email"),
        ({"fold": True, "case": "smart"}, "IT", "the IT staff"),
        ({"separator": "_"}, "New_York", "in_New_York"),
        ({"tokenizer": "chars"}, "酸", "酢酸菌"),
        ({"tokenizer": "whitespace"}, "a,", "b a, c"),
        ({"normalize": str.lower}, "York", "new york"),
    ],
)
def test_every_option_of_matching_counts(options: Any, phrase: str, text: str) -> None:
    left, right = {"t": [phrase]}, {"t": [text]}
    assert len(join(left, right, on="t", **options)) == 1
    assert len(TermIndex([phrase], **options).find(text)) == 1
    if not options.keys() & {"tokenizer", "case"}:
        assert len(join(left, right, on="t")) == 0


def test_smart_case_does_not_join_another_word() -> None:
    table = join({"t": ["IT", "it"]}, {"t": ["it", "IT"]}, on="t", fold=True, case="smart")
    pairs = [(row["left_row"], row["right_row"]) for row in table]
    assert pairs == [(0, 1), (1, 0), (1, 1)]


def test_either_frame_may_be_empty_or_long() -> None:
    assert len(join({"t": []}, {"t": ["a"]}, on="t")) == 0
    assert len(join({"t": ["a"]}, {"t": []}, on="t", how="left")) == 1
    long = "a " * 10_000 + "b"
    table = join({"t": ["a b", "b a", "a a a"]}, {"t": [long]}, on="t")
    assert table.column("left_row").to_list() == [0, 2]
    with pytest.raises(InvalidTermError, match=r"entry 1 .* has 10001 tokens"):
        join({"t": ["a", long]}, {"t": ["a"]}, on="t")
    many = join({"t": ["x y", "a"]}, {"t": ["a", "b x y"] * 50_000}, on="t", threads=2)
    assert len(many) == 100_000
    assert many.column("right_row")[50_000] == 0


def test_names_that_both_frames_have_get_suffixes() -> None:
    left = {"id": [1], "t": ["a"], "note": ["l"]}
    right = {"id": [2], "t": ["b a"], "text": ["r"]}
    table = join(left, right, on="t", suffixes=("_1", "_2"))
    names = ["left_row", "right_row", "id_1", "t_1", "note", "id_2", "t_2", "text"]
    assert table.columns == names
    few = join(left, right, on="t", left_columns=["note", "note"], right_columns=["id"])
    assert few.columns == ["left_row", "right_row", "note", "id"]


GOOD: dict[str, Any] = {"left": {"t": ["a"]}, "right": {"t": ["a"], "n": [1]}, "on": "t"}


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"left": 5}, TermTypeError, "left must be a data frame .* not int"),
        ({"left": pl.LazyFrame({"t": ["a"]})}, TermTypeError, r"collect\(\) it first.* LazyFrame"),
        ({"right": ["a"]}, TermTypeError, "right must be a data frame .* not list"),
        ({"right": pl.Series(["a"])}, TermTypeError, "right must be a data frame .* one column"),
        ({"on": "x"}, InvalidOptionError, "on cannot be 'x': the columns of left are 't'"),
        ({"on": ("t", "x")}, InvalidOptionError, "the columns of right are 't', 'n'"),
        (
            {"on": ("t", "n")},
            TermTypeError,
            r'right\["n"\]: it is a column of Int64, not of strings',
        ),
        ({"on": ("t",)}, TermTypeError, "on must be two str"),
        ({"on": None}, TermTypeError, "on must be two str"),
        ({"how": "outer"}, InvalidOptionError, "how .* 'inner', 'left' or 'anti'"),
        ({"phrases": "both"}, InvalidOptionError, "phrases .* 'left' or 'right'"),
        ({"suffixes": "_x"}, TermTypeError, "suffixes must be two str"),
        ({"suffixes": ("", "")}, InvalidOptionError, "would be named 't'"),
        ({"left_columns": ["x"]}, InvalidOptionError, "left_columns cannot be 'x'"),
        ({"right_columns": "t"}, TermTypeError, "right_columns must be"),
        ({"left": {"t": ["a"], "left_row": [1]}}, InvalidOptionError, "named 'left_row'"),
        ({"left": {"t": ["a"], "n": [1, 2]}}, InvalidOptionError, '"t" has 1 values and "n" has 2'),
        ({"left": {"t": ["a", 5]}}, InvalidTermError, "5"),
        ({"left": {"t": [object()]}}, TermTypeError, r"entry 0 of left"),
        ({"proper": "yes"}, TermTypeError, "proper must be True or False"),
        ({"threads": 0}, InvalidOptionError, "threads"),
        ({"fold": 1}, TermTypeError, "fold must be"),
        ({"language": "xx"}, InvalidOptionError, "language"),
        (
            {"left": pa.Table.from_arrays([pa.array(["a"])] * 2, ["t", "t"])},
            InvalidOptionError,
            "two",
        ),
    ],
)
def test_a_wrong_argument_gets_one_clear_sentence(changed: Any, error: Any, message: str) -> None:
    arguments = {**GOOD, **changed}
    with pytest.raises(error, match=message) as raised:
        join(arguments.pop("left"), arguments.pop("right"), **arguments)
    assert "\n" not in str(raised.value)
