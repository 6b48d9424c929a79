"""Invalid vocabularies, weights, texts and options: each is refused with the reason."""

import errno
import gzip
import io
import json
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

import termnest
from oracle import Tokenizer
from termnest import (
    MAX_TERM_BYTES,
    MAX_TERM_TOKENS,
    DamagedIndexError,
    FileAccessError,
    InvalidOptionError,
    InvalidTermError,
    InvalidTextError,
    MissingFileError,
    TermIdError,
    TermIndex,
    TermnestError,
    TermTypeError,
    UnknownTermError,
    errors,
)

Write = Callable[[str, bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file and returns its path."""

    def write_file(name: str, content: bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write_file


def refusal(
    error_class: type[TermnestError], function: Callable[..., object], *args: Any, **kwargs: Any
) -> str:
    """The message of the error that a call raises, which must be of this very class."""
    with pytest.raises(error_class) as caught:
        function(*args, **kwargs)
    assert type(caught.value) is error_class
    return str(caught.value)


def questions_about_one(index: TermIndex) -> list[Callable[..., object]]:
    """What takes a phrase or a text; the last two do not normalise it."""
    return [
        index.super_terms,
        index.nested_terms,
        index.count_super_terms,
        index.count_nested_terms,
        index.complete,
        index.find,
        index.id,
        index.weight,
    ]


def questions_about_many(index: TermIndex) -> list[Callable[..., object]]:
    """What takes a list of phrases; the last does not normalise them."""
    return [index.super_terms_batch, index.nested_terms_batch, index.ids]


def assert_contains(message: str, *parts: str) -> None:
    for part in parts:
        assert part in message


# Empty vocabularies and blank entries.


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b""),
        ("a.txt", b"\xef\xbb\xbf"),
        ("a.csv", b""),
        ("a.csv", b"term,weight\n"),
        ("a.tsv", b"term\n"),
        ("a.jsonl", b""),
        ("a.txt.gz", gzip.compress(b"", mtime=0)),
    ],
)
def test_an_empty_vocabulary_file_gives_an_empty_index(
    write: Write, name: str, content: bytes
) -> None:
    index = TermIndex.from_file(write(name, content))
    assert (len(index), index.stats().skipped) == (0, 0)
    assert index.super_terms("a") == []
    assert list(index.find("a b")) == []
    assert len(index.pairs()) == 0


def test_an_empty_index_can_be_saved_opened_and_checked(tmp_path: Path) -> None:
    TermIndex([]).save(tmp_path / "a.nest")
    index = TermIndex.open(tmp_path / "a.nest")
    index.check()
    assert (list(index), index.complete("a"), index.ids(["a"])) == ([], [], [None])
    with pytest.raises(TermIdError):
        index[0]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b"\na\n \n\t\r\n\r\nb c\n"),
        ("a.csv", b"term\n\na\n \n\t\r\n\r\nb c\n"),
        ("a.tsv", b"term\tx\n\na\n \n\tx\r\n\r\nb c\n"),
        ("a.jsonl", b'\n"a"\n" "\n""\r\n\r\n"b c"\n'),
    ],
)
def test_blank_lines_are_skipped_and_counted(write: Write, name: str, content: bytes) -> None:
    index = TermIndex.from_file(write(name, content))
    assert list(index) == ["a", "b c"]
    assert index.stats().skipped == 4


def test_the_weights_of_blank_rows_are_skipped_with_them(write: Write) -> None:
    index = TermIndex.from_file(write("a.csv", b"term,weight\na,1\n ,2\nb,3\n"))
    assert [index.weight(term) for term in index] == [1, 3]


# Bytes.


@pytest.mark.parametrize(
    ("name", "head"), [("a.txt", b"x\n"), ("a.csv", b"term\n"), ("a.tsv", b"term\n")]
)
@pytest.mark.parametrize("wrong", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf"])
def test_bytes_that_are_not_utf8_are_refused_with_their_line(
    write: Write, name: str, head: bytes, wrong: bytes
) -> None:
    path = write(name, head + b"a\r\nb " + wrong + b"\nc\n")
    message = refusal(InvalidTermError, TermIndex.from_file, path)
    assert "line 3 " in message
    assert f"0x{wrong[0]:02x}" in message
    assert "replace" in message


def test_bytes_of_json_that_are_not_utf8_are_refused_with_their_line(write: Write) -> None:
    path = write("a.jsonl", b'"a"\n\n"b\xff"\n')
    message = refusal(InvalidTermError, TermIndex.from_file, path)
    assert "line 3 " in message


def test_a_character_cut_by_the_end_of_the_file_is_refused(write: Write) -> None:
    path = write("a.txt", "a\né".encode()[:-1])
    assert "line 2 " in refusal(InvalidTermError, TermIndex.from_file, path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b"a \xff\nb\n"),
        ("a.csv", b"term\na \xff\nb\n"),
        ("a.tsv", b"term\na \xff\nb\n"),
        ("a.jsonl", b'"a \xff"\n"b"\n'),
    ],
)
def test_errors_replace_puts_a_replacement_character(
    write: Write, name: str, content: bytes
) -> None:
    index = TermIndex.from_file(write(name, content), errors="replace")
    assert list(index) == ["a \ufffd", "b"]


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.tsv", "a.jsonl"])
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_a_utf16_file_is_refused_with_a_hint(write: Write, name: str, codec: str) -> None:
    path = write(name, "\ufeffterm\na\n".encode(codec))
    assert "UTF-16" in refusal(InvalidTermError, TermIndex.from_file, path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b"a\0b \0\n"),
        ("a.csv", b"term\na\0b \0\n"),
        ("a.tsv", b"term\na\0b \0\n"),
        ("a.jsonl", b'"a\\u0000b \\u0000"\n'),
    ],
)
def test_nul_bytes_are_characters_like_any_other(write: Write, name: str, content: bytes) -> None:
    index = TermIndex.from_file(write(name, content), tokenizer="whitespace")
    assert list(index) == ["a\0b \0"]
    assert index.super_terms("\0") == ["a\0b \0"]
    assert [(m.start, m.end) for m in index.find("\0 a\0b \0")] == [(2, 7)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b"a\r\nb c\r\n"),
        ("a.csv", b"term,weight\r\na,1\r\nb c,1\r\n"),
        ("a.tsv", b"term\tweight\r\na\t1\r\nb c\t1\r\n"),
        ("a.jsonl", b'"a"\r\n{"term": "b c"}\r\n'),
    ],
)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_byte_order_mark_and_crlf_are_no_part_of_a_term(
    write: Write, name: str, content: bytes, mark: bytes
) -> None:
    index = TermIndex.from_file(write(name, mark + content), tokenizer="chars")
    assert list(index) == ["a", "b c"]


def test_a_byte_order_mark_elsewhere_stays(write: Write) -> None:
    index = TermIndex.from_file(write("a.txt", "a\n\ufeffb\n".encode()))
    assert list(index) == ["a", "\ufeffb"]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b"a\n\nb c\n"),
        ("a.csv", b"term,weight\na,1\n\nb c,1\n"),
        ("a.tsv", b"term\tweight\na\t1\n\nb c\t1\n"),
        ("a.jsonl", b'"a"\n\n{"term": "b c"}\n'),
    ],
)
def test_a_line_ends_at_lf_crlf_or_cr(write: Write, name: str, content: bytes, end: bytes) -> None:
    index = TermIndex.from_file(write(name, content.replace(b"\n", end)), tokenizer="chars")
    assert (list(index), index.stats().skipped) == (["a", "b c"], 1)


def test_a_long_list_with_cr_line_ends_is_a_list(write: Write) -> None:
    terms = [f"term {number}" for number in range(44_804)]
    index = TermIndex.from_file(write("a.txt", "\r".join(terms).encode()))
    assert list(index) == terms


def test_line_ends_may_be_mixed_and_lines_are_counted_alike(write: Write) -> None:
    assert list(TermIndex.from_file(write("a.txt", b"a\rb\r\nc\nd\r"))) == ["a", "b", "c", "d"]
    path = write("a.tsv", b"term\tweight\ra\t1\r\nb\t1\n\rc\tx\r")
    assert "line 5 " in refusal(InvalidTermError, TermIndex.from_file, path)


def test_a_cr_inside_of_quotes_is_part_of_the_cell(write: Write) -> None:
    path = write("a.csv", b'term,x\r"a\rb",1\rc,2\r')
    assert list(TermIndex.from_file(path, tokenizer="chars")) == ["a\rb", "c"]


def test_other_line_separators_end_no_line(write: Write) -> None:
    path = write("a.txt", "a\u2028b\x0bc\x0cd\x85e\n".encode())
    assert list(TermIndex.from_file(path)) == ["a b c d e"]


def test_a_last_line_without_an_end_is_a_line(write: Write) -> None:
    assert list(TermIndex.from_file(write("a.txt", b"a\nb"))) == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt.gz", gzip.compress(b"a b c d e f g\n", mtime=0)[:-6]),
        ("a.txt.gz", b"\x1f\x8b"),
        ("a.txt.zst", pyarrow.compress(b"a b c d e f g\n", codec="zstd", asbytes=True)[:-3]),
        ("a.txt.zst", b"\x28\xb5\x2f\xfd"),
    ],
)
def test_a_compressed_file_that_was_cut_is_refused(write: Write, name: str, content: bytes) -> None:
    path = write(name, content)
    message = refusal(FileAccessError, TermIndex.from_file, path)
    assert str(path) in message


# Half characters.


@pytest.mark.parametrize("half", ["\ud800", "a \udfff b"])
def test_a_lone_surrogate_is_refused_wherever_a_text_is_taken(half: str) -> None:
    index = TermIndex(["a", "a b"])
    for question in questions_about_one(index):
        assert "surrogate" in refusal(InvalidTextError, question, half)


def test_a_lone_surrogate_in_a_list_is_refused_with_its_entry() -> None:
    terms = ["a", "b", "c\udc80"]
    index = TermIndex(["a"])
    for use in (TermIndex, *questions_about_many(index)):
        message = refusal(InvalidTextError, use, terms)
        assert "entry 2 " in message
        assert "surrogate" in message


def test_a_lone_surrogate_from_normalize_is_refused() -> None:
    message = refusal(InvalidTextError, TermIndex, ["a"], normalize=lambda token: "\ud800")
    assert "surrogate" in message


def test_a_lone_surrogate_as_separator_is_refused() -> None:
    with pytest.raises(TermnestError):
        TermIndex(["a"], separator="\ud800")


def test_a_lone_surrogate_in_json_is_refused_with_its_line(write: Write) -> None:
    path = write("a.jsonl", b'"a"\n"\\ud800"\n')
    assert "line 2" in refusal(InvalidTermError, TermIndex.from_file, path)


# Terms at their limits.


@pytest.mark.parametrize(
    ("tokenizer", "joint"), [("whitespace", " "), ("words", ", "), ("chars", "")]
)
def test_a_term_with_a_token_too_many_is_refused_with_its_entry(
    tokenizer: Tokenizer, joint: str
) -> None:
    longest = joint.join("a" * MAX_TERM_TOKENS)
    assert TermIndex([longest], tokenizer=tokenizer).stats().longest_term == MAX_TERM_TOKENS
    terms = ["", "a", longest + joint + "a"]
    message = refusal(InvalidTermError, TermIndex, terms, tokenizer=tokenizer)
    assert_contains(message, "entry 2 ", "4097", "4096")


@pytest.mark.parametrize("tokenizer", ["whitespace", "words"])
def test_a_term_with_a_byte_too_many_is_refused_with_its_entry(tokenizer: Tokenizer) -> None:
    longest = "é" * (MAX_TERM_BYTES // 2) + "a"
    assert list(TermIndex([longest], tokenizer=tokenizer)) == [longest]
    message = refusal(InvalidTermError, TermIndex, ["a", longest + "a"], tokenizer=tokenizer)
    assert_contains(message, "entry 1 ", "65536", "65535")


def test_a_term_of_chars_has_at_most_65535_bytes() -> None:
    # Characters of a letter and many marks, so that the bytes end before the tokens do.
    letter = "a" + "\u0301" * 19
    longest = letter * (MAX_TERM_BYTES // 39)
    assert list(TermIndex([longest], tokenizer="chars")) == [longest]
    message = refusal(InvalidTermError, TermIndex, [longest + letter], tokenizer="chars")
    assert_contains(message, "entry 0 ", "65535")


@pytest.mark.parametrize("too_long", [b"a " * 4_097, b"a" * 65_536])
@pytest.mark.parametrize(
    ("name", "head", "tail", "place"),
    [
        ("a.txt", b"\na\n", b"\nb\n", "line 3 "),
        ("a.csv", b"term\na\n", b"\nb\n", "(line 3|row 2) "),
        ("a.tsv", b"term\na\n", b"\nb\n", "(line 3|row 2) "),
        ("a.jsonl", b'"a"\n"b"\n"', b'"\n', "(line|row) 3 "),
    ],
)
def test_a_term_of_a_file_beyond_the_limits_is_refused_with_its_place(
    write: Write, name: str, head: bytes, too_long: bytes, tail: bytes, place: str
) -> None:
    path = write(name, head + too_long + tail)
    message = refusal(InvalidTermError, TermIndex.from_file, path)
    assert re.search(place, message)


def test_a_token_that_normalize_makes_too_long_is_refused() -> None:
    message = refusal(InvalidTermError, TermIndex, ["a"], normalize=lambda token: token * 65_536)
    assert "65536" in message
    assert "65535" in message


def test_the_first_of_several_bad_entries_is_named_whatever_the_threads() -> None:
    too_long = "a" * 65_536
    terms = ["a"] * 1_000 + [too_long] + ["b"] * 1_000 + [too_long] * 1_000
    for threads in (1, 2, 5):
        message = refusal(InvalidTermError, TermIndex, terms, threads=threads)
        assert "entry 1000 " in message


# Weights.


@pytest.mark.parametrize(
    ("weights", "parts"),
    [
        ([1], ("2 terms", "1 weight")),
        ([1, 2, 3], ("2 terms", "3 weights")),
        ([], ("2 terms", "0 weights")),
        ([1, None], ("entry 1 ", "None")),
        ([1, "2"], ("entry 1 ", "'2'")),
        ([-1, 2], ("entry 0 ", "-1", "zero or more")),
        ([1, -1e-300], ("entry 1 ", "zero or more")),
        ([1, float("nan")], ("entry 1 ", "NaN")),
        ([float("inf"), 2], ("entry 0 ", "inf")),
        ([1, 10**400], ("entry 1 ",)),
        (pyarrow.array([1, None]), ("entry 1 ", "null")),
        (pyarrow.chunked_array([[1], [None]], pyarrow.float64()), ("entry 1 ", "null")),
        (pyarrow.array([-1, 2]), ("entry 0 ", "-1", "zero or more")),
        (pyarrow.array([1.0, float("nan")]), ("entry 1 ", "NaN")),
        (pyarrow.array([1.0, 2.0, 3.0]), ("2 terms", "3 weights")),
        (pyarrow.array(["1", "2"]), ("weights", "Utf8")),
    ],
)
def test_weights_that_are_no_weights_are_refused(weights: Any, parts: tuple[str, ...]) -> None:
    message = refusal(InvalidTermError, TermIndex, ["a", "b"], weights=weights)
    assert_contains(message, *parts)


def test_weights_that_are_no_list_are_refused() -> None:
    with pytest.raises(TypeError):
        TermIndex(["a"], weights=3)  # type: ignore[arg-type]


def test_weights_that_grow_beyond_all_numbers_are_refused() -> None:
    largest = sys.float_info.max
    assert TermIndex(["a"], weights=[largest]).weight("a") == largest
    with pytest.raises(InvalidTermError):
        TermIndex(["a", "a"], weights=[largest, largest])


def test_a_weight_of_zero_is_a_weight() -> None:
    index = TermIndex(["a b", "a c", "a d"], weights=[0, -0.0, 5e-324])
    assert index.super_terms("a") == ["a d", "a b", "a c"]


# Tables.


@pytest.mark.parametrize(
    ("name", "content"), [("a.csv", b"name,count\na,1\n"), ("a.tsv", b"name\tcount\na\t1\n")]
)
@pytest.mark.parametrize(
    ("options", "value"),
    [
        ({"column": "term"}, '"term"'),
        ({"column": 2}, "2"),
        ({"weight_column": "weight"}, '"weight"'),
        ({"column": "name", "weight_column": 2}, "2"),
    ],
)
def test_a_table_without_the_named_column_is_refused_with_its_columns(
    write: Write, name: str, content: bytes, options: dict[str, Any], value: str
) -> None:
    path = write(name, content)
    message = refusal(InvalidOptionError, TermIndex.from_file, path, **options)
    assert_contains(message, value, '"name"', '"count"')


@pytest.mark.parametrize(
    ("content", "options", "parts"),
    [
        (b"term,weight\na,1\nb\n", {}, ("line 3", "1 column")),
        (b"term,weight\na,1\n\n\nb\n", {}, ("line 5",)),
        (b"x,term\n1,a\n2\n", {"column": "term"}, ("line 3",)),
        (b"1,a\n2\n", {"column": 1}, ("line 2",)),
    ],
)
def test_a_short_row_is_refused_with_its_line(
    write: Write, content: bytes, options: dict[str, Any], parts: tuple[str, ...]
) -> None:
    path = write("a.csv", content)
    message = refusal(InvalidTermError, TermIndex.from_file, path, **options)
    assert_contains(message, *parts)


@pytest.mark.parametrize("weight", ["x", "-1", "nan", "inf", "1e999", "", "1,5", "0x10", "1 2"])
def test_a_cell_that_is_no_weight_is_refused_with_its_line(write: Write, weight: str) -> None:
    path = write("a.tsv", f"term\tweight\na\t1\nb\t{weight}\n".encode())
    message = refusal(InvalidTermError, TermIndex.from_file, path)
    assert_contains(message, "line 3 ", f'"{weight}"', "zero or more")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"term,weight\na,1\n\nb,x\n", 4),
        (b"\n\nterm,weight\n\n\nb,x\n", 6),
        (b"term,weight\r\na,1\r\n\r\nb,x\r\n", 4),
        (b'term,weight\n"a\nb",1\nb,x\n', 4),
    ],
)
def test_lines_are_counted_as_editors_do(write: Write, content: bytes, line: int) -> None:
    path = write("a.csv", content)
    assert f"line {line} " in refusal(InvalidTermError, TermIndex.from_file, path)


def test_tsv_has_no_quoting_and_csv_has(write: Write) -> None:
    assert list(TermIndex.from_file(write("a.tsv", b'term\n"a\nb" c\n'))) == ['"a', 'b" c']
    assert list(TermIndex.from_file(write("a.csv", b'term\n"a, ""b"""\n'))) == ['a, "b"']


@pytest.mark.parametrize("option", ["column", "weight_column"])
@pytest.mark.parametrize("value", [-1, 1.5, ["a"]])
def test_a_column_is_a_name_or_a_number_from_zero(write: Write, option: str, value: Any) -> None:
    path = write("a.csv", b"a,1\n")
    message = refusal(InvalidOptionError, TermIndex.from_file, path, **{option: value})
    assert f"{option} cannot be {value!r}" in message


@pytest.mark.parametrize("option", ["column", "weight_column"])
def test_a_text_file_has_no_columns(write: Write, option: str) -> None:
    path = write("a.txt", b"a\n")
    message = refusal(InvalidOptionError, TermIndex.from_file, path, **{option: 0})
    assert option in message
    assert "format" in message


# Which columns: the header rule.


def weights_of(index: TermIndex) -> list[tuple[str, float]]:
    return [(term, index.weight(term)) for term in index]


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.txt", "a.list"])
@pytest.mark.parametrize(
    "header",
    ["keyword\tcount", "Keyword\tSearch Volume", "TERM\tn", '"keyword" \t search_volume', "x\tn"],
)
def test_a_header_with_a_usual_name_is_not_a_term(write: Write, name: str, header: str) -> None:
    table = f"{header}\nnew york\t5\nyork\t7\n"
    content = table.replace("\t", ",") if name == "a.csv" else table
    index = TermIndex.from_file(write(name, content.encode()))
    assert weights_of(index) == [("new york", 5), ("york", 7)]


def test_parquet_has_the_header_rule_of_other_files(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    columns = {"n": ["noun", "noun"], "Volume": [1, 2], "Keyword": ["a", "b"]}
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    assert weights_of(TermIndex.from_file(path)) == [("a", 1), ("b", 2)]
    # A column of text is not one of counts, whatever its name.
    pyarrow.parquet.write_table(pyarrow.table({"term": ["a"], "n": ["noun"]}), path)
    assert weights_of(TermIndex.from_file(path)) == [("a", 1)]
    pyarrow.parquet.write_table(pyarrow.table({"count": [3], "phrase": ["a"]}), path)
    assert weights_of(TermIndex.from_file(path)) == [("a", 3)]


def test_text_of_terms_tabs_and_numbers_has_weights(write: Write) -> None:
    path = write("a.txt", b"new york\t5\n\nyork\t7.5\r\n")
    assert weights_of(TermIndex.from_file(path)) == [("new york", 5), ("york", 7.5)]
    assert list(TermIndex.from_file(path, format="text")) == ["new york 5", "york 7.5"]
    # Tabs that separate tokens do not separate columns.
    index = TermIndex.from_file(path, separator="\t")
    assert (list(index), index.nested_terms("5")) == (["new york\t5", "york\t7.5"], [])


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("a.txt", b"alpha\t3\nbeta\t4\ngamma\n", 3),
        ("a.txt", b"phrase\thits\nalpha\t3\n", 1),
        ("a.tsv", b"phrase\thits\nalpha\t3\n", 1),
        ("a.csv", b"keyword,count\nalpha,3\nbeta,\ngamma,4\n", 3),
    ],
)
def test_a_table_that_is_not_clear_is_a_question_to_the_user(
    write: Write, name: str, content: bytes, line: int
) -> None:
    message = refusal(InvalidTermError, TermIndex.from_file, write(name, content))
    assert f"{name}: line {line}: " in message
    assert ('give format="text" to take each line' in message) == (name == "a.txt")


# JSON Lines.


@pytest.mark.parametrize(
    "row",
    [
        "{",
        "a",
        "3",
        "true",
        '["a"]',
        '"a" "b"',
        '{"term": 3}',
        '{"term": "a", "weight": NaN}',
        "[" * 100_000,
    ],
)
def test_a_row_that_is_not_the_json_of_a_term_is_refused_with_its_line(
    write: Write, row: str
) -> None:
    path = write("a.jsonl", f'"a"\n\n{row}\n'.encode())
    message = refusal(InvalidTermError, TermIndex.from_file, path)
    assert "line 3" in message
    # The row's own line 1 would only confuse.
    assert "line 1" not in message


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", b'"a"\nnull\n{"term": null}\n"b"\n'),
        ("a.csv", b"x,term\n1,a\n2,\n,\n3,b\n"),
        ("a.tsv", b"x\tterm\n1\ta\n2\t\n\t\n3\tb\n"),
    ],
)
def test_nulls_and_empty_cells_of_a_file_are_skipped_and_counted(
    write: Write, name: str, content: bytes
) -> None:
    index = TermIndex.from_file(write(name, content))
    assert (list(index), index.stats().skipped) == (["a", "b"], 2)


