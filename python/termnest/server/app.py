"""The application: the gate that every request passes, then the routes."""

from __future__ import annotations

import logging
import time
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from termnest import __version__
from termnest.arguments import instance
from termnest.errors import InvalidOptionError, TermnestError
from termnest.index import TermIndex
from termnest.options import Stats
from termnest.server.http import (
    PROBLEM,
    Handler,
    Headers,
    Message,
    Problem,
    Receive,
    Scope,
    Send,
    send_answer,
    send_problem,
    wrong_method,
)
from termnest.server.live_store import ServedStore
from termnest.server.metrics import Metrics
from termnest.server.models import ProblemAnswer
from termnest.server.pages import page_handlers
from termnest.server.reload import Served
from termnest.server.routes import routes
from termnest.server.security import SECURITY_HEADERS, Credentials, Gate
from termnest.server.settings import Settings
from termnest.store import TermStore

# The addresses whose requests are counted one by one; all others are counted as "other".
METERED = (
    *("/v1/super", "/v1/nested", "/v1/term", "/v1/complete", "/v1/expansions", "/v1/find"),
    *("/v1/batch", "/v1/terms", "/v1/info", "/healthz", "/metrics", "/openapi.json", "/docs", "/"),
)
# Addresses that need no token. The files of the page need none either: the page asks for it.
_OPEN = ("/healthz", "/openapi.json")

_log = logging.getLogger("termnest.server")


