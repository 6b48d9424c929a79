"""Measuring the figures of the tables.

A figure that would take longer than its budget is measured on parts of the vocabulary and
extrapolated. Its note says so.
"""

from __future__ import annotations

import gc
import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from termnest.errors import InvalidOptionError
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
from termnest.reproduce.vocabularies import Vocabulary

TABLES = (1, 2, 3)
# Seconds for one cell of a table.
BUDGET = 10.0
# The column of Table 3 that compares the two before it.
TAKES_LESS = "TBI takes less"
SYSTEMS: dict[str, Callable[..., TermStore]] = {
    "hash table": HashTable,
    "TBI": TBI,
    "Lu-Browne": LuBrowne,
    "Aho-Corasick": AhoCorasick,
    "Karp-Rabin": KarpRabin,
    "naive": Naive,
}
# Terms. Larger tries are not built: in plain Python the nodes of a million terms fill gigabytes.
MOST_TERMS_OF_A_TRIE = 500_000
_TRIES = ("Aho-Corasick", "Lu-Browne")
# The time of indexing grows by this power of the number of terms; 1 for the other systems. The hash
# table tests all pairs of terms. TBI tests a part of the pairs that does not depend on the number
# of terms (20 % on parts of Brown, from 2,000 to 16,000 terms). The others look at each term once.
# A power that is fitted to times differs from these, as memory is slower than caches and clocks are
# noisy; extrapolating by a factor of a hundred would multiply that error.
_POWER = {"hash table": 2.0, "TBI": 2.0}
# Terms of the smallest part of a vocabulary that is measured.
_SMALLEST_PART = 500
# Seconds: a time below _SHORT is measured _REPEAT times, and the best counts; a time below _NOISE
# is too inaccurate for a fit.
_SHORT, _REPEAT, _NOISE = 0.05, 5, 0.001
# Of all random samples, so that each run measures the same parts: the year of the paper.
_SEED = 2019


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


@dataclass
class Growth:
    """A figure that was measured on larger and larger parts of a vocabulary."""

    value: float
    measured: list[tuple[int, float]]
    """The number of terms and the value of each part."""
    exponent: float | None
    """The power of the number of terms that fits these values; None if there are too few."""
    power: float
    """The power by which `value` is extrapolated."""
    whole: bool
    """True if the whole vocabulary was measured, False if `value` is extrapolated."""


def on_parts(
    measure: Callable[[list[str]], tuple[float, float]],
    terms: list[str],
    budget: float,
    spent: Callable[[float], None] = lambda seconds: None,
    power: float | None = None,
    most_terms: float = math.inf,
    noise: float = 0.0,
    all_parts: bool = True,
) -> Growth:
    """Measures larger and larger random parts of the terms, for about `budget` seconds.

    `measure` returns the value of a part, and the seconds that it took.
    The whole vocabulary is measured if that alone fits into the budget; without `all_parts`, it is
    measured as soon as that is known. Otherwise its value is extrapolated from the largest part, by
    `power`, or if that is None by the power of the number of terms that fits the parts.
    """
    shuffled = random.Random(_SEED).sample(terms, len(terms))
    measured: list[tuple[int, float]] = []
    left = budget
    size = min(_SMALLEST_PART, len(terms))
    while True:
        began = time.perf_counter()
        value, seconds = measure(shuffled[:size])
        measured.append((size, value))
        passed = time.perf_counter() - began
        spent(passed)
        left -= passed

        def fits(step: int, seconds: float = seconds, size: int = size, left: float = left) -> bool:
            expected = seconds * (step / size) ** (power or 1.0)
            return step <= most_terms and expected <= (budget if step == len(terms) else left)

        if size == len(terms):
            break
        # The last part is at most a third of the whole, if the whole can be measured.
        is_next = (not all_parts or 3 * size >= len(terms)) and fits(len(terms))
        if not is_next and 2 * size < len(terms) and fits(2 * size):
            size *= 2
        elif fits(len(terms)):
            size = len(terms)
        else:
            break
    exponent = fitted_exponent(measured, noise)
    if power is None:
        power = 1.0 if exponent is None else exponent
    value *= (len(terms) / size) ** power
    return Growth(value, measured, exponent, power, size == len(terms))


