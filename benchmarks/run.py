"""Compares termnest with its peers on one vocabulary.

    python benchmarks/run.py                                          # a synthetic one
    python benchmarks/run.py vocabulary.txt --separator _ --text text.txt

Every peer must give termnest's answers before it is timed; the first one that does not ends the
run. What is measured, and how: benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars
import pyarrow

from engines import AUTOMATA, NESTED, SUPER, Answer, Automaton, Peer, missing, polars_pairs
from report import COLUMNS, Row, facts, plot_rows, write_csv, write_markdown
from termnest import TermIndex
from vocabulary import synthetic

HERE = Path(__file__).parent
JATE_TERMS = 20_000
CHECKED, CHECKED_SLOW = 1_000, 100
SLOW_SHARE = 10


def say(line: str) -> None:
    """Prints what is being done."""
    print(line, file=sys.stderr, flush=True)


def seconds(work: Callable[[], object]) -> float:
    """The time of one call; its result is freed after the clock has stopped."""
    gc.collect()
    gc.disable()
    start = time.perf_counter()
    result = work()
    taken = time.perf_counter() - start
    gc.enable()
    del result
    return taken


def race(runners: dict[str, Callable[[], object]], repeat: int) -> dict[str, float]:
    """The best time of each runner; the runners take turns."""
    best: dict[str, float] = {}
    for _ in range(repeat):
        for name, work in runners.items():
            best[name] = min(best.get(name, float("inf")), seconds(work))
    return best


def fresh(strings: Sequence[str]) -> list[str]:
    """New str objects: a str caches its hash and its UTF-8, and a used one would favour a dict."""
    return [string.encode().decode() for string in strings]


def ask_all(answer: Answer, queries: list[str]) -> None:
    """Asks one query after the other."""
    for query in queries:
        answer(query)


def nothing(_query: str) -> Sequence[str]:
    """The cost of a call that does nothing."""
    return ()


class Run:
    """One run: its vocabulary, its options, and its rows so far."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options = options
        self.repeat: int = options.repeat
        self.rows: list[Row] = []
        self.more: dict[str, str] = {}
        self.random = random.Random(options.seed)
        self.folder = folder
        self.file = self._file()
        self.text_bytes = self.file.stat().st_size
        self.split: str = options.separator or " "

    def _file(self) -> Path:
        """The vocabulary as a plain file: sort cannot unpack, and sizes are those of the text."""
        given: Path | None = self.options.vocabulary
        if given is None:
            say(f"making a synthetic vocabulary of {self.options.terms:,} terms")
            self.synthetic = synthetic(self.options.terms, self.options.seed)
            path = self.folder / "synthetic.txt"
            self.synthetic.write(path)
            return path
        if given.suffix != ".gz":
            return given
        say(f"unpacking {given.name}")
        path = self.folder / given.stem
        with gzip.open(given) as packed, path.open("wb") as plain:
            shutil.copyfileobj(packed, plain)
        return path

    def wanted(self, name: str, module: str | None = None) -> bool:
        """Whether a peer takes part; prints why if it cannot."""
        if self.options.engines is not None and name not in self.options.engines:
            return False
        if missing(module):
            say(f"{name} is left out: {module} is not installed")
            return False
        return True

    def add(self, task: str, engine: str, value: float, unit: str, **more: Any) -> None:
        """Adds a row, and prints it."""
        row = Row(task, engine, value, unit, **more)
        self.rows.append(row)
        ratio = f", {row.ratio:.2f}x {row.yardstick}" if row.ratio is not None else ""
        asked = f" (asked {row.asked}: {row.met or 'not known'})" if row.asked else ""
        say(f"  {task}: {engine} {row.cells()[2]} {unit}{ratio}{asked}")

    def add_race(
        self,
        task: str,
        unit: str,
        values: dict[str, float],
        yardstick: str,
        asked: str = "",
        only: Sequence[str] | None = None,
        notes: dict[str, str] | None = None,
        once: Sequence[str] = (),
    ) -> None:
        """Adds the rows of a race, each with its ratio to the yardstick."""
        for name in values if only is None else only:
            ratio = values[name] / values[yardstick] if yardstick in values else None
            self.add(
                task,
                name,
                values[name],
                unit,
                ratio=ratio,
                yardstick=yardstick if ratio is not None else "",
                asked=asked if name == "termnest" else "",
                repeats=1 if name in once else self.repeat,
                notes=(notes or {}).get(name, ""),
            )

    # --- build ---

    def from_file(self) -> TermIndex:
        """The index as `termnest build` makes it."""
        return TermIndex.from_file(
            self.file, tokenizer="whitespace", separator=self.options.separator
        )

    def memory(self) -> None:
        """The peak memory of a build, in a child."""
        say("measuring the memory of a build")
        separator = [self.options.separator] if self.options.separator else []
        command = [sys.executable, str(HERE / "build_memory.py"), str(self.file), *separator]
        found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        self.add(
            "peak memory of a build",
            "termnest",
            found["peak"] / 2**20,
            "MiB",
            ratio=found["peak"] / self.text_bytes,
            yardstick="text",
            asked="<= 8x",
        )

    def build(self) -> TermIndex:
        """Builds from the file against sort, saves and opens; returns the index."""
        say(f"building from {self.file.name}, {self.text_bytes:,} bytes")
        index = self.from_file()
        runners: dict[str, Callable[[], object]] = {"termnest": self.from_file}
        if self.wanted("sort -u"):
            if shutil.which("sort"):
                command = ["sort", "-u", str(self.file), "-o", os.devnull]
                environment = os.environ | {"LC_ALL": "C"}
                runners["sort -u"] = lambda: subprocess.run(command, env=environment, check=True)
            else:
                say("sort -u is left out: the program sort is not installed")
        best = race(runners, self.repeat)
        self.add_race("build from a file", "s", best, "sort -u", "<= 0.6x")

        saved = self.folder / "index.nest"
        index.save(saved)
        self.add(
            "size of the file",
            "termnest",
            saved.stat().st_size / 2**20,
            "MiB",
            ratio=saved.stat().st_size / self.text_bytes,
            yardstick="text",
            asked="<= 2.0x",
        )
        opened = race({"termnest": lambda: TermIndex.open(saved)}, self.repeat)["termnest"]
        self.add("open", "termnest", opened * 1e3, "ms", asked="<= 2 ms", repeats=self.repeat)
        return index

    def build_from_list(self, terms: list[str]) -> None:
        """Builds from a list of str against a dict and a set."""
        say("building from a list of str")
        best: dict[str, float] = {}
        for _ in range(self.repeat):
            runners: dict[str, Callable[[list[str]], object]] = {
                "termnest": lambda them: TermIndex(
                    them, tokenizer="whitespace", separator=self.options.separator
                ),
                "dict comprehension": lambda them: {t: i for i, t in enumerate(them)},
                "set": set,
            }
            for name, make in runners.items():
                copies = fresh(terms)  # for each again: the first dict would hash for the second
                taken = seconds(partial(make, copies))
                best[name] = min(best.get(name, float("inf")), taken)
        self.add_race("build from a list", "s", best, "dict comprehension", "<= 0.7x")
        self.add_race("build from a list", "s", best, "set", only=["termnest"])

    def built(self, name: str, make: Callable[[], Any]) -> Any:
        """Builds a peer and adds its time as a row; None if the vocabulary is too large for it."""
        say(f"building {name}")
        gc.collect()
        start = time.perf_counter()
        try:
            made = make()
        except Exception as error:  # libraries have limits; the run continues without it
            say(f"{name} is left out: {error!r}")
            return None
        self.add("build of a peer", name, time.perf_counter() - start, "s", notes="once")
        return made

    # --- single queries ---

    def check(self, name: str, ours: Answer, theirs: Answer, queries: Sequence[str]) -> None:
        """Ends the run if a peer answers differently."""
        for query in queries:
            expected, given = sorted(ours(query)), sorted(theirs(query))
            if expected != given:
                say(f"{name} answers {query!r} differently\n  termnest: {expected}\n  it: {given}")
                sys.exit(1)
        say(f"  {name}: {len(queries):,} answers are equal")

    def race_queries(
        self, terms: list[str], answers: dict[str, Answer], slow: Sequence[str] = ()
    ) -> dict[str, float]:
        """The mean microseconds of a query for each engine, in its best round.

        Each round has a sample of its own, the same for all; a slow engine gets the first of it.
        """
        best: dict[str, float] = {}
        for _ in range(self.repeat):
            sample = self.random.choices(terms, k=self.options.queries)
            for name, answer in answers.items():
                few = len(sample) // SLOW_SHARE or 1
                queries = fresh(sample[:few] if name in slow else sample)
                taken = seconds(partial(ask_all, answer, queries))
                best[name] = min(best.get(name, float("inf")), taken / len(queries) * 1e6)
        return best

    def check_queries(self, index: TermIndex, terms: list[str], count: int) -> list[str]:
        """Random terms and, for every fifth, one nested in it, which has many super terms."""
        queries = self.random.choices(terms, k=count)
        for term in queries[::5]:
            queries.extend(index.nested_terms(term)[:1])
        return queries

    def single(
        self,
        task: str,
        ours: Answer,
        index: TermIndex,
        terms: list[str],
        peers: Sequence[Peer],
        yardstick: str,
    ) -> dict[str, Answer]:
        """Checks and times one question; returns the engines that took part."""
        answers: dict[str, Answer] = {"termnest": ours}
        slow = []
        for peer in peers:
            if not self.wanted(peer.name, peer.module):
                continue
            theirs = self.built(peer.name, partial(peer.build, terms, self.split))
            if theirs is None:
                continue
            count = CHECKED_SLOW if peer.slow else CHECKED
            self.check(peer.name, ours, theirs, self.check_queries(index, terms, count))
            answers[peer.name] = theirs
            if peer.slow:
                slow.append(peer.name)
        say(f"timing {task}")
        answers["empty loop"] = nothing
        notes = dict.fromkeys(slow, f"{self.options.queries // SLOW_SHARE:,} queries")
        best = self.race_queries(terms, answers, slow)
        self.add_race(task, "us", best, yardstick, "<= 0.65x", notes=notes)
        return answers

    def automaton(
        self, peer: Automaton, index: TermIndex, terms: list[str], others: dict[str, Answer]
    ) -> Any:
        """Checks and times an automaton's nested terms, with termnest and the yardstick."""
        made = self.built(peer.name, partial(peer.build, terms, self.split))
        if made is None:
            return None
        theirs = peer.nested(made, terms, self.split)
        queries = self.check_queries(index, terms, CHECKED)
        self.check(peer.name, index.nested_terms, theirs, queries)
        best = self.race_queries(terms, others | {peer.name: theirs})
        self.add_race(
            "nested_terms",
            "us",
            best,
            "dict of n-grams",
            only=[peer.name],
            notes={peer.name: f"termnest beside it: {best['termnest']:.3g}"},
        )
        return made

    # --- many queries ---

    def batches(self, index: TermIndex, terms: list[str]) -> None:
        """The two batches over all terms, from a list and from a polars Series."""
        say("timing batches")
        pairs = len(index.pairs())
        series = polars.Series(terms)
        for name in ("super_terms_batch", "nested_terms_batch"):
            ask = getattr(index, name)
            if (rows := len(ask(series))) != pairs:
                say(f"{name} gives {rows:,} rows, and there are {pairs:,} pairs")
                sys.exit(1)
            best: dict[str, float] = {}
            for _ in range(self.repeat):
                copies = fresh(terms)
                for kind, queries in {"list of str": copies, "polars Series": series}.items():
                    taken = seconds(partial(ask, queries))
                    best[kind] = min(best.get(kind, float("inf")), taken)
                del copies
            for kind, taken in best.items():
                self.add(
                    name,
                    f"termnest, {kind}",
                    len(terms) / taken / 1e6,
                    "million queries/s",
                    asked=">= 2",
                    repeats=self.repeat,
                    notes=f"{pairs:,} rows",
                )

    # --- find ---

    def text(self) -> str:
        """The running text, with single spaces as white space."""
        given: Path | None = self.options.text
        if given is None:
            if self.options.vocabulary is not None:
                return ""
            return self.synthetic.text(self.options.text_words)
        opener = gzip.open if given.suffix == ".gz" else open
        with opener(given, "rt", encoding="utf-8") as file:
            return " ".join(str(file.read()).split())

    def find(
        self, index: TermIndex, terms: list[str], text: str, name: str, peer: Automaton, made: Any
    ) -> None:
        """Checks and times one automaton and termnest on the text."""
        assert peer.find is not None
        theirs = peer.find(made)
        found, expected = len(theirs(text)), pyarrow.table(index.find(text)).num_rows
        if found != expected:
            say(f"{name} finds {found:,} matches in the text, termnest {expected:,}")
            sys.exit(1)
        say(f"  {name}: {found:,} matches, as termnest")
        best = race(
            {
                "termnest": lambda: pyarrow.table(index.find(text)).num_rows,
                name: lambda: theirs(text),
            },
            self.repeat,
        )
        megabytes = len(text.encode()) / 1e6
        speeds = {engine: megabytes / taken for engine, taken in best.items()}
        self.add_race(
            "find",
            "MB/s",
            speeds,
            name,
            ">= 2x" if name == "daachorse" else "",
            notes={"termnest": f"{expected:,} matches, beside {name}", name: f"{found:,} matches"},
        )

    # --- all pairs ---

    def pairs(self, index: TermIndex, terms: list[str]) -> None:
        """All pairs as an Arrow table, against a self-join."""
        say("timing all pairs")
        runners: dict[str, Callable[[], object]] = {
            "termnest": lambda: pyarrow.table(index.pairs()),
        }
        if self.wanted("polars join", "polars"):
            joined = polars_pairs(terms, self.split).sort("nested", "super")
            ours = polars.DataFrame(index.pairs()).select("nested", "super")
            if not ours.sort("nested", "super").equals(joined):
                say(f"polars join: {len(joined):,} pairs, termnest {len(ours):,}, or other ones")
                sys.exit(1)
            say(f"  polars join: {len(joined):,} pairs are equal")
            del joined, ours
            runners["polars join"] = lambda: polars_pairs(terms, self.split)
        best = race(runners, self.repeat)
        asked = "<= 0.6 s (w2v)" if self.file.name.startswith("w2v") else ""
        notes = {"termnest": f"{len(index.pairs()):,} pairs"}
        self.add_race("all pairs", "s", best, "polars join", asked, notes=notes)

    def jate(self, terms: list[str]) -> None:
        """Times JATE's containments and termnest on the same sample."""
        python: Path = self.options.jate_python
        if self.options.engines is not None and "JATE" not in self.options.engines:
            return
        if not python.exists():
            say(f"JATE is left out: there is no {python}, which `make bench` makes")
            return
        # JATE lowers case, and treats every change between letter and sign as a border. For terms
        # of letters, digits and spaces in lower case, the two definitions agree.
        plain = {term.replace(self.split, " ").lower() for term in terms}
        usable = sorted(term for term in plain if re.fullmatch(r"\w+( \w+)*", term))
        sample = self.random.sample(usable, min(JATE_TERMS, len(usable)))
        if not sample:
            say("JATE is left out: no term is letters and spaces only")
            return
        say(f"timing JATE on {len(sample):,} terms")
        command = [str(python), str(HERE / "jate_containment.py")]
        given = json.loads(
            subprocess.run(
                command,
                input="\n".join(sample),
                encoding="utf-8",
                check=True,
                stdout=subprocess.PIPE,
                env=os.environ | {"PYTHONUTF8": "1"},
            ).stdout
        )
        self.more["JATE"] = str(given["version"])
        index = TermIndex(sample, tokenizer="whitespace")
        ours = sorted(
            [index[row["nested"]], index[row["super"]]] for row in index.pairs().to_pylist()
        )
        if ours != given["pairs"]:
            theirs = given["pairs"]
            other = next(a for a in ours + theirs if (a in ours) != (a in theirs))
            say(f"JATE has {len(theirs):,} pairs, termnest {len(ours):,}; not in both: {other}")
            sys.exit(1)
        say(f"  JATE: {len(ours):,} pairs are equal")
        build_and_pair = race(
            {"termnest": lambda: TermIndex(sample, tokenizer="whitespace").pairs()}, self.repeat
        )
        task = f"all pairs of {len(sample):,} terms, build and all"
        best = build_and_pair | {"JATE": given["seconds"]}
        self.add_race(task, "s", best, "JATE", notes={"JATE": "in a child"}, once=["JATE"])

    # --- all of it ---

    def everything(self) -> None:
        """Measures one task after the other; large objects are freed before the next."""
        self.memory()
        index = self.build()
        terms = list(index)
        self.more["vocabulary"] = (
            f"{self.file.name}, {len(terms):,} terms, {self.text_bytes:,} bytes"
        )
        self.build_from_list(terms)
        self.single("super_terms", index.super_terms, index, terms, SUPER, "dict of ids")
        beside = self.single(
            "nested_terms", index.nested_terms, index, terms, NESTED, "dict of n-grams"
        )
        self.batches(index, terms)
        self.pairs(index, terms)
        self.jate(terms)

        text = self.text()
        if text:
            # Text has spaces between words, also if the terms have another separator.
            spaced = self.split == " "
            find_index = (
                index
                if spaced
                else TermIndex(
                    [term.replace(self.split, " ") for term in terms], tokenizer="whitespace"
                )
            )
            find_terms = terms if spaced else list(find_index)
            name = self.options.text.name if self.options.text else "synthetic"
            self.more["text"] = f"{name}, {len(text.encode()):,} bytes, white space single spaces"
        else:
            say("find is left out: a vocabulary of your own needs a --text")
        for peer in AUTOMATA:
            if not self.wanted(peer.name, peer.module):
                continue
            made = self.automaton(peer, index, terms, beside)
            if made is not None and text and peer.find is not None:
                if not spaced:
                    del made
                    say(f"building {peer.name} for text")
                    made = peer.build(find_terms, " ")
                self.find(find_index, find_terms, text, peer.name, peer, made)
            del made
            gc.collect()


