"""Arrow batches: what Spark gives to a task, and takes from it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

Batches = Iterator[pa.RecordBatch]


def map_batches(
    frame: DataFrame, task: Callable[[Batches], Batches], schema: str | StructType
) -> DataFrame:
    """What a task makes of a data frame, partition by partition.

    If Spark runs on this machine, the task runs in the Python that runs now, which has termnest.
    Spark itself would take `python3` from the PATH, unless PYSPARK_PYTHON names another one.
    """
    # A session of Spark Connect has no context.
    context: Any = getattr(frame.sparkSession, "_sc", None)
    is_local = context is not None and context.master.startswith("local")
    if not is_local or "PYSPARK_PYTHON" in os.environ:
        return frame.mapInArrow(task, schema)
    chosen = context.pythonExec
    try:
        context.pythonExec = sys.executable
        return frame.mapInArrow(task, schema)
    finally:
        context.pythonExec = chosen


def batch_of(table: Any) -> pa.RecordBatch:
    """A table of the core as a batch."""
    batch = pa.RecordBatchReader.from_stream(table).read_next_batch()
    # All batches of a task must have the same schema, also in whether there may be nulls.
    return pa.RecordBatch.from_arrays(batch.columns, batch.schema.names)


def batch_of_blocks(**blocks: list[bytes]) -> pa.RecordBatch:
    """A row for each partition that a block is for: its number, and the blocks."""
    rows = [
        (partition, *row)
        for partition, row in enumerate(zip(*blocks.values(), strict=True))
        if any(row)
    ]
    partitions, *columns = zip(*rows, strict=True) if rows else ((), *((),) * len(blocks))
    arrays = [pa.array(partitions, pa.int32())]
    arrays += [pa.array(column, pa.binary()) for column in columns]
    return pa.RecordBatch.from_arrays(arrays, ["partition", *blocks])
