"""Results as CSV, as Markdown and as a plot."""

from __future__ import annotations

import csv
import datetime
import importlib
import importlib.metadata
import os
import platform
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

# Packages whose version may matter; those that are not installed are left out.
_PACKAGES = [
    "termnest", "numpy", "polars", "pyarrow", "pyspark", "matplotlib",
    "daachorse", "ahocorasick_rs", "pyahocorasick", "marisa-trie", "tantivy",
    "fastapi", "granian", "spacy",
]  # fmt: skip


@dataclass
class Row:
    """One measurement."""

    task: str
    engine: str
    value: float
    unit: str
    ratio: float | None = None
    """The value divided by that of the yardstick, both from the same race."""
    yardstick: str = ""
    asked: str = ""
    """Our own limit: of the ratio if it ends in x, otherwise of the value."""
    repeats: int = 1
    notes: str = ""

    @property
    def met(self) -> str:
        """Whether the row is within its limit: yes, no, or empty if it has none."""
        if not self.asked:
            return ""
        sign, limit = self.asked.split()[:2]
        measured = self.ratio if limit.endswith("x") else self.value
        if measured is None:
            return ""
        bound = float(limit.rstrip("x"))
        return "yes" if (measured <= bound if sign == "<=" else measured >= bound) else "no"

    def cells(self) -> list[str]:
        """The row as text, by the columns of the file."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values["value"] = number(self.value)
        values["ratio"] = "" if self.ratio is None else f"{self.ratio:.3g}"
        cells = [str(value) for value in values.values()]
        place = list(values).index("asked") + 1
        return [*cells[:place], self.met, *cells[place:]]


_COLUMNS = [field.name for field in fields(Row)]
COLUMNS = [
    *_COLUMNS[: _COLUMNS.index("asked") + 1],
    "met",
    *_COLUMNS[_COLUMNS.index("asked") + 1 :],
]


def number(value: float) -> str:
    """Three or four significant digits, no exponent."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def facts(command: Sequence[str], more: dict[str, str]) -> dict[str, str]:
    """The facts of the machine and of the run that a record needs: names, but no paths."""
    found = {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "command": " ".join([Path(command[0]).name, *(_name(word) for word in command[1:])]),
        "cpu": _cpu(),
        "cores": str(os.cpu_count()),
        "memory": _memory(),
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "versions": ", ".join(_versions()),
    }
    return found | more


def _name(word: str) -> str:
    option, equals, value = word.rpartition("=")
    return option + equals + (Path(value).name if "/" in value else value)


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def _memory() -> str:
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        return "unknown"
    return f"{total / 2**30:.1f} GiB"


def _versions() -> list[str]:
    found = [f"SQLite {sqlite3.sqlite_version}"]
    for name in _PACKAGES:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def write_csv(
    path: Path, columns: Sequence[str], rows: Sequence[Sequence[str]], about: dict[str, str]
) -> None:
    """Writes the rows, the facts before them as comments."""
    with path.open("w", encoding="utf-8", newline="") as file:
        for key, value in about.items():
            file.write(f"# {key}: {value}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def write_markdown(
    path: Path,
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    about: dict[str, str],
) -> None:
    """Writes the rows as a table, the facts below it."""
    lines = [f"# {title}", "", _line(columns), _line(["---"] * len(columns))]
    lines += [_line(row) for row in rows]
    lines += ["", *(f"- {key}: {value}" for key, value in about.items())]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def pyplot() -> Any:
    """matplotlib's pyplot, drawing to files; prints a line and returns None if it is missing."""
    try:
        matplotlib: Any = importlib.import_module("matplotlib")
    except ImportError:
        print("no plot: matplotlib is not installed", file=sys.stderr)
        return None
    matplotlib.use("svg")
    # The same results give the same file.
    matplotlib.rcParams.update({"svg.hashsalt": "termnest", "font.size": 9})
    return importlib.import_module("matplotlib.pyplot")


def plot_rows(path: Path, rows: Sequence[Row], title: str) -> None:
    """Draws a panel of bars for each task that has more than one engine."""
    pyplot_ = pyplot()
    if pyplot_ is None:
        return
    # A second row of an engine repeats its value, for another yardstick.
    tasks: dict[str, dict[str, Row]] = {}
    for row in rows:
        tasks.setdefault(f"{row.task}, {row.unit}", {}).setdefault(row.engine, row)
    panels = {task: list(found.values()) for task, found in tasks.items() if len(found) > 1}
    if not panels:
        return
    heights = [len(found) + 1.2 for found in panels.values()]
    figure, axes = pyplot_.subplots(
        len(panels),
        1,
        figsize=(8, 0.26 * sum(heights) + 0.6),
        gridspec_kw={"height_ratios": heights},
        squeeze=False,
        layout="constrained",
    )
    figure.suptitle(title)
    for axis, (task, found) in zip(axes[:, 0], panels.items(), strict=True):
        found = sorted(found, key=lambda row: row.value)
        bars = axis.barh(
            [row.engine for row in found],
            [row.value for row in found],
            color=["#1f5f8b" if row.engine.startswith("termnest") else "#b8c4cc" for row in found],
        )
        axis.bar_label(bars, [number(row.value) for row in found], padding=3)
        axis.set_xscale("log")
        axis.set_xlim(min(row.value for row in found) / 3, max(row.value for row in found) * 3)
        better = ", more is better" if found[0].unit.endswith("/s") else ""
        axis.set_title(task + better, loc="left", fontsize=9)
        axis.tick_params(axis="x", labelsize=7)
        axis.xaxis.set_minor_formatter("")
        axis.spines[["top", "right"]].set_visible(False)
        axis.invert_yaxis()
    figure.savefig(path, metadata={"Date": None})
    pyplot_.close(figure)
