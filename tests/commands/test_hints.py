"""When nothing is found, a terminal says so and offers what would match."""

import pytest

from command_line import Run, run_fixture  # noqa: F401  (a fixture)
from termnest.cli import hints

TERMS = """heart failure
acute heart failure
e-mail
e-mail address
naïve bayes
stem cell
IT desk
"""


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "on_terminal", lambda: True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["super", "Heart Failure"], "; `heart failure` is in the vocabulary: add --fold"),
        (["super", "naive"], "; `naïve bayes` is in the vocabulary: add --fold --strip-accents"),
        (["super", "email"], "; `e-mail` is in the vocabulary: add --hyphens both"),
        (["super", "Email"], "; `e-mail` is in the vocabulary: add --fold --hyphens both"),
        (
            ["super", "mail", "--hyphens", "keep"],
            "; `e-mail` is in the vocabulary: add --hyphens split",
        ),
        (
            ["super", "Naive", "--fold"],
            "; `naïve bayes` is in the vocabulary: add --strip-accents",
        ),
        (
            ["super", "Heart", "--tokenizer", "whitespace"],
            "; `heart failure` is in the vocabulary: add --fold",
        ),
        (
            ["nested", "the it desk", "--fold", "--case", "smart"],
            "; `IT desk` is in the vocabulary: leave out --case smart",
        ),
        (["nested", "stem cells X"], "; `stem cell` is in the vocabulary: add --language en"),
        (["nested", "a Heart failure"], "; `heart failure` is in the vocabulary: add --fold"),
        (["complete", "HEA"], "; `heart failure` is in the vocabulary: add --fold"),
        (["expand", "Heart Failure"], "; `heart failure` is in the vocabulary: add --fold"),
        (["find", "text.txt"], "; `stem cell` is in the vocabulary: add --language en"),
        (["super", "nothing"], ""),
        (
            ["super", "acute heart failure"],
            ": `acute heart failure` is in the vocabulary, and no other term contains it",
        ),
        (["nested", "e-mail"], ": `e-mail` is in the vocabulary, and it contains no other term"),
    ],
)
def test_what_would_match_is_offered_with_its_option(
    run: Run, arguments: list[str], said: str
) -> None:
    run.write("words.txt", TERMS.encode())
    run.write("text.txt", b"Two stem cells.")
    ran = run(arguments[0], "words.txt", *arguments[1:])
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == f"nothing found{said}\n"
    if "add --" in said:
        options = said.rpartition("add ")[2].split()
        assert run(arguments[0], "words.txt", *arguments[1:], *options).out


def test_a_saved_index_must_be_built_again(run: Run) -> None:
    run.write("words.txt", TERMS.encode())
    run("build", "words.txt", "-o", "words.nest")
    ran = run("super", "words.nest", "Heart")
    assert "`heart failure` is in the vocabulary: build the index again with --fold" in ran.err


def test_nothing_is_said_where_something_was_found_or_no_terminal_is(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.write("words.txt", TERMS.encode())
    assert run("super", "words.txt", "heart").err == ""
    monkeypatch.setattr(hints, "on_terminal", lambda: False)
    assert run("super", "words.txt", "Heart").err == ""
