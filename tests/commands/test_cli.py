"""The command line: every command, where its answers go, and its exit codes."""

import gzip
import io
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click
import pyarrow
import pytest

from conftest import run_module
from termnest import TermIndex, __version__
from termnest.cli import cli, main

TERMS = b"york\nnew york\nnew york city\ncity\n"
COMMANDS = ["build", "super", "nested", "find", "complete", "pairs", "info", "check", "demo"]
# A call of each command that answers from an index.
QUESTIONS = {
    "super": ["york"],
    "nested": ["new york"],
    "find": ["text.txt"],
    "complete": ["new"],
    "pairs": [],
    "info": [],
}


class Ran(NamedTuple):
    """What a command gave."""

    code: int
    out: str
    err: str

    def rows(self) -> list[dict[str, Any]]:
        """The JSON Lines of its output."""
        return [json.loads(line) for line in self.out.splitlines()]


class Run:
    """Runs the command line in this process, in a folder of its own."""

    def __init__(
        self,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        capture: pytest.CaptureFixture[bytes],
    ) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch
        self._capture = capture
        monkeypatch.chdir(folder)

    def __call__(self, *arguments: str, stdin: bytes = b"") -> Ran:
        content = io.BufferedReader(io.BytesIO(stdin))
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(content))
        code = main(arguments)
        out, err = self._capture.readouterr()
        return Ran(code, out.decode(), err.decode())

    def write(self, name: str, content: bytes) -> str:
        (self.folder / name).write_bytes(content)
        return name


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Run:
    """The command line, in a folder with a vocabulary, its index and a text."""
    run = Run(tmp_path, monkeypatch, capsysbinary)
    run.write("terms.txt", TERMS)
    run.write("text.txt", b"In new york,\na new  york city.\n")
    TermIndex(TERMS.decode().splitlines()).save("terms.nest")
    return run


@pytest.fixture(params=["terms.txt", "terms.nest"])
def source(request: pytest.FixtureRequest) -> str:
    """A vocabulary and its index: what every command takes alike."""
    name: str = request.param
    return name


# build


@pytest.mark.parametrize(
    ("vocabulary", "index"),
    [
        ("a.txt", "a.nest"),
        ("a.txt.gz", "a.nest"),
        ("a.txt.zst", "a.nest"),
        ("a.tsv", "a.nest"),
        ("a.b.csv", "a.b.nest"),
        ("a", "a.nest"),
        ("folder/a.jsonl.gz", "folder/a.nest"),
    ],
)
def test_build_names_the_index_after_the_vocabulary(run: Run, vocabulary: str, index: str) -> None:
    (run.folder / "folder").mkdir()
    run.write(vocabulary, b'"york"\n')
    ran = run("build", vocabulary)
    assert (ran.code, ran.out) == (0, "")
    assert index in ran.err
    assert len(TermIndex.open(index)) == 1


def test_build_saves_where_it_is_told_and_tells_what_it_saved(run: Run) -> None:
    run.write("more.txt", TERMS + b"\n \nyork\n")
    ran = run("build", "more.txt", "-o", "out.index")
    assert (ran.code, ran.out) == (0, "")
    for part in ("out.index", "4 terms", "2 entries without a token", "1 duplicate"):
        assert part in ran.err
    assert TermIndex.open("out.index").super_terms("city") == ["new york city"]
    assert not Path("more.nest").exists()


def test_build_reads_standard_input(run: Run) -> None:
    assert run("build", "-", "-o", "out.nest", stdin=TERMS).code == 0
    assert len(TermIndex.open("out.nest")) == 4


def test_build_of_standard_input_must_be_told_where_to_save(run: Run) -> None:
    ran = run("build", "-", stdin=TERMS)
    assert ran.code == 2
    assert "-o" in ran.err