def test_nulls_are_skipped_and_counted_wherever_terms_come_from(tmp_path: Path) -> None:
    terms = ["a", None, "b", None]
    column = pyarrow.array(terms)
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"term": column, "weight": [1, 2, 3, 4]}), path)
    for index in (TermIndex(terms), TermIndex(iter(terms)), TermIndex(column)):  # type: ignore[arg-type]
        assert (list(index), index.stats().skipped) == (["a", "b"], 2)
    weighted = (TermIndex(terms, weights=[1, 2, 3, 4]), TermIndex.from_file(path))  # type: ignore[arg-type]
    for index in weighted:
        assert (list(index), index.stats().skipped) == (["a", "b"], 2)
        assert [index.weight(term) for term in index] == [1, 3]


def test_a_null_among_phrases_has_no_answers() -> None:
    index = TermIndex(["a", "b a"])
    for phrases in (["a", None], pyarrow.array(["a", None])):
        assert index.ids(phrases) == [0, None]  # type: ignore[arg-type]
        assert len(index.super_terms_batch(phrases)) == 1  # type: ignore[arg-type]


def test_the_null_weight_of_a_term_is_refused_with_its_place(write: Write) -> None:
    path = write("a.jsonl", b'{"term": null, "weight": 1}\n{"term": "a", "weight": null}\n')
    assert "line 2 " in refusal(InvalidTermError, TermIndex.from_file, path)