def time_indexing(
    make: Callable[[list[str]], object],
    terms: list[str],
    budget: float,
    spent: Callable[[float], None] = lambda seconds: None,
    power: float = 1.0,
    most_terms: float = math.inf,
) -> Growth:
    """The seconds that `make` takes to index the terms."""

    def once(part: list[str]) -> float:
        # Python's garbage collector ignores all older objects while we measure.
        gc.collect()
        gc.freeze()
        try:
            began = time.perf_counter()
            store = make(part)
            seconds = time.perf_counter() - began
        finally:
            # Frozen objects would never be collected, not even when the process ends.
            gc.unfreeze()
        del store
        return seconds

    def best(part: list[str]) -> tuple[float, float]:
        seconds = once(part)
        if seconds < _SHORT:
            seconds = min(seconds, *(once(part) for _ in range(1, _REPEAT)))
        return seconds, seconds

    return on_parts(best, terms, budget, spent, power, most_terms, _NOISE)


def fitted_exponent(measured: Sequence[tuple[int, float]], noise: float = 0.0) -> float | None:
    """The exponent of the power law that fits the last four parts best, by least squares of logs.

    Values up to `noise` are left out. None if fewer than two parts are left.

    >>> round(fitted_exponent([(10, 1.0), (20, 4.0), (40, 16.0)]), 6)
    2.0
    """
    last = [(size, value) for size, value in measured[-4:] if value > noise]
    if len(last) < 2:
        return None
    points = [(math.log(size), math.log(value)) for size, value in last]
    x = sum(a for a, _ in points) / len(points)
    y = sum(b for _, b in points) / len(points)
    spread = sum((a - x) ** 2 for a, _ in points)
    return sum((a - x) * (b - y) for a, b in points) / spread


def visited_nodes(
    make: Callable[..., TermStore],
    terms: list[str],
    sample: int,
    budget: float,
    spent: Callable[[float], None] = lambda seconds: None,
) -> Growth:
    """The mean number of nodes that a traversal for the super terms of a random term visits."""

    def mean(part: list[str]) -> tuple[float, float]:
        began = time.perf_counter()
        comparisons = Comparisons()
        store = make(part, compared=comparisons)
        chosen = random.Random(_SEED).sample(part, min(sample, len(part)))
        for term in chosen:
            store.super_terms(term)
        return comparisons.count / len(chosen), time.perf_counter() - began

    most = MOST_TERMS_OF_A_TRIE
    return on_parts(mean, terms, budget, spent, most_terms=most, all_parts=False)


# --- accuracy ---


def disagreements(
    terms: list[str], progress: Callable[[float], None] = lambda done: None
) -> dict[str, list[str]]:
    """By system, the terms for which it does not answer as TermIndex does; none are expected.

    The paper checks its index in this way: it asks for the super terms of every term of the
    vocabulary. We also ask for the nested terms.
    """
    index = TermIndex(terms, separator=" ")
    found: dict[str, list[str]] = {}
    for number, (system, make) in enumerate(SYSTEMS.items()):
        store = make(terms)
        for asked, term in enumerate(terms):
            progress((number + asked / len(terms)) / len(SYSTEMS))
            agree = store.super_terms(term) == set(index.super_terms(term))
            if not agree or store.nested_terms(term) != set(index.nested_terms(term)):
                found.setdefault(system, []).append(term)
    return found


# --- tables ---


