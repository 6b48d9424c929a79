"""Every public name of the package is documented where it is defined.

An editor shows what it finds there: the docstring in the source of a Python name, and the docstring
in the stub `_core.pyi` of a native one.
"""

import ast
import importlib
import inspect
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import termnest
from conftest import ROOT
from termnest import _core

STUB = ROOT / "python" / "termnest" / "_core.pyi"
PUBLIC_MODULES = [
    "termnest",
    "termnest.paper",
    "termnest.server",
    "termnest.spacy",
    "termnest.spark",
    "termnest.terminology",
]
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@cache
def definitions(path: Path) -> dict[str, list[str | None]]:
    """The docstrings of all definitions of a file by qualified name; None for one without.

    A name may have several definitions: overloads, or the two functions of a property.
    """
    found: dict[str, list[str | None]] = {}

    def collect(body: list[ast.stmt], prefix: str) -> None:
        for statement, following in zip(body, [*body[1:], None], strict=True):
            if isinstance(statement, Definition):
                name = prefix + statement.name
                found.setdefault(name, []).append(ast.get_docstring(statement))
                if isinstance(statement, ast.ClassDef):
                    collect(statement.body, f"{name}.")
            elif isinstance(statement, ast.Assign | ast.AnnAssign):
                targets = statement.targets if isinstance(statement, ast.Assign) else []
                for target in targets or [statement.target]:  # type: ignore[union-attr]
                    described = isinstance(following, ast.Expr) and isinstance(
                        following.value, ast.Constant
                    )
                    text = str(following.value.value) if described else None  # type: ignore
                    found.setdefault(prefix + ast.unparse(target), []).append(text)
            elif isinstance(statement, ast.If | ast.Try):
                collect(statement.body, prefix)

    collect(ast.parse(path.read_text(encoding="utf-8")).body, "")
    return found


def source_of(module: str) -> Path:
    """The file in which the names of a module are defined: for the native one its stub."""
    if module == "termnest._core":
        return STUB
    path = importlib.import_module(module).__file__
    assert path is not None
    return Path(path)


def is_documented(module: str, name: str) -> bool:
    return any(text and text.strip() for text in definitions(source_of(module)).get(name, []))


def undocumented_members(public_class: type) -> list[str]:
    """The public members of a class, own and inherited from ours, that have no docstring."""
    # The fields of a named tuple or a data class are described together, by their class.
    fields = {*getattr(public_class, "_fields", ()), *getattr(public_class, "__annotations__", {})}
    missing = []
    for name in dir(public_class):
        owner = next(base for base in public_class.__mro__ if name in vars(base))
        ours = owner.__module__.partition(".")[0] == "termnest"
        if ours and not name.startswith("_") and name not in fields:
            qualified = f"{owner.__qualname__}.{name}"
            if not is_documented(owner.__module__, qualified):
                missing.append(f"{owner.__module__}.{qualified}")
    return missing


@pytest.mark.parametrize("name", PUBLIC_MODULES)
def test_every_public_name_is_documented_where_it_is_defined(name: str) -> None:
    package = {"termnest.server": "fastapi", "termnest.spacy": "spacy", "termnest.spark": "pyspark"}
    if name in package:
        pytest.importorskip(package[name])
    module = importlib.import_module(name)
    assert module.__doc__
    missing = []
    for public in module.__all__:
        value = getattr(module, public)
        if public.startswith("__") or isinstance(value, ModuleType):
            continue
        home = getattr(value, "__module__", None)
        if isinstance(value, type) or inspect.isroutine(value):
            assert home is not None
            if not is_documented(home, value.__qualname__):
                missing.append(f"{home}.{value.__qualname__}")
            if isinstance(value, type):
                missing += undocumented_members(value)
    assert missing == []


def native_docstrings() -> list[tuple[str, str]]:
    """The docstrings of the stub by qualified name."""
    return [
        (name, text)
        for name, texts in definitions(STUB).items()
        for text in texts
        if text is not None
    ]


def test_the_questions_are_documented_in_the_stub() -> None:
    documented = {name for name, _ in native_docstrings()}
    for question in ("super_terms", "nested_terms", "count_super_terms", "count_nested_terms"):
        assert f"Questions.{question}" in documented
        assert getattr(termnest.TermIndex, question).__doc__


@pytest.mark.parametrize(("name", "text"), native_docstrings(), ids=lambda value: value[:40])
def test_a_docstring_of_the_stub_is_that_of_the_native_module(name: str, text: str) -> None:
    value: object = _core
    for part in name.split("."):
        value = inspect.getattr_static(value, part)
    value = getattr(value, "__func__", value)  # of a static method
    assert inspect.cleandoc(str(value.__doc__)) == text
