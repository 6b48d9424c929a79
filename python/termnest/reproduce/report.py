"""The tables as Markdown, CSV and plots."""

from __future__ import annotations

import csv
import datetime
import errno
import importlib.util
import io
import math
import os
import platform
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from termnest import __version__
from termnest.errors import file_error
from termnest.reproduce.measure import SYSTEMS, TAKES_LESS, Figure, Result

# Every file that a run may write.
_FILES = ("tables.md", "figures.csv", "timings.csv", "table2.png", "table3.png", "growth.png")


def markdown(result: Result, command: str) -> str:
    """All tables as Markdown: the published figure, the measured one and their ratio."""
    lines = ["# The tables of the paper, measured again", ""]
    lines += [f"- command: `{command}`"]
    lines += [f"- {fact}" for fact in _facts()]
    parts = [_agreement(result), _markdown_1(result), _markdown_2(result), _markdown_3(result)]
    return "\n".join([*lines, *(line for part in parts for line in part)]) + "\n"


def _facts() -> list[str]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return [
        f"date: {datetime.date.today().isoformat()}",
        f"machine: {_processor()}, {cores} cores, {platform.system()}",
        f"Python {platform.python_version()}, termnest {__version__}",
    ]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _agreement(result: Result) -> list[str]:
    """Whether all systems give the same answers."""
    if not result.disagreements:
        return []
    lines = []
    for name, found in result.disagreements.items():
        for system, terms in found.items():
            lines.append(f"- {name}: {system} and TermIndex disagree about {terms[0]!r}.")
    said = (
        f"{result.checked:,} random terms of each vocabulary (all, if there are fewer), taken as a "
        "vocabulary of their own, each asked for its super and its nested terms: "
    )
    said += "not all systems agree." if lines else "all systems and TermIndex give equal answers."
    return ["", "## Accuracy", "", said, *([""] if lines else []), *lines]


