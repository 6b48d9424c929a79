"""Vocabularies that change: add, remove, compact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from termnest.cli.errors import BadInput
from termnest.cli.exit_codes import FOUND
from termnest.cli.loading import STANDARD_INPUT, load, phrases_of
from termnest.cli.options import Command, examples, given_options, vocabulary_options
from termnest.cli.output import counted
from termnest.index import TermIndex
from termnest.store import TermStore, is_store

store_argument = click.argument("store", metavar="STORE")
terms_argument = click.argument("terms", metavar="[TERM]...", nargs=-1)
# The options of a vocabulary that say how terms match.
_MATCHING = (
    *("separator", "tokenizer", "lowercase", "strip_accents"),
    *("fold", "language", "hyphens", "case"),
)


@click.command(
    cls=Command,
    epilog=examples(
        "termnest add terms.store --create --fold --file terms.tsv",
        'termnest add terms.store "lung cancer" "breast cancer"',
        'termnest add terms.store "lung cancer" --weight 12',
        "termnest add terms.store < new-terms.txt",
    ),
)
@store_argument
@terms_argument
@click.option(
    "--file", "file", metavar="VOCABULARY", help="Add the terms of a vocabulary; - for its text."
)
@click.option("--weight", type=float, help="The weight of the terms.")
@click.option(
    "--create", is_flag=True, help="Create STORE if it does not exist, with the options below."
)
@vocabulary_options
def add(
    store: str,
    terms: tuple[str, ...],
    file: str | None,
    weight: float | None,
    create: bool,
    **vocabulary: Any,
) -> int:
    """Add terms to a store, a vocabulary that changes.

    STORE is a folder. All commands that take INDEX take it, while terms are added and removed.
    Without TERM and --file, terms are read from standard input, one per line. Of a term that is
    there, what is given is changed: its weight, its columns. Either all terms are added or none.
    """
    given = given_options(vocabulary)
    matching = {name: given.pop(name) for name in _MATCHING if name in given}
    if file is None and given.keys() - {"threads"}:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in sorted(given))
        raise BadInput(f"{names} describes a vocabulary: give its name with --file")
    if file is not None and terms:
        raise BadInput("terms come from --file or from the command line: leave out one of them")
    if not create and not is_store(store) and not Path(store).exists():
        raise BadInput(f"there is no store {store}: correct the name, or create it with --create")
    listed = None if file is not None else list(phrases_of(terms, ""))
    with TermStore.open(
        store, create=create, threads=given.pop("threads", None), **matching
    ) as opened:
        before = len(opened)
        if listed is not None:
            weights = None if weight is None else [weight] * len(listed)
            ids = opened.add_many(listed, weights=weights)
        else:
            assert file is not None
            ids = _add_vocabulary(opened, file, weight, given)
        opened.commit()
        added, count = len(opened) - before, len({id for id in ids if id is not None})
        notes = [f"{counted(added, 'term')} added"]
        if count > added:
            notes.append(f"{count - added:,} changed")
        if None in ids:
            notes.append(f"{ids.count(None):,} without a word skipped")
        _report(store, opened, ", ".join(notes))
    return FOUND


def _add_vocabulary(
    store: TermStore, file: str, weight: float | None, given: dict[str, Any]
) -> list[int | None]:
    """Adds the terms of a vocabulary with their weights, columns and aliases."""
    if is_store(file):
        raise BadInput(f"{file} is a store: give a vocabulary or an index")
    index = _vocabulary(store, file, given)
    rows = list(index)
    weights = [index.weight(term) for term in rows] if index.weighted else None
    if weight is not None:
        weights = [weight] * len(rows)
    columns = {name: index.column(name).to_list() for name in index.columns}
    names: dict[str, list[str]] = {}
    for row in index.aliases().to_pylist():
        names.setdefault(row["term"], []).append(row["alias"])
    return store.add_many(rows, weights=weights, columns=columns or None, aliases=names or None)


def _vocabulary(store: TermStore, file: str, given: dict[str, Any]) -> TermIndex:
    """The vocabulary of a file, whose terms match as those of the store do."""
    own = store.options._asdict()
    if store.options.normalize:
        raise BadInput(
            "the store was created with a normalize function in Python: change it in Python, with "
            "TermStore.open(path, normalize=...)"
        )
    own = {name: own[name] for name in _MATCHING}
    if file != STANDARD_INPUT and Path(file).is_file():
        from termnest.files import is_index

        if is_index(file):
            return load(file, given)
    return load(file, {**given, **own})


@click.command(
    cls=Command,
    epilog=examples(
        'termnest remove terms.store "old term"',
        "termnest remove terms.store < old-terms.txt",
    ),
)
@store_argument
@terms_argument
def remove(store: str, terms: tuple[str, ...]) -> int:
    """Remove terms from a store.

    Without TERM, terms are read from standard input, one per line. Either all of them are removed
    or, if one is not in the store, none.
    """
    listed = list(phrases_of(terms, ""))
    with TermStore.open(store) as opened:
        before = len(opened)
        opened.remove_many(listed)
        opened.commit()
        _report(store, opened, f"{counted(before - len(opened), 'term')} removed")
    return FOUND


@click.command(cls=Command, epilog=examples("termnest compact terms.store"))
@store_argument
def compact(store: str) -> int:
    """Merge the segments of a store into one index, without what was removed.

    It takes the time of a build. Afterwards questions are as fast as those of an index. Readers are
    not disturbed.
    """
    with TermStore.open(store) as opened:
        opened.compact()
        _report(store, opened, "compacted")
    return FOUND


def _report(name: str, store: TermStore, what: str) -> None:
    stats = store.stats()
    click.echo(
        f"{name}: {what}; {counted(stats.terms, 'term')}, generation {stats.generation:,}, "
        f"{stats.file_bytes / 1e6:,.1f} MB",
        err=True,
    )
