"""The package itself: its names, its version, what it imports and what its documents mention."""

import inspect
import re
import subprocess
import sys
import tomllib
from types import FunctionType, MethodDescriptorType, ModuleType
from typing import Any

import pytest

import termnest
from conftest import ROOT
from termnest.cli import cli


def test_all_names_are_public_and_all_public_names_are_there() -> None:
    public = {
        name
        for name, value in vars(termnest).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert set(termnest.__all__) == public | {"__version__"}
    assert len(set(termnest.__all__)) == len(termnest.__all__)


def test_the_version_is_that_of_the_crate() -> None:
    crate = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    assert termnest.__version__ == crate["package"]["version"]


def test_the_limits_are_those_of_the_design() -> None:
    assert termnest.MAX_TERM_TOKENS == 4_096
    assert termnest.MAX_TERM_BYTES == 65_535
    assert termnest.MAX_TOKENS == 2**32 - 1


@pytest.mark.parametrize("module", ["termnest", "termnest.cli"])
def test_importing_the_package_imports_no_data_frame_library(module: str) -> None:
    program = f"import sys, {module}; print(*sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    loaded = set(ran.stdout.split())
    assert "termnest._core" in loaded
    assert loaded.isdisjoint({"polars", "pandas", "pyarrow", "numpy", "duckdb"})
    assert ("click" in loaded) == (module == "termnest.cli")


def test_importing_the_package_prints_and_warns_nothing() -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", "import termnest.cli"],
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert (ran.stdout, ran.stderr) == (b"", b"")


PUBLIC_CLASSES = [
    value for name in termnest.__all__ if isinstance(value := getattr(termnest, name), type)
]


def members(public_class: type) -> list[tuple[str, Any]]:
    """What a class shows: methods, class methods and properties, native ones included."""
    kinds = (FunctionType, MethodDescriptorType, classmethod, staticmethod, property)
    return [
        (f"{public_class.__name__}.{name}", value)
        for name in dir(public_class)
        if not name.startswith("_")
        and isinstance(value := inspect.getattr_static(public_class, name), kinds)
        and not hasattr(Exception, name)
    ]


def test_every_public_class_and_method_has_a_docstring() -> None:
    described = [(public_class.__name__, public_class) for public_class in PUBLIC_CLASSES]
    for public_class in PUBLIC_CLASSES:
        described += members(public_class)
    assert ("TermIndex.super_terms", termnest.TermIndex.super_terms) in described
    assert [name for name, value in described if not inspect.getdoc(value)] == []


def test_the_questions_take_their_options_by_name_only() -> None:
    for question in (
        termnest.TermIndex,
        termnest.TermIndex.from_file,
        termnest.TermIndex.open,
        termnest.TermIndex.super_terms,
        termnest.TermIndex.nested_terms,
        termnest.TermIndex.count_super_terms,
        termnest.TermIndex.count_nested_terms,
        termnest.TermIndex.super_terms_batch,
        termnest.TermIndex.nested_terms_batch,
        termnest.TermIndex.find,
        termnest.TermIndex.complete,
    ):
        kinds = [
            parameter.kind
            for name, parameter in inspect.signature(question).parameters.items()
            if name != "self"
        ]
        assert kinds[0] is inspect.Parameter.POSITIONAL_OR_KEYWORD
        assert set(kinds[1:]) == {inspect.Parameter.KEYWORD_ONLY}


def test_counts_and_batches_take_the_options_of_their_question() -> None:
    def options(name: str) -> dict[str, object]:
        parameters = inspect.signature(getattr(termnest.TermIndex, name)).parameters
        return {
            name: parameter.default  # mypy compares the types, which native methods do not have
            for name, parameter in parameters.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        }

    assert options("find") == options("find_batch") == {**options("find_spans"), "columns": None}
    assert options("iter_batches") == {**options("find_batch"), "rows": 100_000}
    for question in ("super_terms", "nested_terms"):
        assert options(question)
        # A count has no order.
        counted = {name: default for name, default in options(question).items() if name != "sort"}
        assert options(f"count_{question}") == counted
        more = {"columns": None, "threads": None}
        assert options(f"{question}_batch") == options(question) | more


@pytest.mark.parametrize("command", cli.commands)
def test_the_readme_mentions_every_command(command: str) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.search(rf"(termnest |`){command}\b", readme)