def main() -> None:
    """Reads the command line, measures, writes the report."""
    names = [peer.name for peer in [*SUPER, *NESTED]] + [peer.name for peer in AUTOMATA]
    names += ["polars join", "JATE", "sort -u"]
    parser = argparse.ArgumentParser(description="termnest and its peers on one vocabulary")
    parser.add_argument("vocabulary", nargs="?", type=Path, help="a file that termnest reads")
    parser.add_argument("--separator", help="the character between the words of a term")
    parser.add_argument("--text", type=Path, help="running text for find")
    parser.add_argument(
        "--out", type=Path, default=Path("target/bench"), help="the folder to write to"
    )
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--queries", type=int, default=10_000, help="in a round of single queries")
    parser.add_argument("--engines", help=f"separated by commas: {', '.join(names)}")
    parser.add_argument("--terms", type=int, default=1_000_000, help="of the synthetic vocabulary")
    parser.add_argument("--text-words", type=int, default=1_000_000, help="of the synthetic text")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jate-python", type=Path, default=Path("target/jate/bin/python"))
    options = parser.parse_args()
    if options.separator is not None and len(options.separator) != 1:
        parser.error("--separator must be one character")
    if options.engines is not None:
        options.engines = [name.strip() for name in options.engines.split(",")]
        if unknown := set(options.engines) - set(names):
            parser.error(f"unknown engines: {', '.join(sorted(unknown))}")
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.out) as folder:
        run = Run(options, Path(folder))
        run.everything()
    # By task; the automata came one after the other.
    tasks = list(dict.fromkeys(row.task for row in run.rows))
    rows = sorted(run.rows, key=lambda row: tasks.index(row.task))
    about = facts(["run.py", *sys.argv[1:]], run.more)
    title = f"termnest on {run.more['vocabulary'].split(', ')[0]}"
    cells = [row.cells() for row in rows]
    write_csv(options.out / "bench.csv", COLUMNS, cells, about)
    write_markdown(options.out / "bench.md", title, COLUMNS, cells, about)
    plot_rows(options.out / "bench.svg", rows, f"{title} (log scale)")
    say(f"wrote bench.csv, bench.md and bench.svg to {options.out}")


if __name__ == "__main__":
    main()
