"""Stores: what users rely on, and what they are refused."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from termnest import (
    ClosedStoreError,
    DamagedIndexError,
    FileAccessError,
    IndexVersionError,
    InvalidOptionError,
    InvalidTermError,
    LockedStoreError,
    MissingFileError,
    NotAStoreError,
    TermIdError,
    TermIndex,
    TermStore,
    UnknownTermError,
    is_store,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "terms.store"


@pytest.fixture
def store(path: Path) -> TermStore:
    return TermStore.open(path, create=True)


def test_a_commit_is_seen_by_readers_and_not_before(store: TermStore, path: Path) -> None:
    reader = TermStore.open(path, readonly=True)
    assert store.add("new york", weight=3) == 0
    assert store.pending == 1
    assert "new york" not in reader
    assert store.commit() == 2
    assert "new york" in reader
    assert (reader.id("new york"), reader[0], reader.weight("new york")) == (0, "new york", 3.0)
    assert (reader.generation, len(reader), list(reader)) == (2, 1, ["new york"])
    assert store.commit() == 2  # nothing to do


def test_a_term_that_is_there_gets_what_is_given(store: TermStore) -> None:
    id = store.add("cell", weight=2, columns={"label": "x", "n": 1}, aliases="cellula")
    store.commit()
    assert store.add("cell", weight=5) == id
    store.commit()
    assert store.weight("cell") == 5
    assert store.index().column("label").to_list() == ["x"]
    assert store.update("cell", columns={"label": "y"}) == id
    store.commit()
    index = store.index()
    assert (index.column("label").to_list(), index.column("n").to_list()) == (["y"], [1])
    assert [match.term for match in store.find("a cellula")] == ["cell"]
    store.update("cell", aliases=[])
    store.commit()
    assert not store.find("a cellula")
    with pytest.raises(UnknownTermError, match="'tissue' is not in the vocabulary"):
        store.update("tissue", weight=1)


def test_removed_terms_are_in_no_answer_and_their_ids_are_not_given_again(
    store: TermStore,
) -> None:
    store.add_many(["cell", "stem cell", "red stem cell"])
    store.commit()
    store.remove("stem cell")
    store.commit()
    assert store.super_terms("cell") == ["red stem cell"]
    assert store.super_terms("cell", direct=True) == ["red stem cell"]
    assert store.count_super_terms("cell") == 1
    assert store.complete("stem") == ["red stem cell"]
    assert store.lookup("stem cell") == []
    with pytest.raises(TermIdError, match="no term has the id 1"):
        store[1]
    assert store.add("stem cell") == 3
    store.commit()
    assert store.ids(["cell", "stem cell", "other"]) == [0, 3, None]


def test_a_direct_answer_depends_on_terms_of_other_segments(store: TermStore) -> None:
    for term in ["york", "new york city", "new york"]:
        store.add(term)
        store.commit()
    assert store.super_terms("york", direct=True) == ["new york"]
    assert store.nested_terms("new york city hall", direct=True) == ["new york city"]
    assert store.count_super_terms("york", direct=True) == 1
    found = store.find("in new york city", overlaps="longest")
    assert [match.term for match in found] == ["new york city"]


def test_columns_can_be_added_later_and_have_one_type(store: TermStore) -> None:
    store.add("a")
    store.commit()
    store.add("b a", columns={"n": 1, "x": 0.5, "tags": ["p", "q"]})
    store.commit()
    table = store.super_terms_batch(["a"], columns=["n", "x", "tags"])
    row = table.to_pylist()[0]
    assert (row["n"], row["x"], row["tags"]) == (1, 0.5, ["p", "q"])
    assert store.columns == ("n", "x", "tags")
    assert store.column_types == {
        "id": "integers",
        "n": "integers",
        "x": "floats",
        "tags": "lists of strings",
    }
    assert store.index().column("n").to_list() == [None, 1]
    with pytest.raises(InvalidTermError, match=r'the value of "n" at entry 1 .* is 1\.5'):
        store.add_many(["c", "d"], columns={"n": [1, 1.5]})
    store.add("c", columns={"x": 2})  # an integer is a float too
    with pytest.raises(InvalidOptionError, match="a column cannot be named"):
        store.add("c", columns={"term": 2})
    assert store.pending == 1


def test_nothing_of_a_bad_batch_is_added(store: TermStore) -> None:
    for arguments, error, message in [
        ((["a", "x " * 5000],), InvalidTermError, "at entry 1 .* 5000 tokens"),
        ((["a", 7],), TypeError, "entry 1 of terms must be a str, not 7"),
        ((["a", "\ud800"],), ValueError, "entry 1 of terms contains a lone surrogate"),
    ]:
        with pytest.raises(error, match=message):
            store.add_many(*arguments)  # type: ignore[arg-type]
    with pytest.raises(InvalidTermError, match=r"the weight at entry 1 .* is -1"):
        store.add_many(["a", "b"], weights=[1, -1])
    with pytest.raises(InvalidTermError, match="matches like another term"):
        store.add_many(["a", "b"], aliases=[["b"], None])
    with pytest.raises(InvalidTermError, match="' ' cannot be a term: it has no word"):
        store.add(" ")
    with pytest.raises(UnknownTermError, match="'nothing' is not in the vocabulary"):
        store.remove_many(["nothing"])
    assert store.pending == 0
    assert store.add_many(["a", "", None, "b"]) == [0, None, None, 1]  # type: ignore[list-item]
    with pytest.raises(UnknownTermError, match="'nothing'"):
        store.remove_many(["a", "nothing"])
    assert store.pending == 2


def test_an_alias_that_is_another_term_is_refused_whenever_it_comes(store: TermStore) -> None:
    store.add("color", aliases=["colour"])
    store.commit()
    with pytest.raises(InvalidTermError, match='"colour" is an alias of "color"'):
        store.add("colour")
    with pytest.raises(InvalidTermError, match='"color" is an alias of "tint"'):
        store.add("tint", aliases=["color"])
    # Changes that contradict each other are refused together, and can be mended.
    store.add("shade")
    store.add("hue", aliases=["shade"])
    with pytest.raises(InvalidTermError, match='"shade" is an alias of "hue"'):
        store.commit()
    store.remove("shade")
    store.commit()
    assert store.lookup("shade") == [store.id("hue")]


def test_leaving_a_block_commits_and_an_error_drops_what_is_pending(path: Path) -> None:
    with TermStore.open(path, create=True) as store:
        store.add("kept")

    def fail() -> None:
        with TermStore.open(path) as store:
            store.add("dropped")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with TermStore.open(path, readonly=True) as reader:
        assert list(reader) == ["kept"]
    store = TermStore.open(path)
    store.add("dropped too")
    store.rollback()
    assert store.pending == 0
    store.add("and this")
    store.close()
    assert list(TermStore.open(path)) == ["kept"]


def test_a_pinned_generation_stays_as_it_is(store: TermStore) -> None:
    store.add_many(["a", "b a"])
    store.commit()
    with store.pin() as snapshot:
        for number in range(20):
            store.add(f"{number} a")
            if number % 3 == 0:
                store.remove("b a")
                store.commit()
                store.add("b a")
            store.commit()
        store.compact()
        assert snapshot.super_terms("a") == ["b a"]
        assert snapshot.index().super_terms("a") == ["b a"]
        assert (snapshot.generation, len(snapshot)) == (2, 2)
    assert len(store.super_terms("a")) == 21


def test_the_files_of_a_pinned_generation_are_a_backup(store: TermStore, tmp_path: Path) -> None:
    store.add_many(["a", "b a", "c"])
    store.commit()
    store.remove("c")
    store.commit()
    target = tmp_path / "backup.store"
    target.mkdir()
    for file in store.pin().files:
        (target / file.name).write_bytes(file.read_bytes())
    copied = TermStore.open(target)
    copied.check()
    assert list(copied) == ["a", "b a"]
    assert copied.add("d") == 3


def test_how_terms_match_is_decided_once(path: Path) -> None:
    TermStore.open(path, create=True, fold=True, hyphens="both").close()
    with TermStore.open(path) as store:
        store.add("Straße")
        store.add("E-Mail")
        assert store.options.fold
    store = TermStore.open(path, fold=True, create=True)
    assert store.lookup("STRASSE") == [0]
    assert store.lookup("email") == [1]
    store.close()
    with pytest.raises(InvalidOptionError, match=r"fold cannot be False: .* was created with True"):
        TermStore.open(path, fold=False)
    with pytest.raises(InvalidOptionError, match="language cannot be 'en'"):
        TermStore.open(path, readonly=True, language="en")
    TermStore.open(path).close()  # the lock is free


def test_a_normalize_function_is_given_each_time(path: Path) -> None:
    def reverse(token: str) -> str:
        return token[::-1]

    with TermStore.open(path, create=True, normalize=reverse) as store:
        store.add("ab")
    assert TermStore.open(path, readonly=True, normalize=reverse).lookup("ab") == [0]
    with pytest.raises(InvalidOptionError, match="normalize cannot be left out"):
        TermStore.open(path, readonly=True)


def test_a_second_writer_learns_the_process_of_the_first(path: Path) -> None:
    store = TermStore.open(path, create=True)
    with pytest.raises(LockedStoreError, match=f"being written by process {os.getpid()}"):
        TermStore.open(path)
    TermStore.open(path, readonly=True)
    store.close()
    TermStore.open(path)


def test_the_lock_of_a_killed_writer_is_free_at_once(path: Path) -> None:
    code = (
        "import sys, time, termnest\n"
        f"store = termnest.TermStore.open({str(path)!r}, create=True)\n"
        "store.add('kept'); store.commit(); store.add('lost')\n"
        "print('ready', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    with pytest.raises(LockedStoreError, match=f"process {process.pid}"):
        TermStore.open(path)
    process.kill()
    process.wait()
    process.stdout.close()
    assert list(TermStore.open(path)) == ["kept"]


def test_a_forked_process_does_not_write(store: TermStore) -> None:
    pid = os.fork()
    if pid == 0:
        try:
            store.add("x")
        except ClosedStoreError as error:
            os._exit(0 if f"process {os.getppid()} has opened" in str(error) else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_what_is_not_a_store_is_refused(path: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="there is no store"):
        TermStore.open(path)
    with pytest.raises(MissingFileError, match="there is no store"):
        TermStore.open(path, readonly=True)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    for options in [{}, {"create": True}, {"readonly": True}]:
        with pytest.raises(NotAStoreError, match="a folder, but not a termnest store"):
            TermStore.open(folder, **options)  # type: ignore[arg-type]
    with pytest.raises(NotAStoreError, match="is a file, and a store is a folder"):
        TermStore.open(folder / "notes.txt", create=True)
    with pytest.raises(InvalidOptionError, match="create cannot be True with readonly"):
        TermStore.open(path, create=True, readonly=True)
    with pytest.raises(InvalidOptionError, match=r"call TermStore\.open"):
        TermStore(path)
    assert not is_store(folder)
    assert [file.name for file in folder.iterdir()] == ["notes.txt"]


def test_a_manifest_that_was_changed_by_hand_is_refused(store: TermStore, path: Path) -> None:
    store.add("a")
    generation = store.commit()
    store.close()
    newest = path / f"manifest-{generation % 2}"
    newest.write_text(newest.read_text().replace("terms 1", "terms 2"))
    with pytest.warns(RuntimeWarning, match=r"changed by hand.*opened as of generation 1"):
        reader = TermStore.open(path, readonly=True)
    assert list(reader) == []
    (path / f"manifest-{1 - generation % 2}").write_text("")
    with pytest.raises(DamagedIndexError, match=r"manifest-\d is damaged"):
        TermStore.open(path, readonly=True)


def test_a_store_of_a_newer_format_is_refused(store: TermStore, path: Path) -> None:
    store.add("a")
    generation = store.commit()
    store.close()
    (path / f"manifest-{generation % 2}").write_text("termnest store 2\nwho knows what\n")
    for options in [{}, {"readonly": True}, {"create": True}]:
        with pytest.raises(IndexVersionError, match=r"has version 2 .* reads 1: install a newer"):
            TermStore.open(path, **options)  # type: ignore[arg-type]


def test_changes_of_a_reader_and_of_a_closed_writer_are_refused(
    store: TermStore, path: Path
) -> None:
    reader = TermStore.open(path, readonly=True)
    assert reader.readonly
    for change in (reader.commit, reader.rollback, lambda: reader.add("a"), reader.compact):
        with pytest.raises(ClosedStoreError, match="was opened for reading"):
            change()
    store.close()
    with pytest.raises(ClosedStoreError, match="is closed: open it again"):
        store.add("a")
    store.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_folder_that_cannot_be_written_is_read_only(store: TermStore, path: Path) -> None:
    store.add("a")
    store.commit()
    store.close()
    path.chmod(0o500)
    try:
        assert list(TermStore.open(path, readonly=True)) == ["a"]
        with pytest.raises(FileAccessError):
            TermStore.open(path)
    finally:
        path.chmod(0o700)


def test_a_store_is_pickled_as_a_reader(store: TermStore) -> None:
    store.add("a b")
    store.commit()
    reader = pickle.loads(pickle.dumps(store))
    assert reader.readonly
    assert reader.super_terms("a") == ["a b"]
    store.add("a c")
    store.commit()
    assert reader.super_terms("a") == ["a b", "a c"]
    assert copy.copy(reader).super_terms("a") == ["a b", "a c"]


def test_an_executor_of_spark_refuses_a_store_that_has_changed(
    store: TermStore, path: Path
) -> None:
    saved_index = pytest.importorskip("termnest.spark.saved_index").saved_index
    store.add("a b")
    store.commit()
    index = saved_index(path, None)
    assert index.open().super_terms("a") == ["a b"]
    pickled = pickle.dumps(index)
    store.add("a c")
    store.commit()
    assert index.open().super_terms("a") == ["a b"]  # it is open here
    assert saved_index(path, None).open().super_terms("a") == ["a b", "a c"]
    with pytest.raises(InvalidOptionError, match="has changed since the question was asked"):
        pickle.loads(pickled).open()


def test_load_takes_a_store(store: TermStore, path: Path) -> None:
    store.add_many(["a b", "b"])
    store.commit()
    assert TermIndex.load(path).pairs().to_pylist() == [{"nested": 1, "super": 0, "start": 1}]


def test_files_that_nobody_needs_are_removed_by_the_next_writer(
    store: TermStore, path: Path
) -> None:
    store.add("a")
    store.commit()
    store.close()
    for name in ("seg-99-0.nest", "hidden-99", "manifest.new"):
        (path / name).write_bytes(b"left by a killed writer")
    (path / "README.txt").write_text("not ours")
    TermStore.open(path, readonly=True)
    assert (path / "seg-99-0.nest").exists()  # readers write nothing
    TermStore.open(path)
    left = sorted(file.name for file in path.iterdir())
    assert not {"seg-99-0.nest", "hidden-99", "manifest.new"} & set(left)
    assert "README.txt" in left


def test_all_questions_agree_with_an_index(store: TermStore) -> None:
    terms = ["new york", "york", "new york city", "city", "old york", "city hall of new york"]
    weights = [3, 1, 4, 1, 5, 9]
    labels = ["p", None, "q", "p", None, "q"]
    for i in range(0, 6, 2):
        store.add_many(
            terms[i : i + 2], weights=weights[i : i + 2], columns={"label": labels[i : i + 2]}
        )
        store.commit()
    index = TermIndex(terms, weights=weights, columns={"label": labels})
    text = "The city hall of new york city is in new york"
    questions: list[Any] = [
        lambda asked: asked.super_terms("york", sort="left"),
        lambda asked: asked.super_terms("york", sort="right", limit=2, offset=1),
        lambda asked: asked.nested_terms(text, sort="length"),
        lambda asked: asked.complete("c"),
        lambda asked: asked.expansions("york", side="left").to_pylist(),
        lambda asked: asked.show("new york", limit=2),
        lambda asked: list(asked.find(text)),
        lambda asked: asked.find(text, columns=["label"]).table.to_pylist(),
        lambda asked: asked.find_batch([text, None, "york"], overlaps="leftmost").to_pylist(),
        lambda asked: asked.find_batch(iter([text]), columns=["label"]).to_pylist(),
        lambda asked: [
            table.to_pylist() for table in asked.iter_batches(iter([text, "york"]), rows=1)
        ],
        lambda asked: list(asked.find(text, where={"label": "q"})),
        lambda asked: list(asked.find(text, where=[True, False, True, False, False, False])),
        lambda asked: asked.replace(text, lambda match: match.term.upper()),
        lambda asked: asked.replace("york", {"york": "York"}),
        lambda asked: asked.highlight(text),
        lambda asked: asked.super_terms_batch(["york", "city"], columns=["label"]).to_pylist(),
        lambda asked: asked.nested_terms_batch([text], direct=True).to_pylist(),
        lambda asked: asked.json.super_terms("york", limit=10),
        lambda asked: asked.json.nested_terms(text),
        lambda asked: asked.json.batch("super", ["york", "x"], limit=2),
        lambda asked: asked.json.term("new york", columns=["label"]),
        lambda asked: asked.json.complete("new"),
        lambda asked: asked.json.expansions("york", side="left"),
        lambda asked: asked.json.find(text, limit=50),
        lambda asked: asked.column("label").to_list(),
        lambda asked: (asked.weighted, asked.options, asked.matching, list(asked), len(asked)),
    ]
    assert len(store.stats().segments) >= 1
    for question in questions:
        assert question(store.pin()) == question(index)
        assert question(store) == question(index)
    whole = store.pin()
    whole.index()
    for question in questions:
        assert question(whole) == question(index)


def test_the_next_page_of_json_is_found_with_its_cursor(store: TermStore) -> None:
    import json

    for number in range(30):
        store.add(f"{number} a")
        store.commit()
    seen, cursor = [], None
    while True:
        page = json.loads(store.json.super_terms("a", limit=7, cursor=cursor) or b"")
        assert page["total"] == 30
        seen += [row["term"] for row in page["results"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert seen == store.super_terms("a")


# More of both in `make faults`.
READERS = int(os.environ.get("TERMNEST_STORE_READERS", "2"))
COMMITS = int(os.environ.get("TERMNEST_STORE_COMMITS", "40"))
READER = """
import sys, termnest
reader = termnest.TermStore.open(sys.argv[1], readonly=True)
seen, questions, last = set(), 0, -1
print("ready", flush=True)
while last != int(sys.argv[2]):
    snapshot = reader.pin()
    terms = list(snapshot)
    [number] = {term.split()[1] for term in terms}
    assert len(terms) == 8 and snapshot.super_terms(number) == terms, terms
    assert [match.term for match in snapshot.find(", ".join(terms))] == terms
    assert reader.count_super_terms("a") == 1
    assert int(number) >= last, (number, last)
    last = int(number)
    seen.add(number)
    questions += 5
print(len(seen), questions, flush=True)
"""


def test_readers_in_other_processes_see_whole_generations(store: TermStore, path: Path) -> None:
    # Each generation has terms that all end with its number.
    store.add_many([f"{letter} 0" for letter in "abcdefgh"])
    store.commit()
    arguments = [sys.executable, "-c", READER, str(path), str(COMMITS)]
    processes = [subprocess.Popen(arguments, stdout=subprocess.PIPE) for _ in range(READERS)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
    for number in range(1, COMMITS + 1):
        store.remove_many([f"{letter} {number - 1}" for letter in "abcdefgh"])
        store.add_many([f"{letter} {number}" for letter in "abcdefgh"])
        if number % 7 == 0:
            store.compact()
        else:
            store.commit()
    seen = questions = 0
    for process in processes:
        output, _ = process.communicate(timeout=600)
        assert process.returncode == 0
        counts = [int(count) for count in output.split()]
        assert counts[0] > 1
        seen, questions = seen + counts[0], questions + counts[1]
    if "TERMNEST_STORE_COMMITS" in os.environ:
        print(
            f"{READERS} readers and {COMMITS} commits: {questions} questions in {seen} "
            "generations, 0 mixed answers"
        )
