"""Parquet files as vocabularies."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet
import pytest

from termnest import (
    FileAccessError,
    InvalidOptionError,
    InvalidTermError,
    TermIndex,
    TermTypeError,
)
from termnest.cli import main


def test_the_columns_of_parquet_are_chosen_by_name_or_number(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    columns = {"n": [1, 2], "label": ["llc", "google llc"], "count": [5, 7]}
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    index = TermIndex.from_file(path, column="label", weight_column=2)
    assert index.super_terms("llc") == ["google llc"]
    assert index.weight("google llc") == 7
    assert TermIndex.from_file(path, column=1).weight("google llc") == 1
    with pytest.raises(InvalidOptionError, match='no column "term": the columns are "n",'):
        TermIndex.from_file(path, column="term")
    with pytest.raises(InvalidOptionError, match="no column 3"):
        TermIndex.from_file(path, column=3)
    with pytest.raises(TermTypeError, match="not of strings"):
        TermIndex.from_file(path)
    pyarrow.parquet.write_table(pyarrow.table({}), path)
    with pytest.raises(InvalidTermError, match="has no column"):
        TermIndex.from_file(path)
    twice = pyarrow.Table.from_arrays([pyarrow.array(["a"])] * 2, names=["term", "term"])
    pyarrow.parquet.write_table(twice, path)
    with pytest.raises(InvalidTermError, match="two columns of one name"):
        TermIndex.from_file(path)


def test_a_file_that_is_not_parquet_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.parquet"
    path.write_text("llc\n")
    with pytest.raises(InvalidTermError, match="is not a Parquet file"):
        TermIndex.from_file(path)
    with pytest.raises(FileAccessError):
        TermIndex.from_file(tmp_path / "none.parquet")
    assert main(["super", str(path), "llc"]) == 2
    assert "not a Parquet file" in capsys.readouterr().err
