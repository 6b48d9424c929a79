"""A phrase that is not in the vocabulary: the page offers what is."""

from playwright.sync_api import expect

from serving.page.reader import Reader, Serve, address
from termnest import TermIndex

TERMS = ["heart failure", "acute heart failure", "IT", "e-mail", "carcinoma", "naive bayes"]


def test_other_spellings_and_completions_are_offered(reader: Reader, serve: Serve) -> None:
    served = serve(TermIndex(TERMS))
    for phrase, offered in [
        ("Heart Failure", ["heart failure"]),
        ("it", ["IT"]),
        ("E Mail", ["e-mail"]),
        ("carcin", ["carcinoma"]),
        ("naïve bayes", ["naive bayes"]),
        ("nothing like it", []),
    ]:
        page = reader.open(address(served, phrase))
        expect(page.locator(".nothing")).to_be_visible()
        page.wait_for_load_state("networkidle")
        expect(page.locator(".offers a")).to_have_text(offered)
    page = reader.open(address(served, "Heart Failure"))
    expect(page.locator(".offers")).to_contain_text("distinguishes capitals")
    page.locator(".offers a").click()
    expect(page.locator(".rows li")).to_have_count(1)


def test_a_folded_index_does_not_offer_what_it_has_found(reader: Reader, serve: Serve) -> None:
    served = serve(TermIndex(TERMS, fold=True))
    page = reader.open(address(served, "ACUTE Heart failure"))
    page.wait_for_load_state("networkidle")
    expect(page.locator(".offers")).to_have_count(0)