@dataclass
class Figure:
    """One figure of a table, and the published one."""

    table: int
    vocabulary: str
    column: str
    value: float
    unit: str
    published: float | None = None
    note: str = ""
    """How it was obtained, if it was not simply measured."""

    @property
    def ratio(self) -> float | None:
        """The measured figure divided by the published one."""
        return self.value / self.published if self.published else None

    @property
    def is_extrapolated(self) -> bool:
        """Whether only parts of the vocabulary were measured."""
        return "extrapolated" in self.note


@dataclass
class Result:
    """The figures of all tables, and the parts that were timed for Table 3."""

    vocabularies: list[Vocabulary]
    sample: int
    budget: float
    checked: int
    """The number of terms of each vocabulary that all systems were asked about."""
    disagreements: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    """By vocabulary, the result of `disagreements`."""
    figures: list[Figure] = field(default_factory=list)
    timings: dict[tuple[str, str], Growth] = field(default_factory=dict)

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
    budget: float = BUDGET,
    sample: int = 1_000,
    check: int = 1_000,
    progress: Callable[[str, float], None] = lambda what, done: None,
) -> Result:
    """Measures the figures of the tables.

    `progress` is called with the name of the current step, and how much of all is done: 0 to 1.
    """
    result = Result(list(vocabularies), sample, budget, check)
    work = _Work(vocabularies, tables, budget, sample, check, progress)
    for vocabulary in vocabularies:
        if check:
            count = min(check, len(vocabulary.terms))
            part = random.Random(_SEED).sample(vocabulary.terms, count)
            report = work.begin(f"{vocabulary.name}: do all systems agree?")
            result.disagreements[vocabulary.name] = disagreements(part, report)
        if 1 in tables:
            _table_1(result, vocabulary)
        if 2 in tables:
            _table_2(result, vocabulary, sample, budget, work)
        if 3 in tables:
            _table_3(result, vocabulary, budget, work)
    return result


# Microseconds, for the progress bar's estimate of the time that is left.
# Checking all systems, for each pair of terms.
_CHECK = 2.1
# The traversal of a trie, for each of its terms and each term that is asked.
_TRAVERSAL = {"Aho-Corasick": 1.3, "Lu-Browne": 0.3}
# Indexing, for each pair of terms (power 2) or each term.
_INDEXING = {
    "hash table": 0.12,
    "TBI": 0.03,
    "Lu-Browne": 5.0,
    "Aho-Corasick": 50.0,
    "Karp-Rabin": 10.0,
    "naive": 2.0,
}


class _Work:
    """How much is done and how much is left, in expected seconds."""

    def __init__(
        self,
        vocabularies: Sequence[Vocabulary],
        tables: Sequence[int],
        budget: float,
        sample: int,
        check: int,
        progress: Callable[[str, float], None],
    ) -> None:
        self.expected: list[float] = []
        for vocabulary in vocabularies:
            count = len(vocabulary.terms)
            if check:
                self.expected.append(_CHECK * 1e-6 * min(check, count) ** 2)
            if 2 in tables:
                asked = 1e-6 * count * min(sample, count)
                self.expected += [min(_TRAVERSAL[trie] * asked, budget) for trie in _TRIES]
            if 3 in tables:
                for system in SYSTEMS:
                    steps = 1e-6 * count ** _POWER.get(system, 1.0)
                    # All parts take up to as long as the whole, so the whole counts twice.
                    self.expected.append(min(2 * _INDEXING[system] * steps, budget))
        self.total = sum(self.expected)
        self.done = 0.0
        self.progress = progress

    def begin(self, what: str) -> Callable[[float], None]:
        """Begins the next step. Call the returned function with how much of it is done: 0 to 1."""
        before, expected = self.done, self.expected.pop(0)
        self.done += expected

        def report(done: float) -> None:
            self.progress(what, (before + expected * min(done, 1.0)) / self.total)

        report(0.0)
        return report

    def begin_cell(self, what: str) -> Callable[[float], None]:
        """Begins a cell of a table. Call the returned function with the seconds that it spent."""
        expected, used = self.expected[0], 0.0
        report = self.begin(what)

        def spent(seconds: float) -> None:
            nonlocal used
            used += seconds
            report(used / expected if expected else 1.0)

        return spent


