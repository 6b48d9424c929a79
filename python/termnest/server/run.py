"""Runs the application with Granian: worker processes, signals, logging, the address."""

from __future__ import annotations

import contextlib
import errno
import gc
import logging
import multiprocessing
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from termnest.errors import InvalidOptionError, MissingExtraError
from termnest.index import TermIndex
from termnest.server.app import METERED, create_app
from termnest.server.heavy_queue import cores
from termnest.server.metrics import Metrics
from termnest.server.settings import Settings
from termnest.store import TermStore

try:
    from granian import Granian
    from granian.constants import HTTPModes, Interfaces
    from granian.http import HTTP1Settings
    from granian.log import LogLevels
except ModuleNotFoundError as error:
    raise MissingExtraError(
        f"the server needs {error.name}, which is not installed: pip install 'termnest[server]'"
    ) from error

# Connections that the system queues for the workers before it refuses more.
_BACKLOG = 4_096
# The most worker processes by default. Each takes about 35 MB beyond the index.
_DEFAULT_MAX_WORKERS = 4
# Seconds to wait for the first worker to listen, before the server goes on without reporting it.
_START_SECONDS = 60
# Seconds that running requests have to finish when the server is shut down.
_SHUTDOWN_SECONDS = 10
# Files and sockets that a process has open besides its connections: a worker had 24.
_OTHER_FILES = 64
# The size of Granian's buffer for the address and the headers of a request, in bytes. Longer ones
# are refused.
_HEAD_BYTES = 64 * 1024
# Granian would log to standard output.
_LOGGING: dict[str, Any] = {
    "formatters": {
        "message": {"format": "termnest: %(message)s"},
        "access": {"()": "termnest.server.run.OneLine", "format": "%(message)s"},
    },
    "handlers": {
        name: {"class": "logging.StreamHandler", "stream": "ext://sys.stderr", "formatter": name}
        for name in ("message", "access")
    },
    "loggers": {
        "_granian": {"handlers": ["message"], "propagate": False},
        "granian.access": {"handlers": ["access"], "level": "INFO", "propagate": False},
        "termnest.server": {"handlers": ["message"], "level": "INFO", "propagate": False},
    },
}


