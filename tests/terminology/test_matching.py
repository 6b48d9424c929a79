"""An extracted list says how its terms match, and is read so."""

from pathlib import Path

import pyarrow.parquet
import pytest

from termnest import InvalidTermError, TermIndex
from termnest.cli import main
from termnest.terminology import extract

TEXT = "Heart failure is common. HEART FAILURE kills. Straße, STRASSE. Acute heart failure."


def extracted(folder: Path, ending: str, *options: str) -> Path:
    (folder / "text").write_text(TEXT)
    output = folder / f"terms.{ending}"
    assert main(["extract", str(folder / "text"), "-o", str(output), *options]) == 0
    return output


@pytest.mark.parametrize("ending", ["tsv", "csv", "jsonl", "parquet"])
def test_what_was_counted_is_found_with_no_option(tmp_path: Path, ending: str) -> None:
    index = TermIndex.from_file(extracted(tmp_path, ending, "--min-frequency", "1"))
    assert index.matching == "fold hyphens=keep"
    assert "acute heart failure" in index.super_terms("Heart Failure")
    for id, term in enumerate(index):
        assert sum(match.id == id for match in index.find(TEXT)) >= index.weight(term)


@pytest.mark.parametrize("ending", ["tsv", "csv", "jsonl", "parquet"])
def test_options_that_are_given_count(tmp_path: Path, ending: str) -> None:
    path = extracted(tmp_path, ending)
    index = TermIndex.from_file(path, lowercase=True)
    assert (index.options.lowercase, index.options.fold) == (True, False)
    assert TermIndex.from_file(path, language="en").matching == "language=en"


def test_a_list_that_was_counted_as_written_is_read_as_written(tmp_path: Path) -> None:
    path = extracted(tmp_path, "tsv", "--no-fold", "--min-frequency", "1")
    index = TermIndex.from_file(path)
    assert index.options == TermIndex([], hyphens="keep").options
    assert (index.matching, "HEART FAILURE kills" in index) == ("hyphens=keep", True)


def test_a_ranked_vocabulary_keeps_how_it_matches(tmp_path: Path) -> None:
    TermIndex({"New York": 2, "York": 3}, language="en", hyphens="both").save(tmp_path / "i.nest")
    table = extract(tmp_path / "i.nest", candidates="vocabulary").table
    assert set(table.column("matching")) == {"language=en hyphens=both"}
    TermIndex(["a b"], separator=" ").save(tmp_path / "i.nest")
    assert "matching" not in extract(tmp_path / "i.nest", candidates="vocabulary").table.columns


def test_another_word_is_refused_with_what_to_do(tmp_path: Path) -> None:
    for ending, content in [("tsv", "term\tmatching\na\tfolded\n"), ("jsonl", None)]:
        path = tmp_path / f"terms.{ending}"
        path.write_text(content or '{"term": "a", "matching": "folded"}\n')
        with pytest.raises(InvalidTermError, match=r'column "matching" has "folded".*correct it'):
            TermIndex.from_file(path)
        assert TermIndex.from_file(path, fold=True).options.fold
    table = pyarrow.table({"term": ["a"], "matching": ["folded"]})
    pyarrow.parquet.write_table(table, tmp_path / "terms.parquet")
    with pytest.raises(InvalidTermError, match='column "matching" has "folded"'):
        TermIndex.from_file(tmp_path / "terms.parquet")


def test_a_term_of_this_name_is_a_term(tmp_path: Path) -> None:
    path = tmp_path / "terms.tsv"
    path.write_text("matching\t3\nfold\t2\n")
    index = TermIndex.from_file(path)
    assert (list(index), index.options.fold) == (["matching", "fold"], False)
