"""When Spark loses an executor it makes the lost part again, and the pairs stay the same.

In a file of its own, since it has a Spark cluster of its own.
"""

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from conftest import ROOT
from termnest import TermIndex

HAS_JAVA = bool(shutil.which("java") or os.environ.get("JAVA_HOME"))


@pytest.mark.skipif(
    not HAS_JAVA and not os.environ.get("TERMNEST_NEVER_SKIP"),
    reason="Spark needs Java 17, and none is installed",
)
def test_a_cluster_that_loses_an_executor_gives_the_same_pairs(tmp_path: Path) -> None:
    choice = random.Random(2)
    words = [f"w{i}" for i in range(200)]
    terms = [" ".join(choice.choices(words, k=choice.randint(1, 5))) for _ in range(2_000)]
    (tmp_path / "terms.txt").write_text("\n".join(terms))
    program = ROOT / "tests" / "spark_cluster.py"
    ran = subprocess.run(
        [sys.executable, program, tmp_path / "terms.txt", tmp_path / "out"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=170,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    done, left = map(int, ran.stdout.split())
    assert done > 0
    assert left > 0
    found = pq.read_table(tmp_path / "out").to_pylist()
    index = TermIndex(terms)
    expected = [
        {"nested": index[row["nested"]], "super": index[row["super"]], "start": row["start"]}
        for row in index.pairs().to_pylist()
    ]
    assert sorted(map(str, found)) == sorted(map(str, expected))
