"""Metrics of a server, in the text format of Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

# Upper bounds of the buckets of the histogram, in seconds.
_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_STATUSES = (200, 204, 304, 400, 401, 403, 404, 405, 408, 413, 415, 421, 422, 500, 503)
_OTHER = "other"


class Metrics:
    """Requests by route and status, and how long they took.

    Each worker process counts in its own row of numbers. Rows that processes share are added up
    when one of them is asked.
    """

    def __init__(self, routes: Sequence[str], rows: Any = None, row: int = 0) -> None:
        self._routes = {route: number for number, route in enumerate([*routes, _OTHER])}
        self._statuses = {status: number for number, status in enumerate([*_STATUSES, 0])}
        # Each route has a counter per status, one per bucket, one above all buckets, and the sum
        # of seconds.
        self._stride = len(self._statuses) + len(_BUCKETS) + 2
        self._size = self._stride * len(self._routes)
        self._rows = rows if rows is not None else [0.0] * self._size
        self._first = row * self._size

    @classmethod
    def row_size(cls, routes: Sequence[str]) -> int:
        """The length of a worker's row."""
        return cls(routes)._size

    def note(self, route: str, status: int, seconds: float) -> None:
        """Counts a request."""
        rows = self._rows
        at = self._first + self._stride * self._routes.get(route, self._routes[_OTHER])
        rows[at + self._statuses.get(status, len(_STATUSES))] += 1
        at += len(self._statuses)
        bucket = bisect_left(_BUCKETS, seconds)
        rows[at + bucket] += 1
        rows[at + len(_BUCKETS) + 1] += seconds

    def text(self, facts: Mapping[str, float], version: str) -> str:
        """All metrics, and the facts of the index as gauges."""
        numbers = [sum(self._rows[i :: self._size]) for i in range(self._size)]
        requests, histogram = [], []
        for route, number in self._routes.items():
            at = number * self._stride
            for status, place in self._statuses.items():
                if numbers[at + place]:
                    labels = f'route="{route}",status="{status or _OTHER}"'
                    requests.append(
                        f"termnest_requests_total{{{labels}}} {numbers[at + place]:.0f}"
                    )
            at += len(self._statuses)
            counts = numbers[at : at + len(_BUCKETS) + 1]
            if any(counts):
                name, total = "termnest_request_seconds", 0.0
                for end, count in zip([*map(str, _BUCKETS), "+Inf"], counts, strict=True):
                    total += count
                    histogram.append(f'{name}_bucket{{route="{route}",le="{end}"}} {total:.0f}')
                histogram.append(f'{name}_sum{{route="{route}"}} {numbers[at + len(counts)]:.6f}')
                histogram.append(f'{name}_count{{route="{route}"}} {total:.0f}')
        lines = [
            "# HELP termnest_requests_total Requests by route and status.",
            "# TYPE termnest_requests_total counter",
            *requests,
            "# HELP termnest_request_seconds Time from the headers of a request to its answer.",
            "# TYPE termnest_request_seconds histogram",
            *histogram,
            "# HELP termnest_info The version of termnest.",
            "# TYPE termnest_info gauge",
            f'termnest_info{{version="{version}"}} 1',
        ]
        for name, fact in facts.items():
            lines.append(f"# TYPE termnest_index_{name} gauge")
            lines.append(f"termnest_index_{name} {fact:.0f}")
        return "\n".join(lines) + "\n"
