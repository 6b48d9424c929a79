"""The progress bar of every command that can take long."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import click

Show = Callable[[str, float | None], None]
"""Takes what is being done and the share of it that is done, from 0 to 1; None if unknown."""

_DELAY = 0.5
"""Seconds before the bar appears: most work is done sooner."""
_WIDTH = 30
"""Characters of the bar."""
_ENOUGH = 0.02
"""The share from which the time left is estimated; before it, the estimate jumps."""
_CLEAR = "\r\x1b[K"
"""To the start of the line, and erase it."""


class _Bar:
    def __init__(self) -> None:
        self.shown = False
        self._started = self._work_started = time.monotonic()
        self._share = 0.0

    def show(self, work: str, share: float | None) -> None:
        now = time.monotonic()
        # A share that falls belongs to new work, whose time is counted from here.
        if share is None or share < self._share:
            self._work_started = now
        self._share = share or 0.0
        if now - self._started < _DELAY:
            return
        self.shown = True
        bar = ""
        if share is not None:
            bar = f" [{'#' * round(share * _WIDTH):{_WIDTH}}] {share:4.0%}"
            if share > _ENOUGH:
                bar += f" {(now - self._work_started) * (1 - share) / share:,.0f} s left"
        # A line that wraps could not be erased.
        line = f"{work:22}{bar}"[: shutil.get_terminal_size().columns - 1]
        click.echo(f"{_CLEAR}{line}", nl=False, err=True)


@contextmanager
def progress_bar() -> Iterator[Show | None]:
    """A progress bar on a terminal, erased at the end; None elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = _Bar()
    try:
        yield bar.show
    finally:
        if bar.shown:
            with suppress(OSError):  # the terminal may have been closed
                click.echo(_CLEAR, nl=False, err=True)


def progress_lines() -> Show:
    """Progress where there is no terminal: one line for each piece of work."""
    last = ""

    def show(work: str, _share: float | None) -> None:
        nonlocal last
        if work != last:
            click.echo(work, err=True)
        last = work

    return show
