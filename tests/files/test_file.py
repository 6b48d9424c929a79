"""The index file: saved whole or not at all, and no damage ends in a crash or a wrong answer."""

import copy
import errno
import os
import pickle
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import MAGIC, apart, ask_all, unicode_names
from termnest import (
    DamagedIndexError,
    FileAccessError,
    IndexVersionError,
    InvalidOptionError,
    MissingFileError,
    NotAnIndexError,
    TermIndex,
    TermnestError,
)

# Small vocabularies that between them use every part of the file.
VOCABULARIES: dict[str, dict[str, Any]] = {
    "plain": {"terms": ["us", "us bank", "bank", "bank of us", "us bank of us", ""]},
    "weights and surfaces": {
        "terms": ["US", "us bank", "Bank", "bank of us", "us", "ÜS bank of US", "bank"],
        "weights": [3, 1, 2, 5, 0.5, 4, 1],
        "lowercase": True,
        "strip_accents": True,
    },
    "separator": {"terms": ["us", "us::bank", "bank", "bank::of::us"], "separator": "::"},
    "columns": {
        "terms": ["us", "us bank", "us", "bank of us", "bank", ""],
        "columns": {
            "label": [
                "a label that is repeated",
                None,
                "place",
                "",
                "a label that is repeated",
                None,
            ],
            "year": [1776, 9, -1, None, 2**62, 0],
            "rate": [0.5, None, 1e300, 2.0, -1.0, 0.0],
            "known": [True, False, None, True, False, True],
            "tags": [["x", "y"], [], ["x"], None, ["z"], ["w"]],
        },
        "ids": ["C2", "C1", "C10", "B", "", None],
    },
    "characters": {"terms": ["us", "bus", "bank", "a us bank"], "tokenizer": "chars"},
}
PHRASES = ["us", "US Bank", "us bank of us", "us::bank", "kangaroo"]
TEXT = "a us bank of us, or the ÜS::bank of\tus bus"

Open = Callable[[bytes, Path], TermIndex]


def ask(index: TermIndex) -> list[tuple[str, object]]:
    return ask_all(index, PHRASES, TEXT)


def build(vocabulary: str) -> TermIndex:
    return TermIndex(**VOCABULARIES[vocabulary])


@pytest.fixture(params=VOCABULARIES)
def vocabulary(request: pytest.FixtureRequest) -> str:
    """The name of a small vocabulary."""
    name: str = request.param
    return name


def content_of(index: TermIndex, folder: Path) -> bytes:
    """The bytes of the index as a file."""
    path = folder / "content.nest"
    index.save(path)
    content = path.read_bytes()
    path.unlink()
    return content


# The ways to open an index from bytes, each of which must withstand all.


def write_anew(content: bytes, path: Path) -> Path:
    # Some file systems wait for the disk when a file is written over.
    path.unlink(missing_ok=True)
    path.write_bytes(content)
    return path


def open_mapped(content: bytes, path: Path) -> TermIndex:
    return TermIndex.open(write_anew(content, path))


def open_read(content: bytes, path: Path) -> TermIndex:
    return TermIndex.open(write_anew(content, path), mmap=False)


def unpickle(content: bytes, path: Path) -> TermIndex:
    """What unpickling a built index does with its bytes."""
    restore, (index_class, _, normalize) = TermIndex(["a"]).__reduce__()
    index: TermIndex = restore(index_class, content, normalize)
    return index


WAYS: list[Open] = [open_mapped, open_read, unpickle]


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def way(request: pytest.FixtureRequest) -> Open:
    """A way to open an index from bytes."""
    function: Open = request.param
    return function


# Saving and opening.


def test_an_opened_index_is_sound_and_answers_like_the_built_one(
    vocabulary: str, way: Open, tmp_path: Path
) -> None:
    built = build(vocabulary)
    opened = way(content_of(built, tmp_path), tmp_path / "a.nest")
    opened.check()
    assert ask(opened) == ask(built)


def test_a_built_index_is_sound(vocabulary: str) -> None:
    build(vocabulary).check()


def test_the_facts_of_a_file_are_those_of_the_build(vocabulary: str, tmp_path: Path) -> None:
    path = tmp_path / "a.nest"
    built = build(vocabulary)
    built.save(path)
    facts = TermIndex.open(path).stats(pairs=True)
    assert facts._replace(memory_bytes=0) == built.stats(pairs=True)._replace(memory_bytes=0)
    assert facts.memory_bytes == 0
    assert facts.file_bytes == path.stat().st_size
    assert TermIndex.open(path, mmap=False).stats().memory_bytes > 0


