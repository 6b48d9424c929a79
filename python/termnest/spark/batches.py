"""Arrow batches: what Spark gives to a task, and takes from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

Batches = Iterator[pa.RecordBatch]


def batch_of(table: Any) -> pa.RecordBatch:
    """A table of the core as a batch."""
    batch = pa.RecordBatchReader.from_stream(table).read_next_batch()
    # All batches of a task must have the same schema, also in whether there may be nulls.
    return pa.RecordBatch.from_arrays(batch.columns, batch.schema.names)


def batch_of_blocks(
    partition_keys: list[int], blocks: list[bytes], kind: int | None = None
) -> pa.RecordBatch:
    """A row for each block that is not empty: the key of its partition, its kind, its bytes."""
    rows = [(key, block) for key, block in zip(partition_keys, blocks, strict=True) if block]
    columns = {"partition": pa.array([key for key, _ in rows], pa.int32())}
    if kind is not None:
        columns["kind"] = pa.array([kind] * len(rows), pa.int32())
    columns["block"] = pa.array([block for _, block in rows], pa.binary())
    return pa.RecordBatch.from_pydict(columns)


def blocks_in_order(batches: Batches) -> list[bytes]:
    """The blocks of a partition, always in the same order.

    They arrive in any order. But a task that is repeated, after an executor was lost, must make the
    same rows again: Spark compares them, and ends a job that would mix two different outputs. For
    the same reason the blocks themselves are made of rows in a stable order.
    """
    return sorted(block.as_py() for batch in batches for block in batch["block"])
