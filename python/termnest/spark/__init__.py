"""Containment on Apache Spark: vocabularies that no machine holds, and queries by the billion.

It needs the extra `spark` (`pip install 'termnest[spark]'`), Java 17 or newer on the driver and the
executors, and termnest on the executors too.

    from termnest.spark import containment_pairs

    pairs = containment_pairs(spark.read.parquet("vocabulary"), term="phrase", lowercase=True)
    pairs.write.parquet("pairs")

`python -m termnest.spark pairs IN OUT` does that from the command line.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from termnest.spark.pairs import containment_pairs, containment_scores
    from termnest.spark.queries import find, nested_terms, super_terms

__all__ = ["containment_pairs", "containment_scores", "find", "nested_terms", "super_terms"]


def __getattr__(name: str) -> Any:
    # When they are asked for: the command can then say in a sentence what is not installed.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from termnest.spark.session import check_packages

    check_packages()
    from termnest.spark import pairs, queries

    return getattr(pairs if name.startswith("containment") else queries, name)