@pytest.mark.parametrize("columns", [("phrase", "n"), ("phrase", "0"), ("1", "n")])
def test_build_takes_the_options_of_a_vocabulary(run: Run, columns: tuple[str, str]) -> None:
    run.write("a.data", b"n,phrase\n3,New_York\n5,\xc3\x9cber\xff\n2,new_york\n")
    ran = run(
        *("build", "a.data", "-o", "a.nest", "--threads", "2", "--errors", "replace"),
        *("--format", "csv", "--column", columns[0], "--weight-column", columns[1]),
        *("--separator", "_", "--lowercase", "--strip-accents"),
    )
    assert ran.code == 0
    index = TermIndex.open("a.nest")
    assert [(term, index.weight(term)) for term in index] == [
        ("New_York", 3),
        ("Über\ufffd", 5),
        ("new_york", 2),
    ]
    assert index.nested_terms("UBER\ufffd NEW YORK") == ["Über\ufffd", "New_York", "new_york"]


@pytest.mark.parametrize("target", ["terms.txt", "./terms.txt", "link.txt"])
def test_build_refuses_to_save_over_the_vocabulary(run: Run, target: str) -> None:
    Path("link.txt").symlink_to("terms.txt")
    ran = run("build", "terms.txt", "-o", target)
    assert ran.code == 2
    assert target.removeprefix("./") in ran.err
    assert Path("terms.txt").read_bytes() == TERMS


def test_build_replaces_an_index_or_an_empty_file_and_nothing_else(run: Run) -> None:
    run.write("notes.md", b"keep\n")
    ran = run("build", "terms.txt", "-o", "notes.md")
    assert ran.code == 2
    assert "notes.md is there and is no index" in ran.err
    assert Path("notes.md").read_bytes() == b"keep\n"
    run.write("empty.nest", b"")
    TermIndex(["a"]).save("old.nest")
    for target in ("empty.nest", "old.nest"):
        assert run("build", "terms.txt", "-o", target).code == 0
        assert len(TermIndex.open(target)) == len(TERMS.splitlines())


def test_build_does_not_print_an_index(run: Run) -> None:
    ran = run("build", "terms.txt", "-o", "-")
    assert (ran.code, ran.out) == (2, "")
    assert "-o FILE" in ran.err
    assert not Path("-").exists()


def test_build_refuses_a_vocabulary_whose_own_name_the_index_would_have(run: Run) -> None:
    run.write("words.nest", TERMS)
    assert run("build", "words.nest").code == 2
    assert Path("words.nest").read_bytes() == TERMS


def test_build_refuses_an_index(run: Run) -> None:
    ran = run("build", "terms.nest", "-o", "b.nest")
    assert ran.code == 2
    assert "index already" in ran.err


def test_build_that_cannot_save_is_bad_input(run: Run) -> None:
    ran = run("build", "terms.txt", "-o", "none/a.nest")
    assert ran.code == 2
    assert "none/a.nest" in ran.err


# super and nested


def test_super_prints_the_terms_that_contain_a_phrase(run: Run, source: str) -> None:
    assert run("super", source, "york") == Ran(0, "new york\nnew york city\n", "")


def test_nested_prints_the_terms_that_a_phrase_contains(run: Run, source: str) -> None:
    assert run("nested", source, "new york city") == Ran(0, "york\nnew york\ncity\n", "")


@pytest.mark.parametrize(
    ("options", "answers"),
    [
        (["--where", "end"], ["new york"]),
        (["--direct"], ["new york"]),
        (["--max-extra", "1"], ["new york"]),
        (["--limit", "1"], ["new york"]),
        (["--offset", "1"], ["new york city"]),
        (["--limit", "0"], []),
    ],
)
def test_super_takes_the_options_of_the_question(
    run: Run, options: list[str], answers: list[str]
) -> None:
    ran = run("super", "terms.nest", "york", *options)
    assert ran.out.splitlines() == answers
    assert ran.code == (0 if answers else 1)


@pytest.mark.parametrize(
    ("options", "answers"),
    [
        (["--where", "start"], ["new york"]),
        (["--direct"], ["new york", "city"]),
        (["--limit", "1", "--offset", "1"], ["new york"]),
    ],
)
def test_nested_takes_the_options_of_the_question(
    run: Run, options: list[str], answers: list[str]
) -> None:
    ran = run("nested", "terms.nest", "new york city", *options)
    assert ran.out.splitlines() == answers


