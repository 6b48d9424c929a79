"""Servers and a browser that all tests of the page share."""

import os
import shutil
import urllib.parse
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from serving.page.reader import HOSTILE, RUNNING, WEIGHTS, Reader, Serve, Served, start_server
from serving.process import Process
from termnest import TermIndex

CHROMIUM = (
    os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
)

# Set before a release, where these tests must run.
NEVER_SKIP = bool(os.environ.get("TERMNEST_NEVER_SKIP"))


@pytest.fixture(scope="package")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Serves an index until the tests of this folder have run."""
    servers: list[Process] = []

    def start(index: TermIndex, *options: str, **environment: str) -> Served:
        path = tmp_path_factory.mktemp("served") / "index.nest"
        index.save(path)
        servers.append(start_server(path, *options, **environment))
        return Served(index, servers[-1].url)

    yield start
    # All servers end at the same time.
    for server in servers:
        server.process.terminate()
    for server in servers:
        server.end()


@pytest.fixture(scope="package")
def medical(serve: Serve) -> Served:
    return serve(TermIndex(WEIGHTS, weights=list(WEIGHTS.values()), lowercase=True))


@pytest.fixture(scope="package")
def huge(serve: Serve) -> Served:
    return serve(TermIndex(RUNNING))


@pytest.fixture(scope="package")
def hostile(serve: Serve) -> Served:
    return serve(TermIndex(HOSTILE))


@pytest.fixture(scope="package")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A vocabulary on a server with low limits."""
    terms = ["cell", *(f"w{i:02d} cell" for i in range(12)), "cell w00", "cell w01"]
    program = f"""
import uvicorn
from termnest import TermIndex
from termnest.server import Settings, create_app

settings = Settings(max_page=5, max_batch=3, max_batch_results=4)
uvicorn.run(create_app(TermIndex({terms}), settings), port=0)
"""
    path = tmp_path_factory.mktemp("strict") / "strict.py"
    path.write_text(program)
    server = Process([str(path)], "running on")
    yield Served(TermIndex(terms), server.url)
    server.end()


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        message = "the page is tested in Chromium: apt-get install chromium, or set CHROMIUM"
        if NEVER_SKIP:
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        # Chromium has no sandbox for root.
        root = hasattr(os, "geteuid") and os.geteuid() == 0
        started = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"] if root else []
        )
        yield started
        started.close()


@pytest.fixture
def reader(browser: Browser) -> Iterator[Reader]:
    """A reader. The test fails if anything goes wrong or another host is asked."""
    reader = Reader(browser)
    yield reader
    reader.close()
    assert reader.wrong == []
    hosts = {urllib.parse.urlsplit(url).hostname for url in reader.requests}
    assert hosts == {"127.0.0.1"}
