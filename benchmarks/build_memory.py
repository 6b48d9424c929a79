"""The peak memory of one build from a file, in a process that does nothing else.

    python benchmarks/build_memory.py FILE [SEPARATOR]

Prints the bytes as JSON. The kernel's `VmHWM` is read, not `getrusage`: at an exec, Linux carries
the peak of the calling process over into `ru_maxrss`, and a benchmark that holds three million
terms would be measured with the build.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

from termnest import TermIndex


def resident(field: str) -> int:
    """A size of this process in bytes: VmRSS now, VmHWM at its peak."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:  # not Linux: the peak so far is used for both
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    line = next(line for line in status.splitlines() if line.startswith(field + ":"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    before = resident("VmRSS")
    separator = sys.argv[2] if sys.argv[2:] else None
    index = TermIndex.from_file(sys.argv[1], tokenizer="whitespace", separator=separator)
    print(json.dumps({"peak": resident("VmHWM") - before, "terms": len(index)}))
