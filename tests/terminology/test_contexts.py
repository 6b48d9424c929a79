"""Sentences that contain a term, and terms in context."""

from __future__ import annotations

from pathlib import Path

import pytest

from termnest import InvalidOptionError, TermIndex
from termnest.cli import main
from termnest.terminology import extract
from termnest.terminology.contexts import concordance, sentences

TEXTS = ["A solar cell ages. The solar\ncell, e.g. of silicon, is small! Solar cells?", "No cell."]


def test_a_context_is_the_sentence_around_a_term() -> None:
    index = TermIndex(["solar cell", "cell", "absent"], fold=True)
    assert sentences(TEXTS, index, 2) == {
        0: ["A solar cell ages.", "The solar cell, e.g."],
        1: ["A solar cell ages.", "The solar cell, e.g."],
    }
    assert sentences(TEXTS, index, 9)[1][-1] == "No cell."
    long = "word " * 1_000 + "cell" + " word" * 1_000
    (context,) = sentences([long], index, 1)[1]
    assert len(context) < 700
    assert context.startswith("word ")
    assert context.endswith(" word")


def test_extract_adds_up_to_so_many_sentences_with_any_form(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text(
        "A solar cell ages. Two solar cells age. Solar cells are | small. A solar cell."
    )
    table = extract(path, language="en", reference=False, contexts=3).table
    (row,) = [row for row in table.to_pylist() if row["term"].lower() == "solar cell"]
    assert row["contexts"].split(" | ") == [
        "A solar cell ages.",
        "Two solar cells age.",
        "Solar cells are small.",
    ]
    assert "contexts" not in extract(path, language="en").table.columns
    with pytest.raises(InvalidOptionError, match="can be read only once"):
        extract("-", contexts=1)


def test_a_concordance_has_what_is_on_both_sides() -> None:
    lines = list(concordance(TEXTS, ["solar cell"], width=9))
    assert [(line.document, line.left, line.match, line.right) for line in lines] == [
        (1, "A ", "solar cell", " ages. Th"),
        (1, "ges. The ", "solar cell", ", e.g. of"),
    ]
    assert len(list(concordance(TEXTS, ["solar cell"], language="en"))) == 3
    assert list(concordance(TEXTS, ["absent"])) == []
    with pytest.raises(InvalidOptionError, match="give a term with a word"):
        concordance(TEXTS, [" "])


def test_the_command_aligns_the_term(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_text(TEXTS[0])
    (tmp_path / "b.txt").write_text("東京 solar cell x")
    command = ["concordance", str(tmp_path), "Solar Cell", "--width", "10"]
    assert main(command) == 0
    assert capsys.readouterr().out == (
        "        A [solar cell] ages. The\n ges. The [solar cell], e.g. of\n".replace(
            " ges. The ", "ages. The "
        )
        + "     東京 [solar cell] x\n"
    )
    assert main([*command, "--sort", "right", "--limit", "1"]) == 0
    assert capsys.readouterr().out == "     東京 [solar cell] x\n".replace(
        "     東京 [solar cell] x\n", "        A [solar cell] ages. The\n"
    )
    assert main(["concordance", str(tmp_path), "absent"]) == 1
    assert capsys.readouterr().out == ""
