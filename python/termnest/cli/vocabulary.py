"""Vocabularies and their indexes: build, info, check, pairs, variants."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import click

from termnest.cli.errors import BadInput
from termnest.cli.exit_codes import FOUND, exit_code
from termnest.cli.loading import STANDARD_INPUT, is_index_file, load, load_asked
from termnest.cli.options import (
    Command,
    direct_option,
    examples,
    index_argument,
    json_option,
    show_option,
    shown_columns,
    vocabulary_options,
)
from termnest.cli.output import counted, print_json, print_lines, print_table
from termnest.snapshot import Snapshot


@click.command(
    cls=Command,
    epilog=examples(
        "termnest build terms.txt",
        "termnest build w2v.txt.gz --separator _ -o w2v.nest",
        "cut -f1 terms.tsv | termnest build - -o terms.nest",
    ),
)
@click.argument("vocabulary", metavar="VOCABULARY")
@click.option(
    "-o", "--output", metavar="FILE", help="Where to save the index.  [default: VOCABULARY.nest]"
)
@vocabulary_options
def build(vocabulary: str, output: str | None, **options: Any) -> int:
    """Index a vocabulary and save the index.

    VOCABULARY is a text file with one term per line, a table or JSON Lines: see `termnest --help`.
    All other commands open the saved index at once, however large it is.
    """
    if is_index_file(vocabulary):
        raise BadInput(f"{vocabulary} is an index already: give the vocabulary")
    if output is None and vocabulary == STANDARD_INPUT:
        raise BadInput("the vocabulary is standard input: say where to save its index, -o FILE")
    if output == "-":
        raise BadInput("an index cannot be printed: say where to save it, -o FILE")
    target = Path(output) if output is not None else _default_output(Path(vocabulary))
    if vocabulary != STANDARD_INPUT and target.exists() and target.samefile(vocabulary):
        raise BadInput(f"{target} is the vocabulary itself: choose another output, -o FILE")
    if _is_something_else(target):
        raise BadInput(
            f"{target} exists and is not a termnest index: delete it or choose another output, "
            "-o FILE"
        )
    started = time.perf_counter()
    index = load(vocabulary, options)
    seconds = time.perf_counter() - started
    index.save(target)
    stats = index.stats()
    notes = [counted(stats.terms, "term")]
    if stats.skipped:
        entries = "entry" if stats.skipped == 1 else "entries"
        notes.append(f"{stats.skipped:,} {entries} without a word skipped")
    if stats.duplicates:
        notes.append(f"{counted(stats.duplicates, 'duplicate')} merged")
    click.echo(
        f"{target}: {', '.join(notes)}; built in {seconds:.2f} s, {stats.file_bytes / 1e6:,.1f} MB",
        err=True,
    )
    return FOUND


def _is_something_else(target: Path) -> bool:
    """Whether there is a file that is neither an index nor empty."""
    if not target.is_file() or target.stat().st_size == 0:
        return False  # a folder or a pipe: saving reports what is wrong, if anything
    return not is_index_file(str(target))


def _default_output(vocabulary: Path) -> Path:
    if vocabulary.is_dir():
        raise BadInput(f"{vocabulary} is a folder: give the name of a file")
    name = vocabulary.name
    for suffix in (".gz", ".zst"):
        name = name.removesuffix(suffix) or name
    return vocabulary.with_name(name).with_suffix(".nest")


@click.command(
    cls=Command, epilog=examples("termnest info terms.nest", "termnest info terms.txt --pairs")
)
@index_argument
@click.option("--pairs", is_flag=True, help="Also count the pairs of nested and super terms.")
@json_option
@vocabulary_options
def info(index: str, pairs: bool, as_json: bool, **vocabulary: Any) -> int:
    """Print the size of an index and the options that it was built with."""
    loaded = load_asked(index, vocabulary, asks=False)
    if isinstance(loaded, Snapshot):
        facts = loaded.stats()._asdict()
        facts["segments"] = ", ".join(f"{rows:,} rows" for _, rows in loaded.stats().segments)
        if pairs:
            facts["pairs"] = loaded.index().stats(pairs).pairs
    else:
        stats = loaded.stats(pairs)._asdict().items()
        facts = {name: fact for name, fact in stats if fact is not None}
    options = loaded.options
    facts |= {
        "tokenizer": options.tokenizer,
        "separator": options.separator,
        "lowercase": options.lowercase,
        "strip_accents": options.strip_accents,
        "fold": options.fold,
        "language": options.language,
        "hyphens": options.hyphens,
        "case": options.case,
        "weights": loaded.weighted,
        "columns": loaded.column_types,
    }
    if as_json:
        print_json([facts])
    else:
        for name, fact in facts.items():
            text = f"{fact:,}" if type(fact) is int else json.dumps(fact, ensure_ascii=False)
            if isinstance(fact, dict):
                text = ", ".join(f"{name} ({kind})" for name, kind in fact.items()) or "none"
            print_lines([f"{name.replace('_', ' '):16}{text}"])
    return FOUND


@click.command(cls=Command, epilog=examples("termnest check terms.nest"))
@click.argument("index", metavar="INDEX")
def check(index: str) -> int:
    """Verify every byte of an index.

    Do this after copying an index, or if you suspect the disk. A damaged index gives exit code 3:
    restore the file, or build it again from its vocabulary.
    """
    loaded = load_asked(index, None, asks=False)
    loaded.check()
    print_lines([f"{index}: no damage found, {counted(len(loaded), 'term')}"])
    return FOUND


@click.command(
    cls=Command,
    epilog=examples("termnest pairs terms.txt > pairs.tsv", "termnest pairs terms.nest --direct"),
)
@index_argument
@direct_option
@show_option
@json_option
@vocabulary_options
def pairs(index: str, direct: bool, show: Any, as_json: bool, **vocabulary: Any) -> int:
    """Print every pair of a nested term and a term that contains it.

    Each line is NESTED TERM, a tab, SUPER TERM. There may be far more pairs than terms: count them
    first with `termnest info INDEX --pairs`.
    """
    loaded = load(index, vocabulary)
    columns = shown_columns(loaded, show)
    table = loaded.pairs(direct=direct, terms=True, columns=columns)
    printed = [f"{side}_{name}" for name in ("term", *columns) for side in ("nested", "super")]
    print_table(table, None if as_json else printed)
    return exit_code(len(table) > 0)


@click.command(
    cls=Command,
    epilog=examples(
        "termnest variants terms.txt --fold",
        "termnest variants terms.nest --show concept --json",
    ),
)
@index_argument
@show_option
@json_option
@vocabulary_options
def variants(index: str, show: Any, as_json: bool, **vocabulary: Any) -> int:
    """Print the terms that match alike, in groups: what is in the vocabulary more than once.

    Each line is GROUP, a tab, TERM; GROUP is a number. With --fold, "New York" and "NEW YORK" are a
    group, with --language en also "cell" and "cells".
    """
    loaded = load(index, vocabulary)
    columns = shown_columns(loaded, show)
    table = loaded.variants(columns=columns)
    print_table(table, None if as_json else ["group", "term", *columns])
    return exit_code(len(table) > 0)
