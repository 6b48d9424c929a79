"""Shared by the test files: running a function in a process of its own, and asking everything."""

import multiprocessing
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, get_args

import pytest

from oracle import Overlaps, Where
from termnest import Column, Matches, Stats, Table, TermIndex, TermnestError
from termnest.shipped import character_names

P = ParamSpec("P")
T = TypeVar("T")

# The folder of the project.
ROOT = Path(__file__).parent.parent
MAGIC = b"\x89NEST\r\n\x1a"
WHERES: tuple[Where, ...] = get_args(Where)
OVERLAPS: tuple[Overlaps, ...] = get_args(Overlaps)


# The files and folders whose tests take longest. One worker runs all tests of a file, so these come
# first: at the end the other workers would wait for them.
SLOWEST = ("integrations", "serving", "answers/test_scale.py", "answers/test_properties.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def place(item: pytest.Item) -> int:
        folders = [path for path in SLOWEST if item.path.is_relative_to(ROOT / "tests" / path)]
        return SLOWEST.index(folders[0]) if folders else len(SLOWEST)

    items.sort(key=place)


def apart(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls a function of a test file in a new process, and returns its result.

    A crash, or no end within a minute, fails the test and not the whole run. The function may also
    change its process in ways that would disturb other tests.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_call, args=(sender, function, args, kwargs))
    process.start()
    sender.close()
    try:
        if not receiver.poll(60):
            pytest.fail("the process did not end within a minute")
        result, problem = receiver.recv()
    except EOFError:
        process.join()
        pytest.fail(f"the process ended without an answer, exit code {process.exitcode}")
    finally:
        process.kill()
        process.join()
        receiver.close()
    if problem:
        pytest.fail(problem)
    answer: T = result
    return answer


def _call(
    sender: Connection,
    function: Callable[..., object],
    args: tuple[object, ...],
    kwargs: dict[str, object],
) -> None:
    try:
        answer = (function(*args, **kwargs), "")
    except BaseException:
        answer = (None, traceback.format_exc())
    sender.send(answer)


def run_module(
    *arguments: str | Path, input: bytes = b"", cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Runs `python -m termnest`."""
    command = [sys.executable, "-m", "termnest", *map(str, arguments)]
    return subprocess.run(
        command, input=input, capture_output=True, timeout=60, cwd=cwd, check=False
    )


def ask_all(index: TermIndex, phrases: Sequence[str], text: str) -> list[tuple[str, object]]:
    """The answers to every question about an index; an error of ours is an answer too."""
    answers: list[tuple[str, object]] = []

    def ask(question: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        try:
            answer = question(*args, **kwargs)
            if isinstance(answer, Matches | map):
                answer = list(answer)
            elif isinstance(answer, Table):
                answer = answer.to_pylist()
            elif isinstance(answer, Column):
                answer = answer.to_list()
        except TermnestError as error:
            answer = type(error)
        answers.append((question.__name__, answer))

    def facts() -> Stats:
        # The place of the index in memory is not an answer.
        return index.stats(pairs=True)._replace(memory_bytes=0)

    ask(index.__iter__)
    ask(facts)
    ask(index.ids, phrases)
    ask(index.super_terms_batch, phrases, limit=3, offset=1)
    ask(index.nested_terms_batch, phrases)
    for name in (*index.columns, "id"):
        ask(index.column, name)
        ask(index.find, text, columns=[name])
    for direct in (False, True):
        ask(index.pairs, direct=direct)
    for overlaps in OVERLAPS:
        ask(index.find, text, overlaps=overlaps)
    for question, sort in product(("super", "nested"), ("weight", "left", "length")):
        ask(index.json.batch, question, phrases, sort=sort, limit=5)
    for phrase in phrases:
        ask(index.json.term, phrase)
        ask(index.json.complete, phrase[:-1], limit=5)
        ask(index.json.expansions, phrase, side="left", limit=5)
        ask(index.weight, phrase)
        ask(index.complete, phrase)
        ask(index.complete, phrase[:-1])
        ask(index.count_super_terms, phrase, max_extra=1)
        ask(index.count_nested_terms, phrase)
        for where, direct in product(WHERES, (False, True)):
            ask(index.super_terms, phrase, where=where, direct=direct)
            ask(index.nested_terms, phrase, where=where, direct=direct)
    return answers


@cache
def unicode_names() -> list[str]:
    """The names of all characters, without the tens of thousands that are numbered."""
    return character_names()
