"""The tree of terms and their heads, compared with the definition."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from oracle import Oracle
from termnest import TermIndex
from termnest.terminology import taxonomy, write_taxonomy
from termnest.terminology.neighbourhood import neighbourhood
from termnest.terminology.tree import Tree

words = st.lists(st.sampled_from(["a", "b", "c", "A"]), min_size=1, max_size=5).map(" ".join)


@given(
    st.lists(words, max_size=15),
    st.sampled_from([{}, {"lowercase": True}, {"tokenizer": "chars"}]),
)
def test_the_taxonomy_equals_the_definition(terms: list[str], options: Any) -> None:
    rows = TermIndex(terms, **options).taxonomy().to_pylist()
    heads = Oracle(terms, **options).heads()
    assert [row["broader"] for row in rows] == heads
    for row in rows:
        way = [row["id"]]
        while (head := heads[way[-1]]) is not None:
            way.append(head)
        assert (row["root"], row["depth"]) == (way[-1], len(way) - 1)


def test_a_head_may_also_occur_elsewhere_in_the_term() -> None:
    rows = TermIndex(["city", "city hall city"]).taxonomy(terms=True).to_pylist()
    assert rows[1] == {"term": "city hall city", "id": 1, "broader": 0, "depth": 1, "root": 0}


def test_roots_are_nulls_in_arrow() -> None:
    table = TermIndex(["a", "b a"]).taxonomy()
    assert table.to_polars()["broader"].to_list() == [None, 0]
    assert table.to_arrow()["broader"].to_pylist() == [None, 0]


def test_the_table_of_a_taxonomy_has_the_terms() -> None:
    assert taxonomy(TermIndex(["p", "q p"])).to_pylist() == [
        {"term": "p", "id": 0, "broader": None, "depth": 0, "root": 0},
        {"term": "q p", "id": 1, "broader": 0, "depth": 1, "root": 0},
    ]


def test_the_term_of_a_tree_is_matched_as_queries_are(tmp_path: Path) -> None:
    index = TermIndex(["cell", "CELL", "Solar Cell", "Solar"], weights=[1, 5, 2, 3], lowercase=True)
    for spelling in ("cell", "CELL", "Cell"):
        # Terms are below the first spelling of their head.
        assert Tree(index).find(spelling) == 0
        written = write_taxonomy(index, tmp_path / "cell.json", term=spelling)
        assert (written.terms, written.broader) == (2, 1)
    assert Tree(index).find("cells") is None
    picture = neighbourhood(index, "SOLAR CELL", 12)
    assert (picture.is_term, picture.weight) == (True, 2)
