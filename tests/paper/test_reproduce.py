"""`termnest reproduce`: figures, tables, files, and its messages about bad input."""

from __future__ import annotations

import csv
import gc
import importlib.util
import io
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from termnest import InvalidOptionError, shipped
from termnest.cli import main
from termnest.reproduce import Result, Vocabulary, markdown, measure, parse_tables, reproduce
from termnest.reproduce import shipped as shipped_vocabularies
from termnest.reproduce.measure import (
    MOST_TERMS_OF_A_TRIE,
    SYSTEMS,
    TAKES_LESS,
    Figure,
    fitted_exponent,
    time_indexing,
    visited_nodes,
)
from termnest.reproduce.report import duration, figures_csv
from termnest.reproduce.vocabularies import PUBLISHED

TERMS = ["york", "new york", "new york city", "city", "city hall", "old city hall"]


@pytest.fixture(scope="module", autouse=True)
def _no_garbage_collection() -> Iterator[None]:
    """A collection before each measurement takes 0.2 s here, where all test files are loaded."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "collect", lambda: 0)
        yield


@pytest.fixture
def vocabulary(tmp_path: Path) -> Path:
    """A file of terms."""
    path = tmp_path / "terms.txt"
    path.write_text("".join(f"{term}\n" for term in TERMS))
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["reproduce", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


# --- timing ---


class Clock:
    """A clock that only `work` moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seconds: Callable[[int], float]) -> None:
        self.now = 0.0
        self.seconds = seconds
        monkeypatch.setattr(time, "perf_counter", lambda: self.now)

    def work(self, terms: list[str]) -> object:
        self.now += self.seconds(len(terms))
        return object()


MANY = [f"term {number}" for number in range(100_000)]


def test_what_fits_into_the_budget_is_measured_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, lambda n: n * 1e-5)
    timing = time_indexing(clock.work, MANY, budget=3)
    assert timing.whole
    assert timing.value == pytest.approx(1)
    assert timing.exponent == pytest.approx(1)
    assert timing.measured[-1][0] == len(MANY)
    assert clock.now < 3


def test_the_whole_is_measured_if_it_alone_fits_into_the_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(monkeypatch, lambda n: n * 1e-3)
    assert time_indexing(clock.work, MANY, budget=100).whole
    clock = Clock(monkeypatch, lambda n: n * 1e-3)
    assert not time_indexing(clock.work, MANY, budget=99).whole


def test_what_does_not_fit_is_extrapolated_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, lambda n: n**2 * 1e-7)
    timing = time_indexing(clock.work, MANY, budget=60, power=2)
    assert not timing.whole
    assert timing.exponent == pytest.approx(2)
    assert timing.value == pytest.approx(1_000)
    assert timing.power == 2
    assert clock.now <= 60
    # At least half of the budget is used: the next part would take four times as long.
    assert timing.measured[-1][0] == 16_000


def test_one_part_is_measured_however_small_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, lambda n: 1.0)
    timing = time_indexing(clock.work, MANY, budget=0.1, power=2)
    assert [size for size, _ in timing.measured] == [500]
    assert timing.exponent is None
    assert timing.value == pytest.approx(200**2)


@pytest.mark.parametrize("seconds", [lambda n: 1 + n**2 * 1e-7, lambda n: n**2.3 * 1e-8])
def test_times_are_extrapolated_by_the_power_that_is_known(
    monkeypatch: pytest.MonkeyPatch, seconds: Callable[[int], float]
) -> None:
    # The cost of starting makes the square look like a smaller power, that of memory like a larger.
    clock = Clock(monkeypatch, seconds)
    timing = time_indexing(clock.work, MANY, budget=20, power=2)
    assert timing.exponent is not None
    assert abs(timing.exponent - 2) > 0.2
    last, measured = timing.measured[-1]
    assert timing.value == pytest.approx(measured * (100_000 / last) ** 2)


def test_the_fit_is_of_the_last_four_parts_above_the_noise() -> None:
    parts = [(500, 9.0), (1_000, 9.0), (2_000, 1e-9), (4_000, 0.04), (8_000, 0.08), (16_000, 0.16)]
    assert fitted_exponent(parts, noise=1e-3) == pytest.approx(1)
    assert fitted_exponent(parts[-1:]) is None
    assert fitted_exponent(parts[2:4], noise=1e-3) is None


