"""Languages: the function words of each, where a term has its head, and the base forms of words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Literal, NamedTuple

from termnest.arguments import items, text
from termnest.errors import InvalidOptionError

Head = Literal["first", "last"]

_FOLDER = resources.files("termnest.terminology") / "languages"
# Characters at the start of a corpus from which its language is detected.
SAMPLE = 200_000
# A text with fewer words that are function words of some language says nothing of its language.
_MIN_HITS = 5
# Of the words of a text, at least this share are function words of its language; the next language
# has at most this part of them.
_MIN_SHARE = 0.15
_MAX_NEXT = 0.95
_WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# Letters of a base form: shorter ones are mostly other words.
_MIN_BASE = 3
_VOWELS = frozenset("aeiouyáéíóúàèìòùäëïöüâêîôûåæøœ")
_UMLAUTS = str.maketrans("äöü", "aou")


@dataclass(frozen=True)
class Language:
    """What is known of a language. The lists are in `languages/CODE.txt`."""

    code: str
    name: str
    head: Head
    """Where the head of a term is: `"first"` as in French, or `"last"` as in English."""
    connectors: frozenset[str]
    """The function words that may be inside of a term: of, de, di."""
    determiners: frozenset[str]
    """Articles and the like, which noun phrases begin with."""
    prepositions: frozenset[str]
    verbal: frozenset[str]
    """Pronouns, auxiliaries and others that a verb follows."""
    other: frozenset[str]
    """Conjunctions, adverbs of time, place and degree, and the rest."""
    general: frozenset[str]
    """Words of texts on whatever subject, which are rarely a term of it."""
    endings: tuple[tuple[str, str], ...]
    """Endings of inflected forms, with those of the base forms; the longest that fits counts."""
    keep: tuple[str, ...]
    """Words that are base forms although they look inflected, and such endings: -ss."""
    doubling: bool
    """Whether letters are doubled before endings, as in Dutch: bom, bommen; schaal, schalen."""
    umlauts: bool
    """Whether vowels change before endings, as in German: Haus, Häuser."""

    @cached_property
    def stop_words(self) -> frozenset[str]:
        """The function words, with which no term starts or ends."""
        return self.determiners | self.prepositions | self.verbal | self.other | self.connectors

    def base_forms(self, words: Iterable[str]) -> dict[str, str]:
        """The base forms of the words that are not base forms themselves.

        Only a word of the list is a base form: "turbines" is a form of "turbine" where both occur.

        >>> sorted(language("en").base_forms(["turbine", "turbines", "box", "boxes"]).items())
        [('boxes', 'box'), ('turbines', 'turbine')]
        """
        stops = self.stop_words
        words = [text("each of words", word) for word in items("words", words, "a list of words")]
        known = {word for word in words if word not in stops}
        bases: dict[str, str] = {}
        last_letters = {ending[-1] for ending, _ in self.endings}
        for word in known:
            if word[-1:] in last_letters:
                base = next((base for base in self._possible_bases(word) if base in known), word)
                if base != word:
                    bases[word] = base
        for word, base in bases.items():
            # Of "wirtschaftlicher" it is "wirtschaftliche", and of that "wirtschaftlich".
            seen = {word}
            while base in bases and base not in seen:
                seen.add(base)
                base = bases[base]
            bases[word] = base
        return bases

    def _possible_bases(self, word: str) -> Iterable[str]:
        if word in self.keep or not word.isalpha():
            # "decision-makers" has its ending after the last hyphen.
            before, hyphen, last = word.rpartition("-")
            if hyphen and last.isalpha() and len(last) > _MIN_BASE:
                yield from (before + hyphen + base for base in self._possible_bases(last))
            return
        is_kept = word.endswith(self._kept_endings)
        for length in self._lengths:
            ending = word[-length:]
            stem = word[:-length]
            for base in self._bases_of.get(ending, ()):
                if len(stem) + len(base) < _MIN_BASE or (
                    is_kept and ending[-1] == "s" and not base
                ):
                    continue
                yield stem + base
                if base:
                    continue
                if self.umlauts and (plain := stem.translate(_UMLAUTS)) != stem:
                    yield plain
                if self.doubling and ending[0] == "e":
                    yield from _undoubled(stem)

    @cached_property
    def _bases_of(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for ending, base in self.endings:
            found.setdefault(ending, []).append(base)
        return found

    @cached_property
    def _lengths(self) -> list[int]:
        return sorted({len(ending) for ending, _ in self.endings}, reverse=True)

    @cached_property
    def _kept_endings(self) -> tuple[str, ...]:
        return tuple(kept[1:] for kept in self.keep if kept.startswith("-"))


def _undoubled(stem: str) -> Iterable[str]:
    """The words that a Dutch stem can be of before an ending that begins with a vowel."""
    last = stem[-1]
    if last in _VOWELS:
        return
    if stem[-2] == last:
        yield stem[:-1]
    elif stem[-2] in "aeou" and stem[-3:-2] not in _VOWELS:
        long = stem[:-1] + stem[-2] + last
        yield long
        stem = long
    if stem.endswith(("v", "z")):
        yield stem[:-1] + {"v": "f", "z": "s"}[stem[-1]]


def _codes() -> tuple[str, ...]:
    names = (path.name for path in _FOLDER.iterdir())
    return tuple(sorted(name.removesuffix(".txt") for name in names if name.endswith(".txt")))


LANGUAGES: tuple[str, ...] = _codes()
"""The codes of the languages whose function words are known."""


def language(language: str) -> Language:
    """The language with this code of ISO 639-1.

    >>> language("fr").head, sorted(language("fr").connectors)
    ('first', ['d', 'de', 'des', 'du'])

    Raises:
        InvalidOptionError: It is not among `LANGUAGES`.
    """
    return _read(text("language", language))


@cache
def _read(code: str) -> Language:
    if code not in LANGUAGES:
        raise InvalidOptionError(
            option="language",
            value=repr(code),
            expected=f"it must be one of {', '.join(LANGUAGES)}",
        )
    lines = (_FOLDER / f"{code}.txt").read_text(encoding="utf-8").splitlines()
    fields = {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}

    def words(key: str) -> frozenset[str]:
        return frozenset(fields.get(key, "").split())

    endings = (ending.partition(">") for ending in fields.get("endings", "").split())
    return Language(
        code=code,
        name=fields["name"],
        head="first" if fields["head"] == "first" else "last",
        connectors=words("connectors"),
        determiners=words("determiners"),
        prepositions=words("prepositions"),
        verbal=words("verbal"),
        other=words("other"),
        general=words("general"),
        endings=tuple((ending, base) for ending, _, base in endings),
        keep=tuple(fields.get("keep", "").split()),
        doubling=fields.get("doubling") == "yes",
        umlauts=fields.get("umlauts") == "yes",
    )


def language_name(code: str | None) -> str:
    """The English name of a language."""
    return "of an unknown language" if code is None else language(code).name


class Detected(NamedTuple):
    """The language of a text, as far as its function words show it."""

    code: str | None
    """None if it is not clear."""
    words: int
    """The words that were looked at."""
    unspaced: str | None
    """The script, if most letters belong to one that puts no spaces between words."""


_UNSPACED = {
    "Chinese": re.compile("[\u4e00-\u9fff\u3400-\u4dbf]"),
    "Japanese": re.compile("[\u3040-\u30ff]"),
    "Thai": re.compile("[\u0e00-\u0e7f]"),
    "Lao": re.compile("[\u0e80-\u0eff]"),
    "Burmese": re.compile("[\u1000-\u109f]"),
    "Khmer": re.compile("[\u1780-\u17ff]"),
}


def detect(sample: str) -> Detected:
    """The language of a text.

    >>> detect("Les patients avec une insuffisance sont dans la cohorte de la ville").code
    'fr'
    """
    sample = text("sample", sample)[:SAMPLE]
    letters = sum(map(str.isalpha, sample))
    counts = {name: len(found.findall(sample)) for name, found in _UNSPACED.items()}
    if letters and sum(counts.values()) > 0.3 * letters:
        script = max(counts, key=counts.__getitem__)
        # Japanese text has Chinese characters too.
        if counts["Japanese"] > 0.05 * letters:
            script = "Japanese"
        return Detected(None, 0, script)
    words = Counter(
        part for word in _WORDS.findall(sample.lower()) for part in re.split("['’]", word)
    )
    total = words.total()
    hits = []
    for code in LANGUAGES:
        known = language(code).stop_words
        hits.append((sum(count for word, count in words.items() if word in known), code))
    hits.sort(reverse=True)
    (most, best), (next_most, _) = hits[:2]
    clear = most >= _MIN_HITS and most >= _MIN_SHARE * total and next_most <= _MAX_NEXT * most
    return Detected(best if clear else None, total, None)


def detect_terms(terms: str) -> str | None:
    """The code of the language of terms, which have few function words; None if it is not clear.

    >>> detect_terms("corruption active\\nlutte contre la corruption\\ndroit de la mer")
    'fr'
    """
    words = Counter(
        part for word in _WORDS.findall(terms.lower()) for part in re.split("['’]", word)
    )
    # Prepositions and articles are inside of terms; other function words are names as often as not.
    hits = sorted(
        (
            sum(words[word] for word in language(code).prepositions | language(code).determiners),
            code,
        )
        for code in LANGUAGES
    )
    (next_most, _), (most, best) = hits[-2:]
    return best if most >= 3 and next_most < _MAX_NEXT * most else None
