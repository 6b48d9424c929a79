"""Errors of executors as errors of termnest.

Spark reports an exception of a Python worker as the text of its traceback, in an exception of its
own that fills pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from termnest import errors
from termnest.errors import FileAccessError, MissingExtraError, TermnestError

# The last line of a Python traceback, somewhere in Spark's message.
_TERMNEST_ERROR = re.compile(r"^termnest\.errors\.(\w+): (.+)$", re.MULTILINE)
_NO_TERMNEST = re.compile(r"^ModuleNotFoundError: No module named 'termnest", re.MULTILINE)


@contextmanager
def errors_of_executors() -> Iterator[None]:
    """Raises a termnest error of an executor on the driver, with its class and message."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        found = termnest_error(error)
        if found is None:
            raise
        raise found from None


@contextmanager
def in_one_sentence(action: str) -> Iterator[None]:
    """Raises any error of Spark as one sentence: "cannot ACTION: ..."."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        found = termnest_error(error)
        if found is not None:
            raise found from error
        message = str(error)
        if isinstance(error, Py4JJavaError):
            # Its own first line names the call only.
            cause = error.java_exception
            while cause.getCause() is not None:
                cause = cause.getCause()
            message = str(cause.toString())
        first = next((line for line in message.splitlines() if line.strip()), "")
        raise FileAccessError(
            f"cannot {action}: {first.strip()} (--spark-log ERROR shows more)"
        ) from error


def termnest_error(error: Exception) -> TermnestError | None:
    """The error of termnest that Spark's exception quotes, if it quotes one."""
    found = _TERMNEST_ERROR.search(str(error))
    if found is None:
        if _NO_TERMNEST.search(str(error)) is None:
            return None
        return MissingExtraError(
            "the Python of the executors has no termnest: install it there, or set PYSPARK_PYTHON "
            "to a Python that has it"
        )
    error_class = getattr(errors, found[1], TermnestError)
    if not issubclass(error_class, TermnestError):
        return None
    made: TermnestError = error_class(found[2])
    return made
