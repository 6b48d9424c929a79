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
from termnest.spark.session import check_packages

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DONE, FAILED, INTERRUPTED = 0, 2, 130

# A folder there cannot be renamed in one step: it would be copied, file after file.
_OBJECT_STORES = {"s3", "s3a", "s3n", "gs", "wasb", "wasbs", "oss", "cos", "cosn", "obs"}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code."""
    try:
        check_packages()
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
    help="What IN holds, if its name does not tell. Text has a term a line; the first row of CSV "
    "and TSV is a header if it has `term`, or if a column is given by name.",
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

    IN and OUT are whatever Spark reads and writes: files, folders, hdfs://, s3a://; IN may have the
    wildcards *, ?, [] and {}. A field of CSV may be quoted, but has no line end. The columns of OUT
    are nested, super and start.

    OUT is written beside its place and renamed when all of it is there. On an object store, which
    cannot rename, it is written in place; it is complete when it holds the file _SUCCESS.

    \b
    Examples:
      python -m termnest.spark pairs terms.txt pairs.parquet --lowercase
      spark-submit --master yarn PATH/termnest/spark/__main__.py pairs hdfs:///terms hdfs:///pairs
    """
    from pyspark.sql import Observation
    from pyspark.sql import functions as F  # noqa: N812

    from termnest.options import analysis_of
    from termnest.spark.pairs import FILTER_BYTES, Join

    started = time.monotonic()
    with _session(spark_log) as spark:
        target = _Folder(spark, output)
        if target.exists() and not overwrite:
            raise InvalidOptionError(f"{output} exists: give another name, or --overwrite")
        with _one_sentence(f"read {input}"):
            vocabulary, term = _read(spark, input, format, column, id_column)
            settings = analysis_of(**analysis, normalize=None, threads=1)
            say(f"reading {input}")
            join = Join(vocabulary, term, id_column, None, settings, parts, FILTER_BYTES)
        say(
            f"{join.count:,} entries, {join.skipped:,} without a token; making the pairs in "
            f"{len(join.parts):,} parts"
        )
        counted = Observation()
        pairs = join.with_ids(join.pairs(), "nested", "super")
        found = pairs.observe(counted, F.count(F.lit(1)).alias("pairs"))
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

    # Executors on this machine use this Python, which has termnest. spark-submit knows better.
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
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
        told = str(error)
        if isinstance(error, Py4JJavaError):
            # Its own first line names the call only.
            cause = error.java_exception
            while cause.getCause() is not None:
                cause = cause.getCause()
            told = str(cause.toString())
        first = next((line for line in told.splitlines() if line.strip()), "")
        raise FileAccessError(
            f"cannot {doing}: {first.strip()} (--spark-log ERROR tells more)"
        ) from error


def _read(
    spark: SparkSession, path: str, format: str | None, column: str | None, id_column: str | None
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
        quote = "" if format == "tsv" else '"'

        def read(separator: str, header: bool = True) -> DataFrame:
            return spark.read.csv(path, header=header, sep=separator, quote=quote, escape='"')

        def is_header(names: list[str]) -> bool:
            given = {name for name in (column, id_column) if name is not None}
            return any(name.lower() == "term" or name in given for name in names)

        # What is a header, and what separates columns, is told as by TermIndex.from_file.
        separator = "\t" if format == "tsv" else ","
        frame = read(separator)
        if format == "csv" and len(frame.columns) == 1 and is_header(frame.columns[0].split(";")):
            separator = ";"
            frame = read(separator)
        if column is None and id_column is None and not is_header(frame.columns):
            frame = read(separator, header=False)
    if column is None:
        names = [name for name in frame.columns if name.lower() == "term"]
        column = (names or frame.columns or ["term"])[0]
    return frame, column


class _Folder:
    """A folder of any file system that Spark knows."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        context = spark.sparkContext
        jvm: Any = context._jvm
        self.name = path.rstrip("/")
        self._path_class = jvm.org.apache.hadoop.fs.Path
        if not self.name:
            raise InvalidOptionError(f"{path!r} is no name of a folder to write")
        with _one_sentence(f"write {path}"):
            self._path = self._path_class(self.name)
            self._system = self._path.getFileSystem(context._jsc.hadoopConfiguration())
        self._scheme = self._system.getUri().getScheme()

    def exists(self) -> bool:
        """Whether there is anything of this name."""
        with _one_sentence(f"write {self.name}"):
            return bool(self._system.exists(self._path))

    @contextmanager
    def replaced(self, overwrite: bool) -> Iterator[str]:
        """Where to write what takes the folder's place when all of it is there.

        What stood there before is removed when that has taken its place.
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
                self._put(beside, self._path_class(f"{place}-before"), overwrite)
        except BaseException:
            self._system.delete(beside, True)
            raise

    def _put(self, new: Any, aside: Any, overwrite: bool) -> None:
        """Puts a folder into the place of this one, which stands aside until that is done."""
        exists = self.exists()
        if exists and not overwrite:
            raise FileAccessError(f"cannot write {self.name}: it exists by now")
        if exists and not self._system.rename(self._path, aside):
            raise FileAccessError(f"cannot replace {self.name}: it cannot be renamed")
        if not self._system.rename(new, self._path):
            back = exists and self._system.rename(aside, self._path)
            kept = f"; what was there is in {aside.toString()}" if exists and not back else ""
            raise FileAccessError(f"cannot rename {new.toString()} to {self.name}{kept}")
        if exists:
            self._system.delete(aside, True)


if __name__ == "__main__":
    sys.exit(main())
