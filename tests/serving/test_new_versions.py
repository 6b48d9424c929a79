"""A server switches to new versions of its index."""

import http.client
import json
import signal
import threading
import time
from pathlib import Path

import pytest

from serving.client import COMPANIES, Client
from serving.process import served, wait_until_healthy
from termnest import TermIndex
from termnest.server import Settings, create_app


def test_a_version_saved_between_opening_and_serving_is_noticed(nest: Path) -> None:
    index = TermIndex.open(nest)
    TermIndex([*COMPANIES, "google inc"]).save(nest)
    client = Client(create_app(index, Settings(reload=True)))
    end = time.monotonic() + 30
    while client.json("/v1/super", term="google")["total"] != 3:
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize("how", ["--reload", "SIGHUP"])
def test_a_new_version_replaces_the_old_one_and_no_request_is_lost(nest: Path, how: str) -> None:
    options = ("--reload",) if how == "--reload" else ()
    with served(nest, "--workers", "2", *options) as process:
        wait_until_healthy(process)
        first = process.get("/v1/info")[1]["checksum"]
        totals: list[int] = []
        done = threading.Event()

        def ask() -> None:
            connection = http.client.HTTPConnection("127.0.0.1", process.port, timeout=30)
            while not done.is_set():
                connection.request("GET", "/v1/super?term=google")
                answer = connection.getresponse()
                totals.append(json.loads(answer.read())["total"] if answer.status == 200 else -1)
            connection.close()

        askers = [threading.Thread(target=ask) for _ in range(8)]
        for asker in askers:
            asker.start()
        TermIndex([*COMPANIES, "google inc"]).save(nest)
        if how == "SIGHUP":
            process.process.send_signal(signal.SIGHUP)
        process.wait_for("now serving a new version", times=2)
        before = len(totals)
        while len(totals) < before + 100:
            time.sleep(0.01)
        done.set()
        for asker in askers:
            asker.join()
        assert set(totals) <= {2, 3}
        assert totals[-1] == 3
        assert process.get("/v1/info")[1]["checksum"] != first


def test_a_damaged_new_version_is_logged_and_not_served(nest: Path) -> None:
    new = nest.with_name("new")
    TermIndex([*COMPANIES, "google inc"]).save(new)
    content = new.read_bytes()
    cut = content[:-1]
    flipped = content[:-70] + bytes([content[-70] ^ 1]) + content[-69:]
    with served(nest, "--reload", "--workers", "1") as process:
        wait_until_healthy(process)
        for number, damaged in enumerate([cut, flipped, b"google\n"], start=1):
            new.write_bytes(damaged)
            new.replace(nest)
            assert str(nest) in process.wait_for("so the old one is kept", times=number)
            assert process.get("/v1/super?term=google")[1]["total"] == 2
        new.write_bytes(content)
        new.replace(nest)
        process.wait_for("now serving a new version")
        assert process.get("/v1/super?term=google")[1]["total"] == 3
