"""Containment on Apache Spark: vocabularies that no machine holds, and queries by the billion.

It needs the extra `spark` (`pip install 'termnest[spark]'`), Java 17 or newer on the driver and the
executors, and termnest on the executors too.

    from termnest.spark import containment_pairs

    pairs = containment_pairs(spark.read.parquet("vocabulary"), term="phrase", lowercase=True)
    pairs.write.parquet("pairs")

`python -m termnest.spark pairs IN OUT` does that from the command line.
"""

from termnest.spark.session import check_packages

check_packages()

from termnest.spark.pairs import containment_pairs, containment_scores  # noqa: E402
from termnest.spark.queries import find, nested_terms, super_terms  # noqa: E402

__all__ = ["containment_pairs", "containment_scores", "find", "nested_terms", "super_terms"]
