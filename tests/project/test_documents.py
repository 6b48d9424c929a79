"""The shell examples of the documents run, and print what the documents say."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT
from termnest import TermIndex

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def console_blocks(document: Path) -> list[str]:
    return re.findall(r"^```console\n(.*?)^```", document.read_text(), re.MULTILINE | re.DOTALL)


def commands(block: str) -> list[tuple[str, str]]:
    """The commands of a block, `$` before each and `>` before further lines, with their output."""
    found: list[tuple[str, str]] = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif line.startswith("> "):
            found[-1] = (found[-1][0] + line[2:], found[-1][1])
        else:
            found[-1] = (found[-1][0], found[-1][1] + line)
    return found


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_the_shell_examples_print_what_the_document_says(document: Path, tmp_path: Path) -> None:
    """All blocks of a document run in the same folder, in their order."""
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    }
    blocks = console_blocks(document)
    assert document.name not in ("README.md", "terminology.md") or blocks
    for block in blocks:
        for command, expected in commands(block):
            result = subprocess.run(
                ["bash", "-c", command], cwd=tmp_path, env=environment, stdout=subprocess.PIPE
            )
            assert result.stdout.decode() == expected, command
            assert result.returncode == 0, command
    for picture in tmp_path.glob("*.svg"):
        shown = ROOT / "docs" / "images" / picture.name
        assert picture.read_text() == shown.read_text(), "the picture is not the one that is made"


@pytest.mark.parametrize("question", ["super_terms", "nested_terms", "count_super_terms"])
def test_the_examples_of_the_native_methods_are_right(question: str) -> None:
    # pytest finds those of the Python modules by itself.
    names = {"TermIndex": TermIndex}
    documented = doctest.DocTestFinder().find(getattr(TermIndex, question), question, globs=names)
    assert [bool(test.examples) for test in documented] == [True]
    result = doctest.DocTestRunner(verbose=False).run(documented[0])
    assert result.attempted > 0
    assert result.failed == 0
