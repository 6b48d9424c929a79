"""What termnest.spark does on executors, called here without Spark."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from termnest import FileAccessError, InvalidOptionError, MissingExtraError, TermIndex
from termnest.options import analysis_of
from termnest.spark import queries
from termnest.spark.executor_errors import termnest_error
from termnest.spark.saved_index import SavedIndex, saved_index
from termnest.spark.tasks import (
    CHECKSUMS,
    FREQUENT_NGRAMS,
    Analyzer,
    NGramsTask,
    SharesTask,
    TermFields,
    TermsTask,
)
from termnest.spark.term_filter import FilterShape

# Spark itself uses what Python and pandas will remove.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pyspark"),
    pytest.mark.filterwarnings("ignore::FutureWarning:pyspark"),
]

TERMS = ["york", "new york", "new york city", "city", "york minster"]
ALL_SUPER_TERMS: dict[str, Any] = {
    "where": "anywhere",
    "direct": False,
    "max_extra": None,
    "limit": None,
    "offset": 0,
}


@pytest.fixture
def index(tmp_path: Path) -> Path:
    TermIndex(TERMS, weights=[5, 4, 3, 2, 1], lowercase=True).save(tmp_path / "cities.nest")
    return tmp_path / "cities.nest"


def test_an_index_is_opened_once_and_again_when_it_has_changed(index: Path) -> None:
    opened = SavedIndex(str(index)).open()
    assert SavedIndex(str(index)).open() is opened
    TermIndex(["other"]).save(index)
    assert list(SavedIndex(str(index)).open()) == ["other"]


def test_a_corrected_normalize_function_is_used_at_once(tmp_path: Path) -> None:
    path = tmp_path / "cells.nest"
    TermIndex(["cell wall", "cells x"], normalize=lambda token: token.removesuffix("s")).save(path)
    phrases = pa.RecordBatch.from_pydict({"query": ["CELLS"]})
    found = []
    for normalize in (str.upper, lambda token: token.lower().removesuffix("s")):
        task = queries._BatchTask(
            saved_index(path, normalize), "super_terms_batch", ALL_SUPER_TERMS, "query"
        )
        found.append(
            [term for batch in task(iter([phrases])) for term in batch["term"].to_pylist()]
        )
    assert found == [[], ["cell wall", "cells x"]]


def test_ids_of_ones_own_are_those_of_the_answers(tmp_path: Path) -> None:
    path = tmp_path / "cells.nest"
    phrases = pa.RecordBatch.from_pydict({"query": ["cell", "a cell wall"]})
    for ids, kind in ((["C1", "C2"], pa.string()), ([-7, 2**40], pa.int64())):
        TermIndex(["cell", "cell wall"], ids=ids).save(path)
        saved = saved_index(path, None)
        ask = queries._BatchTask(saved, "super_terms_batch", ALL_SUPER_TERMS, "query")
        (found,) = ask(iter([phrases]))
        assert (found["id"].to_pylist(), found["id"].type) == (ids[1:], kind)
        (found,) = queries._FindTask(saved, "all", "all", "query")(iter([phrases]))
        assert found["id"].to_pylist() == [ids[0], *ids]


def test_phrases_with_many_answers_are_answered_in_several_batches(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    phrases = ["york", "", None, "city", "york", "new york", "york", "minster"]
    task = queries._BatchTask(
        saved_index(index, None), "super_terms_batch", ALL_SUPER_TERMS, "query"
    )
    batch = pa.RecordBatch.from_pydict({"query": pa.array(phrases, pa.string())})
    (whole,) = task(iter([batch]))
    assert len(whole) > 5
    for most in (1, 2, 5):
        monkeypatch.setattr(queries, "_ANSWERS_IN_MEMORY", most)
        batches = list(task(iter([batch])))
        assert max(map(len, batches)) <= most
        assert pa.Table.from_batches(batches).equals(
            pa.Table.from_batches([whole]).combine_chunks()
        )


def test_a_task_that_is_repeated_makes_the_same_blocks() -> None:
    """Spark ends a job in which it does not. Blocks arrive in any order."""
    analysis = analysis_of(
        tokenizer="whitespace",
        separator=None,
        lowercase=False,
        strip_accents=False,
        fold=False,
        language=None,
        hyphens="keep",
        case=None,
        normalize=None,
        threads=1,
    )
    analyzer = Analyzer(analysis, bytes(range(32)))
    fields = TermFields(ids=False, long=False, weights=True, occurrences=False)
    blocks: list[bytes] = []
    for seed in range(5):
        choice = random.Random(seed)
        lengths = [choice.choice([1, 1, 2, 2, 3, 4, 5, 20]) for _ in range(150)]
        terms = pa.array([" ".join(choice.choices("abcd", k=length)) for length in lengths])
        entries = pa.RecordBatch.from_pydict({"term": terms, "weight": [0.1] * len(terms)})
        for batch in TermsTask(analyzer, 1, fields)(iter([entries])):
            blocks += batch["block"].to_pylist()
    assert len(blocks) == 5
    checksum = sum(int.from_bytes(block[-16:], "little") for block in blocks)
    facts: list[tuple[int, bytes]] = [
        (FREQUENT_NGRAMS, b""),
        (CHECKSUMS, checksum.to_bytes(16, "little")),
    ]
    known: list[dict[str, Any]] = [{"fact": fact, "data": data} for fact, data in facts]
    task = NGramsTask(analyzer, 3, fields, FilterShape(0, 0, 1))
    made = []
    for order in (blocks, blocks[::-1], blocks[2:] + blocks[:2]):
        rows: list[dict[str, Any]] = [{"block": block} for block in order]
        rows[2:2] = known
        made.append(pa.Table.from_batches(task(iter(rows_of_a_partition(rows)))))
    assert len(made[0]) == 3
    assert made[0].equals(made[1])
    assert made[0].equals(made[2])
    missing = known + [{"block": block} for block in blocks[1:]]
    with pytest.raises(InvalidOptionError, match="did not have the same terms each time"):
        list(task(iter(rows_of_a_partition(missing))))


def rows_of_a_partition(rows: list[dict[str, Any]]) -> list[pa.RecordBatch]:
    """Batches of two rows, as Spark gives them to a task of partition 0."""
    types = {"partition": pa.int32(), "block": pa.binary(), "fact": pa.int32(), "data": pa.binary()}
    columns = {
        name: pa.array([{"partition": 0, **row}.get(name) for row in rows], type)
        for name, type in types.items()
    }
    batches: list[pa.RecordBatch] = pa.table(columns).to_batches(max_chunksize=2)
    return batches


def test_shares_do_not_depend_on_how_the_pairs_are_cut_into_batches() -> None:
    index = TermIndex([" ".join(term) for term in ["a", "b", "ab", "ba", "aba", "abab", "cab"]])
    pairs = [
        (row["nested"], row["super"], row["start"], len(index[row["nested"]].split()))
        for row in index.pairs().to_pylist()
    ]
    pairs.sort(key=lambda pair: pair[1])
    repeats = {("a", "a b a"): 2, ("a", "a b a b"): 2, ("b", "a b a b"): 2, ("a b", "a b a b"): 2}
    columns: dict[str, Any] = {
        "nested": [index[nested] for nested, *_ in pairs],
        "super": [index[outer] for _, outer, *_ in pairs],
        "start": pa.array([start for *_, start, _ in pairs], pa.int32()),
        "length": pa.array([length for *_, length in pairs], pa.int32()),
    }
    names = list(zip(columns["nested"], columns["super"], strict=True))
    again = [bytes([repeats[name], 1]) if name in repeats else b"" for name in names]
    columns["repeats"] = pa.array(again, pa.binary())
    table = pa.table(columns)
    whole = pa.Table.from_batches(SharesTask()(iter(table.to_batches())))
    assert whole.schema.names == ["nested", "super", "share"]
    shares = dict(zip(names, whole["share"].to_pylist(), strict=True))
    # "a b" and "b a" overlap in the "b" of "a b a".
    assert shares["a b", "a b a"] == shares["b a", "a b a"] == 1
    assert shares["b", "a b a"] == shares["a", "a b a"] == -1
    assert {share for name, share in shares.items() if name[1] == "a b a b"} == {0, 1}
    for size in range(1, len(table)):
        cut = SharesTask()(iter(table.to_batches(max_chunksize=size)))
        assert pa.Table.from_batches(cut).equals(whole)


def test_errors_of_executors_are_raised_as_what_they_were() -> None:
    missing = termnest_error(Exception("y\nModuleNotFoundError: No module named 'termnest'\nz"))
    assert isinstance(missing, MissingExtraError)
    assert "set PYSPARK_PYTHON" in str(missing)
    traceback = Exception(
        "x\ntermnest.errors.FileAccessError: cannot read y: gone\n SQLSTATE: 38000"
    )
    error = termnest_error(traceback)
    assert isinstance(error, FileAccessError)
    assert str(error) == "cannot read y: gone"
    assert termnest_error(Exception("something else")) is None


def test_a_package_that_is_missing_or_old_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from termnest.spark.session import check_packages

    check_packages()
    for old in ("3.5.1", "4.0.2"):
        monkeypatch.setitem(sys.modules, "pyspark", SimpleNamespace(__version__=old))
        with pytest.raises(MissingExtraError, match=rf"needs pyspark 4\.1 .* {old} is installed"):
            check_packages()
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'termnest\[spark\]'"):
        check_packages()


def test_the_command_runs_by_itself_and_without_java_says_so(tmp_path: Path) -> None:
    (tmp_path / "terms.txt").write_text("a\nb a\n")
    run = [sys.executable, "-m", "termnest.spark", "pairs", "terms.txt", "out"]
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    environment["PATH"] = str(tmp_path)
    broken = subprocess.run(
        run, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
    )
    assert broken.returncode == 2
    assert "termnest: Spark needs Java 17 or newer" in broken.stderr
    assert "Traceback" not in broken.stderr
    helped = subprocess.run(
        [*run[:3], "pairs", "--help"], capture_output=True, text=True, timeout=60
    )
    assert helped.returncode == 0
    assert "--overwrite" in helped.stdout
