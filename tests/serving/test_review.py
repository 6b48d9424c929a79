"""The review of a list of terms: decisions that are kept, and what can be downloaded."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")

from serving.client import Client
from termnest import FileAccessError, InvalidTextError, TermIndex
from termnest.cli import main
from termnest.server import Settings, create_app
from termnest.server.review import Review, Term, letter_of

TERMS = [
    Term("wind turbine", 9, 3.5, 2, ("wind turbines",)),
    Term("rotor", 5, 2.5, 1, ()),
    Term("Énergie", 4, 2.0, 2, ()),
    Term("windmill", 2, 1.0, 1, ()),
    Term("turbine", 12, 0.5, 2, ()),
]


def review_of(folder: Path, **more: Any) -> Review:
    return Review(TERMS, folder / "list.review.jsonl", language="en", **more)


def client_of(review: Review) -> Client:
    index = TermIndex([term.term for term in review.terms])
    app = create_app(index, Settings(allowed_hosts=("*",)), review=review)
    return Client(app)


def names(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [row["term"] for row in answer.json()["rows"]]


def test_the_list_is_sorted_filtered_and_paged(tmp_path: Path) -> None:
    client = client_of(review_of(tmp_path))
    listed = "/v1/review/terms"
    assert names(client.get(listed)) == [term.term for term in TERMS]
    assert names(client.get(f"{listed}?sort=frequency&limit=2")) == ["turbine", "wind turbine"]
    assert names(client.get(f"{listed}?sort=term&limit=1&offset=1")) == ["turbine"]
    assert names(client.get(f"{listed}?sort=term&order=desc&limit=1")) == ["Énergie"]
    assert names(client.get(f"{listed}?filter=WIND")) == ["wind turbine", "windmill"]
    assert names(client.get(f"{listed}?letter=E")) == ["Énergie"]
    answer = client.get(f"{listed}?limit=1").json()
    assert answer["total"] == 5
    assert answer["letters"] == {"E": 1, "R": 1, "T": 1, "W": 2}
    assert answer["counts"] == {"open": 5, "accepted": 0, "rejected": 0, "merged": 0}


def test_decisions_are_kept_in_the_file_and_the_last_one_counts(tmp_path: Path) -> None:
    review = review_of(tmp_path)
    client = client_of(review)

    def decide(status: str, *terms: str, **more: str) -> Any:
        body = {"terms": list(terms), "status": status, **more}
        return client.post("/v1/review/decide", body)

    assert decide("accepted", "rotor", "turbine").json()["counts"]["accepted"] == 2
    decide("rejected", "rotor")
    decide("merged", "windmill", into="wind turbine")
    lines = [json.loads(line) for line in review.path.read_text().splitlines()]
    assert lines[-1] == {"term": "windmill", "status": "merged", "into": "wind turbine"}
    assert len(lines) == 4
    again = client_of(review_of(tmp_path))
    assert names(again.get("/v1/review/terms?status=rejected")) == ["rotor"]
    assert names(again.get("/v1/review/terms?status=accepted")) == ["turbine"]
    (row,) = again.get("/v1/review/terms?status=merged").json()["rows"]
    assert row["into"] == "wind turbine"
    # A process that takes the place of another knows what was decided since.
    assert names(client_of(review.again()).get("/v1/review/terms?status=rejected")) == ["rotor"]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"terms": ["nothing"], "status": "accepted"}, "'nothing' is not in the list"),
        ({"terms": ["rotor"], "status": "good"}, "the status cannot be 'good': open, accepted"),
        ({"terms": ["rotor"], "status": "merged"}, "None is not in the list: merge with a term"),
        ({"terms": ["rotor"], "status": "merged", "into": "rotor"}, "merged with itself"),
        ({"terms": ["rotor"], "status": "merged", "into": "windmill"}, "merge with 'turbine'"),
        ({"terms": "rotor", "status": "accepted"}, "the body must be an object such as"),
        (["rotor"], "the body must be an object such as"),
    ],
)
def test_a_decision_that_makes_no_sense_is_refused_and_not_kept(
    tmp_path: Path, body: Any, problem: str
) -> None:
    review = review_of(tmp_path)
    review.decide(["windmill"], "merged", "turbine")
    before = review.path.read_bytes()
    answer = client_of(review).post("/v1/review/decide", body)
    assert answer.status_code == 422
    assert problem in answer.json()["detail"]
    assert review.path.read_bytes() == before


@pytest.mark.parametrize("query", ["sort=size", "status=good", "limit=501", "offset=-1"])
def test_wrong_parameters_are_refused(tmp_path: Path, query: str) -> None:
    answer = client_of(review_of(tmp_path)).get(f"/v1/review/terms?{query}")
    assert answer.status_code == 422
    assert query.split("=")[0] in answer.json()["detail"]


def test_a_file_that_has_no_decisions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "list.review.jsonl"
    path.write_text('{"term": "rotor", "status": "accepted"}\nnothing\n')
    with pytest.raises(InvalidTextError, match=r"line 2 is not a decision about a term"):
        review_of(tmp_path)
    assert path.read_text().endswith("nothing\n")
    path.unlink()
    path.mkdir()
    with pytest.raises(FileAccessError, match="cannot use"):
        review_of(tmp_path)


@pytest.mark.parametrize("format", ["csv", "xlsx", "tbx", "ttl"])
def test_accepted_terms_are_downloaded_with_what_was_merged_into_them(
    tmp_path: Path, format: str
) -> None:
    review = review_of(tmp_path)
    review.decide(["windmill"], "merged", "turbine")
    review.decide(["turbine", "wind turbine"], "accepted", None)
    answer = client_of(review).get(f"/v1/review/download?format={format}")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="terms.{format}"'
    path = tmp_path / f"terms.{format}"
    path.write_bytes(answer.content)
    assert sorted(TermIndex.from_file(path)) == ["turbine", "wind turbine"]
    if format == "csv":
        rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
        assert [row["forms"] for row in rows] == ["wind turbines", "windmill"]
    elif format != "xlsx":
        aliases = {row["alias"]: row["term"] for row in TermIndex.from_file(path).aliases()}
        assert aliases == {"wind turbines": "wind turbine", "windmill": "turbine"}


def test_the_tree_has_the_terms_below_their_heads(tmp_path: Path) -> None:
    client = client_of(review_of(tmp_path))
    (top,) = client.get("/v1/review/tree").json()
    assert (top["term"], top["narrower"]) == ("turbine", 1)
    (below,) = client.get("/v1/review/tree?term=turbine").json()
    assert (below["term"], below["narrower"]) == ("wind turbine", 0)


def test_contexts_are_those_of_all_forms(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("A wind turbine. Two wind turbines.")
    review = review_of(tmp_path, corpus=([str(tmp_path / "text.txt")], {}))
    found = client_of(review).get("/v1/review/contexts?term=wind turbine").json()
    assert [line["match"] for line in found] == ["wind turbine", "wind turbines"]
    assert client_of(review_of(tmp_path)).get("/v1/review/contexts?term=rotor").json() == []
    assert client_of(review).get("/v1/review/contexts?term=x").status_code == 404
    assert client_of(review).get("/v1/review/contexts").status_code == 422


def test_a_server_without_a_list_has_the_page_but_no_terms() -> None:
    client = Client(create_app(TermIndex(["a"]), Settings(allowed_hosts=("*",))))
    assert client.get("/review").status_code == 200
    assert client.get("/v1/review/terms").status_code == 404


@pytest.mark.parametrize(
    ("term", "letter"),
    [("apple", "A"), ("Élan", "E"), ("(x)", "X"), ("3D", "#"), ("ß", "S"), ("-", "#")],
)
def test_a_term_is_under_its_first_letter(term: str, letter: str) -> None:
    assert letter_of(term) == letter


def test_the_command_refuses_what_it_cannot_review(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["review", "-"]) == 2
    assert "give a file or a folder" in capsys.readouterr().err
    (tmp_path / "text.txt").write_text("One. Two.")
    assert main(["review", str(tmp_path / "text.txt"), "--corpus", "x"]) == 2
    assert "--corpus goes with a list of terms" in capsys.readouterr().err
    assert main(["review", str(tmp_path / "text.txt")]) == 1
    assert "no term found in" in capsys.readouterr().err
