"""Work that may take long."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from termnest.server.http import Problem


class Heavy:
    """Threads for heavy questions, apart from those of the light ones, which so need not wait.

    A question that finds too many others waiting is refused at once.
    """

    def __init__(self, max_waiting: int) -> None:
        threads = cores()
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="termnest-heavy")
        self._places = threading.BoundedSemaphore(threads + max_waiting)

    async def do(self, work: Callable[..., bytes | None], *arguments: Any) -> bytes:
        """What the work gives, when its turn has come.

        Raises:
            Problem: Too many wait.
        """
        if not self._places.acquire(blocking=False):
            raise Problem(
                503,
                "too many heavy questions are waiting: ask again in a moment",
                [(b"retry-after", b"1")],
            )
        try:
            future = self._executor.submit(work, *arguments)
        except BaseException:
            self._places.release()
            raise
        # Not when the asker has gone: the thread works on.
        future.add_done_callback(lambda _: self._places.release())
        answer = await asyncio.wrap_future(future)
        assert answer is not None
        return answer


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
