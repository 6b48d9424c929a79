"""`termnest.terminology.extract`: from files to ranked terms."""

from __future__ import annotations

import io
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from samples import REPORT

from termnest import InvalidOptionError, TermIndex
from termnest.terminology import Corpus, extract, rank


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """A folder with one text."""
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "one.txt").write_text(REPORT)
    return folder


def test_a_ranked_list_is_three_lines_of_python(reports: Path) -> None:
    found = extract([reports], score="c-value", top=3)
    frame = found.table.to_polars()
    assert frame["term"].to_list()[0] == "basal cell carcinoma"


def test_progress_reports_the_share_of_the_bytes_that_are_read(reports: Path) -> None:
    reported: list[tuple[str, float | None]] = []
    extract([reports], progress=lambda stage, share: reported.append((stage, share)))
    assert reported[0] == ("counting candidates", 1.0)
    for i in range(5):
        (reports / f"{i}.txt").write_text(REPORT)
    reported.clear()
    extract([reports], progress=lambda stage, share: reported.append((stage, share)))
    shares = [share for stage, share in reported if stage == "counting candidates"]
    assert shares == pytest.approx([1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6, 1])


def test_the_share_of_progress_is_none_where_the_size_is_unknown(
    reports: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shares(*paths: Path | str) -> list[float | None]:
        reported: list[tuple[str, float | None]] = []
        extract(paths, progress=lambda stage, share: reported.append((stage, share)))
        return [share for stage, share in reported if stage == "counting candidates"]

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=[REPORT])
    writer.start()
    assert shares(reports, pipe) == [None, None]
    writer.join()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(REPORT.encode())))
    assert shares("-", reports) == [None, None]
    # In a folder, a pipe is not read.
    os.mkfifo(reports / "pipe")
    assert shares(reports) == [1.0]
    growing = Corpus([reports])
    (reports / "one.txt").write_text(REPORT * 3)
    monkeypatch.setattr("termnest.terminology.extraction.Corpus", lambda *_, **__: growing)
    assert shares(reports) == [1.0]


def test_errors_and_field_are_options_of_the_corpus(tmp_path: Path) -> None:
    broken = tmp_path / "a.jsonl"
    broken.write_bytes(b'{"body": "solar cell\xe9. solar cell."}\n')
    found = extract([broken], field="body", errors="replace", min_frequency=1)
    assert found.table.to_polars()["term"].to_list() == ["solar cell"]


# --- vocabularies, whose terms and frequencies are known ---

COUNTS = "term\tfrequency\nbasal cell carcinoma\t984\ncystic basal cell carcinoma\t11\ncell\t1\n"


@pytest.fixture
def counts(tmp_path: Path) -> Path:
    path = tmp_path / "counts.tsv"
    path.write_text(COUNTS)
    return path


def terms(corpus: Any, **options: Any) -> list[str]:
    found = extract(corpus, candidates="vocabulary", **options)
    return [row["term"] for row in found.table.to_pylist()]


def test_the_terms_of_a_vocabulary_are_ranked_by_their_weights(counts: Path) -> None:
    found = extract(counts, candidates="vocabulary", score="c-value-jate", keep="maximal", top=2)
    expected = rank(TermIndex.from_file(counts), score="c-value-jate", keep="maximal", top=2)
    assert found.table.to_pylist() == expected.with_text("matching", "as-written").to_pylist()
    assert found[1:] == (3, 0, 1, [], True, None, None, ())


def test_rare_and_long_terms_of_a_vocabulary_are_left_out_before_scoring(counts: Path) -> None:
    assert set(terms(counts)) == {"basal cell carcinoma", "cystic basal cell carcinoma", "cell"}
    assert terms(counts, min_frequency=12) == ["basal cell carcinoma"]
    assert terms(counts, max_words=3) == ["basal cell carcinoma", "cell"]
    (row,) = extract(counts, candidates="vocabulary", min_frequency=12).table.to_pylist()
    assert (row["super_count"], row["nested_count"]) == (0, 0)


def test_a_saved_index_is_a_vocabulary_with_options_of_its_own(counts: Path) -> None:
    index = counts.with_suffix(".nest")
    TermIndex.from_file(counts).save(index)
    assert terms([index]) == terms(counts)
    with pytest.raises(
        InvalidOptionError, match=r"column cannot be 'term': .* is an index"
    ) as caught:
        terms(index, column="term")
    assert caught.value.option == "column"


def test_the_columns_and_the_separator_of_a_vocabulary_are_options(tmp_path: Path) -> None:
    path = tmp_path / "counts.txt"
    path.write_text("984\tbasal_cell\n20\tcell\n")
    options: dict[str, Any] = {"format": "tsv", "column": 1, "separator": "_"}
    found = extract(path, candidates="vocabulary", weight_column=0, **options)
    assert found.weighted
    first = found.table.to_pylist()[0]
    assert (first["term"], first["frequency"], first["nested_count"]) == ("basal_cell", 984, 1)
    found = extract(path, candidates="vocabulary", **options)
    assert not found.weighted
    assert {row["frequency"] for row in found.table.to_pylist()} == {1}


@pytest.mark.parametrize("saved", [False, True])
def test_a_vocabulary_comes_from_standard_input_or_a_pipe(
    counts: Path, saved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = counts.read_bytes()
    if saved:
        content = TermIndex.from_file(counts).to_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert terms("-") == terms(counts)
    pipe = counts.with_name("pipe")
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[content])
    writer.start()
    assert terms(pipe) == terms(counts)
    writer.join()


def test_one_vocabulary_is_ranked_at_a_time(counts: Path) -> None:
    with pytest.raises(InvalidOptionError, match="one vocabulary at a time, not 2 files"):
        terms([counts, counts])


@pytest.mark.parametrize(
    ("candidates", "options", "message"),
    [
        ("words", {}, "candidates cannot be 'words': it must be 'ngrams', 'noun-phrases' or"),
        ("ngrams", {"column": 0}, "column cannot be 0: it does not apply to n-grams"),
        ("ngrams", {"processes": 2}, "processes cannot be 2: it does not apply to n-grams"),
        ("ngrams", {"format": "csv"}, "format cannot be 'csv': a corpus is 'text' or 'jsonl'"),
        ("noun-phrases", {"separator": "_"}, "separator .* does not apply to noun phrases"),
        ("noun-phrases", {}, 'give spacy_model="en_core_web_sm" to use that pipeline'),
        ("vocabulary", {"fold": False}, "fold .* does not apply to vocabularies"),
        (
            "vocabulary",
            {"stop_words": []},
            r"stop_words cannot be \[\]: it does not apply to vocab",
        ),
    ],
)
def test_options_that_do_not_apply_to_the_candidates_are_refused(
    reports: Path, candidates: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidOptionError, match=message):
        extract(reports, candidates=candidates, **options)