def _table_1(result: Result, vocabulary: Vocabulary) -> None:
    """The size of the vocabulary."""
    published = vocabulary.published
    words = sum(len(tokens(term)) for term in vocabulary.terms)
    characters = sum(map(len, vocabulary.terms))
    count = len(vocabulary.terms)
    values = {"terms": count, "words": words / count, "characters": characters / count}
    for column, value in values.items():
        in_paper = getattr(published, column) if published else None
        result.figures.append(Figure(1, vocabulary.name, column, value, "", in_paper))


def _table_2(
    result: Result, vocabulary: Vocabulary, sample: int, budget: float, work: _Work
) -> None:
    """Node comparisons of a retrieval.

    For nested terms the published figures are the characters, words and proper n-grams of a term,
    and so are ours: nothing is measured. For super terms they are the nodes that a traversal
    visits, and 1 for TBI's one look-up.
    """
    published = vocabulary.published
    published_nested = published.nested if published else {}
    published_super = published.super if published else {}
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
        in_paper = published_nested.get(system)
        result.figures.append(Figure(2, vocabulary.name, column, mean, "comparisons", in_paper))
    for system in _TRIES:
        spent = work.begin_cell(f"{vocabulary.name}: nodes that {system} visits")
        visited = visited_nodes(SYSTEMS[system], terms, sample, budget, spent)
        note = f"mean of {len(chosen):,} random terms"
        if not visited.whole:
            note += f", {_extrapolated(visited)} with {visited.measured[-1][1]:,.2f} comparisons"
        column, in_paper = f"super: {system}", published_super.get(system)
        figure = Figure(2, vocabulary.name, column, visited.value, "comparisons", in_paper, note)
        result.figures.append(figure)
    result.figures.append(
        Figure(2, vocabulary.name, "super: TBI", 1.0, "comparisons", published_super.get("TBI"))
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
    published = vocabulary.published.indexing if vocabulary.published else {}
    for system, make in SYSTEMS.items():
        timing = time_indexing(
            make,
            vocabulary.terms,
            budget,
            work.begin_cell(f"{vocabulary.name}: indexing, {system}"),
            power=_POWER.get(system, 1.0),
            most_terms=MOST_TERMS_OF_A_TRIE if system in _TRIES else math.inf,
        )
        result.timings[vocabulary.name, system] = timing
        note = ""
        if not timing.whole:
            note = f"{_extrapolated(timing)} with {timing.measured[-1][1]:.3g} s"
        result.figures.append(
            Figure(3, vocabulary.name, system, timing.value, "s", published.get(system), note)
        )
    row = result.of(3, vocabulary.name)
    slow, fast = row["hash table"], row["TBI"]
    less = 1 - fast.value / slow.value
    published_less = 1 - published["TBI"] / published["hash table"] if published else None
    note = "of extrapolated times" if slow.is_extrapolated or fast.is_extrapolated else ""
    result.figures.append(Figure(3, vocabulary.name, TAKES_LESS, less, "", published_less, note))
    build = lambda terms: TermIndex(terms, separator=" ")  # noqa: E731
    timing = time_indexing(build, vocabulary.terms, math.inf)
    result.timings[vocabulary.name, "TermIndex"] = timing
    result.figures.append(Figure(3, vocabulary.name, "TermIndex", timing.value, "s"))


def _extrapolated(growth: Growth) -> str:
    """How a figure was extrapolated."""
    fit = "nothing to fit" if growth.exponent is None else f"fitted n^{growth.exponent:.2f}"
    return f"extrapolated by n^{growth.power:.2f} ({fit}) from {growth.measured[-1][0]:,} terms"
