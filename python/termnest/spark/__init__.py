"""Containment on Apache Spark: vocabularies that no machine holds, and queries by the billion.

It needs the extra `spark` (`pip install 'termnest[spark]'`) and Java 17 on the driver, and termnest
on the executors too.

    from termnest.spark import containment_pairs

    pairs = containment_pairs(spark.read.parquet("vocabulary"), term="phrase", lowercase=True)
    pairs.write.parquet("pairs")
"""

from termnest.spark.session import check_packages

check_packages()

from termnest.spark.pairs import containment_pairs, containment_scores  # noqa: E402

__all__ = ["containment_pairs", "containment_scores"]
