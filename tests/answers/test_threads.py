"""Threads, forks and Ctrl-C: an index is shared freely, and long work lets others work."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest

from conftest import apart, ask_all, unicode_names
from termnest import TermIndex

PHRASES = ["GREEK SMALL LETTER ALPHA", "LETTER", "WITH TONOS AND", "SMALL LETTER", "NO SUCH NAME"]
TEXT = " and then ".join(unicode_names()[::500])


def ask(index: TermIndex) -> list[tuple[str, object]]:
    return ask_all(index, PHRASES, TEXT)


def first_four(token: str) -> str:
    return token[:4]


@pytest.mark.parametrize("normalize", [None, first_four])
def test_eight_threads_get_the_answers_of_one(
    normalize: Callable[[str], str] | None,
) -> None:
    index = TermIndex(unicode_names(), normalize=normalize)
    right = ask(TermIndex(unicode_names(), normalize=normalize))
    at_once = threading.Barrier(8)

    def ask_with_the_others() -> bool:
        at_once.wait(60)
        return all(ask(index) == right for _ in range(2))

    with ThreadPoolExecutor(8) as threads:
        answers = [threads.submit(ask_with_the_others) for _ in range(8)]
        assert all(answer.result() for answer in answers)


def test_threads_may_build_open_and_check_at_once(tmp_path: Path) -> None:
    path = tmp_path / "names.nest"
    names = unicode_names()[:5_000]
    TermIndex(names).save(path)
    right = ask(TermIndex(names))

    def work(number: int) -> bool:
        index = TermIndex.open(path, mmap=number % 2 == 0) if number % 4 else TermIndex(names)
        index.check()
        index.save(path)
        return ask(index) == right

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(work, range(16)))
    assert [neighbour.name for neighbour in tmp_path.iterdir()] == ["names.nest"]


# The interpreter's lock.


@contextmanager
def ticking() -> Iterator[Callable[[], int]]:
    """Starts a thread that counts whenever it gets the lock; yields a function with the count.

    Python never takes the lock from the thread that has it, as the switch interval is very long. So
    the count grows only while the other thread releases the lock itself.
    """
    interval = sys.getswitchinterval()
    count = 0
    ended = False

    def tick() -> None:
        nonlocal count
        while not ended:
            count += 1
            time.sleep(0)

    ticker = threading.Thread(target=tick)
    sys.setswitchinterval(1_000)
    ticker.start()
    try:
        yield lambda: count
    finally:
        ended = True
        sys.setswitchinterval(interval)
        ticker.join()


LETTERS = [f"{first}{second}" for first in "abcdefgh" for second in "abcdefgh"]
MANY_TERMS = [" ".join(words) for words in product(LETTERS, repeat=3)]


def calls_that_take_long(folder: Path) -> dict[str, Callable[[], object]]:
    index = TermIndex([*MANY_TERMS, *LETTERS])
    path = folder / "many.nest"
    index.save(path)
    vocabulary = folder / "many.txt"
    vocabulary.write_text("\n".join(MANY_TERMS))
    text = " ".join(MANY_TERMS)
    return {
        "build": lambda: TermIndex(MANY_TERMS),
        "from_file": lambda: TermIndex.from_file(vocabulary),
        "save": lambda: index.save(path),
        "open": lambda: TermIndex.open(path, mmap=False),
        "check": index.check,
        "super_terms_batch": lambda: index.super_terms_batch(LETTERS),
        "nested_terms_batch": lambda: index.nested_terms_batch(MANY_TERMS),
        "find": lambda: index.find(text),
        "pairs": index.pairs,
    }


def test_another_thread_makes_progress_during_every_call_that_takes_long(tmp_path: Path) -> None:
    calls = calls_that_take_long(tmp_path)
    with ticking() as count:

        def lets_others_work(call: Callable[[], object]) -> bool:
            before = count()
            call()
            return count() > before

        # On a busy machine the other thread may miss its chance, but not a hundred times.
        stood_still = [
            name
            for name, call in calls.items()
            if not any(lets_others_work(call) for _ in range(100))
        ]
    assert stood_still == []


def test_the_counting_thread_counts_only_while_the_lock_is_released() -> None:
    with ticking() as count:
        before = count()
        assert sum(range(1_000_000)) > 0
        assert count() == before


# Forks.


def ask_in_forks(path: Path) -> int:
    """The exit code of a forked process that asks everything of an index from before the fork."""
    built = TermIndex(unicode_names(), threads=2)
    built.save(path)
    opened = TermIndex.open(path)
    right = ask(built)
    child = os.fork()
    if child == 0:
        same = ask(built) == ask(opened) == ask(TermIndex.open(path)) == right
        same = same and ask(TermIndex(unicode_names())) == right
        os._exit(0 if same else 1)
    ends = time.monotonic() + 50
    while time.monotonic() < ends:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise TimeoutError("the forked process did not end")


def test_a_forked_process_gets_the_same_answers(tmp_path: Path) -> None:
    assert apart(ask_in_forks, tmp_path / "names.nest") == 0


# Ctrl-C.

BUILD_OF_A_LIST = """
from itertools import product
from termnest import TermIndex
words = [f"word{number}" for number in range(150)]
terms = [" ".join(three) for three in product(words, repeat=3)]
print("building", flush=True)
TermIndex(terms)
print("built", flush=True)
"""

# Prints "building" during the build.
BUILD_OF_A_FILE = """
import sys
from termnest import TermIndex
stages = []
def progress(stage, done):
    if not stages:
        stages.append(stage)
        print("building", flush=True)
