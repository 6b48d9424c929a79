"""The commands about columns and texts: replace, find --where, variants, show."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import Ran, Run, run_fixture  # noqa: F401  (fixtures)

TABLE = b"""term,replacement,label,n
aspirin,ASA,drug,1
new york,NYC,city,2
york,,city,3
tylenol,paracetamol,drug,4
"""


@pytest.fixture(autouse=True)
def _table(run: Run) -> None:
    (run.folder / "names.csv").write_bytes(TABLE)
    build = ("build", "names.csv", "--columns", "replacement,label,n", "--fold", "-o", "names.nest")
    assert run(*build).code == 0


def test_replace_prints_the_text_with_its_terms_replaced(run: Run) -> None:
    text = b"Aspirin, or TYLENOL\r\nin\nnew\nyork\n"
    ran = run("replace", "names.nest", "--by", "replacement", stdin=text)
    assert ran == Ran(0, "ASA, or paracetamol\r\nin\nNYC\n", "")
    table = run("replace", "names.csv", "--by", "replacement", "--fold", stdin=text)
    assert table == ran
    kept = run("replace", "names.nest", "--by", "replacement", "--case", "keep", stdin=text)
    assert kept.out == "ASA, or PARACETAMOL\r\nin\nNYC\n"
    both = ("--case", "keep", "--case", "smart", "--fold")
    smart = run("replace", "names.csv", "--by", "replacement", *both, stdin=b"TYLENOL")
    assert smart.out == "PARACETAMOL"
    assert run("replace", "names.nest", "--by", "replacement", stdin=b"") == Ran(0, "", "")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("new.tsv", "term\treplacement\naspirin\tASA\nnew york\tNYC\n"),
        ("new.csv", 'term,replacement\naspirin,ASA\n"new york","NYC"\nother,x\n'),
        (
            "new.jsonl",
            '{"term": "aspirin", "replacement": "ASA"}\n{"term": "new york", "replacement": "NYC"}',
        ),
    ],
)
def test_replacements_come_from_a_file(run: Run, name: str, content: str) -> None:
    (run.folder / name).write_text(content)
    ran = run("replace", "names.nest", "--mapping", name, stdin=b"aspirin in New York")
    assert ran == Ran(0, "ASA in NYC", "")
    missing = run("replace", "names.nest", "--mapping", name, stdin=b"tylenol")
    assert missing.code == 2
    assert "no replacement for 'tylenol'" in missing.err
    some = run(
        *("replace", "names.nest", "--mapping", name, "--where", "label=city"),
        stdin=b"tylenol in new york",
    )
    assert some.out == "tylenol in NYC"


def test_replace_reads_several_files_and_writes_one(run: Run) -> None:
    (run.folder / "a.txt").write_bytes(b"\xef\xbb\xbfaspirin new")
    (run.folder / "b.txt").write_bytes(b"york tylenol")
    where = ("--where", "label=drug")
    ran = run(
        "replace", "names.nest", "a.txt", "b.txt", "--by", "replacement", *where, "-o", "c.txt"
    )
    assert ran == Ran(0, "", "")
    # No term goes on from one file to the next.
    assert (run.folder / "c.txt").read_bytes() == b"\xef\xbb\xbfASA newyork paracetamol"
    again = run("replace", "names.nest", "c.txt", "--by", "label", "--where", "n=2", "-o", "c.txt")
    assert again.code == 0


def test_a_failed_replace_leaves_the_old_output(run: Run) -> None:
    (run.folder / "out.txt").write_text("old")
    text = b"aspirin and york"
    ran = run("replace", "names.nest", "--by", "replacement", "-o", "out.txt", stdin=text)
    assert ran.code == 2
    assert "the column 'replacement': it has no replacement for 'york'" in ran.err
    assert (run.folder / "out.txt").read_text() == "old"
    assert not list(run.folder.glob(".termnest*"))


def test_a_text_that_is_not_utf8_is_reported_with_its_line(run: Run) -> None:
    (run.folder / "bad.txt").write_bytes(b"x\n" * 300_000 + b"aspirin\n\xff\xfe aspirin")
    ran = run("replace", "names.nest", "bad.txt", "--by", "label", "-o", "out.txt")
    assert ran.code == 2
    assert "line 300002 of bad.txt is not UTF-8" in ran.err
    ran = run("replace", "names.nest", "bad.txt", "--by", "label", "--errors", "replace")
    assert ran.out.endswith("x\ndrug\n\ufffd\ufffd drug")


def test_a_large_text_is_replaced_in_little_memory(run: Run, tmp_path: Path) -> None:
    line = "x" * 60 + " Aspirin in new\n  York and so on\n"
    count = 3_000_000 // len(line)
    script = """
