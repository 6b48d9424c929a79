"""The program: exit codes, errors, help, and streams."""

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from command_line import QUESTIONS, TERMS, Ran, Run, run_fixture  # noqa: F401  (fixtures)
from conftest import run_module
from termnest import TermIndex, __version__
from termnest.cli import cli


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "super terms.txt york --column 7",
            "terms.txt: --column cannot be given for a text file: ",
        ),
        (
            "super terms.txt york --weight-column 7",
            "terms.txt: --weight-column cannot be given for a text file: ",
        ),
        ("super terms.txt york --separator=", "--separator cannot be empty: "),
        ("extract text.txt --max-words 21", "--max-words cannot be 21: it must be 1 to 20"),
    ],
)
def test_errors_of_the_library_name_the_options_of_the_command_line(
    run: Run, arguments: str, message: str
) -> None:
    ran = run(*arguments.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"termnest: {message}")


def test_a_remedy_is_given_as_an_option_of_the_command_line(run: Run) -> None:
    run.write("bad.txt", b"a\nb\xff\n")
    ran = run("super", "bad.txt", "a")
    assert ran.code == 2
    assert "or give --errors replace to" in ran.err
    run.write("terms.csv", b"phrase,search volume\na,1\nb,2\nc,none\n")
    ran = run("super", "terms.csv", "a")
    assert ran.code == 2
    assert "or give --column phrase to" in ran.err
    run.write("terms.csv", b"phrase,how many\na,1\nb,2\n")
    ran = run("super", "terms.csv", "a")
    assert ran.code == 2
    assert "or give --weight-column 'how many' to" in ran.err


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


@pytest.mark.parametrize("arguments", [["super", "-"], ["nested", "-", "-"], ["find", "-"]])
def test_standard_input_cannot_be_both_vocabulary_and_question(
    run: Run, arguments: list[str]
) -> None:
    ran = run(*arguments, stdin=TERMS)
    assert (ran.code, ran.out) == (2, "")
    assert "standard input" in ran.err


@pytest.mark.parametrize("command", ["build", *QUESTIONS, "check"])
@pytest.mark.parametrize("name", ["none.txt", "."])
def test_a_file_that_cannot_be_read_is_bad_input(run: Run, command: str, name: str) -> None:
    ran = run(command, name, *QUESTIONS.get(command, []))
    assert (ran.code, ran.out) == (2, "")
    assert name in ran.err
    assert "Traceback" not in ran.err


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
    ("arguments", "message"),
    [
        ("super", "INDEX is missing"),
        ("extract", "CORPUS is missing"),
        ("complete terms.txt", "PREFIX is missing"),
        ("complete terms.txt a b", "got unexpected extra argument (b)"),
        ("none", "no such command 'none'"),
        ("super terms.txt york --none", "there is no option --none"),
        ("super terms.txt york --limt 2", "there is no option --limt; is --limit meant?"),
        (
            "super terms.txt york --where middle",
            "--where cannot be 'middle': it must be 'anywhere', 'start', 'end' or 'inside'",
        ),
        (
            "super terms.txt york --tokenizer letters",
            "--tokenizer cannot be 'letters': it must be 'text', 'whitespace', 'words' or 'chars'",
        ),
        (
            "super terms.txt york --limit -1",
            "--limit cannot be -1: it must be a whole number, 0 or more",
        ),
        (
            "super terms.txt york --limit many",
            "--limit cannot be 'many': it must be a whole number, 0 or more",
        ),
        (
            "serve terms.txt --port 70000",
            "--port cannot be 70000: it must be a whole number, 0 to 65535",
        ),
        (
            "serve terms.txt --body-seconds 0",
            "--body-seconds cannot be 0.0: it must be a number of seconds, 0.1 to 3600",
        ),
    ],
)
def test_bad_usage_exits_2_with_one_sentence_and_the_help_to_read(
    run: Run, arguments: str, message: str
) -> None:
    ran = run(*arguments.split())
    command = arguments.split()[0].replace("none", "")
    hint = " ".join(["See 'termnest", *filter(None, [command]), "--help'."])
    assert ran == Ran(2, "", f"termnest: {message}\n{hint}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("super none.txt york", "there is no file none.txt"),
        ("super . york", ". is a folder: give the name of a file"),
        ("check terms.txt", "terms.txt is not an index: make one with `termnest build`"),
        ("super - -", "standard input is the vocabulary already: give a phrase"),
        (
            "super terms.nest york --lowercase --column 0",
            "terms.nest is an index, which was built with its own options: leave out --lowercase, "
            "--column, or build it again from its vocabulary",
        ),
        ("build -", "the vocabulary is standard input: say where to save its index, -o FILE"),
        ("build terms.nest -o b.nest", "terms.nest is an index already: give the vocabulary"),
        ("tree terms.txt -o a.svg", "a.svg is a picture of the terms around one term: give TERM"),
        (
            "extract text.txt --candidates noun-phrases --column 1",
            "--column does not apply to --candidates noun-phrases: leave it out",
        ),
        (
            "serve terms.txt --host 0.0.0.0",
            "other machines can reach 0.0.0.0, so requests must carry a token: give "
            "--token-file FILE, or set TERMNEST_TOKEN",
        ),
    ],
)
def test_bad_input_exits_2_with_one_sentence_that_says_what_to_do(
    run: Run, arguments: str, message: str
) -> None:
    assert run(*arguments.split()) == Ran(2, "", f"termnest: {message}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["super", "terms.txt", "york", "--separator", ""],
        ["super", "terms.txt", "york", "--separator", "_", "--tokenizer", "chars"],
        ["super", "terms.txt", "york", "--column", "0"],
        ["super", "terms.txt", "york", "--format", "csv", "--column", "none"],
    ],
)
def test_options_that_contradict_the_vocabulary_exit_2(run: Run, arguments: list[str]) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("termnest: ")
    assert "Traceback" not in ran.err


def test_termnest_alone_shows_its_help(run: Run) -> None:
    ran = run()
    assert ran.code == 2
    assert run("--help").out.strip() in ran.out + ran.err


def test_help_imports_only_what_it_shows() -> None:
    program = (
        "import sys\nfrom termnest.cli import main\nmain(['--help'])\nmain(['serve', '--help'])\n"
        "print([m for m in sys.modules if m.startswith('termnest')], file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.returncode == 0
    for package in ("server", "terminology", "reproduce", "spacy", "spark", "paper"):
        assert f"'termnest.{package}" not in ran.stderr


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


def test_an_index_cut_in_its_first_bytes_is_damaged(run: Run) -> None:
    Path("cut.nest").write_bytes(b"\x89NES")
    ran = run("info", "cut.nest")
    assert ran.code == 3
    assert "damaged" in ran.err


def test_help_lists_the_commands_and_the_exit_codes(run: Run) -> None:
    ran = run("--help")
    assert (ran.code, ran.err) == (0, "")
    for command in cli.commands:
        assert f"\n  {command} " in ran.out
    assert "3 damaged index" in " ".join(ran.out.split())
    assert run("-h") == ran


@pytest.mark.parametrize("command", cli.commands)
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
def test_closing_the_pipe_of_the_answers_ends_the_program_without_an_error(
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
