"""All pairs on a Spark cluster of two executor processes, one of which is killed half way.

    python tests/spark_cluster.py VOCABULARY OUT

Run by tests/test_spark.py in a process of its own: a process has one Spark context. Prints how many
executors were killed and how many stages of the job had begun by then.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

from termnest.spark import containment_pairs


def executors() -> list[int]:
    """The process ids of the executors that this process has started, by way of others."""
    parents: dict[int, int] = {}
    found = []
    for folder in Path("/proc").iterdir():
        try:
            pid = int(folder.name)
            parents[pid] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if b"CoarseGrainedExecutorBackend" in (folder / "cmdline").read_bytes():
                found.append(pid)
        except (ValueError, OSError):
            continue  # no process, or one that has ended

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


def main() -> None:
    """Runs the job, and kills an executor when its second stage has begun."""
    vocabulary, out = sys.argv[1:]
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    spark = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "OFF")
        .getOrCreate()
    )
    context = spark.sparkContext
    terms = spark.read.text(vocabulary).withColumnRenamed("value", "term").repartition(4)
    pairs = containment_pairs(terms, parts=4)
    context.setJobGroup("pairs", "the job in which an executor is killed")
    tracker = context.statusTracker()
    killed: list[tuple[int, int]] = []
    done = threading.Event()

    def kill() -> None:
        while not done.is_set():
            begun = set()
            for job in tracker.getJobIdsForGroup("pairs"):
                info = tracker.getJobInfo(job)
                for stage in info.stageIds if info else []:
                    facts = tracker.getStageInfo(stage)
                    if facts and (facts.numActiveTasks or facts.numCompletedTasks):
                        begun.add(stage)
            running = executors()
            if len(begun) >= 2 and len(running) >= 2:
                os.kill(running[0], signal.SIGKILL)
                killed.append((running[0], len(begun)))
                return
            time.sleep(0.01)

    killer = threading.Thread(target=kill)
    killer.start()
    pairs.write.parquet(out)
    done.set()
    killer.join()
    print(len(killed), killed[0][1] if killed else 0)
    spark.stop()


if __name__ == "__main__":
    main()
