"""The folder that the command writes: whole or not at all."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from termnest.errors import FileAccessError, InvalidOptionError
from termnest.spark.executor_errors import in_one_sentence

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# These stores cannot rename a folder in one step: they would copy it, file by file.
_OBJECT_STORES = {"s3", "s3a", "s3n", "gs", "wasb", "wasbs", "oss", "cos", "cosn", "obs"}


class OutputFolder:
    """A folder on any file system that Spark knows.

    Raises:
        InvalidOptionError: The path has no name.
        FileAccessError: Spark does not know the file system, or cannot use it.
    """

    def __init__(self, spark: SparkSession, path: str) -> None:
        context = spark.sparkContext
        jvm: Any = context._jvm
        self.name = path.rstrip("/")
        self._path_class = jvm.org.apache.hadoop.fs.Path
        if not self.name:
            raise InvalidOptionError(f"{path!r} cannot be written: give the name of a folder")
        with in_one_sentence(f"write {path}"):
            self._path = self._path_class(self.name)
            self._system = self._path.getFileSystem(context._jsc.hadoopConfiguration())
        self._scheme = self._system.getUri().getScheme()

    def exists(self) -> bool:
        """Whether there is a file or folder of this name."""
        with in_one_sentence(f"write {self.name}"):
            return bool(self._system.exists(self._path))

    @contextmanager
    def replaced(self, overwrite: bool) -> Iterator[str]:
        """Gives the path to write to, and renames it to this folder afterwards.

        The old folder is removed after that. If the writing fails, the new one is removed.
        """
        if self._scheme in _OBJECT_STORES:
            path = self.name
        else:
            parent, _, last = self.name.rpartition("/")
            path = f"{parent}/" if parent or self.name.startswith("/") else ""
            path += f".termnest-{uuid.uuid4().hex}-{last}"
        new = self._path_class(path)
        try:
            yield path
            if path != self.name:
                self._rename(new, self._path_class(f"{path}-before"), overwrite)
        except BaseException:
            self._system.delete(new, True)
            raise

    def _rename(self, new: Any, aside: Any, overwrite: bool) -> None:
        """Renames a folder to this one. The old one is moved aside, and deleted at the end."""
        exists = self.exists()
        if exists and not overwrite:
            raise FileAccessError(f"cannot write {self.name}: it was created in the meantime")
        if exists and not self._system.rename(self._path, aside):
            raise FileAccessError(f"cannot replace {self.name}: it cannot be renamed")
        if not self._system.rename(new, self._path):
            restored = exists and self._system.rename(aside, self._path)
            lost = exists and not restored
            where = f"; the old folder is now {aside.toString()}" if lost else ""
            raise FileAccessError(f"cannot rename {new.toString()} to {self.name}{where}")
        if exists:
            self._system.delete(aside, True)
