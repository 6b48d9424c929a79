"""The command line: parse, call `TermIndex`, print.

Answers go to standard output, everything else to standard error. Exit codes: 0 found, 1 nothing
found, 2 bad usage or input, 3 a damaged index.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import shlex
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from termnest import __version__, _core
from termnest.atomic import atomic_write
from termnest.errors import (
    DamagedIndexError,
    IndexVersionError,
    InvalidOptionError,
    TermnestError,
    UnknownTermError,
)
from termnest.index import Format, Overlaps, TermIndex, Tokenizer, Where
from termnest.shipped import character_names
from termnest.table import Table

FOUND, NOTHING, BAD_INPUT, DAMAGED, INTERRUPTED = 0, 1, 2, 3, 130
# Of a server that ends though nobody told it to.
FAILED = 1

# Phrases from standard input are answered, and rows printed, so many at a time.
_PHRASES_AT_ONCE = 10_000
_ROWS_AT_ONCE = 100_000
# Files that were passed over are named, as far as one reads them.
_WARNINGS = 10

_Command = TypeVar("_Command", bound=Callable[..., Any])


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code."""
    # A stream that was closed takes nothing, but the work is done.
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        # With PYTHONUNBUFFERED: a raw file may write a part only, and says so to nobody.
        sys.stdout = open(  # noqa: SIM115
            sys.stdout.fileno(),
            "w",
            encoding=sys.stdout.encoding,
            errors=sys.stdout.errors,
            closefd=False,
        )
    try:
        result = cli.main(args=argv, prog_name="termnest", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except _Terminated as ended:
        return 128 + ended.number
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except SystemExit:
        # Click ends so when whoever read our answers has seen enough.
        return FOUND
    except BrokenPipeError:
        # Whoever read our answers has seen enough.
        _drop_what_cannot_be_printed()
        return FOUND
    except TermnestError as error:
        message = _with_option_values(str(error))
        if isinstance(error, InvalidOptionError):
            message = _with_option_names(message)
        lines = [_printable(line) for line in message.split("\n")]
        click.echo("termnest: " + "\n".join(lines), err=True)
        damaged = isinstance(error, DamagedIndexError) and not isinstance(error, IndexVersionError)
        return DAMAGED if damaged else BAD_INPUT
    except OSError as error:
        click.echo(f"termnest: {error.strerror or error}", err=True)
        _drop_what_cannot_be_printed()
        return BAD_INPUT
    return result if isinstance(result, int) else FOUND


def _drop_what_cannot_be_printed() -> None:
    """Python would try it again at its end, complain, and have an exit code of its own."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _with_option_names(message: str) -> str:
    """A message of the library, which speaks of parameters, as the command line has them."""
    options = _option_names()
    # A name of one word may be any word of the message.
    return re.sub(r"\b[a-z]+(?:_[a-z]+)+\b", lambda found: options.get(found[0], found[0]), message)


def _with_option_values(message: str) -> str:
    """The same for parameters with their values: --errors replace for errors='replace'."""
    options = _option_names()

    def option(found: re.Match[str]) -> str:
        name, _, value = found.groups()
        return f"{options[name]} {value}" if name in options else found[0]

    return re.sub(r"""\b([a-z_]+)=(["'])([\w-]+)\2""", option, message)


def _option_names() -> dict[str | None, str]:
    return {
        param.name: max(param.opts, key=len)
        for command in cli.commands.values()
        for param in command.params
        if isinstance(param, click.Option)
    }


def _printable(text: str) -> str:
    """A text that does nothing to a terminal: names of files can hold anything."""
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    # Of a name that is not UTF-8, Python has the bytes so.
    byte = ord(character) - 0xDC00
    return f"\\x{byte:02x}" if 0x80 <= byte <= 0xFF else repr(character)[1:-1]


def _exit_code(found: bool) -> int:
    return FOUND if found else NOTHING


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="termnest")
def cli() -> None:
    """Which terms of a vocabulary contain a phrase, and which does it contain?

    INDEX is a file that `termnest build` wrote, or a plain vocabulary, which is indexed on the fly:
    text with a term a line, .tsv, .csv or .jsonl, also .gz or .zst; .parquet; - is standard input.
    Columns are told by a header that has `term`, and `weight` or `frequency`, or by options.

    Answers go to standard output. Exit codes: 0 found, 1 nothing found, 2 bad usage or input,
    3 damaged index.
    """


# --- options that several commands have ---


def _options(*decorators: Callable[[Any], Any]) -> Callable[[_Command], _Command]:
    def decorate(command: _Command) -> _Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


class _ColumnType(click.ParamType[str | int]):
    """A column: its number from 0, or its name."""

    name = "name or number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | int:
        return int(value) if str(value).isdecimal() else str(value)


_vocabulary_options = _options(
    click.option("--separator", metavar="TEXT", help="Split terms at TEXT, not at white space."),
    click.option(
        "--tokenizer",
        type=click.Choice(get_args(Tokenizer)),
        help="Split at white space, into words (punctuation dropped), or into characters.",
    ),
    click.option("--lowercase", is_flag=True, help="Match in lower case."),
    click.option("--strip-accents", is_flag=True, help="Match without accents."),
    click.option(
        "--format",
        type=click.Choice(get_args(Format)),
        help="What the vocabulary holds, if its name does not tell.",
    ),
    click.option(
        "--column", type=_ColumnType(), help="The column of the terms, by name or by number from 0."
    ),
    click.option("--weight-column", type=_ColumnType(), help="The column of the weights."),
    click.option(
        "--errors",
        type=click.Choice(["strict", "replace"]),
        help="What to do with bytes that are not UTF-8: refuse or replace them.",
    ),
    click.option("--threads", type=click.IntRange(min=1), help="Threads of the build."),
)

_index_argument = click.argument("index", metavar="INDEX")
_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON Lines.")
_where_option = click.option(
    "--where",
    type=click.Choice(get_args(Where)),
    default="anywhere",
    show_default=True,
    help="Where in the longer of the two the shorter must stand.",
)
_direct_option = click.option(
    "--direct", is_flag=True, help="Only answers with no other term in between."
)
_limit_options = _options(
    click.option("--limit", type=click.IntRange(min=0), help="At most so many answers a phrase."),
    click.option(
        "--offset", type=click.IntRange(min=0), default=0, help="Without the first so many."
    ),
)
_count_option = click.option("--count", is_flag=True, help="Print the number of answers only.")


def _examples(*lines: str) -> str:
    """The end of a help text; click leaves lines behind \\b as they are."""
    return "\n".join(["Examples:", "", "\b", *(f"  {line}" for line in lines)])


# --- indexes ---


def _load(name: str, vocabulary: dict[str, Any] | None, keys_matter: bool = True) -> TermIndex:
    """The index of this name, or of the vocabulary of this name, if its options are given.

    Where keys do not matter, an index that was made with a function of the user's own opens too.
    """
    given = _given(vocabulary or {})
    content = _content(name)
    if not _core.is_index(content if content is not None else _first_bytes(name)):
        if vocabulary is None:
            raise click.UsageError(f"{name} is no index: `termnest build` makes one.")
        with _progress() as progress:
            source = name if content is None else io.BytesIO(content)
            return TermIndex.from_file(source, progress=progress, **given)
    if given:
        names = ", ".join(f"--{option.replace('_', '-')}" for option in given)
        raise click.UsageError(
            f"{name} is an index, which has its options stored: {names} cannot be given. "
            "Build it anew from its vocabulary to change them."
        )
    # The function itself is not stored; any will do where no query is made.
    normalize = None if keys_matter else str
    try:
        return _open(name, content, normalize)
    except InvalidOptionError as error:
        if not keys_matter:
            return _open(name, content, None)
        raise click.UsageError(
            f"{name} was built with a normalize function in Python, and can only be asked there."
        ) from error


def _open(name: str, content: bytes | None, normalize: Callable[[str], str] | None) -> TermIndex:
    if content is None:
        return TermIndex.open(name, normalize=normalize)
    return TermIndex._of(_core.Index.from_bytes(content, normalize), normalize)


def _content(name: str) -> bytes | None:
    """What standard input or a pipe holds, which can be read once only; None for a file."""
    if name == "-":
        if sys.stdin is None:
            raise click.UsageError("standard input is closed.")
        return sys.stdin.buffer.read()
    path = Path(name)
    if path.is_dir():
        raise click.UsageError(f"{name} is a folder, not a file.")
    if not path.exists():
        raise click.UsageError(f"there is no file {name}.")
    return None if path.is_file() else path.read_bytes()


def _first_bytes(name: str) -> bytes:
    """An index is known by its first bytes, whatever its name."""
    try:
        with Path(name).open("rb") as file:
            return file.read(8)
    except OSError as error:
        raise click.UsageError(f"cannot read {name}: {error.strerror}.") from error


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given; not by equality, as a column may be 0."""
    return {o: value for o, value in options.items() if value is not None and value is not False}


@contextmanager
def _progress() -> Iterator[Callable[[str, float | None], None] | None]:
    """A progress bar on a terminal; nothing elsewhere. It appears only when work takes long."""
    if not sys.stderr.isatty():
        yield None
        return
    shown = False
    began = time.monotonic()

    def show(stage: str, share: float | None) -> None:
        nonlocal shown
        if time.monotonic() - began < 0.5:
            return
        shown = True
        bar = "" if share is None else f" [{'#' * round(share * 30):30}] {share:4.0%}"
        click.echo(f"\r\x1b[K{stage:22}{bar}", nl=False, err=True)

    try:
        yield show
    finally:
        if shown:
            with suppress(OSError):  # the terminal may have gone
                click.echo("\r\x1b[K", nl=False, err=True)


@cli.command(
    epilog=_examples(
        "termnest build terms.txt",
        "termnest build w2v.txt.gz --separator _ -o w2v.nest",
        "cut -f1 terms.tsv | termnest build - -o terms.nest",
    )
)
@click.argument("vocabulary", metavar="VOCABULARY")
@click.option("-o", "--output", metavar="FILE", help="The index; VOCABULARY.nest if not given.")
@_vocabulary_options
def build(vocabulary: str, output: str | None, **options: Any) -> int:
    """Index a vocabulary and save the index."""
    if output is None and vocabulary == "-":
        raise click.UsageError("say where to save the index of standard input: -o FILE.")
    if output == "-":
        raise click.UsageError("an index is not printed: say where to save it with -o FILE.")
    target = Path(output) if output is not None else _default_output(Path(vocabulary))
    if vocabulary != "-" and target.exists() and target.samefile(vocabulary):
        raise click.UsageError(f"{target} is the vocabulary itself: save the index elsewhere.")
    if _holds_something_else(target):
        raise click.UsageError(
            f"{target} is there and is no index: delete it, or save the index elsewhere."
        )
    began = time.perf_counter()
    index = _load(vocabulary, options)
    if index.path is not None:
        raise click.UsageError(f"{vocabulary} is an index already.")
    built = time.perf_counter()
    index.save(target)
    stats = index.stats()
    notes = [f"{stats.terms:,} terms"]
    notes += [f"{stats.skipped:,} entries without a token skipped"] if stats.skipped else []
    notes += [f"{stats.duplicates:,} duplicates merged"] if stats.duplicates else []
    click.echo(
        f"{target}: {', '.join(notes)}; built in {built - began:.2f} s, "
        f"{stats.file_bytes / 1e6:,.1f} MB",
        err=True,
    )
    return FOUND


def _holds_something_else(target: Path) -> bool:
    """Whether there is a file that is neither an index nor empty."""
    if not target.is_file():
        return False  # a folder, a pipe: saving tells what is wrong, if anything is
    with suppress(OSError), target.open("rb") as file:
        first = file.read(8)
        return bool(first) and not _core.is_index(first)
    return False


def _default_output(vocabulary: Path) -> Path:
    if vocabulary.is_dir():
        raise click.UsageError(f"{vocabulary} is a folder, not a file.")
    name = vocabulary.name
    for suffix in (".gz", ".zst"):
        name = name.removesuffix(suffix) or name
    return vocabulary.with_name(name).with_suffix(".nest")


# --- the two questions ---


def _phrases(phrases: tuple[str, ...], index: str) -> Iterable[str]:
    """The phrases given, or the lines of standard input."""
    if phrases not in ((), ("-",)):
        return phrases
    if index == "-":
        raise click.UsageError("standard input is the vocabulary already: give a phrase.")
    if sys.stdin is None:
        raise click.UsageError("standard input is closed: give a phrase.")
    return _lines(sys.stdin.buffer)


def _lines(stream: Iterable[bytes]) -> Iterator[str]:
    for number, line in enumerate(stream, start=1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            yield text.removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError as error:
            raise click.UsageError(f"line {number} of standard input is not UTF-8.") from error


def _answer(
    phrases: tuple[str, ...],
    index: str,
    ask: Callable[[list[str]], Table],
    count: bool,
    as_json: bool,
) -> int:
    """Prints the answers to the phrases: just the terms for one phrase, else the phrase before."""
    source = iter(_phrases(phrases, index))
    alone = len(phrases) == 1 and phrases != ("-",)
    found = False
    # Who types phrases wants to see each answer.
    at_once = 1 if sys.stdin is not None and sys.stdin.isatty() else _PHRASES_AT_ONCE
    while portion := list(islice(source, at_once)):
        table = ask(portion)
        found = found or len(table) > 0
        if count:
            _print(_counts(portion, table, alone, as_json))
        elif as_json:
            rows = table.to_pylist()
            _print(_json_line({**row, "query": portion[row["query"]]}) for row in rows)
        elif alone:
            _print_lines(table, ["term"])
        else:
            queries = table._table.values("query", 0, len(table))
            terms = table._table.values("term", 0, len(table))
            pairs = zip(queries, terms, strict=True)
            _print(f"{_cell(portion[query])}\t{_cell(term)}\n" for query, term in pairs)
        if at_once == 1:
            sys.stdout.flush()
    return _exit_code(found)


def _counts(portion: list[str], table: Table, alone: bool, as_json: bool) -> Iterator[str]:
    counts = [0] * len(portion)
    for query in table._table.values("query", 0, len(table)):
        counts[query] += 1
    for phrase, count in zip(portion, counts, strict=True):
        if as_json:
            yield _json_line({"query": phrase, "count": count})
        else:
            yield f"{count}\n" if alone else f"{_cell(phrase)}\t{count}\n"


def _cell(text: str) -> str:
    """A text that breaks neither line nor column."""
    return text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def _json_line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def _print(lines: Iterable[str]) -> None:
    out = sys.stdout.buffer
    for line in lines:
        # File names need not be UTF-8; they are printed as they are.
        out.write(line.encode(errors="surrogateescape"))


def _print_lines(table: Table, columns: list[str] | None) -> None:
    """The rows of a table, made by the core: tab separated columns, or JSON without columns."""
    native = table._table
    for start in range(0, len(table), _ROWS_AT_ONCE):
        stop = start + _ROWS_AT_ONCE
        if columns is None:
            sys.stdout.buffer.write(native.json_lines(start, stop))
        else:
            sys.stdout.buffer.write(native.lines(columns, start, stop))


@cli.command(
    "super",
    epilog=_examples(
        'termnest super terms.nest "machine learning"',
        'termnest super terms.txt "learning" --where end --limit 10',
        "termnest super terms.nest --json < phrases.txt",
    ),
)
@_index_argument
@click.argument("phrases", metavar="[PHRASE]...", nargs=-1)
@_where_option
@_direct_option
@click.option("--max-extra", type=click.IntRange(min=0), help="At most so many words more.")
@_limit_options
@_count_option
@_json_option
@_vocabulary_options
def super_(
    index: str,
    phrases: tuple[str, ...],
    where: Any,
    direct: bool,
    max_extra: int | None,
    limit: int | None,
    offset: int,
    count: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Print the terms that contain a phrase.

    Without PHRASE, phrases are read from standard input, one a line. With several phrases, each
    answer stands behind its phrase and a tab.
    """
    _phrases(phrases, index)
    loaded = _load(index, options)

    def ask(portion: list[str]) -> Table:
        return loaded.super_terms_batch(
            portion, where=where, direct=direct, max_extra=max_extra, limit=limit, offset=offset
        )

    return _answer(phrases, index, ask, count, as_json)


@cli.command(
    epilog=_examples(
        'termnest nested terms.nest "new york city hall"',
        'termnest nested terms.txt "new york city hall" --direct',
        "termnest nested terms.nest --count < phrases.txt",
    )
)
@_index_argument
@click.argument("phrases", metavar="[PHRASE]...", nargs=-1)
@_where_option
@_direct_option
@_limit_options
@_count_option
@_json_option
@_vocabulary_options
def nested(
    index: str,
    phrases: tuple[str, ...],
    where: Any,
    direct: bool,
    limit: int | None,
    offset: int,
    count: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Print the terms that a phrase contains.

    Without PHRASE, phrases are read from standard input, one a line. With several phrases, each
    answer stands behind its phrase and a tab.
    """
    _phrases(phrases, index)
    loaded = _load(index, options)

    def ask(portion: list[str]) -> Table:
        return loaded.nested_terms_batch(
            portion, where=where, direct=direct, limit=limit, offset=offset
        )

    return _answer(phrases, index, ask, count, as_json)


# --- the other commands ---


@cli.command(
    epilog=_examples(
        "termnest find terms.nest article.txt",
        "termnest find terms.txt --lowercase --overlaps longest < article.txt",
    )
)
@_index_argument
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@click.option(
    "--overlaps",
    type=click.Choice(get_args(Overlaps)),
    default="all",
    show_default=True,
    help="Which of the spans that overlap to print.",
)
@_json_option
@_vocabulary_options
def find(index: str, texts: tuple[str, ...], overlaps: Any, as_json: bool, **options: Any) -> int:
    """Print the terms that stand in text files.

    Each line has the start and the end, in characters from 0, and the term. Without TEXT, the text
    is read from standard input. With several files, each line begins with the name of its file.
    """
    names = texts or ("-",)
    if index == "-" and "-" in names:
        raise click.UsageError("standard input is the vocabulary already: give a text file.")
    errors = options["errors"] or "strict"
    if Path(index).is_file() and _core.is_index(_first_bytes(index)):
        options["errors"] = None  # it is the texts' then
    loaded = _load(index, options)
    found = False
    for name in names:
        matches = loaded.find(_read_text(name, errors), overlaps=overlaps)
        found = found or len(matches) > 0
        if len(names) == 1:
            columns = None if as_json else ["start", "end", "term"]
            _print_lines(matches.table, columns)
        elif as_json:
            _print(_json_line({"file": name, **match._asdict()}) for match in matches)
        else:
            _print(f"{_cell(name)}\t{m.start}\t{m.end}\t{_cell(m.term)}\n" for m in matches)
    return _exit_code(found)


def _read_text(name: str, errors: str) -> str:
    if name == "-" and sys.stdin is None:
        raise click.UsageError("standard input is closed.")
    try:
        content = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise click.UsageError(f"cannot read {name}: {error.strerror}.") from error
    try:
        # A byte order mark is no part of the text.
        return content.decode("utf-8-sig", errors)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise click.UsageError(
            f"line {line} of {name} is not UTF-8: convert it, or say --errors replace."
        ) from error


@cli.command(
    epilog=_examples(
        "termnest complete terms.nest goog",
        'termnest complete terms.nest "new york c" --limit 5',
    )
)
@_index_argument
@click.argument("prefix", metavar="PREFIX")
@click.option(
    "--limit", type=click.IntRange(min=0), default=10, show_default=True, help="At most so many."
)
@_json_option
@_vocabulary_options
def complete(index: str, prefix: str, limit: int, as_json: bool, **options: Any) -> int:
    """Print terms in which PREFIX goes on.

    Its last word may be unfinished, unless white space ends it. Terms that start with PREFIX come
    first, then the heaviest.
    """
    loaded = _load(index, options)
    terms = loaded.complete(prefix, limit=limit)
    if as_json:
        rows = ({"term": term, "weight": loaded.weight(term)} for term in terms)
        _print(_json_line(row) for row in rows)
    else:
        _print(f"{_cell(term)}\n" for term in terms)
    return _exit_code(bool(terms))


@cli.command(
    epilog=_examples(
        'termnest expand terms.nest "basal cell"',
        "termnest expand terms.nest carcinoma --side left --limit 5",
    )
)
@_index_argument
@click.argument("phrase", metavar="PHRASE")
@click.option(
    "--side", type=click.Choice(["left", "right"]), help="Only the words on one side; else both."
)
@click.option("--limit", type=click.IntRange(min=0), help="At most so many words a side.")
@_json_option
@_vocabulary_options
def expand(
    index: str, phrase: str, side: str | None, limit: int | None, as_json: bool, **options: Any
) -> int:
    """Print the words that terms add to PHRASE.

    A line has the side, the word, the number of terms in which it stands there, and the sum of
    their weights; heaviest first.
    """
    loaded = _load(index, options)
    found = False
    for beside in [side] if side else ["left", "right"]:
        table = loaded._index.expansions(phrase, beside)
        shown = len(table) if limit is None else min(limit, len(table))
        found = found or shown > 0
        if as_json:
            rows = Table(table)._rows(0, shown)
            _print(_json_line({"side": beside, **row}) for row in rows)
        else:
            lines = table.lines(["word", "terms", "weight"], 0, shown).splitlines(keepends=True)
            sys.stdout.buffer.writelines(beside.encode() + b"\t" + line for line in lines)
    return _exit_code(found)


@cli.command(
    epilog=_examples(
        "termnest tree terms.nest carcinoma",
        "termnest tree terms.nest --depth 1 --limit 20",
        "termnest tree terms.nest -o terms.ttl --base-uri https://example.org/terms/",
        "termnest tree terms.nest carcinoma -o carcinoma.svg",
    )
)
@_index_argument
@click.argument("term", metavar="[TERM]", required=False)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write SKOS (.ttl), GraphML (.graphml), DOT (.dot, .gv), node-link JSON (.json), or a "
    "picture of what stands directly around TERM (.svg).",
)
@click.option("--depth", type=click.IntRange(min=0), help="Go down so many steps, not to the end.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    help="At most so many terms below each; in a picture, on each side (12 if not given).",
)
@click.option(
    "--base-uri",
    metavar="URI",
    help="Make the URIs of .ttl by putting ids behind it; urn:termnest: if not given.",
)
@_vocabulary_options
def tree(
    index: str,
    term: str | None,
    output: str | None,
    depth: int | None,
    limit: int | None,
    base_uri: str | None,
    **options: Any,
) -> int:
    """Print the tree of terms and their heads, or write it to a file.

    A term stands below the longest term that it ends with: in English that is, as a rule, what it
    is a kind of. Without TERM, all trees of two terms or more are printed. Heaviest first.

    A file has all terms, or TERM and those below it, and also all other direct containment
    between them.
    """
    if output is not None:
        return _write_tree(index, term, output, depth, limit, base_uri, options)
    if base_uri is not None:
        raise click.UsageError("--base-uri goes with -o FILE.ttl.")
    # Only this command needs it.
    from termnest.terminology.tree import Tree

    loaded = _load(index, options)
    shown = Tree(loaded)
    if term is None:
        roots = shown.roots(alone=False)
    else:
        root = shown.find(term)
        roots = [] if root is None else [root]
    _print(
        f"{'  ' * level}{_cell(loaded[id]) if id is not None else f'... {left_out:,} more'}\n"
        for level, id, left_out in shown.walk(roots, depth, limit)
    )
    return _exit_code(bool(roots))


def _write_tree(
    index: str,
    term: str | None,
    output: str,
    depth: int | None,
    limit: int | None,
    base_uri: str | None,
    options: dict[str, Any],
) -> int:
    from termnest.terminology.export import file_format, write_taxonomy

    # What can be told from the options is told before the index is read.
    is_picture = file_format(output) == ".svg"
    if is_picture and term is None:
        raise click.UsageError(f"{output} is a picture of what stands around a term: give TERM.")
    if is_picture and depth is not None:
        raise click.UsageError("--depth does not go with a picture, which has direct neighbours.")
    if base_uri is not None and file_format(output) != ".ttl":
        raise click.UsageError("--base-uri goes with -o FILE.ttl.")
    target, source = Path(output), Path(index)
    if index != "-" and target.exists() and source.exists() and target.samefile(source):
        raise click.UsageError(f"{output} is the vocabulary itself: write the tree elsewhere.")
    loaded = _load(index, options)
    try:
        written = write_taxonomy(
            loaded, output, term=term, depth=depth, limit=limit, base_uri=base_uri
        )
    except UnknownTermError as error:
        click.echo(f"{error}: nothing was written.", err=True)
        return NOTHING
    notes = [
        _counted(written.terms, "term"),
        _counted(written.broader, "broader edge"),
        _counted(written.contains, "contains edge"),
    ]
    if written.left_out:
        by = ["--depth"] * (depth is not None) + ["--limit"] * (limit is not None or is_picture)
        notes.append(f"{_counted(written.left_out, 'term')} left out by {' and '.join(by)}")
    click.echo(f"{output}: {', '.join(notes)}", err=True)
    return FOUND


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


@cli.command(
    epilog=_examples("termnest pairs terms.txt > pairs.tsv", "termnest pairs terms.nest --direct")
)
@_index_argument
@_direct_option
@_json_option
@_vocabulary_options
def pairs(index: str, direct: bool, as_json: bool, **options: Any) -> int:
    """Print every pair of a term and a term that contains it."""
    loaded = _load(index, options)
    table = Table(loaded._index.pairs(direct, True))
    _print_lines(table, None if as_json else ["nested_term", "super_term"])
    return _exit_code(len(table) > 0)


@cli.command(epilog=_examples("termnest info terms.nest", "termnest info terms.txt --pairs --json"))
@_index_argument
@click.option("--pairs", is_flag=True, help="Count the pairs as well.")
@_json_option
@_vocabulary_options
def info(index: str, pairs: bool, as_json: bool, **options: Any) -> int:
    """Print the facts of an index."""
    loaded = _load(index, options, keys_matter=False)
    facts = {name: fact for name, fact in loaded.stats(pairs)._asdict().items() if fact is not None}
    tokenizer, separator, lowercase, strip_accents, _ = loaded._index.options()
    facts |= {
        "tokenizer": tokenizer,
        "separator": separator,
        "lowercase": lowercase,
        "strip_accents": strip_accents,
        "weights": loaded._index.weighted,
    }
    if as_json:
        _print([_json_line(facts)])
    else:
        for name, fact in facts.items():
            shown = f"{fact:,}" if type(fact) is int else json.dumps(fact, ensure_ascii=False)
            _print([f"{name.replace('_', ' '):16}{shown}\n"])
    return FOUND


@cli.command(epilog=_examples("termnest check terms.nest"))
@click.argument("index", metavar="INDEX")
def check(index: str) -> int:
    """Read an index whole and tell if it is sound.

    The exit code is 3 if it is not.
    """
    loaded = _load(index, None, keys_matter=False)
    loaded.check()
    _print([f"{index}: sound, {len(loaded):,} terms\n"])
    return FOUND


@cli.command(
    epilog=_examples(
        "termnest serve terms.nest",
        "termnest serve terms.nest --reload --port 8000",
        "termnest serve terms.nest --host 0.0.0.0 --allowed-host terms.example.org "
        "--token-file token",
    )
)
@_index_argument
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8080,
    show_default=True,
    help="The port; 0 for any that is free.",
)
@click.option(
    "--token-file",
    metavar="FILE",
    help="A file with the token that requests must carry; else it is TERMNEST_TOKEN, if that is "
    "set. Other addresses than this machine's own need one.",
)
@click.option(
    "--allowed-host",
    "allowed_hosts",
    metavar="NAME",
    multiple=True,
    help="A name that requests may call the server by, besides those of this machine.",
)
@click.option(
    "--cors-origin",
    "cors_origins",
    metavar="ORIGIN",
    multiple=True,
    help="An origin whose pages may ask, https://example.org for instance.",
)
@click.option("--reload", is_flag=True, help="Take up new versions of INDEX; SIGHUP does so too.")
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    help="Processes that answer; they share the memory of the index. One for each core by "
    "default, four at most.",
)
@click.option(
    "--max-connections",
    type=click.IntRange(min=1),
    default=16_384,
    show_default=True,
    help="Open connections; more wait.",
)
@click.option(
    "--head-seconds",
    type=click.FloatRange(0.1, 3600),
    default=10.0,
    show_default=True,
    help="Time for the head of a request.",
)
@click.option(
    "--body-seconds",
    type=click.FloatRange(0.1, 3600),
    default=10.0,
    show_default=True,
    help="Time for the body of a request.",
)
@click.option(
    "--max-body",
    metavar="BYTES",
    type=click.IntRange(min=1),
    default=2 * 1024 * 1024,
    show_default=True,
    help="Bytes of the body of a request.",
)
@click.option("--access-log", is_flag=True, help="Write a line for each request.")
@_vocabulary_options
def serve(
    index: str,
    host: str,
    port: int,
    token_file: str | None,
    allowed_hosts: tuple[str, ...],
    cors_origins: tuple[str, ...],
    reload: bool,
    workers: int | None,
    max_connections: int,
    head_seconds: float,
    body_seconds: float,
    max_body: int,
    access_log: bool,
    **options: Any,
) -> int:
    """Answer over HTTP, and show a page to explore with.

    Only programs on this machine can ask, unless --host says otherwise.
    """
    # Only this command needs the server, whose packages take their time to import.
    from termnest.server import Settings
    from termnest.server.run import serve as run_server
    from termnest.server.security import is_loopback, read_token

    token = read_token(token_file)
    if token is None and not is_loopback(host):
        raise click.UsageError(
            f"others can reach {host}, so requests must carry a token: give --token-file FILE, or "
            "set TERMNEST_TOKEN."
        )
    loaded = _load(index, options)
    if reload and loaded.path is None:
        raise click.UsageError(
            f"--reload needs an index, and {index} is a vocabulary: `termnest build` makes one."
        )
    names = {*Settings().allowed_hosts, *allowed_hosts, f"[{host}]" if ":" in host else host}
    settings = Settings(
        token=token,
        allowed_hosts=tuple(sorted(names)),
        cors_origins=cors_origins,
        reload=reload,
        body_seconds=body_seconds,
        max_body=max_body,
    )

    def ready(url: str) -> None:
        terms = f"{len(loaded):,} {'term' if len(loaded) == 1 else 'terms'}"
        click.echo(f"serving {terms} at {url} (Ctrl-C ends it)", err=True)

    ended_as_told = run_server(
        loaded,
        settings,
        host=host,
        port=port,
        workers=workers,
        max_connections=max_connections,
        head_seconds=head_seconds,
        access_log=access_log,
        ready=ready,
    )
    return FOUND if ended_as_told else FAILED


@cli.command(epilog=_examples("termnest demo"))
def demo() -> int:
    """Index the names of all Unicode characters.

    They ship with Python. Both questions are asked, and timed.
    """
    names = character_names()
    began = time.perf_counter()
    index = TermIndex(names)
    seconds = time.perf_counter() - began
    lines = [
        f"{len(index):,} Unicode character names (no CJK, no Hangul) indexed in "
        f"{seconds * 1e3:.0f} ms; {index.stats().file_bytes / 1e6:.1f} MB.",
        "",
        *_demo_answer(index, "super_terms", "GREEK SMALL LETTER ALPHA"),
        *_demo_answer(index, "nested_terms", "GREEK SMALL LETTER ALPHA WITH TONOS"),
        *_demo_answer(index, "super_terms", "BLACK HEART"),
        *_demo_answer(index, "nested_terms", "SMILING CAT FACE WITH HEART-SHAPED EYES"),
    ]
    began = time.perf_counter()
    pairs = index.pairs()
    seconds = time.perf_counter() - began
    lines.append(f"All {len(pairs):,} (nested, super) pairs in {seconds * 1e3:.0f} ms.")
    _print(f"{line}\n" for line in lines)
    return FOUND


def _demo_answer(index: TermIndex, question: str, phrase: str) -> Iterator[str]:
    ask: Callable[[str], list[str]] = getattr(index, question)
    terms = ask(phrase)
    # The best of several: the first call pays for cold caches.
    times = []
    for _ in range(100):
        began = time.perf_counter()
        ask(phrase)
        times.append(time.perf_counter() - began)
    count = f"{len(terms):,} {'term' if len(terms) == 1 else 'terms'}"
    yield f">>> index.{question}({phrase!r})   # {count} in {min(times) * 1e6:.1f} us"
    yield from (f"    {term}" for term in terms[:5])
    if len(terms) > 5:
        yield f"    ... {len(terms) - 5:,} more"
    yield ""


# --- terminology ---


@cli.command(
    epilog=_examples(
        "termnest extract reports/ -o terms.tsv",
        "termnest extract corpus.jsonl.gz --field body --score combo-basic --top 1000 -o terms.csv",
        "termnest extract reports/ --candidates noun-phrases --spacy-model en_core_web_sm",
        "termnest extract counts.tsv --candidates vocabulary --score c-value-jate -o scored.tsv",
    )
)
@click.argument("corpus", metavar="CORPUS...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where the terms go, as .tsv, .csv, .jsonl or .parquet; else they are printed as TSV.",
)
@click.option(
    "--candidates",
    type=click.Choice(["ngrams", "noun-phrases", "vocabulary"]),
    default="ngrams",
    show_default=True,
    help="Runs of words; noun phrases as spaCy finds them; or the terms of a vocabulary.",
)
@click.option(
    "--score",
    type=click.Choice(
        [
            "c-value",
            "c-value-plus-one",
            "c-value-jate",
            "basic",
            "combo-basic",
            "independent",
            "frequency",
        ]
    ),
    default="c-value",
    show_default=True,
    help="What terms are ranked by.",
)
@click.option(
    "--keep",
    type=click.Choice(["all", "maximal"]),
    default="all",
    show_default=True,
    help="maximal: without the terms whose every occurrence is inside of a longer one.",
)
@click.option("--top", type=click.IntRange(min=0), help="Only so many terms.")
@click.option(
    "--min-frequency",
    type=click.IntRange(min=0),
    help="Leave out what occurs less often.  [default: 2; of a vocabulary: 0]",
)
@click.option(
    "--max-words",
    type=click.IntRange(min=1),
    help="Leave out what has more words; for ngrams at most 20.  [default: ngrams: 5]",
)
@click.option(
    "--stop-words",
    metavar="FILE",
    help="Words that no term starts or ends with, with white space between; else English ones.",
)
@click.option("--keep-case", is_flag=True, help="Do not count in lower case.")
@click.option("--spacy-model", metavar="NAME", help="The spaCy pipeline for noun phrases.")
@click.option("--processes", type=click.IntRange(min=1), help="The processes that spaCy runs in.")
@click.option(
    "--format",
    type=click.Choice(["text", "jsonl", "tsv", "csv", "parquet"]),
    help="What the files hold, if their names do not tell.",
)
@click.option("--field", help="The field of the text in JSON Lines.  [default: text]")
@click.option(
    "--column", type=_ColumnType(), help="The column of a vocabulary's terms, by name or number."
)
@click.option("--weight-column", type=_ColumnType(), help="The column of their frequencies.")
@click.option("--separator", metavar="TEXT", help="Split a vocabulary's terms at TEXT.")
@click.option(
    "--errors",
    type=click.Choice(["strict", "replace"]),
    help="What to do with bytes that are not UTF-8: refuse or replace them.  [default: strict]",
)
def extract(
    corpus: tuple[str, ...],
    output: str | None,
    candidates: str,
    score: Any,
    keep: Any,
    top: int | None,
    **options: Any,
) -> int:
    """Find the terms of texts, and rank them.

    CORPUS is text files, folders of them, .jsonl files (also .gz), or - for standard input; with
    --candidates vocabulary, one vocabulary whose terms have weights, or an index.

    A line has the term, how often it occurs, its score, the number of terms that contain it and of
    those that it contains; best first. All other commands take the result as a vocabulary.
    """
    # Only this command needs them.
    from termnest import terminology
    from termnest.terminology.export import writer

    began = time.perf_counter()
    given = _given(options)
    _refuse_what_does_not_apply(candidates, given)
    if output == "-":
        raise click.UsageError("leave -o out to print the terms.")
    if "-" in corpus and given.get("stop_words") == "-":
        raise click.UsageError("standard input is the corpus already: give --stop-words a file.")
    if output is not None and Path(output).is_file():
        for path in corpus:
            if Path(path).is_file() and Path(path).samefile(output):
                raise click.UsageError(f"{output} is the corpus itself: write the terms elsewhere.")
        how = {name: given[name] for name in ("format", "field") if name in given}
        if candidates != "vocabulary" and terminology.Corpus(corpus, **how).holds_text(output):
            raise click.UsageError(f"{output} is part of the corpus: write the terms elsewhere.")
    write = writer(output) if output is not None else Table.write_tsv
    with ExitStack() as stack:
        stack.enter_context(_tidy_when_terminated())
        # Opened first: what cannot be written should be told before the work is done.
        file = stack.enter_context(atomic_write(output)) if output is not None else None
        if candidates == "vocabulary":
            found = _rank_vocabulary(corpus, given, score=score, keep=keep, top=top)
        else:
            if "stop_words" in given:
                errors = given.get("errors", "strict")
                given["stop_words"] = _read_text(given["stop_words"], errors).split()
            if given.pop("keep_case", False):
                given["lowercase"] = False
            if output is not None:
                # In a folder, what an earlier run wrote is no text, and need not be told.
                given["exclude"] = [output]
            kind: Any = candidates
            with _progress() as progress:
                found = terminology.extract(
                    corpus, candidates=kind, score=score, keep=keep, top=top, progress=progress,
                    **given,
                )  # fmt: skip
        _warn_of_skipped(found.skipped)
        if not len(found.table):
            among = _counted(found.candidates, "candidate")
            click.echo(f"no term found among {among}", err=True)
            # Nothing is written, and an older file stays.
            raise click.exceptions.Exit(NOTHING)
        write(found.table, file if file is not None else sys.stdout.buffer)
    facts = [_counted(found.files, "file")]
    if found.skipped:
        facts[0] += f" ({len(found.skipped):,} skipped)"
    if found.words:
        facts.append(_counted(found.words, "word"))
    click.echo(
        f"{output or 'printed'}: {_counted(len(found.table), 'term')} of "
        f"{_counted(found.candidates, 'candidate')}; {', '.join(facts)}; "
        f"{time.perf_counter() - began:.1f} s",
        err=True,
    )
    return FOUND


class _Terminated(BaseException):
    """Whoever started the process has ended it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def _tidy_when_terminated() -> Iterator[None]:
    """Lets SIGTERM and SIGHUP end the work as Ctrl-C does, so that no half of a file is left."""
    ours = os.getpid()

    def end(number: int, _frame: object) -> None:
        if os.getpid() != ours:
            # A process that spaCy has started, and ends in this way; at Ctrl-C it has no say.
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        # spaCy warns that its processes have not come to an end.
        warnings.simplefilter("ignore")
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise _Terminated(number)

    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is told of signals
        return
    numbers = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP"):  # Windows has none
        numbers.append(signal.SIGHUP)
    # What is ignored stays so: nohup lets the work go on when the terminal has gone.
    before = {
        number: was
        for number in numbers
        if (was := signal.getsignal(number)) not in (None, signal.SIG_IGN)
    }
    for number in before:
        signal.signal(number, end)
    try:
        with warnings.catch_warnings():
            yield
    finally:
        for number, was in before.items():
            signal.signal(number, was)


# What only some candidates have use for.
_OF_CORPORA = {"stop_words", "keep_case", "field"}
_OF_NOUN_PHRASES = {"spacy_model", "processes"}
_OF_VOCABULARIES = {"column", "weight_column", "separator"}


def _refuse_what_does_not_apply(candidates: str, given: dict[str, Any]) -> None:
    useless = {
        "ngrams": _OF_NOUN_PHRASES | _OF_VOCABULARIES,
        "noun-phrases": _OF_VOCABULARIES,
        "vocabulary": _OF_CORPORA | _OF_NOUN_PHRASES,
    }[candidates] & set(given)
    if useless:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in sorted(useless))
        raise click.UsageError(f"{names} does not go with --candidates {candidates}.")
    if candidates != "vocabulary" and given.get("format") in ("tsv", "csv", "parquet"):
        raise click.UsageError("a corpus is text or JSON Lines: --format text or --format jsonl.")


def _rank_vocabulary(names: tuple[str, ...], given: dict[str, Any], **how: Any) -> Any:
    """The extraction of a vocabulary, whose terms and frequencies are known."""
    from termnest.terminology import Extraction, rank

    if len(names) != 1:
        raise click.UsageError(f"give one vocabulary, not {len(names)}.")
    least, most = given.pop("min_frequency", 0), given.pop("max_words", None)
    index = _load(names[0], given)
    if not index._index.weighted:
        click.echo(
            "there are no weights: every frequency is 1 (--weight-column tells where they are)",
            err=True,
        )
    if least or most is not None:
        index = TermIndex._of(index._index.filtered(least, most), index._normalize)
    return Extraction(rank(index, **how), len(index), 0, 1, [])


def _warn_of_skipped(skipped: Sequence[tuple[str, str]]) -> None:
    for path, reason in skipped[:_WARNINGS]:
        click.echo(_printable(f"skipped {path}: {_with_option_values(reason)}"), err=True)
    if len(skipped) > _WARNINGS:
        click.echo(f"skipped {len(skipped) - _WARNINGS:,} files more", err=True)


# --- the paper ---


@cli.command(
    epilog=_examples(
        "termnest reproduce",
        "termnest reproduce Brown=brown.tsv WSJ=wsj.tsv --out results",
        "termnest reproduce w2v=w2v.txt.gz --separator _ --tables 1,3",
    )
)
@click.argument("vocabularies", metavar="[NAME=PATH]...", nargs=-1)
@click.option("--separator", metavar="TEXT", help="Split terms at TEXT, not at white space.")
@click.option("--tables", metavar="NUMBERS", default="1,2,3", show_default=True, help="Which ones.")
@click.option(
    "--out",
    metavar="DIR",
    help="Write Markdown, CSV and plots there, in place of those of an earlier run; else Markdown "
    "is printed.",
)
@click.option(
    "--budget",
    metavar="SECONDS",
    type=click.FloatRange(min=0.1),
    default=10.0,
    show_default=True,
    help="About how long one cell of a table may take; what takes longer is extrapolated.",
)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    default=1_000,
    show_default=True,
    help="Random terms on which visited nodes are counted.",
)
@click.option(
    "--check",
    type=click.IntRange(min=0),
    default=1_000,
    show_default=True,
    help="Random terms that all systems are asked about, to see that they agree.",
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
    """Measure the tables of the paper anew.

    NAME=PATH is a vocabulary: those that the paper has (Brown, WSJ, SWBD, NYT, w2v) are shown
    beside the published figures. Without any, vocabularies that ship with Python are used.

    The exit code is 1 if the systems do not agree.
    """
    # Only this command needs the systems of the paper.
    from termnest import reproduce as tables_of_the_paper

    if not math.isfinite(budget):
        raise click.UsageError("--budget must be a number of seconds.")
    chosen = tables_of_the_paper.parse_tables(tables)
    given = [tables_of_the_paper.read(vocabulary, separator) for vocabulary in vocabularies]
    names = [vocabulary.name.lower() for vocabulary in given]
    if len(set(names)) < len(names):
        raise click.UsageError("two vocabularies have the same name: give NAME=PATH.")
    if not given:
        if separator is not None:
            raise click.UsageError("--separator goes with vocabularies of your own.")
        given = tables_of_the_paper.shipped()
    if out is not None:
        if not out:
            raise click.UsageError("--out needs the name of a folder.")
        tables_of_the_paper.check_folder(Path(out))
    with _time_left() as progress:
        result = tables_of_the_paper.reproduce(given, chosen, budget, sample, check, progress)
    # Of paths the names: a record is read on other machines.
    shown = [f"{v.name}={Path(v.path).name}" for v in given if v.path]
    command = shlex.join(["termnest", "reproduce", *shown, *_given_options()])
    if out is None:
        _print([tables_of_the_paper.markdown(result, command)])
        return _exit_code(not any(result.disagreements.values()))
    written = tables_of_the_paper.write(result, Path(out), command)
    has_plots = any(path.suffix == ".png" for path in written)
    if not has_plots and chosen != [1]:  # of which there is none
        click.echo("no plots: they need matplotlib (pip install 'termnest[plots]')", err=True)
    for path in written:
        click.echo(path, err=True)
    return _exit_code(not any(result.disagreements.values()))


def _given_options() -> list[str]:
    """The options that this command was given, but for the place of its output."""
    context = click.get_current_context()
    found = []
    for option in context.command.params:
        name = option.name or ""
        given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if isinstance(option, click.Option) and given and name != "out":
            value = context.params[name]
            found += [option.opts[0], f"{value:g}" if isinstance(value, float) else str(value)]
    return found


@contextmanager
def _time_left() -> Iterator[Callable[[str, float], None]]:
    """A progress bar with the time that is left, on a terminal; elsewhere a line for each part."""
    last = ""
    began = time.monotonic()

    def show(what: str, share: float) -> None:
        nonlocal last
        if sys.stderr.isatty():
            passed = time.monotonic() - began
            left = f"{passed * (1 - share) / share:,.0f} s left" if share > 0.02 else ""
            bar = "#" * round(share * 30)
            click.echo(f"\r\x1b[K[{bar:30}] {share:4.0%} {left:>12}  {what}", nl=False, err=True)
        elif what != last:
            click.echo(what, err=True)
        last = what

    try:
        yield show
    finally:
        if sys.stderr.isatty():
            click.echo("\r\x1b[K", nl=False, err=True)
