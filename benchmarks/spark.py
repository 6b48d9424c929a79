"""All pairs on Spark: against the plain SQL join, with a planted term, and by size.

    python benchmarks/spark.py race --vocabulary w2v.txt --separator _
    python benchmarks/spark.py skew
    python benchmarks/spark.py growth --sizes 100000,1000000,10000000

Each measurement has a process and a Spark session of its own. The clock starts after the session
has done a first job, with Python workers, and stops at the last pair. The pairs are made with all
their columns and not written.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from report import facts, number, write_csv, write_markdown
from run import say

HERE = Path(__file__).parent
TERMS = 1_000_000
PLANTED = "the"
COLUMNS = ["task", "engine", "terms", "pairs", "seconds", "notes"]


def session(master: str, events: str | None = None, connect: bool = False) -> Any:
    """A Spark session that has done a first job. The server of Spark Connect is in this process."""
    import pyspark
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)  # for executors of their own
    builder = (
        SparkSession.builder.master(master)
        .config("spark.driver.memory", "4g")
        .config("spark.sql.shuffle.partitions", "8")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "OFF")
    )
    if events is not None:
        builder = (
            builder.config("spark.eventLog.enabled", "true")
            .config("spark.eventLog.dir", events)
            .config("spark.eventLog.compress", "false")
            .config("spark.eventLog.rolling.enabled", "false")
        )
    if connect:
        from pyspark.sql.connect.session import SparkSession as Remote

        with socket.create_server(("localhost", 0)) as listening:
            port = listening.getsockname()[1]
        builder = builder.config("spark.plugins", "org.apache.spark.sql.connect.SparkConnectPlugin")
        builder.config("spark.connect.grpc.binding.port", port).getOrCreate()
        os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"
        spark: Any = Remote.builder.remote(f"sc://localhost:{port}").create()
    else:
        spark = builder.getOrCreate()
    spark.range(100, numPartitions=8).mapInArrow(lambda batches: batches, "id long").count()
    return spark


def read(spark: Any, path: str) -> Any:
    """A vocabulary with one term per line."""
    return spark.read.text(path, lineSep="\n").withColumnRenamed("value", "term")


def ours(terms: Any, separator: str | None) -> Any:
    """The pairs by termnest."""
    from termnest.spark import containment_pairs

    return containment_pairs(terms, separator=separator)


def plain_join(terms: Any, separator: str | None) -> Any:
    """The pairs by Spark SQL alone: all n-grams, joined with the terms, the first start of each."""
    from pyspark.sql import functions as F  # noqa: N812

    joiner = separator or " "
    pattern = r"\s+" if separator is None else f"\\Q{separator}\\E"
    split = F.filter(F.split("term", pattern), lambda token: token != "")
    tokens = terms.select(split.alias("tokens")).where("size(tokens) > 0").distinct()
    named = tokens.select(F.array_join("tokens", joiner).alias("nested"))
    ngrams = F.expr(
        "flatten(transform(sequence(1, size(tokens) - 1), length ->"
        " transform(sequence(0, size(tokens) - length), start ->"
        f" struct(array_join(slice(tokens, start + 1, length), '{joiner}') as nested, start))))"
    )
    exploded = tokens.where("size(tokens) > 1").select(
        F.array_join("tokens", joiner).alias("super"), F.explode(ngrams).alias("ngram")
    )
    return (
        exploded.select("ngram.nested", "super", "ngram.start")
        .join(named, "nested")
        .groupBy("nested", "super")
        .agg(F.min("start").alias("start"))
    )


CONNECT = "termnest over Spark Connect"
ENGINES: dict[str, Callable[[Any, str | None], Any]] = {
    "termnest": ours,
    CONNECT: ours,
    "plain join": plain_join,
}


def measure(options: argparse.Namespace) -> None:
    """Measures one engine with one vocabulary in this process, and prints the result as JSON."""
    from pyspark.sql import Observation
    from pyspark.sql import functions as F  # noqa: N812

    spark = session(options.master, options.events, options.engine == CONNECT)
    terms = read(spark, options.vocabulary)
    began, started = time.time(), time.perf_counter()
    counted = Observation()
    pairs = ENGINES[options.engine](terms, options.separator)
    pairs = pairs.observe(counted, F.count(F.lit(1)).alias("pairs"))
    pairs.write.format("noop").mode("overwrite").save()
    seconds = time.perf_counter() - started
    print(json.dumps({"pairs": counted.get["pairs"], "seconds": seconds, "began": began}))
    spark.stop()


def child(engine: str, vocabulary: Path, separator: str | None, **more: str) -> dict[str, Any]:
    """The result of `measure` in a process of its own."""
    command = [sys.executable, str(HERE / "spark.py"), "measure", "--engine", engine]
    command += ["--vocabulary", str(vocabulary)]
    if separator is not None:
        command += ["--separator", separator]
    for option, value in more.items():
        command += [f"--{option}", value]
    made = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    found: dict[str, Any] = json.loads(made.stdout)
    return found


def lines(path: Path) -> int:
    """The number of lines of a file."""
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


def race(options: argparse.Namespace) -> list[list[str]]:
    """The engines in turn, and the best time of each."""
    path = Path(options.vocabulary)
    best: dict[str, dict[str, Any]] = {}
    for _ in range(options.repeat):
        for engine in ENGINES:
            found = child(engine, path, options.separator, master=options.master)
            say(f"{engine}: {found}")
            if engine not in best or found["seconds"] < best[engine]["seconds"]:
                best[engine] = found
    if len({found["pairs"] for found in best.values()}) != 1:
        raise SystemExit(f"the engines do not agree: {best}")
    note = f"{options.master}, best of {options.repeat}"
    rows = []
    for engine, found in best.items():
        ratio = found["seconds"] / best["plain join"]["seconds"]
        notes = note if engine == "plain join" else f"{note}; {ratio:.2f} of the plain join"
        seconds = number(found["seconds"])
        rows.append(["race", engine, str(lines(path)), str(found["pairs"]), seconds, notes])
    return rows


def skew(options: argparse.Namespace) -> list[list[str]]:
    """A million terms, half of which contain the same term, on executors of 1 GB."""
    from vocabulary import synthetic

    rows = []
    with tempfile.TemporaryDirectory(dir=options.out) as folder:
        path = Path(folder) / "terms.txt"
        with path.open("w", encoding="utf-8") as file:
            file.write(f"{PLANTED}\n")
            for i, term in enumerate(synthetic(options.terms).terms()):
                file.write(f"{term} {PLANTED}\n" if i % 2 else f"{term}\n")
        events = Path(folder) / "events"
        events.mkdir()
        master = "local-cluster[2,1,1024]"
        found = child("termnest", path, None, master=master, events=str(events))
        worst = longest_over_median(events, found["began"])
    notes = f"{master}; the longest task of a stage is at most {worst:.1f} times the median"
    seconds = number(found["seconds"])
    rows.append(["skew", "termnest", str(options.terms), str(found["pairs"]), seconds, notes])
    return rows


def longest_over_median(events: Path, began: float) -> float:
    """The longest task of a stage over the median of its tasks, in the most uneven stage.

    Counts stages with four tasks or more that started after `began`.
    """
    times: dict[int, list[int]] = {}
    for log in events.iterdir():
        for line in log.read_text().splitlines():
            event = json.loads(line)
            task = event.get("Task Info")
            if event["Event"] == "SparkListenerTaskEnd" and task["Launch Time"] >= began * 1000:
                taken = task["Finish Time"] - task["Launch Time"]
                times.setdefault(event["Stage ID"], []).append(taken)
    worst = 0.0
    for stage, taken in sorted(times.items()):
        if len(taken) >= 4:
            median = statistics.median(taken)
            worst = max(worst, max(taken) / median)
            say(f"stage {stage}: {len(taken)} tasks, median {median:.0f} ms, longest {max(taken)}")
    return worst


def growth(options: argparse.Namespace) -> list[list[str]]:
    """Synthetic vocabularies of several sizes."""
    from vocabulary import synthetic

    rows = []
    for size in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory(dir=options.out) as folder:
            path = Path(folder) / "terms.txt"
            synthetic(size).write(path)
            found = child("termnest", path, None, master=options.master)
        say(f"{size:,}: {found}")
        seconds = number(found["seconds"])
        rows.append(["growth", "termnest", str(size), str(found["pairs"]), seconds, options.master])
    return rows


def main() -> None:
    """Reads the command line, measures, writes the report."""
    parser = argparse.ArgumentParser(description="all pairs on Spark")
    parser.add_argument("task", choices=["race", "skew", "growth", "measure"])
    parser.add_argument("--vocabulary")
    parser.add_argument("--separator")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--terms", type=int, default=TERMS, help="for skew")
    parser.add_argument("--sizes", default="100000,1000000,10000000", help="for growth")
    parser.add_argument("--out", type=Path, default=Path("target/bench"))
    parser.add_argument("--engine", default="termnest", help=argparse.SUPPRESS)
    parser.add_argument("--events", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.task == "measure":
        measure(options)
        return
    if options.task == "race" and options.vocabulary is None:
        parser.error("a race needs --vocabulary")
    options.out.mkdir(parents=True, exist_ok=True)
    rows = {"race": race, "skew": skew, "growth": growth}[options.task](options)
    about = facts(["spark.py", *sys.argv[1:]], {})
    name = f"spark-{options.task}"
    write_csv(options.out / f"{name}.csv", COLUMNS, rows, about)
    write_markdown(options.out / f"{name}.md", "All pairs on Spark", COLUMNS, rows, about)
    for row in rows:
        print(", ".join(row))


if __name__ == "__main__":
    main()
