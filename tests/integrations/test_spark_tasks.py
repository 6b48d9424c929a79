"""What termnest.spark does on executors, called here without Spark."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from termnest import FileAccessError, MissingExtraError, TermIndex
from termnest.options import analysis_of
from termnest.spark import queries
from termnest.spark.broadcasts import Broadcasts, table_bytes
from termnest.spark.executor_errors import termnest_error
from termnest.spark.saved_index import SavedIndex, saved_index
from termnest.spark.tasks import Analyzer, NGramsTask, TermFields, TermsTask
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
    fields = TermFields(ids=False, long=False, weights=True)
    blocks: list[bytes] = []
    for seed in range(5):
        choice = random.Random(seed)
        lengths = [choice.choice([1, 1, 2, 2, 3, 4, 5, 20]) for _ in range(150)]
        terms = pa.array([" ".join(choice.choices("abcd", k=length)) for length in lengths])
        entries = pa.RecordBatch.from_pydict({"term": terms, "weight": [0.1] * len(terms)})
        for batch in TermsTask(analyzer, [0], fields)(iter([entries])):
            blocks += batch["block"].to_pylist()
    assert len(blocks) == 5
    none = pa.table({"high": pa.array([], pa.int64()), "low": pa.array([], pa.int64())})
    broadcast: Any = SimpleNamespace(value=table_bytes(none))
    broadcasts = Broadcasts(b"", FilterShape(0, 0, 1), broadcast, broadcast)
    task = NGramsTask(analyzer, [0, 1, 2], fields, broadcasts)
    made = []
    for order in (blocks, blocks[::-1], blocks[2:] + blocks[:2]):
        batches = (pa.RecordBatch.from_pydict({"block": [block]}) for block in order)
        made.append(pa.Table.from_batches(task(batches)))
    assert len(made[0]) == 6
    assert made[0].equals(made[1])
    assert made[0].equals(made[2])


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
