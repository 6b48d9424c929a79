"""The tables of the paper, measured again: reproduce."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from termnest.cli.errors import BadInput
from termnest.cli.exit_codes import exit_code
from termnest.cli.options import Command, Number, Seconds, examples
from termnest.cli.output import print_lines
from termnest.cli.progress import progress_bar, progress_lines


@click.command(
    cls=Command,
    epilog=examples(
        "termnest reproduce",
        "termnest reproduce Brown=brown.tsv WSJ=wsj.tsv --out results",
        "termnest reproduce w2v=w2v.txt.gz --separator _ --tables 1,3",
    ),
)
@click.argument("vocabularies", metavar="[NAME=PATH]...", nargs=-1)
@click.option("--separator", metavar="TEXT", help="Split terms at TEXT instead of white space.")
@click.option(
    "--tables",
    metavar="NUMBERS",
    default="1,2,3",
    show_default=True,
    help="The tables to measure, with commas in between.",
)
@click.option(
    "--out",
    metavar="DIR",
    help="Write Markdown, CSV and plots to the folder DIR, and replace those of an earlier run.  "
    "[default: print Markdown]",
)
@click.option(
    "--budget",
    type=Seconds(0.1),
    default=10.0,
    show_default=True,
    help="Time for one cell of a table, roughly; longer measurements are extrapolated.",
)
@click.option(
    "--sample",
    type=Number(1),
    default=1_000,
    show_default=True,
    help="Count visited nodes on N random terms.",
)
@click.option(
    "--check",
    type=Number(),
    default=1_000,
    show_default=True,
    help="Compare the answers of all systems on N random terms.",
)
def reproduce(
    vocabularies: tuple[str, ...],
    separator: str | None,
    tables: str,
    out: str | None,
    budget: float,
    sample: int,
    check: int,
) -> int:
    """Measure the tables of the paper on this machine.

    NAME=PATH is a vocabulary file. For the vocabularies of the paper (Brown, WSJ, SWBD, NYT, w2v),
    the published figures are shown next to the measured ones. Without any, two vocabularies that
    come with Python are used.

    The exit code is 1 if the systems disagree on an answer.
    """
    # Imported here, so that other commands start faster.
    from termnest import reproduce as measurements

    chosen = measurements.parse_tables(tables)
    given = [measurements.read(vocabulary, separator) for vocabulary in vocabularies]
    names = [vocabulary.name.lower() for vocabulary in given]
    if len(set(names)) < len(names):
        raise BadInput("two vocabularies have the same name: give NAME=PATH")
    if not given:
        if separator is not None:
            raise BadInput("--separator needs a vocabulary of your own: give NAME=PATH")
        given = measurements.shipped()
    if out is not None:
        if not out:
            raise BadInput("--out needs the name of a folder")
        measurements.check_folder(Path(out))
    with progress_bar() as progress:
        result = measurements.reproduce(
            given, chosen, budget, sample, check, progress or progress_lines()
        )
    # Without the folders of this machine: others read the record.
    shown = [f"{v.name}={Path(v.path).name}" for v in given if v.path]
    command = shlex.join(["termnest", "reproduce", *shown, *_given_options()])
    if out is None:
        print_lines([measurements.markdown(result, command).removesuffix("\n")])
        return exit_code(not any(result.disagreements.values()))
    written = measurements.write(result, Path(out), command)
    has_plots = any(path.suffix == ".png" for path in written)
    if not has_plots and chosen != [1]:  # table 1 has no plot
        click.echo("no plots: they need matplotlib (pip install 'termnest[plots]')", err=True)
    for path in written:
        click.echo(path, err=True)
    return exit_code(not any(result.disagreements.values()))


def _given_options() -> list[str]:
    """The options that this command was given, except the folder of its output."""
    context = click.get_current_context()
    found = []
    for option in context.command.params:
        name = option.name or ""
        given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if isinstance(option, click.Option) and given and name != "out":
            value = context.params[name]
            found += [option.opts[0], f"{value:g}" if isinstance(value, float) else str(value)]
    return found
