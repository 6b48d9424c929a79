"""The command line, run in the process of a test. Test modules import the fixtures by name."""

import io
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from termnest import TermIndex
from termnest.cli import main

TERMS = b"york\nnew york\nnew york city\ncity\n"
# For each command that answers from an index, the arguments of a question with an answer.
QUESTIONS = {
    "super": ["york"],
    "nested": ["new york"],
    "find": ["text.txt"],
    "replace": ["text.txt", "--mapping", "replacements.tsv"],
    "complete": ["new"],
    "expand": ["york"],
    "show": ["york"],
    "tree": ["york"],
    "pairs": [],
    "info": [],
}


class Ran(NamedTuple):
    """What a command returned and printed."""

    code: int
    out: str
    err: str

    def rows(self) -> list[dict[str, Any]]:
        """The JSON Lines of its output."""
        return [json.loads(line) for line in self.out.splitlines()]


class Run:
    """Runs the command line in this process, in a folder of its own."""

    def __init__(
        self,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        capture: pytest.CaptureFixture[bytes],
    ) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch
        self._capture = capture
        monkeypatch.chdir(folder)

    def __call__(self, *arguments: str, stdin: bytes = b"") -> Ran:
        content = io.BufferedReader(io.BytesIO(stdin))
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(content))
        code = main(arguments)
        out, err = self._capture.readouterr()
        return Ran(code, out.decode(), err.decode())

    def write(self, name: str, content: bytes) -> str:
        (self.folder / name).write_bytes(content)
        return name


@pytest.fixture(name="run")
def run_fixture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Run:
    """The command line, in a folder with a vocabulary, its index and a text."""
    run = Run(tmp_path, monkeypatch, capsysbinary)
    run.write("terms.txt", TERMS)
    run.write("text.txt", b"In new york,\na new  york city.\n")
    run.write("replacements.tsv", b"term\treplacement\nnew york\tNY\nnew york city\tNYC\n")
    TermIndex(TERMS.decode().splitlines()).save("terms.nest")
    return run


@pytest.fixture(name="source", params=["terms.txt", "terms.nest"])
def source_fixture(request: pytest.FixtureRequest) -> str:
    """A vocabulary and its index: every command answers alike from both."""
    name: str = request.param
    return name
