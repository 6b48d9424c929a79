"""The application: cached answers, mounting, its own pages, its OpenAPI document."""

import re
from typing import Any

import fastapi
import hypothesis
import pytest
import schemathesis
from schemathesis.generation import GenerationMode

from conftest import ROOT
from serving.client import COMPANIES, TOKEN, Client, assert_problem, client_of
from termnest import TermIndex
from termnest.server import Settings, create_app


def test_an_answer_that_the_client_has_is_not_sent_again(client: Client) -> None:
    for path in ("/v1/super?term=google", "/v1/complete?prefix=g", "/", "/docs.js"):
        answer = client.get(path)
        assert answer.status_code == 200
        etag = answer.headers["etag"]
        for given in (etag, f"W/{etag}", f'"x", {etag}', "*"):
            again = client.request("GET", path, headers={"if-none-match": given})
            assert (again.status_code, again.content) == (304, b"")
            assert again.headers["etag"] == etag
        other = client.request("GET", path, headers={"if-none-match": '"x"'})
        assert other.content == answer.content
    wrong = client.request("GET", "/v1/super?limit=0", headers={"if-none-match": "*"})
    assert_problem(wrong, 422)
    path = "/v1/super?term=google"
    wrong = client.request("GET", f"{path}&cursor=x", headers={"if-none-match": "*"})
    assert_problem(wrong, 400, "cursor")
    next_page = f"{path}&cursor={client.json(f'{path}&limit=1')['next']}"
    again = client.request("GET", next_page, headers={"if-none-match": "*"})
    assert (again.status_code, again.content) == (304, b"")
    other_index = client_of(["google", "llc"])
    assert other_index.get(path).headers["etag"] != client.get(path).headers["etag"]


def test_info_is_never_cached(client: Client) -> None:
    answer = client.request("GET", "/v1/info", headers={"if-none-match": "*"})
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    assert "etag" not in answer.headers


def test_the_application_can_be_mounted_in_another() -> None:
    outer = fastapi.FastAPI()

    @outer.get("/own")
    def own() -> str:
        return "own"

    outer.mount("/terms", create_app(TermIndex(COMPANIES), Settings(token=TOKEN)))
    client = Client(outer, authorization=f"Bearer {TOKEN}")
    assert client.json("/own") == "own"
    assert client.json("/terms/v1/super", term="google")["total"] == 2
    assert client.get("/terms/").headers["content-type"] == "text/html; charset=utf-8"
    assert client.get("/terms/healthz").status_code == 200
    assert client.json("/terms/openapi.json")["servers"] == [{"url": "/terms"}]
    assert_problem(client.get("/terms/nothing"), 404)
    assert_problem(Client(outer).get("/terms/v1/info"), 401)
    metrics = client.get("/terms/metrics").text
    assert 'termnest_requests_total{route="/v1/super",status="200"} 1' in metrics


def test_your_own_routes_can_be_added() -> None:
    app = create_app(TermIndex(COMPANIES), Settings(token=TOKEN))

    @app.get("/own")
    def own() -> str:
        return "own"

    assert_problem(Client(app).get("/own"), 401)
    assert Client(app, authorization=f"Bearer {TOKEN}").json("/own") == "own"


def test_the_files_of_the_page_have_their_content_types(client: Client) -> None:
    types = {
        "/": "text/html; charset=utf-8",
        "/docs": "text/html; charset=utf-8",
        "/docs.js": "text/javascript; charset=utf-8",
        "/docs.css": "text/css; charset=utf-8",
    }
    assert {path: client.get(path).headers["content-type"] for path in types} == types


def test_the_documentation_page_loads_nothing_from_other_servers(client: Client) -> None:
    sources = "".join(client.get(path).text for path in ("/docs", "/docs.js", "/docs.css"))
    assert "openapi.json" in sources
    assert not re.search(r"""https?:|["'(]//""", sources)


def test_every_route_and_limit_is_documented() -> None:
    described = create_app(TermIndex(["a"])).openapi()["paths"]
    document = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
    assert {"/v1/super", "/v1/batch", "/healthz", "/metrics"} <= set(described)
    assert [path for path in [*described, "/docs", "/openapi.json"] if path not in document] == []
    limits = [name for name in Settings.__annotations__ if f"`{name}`" not in document]
    assert limits == []


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_random_requests_are_answered_as_the_openapi_document_says(mode: GenerationMode) -> None:
    """schemathesis makes requests from the description: right ones, and wrong ones."""
    app = create_app(TermIndex([*COMPANIES, "0", "a b"]), Settings(max_phrase=50, max_batch=5))
    schema = schemathesis.openapi.from_asgi("/openapi.json", app, headers={"host": "localhost"})
    answered: dict[str, set[int]] = {}

    def ask(case: Any) -> None:
        # A cursor cannot be made up, the index has no columns, and batches of nested terms take
        # fewer options: all are 4xx.
        for options in (case.query, case.body):
            if mode == GenerationMode.POSITIVE and isinstance(options, dict):
                for option in ("cursor", "columns", "max_extra", "sort", "where"):
                    options.pop(option, None)
        answer = case.call_and_validate(
            headers={"host": "localhost"},
            # A parameter without a value is as if left out.
            excluded_checks=[schemathesis.checks.negative_data_rejection],
        )
        answered.setdefault(case.path, set()).add(answer.status_code)

    for found in schema.get_all_operations():
        operation: Any = found.ok()  # type: ignore[union-attr]
        if mode == GenerationMode.NEGATIVE and not (operation.query or operation.body):
            continue  # there is nothing to get wrong
        test = hypothesis.given(case=operation.as_strategy(generation_mode=mode))(ask)
        hypothesis.settings(
            max_examples=50,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        )(test)()
    questions = {"/v1/super", "/v1/nested", "/v1/term", "/v1/find", "/v1/batch", "/v1/complete"}
    assert questions <= set(answered)
    for path in questions:
        if mode == GenerationMode.POSITIVE:
            assert answered[path] == {200}
        else:
            assert answered[path] & {400, 422}