@pytest.mark.parametrize("command", ["super", "nested"])
def test_several_phrases_stand_before_their_answers(run: Run, command: str, source: str) -> None:
    ran = run(command, source, "new york", "none")
    answer = {"super": "new york city", "nested": "york"}[command]
    assert ran == Ran(0, f"new york\t{answer}\n", "")


@pytest.mark.parametrize("phrases", [[], ["-"]])
def test_phrases_are_read_from_standard_input(run: Run, phrases: list[str], source: str) -> None:
    ran = run("super", source, *phrases, stdin=b"york\r\n\nnone\ncity")
    assert ran == Ran(0, "york\tnew york\nyork\tnew york city\ncity\tnew york city\n", "")


def test_a_byte_order_mark_is_no_part_of_the_first_phrase(run: Run, source: str) -> None:
    phrases = "\ufeffnew york\r\n\ufeffyork\r\n".encode()
    assert run("super", source, stdin=phrases).out == "new york\tnew york city\n"


def test_a_table_with_a_header_is_read_from_standard_input_as_from_a_file(run: Run) -> None:
    table = b"frequency\tterm\n5\tnew york\n7\tyork\n"
    run.write("table.tsv", table)
    asked = ("york", "--json")
    expected = run("super", "table.tsv", *asked)
    assert json.loads(expected.out)["weight"] == 5
    assert run("super", "-", *asked, stdin=table) == expected
    # Without the name of a column a tab is white space, as it is in any text.
    assert run("super", "-", "york", stdin=b"new\tyork\n").out == "new york\n"


def test_messages_name_the_options_of_the_command_line(run: Run) -> None:
    ran = run("super", "terms.txt", "york", "--weight-column", "1")
    assert ran.code == 2
    assert "--weight-column cannot be given for a text file" in ran.err


def test_more_phrases_than_are_answered_at_once_are_all_answered(run: Run) -> None:
    ran = run("nested", "terms.nest", stdin=b"none\n" * 10_000 + b"a city\n" + b"none\n" * 10_000)
    assert ran == Ran(0, "a city\tcity\n", "")


@pytest.mark.parametrize("command", ["super", "nested"])
def test_a_phrase_that_is_not_utf8_is_refused_with_its_line(run: Run, command: str) -> None:
    ran = run(command, "terms.nest", stdin=b"york\n\xff\n")
    assert ran.code == 2
    assert "line 2" in ran.err


def test_counts_are_printed_also_where_they_are_zero(run: Run, source: str) -> None:
    assert run("super", source, "york", "--count") == Ran(0, "2\n", "")
    assert run("super", source, "none", "--count") == Ran(1, "0\n", "")
    assert run("nested", source, "--count", stdin=b"new york\nnone\n") == Ran(
        0, "new york\t1\nnone\t0\n", ""
    )
    ran = run("super", source, "york", "none", "--count", "--json")
    assert ran.rows() == [{"query": "york", "count": 2}, {"query": "none", "count": 0}]


def test_json_answers_tell_all_columns_and_the_phrase(run: Run, source: str) -> None:
    answer = {"id": 2, "term": "new york city", "weight": 1.0, "start": 2, "length": 3}
    assert run("super", source, "city", "--json").rows() == [{"query": "city", **answer}]
    ran = run("super", source, "--json", stdin=b"city\nnone\n")
    assert ran.rows() == [{"query": "city", **answer}]


def test_texts_stay_as_they_are_in_json_and_on_one_line_elsewhere(run: Run) -> None:
    run.write("odd.jsonl", b'"caf\\u00e9\\ta\\nb"\n"a"\n')
    options = ["--tokenizer", "chars"]
    assert run("super", "odd.jsonl", "a\nb", *options).out == "café\\ta\\nb\n"
    [row] = run("super", "odd.jsonl", "a\nb", "--json", *options).rows()
    assert (row["query"], row["term"]) == ("a\nb", "café\ta\nb")
    assert "café" in run("super", "odd.jsonl", "a\nb", "--json", *options).out
    assert run("nested", "odd.jsonl", "a\tb", "b\na", *options).out == "a\\tb\ta\nb\\na\ta\n"


