"""The progress bar: on a terminal, for work that takes long."""

import os
import sys
from collections.abc import Callable
from typing import Any

import pytest

from command_line import Ran, Run, run_fixture  # noqa: F401  (fixtures)
from termnest import TermIndex
from termnest.cli.progress import Show, progress_bar, progress_lines


class Terminal:
    """A bar on a terminal of 80 columns, and what it shows."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]
    ) -> None:
        self.now = 0.0
        self._monkeypatch = monkeypatch
        self._capture = capture
        self._bar = progress_bar()
        self._show: Show | None = None

    def __call__(self, seconds: float, work: str, share: float | None) -> str:
        """What it shows after some seconds."""
        if self._show is None:
            # Not before: pytest gives each phase of a test another stream.
            self._monkeypatch.setattr("time.monotonic", lambda: self.now)
            self._monkeypatch.setattr(
                "shutil.get_terminal_size", lambda: os.terminal_size((80, 24))
            )
            self._monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
            self._show = self._bar.__enter__()
        assert self._show is not None
        self.now = seconds
        self._show(work, share)
        return self._capture.readouterr().err.removeprefix("\r\x1b[K")


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    """A bar that starts when it is first called."""
    return Terminal(monkeypatch, capsys)


def test_work_of_half_a_second_shows_no_bar(shown: Terminal) -> None:
    assert shown(0.4, "sorting", 0.9) == ""


def test_the_bar_has_the_work_its_share_and_the_time_left(shown: Terminal) -> None:
    bar = "[###############               ]  50%"
    assert shown(30, "sorting", 0.5) == f"{'sorting':22} {bar} 30 s left"
    assert shown(45, "sorting", 0.75).endswith(" 75% 15 s left")


def test_the_time_left_is_that_of_the_work_being_done(shown: Terminal) -> None:
    shown(60, "reading", 0.9)
    assert shown(100, "sorting", 0.0).endswith("  0%")
    assert shown(110, "sorting", 0.5).endswith(" 50% 10 s left")


def test_work_of_unknown_length_shows_no_bar(shown: Terminal) -> None:
    assert shown(1, "counting candidates", None) == f"{'counting candidates':22}"


def test_the_bar_fits_on_one_line(shown: Terminal) -> None:
    assert len(shown(1, "work of a very long name " * 4, 0.5)) == 79


def test_without_a_terminal_there_is_no_bar_but_a_log_can_name_the_work(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with progress_bar() as show:
        assert show is None
    log = progress_lines()
    for share in (0.0, 0.5):
        log("indexing", share)
    log("asking", 0.6)
    assert capsys.readouterr().err == "indexing\nasking\n"


def test_a_build_shows_a_bar_on_a_terminal_and_erases_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    build: Callable[..., TermIndex] = TermIndex.from_file

    def with_progress(path: Any, *, progress: Any, **options: Any) -> TermIndex:
        if progress is not None:
            progress("sorting suffixes", 0.5)
        return build(path, **options)

    times = iter(range(1_000))
    monkeypatch.setattr("time.monotonic", lambda: next(times))
    monkeypatch.setattr(TermIndex, "from_file", with_progress)
    assert run("super", "terms.txt", "city") == Ran(0, "new york city\n", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    ran = run("super", "terms.txt", "city")
    assert ran.out == "new york city\n"
    assert "sorting suffixes" in ran.err
    assert ran.err.endswith("\r\x1b[K")