@pytest.mark.parametrize("weight", ['"3"', "-3", "null", "[1]", "1e999"])
def test_a_json_value_that_is_not_a_weight_is_refused_with_its_line(
    write: Write, weight: str
) -> None:
    rows = ['{"term": "a", "weight": 1}', f'{{"term": "b", "weight": {weight}}}']
    path = write("a.jsonl", "\n".join(rows).encode())
    assert "line 2" in refusal(InvalidTermError, TermIndex.from_file, path)


@pytest.mark.parametrize(
    "rows",
    [
        ['{"term": "a", "weight": 1}', '{"term": "b"}'],
        ['{"term": "a", "weight": 1}', '"b"'],
        ['{"term": "a"}', '{"term": "b", "weight": 1}'],
        ['"a"', '{"term": "b", "weight": 1}'],
    ],
)
def test_weights_of_some_json_rows_only_are_refused(write: Write, rows: list[str]) -> None:
    path = write("a.jsonl", "\n".join(rows).encode())
    message = refusal(InvalidTermError, TermIndex.from_file, path)
    assert "weight" in message
    assert "line 2" in message


def test_a_json_object_without_the_term_is_refused_with_its_names(write: Write) -> None:
    path = write("a.jsonl", b'{"name": "a"}\n')
    message = refusal(InvalidOptionError, TermIndex.from_file, path)
    assert_contains(message, '"term"', '"name"', "line 1")
    assert list(TermIndex.from_file(path, column="name")) == ["a"]


