"""The routes that answer questions."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, Any

from fastapi import Body, Query
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.responses import JSONResponse, PlainTextResponse

from termnest.errors import InvalidOptionError
from termnest.server import models
from termnest.server.heavy import Heavy
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
from termnest.server.reload import Served
from termnest.server.settings import Settings

Answer = Callable[[Any], bytes | Awaitable[bytes]]

_PROMETHEUS = b"text/plain; version=0.0.4; charset=utf-8"
_PROBLEM_SCHEMA = {"$ref": "#/components/schemas/ProblemAnswer"}


class Route(APIRoute):
    """A route that FastAPI describes, and that answers without FastAPI's way of taking requests.

    That way looks at each parameter for itself; here the question's model reads the whole query
    string or body at once, which takes a tenth of the time.
    """

    def __init__(
        self,
        served: Served,
        settings: Settings,
        path: str,
        answer: Answer,
        question: type[BaseModel] | None,
        result: type[BaseModel] | None,
        *,
        post: bool = False,
        cached: bool = True,
        heavy: bool = False,
        media_type: bytes = JSON,
    ) -> None:
        problems = [401, 403, 405, 421, *([400, 422] if question else [])]
        problems += [503] if heavy else []
        problems += [408, 413, 415] if post else []
        super().__init__(
            path,
            _described(question, post),
            methods=["POST" if post else "GET"],
            summary=(inspect.getdoc(answer) or "").rstrip("."),
            operation_id=path.strip("/").replace("/", "_"),
            response_model=result,
            response_class=JSONResponse if media_type == JSON else PlainTextResponse,
            responses={
                status: {
                    "description": "A problem",
                    "content": {PROBLEM.decode(): {"schema": _PROBLEM_SCHEMA}},
                }
                for status in problems
            },
        )
        self._question = question.__pydantic_validator__ if question else None
        self._answer = answer
        self._served = served
        self._settings = settings
        self._post = post
        self._cached = cached and not post
        self._media_type = media_type

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or raises a Problem."""
        if self._post:
            if scope["method"] != "POST":
                raise wrong_method("POST")
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
            # Whether a cursor is right is seen only when it is followed.
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


def _described(question: type[BaseModel] | None, post: bool) -> Callable[..., Any]:
    """A function whose parameters are those of a route: FastAPI reads them, nobody calls it."""

    async def endpoint(**_: Any) -> None:
        raise NotImplementedError

    parameters = []
    if question is not None:
        place: Any = Annotated[question, Body() if post else Query()]
        kind = inspect.Parameter.KEYWORD_ONLY
        parameters = [inspect.Parameter("question", kind, annotation=place)]
    endpoint.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return endpoint


def _invalid(error: ValidationError) -> Problem:
    """What is wrong with a question: in a sentence, and one by one."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    errors = [{"at": ".".join(map(str, one["loc"])), "problem": one["msg"]} for one in found[:20]]
    shown = "; ".join(": ".join(filter(None, one.values())) for one in errors[:3])
    status = 400 if found[0]["type"] == "json_invalid" else 422
    return Problem(status, shown, errors=errors)


async def _apart(work: Callable[..., bytes], *arguments: Any) -> bytes:
    """Does what may take some milliseconds on another thread, so that other requests go on."""
    return await asyncio.get_running_loop().run_in_executor(None, work, *arguments)


def routes(served: Served, settings: Settings, metrics: Callable[[], bytes]) -> list[Route]:
    """All routes that answer questions."""
    asked = models.questions(settings)
    heavy = Heavy(settings.max_waiting)

    def answers(ask: Callable[..., bytes | None], q: Any, **more: Any) -> bytes | Awaitable[bytes]:
        options = {
            "where": q.where,
            "direct": q.direct,
            "min_length": q.min_length,
            "max_length": q.max_length,
            "sort": q.sort,
            "limit": q.limit,
            "cursor": q.cursor,
            **more,
        }
        answer = ask(q.term, patient=False, **options)
        if answer is not None:
            return answer
        return heavy.do(partial(ask, q.term, **options))

    def super_terms(q: Any) -> bytes | Awaitable[bytes]:
        """The terms that contain a phrase."""
        return answers(served.json.super_terms, q, max_extra=q.max_extra)

    def nested_terms(q: Any) -> bytes | Awaitable[bytes]:
        """The terms that a phrase contains."""
        return answers(served.json.nested_terms, q)

    def term(q: Any) -> Awaitable[bytes]:
        """The facts of a phrase."""
        return _apart(served.json.term, q.term)

    def complete(q: Any) -> Awaitable[bytes]:
        """Terms in which a phrase goes on."""
        return _apart(partial(served.json.complete, q.prefix, limit=q.limit))

    def expansions(q: Any) -> Awaitable[bytes]:
        """The words that terms add to a phrase."""
        return heavy.do(partial(served.json.expansions, q.term, side=q.side, limit=q.limit))

    def find(q: Any) -> Awaitable[bytes]:
        """The terms that stand in a text."""
        return heavy.do(
            partial(served.json.find, q.text, overlaps=q.overlaps, limit=q.limit, cursor=q.cursor)
        )

    def batch(q: Any) -> Awaitable[bytes]:
        """One question about many phrases."""
        if q.ask == "nested" and (q.max_extra is not None or q.sort in ("left", "right")):
            raise Problem(422, "max_extra, and sort by left or right, go with super terms only")
        if len(q.terms) * q.limit > settings.max_batch_results:
            most = settings.max_batch_results
            raise Problem(422, f"phrases times limit may be {most:,}: ask for fewer at a time")
        names = ("where", "direct", "max_extra", "min_length", "max_length", "sort", "limit")
        options = {name: getattr(q, name) for name in names}
        return heavy.do(partial(served.json.batch, q.ask, q.terms, **options))

    def info(_: None) -> bytes:
        """The facts of the index, and the limits of the server."""
        return served.info(settings)

    def health(_: None) -> bytes:
        """Whether the server answers."""
        return b'{"status":"ok"}'

    def figures(_: None) -> bytes:
        """Figures for Prometheus."""
        return metrics()

    route = partial(Route, served, settings)
    return [
        route("/v1/super", super_terms, asked.super, models.Page, heavy=True),
        route("/v1/nested", nested_terms, asked.nested, models.Page, heavy=True),
        route("/v1/term", term, asked.term, models.TermFacts),
        route("/v1/complete", complete, asked.complete, models.Completions),
        route("/v1/expansions", expansions, asked.expansions, models.ExpansionList, heavy=True),
        route("/v1/find", find, asked.find, models.MatchList, post=True, heavy=True),
        route("/v1/batch", batch, asked.batch, models.Hitlists, post=True, heavy=True),
        route("/v1/info", info, None, models.Info, cached=False),
        route("/healthz", health, None, models.Health, cached=False),
        route("/metrics", figures, None, None, cached=False, media_type=_PROMETHEUS),
    ]