import resource, sys
from termnest.cli import main
small = main(["replace", "names.nest", "--by", "label", "small.txt", "-o", "out.txt"])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
code = main(["replace", "names.nest", "--by", "label", "large.txt", "-o", "out.txt"])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, file=sys.stderr)
sys.exit(small or code)
"""
    (run.folder / "small.txt").write_text(line * count)
    (run.folder / "large.txt").write_text(line * count * 12)
    ran = subprocess.run([sys.executable, "-c", script], stderr=subprocess.PIPE, check=True)
    assert (run.folder / "out.txt").read_text() == line.replace("Aspirin", "drug").replace(
        "new\n  York", "city"
    ) * (count * 12)
    assert int(ran.stderr) < 12_000  # KiB, of a text of 36 MB


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["names.nest"], "--by COLUMN or --mapping FILE"),
        (["names.nest", "--by", "label", "--mapping", "x"], "--by COLUMN or --mapping FILE"),
        (["names.nest", "--by", "town"], 'there is no column "town"'),
        (["names.nest", "--mapping", "none.tsv"], "none.tsv"),
        (["names.nest", "--mapping", "names.nest"], "names.nest"),
        (["names.nest", "--by", "label", "none.txt"], "there is no file none.txt"),
        (["names.nest", "--by", "label", "."], "cannot read ."),
        (["names.nest", "--by", "label", "-o", "no/where"], "no"),
        (["names.nest", "--by", "label", "--where", "label"], "it must be COLUMN=VALUE"),
        (["names.nest", "--by", "label", "--where", "x=1"], "has replacement, label, n"),
        (["names.nest", "--by", "label", "--case", "up"], "'keep' or 'smart'"),
        (["-", "--by", "label"], "standard input is read already"),
    ],
)
def test_a_wrong_replace_gets_one_sentence(run: Run, arguments: list[str], message: str) -> None:
    ran = run("replace", *arguments, stdin=b"aspirin")
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.startswith("termnest: ")
    assert "Traceback" not in ran.err


def test_find_looks_for_terms_with_values_in_columns(run: Run) -> None:
    text = b"aspirin in new york, york"

    def found(*conditions: str) -> list[str]:
        options = [part for condition in conditions for part in ("--where", condition)]
        ran = run("find", "names.nest", *options, stdin=text)
        return [line.split("\t")[2] for line in ran.out.splitlines()]

    assert found("label=drug") == ["aspirin"]
    assert found("label=city") == ["new york", "york", "york"]
    assert found("label=drug", "label=city") == ["aspirin", "new york", "york", "york"]
    assert found("label=city", "n=3") == ["york", "york"]
    assert found("replacement=") == ["york", "york"]
    assert found("label=x") == []
    ran = run("find", "names.nest", "--where", "town=x", stdin=text)
    assert ran.code == 2
    assert "no column 'town'; it has replacement, label, n" in ran.err


def test_conditions_have_the_types_of_their_columns(run: Run) -> None:
    rows = [
        {"term": "a", "k": 1, "x": 0.5, "b": True, "t": ["u"], "key": "i"},
        {"term": "b", "k": 2, "x": 2, "b": False, "t": ["u", "v"], "key": "j"},
        {"term": "c", "key": "l"},
    ]
    (run.folder / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    build = ("build", "t.jsonl", "--columns", "k,x,b,t", "--id-column", "key", "-o", "t.nest")
    assert run(*build).code == 0
    for condition, expected in [
        ("k=2", "b"),
        ("x=2.0", "b"),
        ("b=true", "a"),
        ("t=v", "b"),
        ("k=", "c"),
        ("id=l", "c"),
    ]:
        ran = run("find", "t.nest", "--where", condition, stdin=b"a b c")
        assert [line.split("\t")[2] for line in ran.out.splitlines()] == [expected], condition
    for condition, kind in [("k=x", "integers"), ("x=y", "floats"), ("b=1", "booleans")]:
        ran = run("find", "t.nest", "--where", condition, stdin=b"a")
        assert ran.code == 2
        assert f"the column has {kind}" in ran.err


def test_variants_prints_the_terms_that_match_alike(run: Run) -> None:
    (run.folder / "v.txt").write_text("cell\nstem cell\nCells\nx\nStem cells\n")
    ran = run("variants", "v.txt", "--language", "en")
    assert ran == Ran(0, "0\tcell\n0\tCells\n1\tstem cell\n1\tStem cells\n", "")
    rows = run("variants", "v.txt", "--fold", "--json")
    assert rows == Ran(1, "", "")
    [first, _] = run("variants", "v.txt", "--language", "en", "--json").rows()[:2]
    assert first == {"group": 0, "id": 0, "term": "cell", "weight": 1}
    shown = run("variants", "names.nest", "--show", "label")
    assert shown.code == 1


def test_show_prints_the_neighbourhood_of_a_phrase(run: Run) -> None:
    ran = run("show", "names.nest", "New York")
    assert ran.code == 0
    lines = [line.split() for line in ran.out.splitlines()]
    assert lines[0] == ["New", "York"]
    assert ["label", "city"] in lines
    assert ["contains", "york"] in lines
    [row] = run("show", "names.nest", "york", "--json").rows()
    assert (row["id"], row["super_terms"], row["columns"]["n"]) == (2, ["new york"], "3")
    none = run("show", "names.nest", "boston")
    assert none.code == 1
    assert "not in the vocabulary" in none.out
    assert run("show", "names.nest", "york", "--limit", "x").code == 2


def test_the_output_of_show_fits_the_page(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "COLUMNS", "80")
    (run.folder / "long.txt").write_text("york\n" + "york " * 100 + "\n")
    assert all(len(line) <= 80 for line in run("show", "long.txt", "york").out.splitlines())
