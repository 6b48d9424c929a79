"""From texts to ranked terms: extract."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import click

from termnest.atomic import atomic_write
from termnest.cli.errors import BadInput, flag
from termnest.cli.exit_codes import FOUND, NOTHING_FOUND
from termnest.cli.loading import STANDARD_INPUT, load, read_text
from termnest.cli.options import Choice, Column, Command, Number, examples, given_options
from termnest.cli.output import counted, printable
from termnest.cli.progress import progress_bar
from termnest.cli.signals import tidy_when_terminated
from termnest.options import TERM_SCORES
from termnest.table import Table

_MOST_WARNINGS = 10
"""Skipped files that are reported one by one; the others are only counted."""

# The options that make sense for some kinds of candidates only.
_OF_CORPORA = {"language", "reference", "stop_words", "no_fold", "field", "contexts"}
_OF_NOUN_PHRASES = {"spacy_model", "processes"}
_OF_VOCABULARIES = {"column", "weight_column", "separator"}
_USELESS = {
    "ngrams": _OF_NOUN_PHRASES | _OF_VOCABULARIES,
    "noun-phrases": _OF_VOCABULARIES,
    "vocabulary": _OF_CORPORA | _OF_NOUN_PHRASES,
}


@click.command(
    cls=Command,
    epilog=examples(
        "termnest extract reports/ -o terms.tsv",
        "termnest extract rapports/ --language fr --top 500 -o termes.csv",
        "termnest extract reports/ --reference news/ --score keyness -o terms.tsv",
        "termnest extract corpus.jsonl.gz --field body --top 1000 -o terms.csv",
        "termnest extract reports/ --candidates noun-phrases --spacy-model en_core_web_sm",
        "termnest extract counts.tsv --candidates vocabulary --score c-value-jate -o scored.tsv",
    ),
)
@click.argument("corpus", metavar="CORPUS...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the terms to FILE: .tsv, .csv, .jsonl, .parquet, .xlsx or .tbx.  [default: print "
    "TSV]",
)
@click.option(
    "--candidates",
    type=Choice(["ngrams", "noun-phrases", "vocabulary"]),
    default="ngrams",
    show_default=True,
    help="What may be a term: any run of words without a function word (ngrams), noun phrases that "
    "spaCy finds, or the terms of a vocabulary.",
)
@click.option(
    "--language",
    metavar="CODE",
    help="The code of the language of the texts: en, fr, de and so on.  [default: detected]",
)
@click.option(
    "--reference",
    multiple=True,
    metavar="PATH",
    help="Compare with other texts: a file, a folder, or a vocabulary with counts; none compares "
    "with nothing.  [default: general language, if termnest[terminology] is installed]",
)
@click.option(
    "--score",
    type=Choice(TERM_SCORES),
    help="The score by which terms are ranked; docs/terminology.md has the formulas. keyness, "
    "log-likelihood and weirdness compare with other texts.  [default: termhood; for a vocabulary "
    "c-value]",
)
@click.option(
    "--keep",
    type=Choice(["all", "maximal"]),
    help="maximal drops fragments: terms that occur only inside longer ones.  [default: maximal; "
    "for a vocabulary all]",
)
@click.option("--top", type=Number(), help="Keep only the best N terms.")
@click.option(
    "--contexts", type=Number(), help="Add up to N sentences that contain each term.  [default: 0]"
)
@click.option(
    "--min-frequency",
    type=Number(),
    help="Drop candidates that occur fewer than N times.  [default: 2; for a vocabulary 0]",
)
@click.option(
    "--max-words",
    type=Number(1),
    help="Drop candidates of more than N words; ngrams have at most 20.  [default: 5 for ngrams]",
)
@click.option(
    "--stop-words",
    metavar="FILE",
    help="A text file of the function words, of which no term has any but connectors such as of.  "
    "[default: those of the language]",
)
@click.option(
    "--no-fold", is_flag=True, help="Count Solar and solar as two words; otherwise as one."
)
@click.option("--spacy-model", metavar="NAME", help="The spaCy pipeline that finds noun phrases.")
@click.option("--processes", type=Number(1), help="Run spaCy in N processes.  [default: 1]")
@click.option(
    "--format",
    type=Choice(["text", "jsonl", "tsv", "csv", "parquet"]),
    help="The format of the files, if their names do not show it.",
)
@click.option(
    "--field", metavar="NAME", help="The field of JSON Lines that has the text.  [default: text]"
)
@click.option(
    "--encoding",
    metavar="NAME",
    help="The encoding of the files, such as cp1252.  [default: UTF-8]",
)
@click.option(
    "--column",
    type=Column(),
    help="The column of a vocabulary's terms: its name, or its number from 0.",
)
@click.option("--weight-column", type=Column(), help="The column of their frequencies.")
@click.option("--separator", metavar="TEXT", help="Split the terms of a vocabulary at TEXT.")
@click.option(
    "--errors",
    type=Choice(["strict", "replace"]),
    help="Bytes that are not UTF-8: stop with an error (strict), or put U+FFFD in their place "
    "(replace).  [default: strict]",
)
def extract(
    corpus: tuple[str, ...],
    output: str | None,
    candidates: str,
    score: Any,
    keep: Any,
    top: int | None,
    reference: tuple[str, ...],
    **options: Any,
) -> int:
    """Find the terms of texts, and rank them.

    CORPUS is text files, folders of text files, .jsonl files (also .gz), or - for standard input.
    With --candidates vocabulary, it is one vocabulary with the frequencies of its terms, or an
    index of one.

    Each line is TERM, FREQUENCY, SCORE, DOCUMENTS, SUPER COUNT, NESTED COUNT, FORMS, with tabs in
    between: how often the term occurs in all of its forms, its score, in how many documents, how
    many candidates contain it, how many it contains, and how often each form occurs. Best first.
    All other commands can read the result as a vocabulary.

    Start with the defaults. The language is detected and reported; name it if it is wrong.
    """
    # Imported here, so that other commands start faster.
    from termnest import terminology
    from termnest.terminology.export import writer

    started = time.perf_counter()
    given = given_options(options)
    if reference:
        given["reference"] = False if reference == ("none",) else list(reference)
    _refuse_useless(candidates, given)
    _refuse_own_output(corpus, output, candidates, given)
    if STANDARD_INPUT in corpus and given.get("stop_words") == STANDARD_INPUT:
        raise BadInput("standard input is the corpus already: give --stop-words a file")
    write: Callable[[Table, BinaryIO], None] = Table.write_tsv
    if output is not None:
        write = writer(output, language=given.get("language"))
    with ExitStack() as stack:
        stack.enter_context(tidy_when_terminated())
        # Opened first: an output that cannot be written is reported before the work.
        file = stack.enter_context(atomic_write(output)) if output is not None else None
        if candidates == "vocabulary":
            found = _rank_vocabulary(corpus, given, score=score, keep=keep, top=top)
        else:
            if "stop_words" in given:
                errors = given.get("errors", "strict")
                given["stop_words"] = read_text(given["stop_words"], errors).split()
            if given.pop("no_fold", False):
                given["fold"] = False
            if output is not None:
                # A file in the folder that an earlier run wrote needs no warning.
                given["exclude"] = [output]
            kind: Any = candidates
            with progress_bar() as progress:
                found = terminology.extract(
                    corpus, candidates=kind, score=score, keep=keep, top=top, progress=progress,
                    **given,
                )  # fmt: skip
        _warn_of_skipped(found.skipped)
        if not len(found.table):
            among = counted(found.candidates, "candidate")
            click.echo(f"no term found among {among}", err=True)
            # Leaves without writing, so that an older file stays.
            raise click.exceptions.Exit(NOTHING_FOUND)
        if output is not None and found.language is not None:
            write = writer(output, language=found.language)
        write(found.table, file if file is not None else sys.stdout.buffer)
    facts = [counted(found.files, "file")]
    if found.skipped:
        facts[0] += f" ({len(found.skipped):,} skipped)"
    if found.words:
        facts.append(counted(found.words, "word"))
    for warning in found.warnings:
        click.echo(f"warning: {warning}", err=True)
    if found.language is not None:
        how = "" if "language" in given or "spacy_model" in given else ", detected"
        facts.append(f"{terminology.language(found.language).name}{how}")
        facts.append(f"compared with {found.reference}" if found.reference else "no reference")
    click.echo(
        f"{output or 'printed'}: {counted(len(found.table), 'term')} of "
        f"{counted(found.candidates, 'candidate')}; {', '.join(facts)}; "
        f"{time.perf_counter() - started:.1f} s",
        err=True,
    )
    return FOUND


def _refuse_useless(candidates: str, given: dict[str, Any]) -> None:
    if useless := _USELESS[candidates] & set(given):
        names = ", ".join(map(flag, sorted(useless)))
        do, them = ("does", "it") if len(useless) == 1 else ("do", "them")
        raise BadInput(f"{names} {do} not apply to --candidates {candidates}: leave {them} out")
    if candidates != "vocabulary" and given.get("format") in ("tsv", "csv", "parquet"):
        raise BadInput(
            f"--format cannot be {given['format']}: a corpus is text or jsonl; for a table of "
            "terms, give --candidates vocabulary"
        )


def _refuse_own_output(
    corpus: tuple[str, ...], output: str | None, candidates: str, given: dict[str, Any]
) -> None:
    """The output must not replace a text of the corpus."""
    from termnest.terminology import Corpus

    if output == "-":
        raise BadInput("leave -o out to print the terms")
    if output is None or not Path(output).is_file():
        return
    for path in corpus:
        if Path(path).is_file() and Path(path).samefile(output):
            raise BadInput(f"{output} is the corpus itself: choose another output, -o FILE")
    how = {name: given[name] for name in ("format", "field") if name in given}
    if candidates != "vocabulary" and Corpus(corpus, **how).holds_text(output):
        raise BadInput(f"{output} is part of the corpus: choose another output, -o FILE")


def _rank_vocabulary(names: tuple[str, ...], given: dict[str, Any], **how: Any) -> Any:
    """The extraction of a vocabulary, whose terms and frequencies are known."""
    from termnest.terminology import Extraction, rank

    if len(names) != 1:
        raise BadInput(f"give one vocabulary, not {len(names)}")
    min_frequency, max_words = given.pop("min_frequency", 0), given.pop("max_words", None)
    index = load(names[0], given)
    if not index.weighted:
        click.echo(
            "there are no weights, so every frequency is 1: name their column with --weight-column",
            err=True,
        )
    if min_frequency or max_words is not None:
        index = index.filtered(min_weight=min_frequency, max_length=max_words)
    return Extraction(rank(index, **how), len(index), 0, 1, [])


def _warn_of_skipped(skipped: Sequence[tuple[str, str]]) -> None:
    for path, reason in skipped[:_MOST_WARNINGS]:
        click.echo(printable(f"skipped {path}: {reason}"), err=True)
    if len(skipped) > _MOST_WARNINGS:
        click.echo(f"skipped {len(skipped) - _MOST_WARNINGS:,} more files", err=True)
