"""The tables of the paper, measured anew: what `termnest reproduce` does.

Every figure is measured here and now, beside the published one where the paper has the dataset.
What would take longer than its budget is measured on parts of the vocabulary and extrapolated, and
says so.
"""

from __future__ import annotations

import csv
import datetime
import importlib.util
import io
import math
import os
import platform
import random
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from termnest import __version__
from termnest.errors import FileAccessError, InvalidOptionError, InvalidTermError
from termnest.index import TermIndex
from termnest.paper import (
    TBI,
    AhoCorasick,
    Comparisons,
    HashTable,
    KarpRabin,
    LuBrowne,
    Naive,
    TermStore,
)
from termnest.paper.terms import tokens
from termnest.shipped import character_names, manual_phrases

TABLES = (1, 2, 3)
SYSTEMS: dict[str, Callable[[list[str]], TermStore]] = {
    "hash table": HashTable,
    "TBI": TBI,
    "Lu-Browne": LuBrowne,
    "Aho-Corasick": AhoCorasick,
    "Karp-Rabin": KarpRabin,
    "naive": Naive,
}
# Larger vocabularies get no tries for Table 2, as in the paper: a traversal visits most nodes, and
# in plain Python the nodes of a million terms fill gigabytes.
MOST_TERMS_OF_A_TRIE = 500_000
# The smallest part of a vocabulary that is timed.
_SMALLEST_PART = 500
_SEED = 2019


@dataclass(frozen=True)
class Published:
    """What the paper tells of a dataset. Times are seconds."""

    terms: int
    words: float
    characters: float
    nested: dict[str, float]
    super: dict[str, float]
    indexing: dict[str, float]


def _published(
    terms: int,
    words: float,
    characters: float,
    nested: Sequence[float],
    super_: Sequence[float],
    indexing: Sequence[float],
) -> Published:
    tries = ("Aho-Corasick", "Lu-Browne", "TBI")
    return Published(
        terms,
        words,
        characters,
        dict(zip(tries, nested, strict=False)),
        dict(zip(tries, super_, strict=False)),
        dict(zip(("hash table", "TBI"), indexing, strict=True)),
    )


PUBLISHED = {
    "brown": _published(
        95_241, 2.23, 15.21, (15.21, 2.23, 3.45), (42_433.99, 33_629.19, 1), (2_230.8, 418.2)
    ),
    "wsj": _published(
        92_690, 2.49, 17.11, (17.11, 2.48, 4.09), (29_170.87, 22_657.57, 1), (2_110.8, 384)
    ),
    "swbd": _published(
        28_429, 2.21, 13.23, (13.23, 2.21, 3.39), (9_556.54, 12_172.2, 1), (214.2, 33)
    ),
    "nyt": _published(
        16_242, 2.01, 13.27, (13.27, 2.01, 3.01), (8_673.56, 6_496.11, 1), (67.8, 10.8)
    ),
    "w2v": _published(3_000_000, 1.96, 13.74, (), (), (1_630_872, 235_188)),
}


# --- vocabularies ---


@dataclass
class Vocabulary:
    """A vocabulary to measure on: terms of tokens with single blanks between them."""

    name: str
    terms: list[str]
    path: str = ""
    """The file that it was read from."""

    @property
    def published(self) -> Published | None:
        """What the paper tells of it, if it has the dataset of this name."""
        return PUBLISHED.get(self.name.lower())


def read(given: str, separator: str | None = None) -> Vocabulary:
    """The vocabulary given as NAME=PATH, or as PATH alone, whose name is then the file's."""
    name, equals, path = given.partition("=")
    if not equals:
        name, path = Path(given).name.split(".")[0], given
    if not name or not path:
        raise InvalidOptionError(f"{given!r} is no vocabulary: give NAME=PATH.")
    terms = list(TermIndex.from_file(path, separator=separator))
    if separator is None:
        # White space of any kind separated.
        terms = [" ".join(term.split()) for term in terms]
    elif separator != " ":
        blank = next((term for term in terms if " " in term), None)
        if blank is not None:
            raise InvalidTermError(
                f"{path}: {blank!r} has a blank inside of a word, where the paper's systems split."
            )
        terms = [term.replace(separator, " ") for term in terms]
    if not terms:
        raise InvalidTermError(f"{path} has no terms: there is nothing to measure.")
    return Vocabulary(name, list(dict.fromkeys(terms)), path)


