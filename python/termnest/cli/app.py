"""The command line: the commands, and `main`, which runs them.

Answers go to standard output, everything else to standard error. Exit codes: 0 found, 1 nothing
found, 2 bad usage or input, 3 a damaged index.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from termnest import __version__
from termnest.cli import errors
from termnest.cli.demo import demo
from termnest.cli.exit_codes import BAD_INPUT, FOUND, INTERRUPTED
from termnest.cli.extract import extract
from termnest.cli.options import examples
from termnest.cli.questions import complete, expand, find, nested, show, super_
from termnest.cli.replace import replace
from termnest.cli.reproduce import reproduce
from termnest.cli.serve import serve
from termnest.cli.signals import Terminated
from termnest.cli.store import add, compact, remove
from termnest.cli.tree import tree
from termnest.cli.vocabulary import build, check, info, pairs, variants
from termnest.errors import TermnestError

# The sections of `termnest --help`.
_SECTIONS = {
    "Ask about a phrase or a text": [super_, nested, find, replace, complete, expand, show],
    "Vocabularies and their indexes": [build, info, check, pairs, variants, tree],
    "Vocabularies that change": [add, remove, compact],
    "From texts to terms": [extract],
    "More": [serve, demo, reproduce],
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code."""
    _open_streams()
    try:
        result = cli.main(args=argv, prog_name="termnest", standalone_mode=False)
        sys.stdout.flush()
    except Terminated as ended:
        return 128 + ended.number
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except SystemExit:
        # Click ends this way when the reader of a pipe has closed it.
        return FOUND
    except BrokenPipeError:
        # The reader of our answers has closed the pipe, as `head` does: that is not an error.
        _drop_unprinted()
        return FOUND
    except (click.ClickException, TermnestError) as error:
        return errors.show(error)
    except OSError as error:
        errors.show(error)
        _drop_unprinted()
        return BAD_INPUT
    return result if isinstance(result, int) else FOUND


def _open_streams() -> None:
    # A command may run with its output closed: it does its work and prints nothing.
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        # With PYTHONUNBUFFERED: a raw file may write only a part, without an error.
        sys.stdout = open(  # noqa: SIM115
            sys.stdout.fileno(),
            "w",
            encoding=sys.stdout.encoding,
            errors=sys.stdout.errors,
            closefd=False,
        )


def _drop_unprinted() -> None:
    """Otherwise Python would try to print it at exit, fail, and set its own exit code."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Commands(click.Group):
    """The group of all commands, listed in sections."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the sections, each with its commands in the order given."""
        width = max(map(len, self.commands))
        for title, commands in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (f"{command.name:{width}}", command.get_short_help_str(formatter.width))
                        for command in commands
                    ]
                )


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=examples(
        "termnest demo",
        'termnest super terms.txt "machine learning"',
        "termnest build terms.txt",
        "termnest find terms.nest article.txt",
    ),
)
@click.version_option(__version__, prog_name="termnest")
def cli() -> None:
    """Which terms of a vocabulary contain a phrase, and which does it contain?

    INDEX is a vocabulary, or an index that `termnest build` made from one. The answers are the
    same; an index opens at once, however large it is. INDEX may also be a store, a folder to which
    `termnest add` adds terms.

    A vocabulary is a text file with one term per line, a table (.tsv, .csv, .parquet) or JSON Lines
    (.jsonl). Files may be compressed (.gz, .zst); - is standard input. The columns of a table are
    found by their header (`term`, and `weight` or `frequency`), or named with --column and
    --weight-column.

    Answers go to standard output. Exit codes: 0 found, 1 nothing found, 2 bad usage or input,
    3 damaged index.

    `termnest COMMAND --help` describes a command and its options.
    """


for _commands in _SECTIONS.values():
    for _command in _commands:
        cli.add_command(_command)