def test_the_columns_of_json_have_names(write: Write) -> None:
    path = write("a.jsonl", b'{"term": "a"}\n')
    message = refusal(InvalidOptionError, TermIndex.from_file, path, column=0)
    assert "column cannot be 0" in message


@pytest.mark.parametrize("ascii", [True, False])
def test_what_python_writes_as_json_is_read(write: Write, ascii: bool) -> None:
    term = 'new "york" \\ \u2028 é 👩🏽'
    row = json.dumps({"term": term, "weight": 2.5}, ensure_ascii=ascii)
    index = TermIndex.from_file(write("a.jsonl", row.encode()), tokenizer="chars")
    assert [(term, index.weight(term)) for term in index] == [(term, 2.5)]


# Types.


@pytest.mark.parametrize(
    ("terms", "parts"),
    [
        ("new york", ("list of str", "'new york'")),
        (["a", 3], ("entry 1 ", "3", "str")),
        (["a", b"b"], ("entry 1 ", "b'b'")),
        ([["a"]], ("entry 0 ", "['a']")),
        (b"ab", ("str",)),
        (3, ("3",)),
        (None, ("None",)),
    ],
)
def test_anything_but_a_list_of_str_is_refused(terms: Any, parts: tuple[str, ...]) -> None:
    index = TermIndex(["a"])
    for use in (TermIndex, *questions_about_many(index)):
        message = refusal(TermTypeError, use, terms)
        assert_contains(message, *parts)