def shipped() -> list[Vocabulary]:
    """Vocabularies that every Python has: the names of characters, and phrases of its manual."""
    found = [Vocabulary("unicode", character_names()), Vocabulary("manual", manual_phrases())]
    return [vocabulary for vocabulary in found if vocabulary.terms]


# --- measuring ---


@dataclass
class Timing:
    """How long the indexing of a vocabulary takes."""

    seconds: float
    measured: list[tuple[int, float]]
    """Terms and seconds of each part that was timed."""
    exponent: float | None
    """Of the power of the number of terms that fits them."""
    whole: bool
    """Whether the whole vocabulary was timed; else `seconds` is extrapolated."""


def time_indexing(
    make: Callable[[list[str]], object],
    terms: list[str],
    budget: float,
    spent: Callable[[float], None] = lambda seconds: None,
) -> Timing:
    """Times `make` on ever larger random parts of the terms, for about `budget` seconds."""
    shuffled = random.Random(_SEED).sample(terms, len(terms))
    measured: list[tuple[int, float]] = []
    left = budget
    size = min(_SMALLEST_PART, len(terms))
    while True:
        part = shuffled[:size]
        began = time.perf_counter()
        store = make(part)
        seconds = time.perf_counter() - began
        del store
        measured.append((size, seconds))
        spent(seconds)
        left -= seconds
        if size == len(terms):
            break
        # Until there is more to go by, the worst is expected.
        power = max(fitted_exponent(measured), 1.0) if len(measured) > 2 else 2.0
        next_size = min(2 * size, len(terms))
        if seconds * (next_size / size) ** power > left:
            break
        size = next_size
    exponent = fitted_exponent(measured) if len(measured) > 1 else None
    last, seconds = measured[-1]
    if last < len(terms):
        # Below linear no index can be: what looks so is the cost of starting.
        power = max(exponent if exponent is not None else 2.0, 1.0)
        seconds *= (len(terms) / last) ** power
    return Timing(seconds, measured, exponent, whole=last == len(terms))


def fitted_exponent(measured: Sequence[tuple[int, float]]) -> float:
    """The exponent of the power law that fits the larger parts best, by least squares of logs.

    >>> round(fitted_exponent([(10, 1.0), (20, 4.0), (40, 16.0)]), 6)
    2.0
    """
    points = [(math.log(size), math.log(max(seconds, 1e-9))) for size, seconds in measured[-4:]]
    x = sum(a for a, _ in points) / len(points)
    y = sum(b for _, b in points) / len(points)
    spread = sum((a - x) ** 2 for a, _ in points)
    return sum((a - x) * (b - y) for a, b in points) / spread


def visited_nodes(
    make: Callable[..., TermStore],
    vocabulary: list[str],
    sample: list[str],
    done: Callable[[], None] = lambda: None,
) -> float:
    """The mean number of nodes that a traversal for the super terms of a sample visits."""
    comparisons = Comparisons()
    store = make(vocabulary, compared=comparisons)
    for term in sample:
        store.super_terms(term)
        done()
    return comparisons.count / len(sample)


# --- accuracy ---


def disagreements(terms: list[str]) -> dict[str, list[str]]:
    """By system, the terms of which it does not tell what TermIndex tells; empty as it should be.

    The paper checks its index in this way: the terms are the vocabulary, and each one is asked for
    its super terms; here for its nested terms too.
    """
    index = TermIndex(terms, separator=" ")
    found: dict[str, list[str]] = {}
    for system, make in SYSTEMS.items():
        store = make(terms)
        for term in terms:
            agree = store.super_terms(term) == set(index.super_terms(term))
            if not agree or store.nested_terms(term) != set(index.nested_terms(term)):
                found.setdefault(system, []).append(term)
    return found


# --- tables ---