# find


def test_find_prints_start_end_and_term(run: Run, source: str) -> None:
    ran = run("find", source, "text.txt", "--overlaps", "longest")
    # The comma is a part of the word, as the vocabulary is split at white space.
    assert ran == Ran(0, "15\t24\tnew york\n", "")
    ran = run("find", "terms.txt", "text.txt", "--tokenizer", "words", "--overlaps", "longest")
    assert ran.out == "3\t11\tnew york\n15\t29\tnew york city\n"


def test_find_reads_standard_input(run: Run, source: str) -> None:
    for names in ([], ["-"]):
        ran = run("find", source, *names, stdin="\ufeffé york".encode())
        assert ran == Ran(0, "2\t6\tyork\n", "")


def test_find_names_the_files_where_there_are_several(run: Run, source: str) -> None:
    run.write("b.txt", b"york")
    run.write("c.txt", b"nothing")
    ran = run("find", source, "b.txt", "c.txt", "-", stdin=b"a city")
    assert ran == Ran(0, "b.txt\t0\t4\tyork\n-\t2\t6\tcity\n", "")
    rows = run("find", source, "b.txt", "c.txt", "--json").rows()
    assert rows == [{"file": "b.txt", "term": "york", "id": 0, "start": 0, "end": 4}]


def test_find_prints_json(run: Run, source: str) -> None:
    ran = run("find", source, "--json", stdin=b"a city")
    assert ran.rows() == [{"term": "city", "id": 3, "start": 2, "end": 6}]


def test_find_refuses_bytes_that_are_not_utf8_or_replaces_them(run: Run) -> None:
    run.write("bad.txt", b"a\nb\xff\nyork")
    ran = run("find", "terms.txt", "bad.txt")
    assert ran.code == 2
    for part in ("line 2", "bad.txt", "--errors replace"):
        assert part in ran.err
    assert run("find", "terms.txt", "bad.txt", "--errors", "replace").out == "5\t9\tyork\n"


def test_find_refuses_a_text_that_is_not_there(run: Run) -> None:
    for name in ("none.txt", "."):
        ran = run("find", "terms.nest", name)
        assert (ran.code, ran.out) == (2, "")
        assert name in ran.err


# complete, pairs, info, check


def test_complete_prints_terms(run: Run, source: str) -> None:
    assert run("complete", source, "new") == Ran(0, "new york\nnew york city\n", "")
    assert run("complete", source, "c").out == "city\nnew york city\n"
    assert run("complete", source, "c", "--limit", "1").out == "city\n"
    assert run("complete", source, "york ").out == "new york city\n"
    rows = run("complete", source, "c", "--json").rows()
    assert [row["term"] for row in rows] == ["city", "new york city"]


def test_pairs_prints_both_terms(run: Run, source: str) -> None:
    ran = run("pairs", source)
    assert ran == Ran(
        0,
        "york\tnew york\nyork\tnew york city\nnew york\tnew york city\ncity\tnew york city\n",
        "",
    )
    assert len(run("pairs", source, "--direct").out.splitlines()) == 3
    row = run("pairs", source, "--json").rows()[1]
    assert row == {
        "nested_term": "york",
        "super_term": "new york city",
        "nested": 0,
        "super": 2,
        "start": 1,
    }


def test_info_prints_the_facts(run: Run, source: str) -> None:
    ran = run("info", source)
    assert (ran.code, ran.err) == (0, "")
    assert re.search(r"^terms +4$", ran.out, re.MULTILINE)
    assert "pairs" not in ran.out
    [facts] = run("info", source, "--pairs", "--json").rows()
    assert (facts["terms"], facts["tokens"], facts["pairs"]) == (4, 7, 4)
    assert (facts["tokenizer"], facts["lowercase"]) == ("whitespace", False)


def test_check_tells_that_an_index_is_sound(run: Run) -> None:
    ran = run("check", "terms.nest")
    assert (ran.code, ran.err) == (0, "")
    assert "terms.nest: sound" in ran.out


