"""How errors are worded for the command line: what was wrong, with the value, and what to do."""

from __future__ import annotations

from difflib import get_close_matches
from shlex import quote
from typing import Any

import click

from termnest.cli.exit_codes import BAD_INPUT, DAMAGED_INDEX
from termnest.cli.output import printable
from termnest.errors import DamagedIndexError, IndexVersionError, TermnestError

# What `termnest` alone raises to show its help; Click before 8.2 shows it without an error.
_NO_COMMAND = getattr(click.exceptions, "NoArgsIsHelpError", ())
_NEAR = 0.8
"""How similar an option must be to a wrong one to be suggested."""


class BadInput(click.ClickException):
    """A command cannot use its input; the message says what to do instead."""

    exit_code = BAD_INPUT


class BadValue(click.BadParameter):
    """An option or argument has a value that it cannot have."""

    def __init__(
        self,
        value: Any,
        expected: str,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> None:
        super().__init__(expected, ctx, param)
        self.value = value
        self.expected = expected


def show(error: click.ClickException | TermnestError | OSError) -> int:
    """Prints an error and returns the exit code of the command."""
    if isinstance(error, click.UsageError) and isinstance(error, _NO_COMMAND):
        error.show()
        return BAD_INPUT
    lines = [printable(line) for line in _sentence(error).split("\n")]
    click.echo("termnest: " + "\n".join(lines), err=True)
    if isinstance(error, click.UsageError) and error.ctx is not None:
        click.echo(f"See '{error.ctx.command_path} --help'.", err=True)
    damaged = isinstance(error, DamagedIndexError) and not isinstance(error, IndexVersionError)
    return DAMAGED_INDEX if damaged else BAD_INPUT


def _sentence(error: click.ClickException | TermnestError | OSError) -> str:
    if isinstance(error, TermnestError):
        # Its facts, with the option names of the command line.
        return error.worded(option=flag, setting=lambda name, value: f"{flag(name)} {quote(value)}")
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, BadValue) and error.param is not None:
        return f"{_shown(error.param)} cannot be {error.value!r}: {error.expected}"
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return f"{_shown(error.param)} is missing"
    if isinstance(error, click.NoSuchOption):
        name = error.option_name
        near = get_close_matches(name, error.possibilities or [], n=1, cutoff=_NEAR)
        return f"there is no option {name}" + "".join(f"; is {option} meant?" for option in near)
    message = error.format_message().rstrip(".")
    return message[:1].lower() + message[1:] if isinstance(error, click.UsageError) else message


def _shown(param: click.Parameter) -> str:
    """--limit for an option, INDEX for an argument."""
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return (param.metavar or str(param.name)).strip("[].")


def flag(name: str) -> str:
    """An option as the command line has it: --weight-column for weight_column."""
    return f"--{name.replace('_', '-')}"
