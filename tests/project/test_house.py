"""The rules of the house: what modules may reach for, how long a file is, and plain English."""

import ast
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from conftest import ROOT
from termnest import Table, TermIndex

# What other modules leave alone: the private names of TermIndex and Table.
PRIVATE = {
    name
    for owner in (TermIndex, Table)
    for name in dir(owner)
    if name.startswith("_") and not name.endswith("_")
}
# The modules of TermIndex (find.py and graph.py have its base classes) and Table, and the tests of
# what they do with the core.
ALLOWED = (
    "python/termnest/index.py",
    "python/termnest/find.py",
    "python/termnest/graph.py",
    "python/termnest/columns.py",
    "python/termnest/snapshot.py",
    "python/termnest/table.py",
    "tests/library/",
)
# Lines of code and comments, beyond which a file is likely to have more than one subject.
LONGEST_FILE = 700
# The words of a dialect that has to be decoded; a quotation may have one.
DIALECT = re.compile(r"\b(stands?|stood|tells?|told|so\s+many|anew)\b", re.IGNORECASE)
MOST_DIALECT = 25


def tracked(*suffixes: str) -> list[Path]:
    """The files of the project, with one of the suffixes if any are given."""
    try:
        names = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True
        ).stdout.decode()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is not a clone of the repository")
    paths = [ROOT / name for name in names.split("\0") if name]
    found = [path for path in paths if path.is_file() and (not suffixes or path.suffix in suffixes)]
    assert {path.suffix for path in found} >= set(suffixes)
    assert ROOT / "python" / "termnest" / "cli" / "app.py" in found
    return found


def reach_ins(code: str) -> list[tuple[int, str]]:
    """The line and the text of each use of a private part of TermIndex or Table."""
    tree = ast.parse(code)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            if node.module == "termnest._core" and any(name.name == "Index" for name in node.names):
                found.append((node.lineno, ast.unparse(node)))
        elif isinstance(node, ast.Attribute):
            # A class may have a field of its own with such a name.
            own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            core = node.attr == "Index" and ast.unparse(node.value).endswith("_core")
            if core or (node.attr in PRIVATE and not own):
                found.append((node.lineno, ast.unparse(node)))
    return found


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("index._index.options()", 1),
        ("self._index._index", 1),
        ("self._index.find(text)", 0),
        ("TermIndex._of(core)", 1),
        ("table._table", 1),
        ("_core.Index.open(path)", 1),
        ("from termnest._core import Index", 1),
        ("other._path", 1),
    ],
)
def test_reach_ins_are_found(code: str, count: int) -> None:
    assert len(reach_ins(code)) == count


def test_only_their_own_modules_use_private_parts_of_term_index_and_table() -> None:
    found = []
    for path in tracked(".py"):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(ALLOWED) and path != Path(__file__):
            code = path.read_text(encoding="utf-8")
            found += [f"{name}:{line}: {text}" for line, text in reach_ins(code)]
    assert not found, "\n".join(found)


def test_no_file_is_longer_than_a_subject() -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in tracked(".rs", ".py")
    }
    long = {
        name: length
        for name, length in lengths.items()
        if name.startswith(("src/", "python/")) and length > LONGEST_FILE
    }
    assert long == {}


@pytest.mark.parametrize("text", ["It stands in", "so\nmany", "was Told", "sorts anew"])
def test_the_dialect_is_found(text: str) -> None:
    assert DIALECT.search(text)


def test_the_texts_are_plain_english() -> None:
    found: Counter[str] = Counter()
    for path in tracked():
        if path.name == "CHANGELOG.md" or path == Path(__file__):
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture
        if count := len(DIALECT.findall(text)):
            found[path.relative_to(ROOT).as_posix()] = count
    shown = "\n".join(f"{count:4} {name}" for name, count in found.most_common())
    assert found.total() <= MOST_DIALECT, shown
