"""The tree of terms and their heads: tree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from termnest.cli.errors import BadInput
from termnest.cli.exit_codes import FOUND, NOTHING_FOUND, exit_code
from termnest.cli.loading import STANDARD_INPUT, load
from termnest.cli.options import (
    Choice,
    Command,
    Number,
    examples,
    index_argument,
    vocabulary_options,
)
from termnest.cli.output import cell, counted, print_lines
from termnest.errors import UnknownTermError


@click.command(
    cls=Command,
    epilog=examples(
        "termnest tree terms.nest carcinoma",
        "termnest tree terms.nest --depth 1 --limit 20",
        "termnest tree terms.nest -o terms.ttl --base-uri https://example.org/terms/",
        "termnest tree terms.nest carcinoma -o carcinoma.svg",
    ),
)
@index_argument
@click.argument("term", metavar="[TERM]", required=False)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the tree to FILE as SKOS (.ttl), TBX (.tbx), GraphML (.graphml), DOT (.dot) or "
    "node-link JSON (.json); or draw the terms directly around TERM (.svg).",
)
@click.option("--depth", type=Number(), help="Show N levels below the top.  [default: all]")
@click.option(
    "--limit",
    type=Number(),
    help="Show at most N terms below each term; in a picture, on each side.  [default: all; in a "
    "picture 12]",
)
@click.option(
    "--head",
    type=Choice(["auto", "first", "last"]),
    default="auto",
    help="Where terms have their heads: first as in French, last as in English.  [default: that of "
    "the language, given or detected]",
)
@click.option(
    "--base-uri",
    metavar="URI",
    help="The start of the URIs in a .ttl file; the term or its own id follows.  "
    "[default: urn:termnest:]",
)
@click.option(
    "--title", help="The title of the terms in a .ttl or .tbx file.  [default: the name of FILE]"
)
@vocabulary_options
def tree(
    index: str,
    term: str | None,
    output: str | None,
    depth: int | None,
    limit: int | None,
    head: str,
    base_uri: str | None,
    title: str | None,
    **vocabulary: Any,
) -> int:
    """Print terms below their heads as a tree, or write the tree to a file.

    A term is usually a kind of its head: "cell carcinoma" is below "carcinoma". The head is the
    longest other term at the end of a term, before its first article or preposition; in French and
    other Romance languages, at its beginning. With TERM, only TERM and the terms below it are
    printed; without it, every tree of two or more terms. Heaviest first.

    A file also has the other direct containments between its terms.
    """
    where: Any = None if head == "auto" else head
    # Of the terms: it decides where heads are, not how they match.
    language = vocabulary.pop("language", None)
    if output is not None:
        how = {
            "depth": depth,
            "limit": limit,
            "head": where,
            "language": language,
            "base_uri": base_uri,
            "title": title,
        }
        return _write(index, term, output, how, vocabulary)
    if base_uri is not None:
        raise BadInput("--base-uri needs -o FILE.ttl")
    if title is not None:
        raise BadInput("--title needs -o FILE.ttl or -o FILE.tbx")
    # Imported here, so that other commands start faster.
    from termnest.terminology.tree import Tree

    loaded = load(index, vocabulary)
    whole = Tree(loaded, language, where)
    if term is None:
        roots = whole.roots(alone=False)
    else:
        root = whole.find(term)
        roots = [] if root is None else [root]
    print_lines(
        f"{'  ' * level}{cell(whole.term(id)) if id is not None else f'... {left_out:,} more'}"
        for level, id, left_out in whole.walk(roots, depth, limit)
    )
    return exit_code(bool(roots))


def _write(
    index: str,
    term: str | None,
    output: str,
    how: dict[str, Any],
    vocabulary: dict[str, Any],
) -> int:
    from termnest.terminology.export import file_format, write_taxonomy

    # Wrong options are reported before the index is loaded.
    is_picture = file_format(output) == ".svg"
    depth, limit, base_uri = how["depth"], how["limit"], how["base_uri"]
    if is_picture and term is None:
        raise BadInput(f"{output} is a picture of the terms around one term: give TERM")
    if is_picture and depth is not None:
        raise BadInput("a picture shows direct neighbours only: leave out --depth")
    if base_uri is not None and file_format(output) != ".ttl":
        raise BadInput("--base-uri needs -o FILE.ttl")
    if how["title"] is not None and file_format(output) not in (".ttl", ".tbx"):
        raise BadInput("--title needs -o FILE.ttl or -o FILE.tbx")
    target, source = Path(output), Path(index)
    if index != STANDARD_INPUT and target.exists() and source.exists() and target.samefile(source):
        raise BadInput(f"{output} is the vocabulary itself: choose another output, -o FILE")
    loaded = load(index, vocabulary)
    try:
        written = write_taxonomy(loaded, output, term=term, **how)
    except UnknownTermError as error:
        click.echo(f"{error}: nothing was written", err=True)
        return NOTHING_FOUND
    notes = [
        counted(written.terms, "term"),
        counted(written.broader, "broader edge"),
        counted(written.contains, "contains edge"),
    ]
    if written.left_out:
        by = ["--depth"] * (depth is not None) + ["--limit"] * (limit is not None or is_picture)
        notes.append(f"{counted(written.left_out, 'term')} left out by {' and '.join(by)}")
    click.echo(f"{output}: {', '.join(notes)}", err=True)
    return FOUND
