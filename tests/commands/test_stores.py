"""Stores on the command line: add, remove, compact, and every question."""

import json
from pathlib import Path

import pytest

from command_line import QUESTIONS, Run, run_fixture  # noqa: F401  (fixture)
from termnest import TermIndex, TermStore

TSV = b"term\tfrequency\tlabel\nyork\t1\tplace\nnew york\t5\tplace\nnew york city\t2\t\n"


@pytest.fixture
def made(run: Run) -> Run:
    """A store of several segments, with a text to search."""
    run.write("a.tsv", TSV)
    assert run("add", "a.store", "--create", "--file", "a.tsv", "--columns", "label").code == 0
    assert run("add", "a.store", "city", "old york").code == 0
    run.write("text.txt", b"the new york city hall")
    return run


def test_add_creates_a_store_and_reports_what_it_did(run: Run) -> None:
    ran = run("add", "a.store", "york", "new york", " ", "--create", "--fold", "--weight", "3")
    assert (ran.code, ran.out) == (0, "")
    for part in ("a.store: 2 terms added", "1 without a word skipped", "generation 2"):
        assert part in ran.err
    store = TermStore.open("a.store")
    assert store.options.fold
    assert store.weight("york") == 3
    store.close()
    ran = run("add", "a.store", "york", "york minster")
    assert "1 term added, 1 changed; 3 terms" in ran.err


def test_add_takes_a_vocabulary_with_its_columns_or_an_index_or_standard_input(made: Run) -> None:
    store = TermStore.open("a.store", readonly=True)
    assert store.weight("new york") == 5
    assert store.index().column("label").to_list() == ["place", "place", None, None, None]
    TermIndex(["york", "from an index"], weights=[9, 1]).save("b.nest")
    assert made("add", "a.store", "--file", "b.nest").code == 0
    assert (store.weight("york"), store.weight("from an index")) == (9, 1)
    assert made("add", "a.store", stdin=b"from a pipe\nanother\n").code == 0
    assert "from a pipe" in store
    assert "another" in store


@pytest.mark.parametrize("command", QUESTIONS)
def test_every_question_is_answered_from_a_store_as_from_an_index(made: Run, command: str) -> None:
    TermStore.open("a.store", readonly=True).index().save("a.nest")
    question = QUESTIONS[command]
    asked = made(command, "a.store", *question)
    assert asked.code == 0
    if command == "info":
        assert "generation" in asked.out
    else:
        assert asked.out == made(command, "a.nest", *question).out


def test_columns_and_json_of_a_store(made: Run) -> None:
    rows = made("super", "a.store", "york", "--show", "*", "--json").rows()
    assert [(row["term"], row["label"]) for row in rows] == [
        ("new york", "place"),
        ("new york city", None),
        ("old york", None),
    ]
    [facts] = made("info", "a.store", "--pairs", "--json").rows()
    assert (facts["terms"], facts["generation"], facts["pairs"]) == (5, 3, 5)
    assert "no damage found, 5 terms" in made("check", "a.store").out


def test_remove_removes_all_or_nothing(made: Run) -> None:
    ran = made("remove", "a.store", "city", "nothing")
    assert (ran.code, ran.out) == (2, "")
    assert "'nothing' is not in the vocabulary" in ran.err
    assert "city" in TermStore.open("a.store", readonly=True)
    ran = made("remove", "a.store", stdin=b"city\nold york\n")
    assert (ran.code, ran.out) == (0, "")
    assert "2 terms removed; 3 terms" in ran.err
    assert made("super", "a.store", "york", "--count").out == "2\n"


def test_compact_makes_one_index(made: Run) -> None:
    assert made("remove", "a.store", "city").code == 0
    assert "compacted; 4 terms" in made("compact", "a.store").err
    stats = TermStore.open("a.store", readonly=True).stats()
    assert (len(stats.segments), stats.hidden) == (1, 0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["add", "b.store", "x"], "there is no store b.store: correct the name, or create it with"),
        (["add", "a.tsv", "x"], "a.tsv is a file, and a store is a folder"),
        (["add", "folder", "x", "--create"], "a folder, but not a termnest store"),
        (["remove", "b.store", "x"], "there is no store"),
        (["compact", "a.tsv"], "a.tsv is a file, and a store is a folder"),
        (["add", "a.store", "x", "--fold"], "--fold cannot be True"),
        (["add", "a.store", "x", "--column", "1"], "--column describes a vocabulary"),
        (["add", "a.store", "x", "--file", "a.tsv"], "leave out one of them"),
        (["add", "a.store", "--file", "a.store"], "a.store is a store"),
        (["add", "a.store", "x", "--weight", "-1"], "-1"),
        (["super", "a.store", "york", "--lowercase"], "created with its own options"),
        (["super", "folder", "york"], "folder is a folder"),
        (["serve", "a.tsv", "--writable"], "--writable needs a store"),
        (["serve", "a.store", "--writable"], "requests must carry a token"),
    ],
)
def test_bad_input_gets_one_sentence(
    made: Run, arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TERMNEST_TOKEN", raising=False)
    Path("folder").mkdir()
    Path("folder/notes.txt").write_text("mine")
    ran = made(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert ran.err.count("\n") == 1 or "--help" in ran.err
    assert json.loads(made("info", "a.store", "--json").out)["terms"] == 5


def test_a_store_that_somebody_writes_is_not_written(made: Run) -> None:
    store = TermStore.open("a.store")
    ran = made("add", "a.store", "x")
    assert ran.code == 2
    assert "is being written by process" in ran.err
    store.close()


def test_a_damaged_store_exits_3(made: Run) -> None:
    for name in ("manifest-0", "manifest-1"):
        Path("a.store", name).write_text("termnest store 1\n")
    ran = made("super", "a.store", "york")
    assert ran.code == 3
    assert "damaged" in ran.err
