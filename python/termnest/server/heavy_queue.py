"""The queue of heavy questions: threads of their own, and a limit to how many wait."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from termnest.server.http import Problem


class HeavyQueue:
    """Answers heavy questions on threads of their own, one for each core.

    Light questions do not wait for heavy ones. A heavy question that finds too many others waiting
    is refused at once.
    """

    def __init__(self, max_waiting: int) -> None:
        threads = cores()
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="termnest-heavy")
        # One place for each question that is being answered or waits.
        self._places = threading.BoundedSemaphore(threads + max_waiting)

    async def run(self, work: Callable[..., bytes | None], **arguments: Any) -> bytes:
        """The result of `work`, called on one of the threads.

        Raises:
            Problem: Too many questions are waiting.
        """
        if not self._places.acquire(blocking=False):
            raise Problem(
                503,
                "too many heavy questions are waiting: ask again in a moment",
                [(b"retry-after", b"1")],
            )
        try:
            future = self._executor.submit(work, **arguments)
        except BaseException:
            self._places.release()
            raise
        # The place is free when the thread has finished, which it does even if the client has left.
        future.add_done_callback(lambda _: self._places.release())
        answer = await asyncio.wrap_future(future)
        assert answer is not None
        return answer


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
