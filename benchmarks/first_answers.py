"""The first answers: completion by the length of the prefix, in both orders, and super terms.

    python benchmarks/first_answers.py VOCABULARY --separator _
    python benchmarks/first_answers.py --sizes 100,10000,1000000

Without a vocabulary, synthetic ones of these sizes. Every term gets a random weight. The first ten
of a call must be the first of all its answers. `--long N` builds N terms of nine and of twenty
words from templates too, beside `sort -u` of the same file.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

from report import COLUMNS, Row, facts, write_csv, write_markdown
from run import fresh, race, say
from termnest import TermIndex
from vocabulary import synthetic

SIZES = "100,1000,10000,100000,1000000"
LIMIT = 10
LETTERS = (1, 2, 3, 4, 6)
WORDS = (1, 2, 3, 4)
PREFIXES = 300
CHECKED = 20
"""How many questions of each kind are compared with all their answers."""

Ask = Callable[..., Sequence[str]]


def main() -> None:
    """Measures, prints and writes the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("vocabulary", type=Path, nargs="?", help="a term in each line")
    parser.add_argument("--separator", help="the separator of the vocabulary")
    parser.add_argument("--sizes", default=SIZES, help="sizes of synthetic vocabularies")
    parser.add_argument("--fold", action="store_true", help="with fold=True")
    parser.add_argument("--long", type=int, default=0, help="number of terms of 9 and of 20 words")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("target/bench"), help="the folder")
    options = parser.parse_args()
    rows: list[Row] = []
    if options.vocabulary:
        terms = options.vocabulary.read_text(encoding="utf-8").splitlines()
        if options.separator:
            terms = [" ".join(term.split(options.separator)) for term in terms]
        rows += questions(options.vocabulary.stem, terms, options.fold, options.repeat)
    else:
        for size in map(int, filter(None, options.sizes.split(","))):
            terms = list(synthetic(size).terms())
            rows += questions(f"{size:,} terms", terms, options.fold, options.repeat)
    for words in (9, 20) if options.long else ():
        rows += build_long(options.long, words, options.repeat)
    options.out.mkdir(parents=True, exist_ok=True)
    conditions = facts(sys.argv, {})
    cells = [row.cells() for row in rows]
    write_csv(options.out / "first_answers.csv", COLUMNS, cells, conditions)
    write_markdown(options.out / "first_answers.md", "First answers", COLUMNS, cells, conditions)


def questions(name: str, terms: list[str], fold: bool, repeat: int) -> list[Row]:
    """The times of single questions, by their kind."""
    choice = random.Random(1)
    weights = [choice.randint(1, 1_000_000) for _ in terms]
    index = TermIndex(terms, weights=weights, tokenizer="whitespace", fold=fold)
    say(f"{name}: {len(index):,} terms, {index.stats().file_bytes:,} bytes")
    rows = []

    def add(task: str, ask: Ask, queries: list[str], asked: str) -> None:
        for query in queries[:CHECKED]:
            if list(ask(query, limit=LIMIT)) != list(ask(query, limit=None))[:LIMIT]:
                sys.exit(f"{task}: the first answers to {query!r} are not the first of all")
        taken = [best(partial(ask, limit=LIMIT), query, repeat) * 1e6 for query in queries]
        notes = f"largest of {len(taken)}: {max(taken):.1f} us"
        rows.append(
            Row(
                *(f"{task}, {name}", "termnest", statistics.mean(taken), "us a query"),
                asked=asked,
                repeats=repeat,
                notes=notes,
            )
        )
        say(f"  {task}: {statistics.mean(taken):.1f} us; {notes}")

    any_order = partial(index.complete, order="any")
    for letters in LETTERS:
        prefixes = sample({term[:letters] for term in terms if len(term) >= letters}, choice)
        asked = "<= 200" if letters == 1 else ""
        add(f"complete, {letters} letters", index.complete, prefixes, asked)
        add(f"complete, {letters} letters, any order", any_order, prefixes, asked)
    for words in WORDS:
        prefixes = sample(shuffled_beginnings(terms, words, choice), choice)
        if prefixes:
            add(f"complete, {words} words, any order", any_order, prefixes, "")
    counts: dict[str, int] = {}
    for term in terms:
        for word in set(term.split()):
            counts[word] = counts.get(word, 0) + 1
    common = sorted(counts, key=lambda word: (-counts[word], word))[:PREFIXES]
    add("super_terms of the commonest word", index.super_terms, common[:1], "<= 50")
    add(f"super_terms of the {len(common)} commonest words", index.super_terms, common, "")
    pairs = [f"{one} {other}" for one, other in pairwise(common)]
    add("complete, pairs of common words, any order", any_order, pairs, "")
    return rows


