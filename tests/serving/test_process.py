"""`termnest serve` as a process: connections, workers, log, and mistakes on the command line."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from serving.client import COMPANIES, TOKEN
from serving.process import Process, read_all, served, wait_until_healthy, workers_of
from termnest.cli import main

UVICORN = """
import socket, sys, uvicorn
from termnest import TermIndex
from termnest.server import Settings, create_app

app = create_app(TermIndex.open(sys.argv[1]), Settings(body_seconds=0.5, max_body=1000))
uvicorn.run(app, port=0, log_level="info")
"""


@pytest.mark.parametrize("server", ["granian", "uvicorn"])
def test_granian_and_uvicorn_answer_and_keep_the_limits(server: str, nest: Path) -> None:
    if server == "granian":
        context: Any = served(nest, "--body-seconds", "0.5", "--max-body", "1000")
    else:
        context = contextlib.closing(Process(["-c", UVICORN, str(nest)], "running on"))
        context.thing.close = context.thing.end
    with context as process:
        wait_until_healthy(process)
        status, answer, headers = process.request("GET", "/v1/super?term=google")
        assert (status, answer["total"]) == (200, 2)
        assert headers["content-type"] == "application/json"
        assert "content-security-policy" in headers
        assert process.get("/v1/super?term=caf%C3%A9")[1]["term"] == "café"
        body = json.dumps({"text": "google llc"})
        status, answer, _ = process.request(
            "POST", "/v1/find", body, **{"content-type": "application/json"}
        )
        assert (status, answer["total"]) == (200, 3)
        assert process.get("/nothing")[0] == 404
        assert process.get("/healthz", host="evil.example")[0] == 421
        head = b"POST /v1/find HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        cases = {
            b"Content-Length: 1001\r\n\r\n": b" 413 ",
            b"Transfer-Encoding: chunked\r\n\r\n" + b"100\r\n" + b"a" * 256: b" 408 ",
            b"Transfer-Encoding: chunked\r\n\r\n" + b"3ea\r\n" + b"a" * 1002 + b"\r\n": b" 413 ",
            b"Content-Length: 1000\r\n\r\n{": b" 408 ",
        }
        for sent, status_line in cases.items():
            answered = read_all(process.socket(head + sent))
            assert status_line in answered.partition(b"\r\n")[0], sent
            assert b"application/problem+json" in answered


def test_connections_with_slow_headers_are_closed_while_others_are_answered(nest: Path) -> None:
    with served(nest, "--head-seconds", "0.5", "--workers", "1") as process:
        wait_until_healthy(process)
        heads = [b"", b"GET /healthz HTTP/1.1\r\nHost: loc"] * 100
        slow = [process.socket(head) for head in heads]
        for _ in range(20):
            assert process.get("/v1/super?term=google")[1]["total"] == 2
        for connection in slow:
            assert read_all(connection) == b""
        assert process.get("/healthz")[0] == 200


def test_more_connections_than_allowed_wait_for_their_turn(nest: Path) -> None:
    options = ("--max-connections", "4", "--head-seconds", "60", "--workers", "1")
    with served(nest, *options) as process:
        wait_until_healthy(process)
        silent = [process.socket(b"") for _ in range(4)]
        asked = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        with process.socket(asked) as waiting:
            waiting.settimeout(1)
            with pytest.raises(TimeoutError):
                waiting.recv(1)
            silent.pop().close()
            waiting.settimeout(30)
            assert read_all(waiting).startswith(b"HTTP/1.1 200 ")
        for connection in silent:
            connection.close()


def test_a_request_cannot_forge_a_line_of_the_access_log(nest: Path) -> None:
    with served(nest, "--access-log", "--workers", "1") as process:
        wait_until_healthy(process)
        assert process.get("/a%0Aforged%1B%5B31m%C2%85%E2%80%AE")[0] == 404
        assert r"/a\nforged\x1b[31m\x85\u202e" in process.wait_for("forged")


def test_headers_are_limited(nest: Path) -> None:
    with served(nest, "--workers", "1") as process:
        wait_until_healthy(process)

        def status(size: int) -> bytes:
            head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            try:
                connection = process.socket(head + b"X: " + b"a" * size + b"\r\n\r\n")
                return read_all(connection)[9:12]
            except ConnectionError:
                # The server closes the connection before all is sent; the answer may be lost.
                return b"431"

        assert (status(50_000), status(200_000)) == (b"200", b"431")


def wait_for_metric(process: Process, line: bytes) -> None:
    """Returns when the metrics have a line: a request is counted just after it is answered."""
    end = time.monotonic() + 30
    request = b"GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n"
    while line not in (metrics := read_all(process.socket(request))):
        assert time.monotonic() < end, metrics
        time.sleep(0.05)


@pytest.mark.skipif(sys.platform != "linux", reason="the workers are looked up in /proc")
def test_a_dead_worker_is_replaced_and_its_metrics_are_kept(nest: Path) -> None:
    with served(nest, "--workers", "1") as process:
        wait_until_healthy(process)
        assert process.get("/v1/super?term=google")[1]["total"] == 2
        count = b'termnest_requests_total{route="/v1/super",status="200"} %d\n'
        wait_for_metric(process, count % 1)
        (worker,) = workers_of(process)
        os.kill(worker, signal.SIGKILL)
        process.wait_for("Unexpected exit")
        wait_until_healthy(process)
        assert process.get("/v1/super?term=google")[1]["total"] == 2
        assert worker not in workers_of(process)
        wait_for_metric(process, count % 2)


@pytest.mark.skipif(sys.platform != "linux", reason="the workers are looked up in /proc")
def test_a_server_whose_workers_keep_dying_fails(nest: Path) -> None:
    command = ["-m", "termnest", "serve", str(nest), "--workers", "1", "--port", "0"]
    process = Process(command, "serving")
    try:
        end = time.monotonic() + 30
        while process.process.poll() is None:
            assert time.monotonic() < end
            with contextlib.suppress(OSError):
                for worker in workers_of(process):
                    os.kill(worker, signal.SIGKILL)
            time.sleep(0.05)
        assert process.process.returncode == 1
    finally:
        process.end()


def test_several_workers_serve_a_plain_vocabulary_and_share_their_metrics(tmp_path: Path) -> None:
    (tmp_path / "terms.txt").write_text("\n".join(COMPANIES))
    with served(tmp_path / "terms.txt", "--lowercase", "--workers", "2") as process:
        wait_until_healthy(process)
        for _ in range(40):
            assert process.get("/v1/super?term=GOOGLE")[1]["total"] == 2
        # One worker answers this, and it reports the sum of all workers.
        wait_for_metric(process, b'termnest_requests_total{route="/v1/super",status="200"} 40\n')


def test_the_token_comes_from_a_file_or_the_environment(nest: Path) -> None:
    token_file = nest.with_name("token")
    token_file.write_text(f"{TOKEN}\n")
    token_file.chmod(0o600)
    for options, environment in [
        (("--token-file", token_file), {}),
        ((), {"TERMNEST_TOKEN": TOKEN}),
    ]:
        with served(nest, "--access-log", *options, **environment) as process:
            wait_until_healthy(process)
            assert process.get("/v1/info")[0] == 401
            assert process.get("/v1/info", authorization=f"Bearer {TOKEN}")[0] == 200
            process.wait_for("/v1/info")
        assert TOKEN not in "".join(process.lines)


def test_mistakes_are_reported_in_a_sentence_before_the_server_starts(
    nest: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def start(*_: Any, **__: Any) -> None:
        pytest.fail("the server started")

    monkeypatch.setattr("termnest.server.run._Server", start)

    def refused(*arguments: str | Path, **environment: str) -> tuple[int, str]:
        """The exit code and the message."""
        with monkeypatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            code = main(["serve", *map(str, arguments)])
        written = capsys.readouterr()
        assert written.out == ""
        assert "Traceback" not in written.err
        return code, written.err

    folder = nest.parent
    damaged = folder / "damaged.nest"
    content = nest.read_bytes()
    damaged.write_bytes(content[:-1])
    changed = folder / "changed.nest"
    changed.write_bytes(content[:-70] + bytes([content[-70] ^ 1]) + content[-69:])
    vocabulary = folder / "terms.txt"
    vocabulary.write_text("google\n")
    token = folder / "token"
    token.write_text("secret")
    token.chmod(0o644)
    empty = folder / "empty"
    empty.write_text(" \n")
    empty.chmod(0o600)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        cases = [
            (refused(folder / "none.nest"), 2, "there is no file"),
            (refused(damaged), 3, "damaged"),
            (refused(changed, "--port", "0"), 3, str(changed)),
            (refused(nest, "--port", port), 2, "another program uses this port"),
            (refused(nest, "--port", "0", "--token-file", token), 2, "chmod 600"),
            (
                refused(nest, "--port", "0", "--token-file", empty),
                2,
                "does not contain a usable token",
            ),
            (refused(nest, "--port", "0", "--token-file", folder / "none"), 2, "cannot read"),
            (refused(nest, "--port", "0", "--host", "0.0.0.0"), 2, "--token-file"),
            (
                refused(nest, "--host", "192.0.2.1", TERMNEST_TOKEN="x"),
                2,
                "does not have this address",
            ),
            (refused(nest, "--host", "no.such.invalid", TERMNEST_TOKEN="x"), 2, "no.such.invalid"),
            (refused(nest, TERMNEST_TOKEN="with space"), 2, "does not contain a usable token"),
            (refused(vocabulary, "--reload"), 2, "termnest build"),
            (refused(nest, "--lowercase"), 2, "--lowercase"),
            (refused(nest, "--port", "99999"), 2, "--port"),
        ]
    for (code, message), expected, words in cases:
        assert (code, words in message) == (expected, True), message
        assert "secret" not in message


@pytest.mark.parametrize("package", ["fastapi", "granian"])
def test_without_the_extra_the_command_says_how_to_install_it(nest: Path, package: str) -> None:
    program = (
        f"import sys; sys.modules['{package}'] = None\n"
        "from termnest.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, "serve", str(nest)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == (
        f"termnest: the server needs {package}, which is not installed: "
        "pip install 'termnest[server]'\n"
    )
