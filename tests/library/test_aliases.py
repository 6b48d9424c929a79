"""Aliases are other names of terms, and lead to them wherever their own names do."""

from pathlib import Path

import polars
import pytest

from command_line import Run, run_fixture  # noqa: F401  (a fixture)
from termnest import TermIndex, TermnestError

TERMS = ["colour", "heart failure", "acute heart failure", "IT"]
ALIASES = {"colour": ["color"], "heart failure": ["HF", "cardiac failure"]}
TEXT = "The COLOR of HF, a cardiac failure."
FOUND = [("colour", "COLOR"), ("heart failure", "HF"), ("heart failure", "cardiac failure")]


def found(index: TermIndex) -> list[tuple[str, str]]:
    return [(match.term, TEXT[match.start : match.end]) for match in index.find(TEXT)]


def test_aliases_are_a_mapping_a_column_of_lists_or_a_file(tmp_path: Path) -> None:
    lists = [ALIASES.get(term) for term in TERMS]
    rows = [(term, alias) for term, aliases in ALIASES.items() for alias in aliases]
    tsv = tmp_path / "aliases.tsv"
    tsv.write_text("term\talias\n" + "".join(f"{term}\t{alias}\n" for term, alias in rows))
    csv = tmp_path / "aliases.csv"
    csv.write_text("alias,note,term\n" + "".join(f"{alias},x,{term}\n" for term, alias in rows))
    for aliases in (ALIASES, lists, polars.Series(lists), tsv, csv):
        index = TermIndex(TERMS, fold=True, aliases=aliases)
        assert found(index) == FOUND
        assert (len(index), index.stats().aliases) == (4, 3)


def test_an_alias_leads_to_its_term_in_every_question(tmp_path: Path) -> None:
    TermIndex(TERMS, fold=True, aliases=ALIASES).save(tmp_path / "terms.nest")
    index = TermIndex.open(tmp_path / "terms.nest")
    assert found(index) == FOUND
    assert index.lookup("hf") == index.lookup("cardiac failure") == [1]
    assert index.super_terms("cardiac") == ["heart failure"]
    assert index.nested_terms("color of HF") == ["colour", "heart failure"]
    assert index.complete("card") == ["heart failure"]
    assert "HF" not in index


def test_an_alias_may_name_its_term_in_another_spelling_that_matches() -> None:
    aliases = {"Heart Failure": ["HF"], "COLOUR": ["color"]}
    index = TermIndex([*TERMS, "Colour", "colour"], fold=True, aliases=aliases)
    assert [match.term for match in index.find("HF")] == ["heart failure"]
    assert [match.term for match in index.find("color")] == ["colour", "Colour"]
    both = ["heart failure", "Heart Failure"]
    index = TermIndex(both, fold=True, aliases={"Heart Failure": ["HF"]})
    assert [match.term for match in index.find("HF")] == ["Heart Failure"]


@pytest.mark.parametrize(
    ("aliases", "message"),
    [
        ({"nothing": ["x"]}, r'the alias "x" belongs to "nothing", which is not a term'),
        ({"Colour": ["color"]}, r'the alias "color" belongs to "Colour", which is not a term'),
        ({"colour": ["IT"]}, r'"IT" is an alias of "colour", and matches like another term'),
        ({"a": ["b"], "b": ["a"]}, r"belong to each other, and neither is a term"),
        ({"colour": ["color"], "color": ["coler"]}, r'"coler" belongs to "color", which is'),
    ],
)
def test_an_alias_that_cannot_be_is_named(aliases: dict[str, list[str]], message: str) -> None:
    with pytest.raises(TermnestError, match=message):
        TermIndex(TERMS, aliases=aliases)


def test_the_command_line_reads_aliases_from_a_file(run: Run) -> None:
    run.write("terms.txt", "\n".join(TERMS).encode())
    run.write("aliases.tsv", b"term\talias\nheart failure\tHF\n")
    run.write("text.txt", b"His hf.")
    options = ("--aliases", "aliases.tsv", "--fold")
    assert run("find", "terms.txt", "text.txt", *options).out == "4\t6\theart failure\n"
    run("build", "terms.txt", "-o", "terms.nest", *options)
    assert run("find", "terms.nest", "text.txt").out == "4\t6\theart failure\n"
