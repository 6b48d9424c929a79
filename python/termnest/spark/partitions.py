"""Which partition Spark sends a row to, and in which order a task gets its rows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def partition_keys(partitions: int) -> list[int]:
    """For each partition, a number that Spark's `repartition` sends to it and to no other one.

    Spark chooses the partition of a row by the hash of a column. Counted from 0, some numbers would
    share a partition while other partitions stayed empty.

    `DataFrame.repartitionById` takes the number of a partition itself, but only Spark 4.1 and later
    have it, and 4.0 is supported. When it no longer is, this function can go.
    """
    keys: dict[int, int] = {}
    key = 0
    while len(keys) < partitions:
        keys.setdefault(_spark_hash(key) % partitions, key)
        key += 1
    return [keys[partition] for partition in range(partitions)]


def _spark_hash(number: int) -> int:
    """The hash of an int in Spark, the function `hash` of its SQL: MurmurHash3 with seed 42."""
    mask = 0xFFFFFFFF
    key = number * 0xCC9E2D51 & mask
    key = (key << 15 | key >> 17) * 0x1B873593 & mask
    hash = 42 ^ key
    hash = ((hash << 13 | hash >> 19) * 5 + 0xE6546B64) & mask
    hash ^= 4
    hash = (hash ^ hash >> 16) * 0x85EBCA6B & mask
    hash = (hash ^ hash >> 13) * 0xC2B2AE35 & mask
    hash ^= hash >> 16
    return hash - (1 << 32) if hash >> 31 else hash


def has_stable_order(frame: DataFrame) -> bool:
    """Whether a task that is repeated gets its rows in the same order again.

    It does if they come from files without an exchange. Of other sources nothing is known.
    """
    plan = frame._jdf.queryExecution().executedPlan().toString()
    scans = set(re.findall(r"\w*Scan\b", plan))
    return scans <= {"FileScan", "LocalTableScan"} and "Exchange" not in plan