def test_short_times_are_the_best_of_several(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter([0.04, 0.03, 0.01, 0.02, 0.05])
    clock = Clock(monkeypatch, lambda n: next(seconds))
    assert time_indexing(clock.work, MANY[:500], budget=9).value == pytest.approx(0.01)


def test_visited_nodes_of_what_takes_too_long_are_extrapolated() -> None:
    # Each of the terms is a node of its own below the root, and a traversal visits all.
    terms = [f"term{number}" for number in range(4_000)]
    whole = visited_nodes(SYSTEMS["Lu-Browne"], terms, sample=10, budget=60)
    assert whole.whole
    assert [size for size, _ in whole.measured] == [500, 4_000]
    assert whole.value == 4_000
    part = visited_nodes(SYSTEMS["Lu-Browne"], terms, sample=10, budget=0)
    assert not part.whole
    assert part.value == pytest.approx(4_000)


def test_the_garbage_collector_ignores_older_objects_while_a_system_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    collected: list[int] = []
    monkeypatch.setattr(gc, "collect", lambda: collected.append(1))
    frozen: list[int] = []
    time_indexing(lambda terms: frozen.append(gc.get_freeze_count()), MANY[:500], budget=9)
    assert len(frozen) == len(collected)
    assert all(count > 0 for count in frozen)
    assert gc.get_freeze_count() == 0


def test_an_interrupted_measurement_leaves_no_object_frozen() -> None:
    def stop(terms: list[str]) -> object:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        time_indexing(stop, MANY[:500], budget=9)
    assert gc.get_freeze_count() == 0


def test_no_part_has_more_terms_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, lambda n: n * 1e-6)
    timing = time_indexing(clock.work, MANY, budget=9, most_terms=9_000)
    assert not timing.whole
    assert timing.measured[-1][0] == 8_000
    assert timing.value == pytest.approx(0.1)


def test_parts_are_random_and_the_same_each_time() -> None:
    seen: list[list[str]] = []
    time_indexing(seen.append, MANY[:1_500], budget=9)
    again: list[list[str]] = []
    time_indexing(again.append, MANY[:1_500], budget=9)
    assert {tuple(part) for part in seen} == {tuple(part) for part in again}
    assert sorted({len(part) for part in seen}) == [500, 1_500]
    assert seen[0] != MANY[:500]
    assert set(seen[-1]) == set(MANY[:1_500])


# --- figures ---


@pytest.fixture(scope="module")
def result() -> Result:
    """The tables of a small vocabulary with the name of one of the paper's."""
    return reproduce([Vocabulary("Brown", TERMS)], budget=1, sample=1_000)


def figure(result: Result, table: int, column: str) -> Figure:
    return result.of(table, "Brown")[column]


def test_table_1_is_that_of_the_vocabulary(result: Result) -> None:
    assert figure(result, 1, "terms").value == 6
    assert figure(result, 1, "words").value == pytest.approx((1 + 2 + 3 + 1 + 2 + 3) / 6)
    assert figure(result, 1, "characters").value == pytest.approx(sum(map(len, TERMS)) / 6)
    assert figure(result, 1, "terms").published == 95_241
    assert figure(result, 1, "terms").ratio == pytest.approx(6 / 95_241)


def test_table_2_counts_comparisons(result: Result) -> None:
    assert figure(result, 2, "nested: Aho-Corasick").value == pytest.approx(
        sum(map(len, TERMS)) / 6
    )
    assert figure(result, 2, "nested: Lu-Browne").value == pytest.approx(12 / 6)
    assert figure(result, 2, "nested: TBI").value == pytest.approx((0 + 2 + 5 + 0 + 2 + 5) / 6)
    assert figure(result, 2, "super: TBI").value == 1
    # The trie of words has 9 nodes. With the number of levels below each: york(0); new(2) york(1)
    # city(0); city(1) hall(0); old(2) city(1) hall(0).
    visited = [9, 4 + 2 + 1, 4 + 1 + 1, 9, 4 + 1 + 1 + 2, 4 + 1 + 1]
    assert figure(result, 2, "super: Lu-Browne").value == pytest.approx(sum(visited) / 6)
    assert figure(result, 2, "super: Lu-Browne").published == 33_629.19
    assert "6 random terms" in figure(result, 2, "super: Lu-Browne").note


