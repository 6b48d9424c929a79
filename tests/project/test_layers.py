"""The folders of the core import downwards only."""

import re

from conftest import ROOT

# From the bottom to the top. A folder uses those before it, never one after it.
LAYERS = [
    ["error", "progress", "threads"],
    ["analysis"],
    ["arrays"],
    ["build"],
    ["index"],
    ["vocabulary"],
    ["query"],
    ["graph"],
    ["extract"],
    ["join"],
    ["json"],
    ["python"],
]


def test_the_folders_of_the_core_import_downwards_only() -> None:
    height = {name: level for level, names in enumerate(LAYERS) for name in names}
    found = {path.stem for path in (ROOT / "src").iterdir()} - {"lib"}
    assert found <= set(height), "a new folder needs a place among the layers"
    upwards = []
    for path in sorted((ROOT / "src").rglob("*.rs")):
        place = path.relative_to(ROOT / "src").parts[0].removesuffix(".rs")
        code = path.read_text(encoding="utf-8").split("#[cfg(test)]\nmod tests")[0]
        code = re.sub(r"^\s*//.*$", "", code, flags=re.MULTILINE)
        for used in re.findall(r"\bcrate::([a-z_]+)::", code):
            if place != "lib" and height[used] > height[place]:
                upwards.append(f"{path.relative_to(ROOT)} uses crate::{used}")
    assert not upwards, "\n".join(upwards)
