"""A store after any changes answers as one index of its terms does."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from termnest import Snapshot, TermIndex, TermStore, UnknownTermError
from termnest.options import Overlaps

# A small alphabet: terms nest, repeat and overlap.
WORDS = st.sampled_from(["a", "b", "c"])
TERMS = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
WEIGHTS = st.integers(0, 3).map(float)
LABELS = st.sampled_from([None, "x", "y"])
# More steps in `make faults`.
STEPS = int(os.environ.get("TERMNEST_STORE_STEPS", "1500"))

Row = tuple[int, float, str | None]


class Store(RuleBasedStateMachine):
    """The store beside a dict from terms to ids, weights and labels."""

    @initialize(fold=st.booleans())
    def create(self, fold: bool) -> None:
        # In memory where that is possible: syncing a disk would take all the time.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = Path(tempfile.mkdtemp(prefix="termnest-", dir=memory))
        self.path = self.folder / "terms.store"
        self.fold = fold
        self.store = TermStore.open(self.path, create=True, fold=fold)
        # A column that the model always has.
        self.store.add("a", columns={"label": "x"})
        self.store.commit()
        self.reader = TermStore.open(self.path, readonly=True)
        self.terms: dict[str, Row] = {"a": (0, 1.0, "x")}
        self.committed = dict(self.terms)
        self.given = {0}
        self.promised = {0}
        self.pinned: tuple[Snapshot, dict[str, Row]] | None = None

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.store.close()
            shutil.rmtree(self.folder)

    def note(self, term: str, id: int | None, weight: float, label: str | None) -> None:
        assert id is not None
        if term in self.terms:
            assert id == self.terms[term][0]
        else:
            assert id not in self.given, "an id was given twice"
            assert id > max(self.given)
            self.given.add(id)
        self.terms[term] = (id, weight, label)

    @rule(term=TERMS, weight=WEIGHTS, label=LABELS)
    def add(self, term: str, weight: float, label: str | None) -> None:
        id = self.store.add(term, weight=weight, columns={"label": label})
        self.note(term, id, weight, label)

    @rule(rows=st.lists(st.tuples(TERMS, WEIGHTS, LABELS), max_size=6))
    def add_many(self, rows: list[tuple[str, float, str | None]]) -> None:
        terms = [term for term, _, _ in rows]
        ids = self.store.add_many(
            terms,
            weights=[weight for _, weight, _ in rows],
            columns={"label": [label for _, _, label in rows]},
        )
        for (term, weight, label), id in zip(rows, ids, strict=True):
            self.note(term, id, weight, label)

    @rule(term=TERMS, weight=WEIGHTS)
    def update(self, term: str, weight: float) -> None:
        if term in self.terms:
            id, _, label = self.terms[term]
            assert self.store.update(term, weight=weight) == id
            self.terms[term] = (id, weight, label)
        else:
            with pytest.raises(UnknownTermError):
                self.store.update(term, weight=weight)

    @rule(term=TERMS)
    def remove(self, term: str) -> None:
        if self.terms.pop(term, None) is None:
            with pytest.raises(UnknownTermError):
                self.store.remove(term)
        else:
            self.store.remove(term)

    @precondition(lambda self: self.terms)
    @rule(data=st.data(), again=st.booleans())
    def remove_one_that_is_there(self, data: Any, again: bool) -> None:
        term = data.draw(st.sampled_from(sorted(self.terms)))
        self.store.remove(term)
        del self.terms[term]
        if again:
            self.note(term, self.store.add(term), 1.0, None)

    @rule(compact=st.integers(0, 4))
    def commit(self, compact: int) -> None:
        if compact == 0:
            self.store.compact()
            assert len(self.store.stats().segments) == 1
        else:
            self.store.commit()
        self.committed = dict(self.terms)
        self.promised = set(self.given)

    @rule()
    def rollback(self) -> None:
        self.store.rollback()
        self.terms = dict(self.committed)

    @rule()
    def open_again(self) -> None:
        self.store.close()
        self.store = TermStore.open(self.path)
        self.terms = dict(self.committed)
        # The ids of what was never committed are free again.
        self.given = set(self.promised)

    @rule()
    def pin(self) -> None:
        self.pinned = self.reader.pin(), dict(self.committed)

    @rule(phrase=TERMS, direct=st.booleans(), limit=st.none() | st.integers(0, 4))
    def ask(self, phrase: str, direct: bool, limit: int | None) -> None:
        index = self.index(self.committed)
        for asked in (self.store, self.reader):
            assert asked.super_terms(phrase, direct=direct, limit=limit) == index.super_terms(
                phrase, direct=direct, limit=limit
            )
            assert asked.nested_terms(phrase, direct=direct, limit=limit) == index.nested_terms(
                phrase, direct=direct, limit=limit
            )
        assert self.reader.complete(phrase, limit=limit) == index.complete(phrase, limit=limit)
        text = f"{phrase} a b, {phrase}"
        for overlaps in get_args(Overlaps):
            assert list(self.reader.find(text, overlaps=overlaps)) == list(
                index.find(text, overlaps=overlaps)
            )
        chosen = {"label": "x"}
        assert list(self.reader.find(text, where=chosen)) == list(index.find(text, where=chosen))
        phrases = [phrase, "a", "b c"]
        assert (
            self.reader.super_terms_batch(phrases, columns=["label"]).to_pylist()
            == index.super_terms_batch(phrases, columns=["label"]).to_pylist()
        )

    def index(self, terms: dict[str, Row]) -> TermIndex:
        rows = sorted(terms.items(), key=lambda row: row[1][0])
        return TermIndex(
            [term for term, _ in rows],
            ids=[row[0] for _, row in rows],
            weights=[row[1] for _, row in rows],
            columns={"label": [row[2] for _, row in rows]},
            fold=self.fold,
            threads=1,
        )

    @invariant()
    def the_last_commit_is_seen(self) -> None:
        if hasattr(self, "reader"):
            rows = {term: id for term, (id, _, _) in self.committed.items()}
            assert len(self.reader) == len(rows)
            assert self.reader.ids(rows) == list(rows.values())
            for term in self.terms.keys() - rows.keys():
                assert term not in self.reader
            if self.pinned is not None:
                snapshot, terms = self.pinned
                assert len(snapshot) == len(terms)
                assert [snapshot[id] for id, _, _ in terms.values()] == list(terms)


def test_a_store_answers_like_an_index_of_its_terms_after_any_changes() -> None:
    per_example = 50
    run_state_machine_as_test(
        Store,
        settings=settings(
            max_examples=max(1, STEPS // per_example),
            stateful_step_count=per_example,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    if "TERMNEST_STORE_STEPS" in os.environ:
        print(f"{STEPS} steps of the state machine, 0 violations")
