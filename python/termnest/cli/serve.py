"""The server: serve."""

from __future__ import annotations

from typing import Any

import click

from termnest.cli.errors import BadInput
from termnest.cli.exit_codes import FOUND, SERVER_FAILED
from termnest.cli.loading import load, load_asked
from termnest.cli.options import (
    Command,
    Number,
    Seconds,
    examples,
    index_argument,
    vocabulary_options,
)
from termnest.cli.output import counted
from termnest.index import TermIndex
from termnest.store import TermStore, is_store

_MOST_SECONDS = 3600
_MOST_WORKERS = 256
_MOST_PORT = 65_535


@click.command(
    cls=Command,
    epilog=examples(
        "termnest serve terms.nest",
        "termnest serve terms.nest --reload --port 8000",
        "termnest serve terms.nest --host 0.0.0.0 --allowed-host terms.example.org "
        "--token-file token",
    ),
)
@index_argument
@click.option(
    "--host",
    default="127.0.0.1",
    metavar="ADDRESS",
    show_default=True,
    help="The address to listen on; 0.0.0.0 for all of this machine.",
)
@click.option(
    "--port",
    type=Number(0, _MOST_PORT),
    default=8080,
    show_default=True,
    help="The port; 0 for any free one.",
)
@click.option(
    "--token-file",
    metavar="FILE",
    help="A file with the access token that requests must carry; without this option, the token is "
    "the environment variable TERMNEST_TOKEN. A server that other machines can reach needs one.",
)
@click.option(
    "--allowed-host",
    "allowed_hosts",
    metavar="NAME",
    multiple=True,
    help="A host name of this server in requests, besides those of this machine. Can be repeated.",
)
@click.option(
    "--cors-origin",
    "cors_origins",
    metavar="ORIGIN",
    multiple=True,
    help="An origin whose web pages may ask this server, for instance https://example.org. Can be "
    "repeated.",
)
@click.option(
    "--reload",
    is_flag=True,
    help="Load INDEX again when the file is replaced. The signal SIGHUP does so too.",
)
@click.option(
    "--writable",
    is_flag=True,
    help="Let requests with the token add and remove terms of a store.",
)
@click.option(
    "--workers",
    type=Number(1, _MOST_WORKERS),
    help="Answer in N processes, which share the memory of the index.  [default: one per core, at "
    "most 4]",
)
@click.option(
    "--max-connections",
    type=Number(1),
    default=16_384,
    show_default=True,
    help="Open connections; further ones wait.",
)
@click.option(
    "--head-seconds",
    type=Seconds(0.1, _MOST_SECONDS),
    default=10.0,
    show_default=True,
    help="Time that a client has to send the head of a request.",
)
@click.option(
    "--body-seconds",
    type=Seconds(0.1, _MOST_SECONDS),
    default=10.0,
    show_default=True,
    help="Time that a client has to send the body of a request.",
)
@click.option(
    "--max-body",
    metavar="BYTES",
    type=Number(1),
    default=2 * 1024 * 1024,
    show_default=True,
    help="The largest body of a request.",
)
@click.option("--access-log", is_flag=True, help="Print one line for each request.")
@vocabulary_options
def serve(
    index: str,
    host: str,
    port: int,
    token_file: str | None,
    allowed_hosts: tuple[str, ...],
    cors_origins: tuple[str, ...],
    reload: bool,
    writable: bool,
    workers: int | None,
    max_connections: int,
    head_seconds: float,
    body_seconds: float,
    max_body: int,
    access_log: bool,
    **vocabulary: Any,
) -> int:
    """Answer over HTTP, with a web page to explore the vocabulary.

    Of a store, a vocabulary that changes, each answer is from the newest commit.

    Open the address that is printed in a browser. Only programs on this machine can connect, unless
    --host allows others. Ctrl-C ends the server.
    """
    # Imported here, so that other commands start faster.
    from termnest.server import Settings
    from termnest.server.run import serve as run_server
    from termnest.server.security import is_loopback, read_token

    token = read_token(token_file)
    if token is None and not is_loopback(host):
        raise BadInput(
            f"other machines can reach {host}, so requests must carry a token: give "
            "--token-file FILE, or set TERMNEST_TOKEN"
        )
    loaded = _load(index, vocabulary)
    if writable and not isinstance(loaded, TermStore):
        raise BadInput(
            f"--writable needs a store, and {index} is none: make one with `termnest add`"
        )
    if writable and token is None:
        raise BadInput(
            "with --writable, requests must carry a token: give --token-file FILE, or set "
            "TERMNEST_TOKEN"
        )
    if reload and loaded.path is None:
        raise BadInput(
            f"--reload needs an index, and {index} is a vocabulary: make one with `termnest build`"
        )
    names = {*Settings().allowed_hosts, *allowed_hosts, f"[{host}]" if ":" in host else host}
    settings = Settings(
        token=token,
        allowed_hosts=tuple(sorted(names)),
        cors_origins=cors_origins,
        reload=reload,
        writable=writable,
        body_seconds=body_seconds,
        max_body=max_body,
    )

    def ready(url: str) -> None:
        terms = counted(len(loaded), "term")
        click.echo(f"serving {terms} at {url} (Ctrl-C ends it)", err=True)

    was_stopped = run_server(
        loaded,
        settings,
        host=host,
        port=port,
        workers=workers,
        max_connections=max_connections,
        head_seconds=head_seconds,
        access_log=access_log,
        ready=ready,
    )
    return FOUND if was_stopped else SERVER_FAILED


def _load(name: str, vocabulary: dict[str, Any]) -> TermIndex | TermStore:
    """The index or the store that is served."""
    if not is_store(name):
        return load(name, vocabulary)
    load_asked(name, vocabulary)  # says what is wrong with the options
    return TermStore.open(name, readonly=True)
