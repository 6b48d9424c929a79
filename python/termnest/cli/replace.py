"""Texts with their terms replaced: replace."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import click

from termnest.atomic import atomic_write
from termnest.cli.conditions import conditions_of, conditions_option
from termnest.cli.errors import BadInput
from termnest.cli.exit_codes import FOUND
from termnest.cli.loading import STANDARD_INPUT, is_index_file, load, standard_input
from termnest.cli.options import Choice, Command, examples, index_argument, vocabulary_options
from termnest.errors import InvalidOptionError
from termnest.index import TermIndex

_BYTES = 1 << 18
"""The bytes that are read at a time."""


def without_case(command: Any) -> Any:
    """Leaves out the --case of vocabularies, as this command has one of its own."""
    params = command.__click_params__
    params[:] = [param for param in params if param.name != "case"]
    return command


@click.command(
    cls=Command,
    epilog=examples(
        "termnest replace names.tsv --by replacement < article.txt",
        "termnest replace drugs.nest --by generic --case keep notes.txt -o plain.txt",
        "termnest replace drugs.nest --mapping names.csv --where label=drug notes.txt",
    ),
)
@index_argument
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@click.option("--by", metavar="COLUMN", help="Replace a term by its value in this column.")
@click.option(
    "--mapping",
    metavar="FILE",
    help="Replace a term by its replacement in a table with the columns term and replacement.",
)
@click.option(
    "--case",
    "cases",
    multiple=True,
    type=Choice(["keep", "smart"]),
    help="keep: the replacement of a word in capitals is in capitals, that of a capitalised word "
    "begins with a capital. smart: how a vocabulary matches, as in the other commands.",
)
@conditions_option
@click.option(
    "-o", "--output", metavar="FILE", help="Write to FILE, atomically.  [default: standard output]"
)
@without_case
@vocabulary_options
def replace(
    index: str,
    texts: tuple[str, ...],
    by: str | None,
    mapping: str | None,
    cases: tuple[str, ...],
    conditions: tuple[str, ...],
    output: str | None,
    **vocabulary: Any,
) -> int:
    """Print texts with their terms replaced.

    From left to right the longest term at each place is replaced, once. A term that occurs must
    have a replacement: choose terms with --where if some have none. All else stays as it is.

    Without TEXT, the text is read from standard input. Texts of any size are read in portions.
    --errors applies to the texts as well.
    """
    if (by is None) == (mapping is None):
        raise BadInput("say what replaces the terms: --by COLUMN or --mapping FILE")
    names = texts or (STANDARD_INPUT,)
    if STANDARD_INPUT in names and STANDARD_INPUT in (index, mapping):
        raise BadInput("standard input is read already: give the name of a text file")
    errors = vocabulary["errors"] or "strict"
    if is_index_file(index):
        vocabulary["errors"] = None  # it applies to the texts only
    elif vocabulary["columns"] is None:
        named = [by, *(condition.partition("=")[0] for condition in conditions)]
        needed = [name for name in dict.fromkeys(named) if name and name != "id"]
        vocabulary["columns"] = needed or None
    vocabulary["case"] = "smart" if "smart" in cases else None
    loaded = load(index, vocabulary)
    with ExitStack() as opened:
        # Opened first: what is wrong with a file is reported before anything is printed.
        files = [_opened(name, opened) for name in names]
        new = by if by is not None else _mapping(str(mapping), loaded)
        capitals: Any = "keep" if "keep" in cases else None
        where = conditions_of(loaded, conditions)
        out: Any = sys.stdout.buffer
        if output is not None and output != "-":
            out = opened.enter_context(atomic_write(output))
        for name, file in zip(names, files, strict=True):
            pieces = _pieces(name, file, errors)
            for piece in loaded.replace_stream(pieces, new, case=capitals, where=where):
                out.write(piece.encode())
    return FOUND


def _opened(name: str, files: ExitStack) -> BinaryIO:
    if name == STANDARD_INPUT:
        return standard_input("give the name of a file")
    try:
        return files.enter_context(Path(name).open("rb"))
    except FileNotFoundError:
        raise BadInput(f"there is no file {name}") from None
    except OSError as error:
        raise BadInput(f"cannot read {name}: {error.strerror}") from None


def _pieces(name: str, file: BinaryIO, errors: str) -> Iterator[str]:
    """The text of a file in portions."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors)
    line = 1
    while True:
        try:
            block = file.read(_BYTES)
        except OSError as error:
            raise BadInput(f"cannot read {name}: {error.strerror}") from None
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            line += error.object.count(b"\n", 0, error.start)
            raise BadInput(
                f"line {line} of {name} is not UTF-8: convert the file to UTF-8, or give "
                "--errors replace"
            ) from None
        yield text
        if not block:
            return
        line += text.count("\n")


def _mapping(path: str, index: TermIndex) -> dict[str, str]:
    """The replacements of terms in a table, terms as the index writes them."""
    options = index.options
    try:
        table = TermIndex.from_file(
            path,
            columns=["replacement"],
            tokenizer=options.tokenizer,
            separator=options.separator,
        )
    except InvalidOptionError as error:
        if error.option is not None:
            raise
        raise BadInput(f"{error} (--mapping has the columns term and replacement)") from None
    pairs = zip(table, table.column("replacement"), strict=True)
    return {term: new for term, new in pairs if new is not None}
