"""Fixtures of the server's tests."""

from pathlib import Path

import pytest

from serving.client import COMPANIES, Client, client_of
from termnest import TermIndex


@pytest.fixture
def client() -> Client:
    return client_of(COMPANIES)


@pytest.fixture
def nest(tmp_path: Path) -> Path:
    """A saved index."""
    path = tmp_path / "terms.nest"
    TermIndex(COMPANIES).save(path)
    return path
