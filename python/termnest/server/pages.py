"""The routes of the page's files: HTML, CSS, scripts and pictures of `static/`."""

from __future__ import annotations

import hashlib
import mimetypes
from pathlib import Path

from termnest.server.http import (
    Handler,
    Receive,
    Scope,
    Send,
    has_version,
    send_answer,
    wrong_method,
)

_FOLDER = Path(__file__).parent / "static"
# The MIME tables of some machines lack these or have other types for them.
_TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".svg": "image/svg+xml"}
_SHORT_NAMES = {"/index.html": "/", "/docs.html": "/docs", "/review.html": "/review"}


def page_handlers() -> dict[str, Handler]:
    """The handler of each file of the page, by address. No other file is served."""
    handlers = {}
    for file in _FOLDER.rglob("*"):
        if file.is_file():
            name = f"/{file.relative_to(_FOLDER).as_posix()}"
            handlers[name] = handlers[_SHORT_NAMES.get(name, name)] = _handler(file)
    return handlers


def _handler(file: Path) -> Handler:
    """What answers requests for a file."""
    media_type = _TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0]
    media_type = media_type or "application/octet-stream"
    if media_type.startswith("text/"):
        media_type += "; charset=utf-8"

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in ("GET", "HEAD"):
            raise wrong_method("GET, HEAD")
        content = file.read_bytes()
        etag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'.encode()
        headers = [(b"etag", etag), (b"cache-control", b"no-cache")]
        if has_version(scope, etag):
            await send_answer(send, 304, b"", b"", headers)
        else:
            await send_answer(send, 200, content, media_type.encode(), headers)

    return handle