@dataclass
class Figure:
    """One figure of a table, beside the published one."""

    table: int
    vocabulary: str
    column: str
    value: float | None
    unit: str
    published: float | None = None
    note: str = ""
    """How it came about, where it was not simply measured."""

    @property
    def ratio(self) -> float | None:
        """Measured by published."""
        if self.value is None or not self.published:
            return None
        return self.value / self.published


@dataclass
class Result:
    """The figures of all tables, and the timed parts behind those of Table 3."""

    vocabularies: list[Vocabulary]
    sample: int
    budget: float
    checked: int
    """So many terms of each vocabulary, as one of their own, were asked of all systems."""
    disagreements: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    """By vocabulary, what `disagreements` tells."""
    figures: list[Figure] = field(default_factory=list)
    timings: dict[tuple[str, str], Timing] = field(default_factory=dict)

    def of(self, table: int, vocabulary: str) -> dict[str, Figure]:
        """The figures of one row of a table, by column."""
        return {
            figure.column: figure
            for figure in self.figures
            if (figure.table, figure.vocabulary) == (table, vocabulary)
        }


def reproduce(
    vocabularies: Sequence[Vocabulary],
    tables: Sequence[int] = TABLES,
    budget: float = 5.0,
    sample: int = 1_000,
    check: int = 1_000,
    progress: Callable[[str, float], None] = lambda what, share: None,
) -> Result:
    """Measures the figures of the tables; `progress` is told what is done, and the share of all."""
    result = Result(list(vocabularies), sample, budget, check)
    work = _Work(vocabularies, tables, budget, sample, progress)
    for vocabulary in vocabularies:
        if check:
            work.begin(f"{vocabulary.name}: do all systems agree?", 0.0)
            count = min(check, len(vocabulary.terms))
            part = random.Random(_SEED).sample(vocabulary.terms, count)
            result.disagreements[vocabulary.name] = disagreements(part)
        if 1 in tables:
            _table_1(result, vocabulary)
        if 2 in tables:
            _table_2(result, vocabulary, sample, work)
        if 3 in tables:
            _table_3(result, vocabulary, budget, work)
    return result


class _Work:
    """How much of all is done, in seconds that it was thought to take."""

    def __init__(
        self,
        vocabularies: Sequence[Vocabulary],
        tables: Sequence[int],
        budget: float,
        sample: int,
        progress: Callable[[str, float], None],
    ) -> None:
        self.total = 0.0
        for vocabulary in vocabularies:
            if 2 in tables:
                self.total += 2 * self.traversals(vocabulary, sample)
            if 3 in tables:
                self.total += budget * len(SYSTEMS)
        self.done = 0.0
        self.progress = progress

    @staticmethod
    def traversals(vocabulary: Vocabulary, sample: int) -> float:
        """About how long the traversals of one trie take."""
        count = min(sample, len(vocabulary.terms))
        return 1e-7 * len(vocabulary.terms) * count

    def begin(self, what: str, expected: float) -> Callable[[float], None]:
        """Begins a part; what is given back is told how much of it is done, from 0 to 1."""
        before = self.done
        self.done += expected

        def tell(share: float) -> None:
            now = before + expected * min(share, 1.0)
            self.progress(what, now / self.total if self.total else 1.0)

        tell(0.0)
        return tell


def _table_1(result: Result, vocabulary: Vocabulary) -> None:
    """The size of the vocabulary."""
    published = vocabulary.published
    words = sum(len(tokens(term)) for term in vocabulary.terms)
    characters = sum(map(len, vocabulary.terms))
    count = len(vocabulary.terms)
    told = (published.terms, published.words, published.characters) if published else (None,) * 3
    values = {"terms": count, "words": words / count, "characters": characters / count}
    for (column, value), its_own in zip(values.items(), told, strict=True):
        result.figures.append(Figure(1, vocabulary.name, column, value, "", its_own))