def best(ask: Ask, query: str, repeat: int) -> float:
    """The best time of one question."""
    taken = []
    for _ in range(repeat):
        (asked,) = fresh([query])
        start = time.perf_counter()
        ask(asked)
        taken.append(time.perf_counter() - start)
    return min(taken)


def sample(prefixes: set[str], choice: random.Random) -> list[str]:
    """Some of the prefixes, the same ones in each run."""
    ordered = sorted(prefix for prefix in prefixes if prefix.strip())
    return choice.sample(ordered, min(PREFIXES, len(ordered)))


def shuffled_beginnings(terms: list[str], words: int, choice: random.Random) -> set[str]:
    """Some words of terms in any order, of the last one the first two letters."""
    found = set()
    for term in choice.sample(terms, min(len(terms), 50 * PREFIXES)):
        own = term.split()
        if len(own) >= words:
            *whole, last = choice.sample(own, words)
            found.add(" ".join([*whole, last[:2]]))
    return found


def long_terms(count: int, words: int) -> Iterator[str]:
    """Different terms of this many words, made from templates: most share long runs of words."""
    choice = random.Random(words)
    names = [f"{a}{b}{c}" for a in "bdfgklmn" for b in "aeiou" for c in ("r", "st", "n", "l")]
    frames = [choice.sample(names, words) for _ in range(200)]
    # Two places of a template vary, over all names and numbers.
    made = 0
    while made < count:
        frame = frames[made % len(frames)].copy()
        number = made // len(frames)
        frame[words // 3] = names[number % len(names)]
        frame[words - 2] = f"{names[number // len(names) % len(names)]}{number // len(names) ** 2}"
        yield " ".join(frame)
        made += 1


def build_long(count: int, words: int, repeat: int) -> list[Row]:
    """The build of long terms from a file, beside sort -u of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.txt"
        with path.open("w") as file:
            file.writelines(f"{term}\n" for term in long_terms(count, words))
        say(f"{count:,} terms of {words} words, {path.stat().st_size:,} bytes")
        command = ["sort", "-u", str(path), "-o", os.devnull]
        runners: dict[str, Callable[[], object]] = {
            "termnest": lambda: TermIndex.from_file(path, tokenizer="whitespace"),
            "sort -u": lambda: subprocess.run(command, check=True, env={"LC_ALL": "C"}),
        }
        taken = race(runners, repeat)
        found = len(TermIndex.from_file(path, tokenizer="whitespace"))
        if found != count:
            sys.exit(f"{found:,} terms instead of {count:,}")
    task = f"build, {count:,} terms of {words} words"
    ratio = taken["termnest"] / taken["sort -u"]
    say(f"  {taken['termnest']:.2f} s, {ratio:.2f} x sort -u")
    return [
        Row(
            *(task, "termnest", taken["termnest"], "s"),
            ratio=ratio,
            yardstick="sort -u",
            asked="<= 2.5x",
            repeats=repeat,
        ),
        Row(*(task, "sort -u", taken["sort -u"], "s"), repeats=repeat),
    ]


if __name__ == "__main__":
    main()
