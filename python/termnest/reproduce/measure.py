"""Measuring the figures of the tables.

What would take longer than its budget is measured on parts of the vocabulary and extrapolated, and
says so.
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
# Larger tries are not built: in plain Python the nodes of a million terms fill gigabytes.
MOST_TERMS_OF_A_TRIE = 500_000
_TRIES = ("Aho-Corasick", "Lu-Browne")
# The power of the number of terms by which a time of indexing grows, as the systems are made: the
# hash table tests all pairs of terms, and TBI a share of them that does not depend on their number
# (20 % on parts of Brown, from 2,000 to 16,000 terms). The others look at each term once. What is
# fitted to times differs from that, as memory is slower than caches and clocks are noisy, and would
# be carried over a factor of a hundred.
_POWER = {"hash table": 2.0, "TBI": 2.0}
# The smallest part of a vocabulary that is measured.
_SMALLEST_PART = 500
# Shorter times are measured again, up to so often; the best counts. Times below the last are too
# noisy for a fit.
_SHORT, _REPEAT, _NOISE = 0.05, 5, 0.001
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
    """A figure of a vocabulary that was measured on ever larger parts of it."""

    value: float
    measured: list[tuple[int, float]]
    """Terms and value of each part."""
    exponent: float | None
    """Of the power of the number of terms that fits them; None if there are too few."""
    power: float
    """The power by which `value` was extrapolated."""
    whole: bool
    """Whether the whole vocabulary was measured; else `value` is extrapolated."""


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
    """Measures ever larger random parts of the terms, for about `budget` seconds.

    `measure` tells the value of a part, and the seconds that it takes to get it.
    The whole is measured if that alone fits into the budget; without `all_parts`, as soon as that
    is known. Else its value is extrapolated from the largest part by a power of the number of
    terms: the one that is known, or the one that fits the parts.
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
        # No part is nearly as large as the whole, if that can be measured.
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

    Values up to `noise` are left out. None if there are not two parts to go by.

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
    terms: list[str], tell: Callable[[float], None] = lambda share: None
) -> dict[str, list[str]]:
    """By system, the terms of which it does not tell what TermIndex tells; empty as it should be.

    The paper checks its index in this way: the terms are the vocabulary, and each one is asked for
    its super terms; here for its nested terms too.
    """
    index = TermIndex(terms, separator=" ")
    found: dict[str, list[str]] = {}
    for number, (system, make) in enumerate(SYSTEMS.items()):
        store = make(terms)
        for asked, term in enumerate(terms):
            tell((number + asked / len(terms)) / len(SYSTEMS))
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
    value: float
    unit: str
    published: float | None = None
    note: str = ""
    """How it came about, where it was not simply measured."""

    @property
    def ratio(self) -> float | None:
        """Measured by published."""
        return self.value / self.published if self.published else None

    @property
    def is_extrapolated(self) -> bool:
        """Whether it was measured on parts of the vocabulary only."""
        return "extrapolated" in self.note


@dataclass
class Result:
    """The figures of all tables, and the parts behind the times of Table 3."""

    vocabularies: list[Vocabulary]
    sample: int
    budget: float
    checked: int
    """So many terms of each vocabulary, as one of their own, were asked of all systems."""
    disagreements: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    """By vocabulary, what `disagreements` tells."""
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
    progress: Callable[[str, float], None] = lambda what, share: None,
) -> Result:
    """Measures the figures of the tables; `progress` is told what is done, and the share of all."""
    result = Result(list(vocabularies), sample, budget, check)
    work = _Work(vocabularies, tables, budget, sample, check, progress)
    for vocabulary in vocabularies:
        if check:
            count = min(check, len(vocabulary.terms))
            part = random.Random(_SEED).sample(vocabulary.terms, count)
            tell = work.begin(f"{vocabulary.name}: do all systems agree?")
            result.disagreements[vocabulary.name] = disagreements(part, tell)
        if 1 in tables:
            _table_1(result, vocabulary)
        if 2 in tables:
            _table_2(result, vocabulary, sample, budget, work)
        if 3 in tables:
            _table_3(result, vocabulary, budget, work)
    return result


# About how many microseconds it takes to check all systems, for each pair of terms; to traverse a
# trie, for each of its terms and each asked one; to index, for each term or each pair. For the time
# that is left.
_CHECK = 2.1
_TRAVERSAL = {"Aho-Corasick": 1.3, "Lu-Browne": 0.3}
_INDEXING = {
    "hash table": 0.12,
    "TBI": 0.03,
    "Lu-Browne": 5.0,
    "Aho-Corasick": 50.0,
    "Karp-Rabin": 10.0,
    "naive": 2.0,
}


class _Work:
    """How much of all is done, in seconds that it was thought to take."""

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
                    # The parts together take up to as long as the whole.
                    self.expected.append(min(2 * _INDEXING[system] * steps, budget))
        self.total = sum(self.expected)
        self.done = 0.0
        self.progress = progress

    def begin(self, what: str) -> Callable[[float], None]:
        """Begins the next part; what is given back is told how much of it is done, from 0 to 1."""
        before, expected = self.done, self.expected.pop(0)
        self.done += expected

        def tell(share: float) -> None:
            self.progress(what, (before + expected * min(share, 1.0)) / self.total)

        tell(0.0)
        return tell

    def begin_cell(self, what: str) -> Callable[[float], None]:
        """The same for a cell of a table; what is given back is told seconds that were spent."""
        expected, used = self.expected[0], 0.0
        tell = self.begin(what)

        def spent(seconds: float) -> None:
            nonlocal used
            used += seconds
            tell(used / expected if expected else 1.0)

        return spent


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


def _table_2(
    result: Result, vocabulary: Vocabulary, sample: int, budget: float, work: _Work
) -> None:
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
    for system in _TRIES:
        spent = work.begin_cell(f"{vocabulary.name}: nodes that {system} visits")
        visited = visited_nodes(SYSTEMS[system], terms, sample, budget, spent)
        note = f"mean of {len(chosen):,} random terms"
        if not visited.whole:
            note += f", {_extrapolated(visited)} with {visited.measured[-1][1]:,.2f} comparisons"
        column, told = f"super: {system}", told_super.get(system)
        figure = Figure(2, vocabulary.name, column, visited.value, "comparisons", told, note)
        result.figures.append(figure)
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
            Figure(3, vocabulary.name, system, timing.value, "s", told.get(system), note)
        )
    row = result.of(3, vocabulary.name)
    slow, fast = row["hash table"], row["TBI"]
    less = 1 - fast.value / slow.value
    published = 1 - told["TBI"] / told["hash table"] if told else None
    note = "of extrapolated times" if slow.is_extrapolated or fast.is_extrapolated else ""
    result.figures.append(Figure(3, vocabulary.name, TAKES_LESS, less, "", published, note))
    build = lambda terms: TermIndex(terms, separator=" ")  # noqa: E731
    timing = time_indexing(build, vocabulary.terms, math.inf)
    result.timings[vocabulary.name, "TermIndex"] = timing
    result.figures.append(Figure(3, vocabulary.name, "TermIndex", timing.value, "s"))


def _extrapolated(growth: Growth) -> str:
    """How an extrapolated figure came about."""
    fit = "nothing to fit" if growth.exponent is None else f"fitted n^{growth.exponent:.2f}"
    return f"extrapolated by n^{growth.power:.2f} ({fit}) from {growth.measured[-1][0]:,} terms"
