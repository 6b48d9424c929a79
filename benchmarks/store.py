"""A store of a large vocabulary: commits, questions on several segments, opening, compaction.

    make bench-store VOCABULARY=w2v.txt SEPARATOR=_

Two thirds more terms than VOCABULARY has are made by putting a word before some of its terms, and
are committed in four portions, so that the store has a segment of each of four tiers. The yardstick
is one index of the same terms, saved, in the same run. The folder of the store is `--folder`: what
a commit costs depends on the disk, whose own sync is in a row of its own.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from report import COLUMNS, Row, facts, write_csv, write_markdown
from termnest import TermIndex, TermStore

# The terms of each portion: more than the tier below can hold, at most what the own tier can.
PORTIONS = [4_300_000, 500_000, 50_000, 5_000]
QUERIES = 20_000


def main() -> None:
    """Measures, prints the results and writes them to files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("vocabulary", type=Path)
    parser.add_argument("--separator")
    parser.add_argument("--folder", type=Path, default=Path("target/bench"), help="for the store")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("target/bench"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    terms = vocabulary(options.vocabulary, options.separator)
    path = options.folder / "bench.store"
    shutil.rmtree(path, ignore_errors=True)
    rows = measure(terms, path, options.folder, options.repeat)
    shutil.rmtree(path)
    conditions = facts(sys.argv, {"terms": f"{sum(PORTIONS):,}"})
    cells = [row.cells() for row in rows]
    write_csv(options.out / "store.csv", COLUMNS, cells, conditions)
    write_markdown(options.out / "store.md", "A store", COLUMNS, cells, conditions)
    print((options.out / "store.md").read_text())
    if any(row.met == "no" for row in rows):
        sys.exit("a value is not within its limit")


def vocabulary(path: Path, separator: str | None) -> list[str]:
    """The distinct terms of a file, and made ones, as many as the portions need."""
    found: dict[str, None] = {}
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open() as file:
        for line in file:
            words = line.replace(separator, " ").split() if separator else line.split()
            if words:
                found[" ".join(words)] = None
    terms = list(found)
    random.Random(1).shuffle(terms)
    needed = sum(PORTIONS)
    more = (f"{word} {term}" for word in ("former", "other", "new") for term in terms)
    while len(found) < needed:
        found[next(more)] = None
    made = list(found)
    random.Random(2).shuffle(made)
    return made[:needed]


def seconds(work: Callable[[], object]) -> float:
    """The time of a call."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def sync_seconds(folder: Path) -> float:
    """The disk's own time for what each commit syncs: two small files, and the folder twice."""
    number = os.open(folder, os.O_RDONLY)
    times = []
    for i in range(40):
        began = time.perf_counter()
        for name in ("a", "b"):
            with (folder / f"sync-{name}").open("wb") as file:
                file.write(bytes([i]) * 2048)
                os.fsync(file.fileno())
        os.fsync(number)
        (folder / "sync-a").replace(folder / "sync-b")
        os.fsync(number)
        times.append(time.perf_counter() - began)
    os.close(number)
    (folder / "sync-b").unlink()
    return statistics.median(times)


def per_question(ask: Callable[[str], Any], phrases: Sequence[str]) -> float:
    """Microseconds of a question, with fresh strings."""
    fresh = [phrase.encode().decode() for phrase in phrases]
    began = time.perf_counter()
    for phrase in fresh:
        ask(phrase)
    return (time.perf_counter() - began) / len(fresh) * 1e6


def measure(terms: list[str], path: Path, folder: Path, repeat: int) -> list[Row]:
    """All rows."""
    rows: list[Row] = []

    def add(task: str, value: float, unit: str, **more: Any) -> None:
        rows.append(Row(task, "TermStore", value, unit, **more))
        print(task, f"{value:.4g} {unit}", more, flush=True)

    index = TermIndex(terms)
    saved = folder / "bench.nest"
    built = min(seconds(lambda: TermIndex(terms).save(saved)) for _ in range(2))
    rows.append(Row("build and save", "TermIndex", built, "s", repeats=2))
    index = TermIndex.open(saved)
    store = TermStore.open(path, create=True)
    start = 0
    for count in PORTIONS:
        portion = terms[start : start + count]
        added = seconds(partial(store.add_many, portion))
        committed = seconds(store.commit)
        add(f"add_many of {count:,}", added, "s")
        add(f"commit of {count:,}", committed, "s")
        start += count
    segments = store.stats().segments
    assert len(segments) == len(PORTIONS), segments
    # Questions, on four segments and on one index; the order of the races changes.
    phrases = random.Random(3).sample(terms, QUERIES)
    reader = TermStore.open(path, readonly=True)
    pinned = reader.pin()
    for name in ("super_terms", "nested_terms", "count_super_terms"):
        asked: list[Any] = [index, pinned, reader]
        times: list[list[float]] = [[], [], []]
        for _ in range(repeat):
            for number in random.Random(4).sample(range(3), 3):
                times[number].append(per_question(getattr(asked[number], name), phrases))
        one, four, seen = map(min, times)
        add(
            f"{name} on four segments",
            four,
            "us",
            ratio=four / one,
            yardstick="one index",
            asked="<= 1.6x",
            repeats=repeat,
        )
        add(f"{name}: noticing commits", seen - four, "us", asked="<= 2", repeats=repeat)
    opened = min(
        seconds(lambda: TermStore.open(path, readonly=True)) * 1000 for _ in range(4 * repeat)
    )
    add("open", opened, "ms", asked="<= 5", repeats=4 * repeat)
    # Commits. The first tier is filled on and on.
    times_of_one = []
    for number in range(10 * repeat):
        store.add(f"one more {number} term")
        times_of_one.append(seconds(store.commit) * 1000)
    sync = sync_seconds(folder) * 1000
    add("the disk's sync", sync, "ms", repeats=40)
    add(
        "commit of one term",
        statistics.median(times_of_one),
        "ms",
        asked="<= 20",
        repeats=10 * repeat,
        notes=f"longest {max(times_of_one):.1f} ms",
    )
    times_of_many = []
    for number in range(repeat):
        many = [f"many more {number} {i}" for i in range(10_000)]
        began = time.perf_counter()
        store.add_many(many)
        store.commit()
        times_of_many.append((time.perf_counter() - began) * 1000)
    add(
        "add_many and commit of 10,000 terms",
        statistics.median(times_of_many),
        "ms",
        asked="<= 200",
        repeats=repeat,
        notes=f"longest {max(times_of_many):.1f} ms",
    )
    store.remove_many(terms[: len(terms) // 100])
    add("commit that removes 1 %", seconds(store.commit) * 1000, "ms")
    compacted = seconds(store.compact)
    again: list[float] = []
    for _ in range(2):
        store.add("something else" + "!" * len(again))
        again.append(seconds(store.compact))
    best = min(compacted, *again)
    add("compact", best, "s", ratio=best / built, yardstick="build and save", asked="<= 1.3x")
    store.close()
    saved.unlink()
    return rows


if __name__ == "__main__":
    main()
