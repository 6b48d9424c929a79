"""A store that is served: live, and writable with a token."""

import errno
import json
from pathlib import Path
from typing import Any

import pytest

from serving.client import TOKEN, Client, assert_problem
from termnest import InvalidOptionError, TermIndex, TermStore
from termnest.errors import FileAccessError
from termnest.server import Settings, create_app

AUTHORIZED = {"authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "terms.store"
    with TermStore.open(path, create=True, fold=True) as store:
        store.add_many(["new york", "york", "old york"], columns={"label": ["a", "b", None]})
    return path


@pytest.fixture
def live(path: Path) -> Client:
    settings = Settings(token=TOKEN, writable=True, max_batch=5)
    return Client(create_app(TermStore.open(path, readonly=True), settings), **AUTHORIZED)


def terms(answer: Any) -> list[str]:
    return [row["term"] for row in answer["results"]]


def test_answers_are_those_of_an_index(live: Client, path: Path) -> None:
    index = TermStore.open(path, readonly=True).index()
    app = Client(create_app(index))
    questions: list[tuple[str, dict[str, Any]]] = [
        ("/v1/super", {"term": "york", "sort": "left", "columns": "label"}),
        ("/v1/super", {"term": "York", "limit": 1}),
        ("/v1/nested", {"term": "the new york"}),
        ("/v1/term", {"term": "NEW YORK", "columns": "label"}),
        ("/v1/complete", {"prefix": "yo"}),
        ("/v1/expansions", {"term": "york", "side": "left"}),
    ]
    for address, question in questions:
        assert live.json(address, **question) == app.json(address, **question)
    text = {"text": "From York to New York", "overlaps": "longest"}
    assert live.post("/v1/find", text).json() == app.post("/v1/find", text).json()
    batch = {"ask": "super", "terms": ["york", "new"]}
    assert live.post("/v1/batch", batch).json() == app.post("/v1/batch", batch).json()


def test_a_commit_of_anybody_is_seen_by_the_next_question(live: Client, path: Path) -> None:
    before = live.get("/v1/super?term=york")
    again = live.request(
        "GET", "/v1/super?term=york", headers={"if-none-match": before.headers["etag"]}
    )
    assert again.status_code == 304
    with TermStore.open(path) as store:
        store.add("york minster")
        store.remove("old york")
    after = live.request(
        "GET", "/v1/super?term=york", headers={"if-none-match": before.headers["etag"]}
    )
    assert (after.status_code, terms(after.json())) == (200, ["new york", "york minster"])
    info = live.json("/v1/info")
    assert (info["terms"], info["generation"], info["writable"]) == (3, 3, True)
    assert (
        "termnest_index_terms 3" in live.get("/metrics").text or " 3" in live.get("/metrics").text
    )


def test_terms_are_added_changed_and_removed(live: Client, path: Path) -> None:
    added = live.post(
        "/v1/terms",
        {
            "terms": [
                {"term": "York Minster", "weight": 4, "columns": {"label": "c"}},
                {"term": "york", "aliases": ["Eboracum"]},
            ]
        },
    )
    assert (added.status_code, added.json()) == (200, {"generation": 3, "ids": [3, 1]})
    assert terms(live.json("/v1/super", term="york"))[0] == "York Minster"
    assert live.post("/v1/find", {"text": "eboracum"}).json()["total"] == 1
    removed = live.request("DELETE", "/v1/terms", json={"terms": ["york", "old york"]})
    assert (removed.status_code, removed.json()) == (200, {"generation": 4, "removed": 2})
    # Durable: another reader sees it.
    assert list(TermStore.open(path, readonly=True)) == ["new york", "York Minster"]


def test_a_request_is_done_as_a_whole_or_not_at_all(live: Client, path: Path) -> None:
    for body, words in [
        ({"terms": [{"term": "good"}, {"term": " "}]}, "' ' cannot be a term"),
        ({"terms": [{"term": "good"}, {"term": "x " * 4500}]}, "has 4500 tokens"),
        ({"terms": [{"term": "good"}, {"term": "bad", "weight": -1}]}, "greater than or equal"),
        ({"terms": [{"term": "good"}, {"term": "bad", "columns": {"label": 1}}]}, "label"),
        ({"terms": [{"term": "good"}, {"term": "bad", "aliases": ["york"]}]}, "another term"),
        ({"terms": [{"term": "good", "wait": 1}]}, "wait"),
        ({"terms": []}, "terms"),
        ({"terms": [{"term": "a"}] * 6}, "terms"),
    ]:
        assert_problem(live.post("/v1/terms", body), 422, words)
    missing = live.request("DELETE", "/v1/terms", json={"terms": ["york", "not there"]})
    assert_problem(missing, 404, "'not there' is not in the vocabulary")
    store = TermStore.open(path)  # the lock is free
    assert (store.generation, len(store)) == (2, 3)


def test_changes_need_the_token_and_the_option(live: Client, path: Path) -> None:
    body = {"terms": [{"term": "x"}]}
    live.headers = {}
    assert_problem(live.post("/v1/terms", body), 401)
    assert_problem(live.request("DELETE", "/v1/terms", json={"terms": ["york"]}), 401)
    live.headers = AUTHORIZED
    assert_problem(live.get("/v1/terms"), 405, "POST, DELETE")
    store = TermStore.open(path, readonly=True)
    readonly = Client(create_app(store, Settings(token=TOKEN)), **AUTHORIZED)
    assert readonly.post("/v1/terms", body).status_code == 404
    with pytest.raises(InvalidOptionError, match="writable cannot be True: only with a token"):
        Settings(writable=True)
    with pytest.raises(InvalidOptionError, match="an index does not change: serve a store"):
        create_app(TermIndex(["a"]), Settings(token=TOKEN, writable=True))


def test_a_change_waits_for_another_writer_and_then_gives_up(
    live: Client, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("termnest.server.live_store._LOCK_SECONDS", 0.05)
    store = TermStore.open(path)
    refused = live.post("/v1/terms", {"terms": [{"term": "x"}]})
    assert_problem(refused, 503, "is being written by process")
    assert refused.headers["retry-after"] == "5"
    store.close()
    assert live.post("/v1/terms", {"terms": [{"term": "x"}]}).status_code == 200


def test_a_full_disk_is_reported_and_the_last_commit_is_served(
    live: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: TermStore) -> int:
        raise FileAccessError("cannot write", errno=errno.ENOSPC, filename="x")

    monkeypatch.setattr(TermStore, "commit", full)
    refused = live.post("/v1/terms", {"terms": [{"term": "x"}]})
    assert_problem(refused, 507, "the store was not changed: No space left on device")
    assert live.json("/v1/info")["terms"] == 3


def test_the_routes_of_changes_are_described(live: Client) -> None:
    description = json.loads(live.get("/openapi.json").content)["paths"]["/v1/terms"]
    assert set(description) == {"post", "delete"}
    assert description["post"]["operationId"] != description["delete"]["operationId"]


def test_a_store_that_becomes_unreadable_is_served_as_it_was(
    live: Client, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    live.json("/v1/super", term="york")
    for name in ("manifest-0", "manifest-1"):
        (path / name).write_text("")
    assert terms(live.json("/v1/super", term="york")) == ["new york", "old york"]
    live.json("/v1/info")
    assert len([r for r in caplog.records if "its last generation is kept" in r.message]) == 1
