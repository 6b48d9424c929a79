"""Groups of terms that match the same words, against the answers of `lookup`."""

from collections import defaultdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termnest import InvalidOptionError, TermIndex

word = st.sampled_from(["a", "A", "b", "e-b", "eb", "IT", "it", "It"])
OPTIONS: list[dict[str, Any]] = [
    {},
    {"lowercase": True},
    {"fold": True, "hyphens": "both"},
    {"fold": True, "case": "smart"},
    {"tokenizer": "whitespace", "lowercase": True},
]


@given(st.lists(st.lists(word, min_size=1, max_size=3).map(" ".join)), st.sampled_from(OPTIONS))
def test_terms_are_in_a_group_if_each_matches_the_other(terms: list[str], options: Any) -> None:
    index = TermIndex(terms, **options)
    # What matches both ways, also by a third term.
    group = list(range(len(index)))
    found = [set(index.lookup(term)) for term in index]
    for _ in group:
        for i, others in enumerate(found):
            for j in others:
                if i in found[j]:
                    group[i] = group[j] = min(group[i], group[j])
    members = defaultdict(list)
    for i, first in enumerate(group):
        members[first].append(i)
    expected = [ids for _, ids in sorted(members.items()) if len(ids) > 1]
    rows = index.variants().to_pylist()
    assert [(row["group"], row["id"], row["term"]) for row in rows] == [
        (number, id, index[id]) for number, ids in enumerate(expected) for id in ids
    ]


def test_variants_have_weights_columns_and_own_ids() -> None:
    index = TermIndex(
        ["York", "new york", "york", "york"],
        weights=[4, 2, 1, 3],
        columns={"city": ["a", "b", "c", "d"]},
        ids=["w", "x", "y", "z"],
        fold=True,
    )
    rows = index.variants(columns=["city"]).to_pylist()
    assert rows == [
        {"group": 0, "id": "w", "term": "York", "weight": 4.0, "city": "a"},
        {"group": 0, "id": "y", "term": "york", "weight": 1.0, "city": "c"},
        {"group": 0, "id": "z", "term": "york", "weight": 3.0, "city": "d"},
    ]
    with pytest.raises(InvalidOptionError, match="town"):
        index.variants(columns=["town"])


def test_a_vocabulary_without_repetition_has_no_groups() -> None:
    for terms in ([], ["a"], ["a", "b a", "a b"]):
        table = TermIndex(terms).variants()
        assert (len(table), table.columns) == (0, ["group", "id", "term", "weight"])


def test_aliases_join_groups() -> None:
    index = TermIndex(
        ["e-mail", "email", "mail"], aliases={"mail": ["post"]}, hyphens="both", fold=True
    )
    assert index.variants().column("term").to_list() == ["e-mail", "email"]
