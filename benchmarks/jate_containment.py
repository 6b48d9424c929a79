"""JATE's table of containments, in an environment of its own: it needs pandas before 3.

Reads a term a line from standard input, prints the seconds and the (nested, super) pairs as JSON.
"""

from __future__ import annotations

import gc
import importlib
import importlib.metadata
import json
import sys
import time
from typing import Any

if __name__ == "__main__":
    terms = sys.stdin.read().splitlines()
    jate: Any = importlib.import_module("jate")
    candidates = [jate.Candidate(surface_form=term, normalized_form=term) for term in terms]
    gc.disable()
    start = time.perf_counter()
    parents = jate.Containment.build(candidates, jate.TermComponentIndex.build(candidates))
    seconds = time.perf_counter() - start
    pairs = sorted((term, one) for term, found in parents.term2parents.items() for one in found)
    print(
        json.dumps(
            {"seconds": seconds, "pairs": pairs, "version": importlib.metadata.version("jate")}
        )
    )
