"""The command `termnest extract`."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import click
import pyarrow.parquet
import pytest
from samples import REPORT

from termnest import TermIndex
from termnest.cli import cli, main
from termnest.options import SCORES
from termnest.terminology.extraction import Keep


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """A folder with one text."""
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "one.txt").write_text(REPORT)
    return folder


@pytest.mark.parametrize("suffix", ["tsv", "csv", "jsonl", "parquet"])
def test_the_library_and_the_other_commands_read_the_result(
    reports: Path, tmp_path: Path, suffix: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    output = tmp_path / f"terms.{suffix}"
    assert main(["extract", str(reports), "-o", str(output)]) == 0
    out, err = capfdbinary.readouterr()
    assert out == b""
    assert b"candidates; 1 file, 40 words" in err
    index = TermIndex.from_file(output)
    assert list(index)[:2] == ["basal cell carcinoma", "squamous cell carcinoma"]
    assert index.weight("basal cell carcinoma") == 3
    assert index.weight("cell carcinoma") == 5
    assert TermIndex.load(output).super_terms("cell") == index.super_terms("cell")
    for command in (["super", str(output), "cell carcinoma"], ["info", str(output)]):
        assert main(command) == 0
    assert b"basal cell carcinoma\nsquamous cell carcinoma\n" in capfdbinary.readouterr().out


def test_every_format_has_the_documented_columns(
    reports: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["extract", str(reports), "--top", "2"]) == 0
    printed = capfdbinary.readouterr().out.decode().splitlines()
    columns = ["term", "frequency", "score", "super_count", "nested_count", "matching"]
    assert printed[0].split("\t") == columns
    assert printed[1].split("\t")[0:2] == ["basal cell carcinoma", "3"]
    assert float(printed[1].split("\t")[2]) == pytest.approx(3 * 1.58496, abs=1e-4)
    assert printed[1].split("\t")[3:] == ["0", "5", "fold hyphens=keep"]
    assert len(printed) == 3
    assert main(["extract", str(reports), "-o", str(tmp_path / "t.parquet")]) == 0
    table = pyarrow.parquet.read_table(tmp_path / "t.parquet")
    assert table.column_names == printed[0].split("\t")
    assert table["score"][0].as_py() == 3 * 1.584962500721156
    assert main(["extract", str(reports), "-o", str(tmp_path / "t.jsonl")]) == 0
    rows = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert [row["term"] for row in rows] == table["term"].to_pylist()


def test_the_options_select_the_terms_that_they_name(
    reports: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    def terms(*options: str) -> list[str]:
        assert main(["extract", str(reports), *options]) == 0
        return [
            line.split("\t")[0] for line in capfdbinary.readouterr().out.decode().splitlines()[1:]
        ]

    assert "cell carcinoma" in terms()
    maximal = terms("--keep", "maximal")
    assert "cell carcinoma" not in maximal
    assert "carcinoma" in maximal
    assert all(" " not in term for term in terms("--max-words", "1"))
    assert terms("--min-frequency", "5", "--score", "frequency") == [
        "carcinoma",
        "cell",
        "cell carcinoma",
    ]
    assert "Basal cell" in terms("--no-fold", "--min-frequency", "1")
    stops = tmp_path / "stops.txt"
    stops.write_text("cell\ncarcinoma\n")
    others = terms("--stop-words", str(stops), "--min-frequency", "1")
    assert "the basal" in others
    assert all(term.split()[0] != "cell" != term.split()[-1] for term in others)
    stops.write_bytes(b"cell caf\xe9 carcinoma")
    assert main(["extract", str(reports), "--stop-words", str(stops)]) == 2
    assert b"line 1 of" in capfdbinary.readouterr().err
    assert "cell" not in terms("--stop-words", str(stops), "--errors", "replace")
    assert main(["extract", str(reports), "-", "--stop-words", "-"]) == 2
    assert b"standard input is the corpus already" in capfdbinary.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"caf\xe9", "or give --errors replace to replace such bytes with U+FFFD"),
        ("a.jsonl", b'"\\ud800"', "or give --errors replace to replace it with U+FFFD"),
        ("a.jsonl", b'{"body": "x"}', "or give --field body to read the text there"),
        ("a.tsv", b"a", "or give --candidates vocabulary to rank its terms"),
    ],
)
def test_messages_name_the_options_of_the_command_line(
    tmp_path: Path, name: str, content: bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(content)
    assert main(["extract", str(tmp_path / name)]) == 2
    assert capsys.readouterr().err.endswith(message + "\n")


def test_a_vocabulary_with_frequencies_is_ranked(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    counts = tmp_path / "counts.tsv"
    counts.write_text(
        "term\tfrequency\nbasal cell carcinoma\t984\ncystic basal cell carcinoma\t11\n"
    )
    arguments = ["extract", str(counts), "--candidates", "vocabulary"]
    assert main(arguments) == 0
    out, err = capfdbinary.readouterr()
    assert b"cystic basal cell carcinoma\t11\t22\t0\t1\n" in out
    assert b"2 terms of 2 candidates; 1 file;" in err
    assert main([*arguments, "--min-frequency", "12", "--score", "frequency"]) == 0
    assert capfdbinary.readouterr().out.endswith(b"\nbasal cell carcinoma\t984\t984\t0\t0\n")
    assert main([*arguments, "--max-words", "3"]) == 0
    assert b"cystic" not in capfdbinary.readouterr().out
    assert main(["build", str(counts), "-o", str(tmp_path / "counts.nest")]) == 0
    capfdbinary.readouterr()
    assert main(["extract", str(tmp_path / "counts.nest"), "--candidates", "vocabulary"]) == 0
    assert capfdbinary.readouterr().out == out
    assert main([*arguments, str(counts)]) == 2
    assert b"give one vocabulary, not 2" in capfdbinary.readouterr().err
    assert main([*arguments, "--stop-words", "x", "--field", "y"]) == 2
    assert (
        b"--field, --stop-words do not apply to --candidates vocabulary: leave them out"
        in capfdbinary.readouterr().err
    )


def test_the_columns_of_a_vocabulary_are_named_and_missing_weights_are_reported(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    counts = tmp_path / "counts.tsv"
    counts.write_text("984\tbasal_cell\n20\tcell\n")
    arguments = ["extract", str(counts), "--candidates", "vocabulary", "--separator", "_"]
    assert main([*arguments, "--column", "1", "--weight-column", "0"]) == 0
    out, err = capfdbinary.readouterr()
    assert out.splitlines()[1] == b"basal_cell\t984\t984\t0\t1"
    assert b"there are no weights" not in err
    assert main([*arguments, "--column", "1"]) == 0
    out, err = capfdbinary.readouterr()
    assert out.splitlines()[1] == b"basal_cell\t1\t1\t0\t1"
    assert (
        b"there are no weights, so every frequency is 1: name their column with --weight-column"
        in err
    )


def test_the_output_cannot_be_the_corpus(
    reports: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    corpus = tmp_path / "corpus.tsv"
    corpus.write_text(REPORT)
    assert main(["extract", str(corpus), "-o", str(corpus)]) == 2
    assert b"is the corpus itself" in capfdbinary.readouterr().err
    assert corpus.read_text() == REPORT
    output = reports / "terms.tsv"
    assert main(["extract", str(reports), "-o", str(output)]) == 0
    first = output.read_bytes()
    assert main(["extract", str(reports), "-o", str(output)]) == 0
    assert output.read_bytes() == first
    capfdbinary.readouterr()
    assert main(["extract", str(reports), "-o", "-"]) == 2
    assert b"leave -o out" in capfdbinary.readouterr().err


ROWS = json.dumps({"text": REPORT}) + "\n"


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("corpus.jsonl", ROWS, []),
        ("corpus.jsonl", gzip.compress(ROWS.encode(), mtime=0), []),
        ("corpus.jsonl", ROWS.replace('"text"', '"body"'), ["--field", "body"]),
        ("corpus.jsonl", ROWS.replace("{", '{"term": 1, "frequency": 2, "score": 3, '), []),
        ("corpus.tsv", REPORT, ["--format", "text"]),
        ("corpus.parquet", REPORT, []),
    ],
)
def test_a_text_in_a_folder_is_never_overwritten(
    tmp_path: Path,
    name: str,
    content: str | bytes,
    options: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = tmp_path / name
    content = content if isinstance(content, bytes) else content.encode()
    text.write_bytes(content)
    (tmp_path / "link").symlink_to(tmp_path)
    for output in (text, tmp_path / "link" / name):
        assert main(["extract", str(tmp_path), "-o", str(output), *options]) == 2
        assert f"{output} is part of the corpus: choose another" in capsys.readouterr().err
    assert text.read_bytes() == content


@pytest.mark.parametrize("options", [[], ["--format", "text"]])
@pytest.mark.parametrize("suffix", ["tsv", "csv", "jsonl", "parquet"])
def test_the_output_of_an_earlier_run_in_the_folder_is_replaced(
    reports: Path, suffix: str, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    output = reports / f"terms.{suffix}"
    output.touch()  # nothing is lost with an empty file
    assert main(["extract", str(reports), *options, "-o", str(output)]) == 0
    first = output.read_bytes()
    output.write_bytes(first + b"\n")
    assert main(["extract", str(reports), *options, "-o", str(output)]) == 0
    assert output.read_bytes() == first
    assert "skipped" not in capsys.readouterr().err
    if not options:
        assert main(["extract", str(reports)]) == 0
        assert "1 file (1 skipped)" in capsys.readouterr().err


def test_a_reader_that_stops_early_is_not_an_error(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text(" ".join(f"w{i}" for i in range(20_000)))
    command = f"{sys.executable} -m termnest extract {text} --min-frequency 1 | head -1"
    done = subprocess.run(
        ["bash", "-c", command + "; echo ${PIPESTATUS[0]}"], capture_output=True, check=True
    )
    assert done.stdout.splitlines()[1:] == [b"0"]
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("closing", [">&-", "2>&-", "<&-"])
def test_streams_may_be_closed(reports: Path, tmp_path: Path, closing: str) -> None:
    output = tmp_path / "terms.tsv"
    command = f"{sys.executable} -m termnest extract {reports} -o {output} {closing}"
    assert subprocess.run(["bash", "-c", command], check=False).returncode == 0
    assert output.exists()


def test_progress_without_a_share_is_shown_without_a_bar(
    reports: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    seconds = itertools.count()
    monkeypatch.setattr("time.monotonic", lambda: float(next(seconds)))
    assert main(["extract", str(reports)]) == 0
    shown = capsys.readouterr().err
    assert "counting candidates    [##############################] 100%" in shown
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(REPORT.encode())))
    assert main(["extract", "-"]) == 0
    shown = capsys.readouterr().err
    assert "\x1b[Kcounting candidates   \r" in shown


def test_standard_input_is_a_corpus() -> None:
    command = [sys.executable, "-m", "termnest", "extract", "-"]
    done = subprocess.run(command, input=REPORT.encode(), capture_output=True, check=True)
    assert b"basal cell carcinoma\t3" in done.stdout
    rows = json.dumps({"text": REPORT}).encode()
    done = subprocess.run(
        [*command, "--format", "jsonl"], input=rows, capture_output=True, check=True
    )
    assert b"basal cell carcinoma\t3" in done.stdout


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (lambda folder: None, [], "the corpus contains no word (0 files)"),
        (
            lambda folder: (folder / "a.txt").write_text(""),
            [],
            "the corpus contains no word (1 file)",
        ),
        (lambda folder: (folder / "a").write_bytes(b"\0"), [], "1 of them skipped"),
        (lambda folder: (folder / "a").write_bytes(b"\xff"), [], "not UTF-8"),
        (lambda folder: (folder / "a").write_text("a b"), ["--max-words", "21"], "1 to 20"),
        (lambda folder: (folder / "a").write_text("a"), ["--spacy-model", "x"], "--spacy-model"),
        (lambda folder: (folder / "a").write_text("a"), ["--weight-column", "1"], "--candidates"),
        (
            lambda folder: (folder / "a").write_text("a"),
            ["--format", "csv"],
            "give --candidates vocabulary",
        ),
        (
            lambda folder: (folder / "a").write_text("a"),
            ["--stop-words", "no"],
            "there is no file no",
        ),
    ],
)
def test_bad_input_gets_one_sentence_and_nothing_is_written(
    tmp_path: Path, make: Any, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    make(folder)
    output = tmp_path / "out" / "terms.tsv"
    output.parent.mkdir()
    assert main(["extract", str(folder), "-o", str(output), *options]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert "Traceback" not in err
    assert list(output.parent.iterdir()) == []


def test_a_missing_corpus_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extract", "no-such-folder"]) == 2
    assert "there is no file or folder 'no-such-folder'" in capsys.readouterr().err
    assert main(["extract", ""]) == 2
    assert "there is no file or folder ''" in capsys.readouterr().err


def test_without_a_frequent_term_the_old_file_stays_and_the_exit_code_is_1(
    reports: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "terms.tsv"
    output.write_text("older")
    assert main(["extract", str(reports), "--min-frequency", "99", "-o", str(output)]) == 1
    assert "no term found among 0 candidates" in capsys.readouterr().err
    assert output.read_text() == "older"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["reports", "terms.tsv"]


def test_skipped_files_are_reported_and_counted(
    reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for i in range(12):
        (reports / f"{i:02}.bin").write_bytes(b"\0")
    assert main(["extract", str(reports)]) == 0
    err = capsys.readouterr().err
    assert err.count("binary, not text") == 10
    assert "skipped 2 more files" in err
    assert "1 file (12 skipped)" in err


def test_names_of_files_cannot_control_the_terminal(
    reports: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    # A colour, a byte that is not UTF-8, the end of a line, a letter.
    hostile = os.fsdecode(b"\x1b[31m\xff\n\xc3\xa9")
    (reports / hostile).write_bytes(b"\0")
    assert main(["extract", str(reports)]) == 0
    err = capfdbinary.readouterr().err.decode()
    assert f"skipped {reports}/\\x1b[31m\\xff\\né: binary, not text\n" in err
    (reports / hostile).write_bytes(b"caf\xe9")
    assert main(["extract", str(reports)]) == 2
    err = capfdbinary.readouterr().err.decode()
    assert f"termnest: {reports}/\\x1b[31m\\xff\né, line 1: byte 0xe9 is not UTF-8" in err


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("terms.xlsx", "end it with .tsv, .csv, .jsonl or .parquet"),
        ("no-folder/terms.tsv", "there is no folder"),
        ("folder.tsv", "it is a folder"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_the_work_starts(
    reports: Path,
    tmp_path: Path,
    output: str,
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "folder.tsv").mkdir()
    monkeypatch.setattr("termnest.terminology.extract", lambda *_, **__: pytest.fail("worked"))
    assert main(["extract", str(reports), "-o", str(tmp_path / output)]) == 2
    assert message in capsys.readouterr().err


def waiting_for_text(
    folder: Path, before: Callable[[], object] | None = None
) -> subprocess.Popen[bytes]:
    """`termnest extract -`, which has opened its output and waits for more text."""
    command = [sys.executable, "-m", "termnest", "extract", "-", "-o", str(folder / "terms.tsv")]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=before
    )
    assert process.stdin is not None
    process.stdin.write(REPORT.encode())
    process.stdin.flush()
    while not list(folder.iterdir()):
        assert process.poll() is None
        time.sleep(0.01)
    return process


@pytest.mark.parametrize(
    ("number", "code", "message"),
    [
        (signal.SIGINT, 130, b"interrupted"),
        (signal.SIGTERM, 143, b""),
        (signal.SIGHUP, 129, b""),
    ],
)
def test_after_a_signal_no_temporary_file_is_left(
    tmp_path: Path, number: signal.Signals, code: int, message: bytes
) -> None:
    process = waiting_for_text(tmp_path)
    process.send_signal(number)
    _, err = process.communicate()
    assert process.returncode == code
    assert err.strip() == message
    assert list(tmp_path.iterdir()) == []


def test_an_ignored_signal_does_not_end_the_command(tmp_path: Path) -> None:
    # nohup starts a command like this.
    process = waiting_for_text(tmp_path, lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    process.communicate(REPORT.encode())
    assert process.returncode == 0
    assert b"basal cell carcinoma" in (tmp_path / "terms.tsv").read_bytes()


@pytest.mark.parametrize(("unbuffered", "room"), [("", 0), ("1", 50_000)])
def test_output_that_does_not_fit_on_the_disk_is_an_error(
    tmp_path: Path, unbuffered: str, room: int
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("\n".join(f"w{i}\nw{i} x" for i in range(10_000)))
    printed = tmp_path / "printed"

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    for command in (["extract", "--min-frequency", "1"], ["pairs"], ["super"]):
        with printed.open("wb") as file:
            done = subprocess.run(
                [sys.executable, "-m", "termnest", command[0], str(text), *command[1:]],
                input=text.read_bytes(),
                stdout=file,
                stderr=subprocess.PIPE,
                env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
                preexec_fn=limit,
                check=False,
            )
        assert done.returncode == 2
        assert b"File too large" in done.stderr
        assert printed.stat().st_size <= room


def test_the_command_line_has_the_scores_and_keeps_of_the_library() -> None:
    options = {option.name: option.type for option in cli.commands["extract"].params}
    for name, choices in [("score", SCORES), ("keep", get_args(Keep))]:
        option = options[name]
        assert isinstance(option, click.Choice)
        assert tuple(option.choices) == choices
