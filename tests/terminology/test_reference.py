"""Terms compared with other texts, and the language of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from termnest import InvalidOptionError, InvalidTextError, TermIndex
from termnest.cli import main
from termnest.terminology import (
    LANGUAGES,
    detect,
    extract,
    general_frequencies,
    language,
    reference,
)

WIND = (
    "The wind turbine is a machine. A wind turbine has a rotor, and the rotor has blades. People "
    "say that the people of the house like the wind turbine. The people and the house are near. "
)
NEWS = "The people of the house say that the people like the house and the machine. " * 20


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "wind.txt"
    path.write_text(WIND)
    return path


def ranks(found: Any) -> dict[str, int]:
    return {term: rank for rank, term in enumerate(found.table.column("term"))}


@pytest.mark.parametrize("score", ["termhood", "keyness", "log-likelihood", "weirdness"])
@pytest.mark.parametrize("kind", ["text", "folder", "tsv", "nest"])
def test_what_is_frequent_in_the_reference_ranks_lower(
    corpus: Path, tmp_path: Path, kind: str, score: Any
) -> None:
    news = tmp_path / "news"
    news.mkdir()
    (news / "a.txt").write_text(NEWS)
    counts = {word: NEWS.lower().count(word) for word in ("the", "people", "house", "machine")}
    (tmp_path / "counts.tsv").write_text(
        "word\tcount\n" + "".join(f"{word}\t{count}\n" for word, count in counts.items())
    )
    TermIndex(counts).save(tmp_path / "counts.nest")
    given = {
        "text": news / "a.txt",
        "folder": news,
        "tsv": tmp_path / "counts.tsv",
        "nest": tmp_path / "counts.nest",
    }[kind]
    found = extract(corpus, language="en", reference=given, score=score)
    place = ranks(found)
    assert place["wind turbine"] < place["people"]
    assert place["rotor"] < place["house"]
    assert found.reference == str(given)
    assert found.warnings == ()


def test_keyness_and_log_likelihood_are_those_of_the_textbooks(
    corpus: Path, tmp_path: Path
) -> None:
    (tmp_path / "other.txt").write_text(NEWS)
    rows = extract(
        corpus, language="en", reference=tmp_path / "other.txt", score="keyness", keep="all"
    ).table.to_pylist()
    (row,) = [row for row in rows if row["term"] == "people"]
    here, there = len(WIND.split()), len(NEWS.split())
    expected = (3e6 / here + 10) / (40e6 / there + 10)
    assert row["score"] == pytest.approx(expected)


def test_general_frequencies_are_used_if_they_are_installed_and_no_reference_is_given(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("wordfreq")
    found = extract(corpus, language="en")
    assert found.reference == "the general frequencies of wordfreq"
    assert ranks(found)["rotor"] < ranks(found)["people"]
    monkeypatch.setattr(reference, "_general_file", lambda code: None)
    assert extract(corpus, language="en").reference is None
    assert extract(corpus, language="en", reference=False).reference is None
    reference._general.cache_clear()
    with pytest.raises(Exception, match=r"pip install 'termnest\[terminology\]'"):
        general_frequencies("en")


def test_a_reference_in_another_language_is_reported(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    french = "Les gens de la maison sont dans le jardin, et ils ne sont pas avec nous. " * 5
    (tmp_path / "french.txt").write_text(french)
    command = ["extract", str(corpus), "--reference", str(tmp_path / "french.txt")]
    assert main(command) == 0
    err = capsys.readouterr().err
    assert "warning: the reference" in err
    assert "is French, and the corpus English" in err


def test_a_reference_without_counts_or_words_is_refused(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "terms.csv").write_text("term\nwind\nhouse\n")
    with pytest.raises(InvalidTextError, match="has terms without counts"):
        extract(corpus, reference=tmp_path / "terms.csv")
    (tmp_path / "empty.txt").write_text("...")
    with pytest.raises(InvalidTextError, match=r"the reference .*empty\.txt has no word"):
        extract(corpus, reference=tmp_path / "empty.txt")


def test_scores_that_compare_need_a_reference(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["extract", str(corpus), "--score", "keyness", "--reference", "none"]) == 2
    assert "it compares with a reference: give one, or pip install" in capsys.readouterr().err


# --- languages ---

SENTENCES = {
    "bg": "Това е един много важен въпрос за всички хора, които живеят в тази страна и не са тук",
    "cs": "To je velmi důležitá otázka pro všechny lidi, kteří žijí v této zemi a nejsou zde",
    "da": "Det er et meget vigtigt spørgsmål for alle de mennesker, der bor i dette land",
    "de": "Das ist eine sehr wichtige Frage für alle Menschen, die in diesem Land leben",
    "el": "Αυτό είναι ένα πολύ σημαντικό θέμα για όλους τους ανθρώπους που δεν είναι στη χώρα μας",
    "en": "This is a very important question for all the people who live in this country and not",
    "es": "Esta es una cuestión muy importante para todas las personas que viven en este país y no",
    "fi": "Tämä on hyvin tärkeä kysymys kaikille ihmisille, jotka asuvat tässä maassa",
    "fr": "C'est une question très importante pour toutes les personnes qui vivent dans ce pays",
    "hu": "Ez egy nagyon fontos kérdés minden ember számára, aki ebben az országban él",
    "it": "Questa è una questione molto importante per tutte le persone che vivono in questo paese",
    "nl": "Dit is een zeer belangrijke vraag voor alle mensen die in dit land wonen en niet daar",
    "pl": "To jest bardzo ważne pytanie dla wszystkich ludzi, którzy żyją w tym kraju i nie tam",
    "pt": "Esta é uma questão muito importante para todas as pessoas que vivem neste país e não",
    "ro": "Aceasta este o întrebare foarte importantă pentru toți oamenii care sunt în țară",
    "ru": "Это очень важный вопрос для всех людей, которые живут в этой стране, а не в другой",
    "sv": "Det är en mycket viktig fråga för alla människor som bor i det här landet och inte där",
    "tr": "Bu, bu ülkede yaşayan bütün insanlar için çok önemli bir sorudur ve başka bir yer değil",
    "uk": "Це дуже важливе питання для всіх людей, які живуть у цій країні, а не в іншій",
}


@pytest.mark.parametrize("code", SENTENCES)
def test_the_language_of_a_sentence_is_detected(code: str) -> None:
    assert detect(SENTENCES[code]).code == code


def test_at_least_twenty_languages_are_known() -> None:
    assert len(LANGUAGES) >= 20
    assert {"en", "fr", "nl", "de", "es", "it"} <= set(LANGUAGES)
    for code in LANGUAGES:
        known = language(code)
        assert known.head == (
            "first" if code in ["fr", "es", "it", "pt", "ca", "gl", "ro", "pl", "id"] else "last"
        )
        assert known.determiners
        assert known.prepositions
        assert known.verbal


def test_an_unknown_language_gets_the_list_of_languages(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["extract", str(corpus), "--language", "xx"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("termnest: --language cannot be 'xx': it must be one of bg, ca, cs, ")
    with pytest.raises(InvalidOptionError, match="'xx'"):
        extract(corpus, language="xx")


def test_the_language_is_reported_and_asked_for_where_it_is_not_clear(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "text.txt"
    path.write_text("Les patients de la cohorte ont une insuffisance. " * 3)
    assert main(["extract", str(path)]) == 0
    assert ", French, detected, " in capsys.readouterr().err
    assert main(["extract", str(path), "--language", "fr"]) == 0
    assert ", French, " in capsys.readouterr().err.replace(", French, detected", "")
    path.write_text("blorp zind kravat. " * 100)
    assert main(["extract", str(path)]) == 0
    assert "warning: the language of the corpus is not clear" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("太阳能电池把光变成电。" * 5, "Chinese"),
        ("太陽電池は光を電気に変える装置です。" * 5, "Japanese"),
        ("เซลล์แสงอาทิตย์เปลี่ยนแสงเป็นไฟฟ้า" * 5, "Thai"),
    ],
)
def test_a_language_without_spaces_gets_a_sentence(
    tmp_path: Path, text: str, script: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "text.txt"
    path.write_text(text)
    assert main(["extract", str(path)]) == 2
    assert capsys.readouterr().err == (
        f"termnest: the corpus is in {script} script, which has no spaces between words: find its "
        "terms with a spaCy pipeline for its language, or give --candidates noun-phrases to use "
        "one\n"
    )


# --- what is not a term ---


def test_the_first_terms_of_a_text_have_no_formulae_references_and_function_words(
    tmp_path: Path,
) -> None:
    sentence = (
        "In article 7 the axial velocity is given by sin x. Article 8 and article 9 describe the "
        "axial velocity of the rotor, as shown in table 4, and ensure the safety of the rotor. "
    )
    path = tmp_path / "text.txt"
    path.write_text(sentence * 6)
    terms = extract(path, language="en", reference=False).table.column("term").to_list()
    assert {term.lower() for term in terms[:2]} == {"rotor", "axial velocity"}
    assert all(terms.index(one) > 2 for one in ("article 7", "sin x", "ensure") if one in terms)