def test_table_3_times_every_system(result: Result) -> None:
    row = result.of(3, "Brown")
    assert set(row) == {*SYSTEMS, TAKES_LESS, "TermIndex"}
    assert all(row[system].value > 0 for system in [*SYSTEMS, "TermIndex"])
    assert not any(one.note for one in row.values())
    slow, fast = row["hash table"].value, row["TBI"].value
    assert row[TAKES_LESS].value == pytest.approx(1 - fast / slow)
    assert row[TAKES_LESS].published == pytest.approx(0.81, abs=0.005)


def test_published_times_are_those_of_the_paper() -> None:
    shown = {name: tuple(map(duration, row.indexing.values())) for name, row in PUBLISHED.items()}
    assert shown == {
        "brown": ("37.18 min", "6.97 min"),
        "wsj": ("35.18 min", "6.40 min"),
        "swbd": ("3.57 min", "33.0 s"),
        "nyt": ("67.8 s", "10.8 s"),
        "w2v": ("453.02 h", "65.33 h"),
    }


def test_a_large_vocabulary_is_traversed_in_parts_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert MOST_TERMS_OF_A_TRIE == 500_000
    monkeypatch.setattr(measure, "MOST_TERMS_OF_A_TRIE", 2_000)
    terms = [f"term{number}" for number in range(4_000)]
    found = reproduce([Vocabulary("a", terms)], [2], sample=10, check=0)
    cell = found.of(2, "a")["super: Lu-Browne"]
    assert cell.value == pytest.approx(4_000)
    assert cell.note == (
        "mean of 10 random terms, extrapolated by n^1.00 (fitted n^1.00) from 2,000 terms with "
        "2,000.00 comparisons"
    )
    text = markdown(found, "")
    assert "| ~4,000.00 |" in text
    assert f"- a, super: Lu-Browne: {cell.note}." in text


def test_the_tables_as_text(result: Result) -> None:
    text = markdown(result, "termnest reproduce Brown=terms.txt")
    assert "- command: `termnest reproduce Brown=terms.txt`" in text
    assert "all systems and TermIndex give equal answers" in text
    assert "| Brown | 6 (95,241, 6.3e-05x) | 2.00 (2.23, 0.897x) |" in text
    rows = list(csv.DictReader(io.StringIO(figures_csv(result))))
    assert len(rows) == 3 + 8 + 8
    published = {row["column"]: row["published"] for row in rows}
    assert published["hash table"] == "2230.8"
    assert published["super: Aho-Corasick"] == "42433.99"
    assert {row["extrapolated"] for row in rows} == {"no"}


def test_an_extrapolated_cell_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, lambda n: n**2 * 1e-7)
    for system in SYSTEMS:
        monkeypatch.setitem(SYSTEMS, system, clock.work)
    fast = Clock(monkeypatch, lambda n: n**2 * 2.5e-8)
    monkeypatch.setattr(time, "perf_counter", lambda: clock.now + fast.now)
    monkeypatch.setitem(SYSTEMS, "TBI", fast.work)
    found = reproduce([Vocabulary("w2v", MANY)], [3], budget=60, check=0)
    assert "| w2v | ~16.67 min (453.02 h, 0.000613x) |" in markdown(found, "")
    fit = "extrapolated by n^2.00 (fitted n^2.00) from 32,000 terms with 25.6 s"
    assert f"- w2v, TBI: {fit}." in markdown(found, "")
    assert "| ~75% (86%, 0.876x) |" in markdown(found, "")
    rows = csv.DictReader(io.StringIO(figures_csv(found)))
    extrapolated = {row["column"]: row["extrapolated"] for row in rows}
    columns = ("TBI", TAKES_LESS, "TermIndex")
    assert [extrapolated[column] for column in columns] == ["yes", "yes", "no"]


