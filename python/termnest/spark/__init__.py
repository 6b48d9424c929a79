"""Containment on Apache Spark: for vocabularies too large for one machine, and for many queries.

It needs the extra `spark` (`pip install 'termnest[spark]'`), Java 17 or newer on the driver and the
executors, and termnest on the executors too.

    from termnest.spark import containment_pairs

    pairs = containment_pairs(spark.read.parquet("vocabulary"), term="phrase", lowercase=True)
    pairs.write.parquet("pairs")

`python -m termnest.spark pairs IN OUT` does the same from the command line.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from termnest.spark.pairs import containment_pairs
    from termnest.spark.queries import find, nested_terms, super_terms
    from termnest.spark.scores import containment_scores

__all__ = ["containment_pairs", "containment_scores", "find", "nested_terms", "super_terms"]

_MODULES = {"containment_pairs": "pairs", "containment_scores": "scores"}


def __getattr__(name: str) -> Any:
    # Imported at first use, so that the command can say in a sentence what is not installed.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from termnest.spark.session import check_packages

    check_packages()
    return getattr(import_module(f"termnest.spark.{_MODULES.get(name, 'queries')}"), name)
