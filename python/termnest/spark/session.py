"""The Spark that everything here runs on: its packages, the session, the context."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from termnest.errors import InvalidOptionError, MissingExtraError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_INSTALL = "pip install 'termnest[spark]'"


def check_packages() -> None:
    """Checks that the packages of the extra `spark` are installed.

    Raises:
        MissingExtraError: pyspark or pyarrow is not installed, or not in the right version.
    """
    for name in ("pyspark", "pyarrow"):
        try:
            package = importlib.import_module(name)
        except ImportError as error:
            raise MissingExtraError(
                f"termnest.spark needs {name}, which is not installed: {_INSTALL}"
            ) from error
        if name == "pyspark" and not re.match(r"4\.[1-9]", package.__version__):
            raise MissingExtraError(
                f"termnest.spark needs pyspark 4.1 or a later 4, and {package.__version__} is "
                f"installed: {_INSTALL}"
            )


@contextmanager
def command_session(log_level: str) -> Iterator[SparkSession]:
    """The session of the command: that of spark-submit, or a new one on this machine.

    Raises:
        InvalidOptionError: It is a session of Spark Connect.
        MissingExtraError: Java is missing.
    """
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession

    progress = "true" if sys.stderr.isatty() else "false"
    running = SparkSession.getActiveSession()
    builder = SparkSession.builder.appName("termnest pairs")
    builder = builder.config("spark.log.level", log_level)
    builder = builder.config("spark.ui.showConsoleProgress", progress)
    try:
        spark = builder.getOrCreate()
    except PySparkRuntimeError as error:
        if "JAVA" not in (error.getCondition() or ""):
            raise
        raise MissingExtraError(
            "Spark needs Java 17 or newer, and no Java could be started: install it, or set "
            "JAVA_HOME to its folder"
        ) from error
    try:
        if not hasattr(spark, "_jvm"):
            raise InvalidOptionError(
                "the command needs the virtual machine of Spark; this is a session of Spark "
                "Connect: unset SPARK_REMOTE, or call termnest.spark.containment_pairs instead"
            )
        yield spark
    finally:
        if running is None:
            spark.stop()