def test_a_path_is_not_a_vocabulary_and_the_message_names_what_reads_it() -> None:
    message = refusal(TermTypeError, TermIndex, Path("terms.txt"))
    assert "from_file('terms.txt')" in message


@pytest.mark.parametrize("phrase", [3, None, b"a", ["a"]])
def test_a_query_is_a_str(phrase: Any) -> None:
    index = TermIndex(["a", "a b"])
    for question in questions_about_one(index):
        with pytest.raises(TypeError):
            question(phrase)
    assert phrase not in index


@pytest.mark.parametrize("path", [3, None, ["a"]])
def test_a_path_is_a_str_or_path_like(path: Any) -> None:
    for use in (TermIndex.from_file, TermIndex.open, TermIndex(["a"]).save):
        with pytest.raises(TypeError):
            use(path)


# Options.


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"tokenizer": "word"}, ("tokenizer", '"word"', '"words"')),
        ({"tokenizer": ""}, ("tokenizer", '""')),
        ({"separator": ""}, ("separator", "empty")),
        ({"separator": "_", "tokenizer": "chars"}, ("separator", "whitespace")),
        ({"separator": "_", "tokenizer": "words"}, ("separator", "whitespace")),
        ({"threads": 0}, ("threads", "0", "1 or more")),
        ({"threads": -1}, ("threads", "-1", "1 or more")),
    ],
)
def test_an_invalid_option_of_a_build_is_refused(
    write: Write, options: dict[str, Any], parts: tuple[str, ...]
) -> None:
    path = write("a.txt", b"a\n")
    assert_contains(refusal(InvalidOptionError, TermIndex, ["a"], **options), *parts)
    assert_contains(refusal(InvalidOptionError, TermIndex.from_file, path, **options), *parts)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("tokenizer", 3),
        ("separator", 3),
        ("lowercase", "yes"),
        ("strip_accents", None),
        ("threads", "two"),
        ("threads", 1.5),
        ("normalize", "lower"),
    ],
)
def test_an_option_of_the_wrong_type_is_refused_by_name(option: str, value: Any) -> None:
    with pytest.raises((TypeError, InvalidOptionError)) as caught:
        TermIndex(["a"], **{option: value})
    assert option in str(caught.value)


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"format": "xml"}, ("format", '"xml"', '"jsonl"')),
        ({"errors": "ignore"}, ("errors", '"ignore"', '"replace"')),
    ],
)
def test_an_invalid_option_of_reading_is_refused(
    write: Write, options: dict[str, Any], parts: tuple[str, ...]
) -> None:
    path = write("a.txt", b"a\n")
    message = refusal(InvalidOptionError, TermIndex.from_file, path, **options)
    assert_contains(message, *parts)


