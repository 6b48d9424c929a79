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
# The hash table tests all pairs of terms, and TBI a share of them that does not depend on their
# number: what looks like less than the square, on small parts, is the cost of starting. The other
# systems look at each term at least once.
_LEAST_POWER = {"hash table": 2.0, "TBI": 2.0}
# The smallest part of a vocabulary that is timed.
_SMALLEST_PART = 500
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
class Timing:
    """How long the indexing of a vocabulary takes."""

    seconds: float
    measured: list[tuple[int, float]]
    """Terms and seconds of each part that was timed."""
    exponent: float | None
    """Of the power of the number of terms that fits them; None if there is one part only."""
    power: float
    """The power by which `seconds` was extrapolated: the exponent, or the least that can be."""
    whole: bool
    """Whether the whole vocabulary was timed; else `seconds` is extrapolated."""


def time_indexing(
    make: Callable[[list[str]], object],
    terms: list[str],
    budget: float,
    spent: Callable[[float], None] = lambda seconds: None,
    least_power: float = 1.0,
    most_terms: float = math.inf,
) -> Timing:
    """Times `make` on ever larger random parts of the terms, for about `budget` seconds.

    The time of the whole is extrapolated, if it was not reached, by a power of the number of terms:
    the one that fits the parts, but not less than `least_power`, which is known of the system.
    """
    shuffled = random.Random(_SEED).sample(terms, len(terms))
    measured: list[tuple[int, float]] = []
    left = budget
    size = min(_SMALLEST_PART, len(terms))
    while True:
        part = shuffled[:size]
        # What was there before is not looked through again by Python's collector while we measure.
        gc.collect()
        gc.freeze()
        began = time.perf_counter()
        store = make(part)
        seconds = time.perf_counter() - began
        gc.unfreeze()
        del store
        measured.append((size, seconds))
        spent(seconds)
        left -= seconds
        if size == len(terms):
            break
        # Until there is more to go by, the worst is expected.
        power = max(fitted_exponent(measured), 1.0) if len(measured) > 2 else 2.0
        next_size = min(2 * size, len(terms))
        if seconds * (next_size / size) ** power > left or next_size > most_terms:
            break
        size = next_size
    exponent = fitted_exponent(measured) if len(measured) > 1 else None
    last, seconds = measured[-1]
    # With nothing to go by, the worst is told.
    power = max(exponent if exponent is not None else 2.0, least_power)
    whole = last == len(terms)
    seconds *= (len(terms) / last) ** power
    return Timing(seconds, measured, exponent, power, whole)


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
            if 2 in tables and len(vocabulary.terms) <= MOST_TERMS_OF_A_TRIE:
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
    for system in _TRIES:
        column = f"super: {system}"
        told = told_super.get(system)
        if len(terms) > MOST_TERMS_OF_A_TRIE:
            note = f"not run: more than {MOST_TERMS_OF_A_TRIE:,} terms"
            figure = Figure(2, vocabulary.name, column, None, "comparisons", told, note)
        else:
            expected = work.traversals(vocabulary, sample)
            tell = work.begin(f"{vocabulary.name}: nodes that {system} visits", expected)
            finished = 0

            def done(tell: Callable[[float], None] = tell) -> None:
                nonlocal finished
                finished += 1
                tell(finished / len(chosen))

            mean = visited_nodes(SYSTEMS[system], terms, chosen, done)
            tell(1.0)
            note = f"mean of {len(chosen):,} random terms"
            figure = Figure(2, vocabulary.name, column, mean, "comparisons", told, note)
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
        tell = work.begin(f"{vocabulary.name}: indexing, {system}", budget)
        used = 0.0

        def spent(seconds: float, tell: Callable[[float], None] = tell) -> None:
            nonlocal used
            used += seconds
            tell(used / budget)

        timing = time_indexing(
            make,
            vocabulary.terms,
            budget,
            spent,
            least_power=_LEAST_POWER.get(system, 1.0),
            most_terms=MOST_TERMS_OF_A_TRIE if system in _TRIES else math.inf,
        )
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
    """How an extrapolated time came about; empty for one that was measured."""
    if timing.whole:
        return ""
    fit = "nothing to fit" if timing.exponent is None else f"fitted n^{timing.exponent:.2f}"
    last, seconds = timing.measured[-1]
    return f"extrapolated from {last:,} terms in {seconds:.3g} s by n^{timing.power:.2f} ({fit})"


def less_time(result: Result, vocabulary: str) -> float | None:
    """How much less time TBI's indexing takes than the hash table's, from 0 to 1."""
    row = result.of(3, vocabulary)
    slow, fast = row.get("hash table"), row.get("TBI")
    if slow is None or fast is None or not slow.value or fast.value is None:
        return None
    return 1 - fast.value / slow.value
