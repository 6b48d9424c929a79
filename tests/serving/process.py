"""Runs a server as a process, and asks it over HTTP."""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


class Process:
    """A server as a process, and the lines of its log."""

    def __init__(self, command: list[str], wait_for: str, **environment: str) -> None:
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, *command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
            start_new_session=True,
        )
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        found = self.wait_for(wait_for)
        self.port = int(re.search(r":(\d+)", found)[1])  # type: ignore[index]
        self.url = f"http://127.0.0.1:{self.port}/"

    def _read(self) -> None:
        assert self.process.stderr is not None
        self.lines += iter(self.process.stderr.readline, "")

    def wait_for(self, text: str, times: int = 1) -> str:
        """Waits until `times` lines of the log contain this text, and returns the first."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            found = [line for line in list(self.lines) if text in line]
            if len(found) >= times:
                return found[0]
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        pytest.fail(f"the server did not say {text!r} but {self.lines}")

    def request(
        self, method: str, path: str, body: str | None = None, **headers: str
    ) -> tuple[int, Any, dict[str, str]]:
        """The status, the parsed JSON and the headers of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read()), dict(answer.getheaders())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> tuple[int, Any]:
        return self.request("GET", path, **headers)[:2]

    def socket(self, sent: bytes) -> socket.socket:
        """A connection on which these bytes were sent."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        connection.sendall(sent)
        return connection

    def end(self) -> int:
        self.process.terminate()
        try:
            return self.process.wait(30)
        finally:
            # The workers are in the same process group.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.reader.join()
            assert self.process.stderr is not None
            self.process.stderr.close()


def read_all(connection: socket.socket) -> bytes:
    """The bytes that arrive until the other side closes the connection."""
    with connection:
        parts = []
        while part := connection.recv(65_536):
            parts.append(part)
        return b"".join(parts)


@contextlib.contextmanager
def served(*arguments: str | Path, **environment: str) -> Iterator[Process]:
    """Runs `termnest serve` on a free port. It must end with code 0 and without a traceback."""
    command = ["-m", "termnest", "serve", *map(str, arguments), "--port", "0"]
    server = Process(command, "serving", **environment)
    try:
        yield server
    finally:
        code = server.end()
    assert code == 0
    assert not any("Traceback" in line for line in server.lines)


def wait_until_healthy(process: Process) -> None:
    """Waits until a worker answers, which is a moment after the log has the address."""
    end = time.monotonic() + 30
    while True:
        try:
            assert process.get("/healthz")[0] == 200
            return
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.02)


def workers_of(process: Process) -> list[int]:
    """The worker processes of a server."""
    children = Path(f"/proc/{process.process.pid}/task/{process.process.pid}/children")
    return [int(child) for child in children.read_text().split()]
