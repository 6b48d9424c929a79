"""Reads the shared cases of tests/cases: vocabularies, questions and answers written by hand."""

import json
from typing import Any

from conftest import ROOT

Case = dict[str, Any]


def read_cases() -> list[tuple[str, Case]]:
    """The cases of every file, each with the name of its file."""
    return [
        (path.name, json.loads(line))
        for path in sorted((ROOT / "tests" / "cases").glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").split("\n")
        if line
    ]


ALL_CASES = read_cases()
