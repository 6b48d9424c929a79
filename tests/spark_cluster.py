"""All pairs on a Spark cluster of two executor processes, one of which is killed on the way.

    python tests/spark_cluster.py VOCABULARY OUT

tests/integrations/test_spark_recovery.py runs it in a process of its own, since a process has only
one Spark context. Prints how many tasks of the last stage were done when an executor was killed,
and how many were not.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pyspark
from pyarrow import RecordBatch
from pyspark.sql import SparkSession

from termnest.spark import containment_pairs

PARTITIONS = 4
FAST_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def executors() -> list[int]:
    """The process ids of the executors, which are descendants of this process."""
    parents: dict[int, int] = {}
    found = []
    for folder in Path("/proc").iterdir():
        try:
            pid = int(folder.name)
            parents[pid] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if b"CoarseGrainedExecutorBackend" in (folder / "cmdline").read_bytes():
                found.append(pid)
        except (ValueError, OSError):
            continue  # not a process, or one that has ended

    def is_ours(pid: int) -> bool:
        while pid > 1:
            if pid == os.getpid():
                return True
            pid = parents.get(pid, 0)
        return False

    # Each is started by a shell, which shows the same command line for a moment.
    return [
        pid for pid in found if is_ours(pid) and Path(f"/proc/{pid}/exe").resolve().name == "java"
    ]


def slowly(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
    """The batches unchanged, with a pause, so that an executor can be killed while it works."""
    yield from batches
    time.sleep(0.3)


def main() -> None:
    """Runs the job, and kills an executor when a part of the result is written.

    Spark can no longer repeat the whole job then: what it makes again must equal what was there.
    """
    vocabulary, out = sys.argv[1:]
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    spark = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "OFF")
        # The virtual machines live for a few seconds: they compile fast, not well.
        .config("spark.driver.extraJavaOptions", FAST_START)
        .config("spark.executor.extraJavaOptions", FAST_START)
        # Queries of a few rows take longer to compile than to run.
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        # What the killed executor had is missed at once, not after three times five seconds.
        .config("spark.shuffle.io.maxRetries", "1")
        .config("spark.shuffle.io.retryWait", "100ms")
        # Several tasks in each stage.
        .config("spark.sql.files.maxPartitionBytes", "10000")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.adaptive.coalescePartitions.enabled", "false")
        .getOrCreate()
    )
    # After an exchange, so that rows come in another order when they are made again.
    terms = spark.read.text(vocabulary).withColumnRenamed("value", "term").distinct()
    pairs = containment_pairs(terms, partitions=PARTITIONS)
    pairs = pairs.mapInArrow(slowly, pairs.schema)
    killed: list[tuple[int, int]] = []
    done = threading.Event()

    def kill() -> None:
        while not done.is_set():
            # The committed output of a task, before the job moves it.
            written = len(list(Path(out).glob("_temporary/0/task_*")))
            if 0 < written < PARTITIONS:
                os.kill(executors()[0], signal.SIGKILL)
                killed.append((written, PARTITIONS - written))
                return
            time.sleep(0.005)

    killer = threading.Thread(target=kill)
    killer.start()
    pairs.write.parquet(out)
    done.set()
    killer.join()
    print(*killed[0])
    spark.stop()


if __name__ == "__main__":
    main()
