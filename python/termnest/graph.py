"""Questions about all terms at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from termnest import _core
from termnest.arguments import items
from termnest.errors import InvalidOptionError
from termnest.options import Score
from termnest.table import Table


class GraphQuestions(_core.Questions):
    """The questions about all terms of a vocabulary: its pairs, scores and heads."""

    __slots__ = ("_index",)

    _index: _core.Index

    def pairs(
        self,
        *,
        direct: bool = False,
        terms: bool = False,
        columns: Iterable[str] | None = None,
    ) -> Table:
        """Every (nested, super) pair of the vocabulary, ordered by ids.

        The columns are `nested` and `super`, two ids, and `start`, where the one first begins in
        the other, in tokens.

        >>> from termnest import TermIndex
        >>> TermIndex(["llc", "google llc", "alphabet google llc"]).pairs().to_pylist()
        [{'nested': 0, 'super': 1, 'start': 1}, {'nested': 0, 'super': 2, 'start': 2}, \
{'nested': 1, 'super': 2, 'start': 1}]

        Args:
            direct: Return only pairs with no other term in between.
            terms: Add the columns `nested_term` and `super_term`.
            columns: Add these columns of the index for both terms: `nested_label` and `super_label`
                for `label`.
        """
        return self._table(self._index.pairs(direct, terms, columns), not terms, "nested", "super")

    def variants(self, *, columns: Iterable[str] | None = None) -> Table:
        """The groups of terms that match the same words: what is in a vocabulary more than once.

        The columns are `group`, its number from 0, and `id`, `term` and `weight` of each of its
        terms; groups and their terms are in the order of the vocabulary. A term that is alone has
        no row.

        >>> from termnest import TermIndex
        >>> index = TermIndex(["New York", "york", "NEW YORK", "new  york"], fold=True)
        >>> for row in index.variants():
        ...     print(row["group"], row["term"])
        0 New York
        0 NEW YORK
        0 new york

        Terms are in one group if their keys are equal, or a name of one (an alias, or under
        `hyphens="both"` the other reading of its hyphens) is equal to a name of the other. Under
        `case="smart"`, IT and it are not equal. With columns, a term that the vocabulary has in
        several rows is a group too.

        Args:
            columns: Add these columns of the index.
        """
        return Table(self._index.equal_terms(columns))

    def scores(self, *, terms: bool = False, columns: Iterable[str] | None = None) -> Table:
        """The figures of terminology extraction, a row for each term, by id.

        The weights should be the counts of the terms in a corpus, occurrences inside of longer
        terms included. `f` is the weight of a term, `n` its number of tokens, `T` its super terms.

        | column | what |
        |---|---|
        | `length` | `n` |
        | `frequency` | `f` |
        | `super_count` | the size of `T` |
        | `super_frequency` | the sum of `f` over `T` |
        | `nested_count` | the number `m` of terms that are nested in it |
        | `independent` | `i = f - t`, where `t` is the sum of `i` over `T`: what the term occurs \
outside of its super terms |
        | `c_value` | `log2(n) (f - t / size of T)`, or `log2(n) f` if `T` is empty: Frantzi, \
Ananiadou and Mima (2000) |
        | `c_value_plus_one` | the same with `log2(n + 1)`, so that terms of one word count |
        | `c_value_jate` | `log2(n + 0.1) (f - super_frequency / size of T)`, as JATE computes it |
        | `basic` | `n ln(f) + 0.72 (size of T)`; `ln(f)` if `n` is 1: Bordea, Buitelaar and \
Polajnar (2013) |
        | `combo_basic` | `n ln(f) + 0.75 (size of T) + 0.1 m`; `ln(f)` if `n` is 1: \
Astrakhantsev (2016) |

        A term of weight 0 has a `basic` and a `combo_basic` of 0.

        >>> from termnest import TermIndex
        >>> counts = {"basal cell carcinoma": 984, "cystic basal cell carcinoma": 11}
        >>> index = TermIndex(counts, weights=list(counts.values()))
        >>> [(row["independent"], round(row["c_value"], 2)) for row in index.scores().to_pylist()]
        [(973.0, 1542.17), (11.0, 22.0)]

        Args:
            terms: Add the column `term`.
            columns: Add these columns of the index.
        """
        return self._table(self._index.scores(terms, columns), not terms, "id")

    def ranking(
        self,
        *,
        score: Score = "c-value",
        keep: Literal["all", "maximal"] = "all",
        maximal: Sequence[bool] | None = None,
        top: int | None = None,
        columns: Iterable[str] | None = None,
    ) -> Table:
        """The best terms by one of the `scores`: what terminology extraction shows.

        The columns are `term`, `frequency`, `score`, `super_count` and `nested_count`; best first,
        then the most frequent, then in the order of ids.

        >>> from termnest import TermIndex
        >>> index = TermIndex({"cell": 9, "basal cell": 9, "basal cell layer": 5})
        >>> [(row["term"], row["score"]) for row in index.ranking(score="c-value-plus-one", top=1)]
        [('basal cell layer', 10.0)]
        >>> index.ranking(score="frequency", keep="maximal").column("term").to_list()
        ['basal cell', 'basal cell layer']

        Args:
            score: What terms are ranked by; `scores` has the formulas.
            keep: `"maximal"` leaves out terms that only occur inside longer ones.
            maximal: For each term, whether it occurs outside of longer ones. By default this is
                computed from the weights, as the column `independent` of `scores`.
            top: Return at most this many terms.
            columns: Add these columns of the index.
        """
        if maximal is not None and not isinstance(maximal, memoryview):
            maximal = items("maximal", maximal, "a list of bool or None")
        marks = None if maximal is None else bytes(map(bool, maximal))
        count = len(self._index)
        if marks is not None and len(marks) != count:
            found, expected = f"{len(marks)} values", f"one for each of the {count} terms"
            raise InvalidOptionError(option="maximal", value=found, expected=expected)
        return Table(self._index.ranking(score, keep, marks, top, columns))

    def taxonomy(self, *, terms: bool = False, columns: Iterable[str] | None = None) -> Table:
        """The tree of terms and their heads, a row for each term, by id.

        An English phrase ends with its head, and a term is usually a kind of its head: a "basal
        cell carcinoma" is a "cell carcinoma". `broader` is the id of the longest term that a term
        ends with, None for a root; `depth` is the number of steps to the root, `root` its id.

        >>> from termnest import TermIndex
        >>> index = TermIndex(["carcinoma", "cell carcinoma", "basal cell carcinoma", "basal cell"])
        >>> index.taxonomy().to_pylist()
        [{'id': 0, 'broader': None, 'depth': 0, 'root': 0}, \
{'id': 1, 'broader': 0, 'depth': 1, 'root': 0}, \
{'id': 2, 'broader': 1, 'depth': 2, 'root': 0}, \
{'id': 3, 'broader': None, 'depth': 0, 'root': 3}]

        Of terms that match alike (under `lowercase`, for instance) the first is the broader one.

        Args:
            terms: Add the column `term`.
            columns: Add these columns of the index.
        """
        table = self._index.taxonomy(terms, columns)
        return self._table(table, True, *([] if terms else ["id"]), "broader", "root")

    def _table(self, table: _core.Table, shows_terms: bool, *ids: str) -> Table:
        """A table that shows the terms of some columns of ids, if it does not have them."""

        def term(id: Any) -> str:
            return self._index.term(self._index.number_of_id(id))

        return Table(table, dict.fromkeys(ids, term) if shows_terms else {})
