"""Vocabularies and their indexes: build, info, check and pairs; what INDEX may be."""

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pyarrow
import pytest

from command_line import QUESTIONS, TERMS, Ran, Run, run_fixture, source_fixture  # noqa: F401  (fixtures)
from termnest import TermIndex


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


def test_build_saves_to_the_output_and_reports_what_it_saved(run: Run) -> None:
    run.write("more.txt", TERMS + b"\n \nyork\n")
    ran = run("build", "more.txt", "-o", "out.index")
    assert (ran.code, ran.out) == (0, "")
    for part in ("out.index", "4 terms", "2 entries without a word", "1 duplicate"):
        assert part in ran.err
    assert TermIndex.open("out.index").super_terms("city") == ["new york city"]
    assert not Path("more.nest").exists()


def test_build_reads_standard_input(run: Run) -> None:
    assert run("build", "-", "-o", "out.nest", stdin=TERMS).code == 0
    assert len(TermIndex.open("out.nest")) == 4


def test_build_of_standard_input_needs_an_output(run: Run) -> None:
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
    assert "notes.md exists and is not a termnest index" in ran.err
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


def test_build_refuses_a_vocabulary_that_has_the_default_name_of_its_index(run: Run) -> None:
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


def test_a_table_with_a_header_is_read_from_standard_input_as_from_a_file(run: Run) -> None:
    table = b"frequency\tterm\n5\tnew york\n7\tyork\n"
    run.write("table.tsv", table)
    asked = ("york", "--json")
    expected = run("super", "table.tsv", *asked)
    assert json.loads(expected.out)["weight"] == 5
    assert run("super", "-", *asked, stdin=table) == expected
    # Without the name of a column a tab is white space, as it is in any text.
    assert run("super", "-", "york", stdin=b"new\tyork\n").out == "new york\n"


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
    assert (facts["tokenizer"], facts["lowercase"]) == ("text", False)


def test_check_reports_an_index_without_damage(run: Run) -> None:
    ran = run("check", "terms.nest")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "terms.nest: no damage found, 4 terms\n"


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
def test_an_index_is_recognised_by_its_first_bytes_whatever_its_name(
    run: Run, command: str
) -> None:
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


def test_a_vocabulary_or_an_index_may_come_from_a_named_pipe(run: Run) -> None:
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


def test_an_index_with_a_python_function_can_be_checked_and_described_but_not_asked(
    run: Run,
) -> None:
    TermIndex(["a", "a b"], normalize=str.upper).save("own.nest")
    assert run("check", "own.nest") == Ran(0, "own.nest: no damage found, 2 terms\n", "")
    assert run("info", "own.nest", "--json").rows()[0]["terms"] == 2
    ran = run("super", "own.nest", "a")
    assert ran.code == 2
    assert "normalize function" in ran.err


COLUMNS = b"term\tlabel\tcui\ttags\nyork\tplace\tC1\ta,b\nyork\tname\tC2\t\nnew york\t\tC3\tc\n"


def test_build_stores_columns_and_ids_that_answers_show(run: Run) -> None:
    run.write("a.tsv", COLUMNS)
    assert run("build", "a.tsv", "--columns", "label,tags", "--id-column", "cui").code == 0
    info = dict(line.split(maxsplit=1) for line in run("info", "a.nest").out.splitlines())
    assert info["columns"] == "id (strings), label (strings), tags (strings)"
    facts = json.loads(run("info", "a.nest", "--json").out)
    assert facts["columns"] == {"id": "strings", "label": "strings", "tags": "strings"}

    found = run("find", "a.nest", "--show", "label", stdin=b"in york")
    assert found.out == "3\t7\tyork\tplace\n3\t7\tyork\tname\n"
    found = run("find", "a.nest", "--show", "*", "--json", stdin=b"york")
    assert json.loads(found.out.splitlines()[1]) == {
        "term": "york",
        "id": "C2",
        "start": 0,
        "end": 4,
        "label": "name",
        "tags": None,
    }
    run.write("text.txt", b"york")
    found = run("find", "a.nest", "text.txt", "text.txt", "--show", "tags")
    assert found.out.splitlines()[1] == "text.txt\t0\t4\tyork\t"
    assert run("super", "a.nest", "york", "--show", "tags").out == "new york\tc\n"
    assert run("super", "a.nest", "york", "x", "--show", "label").out == "york\tnew york\t\n"
    assert run("nested", "a.nest", "in york", "--show", "label", "--show", "tags").out == (
        "york\tplace\ta,b\nyork\tname\t\n"
    )
    pairs = run("pairs", "a.nest", "--show", "label").out
    assert pairs == "york\tnew york\tplace\t\nyork\tnew york\tname\t\n"


def test_a_vocabulary_is_asked_about_all_of_its_columns(run: Run) -> None:
    run.write("a.jsonl", b'{"term": "york", "tags": ["x"], "known": true, "year": 1.5}\n"city"\n')
    asked = ("find", "a.jsonl", "--columns", "*", "--show", "tags,known,year")
    ran = run(*asked, stdin=b"york city")
    assert ran.out == '0\t4\tyork\t["x"]\ttrue\t1.5\n5\t9\tcity\t\t\t\n'
    run.write("text.txt", b"york")
    ran = run(*asked, "text.txt", "text.txt")
    assert ran.out.splitlines()[0] == 'text.txt\t0\t4\tyork\t["x"]\ttrue\t1.5'


def test_unknown_columns_are_named(run: Run) -> None:
    run.write("a.tsv", COLUMNS)
    for command in ("build", "find", "super", "pairs"):
        ran = run(command, "a.tsv", *(["x"] if command == "super" else []), "--columns", "zzz")
        assert (ran.code, ran.out) == (2, "")
        assert 'there is no column "zzz": the columns are "term", "label"' in ran.err
    ran = run("super", "a.tsv", "york", "--columns", "label", "--show", "cui")
    assert ran.code == 2
    assert "the columns of the index are label" in ran.err
    ran = run("build", "a.tsv", "--id-column", "tags")
    assert ran.code == 2
    assert "has no id" in ran.err