def _table_2(result: Result, vocabulary: Vocabulary, sample: int, work: _Work) -> None:
    """Node comparisons of a retrieval.

    For nested terms the published figures are the characters, words and proper n-grams of a term;
    for super terms they are the nodes that a traversal visits, and 1 for TBI's one look-up.
    """
    published = vocabulary.published
    told_nested = published.nested if published else {}
    told_super = published.super if published else {}
    terms = vocabulary.terms
    lengths = [len(tokens(term)) for term in terms]
    means = {
        "Aho-Corasick": sum(map(len, terms)) / len(terms),
        "Lu-Browne": sum(lengths) / len(terms),
        "TBI": sum(m * (m + 1) // 2 - 1 for m in lengths) / len(terms),
    }
    chosen = random.Random(_SEED).sample(terms, min(sample, len(terms)))
    for system, mean in means.items():
        column = f"nested: {system}"
        told = told_nested.get(system)
        result.figures.append(Figure(2, vocabulary.name, column, mean, "comparisons", told))
    for system in ("Aho-Corasick", "Lu-Browne"):
        expected = work.traversals(vocabulary, sample)
        tell = work.begin(f"{vocabulary.name}: nodes that {system} visits", expected)
        column = f"super: {system}"
        told = told_super.get(system)
        if len(terms) > MOST_TERMS_OF_A_TRIE:
            note = f"not run: more than {MOST_TERMS_OF_A_TRIE:,} terms"
            figure = Figure(2, vocabulary.name, column, None, "comparisons", told, note)
        else:
            finished = 0

            def done(tell: Callable[[float], None] = tell) -> None:
                nonlocal finished
                finished += 1
                tell(finished / len(chosen))

            make = AhoCorasick if system == "Aho-Corasick" else LuBrowne
            mean = visited_nodes(make, terms, chosen, done)
            note = f"mean of {len(chosen):,} random terms"
            figure = Figure(2, vocabulary.name, column, mean, "comparisons", told, note)
        result.figures.append(figure)
        tell(1.0)
    result.figures.append(
        Figure(2, vocabulary.name, "super: TBI", 1.0, "comparisons", told_super.get("TBI"))
    )
    index = TermIndex(terms, separator=" ")
    for question, ask in (("nested", index.nested_terms), ("super", index.super_terms)):
        rounds = []
        for _ in range(3):
            began = time.perf_counter()
            for term in chosen:
                ask(term)
            rounds.append(time.perf_counter() - began)
        took = min(rounds) / len(chosen) * 1e6
        column = f"{question}: TermIndex"
        note = f"mean of {len(chosen):,} random terms, best of three rounds"
        result.figures.append(Figure(2, vocabulary.name, column, took, "µs", None, note))


def _table_3(result: Result, vocabulary: Vocabulary, budget: float, work: _Work) -> None:
    """The time of indexing."""
    told = vocabulary.published.indexing if vocabulary.published else {}
    for system, make in SYSTEMS.items():
        tell = work.begin(f"{vocabulary.name}: indexing, {system}", budget)
        used = 0.0

        def spent(seconds: float, tell: Callable[[float], None] = tell) -> None:
            nonlocal used
            used += seconds
            tell(used / budget)

        timing = time_indexing(make, vocabulary.terms, budget, spent)
        tell(1.0)
        result.timings[vocabulary.name, system] = timing
        result.figures.append(
            Figure(3, vocabulary.name, system, timing.seconds, "s", told.get(system), _how(timing))
        )
    build = lambda terms: TermIndex(terms, separator=" ")  # noqa: E731
    timing = time_indexing(build, vocabulary.terms, math.inf)
    result.timings[vocabulary.name, "TermIndex"] = timing
    result.figures.append(Figure(3, vocabulary.name, "TermIndex", timing.seconds, "s"))


def _how(timing: Timing) -> str:
    if timing.whole:
        return ""
    last = timing.measured[-1][0]
    power = f", time ~ n^{timing.exponent:.2f}" if timing.exponent is not None else ""
    return f"extrapolated from {last:,} terms{power}"


def less_time(result: Result, vocabulary: str) -> float | None:
    """How much less time TBI's indexing takes than the hash table's, from 0 to 1."""
    row = result.of(3, vocabulary)
    slow, fast = row.get("hash table"), row.get("TBI")
    if slow is None or fast is None or not slow.value or fast.value is None:
        return None
    return 1 - fast.value / slow.value


# --- writing ---


def markdown(result: Result, command: str) -> str:
    """All tables as Markdown: the published figure, the measured one and their ratio."""
    lines = ["# The tables of the paper, measured anew", ""]
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
    """Whether all systems tell the same."""
    if not result.disagreements:
        return []
    lines = []
    for name, found in result.disagreements.items():
        for system, terms in found.items():
            lines.append(f"- {name}: {system} and TermIndex disagree about {terms[0]!r}.")
    said = (
        f"{result.checked:,} random terms of each vocabulary (all, if there are fewer), taken as "
        "one of their own: "
    )
    said += "not all systems agree." if lines else "all systems and TermIndex give equal answers."
    return ["", "## Accuracy", "", said, *([""] if lines else []), *lines]


def _rows(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table; the first column is text, the others are figures."""
    rule = ["---", *("---:" for _ in head[1:])]
    return ["| " + " | ".join(row) + " |" for row in (head, rule, *rows)]


def _compared(figure: Figure | None, show: Callable[[float], str]) -> str:
    """Measured, and behind it published and ratio where there is one."""
    if figure is None:
        return ""
    value = "not run" if figure.value is None else show(figure.value)
    if "extrapolated" in figure.note:
        value = f"~{value}"
    if figure.published is None:
        return value
    ratio = f", {figure.ratio:.2f}x" if figure.ratio is not None else ""
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
    said = "Measured; in brackets published, and the ratio of both."
    return ["", "## Table 1: the vocabularies", "", said, "", *_rows(head, rows)]


def _markdown_2(result: Result) -> list[str]:
    names = [v.name for v in result.vocabularies if result.of(2, v.name)]
    if not names:
        return []
    lines = ["", "## Table 2: node comparisons of a retrieval", ""]
    lines += [
        f"Mean per term. The nodes that a traversal visits are counted on {result.sample:,} random "
        "terms of each vocabulary (all, if there are fewer); TermIndex has no nodes: its time is "
        "given. In brackets published, and the ratio.",
    ]
    for question in ("nested", "super"):
        systems = ["Aho-Corasick", "Lu-Browne", "TBI", "TermIndex"]
        rows = []
        for name in names:
            row = result.of(2, name)
            cells = [_compared(row.get(f"{question}: {s}"), lambda n: f"{n:,.2f}") for s in systems]
            rows.append([name, *cells[:-1], f"{cells[-1]} µs"])
        lines += ["", f"For {question} terms:", "", *_rows(["data", *systems], rows)]
    return lines


def _markdown_3(result: Result) -> list[str]:
    names = [v.name for v in result.vocabularies if result.of(3, v.name)]
    if not names:
        return []
    systems = ["hash table", "TBI", "TermIndex"]
    rows, fits = [], []
    for name in names:
        row = result.of(3, name)
        cells = [_compared(row.get(system), duration) for system in systems]
        less = less_time(result, name)
        rows.append([name, *cells[:2], "" if less is None else f"{less:.0%}", cells[2]])
        fits += [
            f"- {name}, {column}: {figure.note}." for column, figure in row.items() if figure.note
        ]
    head = ["data", "hash table", "TBI", "TBI takes less", "TermIndex"]
    lines = ["", "## Table 3: time of indexing", ""]
    lines += [
        "In brackets published, and the ratio. ~ marks what was not run in full: it is "
        f"extrapolated from parts of the vocabulary that took {result.budget:g} s, as told below.",
        "",
        *_rows(head, rows),
    ]
    if fits:
        lines += ["", *fits]
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
    if seconds < 1:
        return f"{seconds * 1e3:.1f} ms"
    if seconds < 100:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:,.2f} min" if seconds < 2 * 3600 else f"{seconds / 3600:,.2f} h"


def figures_csv(result: Result) -> str:
    """Every figure, a line for each."""
    head = ["table", "vocabulary", "column", "measured", "published", "ratio", "unit", "note"]
    rows = []
    for f in result.figures:
        figures = map(_plain, (f.value, f.published, f.ratio))
        rows.append([f.table, f.vocabulary, f.column, *figures, f.unit, f.note])
    return _csv(head, rows)


def timings_csv(result: Result) -> str:
    """Every part of a vocabulary that was timed, a line for each."""
    rows = (
        [vocabulary, system, size, _plain(seconds)]
        for (vocabulary, system), timing in result.timings.items()
        for size, seconds in timing.measured
    )
    return _csv(["vocabulary", "system", "terms", "seconds"], rows)


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()


def plots(result: Result) -> dict[str, bytes]:
    """Tables 2 and 3 as bar charts, and time against size, as PNG by file name.

    Without matplotlib there are none.
    """
    if importlib.util.find_spec("matplotlib") is None:
        return {}
    import matplotlib

    # No window is opened, whatever the user's settings.
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
    canvas = Canvas(figsize=(2.5 + 2.2 * len(names), 4.5), layout="constrained")
    axes = canvas.subplots()
    width = 0.8 / len(columns)
    for i, column in enumerate(columns):
        figures = [result.of(table, name).get(column) for name in names]
        values = [f.value if f is not None and f.value is not None else math.nan for f in figures]
        places = [place + (i - (len(columns) - 1) / 2) * width for place in range(len(names))]
        bars = axes.bar(places, values, width, label=column, color=f"C{i}")
        for bar, figure in zip(bars, figures, strict=True):
            if figure is not None and "extrapolated" in figure.note:
                bar.set_hatch("///")
                bar.set_edgecolor("white")
        told = [(p, f.published) for p, f in zip(places, figures, strict=True) if f and f.published]
        for place, value in told:
            axes.scatter(place, value, marker="_", color="black", s=120, zorder=3)
    axes.set_yscale("log")
    axes.set_ylabel(label)
    axes.set_xticks(range(len(names)), names)
    axes.set_title(f"Table {table}   (black marks: published; hatched: extrapolated)", fontsize=9)
    axes.legend(fontsize=8)
    return _png(canvas)


def _growth(result: Result) -> bytes:
    from matplotlib.figure import Figure as Canvas

    names = [v.name for v in result.vocabularies if result.of(3, v.name)]
    canvas = Canvas(figsize=(5 * len(names), 4.5), layout="constrained")
    for axes, name in zip(canvas.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        for i, system in enumerate([*SYSTEMS, "TermIndex"]):
            timing = result.timings[name, system]
            sizes, seconds = zip(*timing.measured, strict=True)
            power = "" if timing.exponent is None else f", n^{timing.exponent:.2f}"
            axes.plot(sizes, seconds, "o-", color=f"C{i}", markersize=3, label=f"{system}{power}")
            if not timing.whole:
                whole = len(next(v.terms for v in result.vocabularies if v.name == name))
                axes.plot([sizes[-1], whole], [seconds[-1], timing.seconds], "--", color=f"C{i}")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("terms")
        axes.set_ylabel("seconds of indexing")
        axes.set_title(f"{name}   (dashed: extrapolated)", fontsize=9)
        axes.legend(fontsize=7)
    return _png(canvas)


def _png(canvas: Any) -> bytes:
    image = io.BytesIO()
    canvas.savefig(image, format="png", dpi=120)
    return image.getvalue()


def check_folder(folder: Path) -> None:
    """Fails, before hours of work, if nothing can be written into the folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        message = f"cannot write into {folder}: {error.strerror}."
        raise FileAccessError._make(error.errno, message, folder) from error


def write(result: Result, folder: Path, command: str) -> list[Path]:
    """Writes tables and plots into the folder, each file as a whole; the files."""
    content = {
        "tables.md": markdown(result, command).encode(),
        "figures.csv": figures_csv(result).encode(),
        **({"timings.csv": timings_csv(result).encode()} if result.timings else {}),
        **plots(result),
    }
    check_folder(folder)
    # All are written before the first gets its name.
    with tempfile.TemporaryDirectory(dir=folder, prefix=".") as beside:
        for name, data in content.items():
            (Path(beside) / name).write_bytes(data)
        for name in content:
            (Path(beside) / name).replace(folder / name)
    return [folder / name for name in content]


def parse_tables(given: str) -> list[int]:
    """The numbers of tables in a text like "1,3"."""
    chosen = []
    for part in given.split(","):
        if part.strip() not in {str(table) for table in TABLES}:
            raise InvalidOptionError(
                f"there is no table {part.strip()!r}: the paper has 1, 2 and 3."
            )
        chosen.append(int(part))
    return sorted(set(chosen))
