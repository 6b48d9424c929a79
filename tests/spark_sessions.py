"""The sessions of the tests of termnest.spark, as fixtures."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def free_port() -> int:
    with socket.create_server(("localhost", 0)) as listening:
        port: int = listening.getsockname()[1]
    return port


PORT = free_port()


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    """A session with a Spark Connect server beside it: one virtual machine for all tests."""
    # The server of Spark Connect has no other way to know.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.plugins", "org.apache.spark.sql.connect.SparkConnectPlugin")
        .config("spark.connect.grpc.binding.port", PORT)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        # Queries of a few rows take longer to compile than to run.
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        # The virtual machine lives for a minute: it compiles fast, not well.
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.log.level", "OFF")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(scope="module")
def remote(spark: SparkSession) -> Iterator[SparkSession]:
    """A session of Spark Connect."""
    from pyspark.sql.connect.session import SparkSession as Remote

    session: Any = Remote.builder.remote(f"sc://localhost:{PORT}").create()
    yield session
    session.stop()


@pytest.fixture
def connect(remote: SparkSession, monkeypatch: pytest.MonkeyPatch) -> SparkSession:
    """A session of Spark Connect, as in a process that has no other one."""
    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    return remote


@pytest.fixture(params=["spark", "connect"])
def either(request: pytest.FixtureRequest) -> SparkSession:
    """Both kinds of sessions, one after the other."""
    session: SparkSession = request.getfixturevalue(request.param)
    return session
