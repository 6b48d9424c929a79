"""The questions: super, nested, find, complete and expand."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import TERMS, Ran, Run, run_fixture, source_fixture  # noqa: F401  (fixtures)


def test_super_prints_the_terms_that_contain_a_phrase(run: Run, source: str) -> None:
    assert run("super", source, "york") == Ran(0, "new york\nnew york city\n", "")


def test_nested_prints_the_terms_that_a_phrase_contains(run: Run, source: str) -> None:
    assert run("nested", source, "new york city") == Ran(0, "york\nnew york\ncity\n", "")


def test_a_term_is_not_nested_in_itself_but_is_found_in_a_text(run: Run, source: str) -> None:
    assert "new york city" not in run("nested", source, "new york city").out.splitlines()
    assert "new york city" not in run("super", source, "new york city").out.splitlines()
    assert "0\t13\tnew york city\n" in run("find", source, stdin=b"new york city").out
    assert "use `termnest find`" in " ".join(run("nested", "--help").out.split())


@pytest.mark.parametrize(
    ("options", "answers"),
    [
        (["--where", "end"], ["new york"]),
        (["--direct"], ["new york"]),
        (["--max-extra", "1"], ["new york"]),
        (["--limit", "1"], ["new york"]),
        (["--offset", "1"], ["new york city"]),
        (["--limit", "0"], []),
        (["--min-length", "3"], ["new york city"]),
        (["--max-length", "2"], ["new york"]),
        (["--min-length", "3", "--max-length", "2"], []),
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
        (["--min-length", "2"], ["new york"]),
        (["--max-length", "1"], ["york", "city"]),
        (["--sort", "length"], ["york", "city", "new york"]),
    ],
)
def test_nested_takes_the_options_of_the_question(
    run: Run, options: list[str], answers: list[str]
) -> None:
    ran = run("nested", "terms.nest", "new york city", *options)
    assert ran.out.splitlines() == answers


@pytest.mark.parametrize(
    ("order", "answers"),
    [
        ("weight", ["big old york", "york b a", "new york", "york a"]),
        ("left", ["york a", "york b a", "new york", "big old york"]),
        ("right", ["new york", "big old york", "york a", "york b a"]),
        ("length", ["new york", "york a", "big old york", "york b a"]),
    ],
)
def test_super_is_sorted_as_asked(run: Run, order: str, answers: list[str]) -> None:
    run.write("w.tsv", b"term\tweight\nbig old york\t9\nyork b a\t7\nnew york\t5\nyork a\t3\n")
    assert run("super", "w.tsv", "york", "--sort", order).out.splitlines() == answers


@pytest.mark.parametrize("command", ["super", "nested"])
def test_each_answer_to_several_phrases_starts_with_its_phrase(
    run: Run, command: str, source: str
) -> None:
    ran = run(command, source, "new york", "none")
    answer = {"super": "new york city", "nested": "york"}[command]
    assert ran == Ran(0, f"new york\t{answer}\n", "")


@pytest.mark.parametrize("phrases", [[], ["-"]])
def test_phrases_are_read_from_standard_input(run: Run, phrases: list[str], source: str) -> None:
    ran = run("super", source, *phrases, stdin=b"york\r\n\nnone\ncity")
    assert ran == Ran(0, "york\tnew york\nyork\tnew york city\ncity\tnew york city\n", "")


def test_a_byte_order_mark_is_not_part_of_the_first_phrase(run: Run) -> None:
    phrases = "\ufeffnew york\r\n\ufeffyork\r\n".encode()
    ran = run("super", "terms.txt", "--tokenizer", "whitespace", stdin=phrases)
    assert ran.out == "new york\tnew york city\n"


def test_more_phrases_than_one_batch_are_all_answered(run: Run) -> None:
    ran = run("nested", "terms.nest", stdin=b"none\n" * 10_000 + b"a city\n" + b"none\n" * 10_000)
    assert ran == Ran(0, "a city\tcity\n", "")


@pytest.mark.parametrize("command", ["super", "nested"])
def test_a_phrase_that_is_not_utf8_is_refused_with_its_line(run: Run, command: str) -> None:
    ran = run(command, "terms.nest", stdin=b"york\n\xff\n")
    assert ran.code == 2
    assert "line 2" in ran.err


def test_a_count_of_zero_is_printed_too(run: Run, source: str) -> None:
    assert run("super", source, "york", "--count") == Ran(0, "2\n", "")
    assert run("super", source, "none", "--count") == Ran(1, "0\n", "")
    assert run("nested", source, "--count", stdin=b"new york\nnone\n") == Ran(
        0, "new york\t1\nnone\t0\n", ""
    )
    ran = run("super", source, "york", "none", "--count", "--json")
    assert ran.rows() == [{"query": "york", "count": 2}, {"query": "none", "count": 0}]


def test_json_answers_have_all_columns_and_the_phrase(run: Run, source: str) -> None:
    answer = {"id": 2, "term": "new york city", "weight": 1.0, "start": 2, "length": 3}
    assert run("super", source, "city", "--json").rows() == [{"query": "city", **answer}]
    ran = run("super", source, "--json", stdin=b"city\nnone\n")
    assert ran.rows() == [{"query": "city", **answer}]


def test_tabs_and_line_ends_of_a_term_are_escaped_except_in_json(run: Run) -> None:
    run.write("odd.jsonl", b'"caf\\u00e9\\ta\\nb"\n"a"\n')
    options = ["--tokenizer", "chars"]
    assert run("super", "odd.jsonl", "a\nb", *options).out == "café\\ta\\nb\n"
    [row] = run("super", "odd.jsonl", "a\nb", "--json", *options).rows()
    assert (row["query"], row["term"]) == ("a\nb", "café\ta\nb")
    assert "café" in run("super", "odd.jsonl", "a\nb", "--json", *options).out
    assert run("nested", "odd.jsonl", "a\tb", "b\na", *options).out == "a\\tb\ta\nb\\na\ta\n"


def test_find_prints_start_end_and_term(run: Run, source: str) -> None:
    ran = run("find", source, "text.txt", "--overlaps", "longest")
    assert ran == Ran(0, "3\t11\tnew york\n15\t29\tnew york city\n", "")
    ran = run("find", "terms.txt", "text.txt", "--tokenizer", "whitespace", "--overlaps", "longest")
    # Now the comma and the period are parts of words.
    assert ran.out == "15\t24\tnew york\n"


def test_find_prints_all_terms_of_a_place_or_the_first(run: Run) -> None:
    run.write("two.txt", b"York\nyork\n")
    ran = run("find", "two.txt", "-", "--fold", stdin=b"YORK")
    assert ran.out == "0\t4\tYork\n0\t4\tyork\n"
    ran = run("find", "two.txt", "-", "--fold", "--variants", "first", stdin=b"YORK")
    assert ran.out == "0\t4\tYork\n"


def test_find_reads_standard_input(run: Run, source: str) -> None:
    for names in ([], ["-"]):
        ran = run("find", source, *names, stdin="\ufeffé york".encode())
        assert ran == Ran(0, "2\t6\tyork\n", "")


def test_find_in_several_files_starts_each_line_with_the_file(run: Run, source: str) -> None:
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


def test_find_refuses_a_text_that_does_not_exist(run: Run) -> None:
    for name in ("none.txt", "."):
        ran = run("find", "terms.nest", name)
        assert (ran.code, ran.out) == (2, "")
        assert name in ran.err


def test_complete_in_any_order_prints_terms_with_all_words(run: Run, source: str) -> None:
    assert run("complete", source, "york n", "--order", "any").out == "new york\nnew york city\n"
    assert run("complete", source, "york n").code == 1
    assert "it must be 'given' or 'any'" in run("complete", source, "york n", "--order", "x").err


def test_complete_prints_terms(run: Run, source: str) -> None:
    assert run("complete", source, "new") == Ran(0, "new york\nnew york city\n", "")
    assert run("complete", source, "c").out == "city\nnew york city\n"
    assert run("complete", source, "c", "--limit", "1").out == "city\n"
    assert run("complete", source, "york ").out == "new york city\n"
    rows = run("complete", source, "c", "--json").rows()
    assert [row["term"] for row in rows] == ["city", "new york city"]


def test_find_with_an_index_can_replace_what_is_not_utf8(run: Run) -> None:
    Path("bad.txt").write_bytes(b"new york \xff city")
    assert run("build", "terms.txt").code == 0
    assert "--errors replace" in run("find", "terms.nest", "bad.txt").err
    ran = run("find", "terms.nest", "bad.txt", "--errors", "replace")
    assert ran.out.splitlines() == ["0\t8\tnew york", "4\t8\tyork", "11\t15\tcity"]


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_phrase_that_is_typed_is_answered_at_once(tmp_path: Path, unbuffered: str) -> None:
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


def test_a_limit_may_be_larger_than_any_integer_of_the_core(run: Run) -> None:
    assert run("super", "terms.txt", "city", "--limit", "9" * 30).out == "new york city\n"
