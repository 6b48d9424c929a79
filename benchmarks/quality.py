"""The quality of extraction and of the taxonomy, on gold lists.

    make bench-quality GOLD='folder folder'

A folder has gold lists of two kinds, plain or compressed with gzip, each beside what it is for:

- `NAME.gold.tsv` with the column `term`, beside the texts `NAME.jsonl` (`document`, `text`);
- `NAME.gold.tsv` with the columns `narrower` and `broader`, beside the terms `NAME.terms.txt`.

The language is a part of NAME: `corruption_en`, `en-food`. Terms are compared in lower case.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from report import facts, write_csv, write_markdown
from termnest.terminology.languages import LANGUAGES

COLUMNS = ["task", "gold list", "language", "variant", "measure", "value"]
# How many terms from the top of a list are looked at.
CUTS = (100, 500, 1000)

Row = tuple[str, str, str, str, str, str]


class Gold(NamedTuple):
    """A gold list and what it is for."""

    name: str
    language: str
    source: Path
    rows: list[dict[str, str]]


def main() -> None:
    """Measures, prints the results and writes them to files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", nargs="+", type=Path, help="folders with gold lists")
    parser.add_argument("--only", default="", help="only the gold lists with this in their name")
    parser.add_argument("--out", type=Path, default=Path("target/bench"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    found = [gold for folder in options.folders for gold in gold_lists(folder)]
    for gold in found:
        if options.only not in gold.name:
            continue
        measure = taxonomy_rows if "narrower" in gold.rows[0] else extraction_rows
        for row in measure(gold):
            print("\t".join(row), flush=True)
            rows.append(row)
    if not rows:
        parser.error("the folders have no NAME.gold.tsv")
    conditions = facts(sys.argv, {})
    write_csv(options.out / "quality.csv", COLUMNS, rows, conditions)
    write_markdown(options.out / "quality.md", "Quality", COLUMNS, rows, conditions)


def gold_lists(folder: Path) -> Iterator[Gold]:
    """The gold lists of a folder, by name."""
    for path in sorted(folder.iterdir()):
        name, found, _ = path.name.partition(".gold.tsv")
        if not found:
            continue
        header, *lines = read(path).splitlines()
        columns = header.split("\t")
        rows = [dict(zip(columns, line.split("\t"), strict=False)) for line in lines if line]
        kinds = [".terms.txt"] if "narrower" in columns else [".jsonl"]
        sources = [folder / (name + kind + end) for kind in kinds for end in ("", ".gz")]
        source = next((source for source in sources if source.exists()), None)
        if source is None:
            sys.exit(f"{path} is a gold list of {folder / (name + kinds[0])}, which is not there")
        language = next((part for part in re.split(r"[^a-z]", name) if part in LANGUAGES), None)
        if language is None:
            sys.exit(f"{path}: no part of the name is the code of a language")
        yield Gold(name, language, source, rows)


def read(path: Path) -> str:
    """The text of a file, which may be compressed."""
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()


# --- extraction ---


def extraction_rows(gold: Gold) -> Iterator[Row]:
    """The precision of the first terms, the average precision and F1 of each way to extract."""
    from termnest.terminology import extract

    wanted = {row["term"].lower() for row in gold.rows}
    variants: dict[str, Callable[[], list[str]]] = {
        name: lambda more=more: [  # type: ignore[misc]
            row["term"].lower()
            for row in extract(gold.source, language=gold.language, **more).table.to_pylist()
        ]
        for name, more in EXTRACTIONS.items()
    }
    for name, terms in variants.items():
        ranked = list(dict.fromkeys(terms()))
        hits = [term in wanted for term in ranked]
        measures = {f"P@{cut}": sum(hits[:cut]) / cut for cut in CUTS}
        measures["average precision"] = average_precision(hits, len(wanted))
        measures["terms"] = len(ranked)
        measures["recall"] = sum(hits) / len(wanted)
        best = max((f1(sum(hits[:n]), n, len(wanted)), n) for n in range(100, len(hits) + 100, 100))
        measures["best F1"] = best[0]
        for measure, value in measures.items():
            shown = f"{value:,}" if measure == "terms" else f"{100 * value:.1f}"
            yield "extraction", gold.name, gold.language, name, measure, shown


# The ways to extract that are compared: options of `extract`.
EXTRACTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "without reference": {"reference": False},
    "c-value": {"reference": False, "score": "c-value"},
}


def average_precision(hits: list[bool], wanted: int) -> float:
    """The mean of the precision at each hit, 0 for what is never found."""
    found, total = 0, 0.0
    for rank, hit in enumerate(hits, start=1):
        if hit:
            found += 1
            total += found / rank
    return total / wanted


def f1(right: int, answered: int, wanted: int) -> float:
    """The harmonic mean of precision and recall."""
    return 2 * right / (answered + wanted)


# --- taxonomy ---


def taxonomy_rows(gold: Gold) -> Iterator[Row]:
    """F1 of the edges from each term to its head."""
    from termnest import TermIndex
    from termnest.terminology import taxonomy

    wanted = {(row["narrower"].lower(), row["broader"].lower()) for row in gold.rows}
    terms = dict.fromkeys(line.strip().lower() for line in read(gold.source).splitlines())
    index = TermIndex([term for term in terms if term])
    rows = taxonomy(index, language=gold.language).to_pylist()
    names = {row["id"]: row["term"] for row in rows}
    edges = {(row["term"], names[row["broader"]]) for row in rows if row["broader"] is not None}
    right = len(edges & wanted)
    for measure, value in [
        ("precision", right / max(len(edges), 1)),
        ("recall", right / len(wanted)),
        ("F1", f1(right, len(edges), len(wanted))),
    ]:
        yield "taxonomy", gold.name, gold.language, "default", measure, f"{100 * value:.1f}"


if __name__ == "__main__":
    main()