def test_a_file_begins_with_the_magic_bytes_and_its_version(tmp_path: Path) -> None:
    content = content_of(TermIndex(["a"]), tmp_path)
    assert content.startswith(MAGIC)
    assert int.from_bytes(content[8:12], "little") >= 1


def test_an_opened_index_saves_the_same_bytes(vocabulary: str, way: Open, tmp_path: Path) -> None:
    content = content_of(build(vocabulary), tmp_path)
    assert content_of(way(content, tmp_path / "a.nest"), tmp_path) == content


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"lowercase": True, "weights": range(100, 100 + len(unicode_names()))},
        {"tokenizer": "words", "strip_accents": True},
        {"tokenizer": "chars"},
        {"separator": "-", "normalize": str.title},
    ],
    ids=lambda options: " ".join(options) or "default",
)
def test_the_same_vocabulary_gives_the_same_bytes_with_any_number_of_threads(
    options: dict[str, Any], tmp_path: Path
) -> None:
    contents = {
        content_of(TermIndex(unicode_names(), threads=threads, **options), tmp_path)
        for threads in (1, 2, 3)
    }
    assert len(contents) == 1


def test_a_list_and_a_file_of_the_same_terms_give_the_same_bytes(tmp_path: Path) -> None:
    names = unicode_names()
    path = tmp_path / "names.txt"
    path.write_text("\n".join(names), encoding="utf-8")
    contents = {
        content_of(TermIndex.from_file(path, threads=threads), tmp_path) for threads in (1, 3)
    }
    assert contents == {content_of(TermIndex(names), tmp_path)}


# Files that are no index, newer, cut or changed.


@pytest.mark.parametrize("content", [b"", b"\x89", MAGIC[:7], b"google\nllc\n", b"\0" * 4096])
def test_a_file_that_is_not_an_index_is_refused(content: bytes, way: Open, tmp_path: Path) -> None:
    with pytest.raises(NotAnIndexError, match="build one from a vocabulary"):
        way(content, tmp_path / "a.nest")


def test_a_message_about_a_file_names_it(tmp_path: Path) -> None:
    path = tmp_path / "a.nest"
    for content in (b"google", MAGIC):
        with pytest.raises(DamagedIndexError) as caught:
            open_mapped(content, path)
        assert str(path) in str(caught.value)


def test_an_index_of_a_newer_version_is_refused_with_its_version(
    vocabulary: str, way: Open, tmp_path: Path
) -> None:
    content = content_of(build(vocabulary), tmp_path)
    version = int.from_bytes(content[8:12], "little")
    for newer in (version + 1, version + 256, 2**32 - 1):
        newer_content = content[:8] + newer.to_bytes(4, "little") + content[12:]
        with pytest.raises(IndexVersionError, match=f"version {newer}.*newer termnest"):
            way(newer_content, tmp_path / "a.nest")


def test_an_index_of_an_older_version_is_to_be_built_again(tmp_path: Path) -> None:
    content = content_of(TermIndex(["a", "a b"]), tmp_path)
    for version in (1, 2, 3, 4):
        older = content[:8] + version.to_bytes(4, "little") + content[12:]
        with pytest.raises(
            IndexVersionError, match=rf"version {version}.*: build the index again$"
        ):
            TermIndex.open(write_anew(older, tmp_path / f"{version}.nest"))


def test_a_file_cut_at_any_length_is_refused(vocabulary: str, tmp_path: Path) -> None:
    content = content_of(build(vocabulary), tmp_path)
    for length in range(len(content)):
        with pytest.raises(DamagedIndexError) as caught:
            WAYS[length % len(WAYS)](content[:length], tmp_path / "a.nest")
        assert isinstance(caught.value, NotAnIndexError) == (length < len(MAGIC))


@pytest.mark.parametrize("more", [1, 3, 64, 4096])
def test_a_file_with_additional_bytes_is_refused(
    vocabulary: str, way: Open, more: int, tmp_path: Path
) -> None:
    content = content_of(build(vocabulary), tmp_path)
    for rest in (b"\0" * more, content[:more]):
        with pytest.raises(DamagedIndexError):
            way(content + rest, tmp_path / "a.nest")


def damaged(content: bytes) -> Iterator[tuple[str, bytes]]:
    """The file with every byte changed in turn, in several ways."""
    for place, byte in enumerate(content):
        for change in (byte ^ 0xFF, byte ^ 0x01):
            what = f"byte {place} of {len(content)} is {change:#04x} and not {byte:#04x}"
            yield what, content[:place] + bytes([change]) + content[place + 1 :]