def test_systems_that_disagree_are_reported(
    vocabulary: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Wrong:
        def __init__(self, terms: list[str], compared: Any = iter) -> None:
            self.terms = terms

        def super_terms(self, term: str) -> set[str]:
            return set()

        nested_terms = super_terms

    monkeypatch.setitem(SYSTEMS, "naive", Wrong)
    code, out, _ = run(capsys, vocabulary, "--tables", "1")
    assert code == 1
    assert "not all systems agree" in out
    assert "terms: naive and TermIndex disagree about" in out
    code, out, _ = run(capsys, vocabulary, "--tables", "1", "--check", 0)
    assert code == 0
    assert "agree" not in out


# --- the command ---


def test_tables_are_printed(vocabulary: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, f"Brown={vocabulary}", "--budget", "0.2", "--tables", "3,1")
    assert code == 0
    assert f"`termnest reproduce Brown={vocabulary.name} --tables 3,1 --budget 0.2`" in out
    assert "## Table 1" in out
    assert "## Table 2" not in out
    assert "## Table 3" in out
    assert "Brown: indexing, TBI\n" in err


def test_files_are_written(
    vocabulary: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "folder"
    code, printed, _ = run(capsys, vocabulary, "--budget", "0.2", "--out", out)
    assert (code, printed) == (0, "")
    names = {"tables.md", "figures.csv", "timings.csv", "table2.png", "table3.png", "growth.png"}
    assert {path.name for path in out.iterdir()} == names
    assert str(tmp_path) not in (out / "tables.md").read_text()
    for path in out.glob("*.png"):
        assert path.read_bytes().startswith(b"\x89PNG\r\n")
    timings = csv.DictReader(io.StringIO((out / "timings.csv").read_text()))
    assert {row["system"] for row in timings} == {*SYSTEMS, "TermIndex"}


def test_without_matplotlib_a_line_says_why_there_are_no_plots(
    vocabulary: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    find = importlib.util.find_spec
    without = lambda name, *rest: None if name == "matplotlib" else find(name, *rest)  # noqa: E731
    monkeypatch.setattr(importlib.util, "find_spec", without)
    code, _, err = run(capsys, vocabulary, "--budget", "0.2", "--out", tmp_path / "out")
    assert code == 0
    assert "no plots: they need matplotlib (pip install 'termnest[plots]')" in err
    assert not list((tmp_path / "out").glob("*.png"))


def test_a_separator(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "terms.txt"
    path.write_text("new_york\nyork\n_york_\nnew_york_city\n")
    code, out, _ = run(capsys, f"w2v={path}", "--separator", "_", "--tables", "1")
    assert code == 0
    assert "| w2v | 3 (3,000,000, 1e-06x) | 2.00 (1.96, 1.02x) |" in out


def test_shipped_vocabularies() -> None:
    names, phrases = (vocabulary.terms for vocabulary in shipped_vocabularies())
    assert len(names) > 30_000
    assert "GREEK SMALL LETTER ALPHA" in names
    assert len(phrases) > 3_000
    assert "convenient way" in phrases
    assert all(0 < len(phrase.split(" ")) <= 4 for phrase in phrases)
    assert shipped.character_names() == names


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["Brown=nowhere.txt"], "nowhere.txt"),
        (["=x"], "'=x' is not a vocabulary: give NAME=PATH."),
        (["Brown="], "'Brown=' is not a vocabulary: give NAME=PATH."),
        (["--tables", "4"], "there is no table '4': the paper has 1, 2 and 3."),
        (["--tables", ""], "there is no table ''"),
        (["--tables", "1,x"], "there is no table 'x'"),
        (["--separator", "_"], "--separator needs a vocabulary of your own"),
        (["--budget", "0"], "--budget cannot be 0.0: it must be a number of seconds, 0.1 or more"),
        (["--budget", "inf"], "--budget cannot be inf: it must be a number of seconds"),
        (["--budget", "nan"], "--budget cannot be nan: it must be a number of seconds"),
        (["--sample", "0"], "--sample cannot be 0: it must be a whole number, 1 or more"),
    ],
)
def test_bad_input_is_one_clear_sentence(
    arguments: list[str], problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *arguments, "--out", tmp_path / "out")
    assert (code, out) == (2, "")
    said, *_ = err.splitlines()
    assert problem in said
    assert not (tmp_path / "out").exists()


def test_two_vocabularies_of_one_name_are_bad_input(
    vocabulary: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(capsys, vocabulary, f"TERMS={vocabulary}")
    assert code == 2
    assert "two vocabularies have the same name: give NAME=PATH\n" in err


def test_white_space_that_separates_nowhere_else_is_part_of_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "terms.txt"
    path.write_text("a\n\x1c\nb\u3000c\n")
    assert "| terms | 3 | 1.33 | 1.67 |" in run(capsys, path, "--tables", "1")[1]


def test_a_target_that_is_a_folder_is_an_error_and_nothing_changes(
    vocabulary: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "figures.csv").mkdir()
    code, _, err = run(capsys, vocabulary, "--tables", "1", "--out", tmp_path)
    assert code == 2
    assert f"cannot write {tmp_path / 'figures.csv'}: it is a folder." in err
    assert not (tmp_path / "tables.md").exists()


def test_an_empty_vocabulary_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "empty.txt"
    path.write_text("\n \n")
    code, out, err = run(capsys, path)
    assert (code, out) == (2, "")
    assert err == f"termnest: {path} has no terms: there is nothing to measure.\n"


def test_what_is_not_utf_8_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "latin1.txt"
    path.write_bytes(b"caf\xe9\n")
    code, _, err = run(capsys, path)
    assert code == 2
    problem = "line 1 is not UTF-8 (byte 0xe9): convert the file to UTF-8"
    assert err == f"termnest: {path}: {problem}\n"


def test_a_blank_inside_a_word_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "terms.txt"
    path.write_text("new york_city\n")
    code, _, err = run(capsys, path, "--separator", "_")
    assert code == 2
    assert "'new york_city' has a blank inside a word" in err
    path.write_text("new, york, city\nyork\n")
    code, out, _ = run(capsys, f"Google w2v={path}", "--separator", ", ", "--tables", "1")
    assert code == 0
    assert "| Google w2v | 2 (3,000,000, 6.67e-07x) | 2.00 (1.96, 1.02x) | 8.50" in out


def test_a_folder_that_cannot_be_written_to_is_an_error_before_the_work(
    vocabulary: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for out in (file, file / "below"):
        code, _, err = run(capsys, vocabulary, "--out", out)
        assert code == 2
        assert f"cannot write into {out}" in err
        assert "indexing" not in err
    assert file.read_text() == "mine"
    assert run(capsys, vocabulary, "--out", "")[0] == 2


def test_the_files_of_an_earlier_run_are_replaced_or_deleted(
    vocabulary: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(capsys, vocabulary, "--budget", "0.2", "--out", out)[0] == 0
    (out / "mine").write_text("mine")
    code, _, err = run(capsys, vocabulary, "--tables", "1", "--out", out)
    assert code == 0
    assert "no plots" not in err
    assert {path.name for path in out.iterdir()} == {"tables.md", "figures.csv", "mine"}


def test_a_failed_write_leaves_the_earlier_files(
    vocabulary: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = tmp_path / "out"
    assert run(capsys, vocabulary, "--tables", "1", "--out", out)[0] == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    write = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if "figures" in path.name:
            raise OSError(28, "No space left on device")
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    code, _, err = run(capsys, f"other={vocabulary}", "--tables", "1", "--out", out)
    assert code == 2
    assert "No space left on device" in err
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_the_progress_grows_from_0_to_1() -> None:
    reports: list[tuple[str, float]] = []
    reproduce(
        [Vocabulary("a", TERMS), Vocabulary("b", TERMS)],
        budget=0.2,
        check=6,
        progress=lambda what, done: reports.append((what, done)),
    )
    progress = [done for _, done in reports]
    assert progress == sorted(progress)
    assert progress[0] == 0
    assert 0.9 < progress[-1] <= 1.0001
    during_checks = {done for what, done in reports if what == "a: do all systems agree?"}
    assert len(during_checks) > 6


def test_tables_by_number() -> None:
    assert parse_tables("3, 1,3") == [1, 3]
    with pytest.raises(InvalidOptionError):
        parse_tables("0")


def test_an_interrupted_run_writes_nothing(
    vocabulary: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stop(terms: list[str]) -> object:
        raise KeyboardInterrupt

    monkeypatch.setitem(SYSTEMS, "TBI", stop)
    out = tmp_path / "out"
    code, _, err = run(capsys, vocabulary, "--check", 0, "--out", out)
    assert code == 130
    assert "interrupted" in err
    assert not out.exists()
