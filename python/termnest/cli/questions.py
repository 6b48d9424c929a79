"""The questions about a phrase or a text: super, nested, find, complete, expand, show."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from itertools import islice
from typing import Any, get_args

import click

from termnest.cli.conditions import conditions_of, conditions_option
from termnest.cli.errors import BadInput
from termnest.cli.exit_codes import exit_code
from termnest.cli.hints import say_nothing_found
from termnest.cli.loading import (
    STANDARD_INPUT,
    Asked,
    is_index_file,
    load_asked,
    phrases_of,
    read_text,
)
from termnest.cli.options import (
    Choice,
    Command,
    Number,
    count_option,
    direct_option,
    examples,
    index_argument,
    json_option,
    length_options,
    limit_options,
    show_option,
    shown_columns,
    sort_option,
    vocabulary_options,
    where_option,
)
from termnest.cli.output import print_json, print_lines, print_rows, print_table, printable, shown
from termnest.options import Overlaps, Variants
from termnest.store import is_store
from termnest.table import Table

_BATCH = 10_000
"""Phrases of standard input that are answered at a time: work for all cores, and little memory."""


@click.command(
    "super",
    cls=Command,
    epilog=examples(
        'termnest super terms.nest "machine learning"',
        'termnest super terms.txt "learning" --where end --limit 10',
        "termnest super terms.nest learning --sort right --max-length 4",
        "termnest super terms.nest --json < phrases.txt",
    ),
)
@index_argument
@click.argument("phrases", metavar="[PHRASE]...", nargs=-1)
@where_option("the phrase", "the term")
@direct_option
@click.option("--max-extra", type=Number(), help="Only terms with at most N words more.")
@length_options
@sort_option(
    "weight",
    "left",
    "right",
    "length",
    help="Heaviest first; by the words before the phrase (left) or after it (right), the nearest "
    "word first; or fewest words first.",
)
@limit_options
@count_option
@show_option
@json_option
@vocabulary_options
def super_(
    index: str,
    phrases: tuple[str, ...],
    where: Any,
    direct: bool,
    max_extra: int | None,
    min_length: int | None,
    max_length: int | None,
    sort: Any,
    limit: int | None,
    offset: int,
    count: bool,
    show: Any,
    as_json: bool,
    **vocabulary: Any,
) -> int:
    """Print the terms that contain a phrase.

    The phrase need not be a term. Without PHRASE, phrases are read from standard input, one per
    line. With several phrases, each line is PHRASE, a tab, TERM.
    """
    phrases_of(phrases, index)  # what is wrong with them is reported before the index is loaded
    loaded = load_asked(index, vocabulary)
    columns = shown_columns(loaded, show)

    def ask(batch: list[str]) -> Table:
        return loaded.super_terms_batch(
            batch,
            where=where,
            direct=direct,
            max_extra=max_extra,
            min_length=min_length,
            max_length=max_length,
            sort=sort,
            limit=limit,
            offset=offset,
            columns=columns,
        )

    return _answer(
        phrases, index, loaded, ask, columns, "no other term contains it", count, as_json
    )


@click.command(
    cls=Command,
    epilog=examples(
        'termnest nested terms.nest "new york city hall"',
        'termnest nested terms.txt "new york city hall" --direct',
        "termnest nested terms.nest --count < phrases.txt",
    ),
)
@index_argument
@click.argument("phrases", metavar="[PHRASE]...", nargs=-1)
@where_option("the term", "the phrase")
@direct_option
@length_options
@sort_option("weight", "length", help="Heaviest first, or fewest words first.")
@limit_options
@count_option
@show_option
@json_option
@vocabulary_options
def nested(
    index: str,
    phrases: tuple[str, ...],
    where: Any,
    direct: bool,
    min_length: int | None,
    max_length: int | None,
    sort: Any,
    limit: int | None,
    offset: int,
    count: bool,
    show: Any,
    as_json: bool,
    **vocabulary: Any,
) -> int:
    """Print the terms that a phrase contains.

    A phrase that is itself a term is not nested in itself, so it is not printed. To find all terms
    of a running text, with their positions, use `termnest find`.

    Without PHRASE, phrases are read from standard input, one per line. With several phrases, each
    line is PHRASE, a tab, TERM.
    """
    phrases_of(phrases, index)
    loaded = load_asked(index, vocabulary)
    columns = shown_columns(loaded, show)

    def ask(batch: list[str]) -> Table:
        return loaded.nested_terms_batch(
            batch,
            where=where,
            direct=direct,
            min_length=min_length,
            max_length=max_length,
            sort=sort,
            limit=limit,
            offset=offset,
            columns=columns,
        )

    return _answer(
        phrases, index, loaded, ask, columns, "it contains no other term", count, as_json
    )


def _answer(
    phrases: tuple[str, ...],
    index: str,
    loaded: Asked,
    ask: Callable[[list[str]], Table],
    columns: list[str],
    none: str,
    count: bool,
    as_json: bool,
) -> int:
    """Prints the answers: only the terms for one phrase, else each with its phrase."""
    source = iter(phrases_of(phrases, index))
    alone = len(phrases) == 1 and phrases != (STANDARD_INPUT,)
    found = False
    # On a terminal, each phrase is answered when it was typed.
    typed = sys.stdin is not None and sys.stdin.isatty()
    while batch := list(islice(source, 1 if typed else _BATCH)):
        table = ask(batch)
        found = found or len(table) > 0
        if count:
            _print_counts(batch, table, alone, as_json)
        elif as_json:
            print_json({**row, "query": batch[row["query"]]} for row in table.to_pylist())
        elif alone:
            print_table(table, ["term", *columns])
        else:
            names = ("query", "term", *columns)
            rows = zip(*map(table.column, names), strict=True)
            print_rows((batch[query], *map(shown, row)) for query, *row in rows)
        if typed:
            sys.stdout.flush()
        if not len(table) and (alone or typed):
            [phrase] = batch
            own = loaded.lookup(phrase)
            note = f"`{printable(loaded[own[0]])}` is in the vocabulary, and {none}" if own else ""
            say_nothing_found(index, loaded, partial(_term_of, phrase=phrase), note)
    return exit_code(found)


def _term_of(index: Asked, phrase: str) -> str | None:
    """The term that a phrase is, or else one that contains it or is contained."""
    own = [index[id] for id in index.lookup(phrase)]
    terms = own or index.super_terms(phrase, limit=1) or index.nested_terms(phrase, limit=1)
    return terms[0] if terms else None


def _print_counts(batch: list[str], table: Table, alone: bool, as_json: bool) -> None:
    counts = [0] * len(batch)
    for query in table.column("query"):
        counts[query] += 1
    if as_json:
        print_json(
            {"query": phrase, "count": count} for phrase, count in zip(batch, counts, strict=True)
        )
    elif alone:
        print_lines(map(str, counts))
    else:
        print_rows(zip(batch, counts, strict=True))


@click.command(
    cls=Command,
    epilog=examples(
        "termnest find terms.nest article.txt",
        "termnest find terms.txt --fold --overlaps longest < article.txt",
        "termnest find terms.nest --where label=drug --show concept article.txt",
    ),
)
@index_argument
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@click.option(
    "--overlaps",
    type=Choice(get_args(Overlaps)),
    default="all",
    show_default=True,
    help="Which matches to print where several overlap: all; the longest, which are inside no "
    "other; or, from left to right, the longest at each place (leftmost), so that none overlap.",
)
@click.option(
    "--variants",
    type=Choice(get_args(Variants)),
    default="all",
    show_default=True,
    help="Which terms to print where several match at the same place: all, or the first.",
)
@conditions_option
@show_option
@json_option
@vocabulary_options
def find(
    index: str,
    texts: tuple[str, ...],
    overlaps: Any,
    variants: Any,
    conditions: tuple[str, ...],
    show: Any,
    as_json: bool,
    **vocabulary: Any,
) -> int:
    """Print the terms that occur in text files.

    Each line is START, END, TERM, with tabs in between; START and END count characters from 0. With
    several files, each line starts with the name of its file. Without TEXT, the text is read from
    standard input.

    With --fold, "city" is also found in "City" and "CITY", with --language en also in "cities".
    --errors applies to the texts as well.
    """
    names = texts or (STANDARD_INPUT,)
    if index == STANDARD_INPUT and STANDARD_INPUT in names:
        raise BadInput("standard input is the vocabulary already: give the name of a text file")
    errors = vocabulary["errors"] or "strict"
    if is_index_file(index) or is_store(index):
        vocabulary["errors"] = None  # it applies to the texts only
    loaded = load_asked(index, vocabulary)
    columns = shown_columns(loaded, show)
    where = conditions_of(loaded, conditions)
    printed = ["start", "end", "term", *columns]
    found = False
    for name in names:
        text = read_text(name, errors)
        matches = loaded.find(
            text, overlaps=overlaps, variants=variants, columns=columns, where=where
        )
        found = found or len(matches) > 0
        table = matches.table
        if len(names) == 1:
            print_table(table, None if as_json else printed)
        elif as_json:
            print_json({"file": name, **row} for row in table)
        else:
            rows = zip(*map(table.column, printed), strict=True)
            print_rows((name, *map(shown, row)) for row in rows)
    if not found and where is None and STANDARD_INPUT not in names:
        text = "\n".join(read_text(name, errors) for name in names)
        say_nothing_found(
            index,
            loaded,
            lambda other: next(
                (match.term for match in other.find(text, overlaps="longest")), None
            ),
        )
    return exit_code(found)


@click.command(
    cls=Command,
    epilog=examples(
        "termnest complete terms.nest goog",
        'termnest complete terms.nest "new york c" --limit 5',
    ),
)
@index_argument
@click.argument("prefix", metavar="PREFIX")
@click.option("--limit", type=Number(), default=10, show_default=True, help="Show at most N terms.")
@json_option
@vocabulary_options
def complete(index: str, prefix: str, limit: int, as_json: bool, **vocabulary: Any) -> int:
    """Print the terms that complete PREFIX.

    The last word of PREFIX may be unfinished; a space at the end of PREFIX finishes it. Terms that
    start with PREFIX come first, then terms that have it further inside; heaviest first in both.
    """
    loaded = load_asked(index, vocabulary)
    terms = loaded.complete(prefix, limit=limit)
    if not terms:
        say_nothing_found(index, loaded, lambda other: next(iter(other.complete(prefix)), None))
    if as_json:
        print_json({"term": term, "weight": loaded.weight(term)} for term in terms)
    else:
        print_rows([term] for term in terms)
    return exit_code(bool(terms))


@click.command(
    cls=Command,
    epilog=examples(
        'termnest expand terms.nest "basal cell"',
        "termnest expand terms.nest carcinoma --side left --limit 5",
    ),
)
@index_argument
@click.argument("phrase", metavar="PHRASE")
@click.option(
    "--side",
    type=Choice(["left", "right"]),
    help="Only the words before PHRASE (left) or after it (right).  [default: both]",
)
@click.option("--limit", type=Number(), help="Show at most N words per side.")
@json_option
@vocabulary_options
def expand(
    index: str, phrase: str, side: Any, limit: int | None, as_json: bool, **vocabulary: Any
) -> int:
    """Print the words that terms add to PHRASE, before it or after it.

    Each line is SIDE, WORD, TERMS, WEIGHT, with tabs in between: TERMS is the number of terms that
    have the word there, WEIGHT the sum of their weights. Heaviest first.
    """
    loaded = load_asked(index, vocabulary)
    sides: list[Any] = [side] if side else ["left", "right"]
    found = False
    for one in sides:
        table = loaded.expansions(phrase, side=one)
        first = range(len(table))[:limit]
        found = found or len(first) > 0
        if as_json:
            print_json({"side": one, **table[row]} for row in first)
        else:
            lines = islice(_lines(table), limit)
            sys.stdout.buffer.writelines(f"{one}\t".encode() + line for line in lines)
    if not found:
        say_nothing_found(index, loaded, partial(_term_of, phrase=phrase))
    return exit_code(found)


@click.command(
    cls=Command,
    epilog=examples(
        'termnest show terms.nest "new york"',
        "termnest show terms.txt carcinoma --limit 3",
    ),
)
@index_argument
@click.argument("phrase", metavar="PHRASE")
@click.option(
    "--limit",
    type=Number(),
    default=10,
    show_default=True,
    help="Show at most N terms of each kind.",
)
@json_option
@vocabulary_options
def show(index: str, phrase: str, limit: int, as_json: bool, **vocabulary: Any) -> int:
    """Print what a vocabulary has around PHRASE.

    The term itself with its id, weight and columns; the terms that match alike (variants), that it
    contains, that contain it, and that complete it.
    """
    loaded = load_asked(index, vocabulary)
    found = loaded.show(phrase, limit=limit)
    if as_json:
        print_json([asdict(found)])
    else:
        print_lines([str(found)])
    something = found.id is not None or found.super_terms or found.nested_terms or found.completions
    if not something:
        say_nothing_found(index, loaded, partial(_term_of, phrase=phrase))
    return exit_code(bool(something))


def _lines(table: Table) -> Iterator[bytes]:
    lines = io.BytesIO()
    table.write_tsv(lines, header=False)
    lines.seek(0)
    return lines
