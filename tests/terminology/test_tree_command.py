"""The command `termnest tree`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from graph_files import READERS, read_json, read_turtle
from svg_picture import Picture

from termnest.cli import main

VOCABULARY = (
    "carcinoma\t9\nbasal cell carcinoma\t4\ncell carcinoma\t5\nlobular carcinoma\t7\ncell\t1\n"
)


class Ran(NamedTuple):
    """What the command gave."""

    code: int
    out: str
    err: str


@pytest.fixture
def tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Callable[..., Ran]:
    """`termnest tree terms.tsv`, in a folder of its own."""
    (tmp_path / "terms.tsv").write_text(VOCABULARY)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Ran:
        code = main(["tree", "terms.tsv", "--weight-column", "1", *arguments])
        out, err = capfdbinary.readouterr()
        return Ran(code, out.decode(), err.decode())

    return run


@pytest.mark.parametrize("extension", READERS)
def test_tree_writes_a_file_and_reports_its_content(
    tree: Callable[..., Ran], extension: str
) -> None:
    name = f"out{extension}"
    assert tree("-o", name) == (0, "", f"{name}: 5 terms, 3 broader edges, 1 contains edge\n")
    content = READERS[extension](Path(name))
    assert content.broader == {(1, 2), (2, 0), (3, 0)}
    assert content.contains == {(2, 4)}
    assert content.weights[3] == 7
    assert sorted(path.name for path in Path().iterdir()) == sorted([name, "terms.tsv"])


def test_tree_writes_the_terms_that_it_prints(tree: Callable[..., Ran]) -> None:
    for options in (["carcinoma"], ["carcinoma", "--limit", "1"], ["carcinoma", "--depth", "1"]):
        printed = tree(*options).out
        assert tree(*options, "-o", "out.json").code == 0
        lines = {line.strip() for line in printed.splitlines() if "more" not in line}
        assert set(read_json(Path("out.json")).labels.values()) == lines


@pytest.mark.parametrize(
    ("options", "end"),
    [
        (["--limit", "1"], ", 2 terms left out by --limit\n"),
        (["--depth", "1"], ", 1 term left out by --depth\n"),
        (["--depth", "1", "--limit", "1"], ", 2 terms left out by --depth and --limit\n"),
        (["--depth", "9", "--limit", "9"], " contains edge\n"),
        (["cell carcinoma", "--depth", "0"], ", 1 term left out by --depth\n"),
    ],
)
def test_tree_reports_how_many_terms_a_file_leaves_out(
    tree: Callable[..., Ran], options: list[str], end: str
) -> None:
    ran = tree(*options, "-o", "out.ttl")
    assert ran.code == 0
    assert ran.err.endswith(end)


def test_tree_draws_a_picture(tree: Callable[..., Ran]) -> None:
    assert tree("cell carcinoma", "-o", "out.svg") == (
        0,
        "",
        "out.svg: 4 terms, 2 broader edges, 1 contains edge\n",
    )
    shown = Picture(Path("out.svg").read_text())
    assert [drawn.text for drawn in shown.drawn] == ["carcinoma", "cell", "basal cell carcinoma"]
    ran = tree("carcinoma", "-o", "out.svg", "--limit", "1")
    assert ran.err == (
        "out.svg: 2 terms, 1 broader edge, 0 contains edges, 1 term left out by --limit\n"
    )


def test_tree_writes_uris_with_the_given_base(tree: Callable[..., Ran]) -> None:
    assert tree("-o", "out.ttl", "--base-uri", "https://example.org/").code == 0
    assert len(read_turtle(Path("out.ttl"), "https://example.org/").labels) == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "out.svg"], "give TERM"),
        (["cell", "-o", "out.svg", "--depth", "1"], "leave out --depth"),
        (["-o", "out.pdf"], ".ttl, .tbx, .graphml, .dot, .gv, .json or .svg"),
        (["-o", "out"], ".ttl, .tbx, .graphml, .dot, .gv, .json or .svg"),
        (["-o", "none/out.ttl"], "there is no folder none"),
        (["-o", "folder.ttl"], "it is a folder"),
        (["--base-uri", "urn:a:"], "--base-uri needs -o FILE.ttl"),
        (["-o", "out.json", "--base-uri", "urn:a:"], "--base-uri needs -o FILE.ttl"),
        (["-o", "out.ttl", "--base-uri", "a"], "give an absolute URI"),
        (["-o", "same.json"], "is the vocabulary itself"),
    ],
)
def test_tree_refuses_options_and_files_that_do_not_apply(
    tree: Callable[..., Ran], options: list[str], message: str
) -> None:
    Path("folder.ttl").mkdir()
    Path("same.json").symlink_to("terms.tsv")
    before = sorted(Path().iterdir())
    ran = tree(*options)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert sorted(Path().iterdir()) == before
    assert Path("terms.tsv").read_text() == VOCABULARY


def test_tree_of_an_unknown_term_writes_nothing(tree: Callable[..., Ran]) -> None:
    ran = tree("basal", "-o", "out.ttl")
    assert ran == (1, "", "'basal' is not in the vocabulary: nothing was written\n")
    assert not Path("out.ttl").exists()
    Path("out.svg").write_text("kept")
    ran = tree("nobody", "-o", "out.svg")
    assert ran.code == 1
    assert ran.err.startswith("'nobody' is not in the vocabulary")
    assert Path("out.svg").read_text() == "kept"
    # But any phrase has a neighbourhood.
    assert tree("basal cell", "-o", "out.svg").code == 0
    assert Picture(Path("out.svg").read_text()).marks() == {
        "cell": [],
        "basal cell carcinoma": ["basal cell"],
    }


def test_tree_prints_terms_below_their_heads_heaviest_first(tree: Callable[..., Ran]) -> None:
    whole = "carcinoma\n  lobular carcinoma\n  cell carcinoma\n    basal cell carcinoma\n"
    assert tree() == (0, whole, "")
    assert tree("carcinoma") == (0, whole, "")
    assert tree("cell carcinoma").out == "cell carcinoma\n  basal cell carcinoma\n"
    assert tree("cell").out == "cell\n"
    assert tree("basal") == (1, "", "")
    assert tree("--depth", "1", "--limit", "1").out == (
        "carcinoma\n  lobular carcinoma\n  ... 1 more\n"
    )


def test_a_tree_may_be_deeper_than_the_recursion_limit_of_python(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    depth = sys.getrecursionlimit() + 200
    path = tmp_path / "terms.txt"
    path.write_text("".join(" ".join(["p"] * count) + "\n" for count in range(1, depth + 1)))
    assert main(["tree", str(path)]) == 0
    last = capfdbinary.readouterr().out.decode().splitlines()[-1]
    assert last == "  " * (depth - 1) + " ".join(["p"] * depth)
