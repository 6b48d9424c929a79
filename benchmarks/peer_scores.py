"""The scores of JATE and PyATE, in an environment of their own: they need pandas before 3.

Reads a JSON object of terms and frequencies from standard input. Prints, as JSON, the scores of
each peer that is installed and its seconds, the best of three: from the list to the scores, and
from its own index of the terms to the scores, where it has one.
"""

from __future__ import annotations

import gc
import importlib
import importlib.metadata
import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any


def jate(counts: dict[str, int]) -> dict[str, Any]:
    """C-value as JATE computes it, and the containments that it is computed from."""
    package: Any = importlib.import_module("jate")
    features: Any = importlib.import_module("jate.features")
    c_value: Any = importlib.import_module("jate.algorithms.cvalue").CValue()
    start = time.perf_counter()
    candidates = [package.Candidate(surface_form=term, normalized_form=term) for term in counts]
    frequency = features.TermFrequency(term2ttf=counts, corpus_total=sum(counts.values()))
    index = package.TermComponentIndex.build(candidates)
    indexed = time.perf_counter()
    contained = package.Containment.build(candidates, index)
    result = c_value.score(candidates, frequency, containment=contained)
    end = time.perf_counter()
    return {
        "seconds": end - start,
        "seconds_indexed": end - indexed,
        "scores": {term.string: term.score for term in result},
        "parents": {term: sorted(found) for term, found in contained.term2parents.items()},
    }


def pyate(counts: dict[str, int]) -> dict[str, Any]:
    """C-value as PyATE computes it."""
    pandas: Any = importlib.import_module("pandas")
    c_values: Any = importlib.import_module("pyate.cvalues").cvalues
    column = pandas.Series(counts)
    start = time.perf_counter()
    result = c_values("", technical_counts=column, have_single_word=True, threshold=float("-inf"))
    seconds = time.perf_counter() - start
    return {
        "seconds": seconds,
        "seconds_indexed": seconds,
        "scores": {str(term): float(x) for term, x in result.items()},
    }


# Runs of each peer; the fastest counts.
REPEAT = 3
PEERS: dict[str, Callable[[dict[str, int]], dict[str, Any]]] = {"jate": jate, "pyate": pyate}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    given = json.load(sys.stdin)
    found = {}
    for name, scores in PEERS.items():
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        runs = []
        for _ in range(REPEAT):
            gc.collect()
            runs.append(scores(given))
        best = {part: min(run[part] for run in runs) for part in ("seconds", "seconds_indexed")}
        found[name] = {"version": version, **runs[0], **best}
    print(json.dumps(found))
