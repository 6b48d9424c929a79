"""The routes below /v1/, /healthz and /metrics: from a question to the bytes of its answer."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.responses import JSONResponse, PlainTextResponse

from termnest.errors import InvalidOptionError
from termnest.server import models
from termnest.server.heavy_queue import HeavyQueue
from termnest.server.http import (
    JSON,
    PROBLEM,
    Headers,
    Problem,
    Receive,
    Scope,
    Send,
    has_version,
    query_parameters,
    read_json,
    send_answer,
    wrong_method,
)
from termnest.server.live_store import ServedStore
from termnest.server.reload import Served
from termnest.server.settings import Settings

Answer = Callable[[Any], bytes | Awaitable[bytes]]

_PROMETHEUS = b"text/plain; version=0.0.4; charset=utf-8"


class Route(APIRoute):
    """A route that FastAPI describes in the OpenAPI document, and that reads its requests itself.

    FastAPI would validate parameter by parameter. Here the question's model validates the whole
    query string or body at once, which takes a tenth of the time.
    """

    def __init__(
        self,
        served: Served | ServedStore,
        settings: Settings,
        path: str,
        answer: Answer,
        question: type[BaseModel] | None,
        result: type[BaseModel] | None,
        *,
        method: str = "GET",
        cached: bool = True,
        heavy: bool = False,
        media_type: bytes = JSON,
    ) -> None:
        post = method != "GET"
        problems = [401, 403, 405, 421, *([400, 422] if question else [])]
        problems += [503] if heavy else []
        problems += [408, 413, 415] if post else []
        self.body_model = question if post else None
        super().__init__(
            path,
            _endpoint,
            methods=[method],
            summary=(inspect.getdoc(answer) or "").rstrip("."),
            operation_id=path.strip("/").replace("/", "_") + ("_delete" * (method == "DELETE")),
            response_model=result,
            response_class=JSONResponse if media_type == JSON else PlainTextResponse,
            responses={
                status: {
                    "description": "A problem",
                    "content": {PROBLEM.decode(): {"schema": _schema_of("ProblemAnswer")}},
                }
                for status in problems
            },
            openapi_extra=_description(question, post),
        )
        self._question = question.__pydantic_validator__ if question else None
        self._answer = answer
        self._served = served
        self._settings = settings
        self.method = method
        self._post = post
        self._cached = cached and not post
        self._media_type = media_type

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or raises a Problem."""
        if self._post:
            if scope["method"] != self.method:
                raise wrong_method(self.method)
        elif scope["method"] not in ("GET", "HEAD"):
            raise wrong_method("GET, HEAD")
        headers: Headers = [(b"cache-control", b"no-store")]
        try:
            question = None
            if self._question is not None and self._post:
                body = await read_json(scope, receive, self._settings)
                question = self._question.validate_json(body)
            elif self._question is not None:
                question = self._question.validate_python(query_parameters(scope))
            known, answer = False, b""
            if self._cached:
                etag = self._served.etag
                headers = [(b"cache-control", b"no-cache"), (b"etag", etag)]
                known = has_version(scope, etag)
            # A wrong cursor is detected only when it is followed, so 304 has to wait for that.
            if not known or getattr(question, "cursor", None) is not None:
                found = self._answer(question)
                answer = found if isinstance(found, bytes) else await found
        except ValidationError as error:
            raise _invalid(error) from None
        except InvalidOptionError as error:
            raise Problem(400, str(error)) from None
        if known:
            await send_answer(send, 304, b"", b"", headers)
        else:
            await send_answer(send, 200, answer, self._media_type, headers)


async def _endpoint() -> None:
    """Never called: FastAPI requires a function, but `Route.handle` answers."""
    raise NotImplementedError


def _description(question: type[BaseModel] | None, post: bool) -> dict[str, Any]:
    """The part of the OpenAPI document about a question: its parameters, or its body."""
    if question is None:
        return {}
    if post:
        content = {JSON.decode(): {"schema": _schema_of(question.__name__)}}
        return {"requestBody": {"content": content, "required": True}}
    model = question.model_json_schema()
    parameters = [
        {
            "name": name,
            "in": "query",
            "required": name in model.get("required", ()),
            "schema": schema,
            "description": schema["description"],
        }
        for name, schema in model["properties"].items()
    ]
    return {"parameters": parameters}


def _schema_of(model: str) -> dict[str, str]:
    """A reference to a model in the OpenAPI document."""
    return {"$ref": f"#/components/schemas/{model}"}


