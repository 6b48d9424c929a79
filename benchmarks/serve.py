"""The server under load: answers per second, latency, memory, the time to start.

    python benchmarks/serve.py w2v.txt --separator _
    python benchmarks/serve.py w2v.nest --siege

Server and load share the machine. The load comes from wrk if it is installed, or else from a client
of our own, which needs more CPU time than wrk. With --siege, the load is measured again beside ten
thousand silent connections, about a thousand slow ones, and slowhttptest if it is installed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import http.client
import json
import random
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from report import COLUMNS, Row, facts, write_csv
from termnest import TermIndex
from vocabulary import synthetic

# Connections of the load, and phrases of a batch.
CONNECTIONS = 64
PHRASES = 1_000
# Connections of the siege: without a request, with unfinished headers, with unfinished bodies.
SILENT, SLOW_HEADS, SLOW_BODIES = 10_000, 1_000, 200

_LUA = """
local requests, n = {}, 0
function init(args)
  for line in io.lines("%s") do
    n = n + 1
    requests[n] = %s
  end
  math.randomseed(%d)
end
function request() return requests[math.random(n)] end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    '\\nFIGURES {"requests": %%d, "seconds": %%f, "p50": %%f, "p99": %%f, "errors": %%d}\\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, e.connect + e.read + e.write + e.status + e.timeout))
end
"""
_GET = 'wrk.format("GET", line)'
_POST = 'wrk.format("POST", "/v1/batch", {["Content-Type"] = "application/json"}, line)'


def say(line: str) -> None:
    """Reports progress."""
    print(line, file=sys.stderr, flush=True)


@dataclass
class Load:
    """The results of a load; p50 and p99 are in milliseconds."""

    requests: int
    seconds: float
    p50: float
    p99: float
    errors: int

    @property
    def rate(self) -> float:
        """Answers per second."""
        return self.requests / self.seconds


class Server:
    """`termnest serve` as a process."""

    def __init__(self, index: Path, *options: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        began = time.perf_counter()
        command = [sys.executable, "-m", "termnest", "serve", str(index), "--port", str(self.port)]
        self.process = subprocess.Popen([*command, *options], stderr=subprocess.DEVNULL)
        while not self.answers():
            time.sleep(0.005)
        self.start_seconds = time.perf_counter() - began

    def answers(self) -> bool:
        """Whether the server answers a question."""
        if self.process.poll() is not None:
            sys.exit("the server ended by itself: run `termnest serve` by hand to see why")
        with contextlib.suppress(OSError):
            return self.get("/v1/super?term=a&limit=10")[0] == 200
        return False

    def get(self, path: str) -> tuple[int, bytes]:
        """The status and the body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def memory(self) -> int:
        """The memory of all processes of the server in bytes; shared memory counts once."""
        total, processes = 0, [self.process.pid]
        while processes:
            process = processes.pop()
            with contextlib.suppress(OSError):
                children = Path(f"/proc/{process}/task/{process}/children").read_text()
                processes += map(int, children.split())
                rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
                found = re.search(r"^Pss: +(\d+) kB", rollup, re.MULTILINE)
                total += int(found[1]) * 1024 if found else 0
        return total

    def end(self) -> None:
        """Ends the server."""
        self.process.terminate()
        self.process.wait(30)


def with_wrk(port: int, lines: list[str], post: bool, connections: int, seconds: float) -> Load:
    """A load from wrk; each line is the address or the body of a request."""
    with tempfile.TemporaryDirectory() as folder:
        source, script = Path(folder, "lines"), Path(folder, "script.lua")
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        script.write_text(_LUA % (source, _POST if post else _GET, random.randrange(10**6)))
        ran = subprocess.run(
            [
                *("wrk", "-t1", f"-c{connections}", f"-d{seconds:.0f}s", "-s", str(script)),
                f"http://127.0.0.1:{port}",
            ],
            capture_output=True,
            text=True,
            check=True,
        )
    return Load(**json.loads(ran.stdout.partition("FIGURES")[2]))


