"""Terminology extraction: from text to a ranked list, scores of a large vocabulary, and the peers.

    make bench-terminology TEXT=brown.txt COUNTS=brown.tsv VOCABULARY=w2v.txt SEPARATOR=_

A part whose file is not given is left out. COUNTS is a vocabulary with frequencies: termnest, JATE
and PyATE score a random sample of it. JATE's scores must equal ours wherever it finds the same
super terms, and PyATE's must equal the formula that it really computes.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from report import COLUMNS, Row, facts, write_csv, write_markdown
from run import say, seconds
from termnest import TermIndex

HERE = Path(__file__).parent


def main() -> None:
    """Measures, prints the results and writes them to files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--text", type=Path, help="a corpus")
    parser.add_argument("--counts", type=Path, help="a vocabulary with frequencies")
    parser.add_argument("--weight-column", type=int, help="the column of the frequencies, from 0")
    parser.add_argument("--vocabulary", type=Path, help="a large vocabulary")
    parser.add_argument("--separator", help="the separator of the vocabulary")
    parser.add_argument("--sample", type=int, default=20_000, help="number of terms for the peers")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--peer-python", type=Path, default=Path("target/jate/bin/python"))
    parser.add_argument("--out", type=Path, default=Path("target/bench"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    more: dict[str, str] = {}
    if options.text:
        rows += from_text(options.text, options.repeat)
    if options.vocabulary:
        rows.append(of_vocabulary(options.vocabulary, options.separator, options.repeat))
    if options.counts:
        rows += beside_peers(options, more)
    if not rows:
        parser.error("give --text, --counts or --vocabulary")
    conditions = facts(sys.argv, more)
    cells = [row.cells() for row in rows]
    write_csv(options.out / "terminology.csv", COLUMNS, cells, conditions)
    write_markdown(options.out / "terminology.md", "Terminology", COLUMNS, cells, conditions)
    print((options.out / "terminology.md").read_text())
    if any(row.met == "no" for row in rows):
        say("a limit is not met")


def from_text(text: Path, repeat: int) -> list[Row]:
    """`termnest extract`, from the start of its process to its end."""
    say(f"extracting the terms of {text.name}")
    best, peak = math.inf, 0
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "terms.tsv"
        command = [sys.executable, "-m", "termnest", "extract", str(text), "-o", str(output)]
        for _ in range(repeat):
            start = time.perf_counter()
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            _, status, used = os.wait4(process.pid, 0)
            best = min(best, time.perf_counter() - start)
            peak = max(peak, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024))
            if status:
                sys.exit(f"{' '.join(command)} failed")
        terms = output.read_bytes().count(b"\n") - 1
    note = f"{terms:,} terms of {text.name}"
    return [
        Row("text to ranked TSV", "termnest", best, "s", asked="<= 1", repeats=repeat, notes=note),
        Row("its peak memory", "termnest", peak / 1e6, "MB", asked="<= 300", repeats=repeat),
    ]


def of_vocabulary(path: Path, separator: str | None, repeat: int) -> Row:
    """All scores of a vocabulary, from its index."""
    say(f"scoring the terms of {path.name}")
    index = TermIndex.from_file(path, tokenizer="whitespace", separator=separator)
    best = min(seconds(index.scores) for _ in range(repeat))
    note = f"{len(index):,} terms"
    return Row("all scores", "termnest", best, "s", asked="<= 1", repeats=repeat, notes=note)


def beside_peers(options: argparse.Namespace, more: dict[str, str]) -> list[Row]:
    """C-value of a sample by termnest and by its peers."""
    if not options.peer_python.exists():
        sys.exit(f"there is no {options.peer_python}: run `make bench-terminology`, which makes it")
    index = TermIndex.from_file(
        options.counts, tokenizer="whitespace", weight_column=options.weight_column
    )
    if not index.weighted:
        sys.exit(f"{options.counts.name} has no column of frequencies: give --weight-column")
    # JATE converts to lower case, so the others get lower case as well.
    merged: dict[str, int] = {}
    for term in index:
        merged[term.lower()] = merged.get(term.lower(), 0) + int(index.weight(term))
    choice = random.Random(1)
    chosen = choice.sample(sorted(merged), min(options.sample, len(merged)))
    counts = {term: merged[term] for term in chosen}
    say(f"scoring {len(counts):,} terms of {options.counts.name} with JATE and PyATE")
    given: dict[str, Any] = json.loads(
        subprocess.run(
            [str(options.peer_python), str(HERE / "peer_scores.py")],
            input=json.dumps(counts),
            encoding="utf-8",
            check=True,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONUTF8": "1"},
        ).stdout
    )
    terms, weights = list(counts), list(counts.values())
    index = TermIndex(terms, weights=weights, tokenizer="whitespace")
    whole = min(
        seconds(lambda: TermIndex(terms, weights=weights, tokenizer="whitespace").scores())
        for _ in range(50)
    )
    best = min(seconds(index.scores) for _ in range(50))
    ours = {row["term"]: row for row in index.scores(terms=True).to_pylist()}
    note = f"all scores of {len(counts):,} terms of {options.counts.name}"
    rows = [
        Row("C-value", "termnest", best, "s", repeats=50, notes=f"{note}, from its index"),
        Row("C-value, from the list", "termnest", whole, "s", repeats=50, notes=note),
    ]
    for name, peer in given.items():
        more[name] = peer["version"]
        if name == "jate":
            listed = options.out / "terminology-jate.txt"
            different = jate_differs(index, ours, peer, listed)
        else:
            different = pyate_differs(ours, peer)
        for task, taken, ours_taken, asked in [
            ("C-value", peer["seconds_indexed"], best, ">= 1000x"),
            ("C-value, from the list", peer["seconds"], whole, ""),
        ]:
            ratio = taken / ours_taken
            rows.append(
                Row(task, name, taken, "s", ratio, "termnest", asked, repeats=3, notes=different)
            )
    return rows


def jate_differs(
    index: TermIndex, ours: dict[str, dict[str, Any]], peer: dict[str, Any], listed: Path
) -> str:
    """Checks JATE's scores. Terms with different scores must have different super terms.

    These terms are written to a file. To JATE, every change between a letter and a sign is a word
    border: "the baby" is nested in "the baby's basket".
    """
    others = []
    for term, row in ours.items():
        theirs, tokens = set(peer["parents"][term]), set(index.super_terms(term))
        equal = math.isclose(peer["scores"][term], row["c_value_jate"], rel_tol=1e-9, abs_tol=1e-9)
        if theirs == tokens and not equal:
            sys.exit(f"JATE: {term!r}: {peer['scores'][term]} is not {row['c_value_jate']}")
        if tokens - theirs:
            sys.exit(f"JATE does not find {tokens - theirs} as super terms of {term!r}")
        if theirs != tokens:
            others.append((term, sorted(theirs - tokens)))
    with listed.open("w", encoding="utf-8") as file:
        for term, found in others:
            file.write(f"{term}\t{'; '.join(found)}\n")
    return (
        f"equal for {len(ours) - len(others):,} terms; for {len(others):,} it has super terms in "
        f"which they are parts of words ({listed.name})"
    )


def pyate_differs(ours: dict[str, dict[str, Any]], peer: dict[str, Any]) -> str:
    """Checks PyATE's scores. It subtracts nothing for super terms: it changes only a copy."""
    for term, row in ours.items():
        given = math.log2(row["length"] + 0.01) * row["frequency"]
        if not math.isclose(peer["scores"][term], given, rel_tol=1e-9):
            sys.exit(f"PyATE: {term!r}: {peer['scores'][term]} is not {given}")
    return "it computes log2(n + 0.01) f and subtracts nothing for super terms"


if __name__ == "__main__":
    main()