@pytest.mark.parametrize(
    ("question", "option"),
    [
        (question, option)
        for question, options in {
            "super_terms": ("limit", "offset", "max_extra"),
            "nested_terms": ("limit", "offset"),
            "count_super_terms": ("limit", "offset", "max_extra"),
            "count_nested_terms": ("limit", "offset"),
            "super_terms_batch": ("limit", "offset", "max_extra"),
            "nested_terms_batch": ("limit", "offset"),
            "complete": ("limit",),
        }.items()
        for option in options
    ],
)
def test_a_negative_number_is_refused(question: str, option: str) -> None:
    ask = getattr(TermIndex(["a", "a b"]), question)
    phrase = ["a"] if question.endswith("batch") else "a"
    message = refusal(InvalidOptionError, ask, phrase, **{option: -1})
    assert_contains(message, option, "-1")


@pytest.mark.parametrize("number", [2**31, 2**32, sys.maxsize])
def test_a_number_larger_than_all_answers_is_not_an_error(number: int) -> None:
    index = TermIndex(["a", "a b", "c a"])
    assert index.super_terms("a", limit=number, max_extra=number) == ["a b", "c a"]
    assert index.super_terms("a", offset=number) == []
    assert index.super_terms("a", limit=number, offset=1) == ["c a"]
    assert index.nested_terms("a b", limit=number) == ["a"]
    assert index.nested_terms("a b", offset=number) == []
    assert len(index.super_terms_batch(["a"], limit=number, offset=number)) == 0
    assert index.complete("a", limit=number) == ["a b"]


@pytest.mark.parametrize(
    "question",
    [
        "super_terms",
        "nested_terms",
        "count_super_terms",
        "count_nested_terms",
        "super_terms_batch",
        "nested_terms_batch",
    ],
)
def test_an_unknown_where_is_refused(question: str) -> None:
    ask = getattr(TermIndex(["a"]), question)
    phrase = ["a"] if question.endswith("batch") else "a"
    message = refusal(InvalidOptionError, ask, phrase, where="middle")
    assert_contains(message, "where", '"middle"', '"inside"')


def test_unknown_overlaps_are_refused() -> None:
    message = refusal(InvalidOptionError, TermIndex(["a"]).find, "a", overlaps="first")
    assert_contains(message, "overlaps", '"first"', '"leftmost"')


# Terms and ids that do not exist.


@pytest.mark.parametrize("id", [-1, 2, 2**40, 2**70])
def test_an_id_that_no_term_has_is_refused(id: int) -> None:
    message = refusal(TermIdError, TermIndex(["a", "b"]).__getitem__, id)
    assert str(id) in message
    assert "0 to 1" in message


def test_an_unknown_term_is_refused_by_name() -> None:
    index = TermIndex(["a"])
    for question in (index.id, index.weight):
        message = refusal(UnknownTermError, question, "new york")
        assert message == "'new york' is not in the vocabulary"


# Functions of the user's own.


class OwnError(Exception):
    """An error that is none of termnest's."""


def half_a_vocabulary() -> Iterator[str]:
    yield from ["a", "a b"]
    raise OwnError("half way")


def half_the_weights() -> Iterator[float]:
    yield 1
    raise OwnError("half way")


def fail_on_b(token: str) -> str:
    if token == "b":
        raise OwnError(token)
    return token