def with_own_client(
    port: int, lines: list[str], post: bool, connections: int, seconds: float
) -> Load:
    """The same load from our own client, in this process."""
    times: list[float] = []
    errors = 0
    end = time.perf_counter() + seconds

    async def ask() -> None:
        nonlocal errors
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while time.perf_counter() < end:
            line = random.choice(lines)
            head, body = f"GET {line} HTTP/1.1\r\nHost: localhost\r\n", b""
            if post:
                body = line.encode()
                head = "POST /v1/batch HTTP/1.1\r\nHost: localhost\r\n"
                head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            began = time.perf_counter()
            writer.write(head.encode() + b"\r\n" + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", answer)
            await reader.readexactly(int(length[1]) if length else 0)
            times.append((time.perf_counter() - began) * 1e3)
            errors += not answer.startswith(b"HTTP/1.1 200")
        writer.close()

    async def ask_all() -> None:
        await asyncio.gather(*(ask() for _ in range(connections)))

    began = time.perf_counter()
    asyncio.run(ask_all())
    cuts = statistics.quantiles(times, n=100)
    return Load(len(times), time.perf_counter() - began, cuts[49], cuts[98], errors)


@dataclass
class Run:
    """One run: the index, the load, the rows so far."""

    index: Path
    seconds: float
    rows: list[Row] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.wrk = shutil.which("wrk") is not None
        self.client = "wrk" if self.wrk else "our own client"
        self.load = with_wrk if self.wrk else with_own_client
        opened = TermIndex.open(self.index)
        choice = random.Random(1)
        self.terms = [opened[choice.randrange(len(opened))] for _ in range(100_000)]
        self.opened = opened

    def row(self, task: str, value: float, unit: str, asked: str = "", notes: str = "") -> None:
        """Adds a row and prints it."""
        row = Row(task, "termnest serve", value, unit, asked=asked, notes=notes)
        self.rows.append(row)
        say(f"{task:46} {value:12,.1f} {unit:12} {asked:12} {row.met:4} {notes}")

    def singles(self) -> list[str]:
        """The addresses of single questions."""
        return [f"/v1/super?limit=10&term={quote(term)}" for term in self.terms]

    def check(self, server: Server) -> None:
        """Compares answers with those of the index: a fast wrong answer fails."""
        for term in self.terms[:300]:
            _, body = server.get(f"/v1/super?limit=10&term={quote(term)}")
            answer = json.loads(body)
            found = [hit["term"] for hit in answer["results"]]
            if found != self.opened.super_terms(term, limit=10):
                sys.exit(f"the server's answer for {term!r} differs from the index's")
            if answer["total"] != self.opened.count_super_terms(term):
                sys.exit(f"the server's total for {term!r} differs from the index's")

    def figures(self, server: Server) -> None:
        """Measures the server without a siege."""
        started = min(server.start_seconds, *(self.start_again() for _ in range(2)))
        self.row("start to the first answer", started, "s", "<= 1")
        single = self.load(server.port, self.singles(), False, CONNECTIONS, self.seconds)
        notes = f"{CONNECTIONS} connections, {self.client}; {single.errors} errors"
        self.row("/v1/super?limit=10", single.rate, "answers/s", ">= 4000", notes)
        self.row("/v1/super?limit=10, 99 %", single.p99, "ms", "<= 50", notes)
        bodies = [
            json.dumps({"ask": "super", "terms": random.sample(self.terms, PHRASES)})
            for _ in range(100)
        ]
        batch = self.load(server.port, bodies, True, 4, self.seconds)
        notes = f"4 connections, {self.client}; {batch.errors} errors"
        rate = batch.rate * PHRASES
        self.row(f"/v1/batch of {PHRASES:,}", rate, "phrases/s", ">= 500000", notes)
        beyond = server.memory() - self.index.stat().st_size
        self.row("memory beyond the index", beyond / 1e6, "MB", "<= 150", "after the load")
        if single.errors or batch.errors:
            sys.exit("some requests were not answered")

    def start_again(self) -> float:
        """The time that another server takes to start."""
        server = Server(self.index)
        server.end()
        return server.start_seconds

    def siege(self, server: Server) -> None:
        """Measures the server beside silent, slow and hostile connections."""
        with held(server.port, SILENT, b""):
            self.besieged(server, f"beside {SILENT:,} silent connections")
        head = b"GET /healthz HTTP/1.1\r\nHost: loc"
        with held(server.port, SLOW_HEADS, head):
            self.besieged(server, f"beside {SLOW_HEADS:,} unfinished heads")
        body = (
            b"POST /v1/find HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 1000000\r\n\r\n{"
        )
        with held(server.port, SLOW_BODIES, body):
            self.besieged(server, f"beside {SLOW_BODIES:,} unfinished bodies")
        if shutil.which("slowhttptest") is None:
            say("slowhttptest is not installed: its attacks are left out")
            return
        for kind, name in (("-H", "heads"), ("-B", "bodies")):
            url = f"http://127.0.0.1:{server.port}/v1/find"
            attack = subprocess.Popen(
                [
                    *("slowhttptest", kind, "-c", "4000", "-r", "1000", "-i", "5", "-l", "60"),
                    *("-u", url, "-t", "POST" if kind == "-B" else "GET"),
                    *("-f", "application/json"),
                ],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(4)
            self.besieged(server, f"beside slowhttptest, slow {name}")
            attack.terminate()
            attack.wait()

    def besieged(self, server: Server, how: str) -> None:
        """Measures the load during a siege."""
        load = self.load(server.port, self.singles(), False, CONNECTIONS, self.seconds)
        notes = f"{how}; {load.errors} errors; 99 % within {load.p99:.1f} ms"
        self.row("/v1/super?limit=10 under siege", load.rate, "answers/s", "", notes)
        if load.errors:
            sys.exit("some requests were not answered")


@contextlib.contextmanager
def held(port: int, count: int, sent: bytes) -> Iterator[None]:
    """Open connections that have sent these bytes and send no more."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    sockets = []
    try:
        for _ in range(count):
            connection = socket.create_connection(("127.0.0.1", port))
            connection.sendall(sent)
            sockets.append(connection)
        yield
    finally:
        for connection in sockets:
            connection.close()


def main() -> None:
    """Measures, prints and writes the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("vocabulary", type=Path, nargs="?", help="a vocabulary or an index")
    parser.add_argument("--separator", help="what separates the words of the vocabulary")
    parser.add_argument("--workers", type=int, help="processes of the server")
    parser.add_argument("--seconds", type=float, default=10, help="how long each load lasts")
    parser.add_argument("--siege", action="store_true", help="attack the server as well")
    parser.add_argument("--out", type=Path, default=Path("target/bench"), help="the folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        index = options.vocabulary
        if index is None:
            say("making a synthetic vocabulary of 1,000,000 terms")
            index = Path(folder, "synthetic.txt")
            synthetic(1_000_000).write(index)
        if index.suffix != ".nest":
            built = TermIndex.from_file(index, tokenizer="whitespace", separator=options.separator)
            index = Path(folder, "index.nest")
            built.save(index)
        run = Run(index, options.seconds)
        workers = ("--workers", str(options.workers)) if options.workers else ()
        # The connections of the siege must not time out.
        limits = ("--head-seconds", "3600", "--body-seconds", "3600") if options.siege else ()
        server = Server(index, *workers, *limits)
        try:
            run.check(server)
            run.figures(server)
            if options.siege:
                run.siege(server)
        finally:
            server.end()
    options.out.mkdir(parents=True, exist_ok=True)
    about = facts(sys.argv, {"client": run.client})
    write_csv(options.out / "serve.csv", COLUMNS, [row.cells() for row in run.rows], about)


if __name__ == "__main__":
    main()
