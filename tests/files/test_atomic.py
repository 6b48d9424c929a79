"""Files that are written whole or not at all."""

import errno
import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from conftest import apart
from termnest import FileAccessError, MissingFileError, atomic
from termnest.atomic import atomic_write


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file, alone in a folder."""
    path = tmp_path / "folder" / "a.txt"
    path.parent.mkdir()
    path.write_bytes(b"old")
    return path


def assert_unchanged(path: Path) -> None:
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]


def test_the_file_is_replaced_after_everything_is_written(old: Path) -> None:
    with atomic_write(old) as file:
        file.write(b"new")
        file.flush()
        assert old.read_bytes() == b"old"
    assert old.read_bytes() == b"new"
    assert list(old.parent.iterdir()) == [old]


@pytest.mark.parametrize("problem", [ValueError, KeyboardInterrupt])
def test_an_error_while_writing_leaves_the_old_file(
    old: Path, problem: type[BaseException]
) -> None:
    def portions() -> Iterator[bytes]:
        yield b"new" * 1_000_000
        raise problem("on the way")

    with pytest.raises(problem, match="on the way"), atomic_write(old) as file:
        file.writelines(portions())
    assert_unchanged(old)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_before_the_first_byte_leaves_no_temporary_file(old: Path) -> None:
    """A signal may come between any two lines."""

    class EndError(Exception):
        pass

    def interrupted_at(line: int) -> bool:
        """Whether writing got as far as its line number `line`, and was interrupted there."""
        lines = count(1)

        def trace(frame: FrameType, event: str, _: object) -> Any:
            if frame.f_code.co_filename != atomic.__file__:
                return None
            if event == "line" and next(lines) == line:
                raise KeyboardInterrupt
            return trace

        writing = atomic_write(old)
        sys.settrace(trace)
        try:
            writing.__enter__()
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(None)
        with suppress(EndError):
            writing.__exit__(EndError, EndError(), None)
        return False

    lines = 0
    while interrupted_at(lines + 1):
        lines += 1
        assert_unchanged(old)
    assert lines > 10
    assert_unchanged(old)


def test_an_error_of_another_file_does_not_name_this_one(old: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught, atomic_write(old):
        (old.parent / "none").read_bytes()
    assert caught.value.filename == str(old.parent / "none")
    assert not isinstance(caught.value, FileAccessError)
    assert_unchanged(old)


def write_with_little_room(path: Path, size: int) -> tuple[int | None, str]:
    # Writing beyond this fails, as it does on a full disk.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    with pytest.raises(FileAccessError) as caught, atomic_write(path) as file:
        file.write(b"x" * size)
    return caught.value.errno, str(caught.value)


@pytest.mark.parametrize("size", [101, 10_000_000])
def test_a_full_disk_is_an_error_and_the_old_file_stays(old: Path, size: int) -> None:
    number, message = apart(write_with_little_room, old, size)
    assert number == errno.EFBIG
    assert message == f"cannot write {old}: File too large"
    assert_unchanged(old)


def write_without_rights(path: Path) -> tuple[int | None, str]:
    os.chdir(path.parent)
    path.parent.chmod(0o555)
    if os.geteuid() == 0:
        os.setuid(65534)
    with pytest.raises(FileAccessError) as caught, atomic_write(path.name):
        pass
    return caught.value.errno, caught.value.filename


def test_a_folder_without_the_right_to_write_is_an_error(old: Path) -> None:
    try:
        assert apart(write_without_rights, old) == (errno.EACCES, old.name)
    finally:
        old.parent.chmod(0o755)
    assert_unchanged(old)


def test_a_folder_is_not_replaced(old: Path) -> None:
    with pytest.raises(FileAccessError, match="it is a folder"), atomic_write(old.parent):
        pass
    assert_unchanged(old)


def test_only_a_regular_file_is_replaced(old: Path) -> None:
    pipe = old.parent.parent / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(FileAccessError, match="not a file"), atomic_write(pipe):
        pass
    assert pipe.is_fifo()


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "none" / "a.txt"
    with pytest.raises(MissingFileError) as caught, atomic_write(path):
        pass
    assert str(caught.value) == f"cannot write {path}: there is no folder {path.parent}"
    assert caught.value.filename == str(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "a\0b", "a" * 10_000, ".."])
def test_a_name_that_no_file_can_have_is_an_error(
    name: str, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(old.parent)
    with pytest.raises(FileAccessError), atomic_write(name):
        pass
    assert_unchanged(old)


def test_a_link_stays_and_what_it_points_to_is_replaced(old: Path) -> None:
    link = old.parent.parent / "link"
    link.symlink_to(old)
    with atomic_write(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert old.read_bytes() == b"new"


def test_permissions_stay_those_of_the_old_file_or_are_those_of_new_files(old: Path) -> None:
    old.chmod(0o640)
    new = old.parent / "new"
    before = os.umask(0o027)
    try:
        for path in (old, new):
            with atomic_write(path) as file:
                file.write(b"new")
    finally:
        os.umask(before)
    assert old.stat().st_mode & 0o777 == 0o640
    assert new.stat().st_mode & 0o777 == 0o640


def test_two_files_of_one_folder_are_written_at_once(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "a") as a, atomic_write(tmp_path / "b") as b:
        a.write(b"a")
        b.write(b"b")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"a", "b": b"b"}