def test_check_refuses_a_vocabulary(run: Run) -> None:
    ran = run("check", "terms.txt")
    assert (ran.code, ran.out) == (2, "")
    assert "termnest build" in ran.err


def changed(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]


def test_check_of_a_damaged_index_exits_3(run: Run) -> None:
    content = Path("terms.nest").read_bytes()
    # The last change is where no head is: in the arrays, which opening does not read.
    body = next(
        place for place in range(len(content) - 1, 0, -1) if content[place] not in (0, 0xFF)
    )
    for damaged in (content[:-1], content[:20], content + b"\0", changed(content, body)):
        run.write("bad.nest", damaged)
        ran = run("check", "bad.nest")
        assert (ran.code, ran.out) == (3, "")
        assert "damaged" in ran.err
        assert "bad.nest" in ran.err


@pytest.mark.parametrize("command", QUESTIONS)
def test_a_question_to_a_damaged_index_exits_3(run: Run, command: str) -> None:
    run.write("bad.nest", Path("terms.nest").read_bytes()[:-1])
    ran = run(command, "bad.nest", *QUESTIONS[command])
    assert (ran.code, ran.out) == (3, "")
    assert "bad.nest" in ran.err


def test_an_index_of_a_newer_version_is_bad_input(run: Run) -> None:
    content = Path("terms.nest").read_bytes()
    run.write("new.nest", content[:8] + b"\xff\xff\0\0" + content[12:])
    ran = run("info", "new.nest")
    assert ran.code == 2
    assert "newer termnest" in ran.err


# Vocabularies and indexes.


@pytest.mark.parametrize("command", QUESTIONS)
def test_an_index_is_known_by_its_first_bytes_whatever_its_name(run: Run, command: str) -> None:
    arguments = QUESTIONS[command]
    right = run(command, "terms.nest", *arguments)
    assert right.code == 0
    for name in ("renamed.txt", "renamed.csv.gz"):
        Path("terms.nest").rename(name)
        assert run(command, name, *arguments) == right
        Path(name).rename("terms.nest")


@pytest.mark.parametrize("command", QUESTIONS)
def test_an_index_or_a_vocabulary_may_come_from_standard_input(run: Run, command: str) -> None:
    arguments = QUESTIONS[command]
    for name in ("terms.txt", "terms.nest"):
        right = run(command, name, *arguments)
        ran = run(command, "-", *arguments, stdin=Path(name).read_bytes())
        if command != "info":
            assert ran == right
        assert (ran.code, ran.err) == (0, "")


def test_check_reads_an_index_from_standard_input(run: Run) -> None:
    content = Path("terms.nest").read_bytes()
    assert run("check", "-", stdin=content).code == 0
    assert run("check", "-", stdin=content[:-1]).code == 3
    assert run("check", "-", stdin=TERMS).code == 2


@pytest.mark.parametrize("arguments", [["super", "-"], ["nested", "-", "-"], ["find", "-"]])
def test_standard_input_cannot_be_both_vocabulary_and_question(
    run: Run, arguments: list[str]
) -> None:
    ran = run(*arguments, stdin=TERMS)
    assert (ran.code, ran.out) == (2, "")
    assert "standard input" in ran.err


@pytest.mark.parametrize("command", QUESTIONS)
@pytest.mark.parametrize(
    ("options", "name"),
    [
        (["--separator", "_"], "--separator"),
        (["--tokenizer", "chars"], "--tokenizer"),
        (["--lowercase"], "--lowercase"),
        (["--strip-accents"], "--strip-accents"),
        (["--format", "csv"], "--format"),
        (["--column", "0"], "--column"),
        (["--weight-column", "n"], "--weight-column"),
        (["--threads", "2"], "--threads"),
    ],
)
def test_options_of_a_vocabulary_cannot_be_given_for_an_index(
    run: Run, command: str, options: list[str], name: str
) -> None:
    ran = run(command, "terms.nest", *QUESTIONS[command], *options)
    assert (ran.code, ran.out) == (2, "")
    assert name in ran.err