def _invalid(error: ValidationError) -> Problem:
    """The problem of an invalid question: one sentence, and a list with an item per mistake."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    errors = [{"at": ".".join(map(str, one["loc"])), "problem": one["msg"]} for one in found[:20]]
    shown = "; ".join(": ".join(filter(None, one.values())) for one in errors[:3])
    status = 400 if found[0]["type"] == "json_invalid" else 422
    return Problem(status, shown, errors=errors)


def routes(
    served: Served | ServedStore, settings: Settings, metrics: Callable[[], bytes]
) -> list[Route]:
    """All routes except the files of the page."""
    asked = models.questions(settings)
    heavy = HeavyQueue(settings.max_waiting)

    # The fields of a question are named like the arguments of JsonAnswers, so `vars` passes them.

    def at_once_or_queued(ask: Callable[..., bytes | None], q: Any) -> bytes | Awaitable[bytes]:
        answer = ask(**vars(q), patient=False)
        return answer if answer is not None else heavy.run(ask, **vars(q))

    def super_terms(q: Any) -> bytes | Awaitable[bytes]:
        """The terms that contain a phrase."""
        return at_once_or_queued(served.json.super_terms, q)

    def nested_terms(q: Any) -> bytes | Awaitable[bytes]:
        """The terms that a phrase contains."""
        return at_once_or_queued(served.json.nested_terms, q)

    def term(q: Any) -> Awaitable[bytes]:
        """The facts of a phrase."""
        ask: Callable[..., bytes] = served.json.term
        return asyncio.to_thread(ask, **vars(q))

    def complete(q: Any) -> Awaitable[bytes]:
        """Terms that complete a prefix."""
        ask: Callable[..., bytes] = served.json.complete
        return asyncio.to_thread(ask, **vars(q))

    def expansions(q: Any) -> Awaitable[bytes]:
        """The words that terms add to a phrase."""
        return heavy.run(served.json.expansions, **vars(q))

    def find(q: Any) -> Awaitable[bytes]:
        """The terms that occur in a text."""
        return heavy.run(served.json.find, **vars(q))

    def batch(q: Any) -> Awaitable[bytes]:
        """One question about many phrases."""
        if q.ask == "nested" and (q.max_extra is not None or q.sort in ("left", "right")):
            raise Problem(422, "max_extra and sort=left or right are for super terms only")
        if len(q.terms) * q.limit > settings.max_batch_results:
            most = settings.max_batch_results
            raise Problem(
                422, f"a batch may have {most:,} results (phrases times limit): ask for fewer"
            )
        return heavy.run(served.json.batch, **vars(q))

    def info(_: None) -> bytes:
        """The facts of the index, and the limits of the server."""
        return served.info(settings)

    def health(_: None) -> bytes:
        """Whether the server answers."""
        return b'{"status":"ok"}'

    def prometheus(_: None) -> bytes:
        """Metrics for Prometheus."""
        return metrics()

    route = partial(Route, served, settings)
    changes = []
    if settings.writable and isinstance(served, ServedStore):

        def add(q: Any) -> Awaitable[bytes]:
            """Adds terms, or changes those that are there; they are durable when it answers."""
            return heavy.run(served.add, changes=q)

        def remove(q: Any) -> Awaitable[bytes]:
            """Removes terms: all of them, or none if one is not there."""
            return heavy.run(served.remove, terms=q)

        changes = [
            route("/v1/terms", add, asked.add, models.Added, method="POST", heavy=True),
            route("/v1/terms", remove, asked.remove, models.Removed, method="DELETE", heavy=True),
        ]
    return [
        *changes,
        route("/v1/super", super_terms, asked.super, models.Page, heavy=True),
        route("/v1/nested", nested_terms, asked.nested, models.Page, heavy=True),
        route("/v1/term", term, asked.term, models.TermFacts),
        route("/v1/complete", complete, asked.complete, models.Completions),
        route("/v1/expansions", expansions, asked.expansions, models.ExpansionList, heavy=True),
        route("/v1/find", find, asked.find, models.MatchList, method="POST", heavy=True),
        route("/v1/batch", batch, asked.batch, models.Hitlists, method="POST", heavy=True),
        route("/v1/info", info, None, models.Info, cached=False),
        route("/healthz", health, None, models.Health, cached=False),
        route("/metrics", prometheus, None, None, cached=False, media_type=_PROMETHEUS),
    ]
