"""Runs the application with Granian."""

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
from termnest.server.heavy import cores
from termnest.server.metrics import Metrics
from termnest.server.settings import Settings

try:
    from granian import Granian
    from granian.constants import HTTPModes, Interfaces
    from granian.http import HTTP1Settings
    from granian.log import LogLevels
except ModuleNotFoundError as error:
    raise MissingExtraError(
        f"the server needs {error.name}, which is not installed: pip install 'termnest[server]'"
    ) from error

# Requests that wait for a worker to accept them, before the system refuses more.
_BACKLOG = 4_096
# More are started only if asked for: each takes some 35 MB.
_MOST_WORKERS = 4
# How long a worker may take to listen before it is passed over in silence.
_SECONDS_TO_START = 60
# Time for the requests that are being answered when the server is told to end.
_SECONDS_TO_END = 10
# Files and sockets that a process has open besides its connections.
_OTHER_FILES = 64
# About the most bytes of the address and the headers of a request.
_HEAD_BYTES = 64 * 1024
# Granian's own would go to standard output.
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
    """Writes what cannot be printed as escapes: nobody who asks can forge a line of the log."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        return "".join(
            character
            if character.isprintable()
            else character.encode("unicode_escape", "surrogatepass").decode()
            for character in super().format(record)
        )


class _Server(Granian):  # type: ignore[misc, valid-type]
    """Granian, whose workers take up a new index on SIGHUP instead of being replaced.

    A worker that died is replaced; the new one has its number, with which the loader is called.
    """

    on_listening: Callable[[], object]

    def _spawn_worker(self, idx: int, target: Any, callback_loader: Callable[..., Any]) -> Any:
        return super()._spawn_worker(idx, target, partial(callback_loader, idx))

    def startup(self, *arguments: Any) -> None:
        super().startup(*arguments)
        # Granian tells when its workers are started, not when the first of them listens.
        until = time.monotonic() + _SECONDS_TO_START
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
            # One that has just died is being replaced.
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker.inner.pid, signal.SIGHUP)


def serve(
    index: TermIndex,
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
    """Serves an index until the process is told to end; False if its workers die before that.

    Args:
        index: The index.
        settings: What the server allows.
        host: The address to listen at.
        port: The port; 0 for any that is free.
        workers: Processes that answer. They share the memory of the index. One for each core by
            default, four at most.
        max_connections: Connections that are open at a time; more wait.
        head_seconds: Time for the head of a request to arrive; a connection that has been silent
            for longer is closed.
        access_log: Write a line for each request.
        ready: Called with the address of the server when it listens.

    Raises:
        DamagedIndexError: The file of the index was cut or has changed.
        InvalidOptionError: The address cannot be listened at.
    """
    index.check(checksums_only=True)
    workers = workers or min(cores(), _MOST_WORKERS)
    address, port = _free_address(host, port)
    shown = f"[{address}]" if ":" in address else address
    max_connections = min(max_connections, _raise_file_limit() - _OTHER_FILES)
    context = multiprocessing.get_context(_start_method())
    # The figures of all workers, so that whichever is asked can tell the sum.
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
        workers_kill_timeout=_SECONDS_TO_END,
        # One that dies again within seconds ends the server all the same.
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


def _worker(index: TermIndex, settings: Settings, rows: Any, number: int) -> Any:
    """The application of a worker, in its own process."""
    # Until Granian has set up its own, a signal ends the worker: what it inherits would ignore it.
    for end in (signal.SIGTERM, signal.SIGINT):
        signal.signal(end, signal.SIG_DFL)
    app = create_app(index, settings, metrics_rows=rows, metrics_row=number)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, lambda *_: app.served.wake())
        app.served.watch(settings.reload)
    # What is there now stays: the collector need not look through it while requests wait.
    gc.collect()
    gc.freeze()
    return app


def _start_method() -> str:
    """How Granian starts its workers."""
    method = multiprocessing.get_start_method()
    return method if method in ("fork", "spawn") else "spawn"


def _free_address(host: str, port: int) -> tuple[str, int]:
    """The numbers of an address that can be listened at.

    Granian shares ports, so it would join another server that does too.
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
        reason = {
            errno.EADDRINUSE: "the port is in use by another program: choose another with --port",
            errno.EACCES: "the port is not allowed to you: choose one above 1023 with --port",
            errno.EADDRNOTAVAIL: "this machine has no such address",
        }.get(error.errno or 0, error.strerror or str(error))
        raise InvalidOptionError(f"cannot listen at {host}, port {port}: {reason}") from error
    return str(address), int(port)


def _raise_file_limit() -> int:
    """The most files that this process may have open, which is made as high as it may be."""
    if sys.platform == "win32":
        return 8_192
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY:
        most = 1 << 20
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most