@pytest.mark.parametrize(
    ("options", "phrase"),
    [
        (["--lowercase"], "YORK"),
        (["--strip-accents"], "yórk"),
        (["--tokenizer", "words"], "(york)"),
        (["--tokenizer", "chars"], "ork"),
        (["--separator", " "], "york"),
    ],
)
def test_options_of_a_vocabulary_decide_how_it_is_searched(
    run: Run, options: list[str], phrase: str
) -> None:
    assert "new york\n" in run("super", "terms.txt", phrase, *options).out


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt.gz", gzip.compress(TERMS, mtime=0)),
        ("a.txt.zst", pyarrow.compress(TERMS, codec="zstd", asbytes=True)),
        ("a.tsv.gz", gzip.compress(b"term\n" + TERMS, mtime=0)),
        ("a.csv.zst", pyarrow.compress(b"term\n" + TERMS, codec="zstd", asbytes=True)),
        ("no.suffix", gzip.compress(TERMS, mtime=0)),
    ],
)
def test_compressed_vocabularies_are_read(run: Run, name: str, content: bytes) -> None:
    run.write(name, content)
    assert run("super", name, "york") == Ran(0, "new york\nnew york city\n", "")
    if name.startswith("no"):
        assert run("super", "-", "york", stdin=content).out == "new york\nnew york city\n"


def test_a_column_is_given_by_name_or_number(run: Run) -> None:
    run.write("a.csv", b"1,york,new york\n2,city,new city\n")
    for column, answers in (("1", ["city", "york"]), ("2", ["new city", "new york"])):
        ran = run("nested", "a.csv", "new york new city", "--column", column)
        assert sorted(ran.out.splitlines()) == answers
    ran = run("super", "a.csv", "new", "--column", "2", "--weight-column", "0")
    assert ran.out == "new city\nnew york\n"
    run.write("b.csv", b"term,name\nyork,new york\n")
    assert run("super", "b.csv", "new", "--column", "name").out == "new york\n"


def test_weights_of_a_table_order_the_answers(run: Run) -> None:
    run.write("a.tsv", b"term\tfrequency\nnew york\t1\nnew jersey\t2.5\n")
    assert run("super", "a.tsv", "new").out == "new jersey\nnew york\n"
    weights = [row["weight"] for row in run("super", "a.tsv", "new", "--json").rows()]
    assert weights == [2.5, 1]


@pytest.mark.parametrize("command", ["build", *QUESTIONS, "check"])
@pytest.mark.parametrize("name", ["none.txt", "."])
def test_a_file_that_cannot_be_read_is_bad_input(run: Run, command: str, name: str) -> None:
    ran = run(command, name, *QUESTIONS.get(command, []))
    assert (ran.code, ran.out) == (2, "")
    assert name in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("name", "content", "part"),
    [
        ("a.txt", b"a\n\xff\n", "line 2"),
        ("a.csv", b"term,weight\na,x\n", "line 2"),
        ("a.jsonl", b"{\n", "line 1"),
        ("a.txt", b"a " * 5_000, "5000 tokens"),
    ],
)
def test_a_bad_vocabulary_is_bad_input(run: Run, name: str, content: bytes, part: str) -> None:
    run.write(name, content)
    ran = run("super", name, "a")
    assert (ran.code, ran.out) == (2, "")
    assert part in ran.err


# Exit codes and streams.