TermIndex.from_file(sys.argv[1], progress=progress)
print("built", flush=True)
"""

# As slow as a lemmatizer may be; prints the number of its calls.
BUILD_WITH_SLOW_NORMALIZE = """
import time
from termnest import TermIndex
calls = 0
def slow(token):
    global calls
    if calls == 0:
        print("building", flush=True)
    calls += 1
    time.sleep(0.01)
    return token
try:
    TermIndex(map(str, range(1_000_000)), normalize=slow, threads=1)
finally:
    print(calls, flush=True)
"""


def interrupt(program: str, *arguments: str | Path) -> str:
    """What a program prints after it has printed "building" and was then interrupted."""
    with subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "building\n"
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert "KeyboardInterrupt" in errors
    assert "panicked" not in errors
    assert process.returncode == -signal.SIGINT
    return output


def test_ctrl_c_ends_a_long_build_of_a_list() -> None:
    assert interrupt(BUILD_OF_A_LIST) == ""


def test_ctrl_c_ends_a_long_build_of_a_file(tmp_path: Path) -> None:
    words = [f"word{number}" for number in range(150)]
    path = tmp_path / "terms.txt"
    path.write_text("\n".join(map(" ".join, product(words, repeat=3))))
    assert interrupt(BUILD_OF_A_FILE, path) == ""


def test_ctrl_c_ends_a_build_with_a_slow_normalize_before_many_more_calls() -> None:
    assert int(interrupt(BUILD_WITH_SLOW_NORMALIZE)) < 500


def test_a_normalize_function_is_called_by_one_thread_at_a_time() -> None:
    busy: list[str] = []
    clashes: list[str] = []

    def stem(token: str) -> str:
        clashes.extend(busy)
        busy.append(token)
        time.sleep(0)  # lets other threads run
        busy.remove(token)
        return token.rstrip("s")

    terms = [f"cell{i}s x{i}" for i in range(300)]
    index = TermIndex(terms, normalize=stem)
    text = " ".join(f"cell{i} x{i}s" for i in range(300)) + " y" * 70_000
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: len(index.find(text)), range(4)))
        tables = list(
            pool.map(lambda _: len(index.super_terms_batch(text.split()[:600])), range(4))
        )
    assert found == [300] * 4
    assert tables == [600] * 4
    assert not clashes


def test_a_normalize_function_may_query_its_own_index() -> None:
    indexes: list[TermIndex] = []

    def stem(token: str) -> str:
        if indexes and token == "cells":
            return indexes[0].super_terms("cell")[0].split()[0]
        return token

    indexes.append(TermIndex(["stem cell", "cells"], normalize=stem))
    assert indexes[0].super_terms("cells") == []
    assert indexes[0].super_terms("cell") == ["stem cell"]
