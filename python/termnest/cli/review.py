"""The review of a list of terms in a browser: review."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from termnest.cli.errors import BadInput
from termnest.cli.exit_codes import FOUND, NOTHING_FOUND, SERVER_FAILED
from termnest.cli.loading import STANDARD_INPUT, load
from termnest.cli.options import Command, Number, examples, given_options
from termnest.cli.output import counted, printable
from termnest.cli.progress import progress_bar

_MOST_PORT = 65_535
_OF_TEXTS = ("field", "encoding")
_LISTS = (".tsv", ".csv", ".xlsx", ".tbx", ".ttl", ".rdf", ".parquet", ".nest")


@click.command(
    cls=Command,
    epilog=examples(
        "termnest review reports/",
        "termnest review rapports/ --language fr --top 2000",
        "termnest review terms.tsv --corpus reports/",
    ),
)
@click.argument("source", metavar="FOLDER|LIST")
@click.option("--corpus", metavar="PATH", help="The texts in which the terms of LIST are shown.")
@click.option(
    "--decisions",
    metavar="FILE",
    help="Keep the decisions in FILE.  [default: beside FOLDER or LIST, with .review.jsonl added]",
)
@click.option("--language", metavar="CODE", help="The language of the texts.  [default: detected]")
@click.option("--reference", metavar="PATH", help="Compare with other texts, as extract does.")
@click.option("--top", type=Number(), help="Review only the best N terms.")
@click.option(
    "--min-frequency", type=Number(), help="Drop terms that occur fewer than N times.  [default: 2]"
)
@click.option("--field", metavar="NAME", help="The field of JSON Lines.  [default: text]")
@click.option("--encoding", metavar="NAME", help="The encoding of the texts.  [default: UTF-8]")
@click.option(
    "--port",
    type=Number(0, _MOST_PORT),
    default=8080,
    show_default=True,
    help="The port; 0 for any free one.",
)
def review(
    source: str, corpus: str | None, decisions: str | None, port: int, **options: Any
) -> int:
    """Accept, reject and merge terms in a browser, and download the result.

    The terms are those of FOLDER, as `termnest extract` finds them, or those of LIST, a vocabulary.
    Open the address that is printed. Each decision is kept at once in a file, and is there again
    the next time. Only programs on this machine can connect. Ctrl-C ends the server.
    """
    if source == STANDARD_INPUT or corpus == STANDARD_INPUT:
        raise BadInput("the texts are read again for each term: give a file or a folder")
    # Imported here, so that other commands start faster.
    from termnest.server import Settings
    from termnest.server.review import Review
    from termnest.server.run import serve as run_server

    given = given_options(options)
    how: dict[str, Any] = {name: given[name] for name in _OF_TEXTS if name in given}
    is_list = source.lower().removesuffix(".gz").endswith(_LISTS)
    if is_list:
        terms, language = _terms_of_list(source, given), given.get("language")
    else:
        if corpus is not None:
            raise BadInput(f"--corpus goes with a list of terms, and {source} has texts itself")
        terms, language = _terms_of_texts(source, given)
    if not terms:
        click.echo(f"no term found in {source}", err=True)
        return NOTHING_FOUND
    texts = corpus if is_list else source
    path = Path(decisions or f"{source.rstrip('/')}.review.jsonl")
    listed = Review(
        terms,
        path,
        language=language,
        title=Path(source).resolve().stem,
        corpus=None if texts is None else ([texts], how),
    )
    names = [term.term for term in terms]
    from termnest.index import TermIndex

    index = TermIndex(names, weights=[term.frequency for term in terms], fold=True)

    def ready(url: str) -> None:
        click.echo(
            printable(
                f"reviewing {counted(len(terms), 'term')} at {url}review; decisions are kept in "
                f"{path} (Ctrl-C ends it)"
            ),
            err=True,
        )

    was_stopped = run_server(index, Settings(), port=port, review=listed, ready=ready)
    return FOUND if was_stopped else SERVER_FAILED


def _terms_of_texts(source: str, given: dict[str, Any]) -> tuple[list[Any], str | None]:
    from termnest.parquet import forms_of
    from termnest.server.review import Term
    from termnest.terminology import extract

    if given.get("reference") == "none":
        given["reference"] = False
    with progress_bar() as progress:
        found = extract(source, progress=progress, **given)
    for path, reason in found.skipped:
        click.echo(printable(f"skipped {path}: {reason}"), err=True)
    for warning in found.warnings:
        click.echo(f"warning: {warning}", err=True)
    terms = [
        Term(
            row["term"],
            row["frequency"],
            row["score"],
            row["documents"],
            tuple(forms_of(row["term"], row["forms"])),
        )
        for row in found.table
    ]
    return terms, found.language


def _terms_of_list(source: str, given: dict[str, Any]) -> list[Any]:
    from termnest.server.review import Term

    for name in ("reference", "field"):
        if name in given:
            raise BadInput(f"--{name} goes with texts, and {source} is a list of terms")
    encoding = {"encoding": given["encoding"]} if "encoding" in given else {}
    index = load(source, encoding)
    if least := given.get("min_frequency"):
        index = index.filtered(min_weight=least)
    forms: dict[str, list[str]] = {}
    for row in index.aliases():
        forms.setdefault(row["term"], []).append(row["alias"])
    rows = index.ranking(score="frequency", top=given.get("top"))
    return [
        Term(row["term"], row["frequency"], row["score"], 0, tuple(forms.get(row["term"], ())))
        for row in rows
    ]