@pytest.mark.parametrize(
    "arguments",
    [
        ["super", "terms.nest", "none"],
        ["nested", "terms.nest", "none"],
        ["find", "terms.nest", "empty.txt"],
        ["complete", "terms.nest", "none"],
        ["pairs", "empty.txt"],
    ],
)
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_nothing_found_exits_1_and_prints_nothing(
    run: Run, arguments: list[str], options: list[str]
) -> None:
    run.write("empty.txt", b"")
    assert run(*arguments, *options) == Ran(1, "", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["super"],
        ["none"],
        ["super", "terms.txt", "york", "--none"],
        ["super", "terms.txt", "york", "--where", "middle"],
        ["super", "terms.txt", "york", "--limit", "-1"],
        ["super", "terms.txt", "york", "--limit", "many"],
        ["super", "terms.txt", "york", "--tokenizer", "letters"],
        ["find", "terms.txt", "--overlaps", "none"],
        ["complete", "terms.txt"],
        ["complete", "terms.txt", "a", "b"],
        ["build", "terms.txt", "--threads", "0"],
        ["super", "terms.txt", "york", "--separator", ""],
        ["super", "terms.txt", "york", "--separator", "_", "--tokenizer", "chars"],
        ["super", "terms.txt", "york", "--column", "0"],
        ["super", "terms.txt", "york", "--format", "csv", "--column", "none"],
    ],
)
def test_bad_usage_exits_2_and_tells_on_standard_error(run: Run, arguments: list[str]) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, click.Abort])
def test_an_interrupt_exits_130(
    run: Run, monkeypatch: pytest.MonkeyPatch, interrupt: type[BaseException]
) -> None:
    def interrupted(*args: object, **kwargs: object) -> None:
        raise interrupt

    monkeypatch.setattr(TermIndex, "from_file", interrupted)
    ran = run("super", "terms.txt", "york")
    assert (ran.code, ran.out) == (130, "")
    assert "interrupted" in ran.err


def test_a_progress_bar_shows_on_a_terminal_only_and_is_wiped_away(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(1_000))
    monkeypatch.setattr("termnest.cli.app.time.monotonic", lambda: next(clock))
    build: Callable[..., TermIndex] = TermIndex.from_file

    def with_progress(path: str, *, progress: Any, **options: Any) -> TermIndex:
        if progress is not None:
            progress("sorting suffixes", 0.5)
        return build(path, **options)

    monkeypatch.setattr(TermIndex, "from_file", with_progress)
    assert run("super", "terms.txt", "city") == Ran(0, "new york city\n", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    ran = run("super", "terms.txt", "city")
    assert ran.out == "new york city\n"
    assert "sorting suffixes" in ran.err
    assert "50%" in ran.err
    assert ran.err.endswith("\r\x1b[K")


# Pipes, and what is asked of an index that only Python can ask.


def test_a_vocabulary_or_an_index_may_come_from_a_pipe_of_its_own(run: Run) -> None:
    terms = "\n".join(f"term {i}" for i in range(5_000))
    Path("many.txt").write_text(terms)
    assert run("build", "many.txt").code == 0
    for source in ("many.txt", "many.nest"):
        result = subprocess.run(
            ["bash", "-c", f'"$0" -m termnest info --json <(cat {source})', sys.executable],
            stdout=subprocess.PIPE,
            check=True,
        )
        assert json.loads(result.stdout)["terms"] == 5_000


def test_an_index_with_a_function_of_its_own_is_checked_and_described_but_not_asked(
    run: Run,
) -> None:
    TermIndex(["a", "a b"], normalize=str.upper).save("own.nest")
    assert run("check", "own.nest") == Ran(0, "own.nest: sound, 2 terms\n", "")
    assert run("info", "own.nest", "--json").rows()[0]["terms"] == 2
    ran = run("super", "own.nest", "a")
    assert ran.code == 2
    assert "normalize function" in ran.err


def test_a_text_that_is_not_utf8_may_be_searched_with_an_index(run: Run) -> None:
    Path("bad.txt").write_bytes(b"new york \xff city")
    assert run("build", "terms.txt").code == 0
    assert "--errors replace" in run("find", "terms.nest", "bad.txt").err
    ran = run("find", "terms.nest", "bad.txt", "--errors", "replace")
    assert ran.out.splitlines() == ["0\t8\tnew york", "4\t8\tyork", "11\t15\tcity"]


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_who_types_phrases_sees_each_answer(tmp_path: Path, unbuffered: str) -> None:
    (tmp_path / "terms.txt").write_bytes(TERMS)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "termnest", "super", str(tmp_path / "terms.txt")],
        stdin=theirs,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )
    assert process.stdout is not None
    os.write(ours, b"new york\n")
    # More is typed only when this was read.
    assert process.stdout.readline() == b"new york\tnew york city\n"
    os.write(ours, b"\x04")
    assert process.wait() == 0
    process.stdout.close()
    os.close(ours)
    os.close(theirs)