def test_the_exception_of_a_generator_comes_through() -> None:
    index = TermIndex(["a"])
    for use in (TermIndex, *questions_about_many(index)):
        with pytest.raises(OwnError, match="half way"):
            use(half_a_vocabulary())
    with pytest.raises(OwnError, match="half way"):
        TermIndex(["a", "b"], weights=half_the_weights())


def test_the_exception_of_an_arrow_column_comes_through() -> None:
    class Column:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            raise OwnError("no stream")

    with pytest.raises(OwnError, match="no stream"):
        TermIndex(Column())


def test_the_exception_of_normalize_comes_through(write: Write) -> None:
    path = write("a.txt", b"a\nb\n")
    index = TermIndex(["a", "a c"], normalize=fail_on_b)
    for threads in (None, 1):
        with pytest.raises(OwnError, match="b"):
            TermIndex(["a", "b"], normalize=fail_on_b, threads=threads)
        with pytest.raises(OwnError, match="b"):
            TermIndex.from_file(path, normalize=fail_on_b, threads=threads)
    for ask_one in questions_about_one(index)[:6]:
        with pytest.raises(OwnError, match="b"):
            ask_one("a b ")
    for ask_many in questions_about_many(index)[:2]:
        with pytest.raises(OwnError, match="b"):
            ask_many(["a", "b"])
    assert index.super_terms("a") == ["a c"]


@pytest.mark.parametrize("answer", [None, 3, b"a", ["a"]])
def test_normalize_must_return_a_str(answer: Any) -> None:
    message = refusal(TermTypeError, TermIndex, ["a"], normalize=lambda token: answer)
    assert_contains(message, "normalize", "a", repr(answer))


def test_the_exception_of_progress_comes_through_and_ends_the_build(write: Write) -> None:
    seen: list[str] = []

    def stop(stage: str, share: float) -> None:
        seen.append(stage)
        raise OwnError("stop")

    # Slow enough to be asked about: the function is called between its own calls.
    def slow(token: str) -> str:
        while not seen:
            pass
        return token

    path = write("a.txt", b"a\nb\n")
    with pytest.raises(OwnError, match="stop"):
        TermIndex.from_file(path, normalize=slow, progress=stop)


def test_an_index_built_with_normalize_asks_for_it_on_open(tmp_path: Path) -> None:
    path = tmp_path / "a.nest"
    TermIndex(["a"], normalize=str.title).save(path)
    message = refusal(InvalidOptionError, TermIndex.open, path)
    assert_contains(message, str(path), "normalize cannot be left out", "the same function")


def test_an_index_built_without_normalize_refuses_one_on_open(tmp_path: Path) -> None:
    path = tmp_path / "a.nest"
    TermIndex(["a"]).save(path)
    message = refusal(InvalidOptionError, TermIndex.open, path, normalize=str.title)
    assert_contains(message, str(path), "normalize")


# Files.


@pytest.mark.parametrize("read", [TermIndex.from_file, TermIndex.open])
def test_a_file_that_is_not_there_is_a_missing_file(
    tmp_path: Path, read: Callable[[Path], object]
) -> None:
    with pytest.raises(MissingFileError) as caught:
        read(tmp_path / "none")
    error = caught.value
    assert (error.errno, error.filename) == (errno.ENOENT, str(tmp_path / "none"))
    assert str(tmp_path / "none") in str(error)


@pytest.mark.parametrize("read", [TermIndex.from_file, TermIndex.open])
def test_a_folder_is_not_a_file(tmp_path: Path, read: Callable[[Path], object]) -> None:
    with pytest.raises(FileAccessError) as caught:
        read(tmp_path)
    assert caught.value.filename == str(tmp_path)
    assert "directory" in str(caught.value)


@pytest.mark.parametrize("read", [TermIndex.from_file, TermIndex.open])
def test_a_name_that_no_file_can_have_is_refused(read: Callable[[str], object]) -> None:
    for name in ("", "a\0b", "a" * 10_000):
        with pytest.raises(FileAccessError):
            read(name)


def test_a_vocabulary_may_come_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    content = b"term,weight\na b,2\na c,3\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    index = TermIndex.from_file("-", format="csv")
    assert index.super_terms("a") == ["a c", "a b"]
    assert index.path is None


# The tree of errors.

ERROR_CLASSES = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, Exception)
]


def tree_of_the_docstring() -> dict[str, tuple[str, ...]]:
    """The bases of each class as the tree draws them: the class above, then the built-in."""
    assert errors.__doc__ is not None
    bases: dict[str, tuple[str, ...]] = {}
    above: list[str] = []
    for line in errors.__doc__.splitlines():
        drawn = re.match(r"^    ([│├└─ ]*)(\w+Error)\b(?: +\((\w+)\))?", line)
        if drawn:
            branch, name, builtin = drawn.groups()
            del above[len(branch) // 4 :]
            parents = [above[-1]] if above else ["Exception"]
            bases[name] = (*parents, builtin) if builtin else tuple(parents)
            above.append(name)
    return bases


def test_the_tree_in_the_docstring_is_that_of_the_classes() -> None:
    found = {
        error_class.__name__: tuple(base.__name__ for base in error_class.__bases__)
        for error_class in ERROR_CLASSES
    }
    assert tree_of_the_docstring() == found


@pytest.mark.parametrize("error_class", ERROR_CLASSES)
def test_every_error_is_a_termnest_error_public_and_described(
    error_class: type[Exception],
) -> None:
    assert issubclass(error_class, TermnestError)
    assert getattr(termnest, error_class.__name__) is error_class
    assert error_class.__doc__


@pytest.mark.parametrize("error_class", ERROR_CLASSES)
def test_every_error_shows_its_message_and_pickles(error_class: type[Exception]) -> None:
    error = error_class("what was wrong, and what to do")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is error_class
    assert str(copy) == str(error) == "what was wrong, and what to do"


def test_an_error_about_a_file_keeps_its_facts_when_pickled(tmp_path: Path) -> None:
    with pytest.raises(FileAccessError) as caught:
        TermIndex.open(tmp_path / "none")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is MissingFileError
    assert str(copy) == str(caught.value)
    assert (copy.errno, copy.filename) == (errno.ENOENT, str(tmp_path / "none"))


def test_an_error_of_the_core_pickles(write: Write) -> None:
    with pytest.raises(DamagedIndexError) as caught:
        TermIndex.open(write("a.nest", b"no index"))
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), str(copy)) == (type(caught.value), str(caught.value))