def _rows(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table; the first column is text, the others are figures."""
    rule = ["---", *("---:" for _ in head[1:])]
    lines = (head, rule, *rows)
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in lines]


def _compared(figure: Figure | None, show: Callable[[float], str]) -> str:
    """The measured figure; if there is a published one, it and the ratio in brackets."""
    if figure is None:
        return ""
    value = f"~{show(figure.value)}" if figure.is_extrapolated else show(figure.value)
    if figure.published is None:
        return value
    ratio = f", {figure.ratio:.3g}x" if figure.ratio is not None else ""
    return f"{value} ({show(figure.published)}{ratio})"


def _markdown_1(result: Result) -> list[str]:
    names = [v.name for v in result.vocabularies if result.of(1, v.name)]
    if not names:
        return []
    head = ["data", "unique terms", "words per term", "characters per term"]
    rows = []
    for name in names:
        row = result.of(1, name)
        rows.append(
            [
                name,
                _compared(row["terms"], lambda n: f"{n:,.0f}"),
                _compared(row["words"], lambda n: f"{n:.2f}"),
                _compared(row["characters"], lambda n: f"{n:.2f}"),
            ]
        )
    said = "Measured; in brackets the published figure, and the ratio."
    return ["", "## Table 1: the vocabularies", "", said, "", *_rows(head, rows)]


def _markdown_2(result: Result) -> list[str]:
    names = [v.name for v in result.vocabularies if result.of(2, v.name)]
    if not names:
        return []
    lines = ["", "## Table 2: node comparisons of a retrieval", ""]
    lines += [
        "Mean per term; in brackets the published figure, and the ratio. For nested terms the "
        "paper's figures are the characters, the words and the n-grams of a term, not comparisons "
        "that a system makes; ours are the same means, over all terms. For super terms TBI needs "
        "one look-up; the nodes that a traversal of a trie visits are counted for "
        f"{result.sample:,} random terms (all, if there are fewer). {_MARKED} TermIndex has no "
        "nodes: its time is given.",
    ]
    for question in ("nested", "super"):
        systems = ["Aho-Corasick", "Lu-Browne", "TBI", "TermIndex"]
        rows = []
        for name in names:
            row = result.of(2, name)
            cells = [_compared(row.get(f"{question}: {s}"), lambda n: f"{n:,.2f}") for s in systems]
            rows.append([name, *cells[:-1], f"{cells[-1]} µs"])
        lines += ["", f"For {question} terms:", "", *_rows(["data", *systems], rows)]
    return [*lines, *_fits(result, 2)]


# Of Tables 2 and 3.
_MARKED = (
    "~ marks figures that are extrapolated from random parts of the vocabulary, because the whole "
    "did not fit into the time; the list below says how."
)


def _fits(result: Result, table: int) -> list[str]:
    """How the figures above were extrapolated."""
    fits = [
        f"- {figure.vocabulary}, {figure.column}: {figure.note}."
        for figure in result.figures
        if figure.table == table and figure.is_extrapolated and figure.column != TAKES_LESS
    ]
    return ["", *fits] if fits else []


def _markdown_3(result: Result) -> list[str]:
    names = [v.name for v in result.vocabularies if result.of(3, v.name)]
    if not names:
        return []
    systems = ["hash table", "TBI", "TermIndex"]
    rows = []
    for name in names:
        row = result.of(3, name)
        slow, fast, ours = (_compared(row[system], duration) for system in systems)
        rows.append([name, slow, fast, _compared(row[TAKES_LESS], "{:.0%}".format), ours])
    head = ["data", "hash table", "TBI", TAKES_LESS, "TermIndex"]
    lines = ["", "## Table 3: time of indexing", ""]
    lines += [
        f"In brackets the published figure, and the ratio. {_MARKED} A cell had about "
        f"{result.budget:g} s.",
        "",
        *_rows(head, rows),
        *_fits(result, 3),
    ]
    others = [system for system in SYSTEMS if system not in systems]
    rows = [
        [name, *(_compared(result.of(3, name).get(system), duration) for system in others)]
        for name in names
    ]
    return [*lines, "", "The other systems:", "", *_rows(["data", *others], rows)]


def duration(seconds: float) -> str:
    """A time in the unit that fits it.

    >>> duration(0.0123), duration(75), duration(4521), duration(1_630_872)
    ('12.3 ms', '75.0 s', '75.35 min', '453.02 h')
    """
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} µs"
    if seconds < 1:
        return f"{seconds * 1e3:.1f} ms"
    if seconds < 100:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:,.2f} min" if seconds < 2 * 3600 else f"{seconds / 3600:,.2f} h"


def figures_csv(result: Result) -> str:
    """Every figure as a row of CSV."""
    head = ["table", "vocabulary", "column", "measured", "extrapolated", "published", "ratio"]
    rows = []
    for f in result.figures:
        figures = [_plain(f.value), "yes" if f.is_extrapolated else "no", _plain(f.published)]
        ratio = _plain(f.ratio)
        rows.append([f.table, f.vocabulary, f.column, *figures, ratio, f.unit, f.note])
    return _csv([*head, "unit", "note"], rows)


def timings_csv(result: Result) -> str:
    """Every timed part of a vocabulary as a row of CSV."""
    rows = (
        [vocabulary, system, size, _plain(seconds)]
        for (vocabulary, system), timing in result.timings.items()
        for size, seconds in timing.measured
    )
    return _csv(["vocabulary", "system", "terms", "seconds"], rows)


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.12g}"


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()


def plots(result: Result) -> dict[str, bytes]:
    """Tables 2 and 3 as bar charts, and time against size: PNG by file name.

    Empty if matplotlib is not installed.
    """
    if importlib.util.find_spec("matplotlib") is None:
        return {}
    import matplotlib

    # No window is opened, even if the user's settings ask for one.
    matplotlib.use("agg")
    made = {}
    if any(figure.table == 2 for figure in result.figures):
        made["table2.png"] = _bars(
            result,
            2,
            [
                f"{q}: {s}"
                for q in ("nested", "super")
                for s in ("Aho-Corasick", "Lu-Browne", "TBI")
            ],
            "node comparisons per term",
        )
    if result.timings:
        made["table3.png"] = _bars(
            result, 3, ["hash table", "TBI", "TermIndex"], "seconds of indexing"
        )
        made["growth.png"] = _growth(result)
    return made


def _bars(result: Result, table: int, columns: Sequence[str], label: str) -> bytes:
    from matplotlib.figure import Figure as Canvas

    names = [v.name for v in result.vocabularies if result.of(table, v.name)]
    canvas = Canvas(figsize=(4.5 + 2.2 * len(names), 4.5), layout="constrained")
    axes = canvas.subplots()
    width = 0.8 / len(columns)
    for i, column in enumerate(columns):
        figures = [result.of(table, name).get(column) for name in names]
        values = [math.nan if figure is None else figure.value for figure in figures]
        places = [place + (i - (len(columns) - 1) / 2) * width for place in range(len(names))]
        bars = axes.bar(places, values, width, label=column, color=f"C{i}")
        for bar, figure in zip(bars, figures, strict=True):
            if figure is not None and figure.is_extrapolated:
                bar.set_hatch("///")
                bar.set_edgecolor("white")
        marks = [
            (p, f.published) for p, f in zip(places, figures, strict=True) if f and f.published
        ]
        for place, value in marks:
            axes.scatter(place, value, marker="_", color="black", s=120, zorder=3)
    axes.set_yscale("log")
    axes.set_ylabel(label)
    axes.set_xticks(range(len(names)), names)
    shown = [result.of(table, name)[column] for name in names for column in columns]
    legend = ["black marks: published"] if any(figure.published for figure in shown) else []
    legend += ["hatched: extrapolated"] if any(figure.is_extrapolated for figure in shown) else []
    axes.set_title(f"Table {table}" + (f"   ({'; '.join(legend)})" if legend else ""), fontsize=9)
    canvas.legend(fontsize=8, loc="outside right upper")
    return _png(canvas)


def _growth(result: Result) -> bytes:
    from matplotlib.figure import Figure as Canvas
    from matplotlib.ticker import NullFormatter

    names = [v.name for v in result.vocabularies if result.of(3, v.name)]
    canvas = Canvas(figsize=(5 * len(names), 4.5), layout="constrained")
    for axes, name in zip(canvas.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        title = name
        for i, system in enumerate([*SYSTEMS, "TermIndex"]):
            timing = result.timings[name, system]
            sizes, seconds = zip(*timing.measured, strict=True)
            power = "" if timing.exponent is None else f", fitted n^{timing.exponent:.2f}"
            axes.plot(sizes, seconds, "o-", color=f"C{i}", markersize=3, label=f"{system}{power}")
            if not timing.whole:
                title = f"{name}   (dashed: extrapolated by n^2, or by n)"
                whole = len(next(v.terms for v in result.vocabularies if v.name == name))
                axes.plot([sizes[-1], whole], [seconds[-1], timing.value], "--", color=f"C{i}")
        axes.set_xscale("log")
        axes.set_yscale("log")
        # Between powers of ten, labels would run into each other.
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel("terms")
        axes.set_ylabel("seconds of indexing")
        axes.set_title(title, fontsize=9)
        axes.legend(fontsize=7)
    return _png(canvas)


def _png(canvas: Any) -> bytes:
    image = io.BytesIO()
    canvas.savefig(image, format="png", dpi=120)
    return image.getvalue()


def check_folder(folder: Path) -> None:
    """Raises FileAccessError if the folder cannot be written to; it need not exist yet.

    Called before hours of work.
    """
    try:
        there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        if not there.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, f"{there} is a file")
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        message = f"cannot write into {folder}: {error.strerror}."
        raise file_error(message, error.errno, folder) from error


def write(result: Result, folder: Path, command: str) -> list[Path]:
    """Writes tables and plots into the folder, and returns their paths.

    The files of an earlier run are replaced, or deleted if this run has no such file.
    """
    content = {
        "tables.md": markdown(result, command).encode(),
        "figures.csv": figures_csv(result).encode(),
        **({"timings.csv": timings_csv(result).encode()} if result.timings else {}),
        **plots(result),
    }
    check_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in _FILES:
        if (folder / name).is_dir():
            message = f"cannot write {folder / name}: it is a folder."
            raise file_error(message, errno.EISDIR, folder / name)
    # All files are written before the first is renamed.
    with tempfile.TemporaryDirectory(dir=folder, prefix=".") as beside:
        for name, data in content.items():
            (Path(beside) / name).write_bytes(data)
        for name in content:
            (Path(beside) / name).replace(folder / name)
    for name in _FILES:
        if name not in content:
            (folder / name).unlink(missing_ok=True)
    return [folder / name for name in content]