def problems_with_changed_bytes(vocabulary: str, folder: Path) -> list[str]:
    """What is wrong with how the file of a vocabulary takes damage; nothing, if all is well."""
    right = build(vocabulary)
    right_answers = ask(right)
    problems = []
    for number, (damage, changed) in enumerate(damaged(content_of(right, folder))):
        try:
            index = WAYS[number % len(WAYS)](changed, folder / "a.nest")
            # Before the check answers may be wrong, but they are answers or errors of ours.
            answers = ask(index)
            index.check()
        except TermnestError:
            continue
        except BaseException as error:
            problems.append(f"{damage}: {error!r}")
            continue
        if answers != right_answers:
            problems.append(f"{damage}: wrong answers after a check")
    return problems


def test_a_changed_byte_gives_an_error_or_right_answers(vocabulary: str, tmp_path: Path) -> None:
    assert apart(problems_with_changed_bytes, vocabulary, tmp_path) == []


def test_a_changed_byte_is_found_by_the_check(tmp_path: Path) -> None:
    content = content_of(build("weights and surfaces"), tmp_path)
    unseen = []
    for damage, changed in damaged(content):
        try:
            unpickle(changed, tmp_path).check()
        except DamagedIndexError:
            continue
        unseen.append(damage)
    assert unseen == []


def problems_with_swapped_blocks(vocabulary: str, folder: Path, size: int) -> list[str]:
    """Larger damage: blocks that are zero, or exchanged."""
    content = content_of(build(vocabulary), folder)
    blocks = [content[at : at + size] for at in range(0, len(content), size)]
    problems = []
    for i in range(len(blocks)):
        for other in (b"\0" * size, b"\xff" * size, blocks[i - 1]):
            changed = b"".join([*blocks[:i], other, *blocks[i + 1 :]])[: len(content)]
            try:
                ask(unpickle(changed, folder))
            except TermnestError:
                pass
            except BaseException as error:
                problems.append(f"block {i} of {size} bytes is {other!r}: {error!r}")
    return problems


@pytest.mark.parametrize("size", [4, 64])
def test_a_changed_block_gives_an_error_or_any_answer(
    vocabulary: str, size: int, tmp_path: Path
) -> None:
    assert apart(problems_with_swapped_blocks, vocabulary, tmp_path, size) == []


# Saving goes wrong.


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """The file of an index, alone in a folder."""
    path = tmp_path / "folder" / "a.nest"
    path.parent.mkdir()
    TermIndex(["old", "old term"]).save(path)
    return path


def names_beside(path: Path) -> list[str]:
    return sorted(neighbour.name for neighbour in path.parent.iterdir())


def assert_unchanged(path: Path) -> None:
    """The old index is there, sound, and nothing beside it."""
    index = TermIndex.open(path)
    index.check()
    assert list(index) == ["old", "old term"]
    assert names_beside(path) == [path.name]


def save_without_rights(path: Path) -> tuple[int | None, Any, str]:
    index = TermIndex(["new"])
    os.chdir(path.parent)
    path.parent.chmod(0o555)
    if os.geteuid() == 0:
        os.setuid(65534)
    with pytest.raises(FileAccessError) as caught:
        index.save(path.name)
    return caught.value.errno, caught.value.filename, str(caught.value)


def test_saving_into_a_folder_without_the_right_to_is_an_error_and_the_old_file_stays(
    saved: Path,
) -> None:
    try:
        number, filename, message = apart(save_without_rights, saved)
    finally:
        saved.parent.chmod(0o755)
    assert (number, filename) == (errno.EACCES, saved.name)
    assert saved.name in message
    assert_unchanged(saved)


def save_with_little_room(path: Path, room: int) -> int | None:
    index = TermIndex(unicode_names())
    # Writing beyond this fails, as it does on a full disk.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    with pytest.raises(FileAccessError) as caught:
        index.save(path)
    return caught.value.errno


@pytest.mark.parametrize("room", [0, 100, 100_000])
def test_saving_without_room_is_an_error_and_the_old_file_stays(saved: Path, room: int) -> None:
    assert apart(save_with_little_room, saved, room) == errno.EFBIG
    assert_unchanged(saved)


def test_saving_onto_a_folder_is_an_error(saved: Path) -> None:
    with pytest.raises(FileAccessError) as caught:
        TermIndex(["new"]).save(saved.parent)
    assert caught.value.filename == str(saved.parent)
    assert_unchanged(saved)