# What is valid, but is easy to get wrong.


def test_an_arrow_dictionary_without_values_is_a_column_of_nulls() -> None:
    nulls = pyarrow.array([None, None], pyarrow.dictionary(pyarrow.int32(), pyarrow.string()))
    assert TermIndex(nulls).stats().skipped == 2


def test_more_threads_than_work_are_not_an_error() -> None:
    terms = [f"{'x' * 1000} {i}" for i in range(200)]
    assert list(TermIndex(terms, threads=2**60)) == terms


def test_a_negative_zero_weighs_as_much_as_zero() -> None:
    index = TermIndex(["a b", "b a"], weights=[-0.0, 0.0])
    assert index.super_terms("a") == ["a b", "b a"]
    assert str(index.weight("a b")) == "0.0"


def test_a_quote_that_is_never_closed_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('term\nfoo\n"bar\nbaz\nqux\n')
    with pytest.raises(InvalidTermError, match="line 3: a quote"):
        TermIndex.from_file(path)
    path.write_text('term\nfoo\n"bar\nbaz"\n5" pipe\n')
    assert list(TermIndex.from_file(path)) == ["foo", "bar baz", '5" pipe']


def test_a_blank_entry_is_not_a_term_whatever_the_separator() -> None:
    index = TermIndex(["New_York", "   ", "York"], separator="_")
    assert (list(index), index.stats().skipped) == (["New_York", "York"], 1)
    assert index.nested_terms("New York") == ["York"]
    assert list(TermIndex(["a", "\u2028"], separator="_")) == ["a", "\u2028"]


def test_a_header_is_recognised_in_capitals(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("Term,Weight\na,3\n")
    assert TermIndex.from_file(path).weight("a") == 3


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "id,term,frequency\n1,new york,5\n2,york,7\n"),
        ("a.tsv", "frequency\tterm\n5\tnew york\n7\tyork\n"),
        ("a.csv", 'frequency;"term"\n5;new york\n7;york\n'),
        ("a.json", '{"term": "new york", "frequency": 5}\n{"term": "york", "frequency": 7}\n'),
    ],
)
def test_a_header_names_the_columns_in_any_order(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    index = TermIndex.from_file(path)
    assert [(term, index.weight(term)) for term in index] == [("new york", 5), ("york", 7)]


def test_semicolons_separate_columns_only_if_a_header_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a; b\nterm; c\n")
    assert list(TermIndex.from_file(path)) == ["a; b", "term; c"]
    path.write_text("term;kind, or none\na;b\n")
    assert list(TermIndex.from_file(path)) == ["term;kind", "a;b"]
    path.write_text("phrase;count\na b;3\n")
    assert TermIndex.from_file(path, column="phrase", weight_column="count").weight("a b") == 3


def test_a_json_array_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('["new york", "york"]')
    with pytest.raises(InvalidTermError, match=r"a\.json: line 1: a JSON array: put each"):
        TermIndex.from_file(path)


def test_an_unclosed_quote_is_refused_also_where_it_takes_the_other_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('term,weight\n"bar,2\nbaz,3\n')
    with pytest.raises(InvalidTermError, match="line 2: a quote is opened here"):
        TermIndex.from_file(path)


def test_blank_lines_at_the_end_of_a_csv_count(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a b\n\n\n")
    assert TermIndex.from_file(path).stats().skipped == 2


def test_a_lone_surrogate_is_in_no_vocabulary() -> None:
    assert "\ud800" not in TermIndex(["a"])


def test_messages_of_a_vocabulary_file_name_it(tmp_path: Path) -> None:
    path = tmp_path / "words.jsonl"
    path.write_text("{")
    with pytest.raises(InvalidTermError, match=r"words\.jsonl: line 1: not JSON"):
        TermIndex.from_file(path)


def test_variants_of_a_term_do_not_multiply_with_its_occurrences() -> None:
    terms = [str(number) for number in range(1_000)]
    index = TermIndex(terms, normalize=lambda token: "#")
    assert len(index.nested_terms("7 " * 20_000)) == 1_000


@pytest.mark.parametrize(
    ("table", "option", "value", "weight"),
    [
        ("phrase,hits\na b,3\nb,4\n", "weight_column", "hits", 3.0),
        ("keyword,search volume\na b,3\nb,4\nc,none\n", "column", "keyword", None),
    ],
)
def test_the_remedy_of_a_table_with_unclear_columns_reads_it(
    tmp_path: Path, table: str, option: str, value: str, weight: float | None
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(table)
    with pytest.raises(InvalidTermError, match=f', or give {option}="{value}" to') as raised:
        TermIndex.from_file(path)
    remedy = raised.value.remedy
    assert remedy is not None
    columns: dict[str, Any] = {remedy.option: remedy.value}
    index = TermIndex.from_file(path, **columns)
    assert "a b" in index
    assert "phrase" not in index
    assert (index.weight("a b") if index.weighted else None) == weight