class App(FastAPI):
    """FastAPI with a gate in front, and a short cut past its router for our own routes."""

    def __init__(
        self,
        index: TermIndex | TermStore,
        settings: Settings,
        metrics_rows: Any,
        metrics_row: int,
    ) -> None:
        super().__init__(
            title="termnest",
            version=__version__,
            description="Which terms of a vocabulary contain a phrase, and which does it contain?",
            docs_url=None,
            redoc_url=None,
            redirect_slashes=False,
            exception_handlers={HTTPException: _as_problem},
        )
        self.served = ServedStore(index) if isinstance(index, TermStore) else Served(index)
        self._gate = Gate(settings)
        self._metrics = Metrics(METERED, metrics_rows, metrics_row)
        # The handlers of our own routes and files by their whole address.
        self._direct: dict[str, Handler] = dict(page_handlers())
        self._pages = set(self._direct)
        self._open = {*_OPEN, *self._pages}
        self._body_models: list[type[BaseModel]] = []
        handlers: dict[str, dict[str, Handler]] = {}
        for route in routes(self.served, settings, self._metrics_text):
            self.router.routes.append(route)
            handlers.setdefault(route.path, {})[route.method] = route.handle
            self._direct[route.path] = _by_method(handlers[route.path])
            if route.body_model is not None:
                self._body_models.append(route.body_model)
        if settings.reload:
            self.served.watch(often=True)

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document."""
        if self.openapi_schema is None:
            schema = super().openapi()
            # The models that the routes refer to, but that FastAPI does not know.
            models: list[type[BaseModel]] = [ProblemAnswer, *self._body_models]
            for model in models:
                schema["components"]["schemas"][model.__name__] = model.model_json_schema()
            if self._gate.requires_token:
                schemes = {"token": {"type": "http", "scheme": "bearer"}}
                schema["components"]["securitySchemes"] = schemes
                schema["security"] = [{"token": []}]
        return self.openapi_schema or schema

    def _metrics_text(self) -> bytes:
        """The metrics, and the facts of the index, for Prometheus."""
        stats = self.served.index.stats()
        facts = {"terms": stats.terms, "file_bytes": stats.file_bytes}
        if isinstance(stats, Stats):
            facts["tokens"] = stats.tokens
        facts["reloads"] = self.served.reloads
        return self._metrics.text(facts, __version__).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request of any kind."""
        if scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
            return
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        began = time.perf_counter()
        path: str = scope["path"]
        root: str = scope.get("root_path", "")
        if root and path.startswith(root):
            path = path[len(root) :] or "/"
        status = 0
        origin_headers: Headers = []

        async def send_safely(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *SECURITY_HEADERS, *origin_headers]
            await send(message)

        try:
            credentials = Credentials.of(scope)
            origin = credentials.origin
            origin_headers = self._gate.origin_headers(origin)
            self._gate.check_host(credentials.hosts)
            if scope["method"] == "OPTIONS" and self._gate.allows_origin(origin):
                await send_answer(send_safely, 204, b"", b"", self._gate.preflight_headers)
                return
            if path not in self._pages:
                self._gate.check_site(credentials.site)
            if path not in self._open:
                self._gate.check_token(credentials.authorizations)
            direct = self._direct.get(path)
            if direct is not None:
                await direct(scope, receive, send_safely)
            else:
                await super().__call__(scope, receive, send_safely)
        except Problem as problem:
            await send_problem(send_safely, problem)
        except TermnestError as error:
            _log.error("a request failed: %s", error)
            if not status:
                await send_problem(send_safely, Problem(500, "the server failed to answer"))
        except Exception:
            # This request fails and the server goes on. The log has the traceback.
            _log.exception("a request failed")
            if not status:
                await send_problem(send_safely, Problem(500, "the server failed to answer"))
        finally:
            self._metrics.note(path, status, time.perf_counter() - began)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a WebSocket through the same gate. Only routes added by others have WebSockets."""
        credentials = Credentials.of(scope)
        try:
            self._gate.check_host(credentials.hosts)
            self._gate.check_site(credentials.site)
            self._gate.check_token(credentials.authorizations)
        except Problem as problem:
            await send({"type": "websocket.close", "code": 1008, "reason": problem.detail[:100]})
            return
        await super().__call__(scope, receive, send)


def _by_method(handlers: dict[str, Handler]) -> Handler:
    """The handler of an address that has one for each of some methods."""
    if len(handlers) == 1:
        return next(iter(handlers.values()))

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        handler = handlers.get(scope["method"])
        if handler is None:
            raise wrong_method(", ".join(handlers))
        await handler(scope, receive, send)

    return handle


async def _as_problem(request: Request, error: Exception) -> Response:
    """A request that FastAPI refuses gets a problem like all others."""
    assert isinstance(error, HTTPException)
    problem = Problem(error.status_code, str(error.detail))
    if error.status_code == 404:
        problem.detail = "there is nothing at this address: /docs lists all addresses"
    headers = dict(error.headers or {})
    return Response(problem.body(), error.status_code, headers, PROBLEM.decode())


def create_app(
    index: TermIndex | TermStore,
    settings: Settings | None = None,
    *,
    metrics_rows: Any = None,
    metrics_row: int = 0,
) -> App:
    """A FastAPI application that answers from an index or a store.

    Any ASGI server can run it, and your own application can mount it:

    >>> from fastapi import FastAPI
    >>> from termnest import TermIndex
    >>> app = FastAPI()
    >>> terms = create_app(TermIndex(["llc", "google llc"]), Settings(allowed_hosts=("*",)))
    >>> app.mount("/terms", terms)

    Args:
        index: The index. With `Settings(reload=True)`, the application switches to a new version
            when the file of the index is replaced. Or a store: each answer is from its newest
            generation, and with `Settings(writable=True)` terms can be added and removed.
        settings: What the server allows, and whom it answers.
        metrics_rows: Numbers that worker processes share, for their metrics.
        metrics_row: The row of this process.
    """
    if not isinstance(index, TermStore):
        instance("index", index, TermIndex, "a TermIndex or a TermStore")
    if settings is None:
        settings = Settings()
    instance("settings", settings, Settings, "termnest.server.Settings or None")
    if settings.writable and isinstance(index, TermIndex):
        expected = "an index does not change: serve a store"
        raise InvalidOptionError(option="writable", value="True", expected=expected)
    return App(index, settings, metrics_rows, metrics_row)
