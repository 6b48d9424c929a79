"""`python -m termnest.spark pairs IN OUT`, also for spark-submit.

Everything but what Spark logs goes to standard error in sentences. Exit codes: 0 done, 2 bad usage
or input, or a job that failed.
"""

from __future__ import annotations

import os
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from termnest.errors import FileAccessError, InvalidOptionError, MissingExtraError, TermnestError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DONE, FAILED, INTERRUPTED = 0, 2, 130

# A folder there cannot be renamed in one step: it would be copied, file after file.
_OBJECT_STORES = {"s3", "s3a", "s3n", "gs", "wasb", "wasbs", "oss", "cos", "cosn", "obs"}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code."""
    try:
        cli.main(args=argv, prog_name="python -m termnest.spark", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except TermnestError as error:
        click.echo(f"termnest: {error}", err=True)
        return FAILED
    return DONE


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def cli() -> None:
    """Containment on Apache Spark."""


@cli.command()
@click.argument("input", metavar="IN")
@click.argument("output", metavar="OUT")
@click.option(
    "--format",
    type=click.Choice(["text", "csv", "tsv", "parquet"]),
    help="What IN holds, if its name does not tell: text has a term a line, CSV and TSV a header.",
)
@click.option("--column", help="The column of the terms: `term`, or the first one.")
@click.option("--id-column", help="The column of their ids; without it terms stand for themselves.")
@click.option("--separator", metavar="TEXT", help="Split terms at TEXT, not at white space.")
@click.option(
    "--tokenizer",
    type=click.Choice(["whitespace", "words", "chars"]),
    default="whitespace",
    help="Split at white space, into words (punctuation dropped), or into characters.",
)
@click.option("--lowercase", is_flag=True, help="Match in lower case.")
@click.option("--strip-accents", is_flag=True, help="Match without accents.")
@click.option("--parts", type=click.IntRange(min=1), help="Deal the vocabulary into so many parts.")
@click.option("--overwrite", is_flag=True, help="Replace OUT if it exists.")
@click.option(
    "--spark-log",
    type=click.Choice(["OFF", "ERROR", "WARN", "INFO"]),
    default="OFF",
    help="What Spark logs on the driver.",
)
def pairs(
    input: str,
    output: str,
    format: str | None,
    column: str | None,
    id_column: str | None,
    parts: int | None,
    overwrite: bool,
    spark_log: str,
    **analysis: Any,
) -> None:
    """Write every (nested, super) pair of the vocabulary IN to the Parquet folder OUT.

    IN and OUT are whatever Spark reads and writes: files, folders, hdfs://, s3a://. The columns are
    nested, super and start.

    OUT is written beside its place and renamed when all of it is there. On an object store, which
    cannot rename, it is written in place; it is complete when it holds the file _SUCCESS.

    \b
    Examples:
      python -m termnest.spark pairs terms.txt pairs.parquet --lowercase
      spark-submit --master yarn PATH/termnest/spark/__main__.py pairs hdfs:///terms hdfs:///pairs
    """
    from pyspark.sql import Observation
    from pyspark.sql import functions as F  # noqa: N812

    from termnest.index import _analysis
    from termnest.spark.pairs import FILTER_BYTES, Join

    started = time.monotonic()
    with _session(spark_log) as spark:
        target = _Folder(spark, output)
        if target.exists() and not overwrite:
            raise InvalidOptionError(f"{output} exists: give another name, or --overwrite")
        with _one_sentence(f"read {input}"):
            vocabulary, term = _read(spark, input, format, column)
            settings = _analysis(**analysis, normalize=None, threads=1)
            say(f"reading {input}")
            join = Join(vocabulary, term, id_column, None, settings, parts, FILTER_BYTES)
        say(
            f"{join.count:,} entries, {join.skipped:,} without a token; making the pairs in "
            f"{len(join.parts):,} parts"
        )
        counted = Observation()
        found = join.pairs().observe(counted, F.count(F.lit(1)).alias("pairs"))
        with _one_sentence(f"write {output}"), target.replaced(overwrite) as place:
            found.write.mode("overwrite").parquet(place)
        seconds = time.monotonic() - started
        say(f"{counted.get['pairs']:,} pairs in {seconds:.1f} s: {output}")


def say(sentence: str) -> None:
    """Tells how far we are."""
    click.echo(f"termnest: {sentence}", err=True)


@contextmanager
def _session(log_level: str) -> Iterator[SparkSession]:
    """The session that spark-submit gives, or one on this machine."""
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession

    # Executors on this machine use this Python, which has termnest.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    progress = "true" if sys.stderr.isatty() else "false"
    running = SparkSession.getActiveSession()
    builder = SparkSession.builder.appName("termnest pairs")
    builder = builder.config("spark.log.level", log_level)
    builder = builder.config("spark.ui.showConsoleProgress", progress)
    try:
        spark = builder.getOrCreate()
    except PySparkRuntimeError as error:
        if "JAVA" not in (error.getCondition() or ""):
            raise
        raise MissingExtraError(
            "Spark needs Java 17 or newer, and none was started: install it, or set JAVA_HOME to "
            "where it is"
        ) from error
    try:
        yield spark
    finally:
        if running is None:
            spark.stop()


@contextmanager
def _one_sentence(doing: str) -> Iterator[None]:
    """What Spark says of a failure in pages, in a sentence."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    from termnest.spark.session import unwrapped

    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        ours = unwrapped(error)
        if ours is not None:
            raise ours from error
        first = next((line for line in str(error).splitlines() if line.strip()), "")
        raise FileAccessError(
            f"cannot {doing}: {first.strip()} (--spark-log ERROR tells more)"
        ) from error


