"""What a Python worker of Spark keeps between its tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# Objects that are cached, the oldest dropped first: three for each of the last jobs. The largest is
# the filter, 256 MB at most by default.
_SIZE = 8
_cache: dict[Any, Any] = {}


def cached(key: Any, make: Callable[[], Any]) -> Any:
    """The object of this key, made by the first task of this worker that needs it."""
    if key not in _cache:
        while len(_cache) >= _SIZE:
            del _cache[next(iter(_cache))]
        _cache[key] = make()
    return _cache[key]
