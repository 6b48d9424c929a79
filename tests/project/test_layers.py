"""The folders of the core import downwards only, and no files import each other in a circle."""

import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

import pytest

from conftest import ROOT

# From the bottom to the top. A folder uses those before it, never one after it.
LAYERS = [
    ["limits", "error", "progress", "threads"],
    ["analysis"],
    ["arrays"],
    ["build"],
    ["index"],
    ["vocabulary"],
    ["query"],
    ["graph"],
    ["store"],
    ["extract"],
    ["join"],
    ["json"],
    ["python"],
]
# The names from the root of the crate to a module or to what is in it.
Path = tuple[str, ...]


def sources() -> dict[Path, str]:
    """The code of each module of the core, without comments and tests."""
    found = {}
    for file in sorted((ROOT / "src").rglob("*.rs")):
        names = file.relative_to(ROOT / "src").with_suffix("").parts
        code = file.read_text(encoding="utf-8").split("#[cfg(test)]\nmod tests {")[0]
        if names[-1] != "tests":
            module = names[:-1] if names[-1] in ("mod", "lib") else names
            found[module] = re.sub(r"//.*", "", code)
    return found


def branches(tree: str) -> Iterator[str]:
    """The paths of a tree of imports: `a::x` and `a::y` of `a::{x, y}`."""
    start, brace, rest = tree.strip().partition("{")
    if not brace:
        yield start.split(" as ")[0].strip()
        return
    depth, branch = 0, ""
    for character in rest.rpartition("}")[0] + ",":
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            if branch.strip():
                yield from (start + path for path in branches(branch))
            branch = ""
        else:
            branch += character


def imports(modules: dict[Path, str]) -> dict[Path, set[Path]]:
    """The modules that each module uses; for a name that is passed on, the one that defines it."""

    def whole(module: Path, path: str) -> Path | None:
        first, *rest = path.split("::")
        while first == "super":
            module = module[:-1]
            first, *rest = rest
            if first != "super":
                return (*module, first, *rest)
        if first in ("crate", "self"):
            return (*(module if first == "self" else ()), *rest)
        return (*module, first, *rest) if (*module, first) in modules else None

    passed_on: dict[Path, Path] = {}
    used: dict[Path, set[Path]] = {module: set() for module in modules}
    for module, code in modules.items():
        for public, tree in re.findall(r"^\s*(pub\S*\s+)?use\s+([^;]+);", code, re.MULTILINE):
            paths = {path for branch in branches(tree) if (path := whole(module, branch))}
            if public:
                passed_on |= {(*module, path[-1]): path for path in paths}
            else:
                used[module] |= paths
        inside = re.sub(r"^\s*(pub\S*\s+)?use\s+[^;]+;", "", code, flags=re.MULTILINE)
        for path in re.findall(r"(?<![\w:])[a-z_]\w*(?:::\w+)+", inside):
            if found := whole(module, path):
                used[module].add(found)

    def definer(path: Path) -> Path:
        for end in range(1, len(path) + 1):
            if path[:end] in passed_on:
                return definer(passed_on[path[:end]] + path[end:])
        return next(path[:end] for end in range(len(path), -1, -1) if path[:end] in modules)

    return {module: {definer(path) for path in paths} - {module} for module, paths in used.items()}


def test_the_folders_of_the_core_import_downwards_only() -> None:
    height = {name: level for level, names in enumerate(LAYERS) for name in names}
    used = imports(sources())
    assert {module[0] for module in used if module} == set(height)
    upwards = [
        f"src/{'/'.join(module)} uses src/{'/'.join(other)}"
        for module, others in used.items()
        for other in others
        if module and other and height[other[0]] > height[module[0]]
    ]
    assert not upwards, "\n".join(upwards)


def test_no_modules_of_the_core_use_each_other_in_a_circle() -> None:
    used = imports(sources())
    # Imports are seen, also those of a name that another module passes on.
    assert used["query", "super_terms"] >= {("query", "order"), ("index",)}
    assert ("analysis", "options") in used["index", "open"]
    list(TopologicalSorter(used).static_order())


@pytest.mark.parametrize(
    "code",
    ["use crate::b::{c::{D}, e};", "use super::b::Passed;", "fn f() { crate::b::c::d(); }"],
)
def test_a_circle_of_modules_is_found(code: str) -> None:
    modules = {
        (): "",
        ("a",): code,
        ("b",): "mod c;\npub use c::Passed;",
        ("b", "c"): "use crate::a::Thing;",
    }
    assert imports(modules)["a",] >= {("b", "c")}
    with pytest.raises(CycleError):
        list(TopologicalSorter(imports(modules)).static_order())