def test_an_index_cut_in_its_first_bytes_is_damaged(run: Run) -> None:
    Path("cut.nest").write_bytes(b"\x89NES")
    ran = run("info", "cut.nest")
    assert ran.code == 3
    assert "damaged" in ran.err


def test_a_limit_may_be_any_number(run: Run) -> None:
    assert run("super", "terms.txt", "city", "--limit", "9" * 30).out == "new york city\n"


# Help.


def test_the_commands_are_those_of_the_design() -> None:
    assert set(COMMANDS) <= set(cli.commands)


def test_help_lists_the_commands_and_tells_the_exit_codes(run: Run) -> None:
    ran = run("--help")
    assert (ran.code, ran.err) == (0, "")
    for command in cli.commands:
        assert f"\n  {command} " in ran.out
    assert "3 damaged index" in " ".join(ran.out.split())
    assert run("-h") == ran


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_shows_an_example(run: Run, command: str) -> None:
    ran = run(command, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert "Examples:" in ran.out
    assert f"  termnest {command}" in ran.out
    assert run(command, "-h") == ran


def test_the_version_is_that_of_the_package(run: Run) -> None:
    ran = run("--version")
    assert (ran.code, ran.err) == (0, "")
    assert __version__ in ran.out


def test_demo_answers_both_questions(run: Run) -> None:
    ran = run("demo")
    assert (ran.code, ran.err) == (0, "")
    for part in ("super_terms(", "nested_terms(", "GREEK SMALL LETTER ALPHA WITH TONOS", "pairs"):
        assert part in ran.out


# The program itself.


def test_python_m_termnest_is_the_same_program(run: Run) -> None:
    built = run_module("build", "terms.txt", "-o", "b.nest", cwd=run.folder)
    assert (built.returncode, built.stdout) == (0, b"")
    for arguments, stdin in ((["york"], b""), ([], b"york\nnone\n"), (["none"], b"")):
        right = run("super", "b.nest", *arguments, stdin=stdin)
        ran = run_module("super", "b.nest", *arguments, input=stdin, cwd=run.folder)
        assert (ran.returncode, ran.stdout.decode(), ran.stderr) == (right.code, right.out, b"")
    found = run_module("super", "-", "york", input=TERMS, cwd=run.folder)
    assert (found.returncode, found.stdout) == (0, b"new york\nnew york city\n")


def test_exit_codes_reach_the_shell(run: Run) -> None:
    run.write("bad.nest", Path("terms.nest").read_bytes()[:-1])
    for code, arguments in (
        (0, ["nested", "terms.txt", "a city"]),
        (1, ["nested", "terms.txt", "none"]),
        (2, ["nested", "none.txt", "a city"]),
        (2, ["nested", "terms.txt", "--no-such-option"]),
        (3, ["check", "bad.nest"]),
    ):
        ran = run_module(*arguments, cwd=run.folder)
        assert ran.returncode == code
        assert (ran.stderr == b"") == (code < 2)
        assert b"Traceback" not in ran.stderr


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_reader_that_has_seen_enough_ends_the_program_quietly(
    run: Run, options: list[str]
) -> None:
    # Pairs by the megabyte: more than a pipe holds.
    run.write("big.txt", "\n".join("a " * count for count in range(1, 300)).encode())
    with subprocess.Popen(
        [sys.executable, "-m", "termnest", "pairs", "big.txt", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=run.folder,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
        assert process.wait(60) == 0
    assert errors == b""


def test_output_is_utf8_whatever_the_locale(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    run.write("é.txt", "é\né ü\n".encode())
    ran = run_module("super", "é.txt", "é", cwd=run.folder)
    assert (ran.returncode, ran.stdout.decode()) == (0, "é ü\n")
    ran = run_module("super", "é.txt", input="é\n".encode(), cwd=run.folder)
    assert (ran.returncode, ran.stdout.decode()) == (0, "é\té ü\n")
    ran = run_module("super", "é.txt", "--json", input="é\n".encode(), cwd=run.folder)
    assert json.loads(ran.stdout)["term"] == "é ü"
