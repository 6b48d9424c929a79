"""Do the systems of the paper give the answers of TermIndex, for every term of a vocabulary?

    cut -f 1 brown.tsv > terms.txt
    termnest pairs terms.txt > pairs.tsv
    pypy3 benchmarks/agreement.py terms.txt pairs.tsv TBI AhoCorasick

`termnest reproduce --check` asks the same of a sample. All terms of a large vocabulary take hours
in CPython; PyPy, which cannot load the native core, runs `termnest.paper` as it is, some ten times
as fast. TermIndex is therefore represented by its pairs. TERMS has a term a line.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import sys
import time
import types
from collections import defaultdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
# Forked processes read it: the system, and the nested and super terms of every term.
_asked: Any = None
_nested: dict[str, set[str]] = defaultdict(set)
_super: dict[str, set[str]] = defaultdict(set)
_NONE: set[str] = set()


def main() -> None:
    """Asks every system about every term, and prints the number of answers that differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("terms", type=Path, help="a file with one term per line")
    parser.add_argument("pairs", type=Path, help="the output of `termnest pairs` for them")
    parser.add_argument("systems", nargs="+", help="names of classes of termnest.paper")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args()
    paper = _paper()
    terms = paper.terms.distinct(options.terms.read_text(encoding="utf-8").split("\n"))
    for line in options.pairs.read_text(encoding="utf-8").splitlines():
        nested, longer = line.split("\t")
        _nested[longer].add(nested)
        _super[nested].add(longer)
    differ = 0
    for name in options.systems:
        differ += _ask(name, getattr(paper, name), terms, options.processes)
    sys.exit(1 if differ else 0)


def _paper() -> Any:
    """Imports termnest.paper without the package termnest, which would load the native core."""
    package = types.ModuleType("termnest")
    package.__path__ = [str(HERE.parent / "python" / "termnest")]
    sys.modules["termnest"] = package
    return importlib.import_module("termnest.paper")


def _ask(name: str, system: Any, terms: list[str], processes: int) -> int:
    global _asked
    started = time.monotonic()
    _asked = system(terms)
    built = time.monotonic() - started
    differ, asked, reported = 0, 0, started
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        for term, agrees in pool.imap_unordered(_agrees, terms, chunksize=200):
            asked += 1
            if not agrees:
                differ += 1
                print(f"{name} and TermIndex disagree about {term!r}", flush=True)
            if time.monotonic() - reported > 60:
                reported = time.monotonic()
                print(f"{name}: {asked:,} of {len(terms):,} terms", file=sys.stderr, flush=True)
    seconds = time.monotonic() - started
    print(
        f"{name}: {asked:,} terms asked both ways, {differ:,} differ; {seconds:,.0f} s, of which "
        f"{built:,.0f} s for the index",
        flush=True,
    )
    return differ


def _agrees(term: str) -> tuple[str, bool]:
    same = _asked.super_terms(term) == _super.get(term, _NONE)
    return term, same and _asked.nested_terms(term) == _nested.get(term, _NONE)


if __name__ == "__main__":
    main()