class OneLine(logging.Formatter):
    """Escapes unprintable characters: no request can forge a line of the log."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        return "".join(
            character
            if character.isprintable()
            else character.encode("unicode_escape", "surrogatepass").decode()
            for character in super().format(record)
        )


class _Server(Granian):  # type: ignore[misc, valid-type]
    """Granian, except that SIGHUP makes its workers look for a new index instead of replacing them.

    A worker that died is replaced. The loader is called with the number of the worker, and the
    replacement has the same number.
    """

    on_listening: Callable[[], object]

    def _spawn_worker(self, idx: int, target: Any, callback_loader: Callable[..., Any]) -> Any:
        return super()._spawn_worker(idx, target, partial(callback_loader, idx))

    def startup(self, *arguments: Any) -> None:
        super().startup(*arguments)
        # Granian reports that its workers have started, not that one of them listens.
        until = time.monotonic() + _START_SECONDS
        while time.monotonic() < until and not self.main_loop_interrupt.is_set():
            try:
                socket.create_connection((self.bind_addr, self.bind_port), timeout=1).close()
            except OSError:
                time.sleep(0.01)
            else:
                self.on_listening()
                return

    def signal_handler_reload(self, *_: Any, **__: Any) -> None:
        for worker in self.wrks:
            # A worker that has just died is being replaced.
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker.inner.pid, signal.SIGHUP)


def serve(
    index: TermIndex | TermStore,
    settings: Settings,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    workers: int | None = None,
    max_connections: int = 16_384,
    head_seconds: float = 10.0,
    access_log: bool = False,
    ready: Callable[[str], object] = lambda url: None,
) -> bool:
    """Serves an index until the process is asked to end; False if the workers died before that.

    Args:
        index: The index, or a store that was opened for reading.
        settings: What the server allows, and whom it answers.
        host: The address to listen at.
        port: The port; 0 for any free port.
        workers: The number of worker processes. They share the memory of the index. By default
            one per core, at most four.
        max_connections: The most open connections. Further ones wait.
        head_seconds: Seconds in which the headers of a request must arrive. A connection that is
            silent for longer is closed.
        access_log: Log each request.
        ready: Called with the server's URL when it listens.

    Raises:
        DamagedIndexError: The file of the index was cut or changed.
        InvalidOptionError: The server cannot listen at the address.
    """
    # No answer may come from a damaged file.
    index.check(checksums_only=True)
    workers = workers or min(cores(), _DEFAULT_MAX_WORKERS)
    address, port = _free_address(host, port)
    shown = f"[{address}]" if ":" in address else address
    max_connections = min(max_connections, _raise_file_limit() - _OTHER_FILES)
    context = multiprocessing.get_context(_start_method())
    # The metrics of all workers, so that any of them can report the sum.
    rows = context.RawArray("d", Metrics.row_size(METERED) * workers)
    server = _Server(
        "termnest",
        address=address,
        port=port,
        interface=Interfaces.ASGINL,
        workers=workers,
        http=HTTPModes.http1,
        websockets=False,
        backlog=_BACKLOG,
        backpressure=max(1, max_connections // workers),
        workers_kill_timeout=_SHUTDOWN_SECONDS,
        # Granian still ends the server when a replacement dies within seconds.
        respawn_failed_workers=True,
        http1_settings=HTTP1Settings(
            header_read_timeout=round(head_seconds * 1000), max_buffer_size=_HEAD_BYTES
        ),
        log_level=LogLevels.warning,
        log_dictconfig=_LOGGING,
        log_access=access_log,
    )
    server.on_listening = lambda: ready(f"http://{shown}:{port}/")
    try:
        server.serve(target_loader=partial(_worker, index, settings, rows), wrap_loader=False)
    except SystemExit as end:
        return not end.code
    return True


def _worker(index: TermIndex | TermStore, settings: Settings, rows: Any, number: int) -> Any:
    """The application of a worker, in its own process."""
    # Until Granian sets its handlers, a signal ends the worker. The inherited handlers would ignore
    # it.
    for end in (signal.SIGTERM, signal.SIGINT):
        signal.signal(end, signal.SIG_DFL)
    app = create_app(index, settings, metrics_rows=rows, metrics_row=number)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, lambda *_: app.served.wake())
        app.served.watch(settings.reload)
    # All objects made so far live as long as the process: the collector need not scan them again.
    gc.collect()
    gc.freeze()
    return app


def _start_method() -> str:
    """The way in which Granian starts its workers."""
    method = multiprocessing.get_start_method()
    return method if method in ("fork", "spawn") else "spawn"


def _free_address(host: str, port: int) -> tuple[str, int]:
    """The numeric address and port of a host, after trying to listen there.

    Granian shares its port between workers, so it would silently share it with another server too.
    """
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as trial:
            if os.name == "posix":
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(place)
            trial.listen(1)
            address, port = trial.getsockname()[:2]
    except OSError as error:
        of_port = {
            errno.EADDRINUSE: "another program uses this port; choose another one",
            errno.EACCES: "you may not use this port; choose one above 1023",
        }.get(error.errno or 0)
        if of_port is not None:
            raise InvalidOptionError(option="port", value=str(port), expected=of_port) from error
        of_host = {
            errno.EADDRNOTAVAIL: "this machine does not have this address",
        }.get(error.errno or 0, error.strerror or str(error))
        raise InvalidOptionError(option="host", value=host, expected=of_host) from error
    return str(address), int(port)


def _raise_file_limit() -> int:
    """Raises the number of files that this process may have open, and returns it."""
    if sys.platform == "win32":
        return 8_192
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY:
        most = 1 << 20
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most
