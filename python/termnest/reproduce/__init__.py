"""The tables of the paper, measured again: `termnest reproduce`."""

from termnest.reproduce.measure import Result, parse_tables, reproduce
from termnest.reproduce.report import check_folder, markdown, write
from termnest.reproduce.vocabularies import Vocabulary, read, shipped

__all__ = [
    "Result",
    "Vocabulary",
    "check_folder",
    "markdown",
    "parse_tables",
    "read",
    "reproduce",
    "shipped",
    "write",
]
