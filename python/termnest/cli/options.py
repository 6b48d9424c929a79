"""The options that several commands have, and how a command shows its options."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import click

from termnest.cli.errors import BadValue
from termnest.options import Case, Format, Hyphens, Tokenizer, Where

if TYPE_CHECKING:
    from termnest.index import TermIndex
    from termnest.snapshot import Snapshot

    # Click before 8.4 has no type parameters here.
    _IntType = click.ParamType[int]
    _FloatType = click.ParamType[float]
    _ColumnType = click.ParamType[str | int]
    _ChoiceType = click.Choice[str]
else:
    _IntType = _FloatType = _ColumnType = click.ParamType
    _ChoiceType = click.Choice

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Decorator = Callable[[_Command], _Command]


# --- values ---


class Number(_IntType):
    """A whole number."""

    name = "n"

    def __init__(self, least: int = 0, most: int | None = None) -> None:
        self.least = least
        self.most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number that a text is, if it is in the range."""
        number = _number(int, value)
        if number is None or number < self.least or (self.most is not None and number > self.most):
            some = f"{self.least} or more" if self.most is None else f"{self.least} to {self.most}"
            shown = value if number is None else number
            raise BadValue(shown, f"it must be a whole number, {some}", param, ctx)
        return number


class Seconds(_FloatType):
    """A time in seconds."""

    name = "seconds"

    def __init__(self, least: float, most: float | None = None) -> None:
        self.least = least
        self.most = most

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number that a text is, if it is in the range; "nan" and "inf" never are."""
        seconds = _number(float, value)
        most = math.inf if self.most is None else self.most
        if seconds is None or not self.least <= seconds <= most or math.isinf(seconds):
            some = f"{self.least:g} or more" if self.most is None else f"{self.least:g} to {most:g}"
            shown = value if seconds is None else seconds
            raise BadValue(shown, f"it must be a number of seconds, {some}", param, ctx)
        return seconds


class Choice(_ChoiceType):
    """One of several words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word, if it is one of them."""
        if value not in self.choices:
            *first, last = map(repr, self.choices)
            either = f"{', '.join(first)} or {last}" if first else last
            raise BadValue(value, f"it must be {either}", param, ctx)
        word: str = value
        return word


class Column(_ColumnType):
    """A column of a table: its name, or its number from 0."""

    name = "column"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | int:
        """A number if the text is one, else a name."""
        return int(value) if str(value).isdecimal() else str(value)


_Kind = TypeVar("_Kind", int, float)


def _number(kind: Callable[[Any], _Kind], value: Any) -> _Kind | None:
    try:
        return kind(value)
    except ValueError:
        return None


# --- help ---


class VocabularyOption(click.Option):
    """An option that says how a vocabulary is read; an index has it stored."""


class Command(click.Command):
    """A command whose help describes INDEX, and shows the options of a vocabulary last."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the text of the command, and what INDEX is."""
        super().format_help_text(ctx, formatter)
        # `check` takes a saved index only.
        if self.name != "check" and any(param.name == "index" for param in self.params):
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(
                    "INDEX is a vocabulary, a saved index or a store: see `termnest --help`."
                )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the sections."""
        own: list[tuple[str, str]] = []
        of_vocabularies: list[tuple[str, str]] = []
        for param in self.get_params(ctx):
            # Click before 8.4 has no help for arguments; the text of the command describes them.
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)):
                of_vocabulary = isinstance(param, VocabularyOption)
                (of_vocabularies if of_vocabulary else own).append(record)
        with formatter.section("Options"):
            formatter.write_dl(own)
        if of_vocabularies:
            title = "Reading a vocabulary"
            if self.name != "build":
                title += " (if INDEX is a saved index, leave these out)"
            with formatter.section(title):
                formatter.write_dl(of_vocabularies)


def examples(*lines: str) -> str:
    """The end of a help text. Click does not wrap a paragraph that starts with \\b."""
    return "\n".join(["Examples:", "", "\b", *(f"  {line}" for line in lines)])


# --- options ---


def all_of(*decorators: Callable[[Any], Any]) -> Callable[[_Command], _Command]:
    """Several options as one decorator, in this order."""

    def decorate(command: _Command) -> _Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


def _vocabulary_option(*names: str, **settings: Any) -> Callable[[Any], Any]:
    return click.option(*names, cls=VocabularyOption, **settings)


def _names(
    context: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> list[str] | Literal[True] | None:
    """The names in comma-separated lists; True for all columns."""
    names = [name for value in values for name in value.split(",") if name]
    return True if names == ["*"] else names or None


vocabulary_options = all_of(
    _vocabulary_option(
        "--separator",
        metavar="TEXT",
        help="Split terms at TEXT: with _, New_York is two words.",
    ),
    _vocabulary_option(
        "--tokenizer",
        type=Choice(get_args(Tokenizer)),
        help="Split into words as in running text (text), at white space, at every word boundary "
        "of Unicode (words), or into characters.  [default: text; with --separator, whitespace]",
    ),
    _vocabulary_option(
        "--lowercase", is_flag=True, help="Ignore upper and lower case: York matches york."
    ),
    _vocabulary_option(
        "--strip-accents", is_flag=True, help="Ignore accents: caf\u00e9 matches cafe."
    ),
    _vocabulary_option(
        "--fold",
        is_flag=True,
        help="Ignore how words are written: capitals, ligatures, kinds of apostrophes and dashes, "
        "soft hyphens, possessive 's.",
    ),
    _vocabulary_option(
        "--language",
        metavar="CODE",
        help="Match the stems of words, in English with en: stem cells matches stem cell. Includes "
        "--fold.",
    ),
    _vocabulary_option(
        "--hyphens",
        type=Choice(get_args(Hyphens)),
        help="The hyphen in e-mail separates two words (split), is a part of the word (keep), or "
        "separates them, and email matches too (both).  [default: split]",
    ),
    _vocabulary_option(
        "--case",
        type=Choice(get_args(Case)),
        help="smart: a word that a term has in capitals (IT, WHO) matches only capitals; with "
        "--fold, --language or --lowercase.",
    ),
    _vocabulary_option(
        "--aliases",
        metavar="FILE",
        help="Other names of terms: a TSV, CSV or JSON Lines file with the columns term and alias.",
    ),
    _vocabulary_option(
        "--format",
        type=Choice(get_args(Format)),
        help="The format of the vocabulary, if the name of the file does not show it.",
    ),
    _vocabulary_option(
        "--column", type=Column(), help="The column of the terms: its name, or its number from 0."
    ),
    _vocabulary_option(
        "--weight-column",
        type=Column(),
        help="The column of the weights, for instance frequencies; answers are ordered by weight.",
    ),
    _vocabulary_option(
        "--columns",
        multiple=True,
        metavar="NAMES",
        callback=_names,
        help="Columns of the vocabulary that the index stores, with commas in between; * for all. "
        "Answers have them with --show.",
    ),
    _vocabulary_option(
        "--id-column",
        type=Column(),
        help="The column of your own ids, which are then shown instead of numbers.",
    ),
    _vocabulary_option(
        "--errors",
        type=Choice(["strict", "replace"]),
        help="Bytes that are not UTF-8: stop with an error (strict), or put U+FFFD in their place "
        "(replace).  [default: strict]",
    ),
    _vocabulary_option(
        "--threads", type=Number(1), help="Threads that build the index.  [default: one per core]"
    ),
)

show_option = click.option(
    "--show",
    multiple=True,
    metavar="NAMES",
    callback=_names,
    help="Also print these columns of the index, with commas in between; * for all.",
)
index_argument = click.argument("index", metavar="INDEX")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON Lines.")
direct_option = click.option(
    "--direct",
    is_flag=True,
    help="Only the closest answers, with no other term in between, as new york is between york and "
    "new york city.",
)
length_options = all_of(
    click.option("--min-length", type=Number(), help="Only terms of N words or more."),
    click.option("--max-length", type=Number(), help="Only terms of N words or fewer."),
)
limit_options = all_of(
    click.option("--limit", type=Number(), help="Show at most N answers per phrase."),
    click.option(
        "--offset", type=Number(), default=0, help="Skip the first N answers of each phrase."
    ),
)
count_option = click.option(
    "--count", is_flag=True, help="Print the number of answers instead of the answers."
)


def where_option(shorter: str, longer: str) -> Callable[[_Command], _Command]:
    """Where the shorter of a term and a phrase must be in the longer."""
    return click.option(
        "--where",
        type=Choice(get_args(Where)),
        default="anywhere",
        show_default=True,
        help=f"Where {shorter} must occur in {longer}: anywhere, at its start, at its end, or "
        "inside (touching neither end).",
    )


def sort_option(*orders: str, help: str) -> Callable[[_Command], _Command]:
    """The order of the answers."""
    return click.option(
        "--sort", type=Choice(orders), default=orders[0], show_default=True, help=help
    )


def shown_columns(index: TermIndex | Snapshot, show: list[str] | Literal[True] | None) -> list[str]:
    """The columns that --show asks for."""
    return list(index.columns) if show is True else show or []


def given_options(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given; not by their truth, as a column may be 0."""
    return {
        name: value for name, value in options.items() if value is not None and value is not False
    }
