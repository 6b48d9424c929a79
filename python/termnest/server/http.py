"""ASGI requests and responses: reading a query string or a body, sending an answer or a problem."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from termnest.server.settings import Settings

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Handler = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

JSON = b"application/json"
PROBLEM = b"application/problem+json"

# Titles of RFC 9110 that http.HTTPStatus words differently before Python 3.13.
_TITLES = {413: "Content Too Large", 422: "Unprocessable Content"}


class Problem(Exception):  # noqa: N818 (RFC 9457 calls it so)
    """A request that failed, and why; `detail` is a sentence for people."""

    def __init__(
        self,
        status: int,
        detail: str,
        headers: Headers | None = None,
        errors: list[dict[str, str]] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = headers or []
        self.errors = errors

    def body(self) -> bytes:
        """The problem as JSON (RFC 9457)."""
        fields: dict[str, Any] = {
            "type": "about:blank",
            "title": _TITLES.get(self.status) or HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
        }
        if self.errors:
            fields["errors"] = self.errors
        return json.dumps(fields).encode()


def wrong_method(allowed: str) -> Problem:
    """The problem of a method that the address does not accept."""
    return Problem(405, f"this address accepts {allowed} only", [(b"allow", allowed.encode())])


async def send_answer(
    send: Send, status: int, body: bytes, media_type: bytes, headers: Headers
) -> None:
    """Sends an answer. An empty media type means that there is no body."""
    if media_type:
        length = str(len(body)).encode()
        headers = [(b"content-type", media_type), (b"content-length", length), *headers]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def send_problem(send: Send, problem: Problem) -> None:
    """Sends a problem as the answer."""
    await send_answer(send, problem.status, problem.body(), PROBLEM, problem.headers)


def has_version(scope: Scope, etag: bytes) -> bool:
    """Whether the client already has this version of the answer (If-None-Match)."""
    for name, value in scope["headers"]:
        if name == b"if-none-match":
            given = [tag.strip().removeprefix(b"W/") for tag in value.split(b",")]
            if etag in given or b"*" in given:
                return True
    return False


def query_parameters(scope: Scope) -> dict[str, str]:
    """The parameters of a query string. Those without a value are left out, except phrases.

    Raises:
        Problem: The query string is not UTF-8 or repeats a parameter.
    """
    try:
        query = scope["query_string"].decode("utf-8")
        pairs = parse_qsl(query, keep_blank_values=True, errors="strict")
    except UnicodeDecodeError:
        raise Problem(400, "the query string is not percent-encoded UTF-8") from None
    parameters: dict[str, str] = {}
    for name, value in pairs:
        if name in parameters:
            raise Problem(422, f"the parameter {name} is given more than once")
        if value or name in ("term", "prefix"):
            parameters[name] = value
    return parameters


async def read_json(scope: Scope, receive: Receive, settings: Settings) -> bytes:
    """The body of a request.

    A refused body is not read to its end: the problem closes the connection.

    Raises:
        Problem: The content type is not JSON, or the body is too large, too slow or incomplete.
    """
    close = [(b"connection", b"close")] if scope.get("http_version", "1.1") < "2" else []
    too_large = Problem(413, f"the body is larger than {settings.max_body:,} bytes", close)
    media_type = b""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit() and int(value) > settings.max_body:
            raise too_large
        if name == b"content-type":
            media_type = value.partition(b";")[0].strip().lower()
    if media_type != JSON:
        raise Problem(415, "the body must be JSON, with the content type application/json", close)
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(settings.body_seconds):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise Problem(400, "the connection closed before the body was complete", close)
                part = message.get("body", b"")
                size += len(part)
                if size > settings.max_body:
                    raise too_large
                parts.append(part)
                if not message.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError:
        detail = f"the body took longer than {settings.body_seconds:g} seconds"
        raise Problem(408, detail, close) from None
