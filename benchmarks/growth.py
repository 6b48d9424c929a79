"""Cost by size: synthetic vocabularies from ten thousand terms to ten million.

    python benchmarks/growth.py
    python benchmarks/growth.py --sizes 10000,100000

Each size is measured in processes of its own. The last lines say whether the largest size costs at
most 1.2 times what ten times a tenth of it costs.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import astuple, dataclass, fields
from functools import partial
from pathlib import Path

from report import facts, number, pyplot, write_csv, write_markdown
from run import ask_all, fresh, say, seconds
from termnest import TermIndex
from vocabulary import synthetic

HERE = Path(__file__).parent
SIZES = "10000,30000,100000,300000,1000000,3000000,10000000"
QUERIES = 10_000
SLACK = 1.2


@dataclass
class Cost:
    """The costs of a vocabulary of one size."""

    terms: int
    text_bytes: int
    build_s: float
    peak_bytes: int
    file_bytes: int
    open_ms: float
    super_terms_us: float
    nested_terms_us: float


def measure(path: Path, seed: int) -> dict[str, float]:
    """Measures the times in this process."""
    index = TermIndex.from_file(path, tokenizer="whitespace")
    build = min(
        seconds(lambda: TermIndex.from_file(path, tokenizer="whitespace")) for _ in range(3)
    )
    saved = path.with_suffix(".nest")
    index.save(saved)
    opened = min(seconds(lambda: TermIndex.open(saved)) for _ in range(5))
    choice = random.Random(seed)
    best = {"super_terms": float("inf"), "nested_terms": float("inf")}
    for _ in range(5):
        sample = [index[choice.randrange(len(index))] for _ in range(QUERIES)]
        for name in best:
            answer, queries = getattr(index, name), fresh(sample)
            taken = seconds(partial(ask_all, answer, queries))
            best[name] = min(best[name], taken / QUERIES * 1e6)
    return {
        "terms": len(index),
        "build_s": build,
        "file_bytes": saved.stat().st_size,
        "open_ms": opened * 1e3,
        "super_terms_us": best["super_terms"],
        "nested_terms_us": best["nested_terms"],
    }


def child(script: str, *arguments: str) -> dict[str, float]:
    """Runs one of our scripts in a process of its own, and returns its output."""
    command = [sys.executable, str(HERE / script), *arguments]
    found: dict[str, float] = json.loads(
        subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    )
    return found


def cost(size: int, seed: int, folder: Path) -> Cost:
    """Makes a vocabulary and measures it."""
    say(f"making {size:,} terms")
    path = folder / f"{size}.txt"
    synthetic(size, seed).write(path)
    say(f"measuring {size:,} terms, {path.stat().st_size:,} bytes")
    peak = child("build_memory.py", str(path))["peak"]
    times = child("growth.py", "--measure", str(path), "--seed", str(seed))
    result = Cost(
        terms=int(times["terms"]),
        text_bytes=path.stat().st_size,
        build_s=times["build_s"],
        peak_bytes=int(peak),
        file_bytes=int(times["file_bytes"]),
        open_ms=times["open_ms"],
        super_terms_us=times["super_terms_us"],
        nested_terms_us=times["nested_terms_us"],
    )
    for made in folder.iterdir():
        made.unlink()
    say(f"  {result}")
    return result


def linearity(costs: list[Cost]) -> list[str]:
    """A line for each cost: is it, at the largest size, within the slack of ten times a tenth?"""
    by_size = {one.terms: one for one in costs}
    large = by_size[max(by_size)]
    small = by_size.get(large.terms // 10)
    if small is None:
        return ["no check of growth: it needs the largest size and a tenth of it"]
    lines = []
    for name, much, little in [
        ("build time", large.build_s, small.build_s),
        ("peak memory", large.peak_bytes, small.peak_bytes),
    ]:
        times = much / little / 10
        verdict = "yes" if times <= SLACK else "no"
        lines.append(
            f"{name} of {large.terms:,} <= {SLACK} x ten times that of {small.terms:,}: "
            f"{verdict} ({times:.2f})"
        )
    return lines


def plot(path: Path, costs: list[Cost]) -> None:
    """Draws time, bytes per term and query time by size."""
    pyplot_ = pyplot()
    if pyplot_ is None:
        return
    sizes = [one.terms for one in costs]
    panels: list[tuple[str, dict[str, Callable[[Cost], float]]]] = [
        ("build, s", {"from a file": lambda one: one.build_s}),
        (
            "bytes a term",
            {
                "peak memory of a build": lambda one: one.peak_bytes / one.terms,
                "file": lambda one: one.file_bytes / one.terms,
                "text": lambda one: one.text_bytes / one.terms,
            },
        ),
        (
            "one query, us",
            {
                "super_terms": lambda one: one.super_terms_us,
                "nested_terms": lambda one: one.nested_terms_us,
            },
        ),
    ]
    figure, axes = pyplot_.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    figure.suptitle("termnest: cost against size (log scales)")
    for axis, (title, curves) in zip(axes, panels, strict=True):
        for name, get in curves.items():
            axis.plot(sizes, [get(one) for one in costs], marker="o", markersize=4, label=name)
        axis.set_xscale("log")
        axis.set_yscale("log")
        # At least a decade, so that a value that hardly changes looks like it.
        low, high = axis.get_ylim()
        middle = (low * high) ** 0.5
        axis.set_ylim(min(low, middle / 10**0.5), max(high, middle * 10**0.5))
        axis.xaxis.set_minor_formatter("")
        axis.yaxis.set_minor_formatter("")
        axis.set_title(title, loc="left", fontsize=9)
        axis.set_xlabel("terms")
        axis.grid(alpha=0.3)
        axis.legend(fontsize=7)
    figure.savefig(path, metadata={"Date": None})
    pyplot_.close(figure)


def main() -> None:
    """Reads the command line, measures, writes the report."""
    parser = argparse.ArgumentParser(description="cost against size")
    parser.add_argument("--sizes", default=SIZES, help="numbers of terms, separated by commas")
    parser.add_argument(
        "--out", type=Path, default=Path("target/bench"), help="the folder to write to"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)  # what a child does
    options = parser.parse_args()
    if options.measure is not None:
        print(json.dumps(measure(options.measure, options.seed)))
        return
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.out) as folder:
        sizes = [int(size) for size in options.sizes.split(",")]
        costs = [cost(size, options.seed, Path(folder)) for size in sorted(sizes)]
    lines = linearity(costs)
    columns = [field.name for field in fields(Cost)]
    cells = [[number(value) for value in astuple(one)] for one in costs]
    about = facts(["growth.py", *sys.argv[1:]], {"growth": "; ".join(lines)})
    write_csv(options.out / "growth.csv", columns, cells, about)
    write_markdown(options.out / "growth.md", "Cost by size", columns, cells, about)
    plot(options.out / "growth.svg", costs)
    print("\n".join(lines))
    say(f"wrote growth.csv, growth.md and growth.svg to {options.out}")


if __name__ == "__main__":
    main()
