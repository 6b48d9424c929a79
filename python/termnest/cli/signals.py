"""Ending a command early, by Ctrl-C or a signal, with nothing half done left on the disk."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


class Terminated(BaseException):
    """The process was asked to end, by SIGTERM or SIGHUP."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def tidy_when_terminated() -> Iterator[None]:
    """Lets SIGTERM and SIGHUP end the work as Ctrl-C does, so that no half-written file is left."""
    ours = os.getpid()

    def end(number: int, _frame: object) -> None:
        if os.getpid() != ours:
            # A process of spaCy: it inherited this handler, and spaCy ends it by a signal.
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        # spaCy would warn that its processes are still running.
        warnings.simplefilter("ignore")
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise Terminated(number)

    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may handle signals
        return
    numbers = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP"):  # not on Windows
        numbers.append(signal.SIGHUP)
    # A signal that is ignored stays ignored: nohup lets the work go on when the terminal closes.
    before = {
        number: handler
        for number in numbers
        if (handler := signal.getsignal(number)) not in (None, signal.SIG_IGN)
    }
    for number in before:
        signal.signal(number, end)
    try:
        with warnings.catch_warnings():
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