def _read(
    spark: SparkSession, path: str, format: str | None, column: str | None
) -> tuple[DataFrame, str]:
    """The vocabulary, and the name of the column of its terms."""
    from pyspark.sql import functions as F  # noqa: N812

    name = path.rstrip("/").removesuffix(".gz").removesuffix(".bz2")
    ending = name.rpartition(".")[2]
    if format is None:
        format = ending if ending in ("csv", "tsv", "parquet") else "text"
    if format == "text":
        if column not in (None, "term"):
            raise InvalidOptionError(f"{path} is text, which has no column {column!r}")
        # A line ends at LF or CRLF, as everywhere in termnest; Spark would also take CR alone.
        lines = spark.read.text(path, lineSep="\n")
        line = F.expr(r"if(endswith(value, '\r'), left(value, length(value) - 1), value)")
        return lines.select(line.alias("term")), "term"
    if format == "parquet":
        frame = spark.read.parquet(path)
    else:
        separator = "\t" if format == "tsv" else ","
        quote = "" if format == "tsv" else '"'
        frame = spark.read.csv(path, header=True, sep=separator, quote=quote, escape='"')
    if column is None:
        column = "term" if "term" in frame.columns else (frame.columns or ["term"])[0]
    return frame, column


class _Folder:
    """A folder of any file system that Spark knows."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        context = spark.sparkContext
        jvm: Any = context._jvm
        self.name = path.rstrip("/")
        self._path_class = jvm.org.apache.hadoop.fs.Path
        self._path = self._path_class(self.name)
        with _one_sentence(f"write {path}"):
            self._system = self._path.getFileSystem(context._jsc.hadoopConfiguration())
        self._scheme = self._system.getUri().getScheme()

    def exists(self) -> bool:
        """Whether there is anything of this name."""
        return bool(self._system.exists(self._path))

    @contextmanager
    def replaced(self, overwrite: bool) -> Iterator[str]:
        """Where to write what takes the folder's place when all of it is there.

        What stood there before is removed at the last moment.
        """
        if self._scheme in _OBJECT_STORES:
            place = self.name
        else:
            parent, _, last = self.name.rpartition("/")
            place = f"{parent}/" if parent or self.name.startswith("/") else ""
            place += f".termnest-{uuid.uuid4().hex}-{last}"
        beside = self._path_class(place)
        try:
            yield place
            if place != self.name:
                if self.exists():
                    if not overwrite:
                        raise FileAccessError(f"cannot write {self.name}: it exists by now")
                    self._system.delete(self._path, True)
                if not self._system.rename(beside, self._path):
                    raise FileAccessError(f"cannot rename {place} to {self.name}")
        except BaseException:
            self._system.delete(beside, True)
            raise


if __name__ == "__main__":
    sys.exit(main())