def test_saving_onto_anything_but_a_regular_file_is_an_error(saved: Path) -> None:
    pipe = saved.parent.parent / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(FileAccessError, match="not a file"):
        TermIndex(["new"]).save(pipe)
    assert pipe.is_fifo()
    assert_unchanged(saved)


def test_saving_into_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "none" / "a.nest"
    with pytest.raises(MissingFileError) as caught:
        TermIndex(["new"]).save(path)
    assert caught.value.filename == str(path)
    assert str(path) in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "a\0b", "a" * 10_000, ".."])
def test_saving_under_a_name_that_no_file_can_have_is_an_error(
    name: str, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(saved.parent)
    with pytest.raises(FileAccessError):
        TermIndex(["new"]).save(name)
    assert_unchanged(saved)


# Saving goes well.


def test_saving_replaces_the_file_and_leaves_nothing_else(saved: Path) -> None:
    TermIndex(["new"]).save(str(saved))
    assert list(TermIndex.open(str(saved))) == ["new"]
    assert names_beside(saved) == ["a.nest"]


def test_a_file_may_have_the_longest_of_names(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 125 + ".nest")
    TermIndex(["new"]).save(path)
    assert list(TermIndex.open(path)) == ["new"]


def test_saving_to_a_relative_path_saves_in_the_working_folder(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(saved.parent)
    TermIndex(["new"]).save("a.nest")
    assert list(TermIndex.open(saved)) == ["new"]


def test_an_open_index_stays_as_it_is_when_its_file_is_replaced(saved: Path) -> None:
    old = TermIndex.open(saved)
    answers = ask(old)
    TermIndex(["new", "us bank"]).save(saved)
    assert ask(old) == answers
    old.check()
    assert list(TermIndex.open(saved)) == ["new", "us bank"]


def test_an_index_can_be_saved_over_its_own_file(saved: Path) -> None:
    index = TermIndex.open(saved)
    content = saved.read_bytes()
    index.save(saved)
    assert list(index) == ["old", "old term"]
    assert saved.read_bytes() == content
    assert_unchanged(saved)


def test_saving_through_a_link_replaces_what_it_points_to(saved: Path) -> None:
    link = saved.parent.parent / "link.nest"
    link.symlink_to(saved)
    TermIndex(["new"]).save(link)
    assert link.is_symlink()
    assert list(TermIndex.open(saved)) == ["new"]
    assert names_beside(saved) == ["a.nest"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_replaced_file_keeps_its_permissions(saved: Path, mode: int) -> None:
    saved.chmod(mode)
    TermIndex(["new"]).save(saved)
    assert saved.stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_file_has_the_permissions_that_all_new_files_have(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        TermIndex(["new"]).save(tmp_path / "a.nest")
    finally:
        os.umask(before)
    assert (tmp_path / "a.nest").stat().st_mode & 0o777 == 0o666 & ~mask


# Files that change in place.


def test_an_index_that_was_read_survives_what_happens_to_its_file(saved: Path) -> None:
    index = TermIndex.open(saved, mmap=False)
    for content in (b"\xff" * saved.stat().st_size, b""):
        saved.write_bytes(content)
        assert list(index) == ["old", "old term"]
        index.check()
    saved.unlink()
    assert index.super_terms("old") == ["old term"]


def test_a_mapped_file_that_is_cut_in_place_ends_no_more_than_the_process(saved: Path) -> None:
    program = """
import os, sys
from termnest import TermIndex
index = TermIndex.open(sys.argv[1])
os.truncate(sys.argv[1], 0)
list(index), index.super_terms("old")
"""
    ended = subprocess.run(
        [sys.executable, "-c", program, saved], timeout=60, capture_output=True, check=False
    )
    assert ended.returncode in (0, 1, -signal.SIGBUS, -signal.SIGSEGV)
    assert b"Panic" not in ended.stderr


# Pickles and other processes.


def test_a_built_index_pickles(vocabulary: str) -> None:
    index = build(vocabulary)
    copied = pickle.loads(pickle.dumps(index))
    assert copied.path is None
    assert ask(copied) == ask(index)
    copied.check()


@pytest.mark.parametrize("mmap", [True, False])
def test_an_opened_index_pickles_as_its_path(tmp_path: Path, mmap: bool) -> None:
    path = tmp_path / "names.nest"
    TermIndex(unicode_names()).save(path)
    index = TermIndex.open(path, mmap=mmap)
    pickled = pickle.dumps(index)
    assert len(pickled) < 1_000
    copied = pickle.loads(pickled)
    assert copied.path == path
    assert ask(copied) == ask(index)


def test_a_saved_index_pickles_as_its_new_path(tmp_path: Path) -> None:
    index = TermIndex(unicode_names())
    for name in ("one.nest", "two.nest"):
        index.save(tmp_path / name)
        pickled = pickle.dumps(index)
        assert len(pickled) < 1_000
        assert pickle.loads(pickled).path == tmp_path / name


def test_the_copy_of_an_index_that_was_read_was_read_too(saved: Path) -> None:
    copied = pickle.loads(pickle.dumps(TermIndex.open(saved, mmap=False)))
    saved.write_bytes(b"")
    assert list(copied) == ["old", "old term"]


def test_a_pickle_of_a_relative_path_finds_the_file_from_another_folder(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(saved.parent)
    pickled = pickle.dumps(TermIndex.open("a.nest"))
    monkeypatch.chdir(tmp_path)
    assert list(pickle.loads(pickled)) == ["old", "old term"]


def test_an_index_opened_by_a_relative_path_pickles_after_the_folder_has_changed(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(saved.parent)
    index = TermIndex.open("a.nest")
    monkeypatch.chdir(tmp_path)
    assert list(pickle.loads(pickle.dumps(index))) == ["old", "old term"]


def test_a_pickle_of_a_file_that_was_replaced_by_another_is_refused(saved: Path) -> None:
    pickled = pickle.dumps(TermIndex.open(saved))
    TermIndex(["new"]).save(saved)
    with pytest.raises(
        DamagedIndexError, match="has changed since the index was pickled"
    ) as caught:
        pickle.loads(pickled)
    assert str(saved) in str(caught.value)


def test_a_pickle_of_a_file_that_was_replaced_by_an_equal_one_is_accepted(saved: Path) -> None:
    pickled = pickle.dumps(TermIndex.open(saved))
    TermIndex(["old", "old term"]).save(saved)
    assert list(pickle.loads(pickled)) == ["old", "old term"]


def test_a_pickle_of_a_file_that_is_gone_is_a_missing_file(saved: Path) -> None:
    pickled = pickle.dumps(TermIndex.open(saved))
    saved.unlink()
    with pytest.raises(MissingFileError):
        pickle.loads(pickled)


@pytest.mark.parametrize("opened", [False, True])
def test_a_pickle_takes_its_normalize_function_along(tmp_path: Path, opened: bool) -> None:
    index = TermIndex(["New York", "york"], normalize=str.lower)
    if opened:
        index.save(tmp_path / "a.nest")
        index = TermIndex.open(tmp_path / "a.nest", normalize=str.lower)
    assert pickle.loads(pickle.dumps(index)).super_terms("YORK") == ["New York"]


class OwnIndex(TermIndex):
    """A class that a user made."""

    __slots__ = ()


def test_an_index_of_a_subclass_keeps_its_class(saved: Path, tmp_path: Path) -> None:
    terms = tmp_path / "terms.txt"
    terms.write_text("old\nold term\n")
    for index in (
        OwnIndex(["old", "old term"]),
        OwnIndex.from_file(terms),
        OwnIndex.load(terms),
        OwnIndex.load(saved),
        OwnIndex.open(saved),
        OwnIndex.from_bytes(saved.read_bytes()),
        OwnIndex(["new", "old", "old term"], weights=[0, 1, 1]).filtered(min_weight=1),
    ):
        copied = pickle.loads(pickle.dumps(index))
        assert type(copied) is type(index) is OwnIndex
        assert list(copied) == list(index) == ["old", "old term"]


def test_a_copy_is_the_index_itself(saved: Path) -> None:
    for index in (TermIndex(["a"]), TermIndex.open(saved)):
        assert copy.copy(index) is index
        assert copy.deepcopy([index])[0] is index


@pytest.mark.parametrize("opened", [False, True])
def test_an_index_can_be_sent_to_a_new_process(saved: Path, opened: bool) -> None:
    index = TermIndex.open(saved) if opened else build("weights and surfaces")
    assert apart(ask, index) == ask(index)


def test_normalize_is_asked_for_before_the_rest_of_the_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.nest"
    TermIndex(["a"], normalize=str.lower).save(path)
    for mmap in (True, False):
        with pytest.raises(InvalidOptionError, match="a normalize function"):
            TermIndex.open(path, mmap=mmap)
