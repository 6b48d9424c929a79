"""The tables of the paper, measured anew: what `termnest reproduce` does."""

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
