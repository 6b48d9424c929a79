"""`python -m termnest.spark pairs IN OUT`, also for spark-submit.

Everything but Spark's log goes to standard error, in sentences. Exit codes: 0 done, 2 bad usage or
input, or a job that failed.
"""

# spark-submit adds the folder of this file to the import path: no module in it may have the name of
# one in the standard library.

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any, get_args

import click

from termnest.errors import InvalidOptionError, TermnestError
from termnest.options import Tokenizer
from termnest.spark.session import check_packages

DONE, FAILED, INTERRUPTED = 0, 2, 130


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
        click.echo(f"termnest: {error.worded(option=_option_name)}", err=True)
        return FAILED
    return DONE


def _option_name(argument: str) -> str:
    """The option of the command for an argument of `containment_pairs`."""
    name = {"term": "column", "id": "id-column"}.get(argument, argument)
    return f"--{name.replace('_', '-')}"


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def cli() -> None:
    """Containment on Apache Spark."""


@cli.command()
@click.argument("input", metavar="IN")
@click.argument("output", metavar="OUT")
@click.option(
    "--format",
    type=click.Choice(["text", "csv", "tsv", "parquet"]),
    help="The format of IN; by default from the ending of its name, else text. Text has one term "
    "per line. The first row of CSV and TSV is a header if it has `term` or `keyword`, or if a "
    "column is named.",
)
@click.option("--column", help="The column of the terms. Default: `term`, `keyword`, or the first.")
@click.option("--id-column", help="The column of their ids. Default: the terms are their own ids.")
@click.option(
    "--separator", metavar="TEXT", help="Split terms at TEXT: with _, New_York is two words."
)
@click.option(
    "--tokenizer",
    type=click.Choice(get_args(Tokenizer)),
    help="Split into words as in running text (text), at white space, at every word boundary of "
    "Unicode (words), or into characters. Default: text; with --separator, whitespace.",
)
@click.option("--lowercase", is_flag=True, help="Match in lower case.")
@click.option("--strip-accents", is_flag=True, help="Match without accents.")
@click.option("--fold", is_flag=True, help="Match words however they are written.")
@click.option("--language", metavar="CODE", help="Match the stems of words: en for English.")
@click.option(
    "--hyphens",
    type=click.Choice(["keep", "split"]),
    help="The hyphen in e-mail separates two words (split), or is a part of the word (keep).  "
    "[default: split]",
)
@click.option(
    "--partitions",
    type=click.IntRange(min=1),
    help="The number of partitions of the vocabulary. Default: one for every 64 MB.",
)
@click.option("--overwrite", is_flag=True, help="Replace OUT if it exists.")
@click.option(
    "--spark-log",
    type=click.Choice(["OFF", "ERROR", "WARN", "INFO"]),
    default="OFF",
    help="The level of Spark's log on the driver.",
)
def pairs(
    input: str,
    output: str,
    format: str | None,
    column: str | None,
    id_column: str | None,
    partitions: int | None,
    overwrite: bool,
    spark_log: str,
    **analysis: Any,
) -> None:
    """Write every (nested, super) pair of the vocabulary IN to the Parquet folder OUT.

    IN and OUT are anything that Spark reads and writes: files, folders, hdfs://, s3a://. IN may
    have the wildcards *, ?, [] and {}. Fields of CSV may be quoted, but must not contain line ends.
    The columns of OUT are nested, super and start.

    OUT is written under another name and renamed when it is complete. An object store cannot
    rename; there, OUT is complete when it has the file _SUCCESS.

    \b
    Examples:
      python -m termnest.spark pairs terms.txt pairs.parquet --lowercase
      spark-submit --master yarn PATH/termnest/spark/__main__.py pairs hdfs:///terms hdfs:///pairs
    """
    # Slow imports, which --help does not need.
    from pyspark.sql import Observation
    from pyspark.sql import functions as F  # noqa: N812, its usual name

    from termnest.spark.executor_errors import in_one_sentence
    from termnest.spark.join import AnalysisOptions, Join
    from termnest.spark.output_folder import OutputFolder
    from termnest.spark.session import command_session
    from termnest.spark.term_filter import FILTER_BYTES
    from termnest.spark.vocabulary_files import read_vocabulary

    started = time.monotonic()
    options: AnalysisOptions = {**analysis, "case": None, "normalize": None}  # type: ignore[typeddict-item]
    with command_session(spark_log) as spark:
        target = OutputFolder(spark, output)
        if target.exists() and not overwrite:
            raise InvalidOptionError(f"{output} exists: choose another name, or use --overwrite")
        with in_one_sentence(f"read {input}"):
            vocabulary, term = read_vocabulary(spark, input, format, column, id_column)
            say(f"reading {input}")
            join = Join(vocabulary, term, id_column, None, options, partitions, FILTER_BYTES)
        say(
            f"{join.entries:,} entries, {join.skipped:,} without a token; making the pairs in "
            f"{join.partitions:,} partitions"
        )
        counted = Observation()
        pairs = join.with_ids(join.pairs(), "nested", "super")
        found = pairs.observe(counted, F.count(F.lit(1)).alias("pairs"))
        with in_one_sentence(f"write {output}"), target.replaced(overwrite) as path:
            found.write.mode("overwrite").parquet(path)
        seconds = time.monotonic() - started
        say(f"{counted.get['pairs']:,} pairs in {seconds:.1f} s: {output}")


def say(sentence: str) -> None:
    """Reports the progress on standard error."""
    click.echo(f"termnest: {sentence}", err=True)


if __name__ == "__main__":
    sys.exit(main())
