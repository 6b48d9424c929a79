"""The definitions of termnest by brute force, with which every other answer is compared.

Nothing here is fast, and nothing is imported from termnest. Each question is answered by trying
every term and every position, so that the code reads like the definitions.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise, product
from typing import Any, Literal, NamedTuple

import regex

Tokenizer = Literal["text", "whitespace", "words", "chars"]
Where = Literal["anywhere", "start", "end", "inside"]
Overlaps = Literal["all", "longest", "leftmost"]
Variants = Literal["all", "first"]
WordOrder = Literal["given", "any"]
Sort = Literal["weight", "left", "right", "length"]
Hyphens = Literal["keep", "split", "both"]
Key = tuple[str, ...]

# The Unicode property White_Space. str.split and str.strip without arguments, unlike termnest, also
# treat U+001C to U+001F as white space.
WHITE_SPACE = (
    "\u0009\u000a\u000b\u000c\u000d\u0020\u0085\u00a0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


class Token(NamedTuple):
    """A token as it occurs in a string: its text, and where it starts and ends."""

    text: str
    start: int
    end: int


class Row(NamedTuple):
    """One answer to one query, as in a row of a table: `start` and `length` count tokens."""

    id: int
    term: str
    weight: float
    start: int
    length: int


class Found(NamedTuple):
    """A term in running text: `start` and `end` count characters."""

    term: str
    id: int
    start: int
    end: int


class Pair(NamedTuple):
    """One term nested in another: their ids, and the token at which it first occurs."""

    nested: int
    super: int
    start: int


class Reading(NamedTuple):
    """A text as it is matched: its key, and which of its tokens are in capitals and must be."""

    key: Key
    capitals: tuple[bool, ...]


class Name(NamedTuple):
    """One of the names of a term."""

    owner: int
    key: Key
    capitals: tuple[bool, ...]


# A row, and the words of the name before it, backwards, and after it.
Shown = tuple[Row, Key, Key]


class Oracle:
    """A vocabulary that answers like TermIndex, by trying everything.

    `names` are all names of terms: their own, by id, then the aliases, then, with `hyphens="both"`,
    how these read without hyphens. No term has two names with the same key.

    `surfaces`, `keys`, `rows` (the values in the columns) and `weights` are lists by term id.
    `skipped` counts the entries without a token, `duplicates` the entries merged into an earlier
    term with the same surface and the same values in all columns.
    """

    def __init__(
        self,
        terms: Iterable[str],
        *,
        weights: Iterable[float] | None = None,
        columns: Mapping[str, Sequence[Any]] | None = None,
        tokenizer: Tokenizer | None = None,
        separator: str | None = None,
        lowercase: bool = False,
        strip_accents: bool = False,
        fold: bool = False,
        hyphens: Hyphens = "split",
        case: Literal["smart"] | None = None,
        aliases: Iterable[tuple[str, str]] = (),
        normalize: Callable[[str], str] | None = None,
    ) -> None:
        if tokenizer is None:
            tokenizer = "text" if separator is None else "whitespace"
        if separator is not None and tokenizer != "whitespace":
            raise ValueError(f"a separator cannot be combined with tokenizer={tokenizer!r}")
        if separator == "":
            raise ValueError("a separator cannot be empty")
        self.tokenizer = tokenizer
        self.separator = separator
        self.lowercase = lowercase
        self.strip_accents = strip_accents
        self.fold = fold
        self.hyphens = hyphens
        self.case = case
        self.normalize = normalize
        self.surfaces: list[str] = []
        self.rows: list[tuple[Any, ...]] = []
        self.keys: list[Key] = []
        self.weights: list[float] = []
        self.skipped = 0
        self.duplicates = 0

        entries = list(terms)
        given = [1.0] * len(entries) if weights is None else list(weights)
        self.columns = list(columns or {})
        values = [list(column) for column in (columns or {}).values()]
        seen: dict[tuple[str, str], int] = {}
        own: list[tuple[int, str]] = []
        for number, (entry, weight) in enumerate(zip(entries, given, strict=True)):
            tokens = self._tokens_of_entry(entry)
            surface = self._surface(entry)
            key = self._key(tokens)
            row = tuple(column[number] for column in values)
            if not key:
                self.skipped += 1
            elif (surface, repr(row)) in seen:
                self.duplicates += 1
                if weights is not None:
                    self.weights[seen[surface, repr(row)]] += weight
            else:
                seen[surface, repr(row)] = len(self.surfaces)
                self.surfaces.append(surface)
                own.append((len(own), entry))
                self.rows.append(row)
                self.keys.append(key)
                self.weights.append(weight)

        # With a separator: if no surface contains white space, white space separates the tokens
        # of queries and texts too. If surfaces contain some, but none of ASCII, then that of ASCII
        # does.
        used = {character for surface in self.surfaces for character in surface}
        blanks = " \t\n\v\f\r"
        kinds = [kind for kind in (WHITE_SPACE, blanks) if used.isdisjoint(kind)]
        self._separating_spaces = kinds[0] if kinds else ""

        self.names: list[Name] = []
        self._known: set[tuple[int, Key]] = set()
        others = [(owner, alias) for term, alias in aliases for owner in self.ids(term)]
        for owner, text in own + others:
            self._add_name(owner, self._tokens_of_entry(text))
        if hyphens == "both":
            for owner, text in own + others:
                words = _words_of_text(text, "keep")
                if len(words) < len(self._tokens_of_entry(text)):
                    self._add_name(owner, words)

    def _add_name(self, owner: int, tokens: list[Token]) -> None:
        reading = self._reading(tokens)
        if reading.key and (owner, reading.key) not in self._known:
            self._known.add((owner, reading.key))
            self.names.append(Name(owner, *reading))

    def _reading(self, tokens: list[Token]) -> Reading:
        kept = [token.text for token in tokens if self._normal(token.text)]
        smart = self.case == "smart"
        capitals = tuple(smart and _is_in_capitals(text) for text in kept)
        return Reading(tuple(map(self._normal, kept)), capitals)

    def _readings(self, phrase: str) -> list[Reading]:
        """How a phrase reads: as it is, and without its hyphens if they make no difference."""
        readings = [self._reading(self._tokens_of_query(phrase))]
        if self.hyphens == "both":
            joined = self._reading(_words_of_text(phrase, "keep"))
            if len(joined.key) < len(readings[0].key):
                readings.append(joined)
        return readings

    def _matched(self, reading: Reading) -> set[int]:
        """The terms that have this phrase as a name."""
        same = [name for name in self.names if len(name.key) == len(reading.key)]
        return {name.owner for name in same if _fits(name, reading, 0)}

    # Analysis: from a string to its tokens, surface and key.

    def _tokens_of_entry(self, entry: str) -> list[Token]:
        if self.tokenizer == "chars":
            entry = entry.strip(WHITE_SPACE)
        if self.separator is not None:
            # An entry of nothing but ASCII blanks is not a term, whatever the separator.
            blank = not entry.strip(" \t\n\v\f\r")
            return [] if blank else _pieces(entry, re.escape(self.separator))
        return self._tokens_of_text(entry)

    def _tokens_of_query(self, query: str) -> list[Token]:
        if self.tokenizer == "chars":
            query = query.strip(WHITE_SPACE)
        return self._tokens_of_text(query)

    def _tokens_of_text(self, text: str) -> list[Token]:
        if self.tokenizer == "chars":
            return [Token(found[0], *found.span()) for found in regex.finditer(r"\X", text)]
        if self.tokenizer == "words":
            return _ascii_words(text)
        if self.tokenizer == "text":
            return _words_of_text(text, self.hyphens)
        if self.separator is None:
            return _pieces(text, f"[{WHITE_SPACE}]")
        if self._separating_spaces:
            return _pieces(text, f"{re.escape(self.separator)}|[{self._separating_spaces}]")
        return _pieces(text, re.escape(self.separator))

    def _surface(self, entry: str) -> str:
        if self.tokenizer == "text":
            return " ".join(token.text for token in _pieces(entry, f"[{WHITE_SPACE}]"))
        if self.tokenizer != "whitespace":
            return entry.strip(WHITE_SPACE)
        joint = " " if self.separator is None else self.separator
        return joint.join(token.text for token in self._tokens_of_entry(entry))

    def _fold(self, token: str, joined: bool = False) -> str:
        """The token after the options `fold`, `lowercase` and `strip_accents`.

        If it is `joined`, also without its hyphens.
        """
        if self.fold:
            initials = regex.fullmatch(r"\p{Uppercase}(\.\p{Uppercase})+\.?", token)
            token = _folded(token)
            if self.case == "smart" and initials and token not in ("a.m", "p.m", "e.g", "i.e"):
                token = token.replace(".", "")
        elif self.lowercase:
            # A final sigma is a sigma like any other.
            token = token.lower().replace("ς", "σ")
        if joined:
            token = re.sub(f"[{HYPHENS}]", "", token)
        return _without_accents(token) if self.strip_accents else token

    def _normal(self, token: str) -> str:
        """The token as it is compared; empty for a token that is ignored."""
        folded = self._fold(token, joined=self.hyphens == "both")
        return folded if self.normalize is None else self.normalize(folded)

    def key(self, entry: str) -> Key:
        """The key of an entry."""
        return self._key(self._tokens_of_entry(entry))

    def _key(self, tokens: list[Token]) -> Key:
        normal_forms = [self._normal(token.text) for token in tokens]
        return tuple(form for form in normal_forms if form)

    def id(self, term: str) -> int:
        """The id of the term with this surface; KeyError if there is none."""
        # A surface may be a blank, which as an entry would have no token: that of "_ _" at "_".
        surface = term if term in self.surfaces else self._surface(term)
        if surface not in self.surfaces:
            raise KeyError(term)
        return self.surfaces.index(surface)

    def ids(self, term: str) -> list[int]:
        """The ids of the terms with this surface, which differ in their columns."""
        surface = self.surfaces[self.id(term)]
        return [id for id, other in enumerate(self.surfaces) if other == surface]

    def lookup(self, phrase: str) -> list[int]:
        """The ids of the terms that a phrase matches."""
        return sorted({id for reading in self._readings(phrase) for id in self._matched(reading)})

    # Containment.

    def super_rows(
        self,
        term: str,
        *,
        where: Where = "anywhere",
        direct: bool = False,
        max_extra: int | None = None,
        **page: Any,
    ) -> list[Row]:
        """The terms that contain the phrase; `start` is where it first occurs in them."""
        readings = self._readings(term)
        own = set().union(*map(self._matched, readings))
        rows: dict[int, tuple[int, int, Shown]] = {}
        for reading in readings:
            for number, name in enumerate(self.names):
                start = _first_place(reading, name, where)
                extra = len(name.key) - len(reading.key)
                if start is None or name.owner in own:
                    continue
                if max_extra is not None and extra > max_extra:
                    continue
                if direct and self._any_between(reading, name, where, own | {name.owner}):
                    continue
                row = (number, start, self._row(name, start, len(reading.key)))
                rows[name.owner] = min(row, rows.get(name.owner, row), key=lambda row: row[:2])
        return self._page([row for _, (_, _, row) in sorted(rows.items())], **page)

    def nested_rows(
        self, term: str, *, where: Where = "anywhere", direct: bool = False, **page: Any
    ) -> list[Row]:
        """The terms that the phrase contains; `start` is where they first occur in it."""
        readings = self._readings(term)
        own = set().union(*map(self._matched, readings))
        rows: dict[int, tuple[int, int, Shown]] = {}
        for reading in readings:
            for number, name in enumerate(self.names):
                start = _first_place(name, reading, where)
                if start is None or name.owner in own:
                    continue
                if direct and self._any_between(name, reading, where, own | {name.owner}):
                    continue
                row = (number, start, self._row(name, start, len(name.key)))
                rows[name.owner] = min(row, rows.get(name.owner, row), key=lambda row: row[:2])
        return self._page([row for _, (_, _, row) in sorted(rows.items())], **page)

    def _page(
        self,
        rows: list[Shown],
        *,
        min_length: int | None = None,
        max_length: int | None = None,
        sort: Sort = "weight",
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Row]:
        """The rows with these numbers of tokens, in the order that is asked for; some of them."""

        orders: dict[Sort, Callable[[Row, Key, Key], Any]] = {
            "weight": lambda row, before, after: (-row.weight, row.id),
            "left": lambda row, before, after: (before, after, row.id),
            "right": lambda row, before, after: (after, before, row.id),
            "length": lambda row, before, after: (row.length, -row.weight, row.id),
        }
        least = 0 if min_length is None else min_length
        most = math.inf if max_length is None else max_length
        fitting = [row for row in rows if least <= row[0].length <= most]
        ordered = sorted(fitting, key=lambda row: orders[sort](*row))
        return [row for row, _, _ in ordered][offset:][:limit]

    def _row(self, name: Name, start: int, inner: int) -> Shown:
        """A row, and the words of the name before and after the `inner` tokens from `start` on."""
        owner, length = name.owner, len(name.key)
        row = Row(owner, self.surfaces[owner], self.weights[owner], start, length)
        return row, name.key[:start][::-1], name.key[start + inner :]

    def _any_between(
        self, short: Name | Reading, long: Name | Reading, where: Where, others_than: set[int]
    ) -> bool:
        """Whether a name of any other term is between the two."""
        return any(
            _first_place(short, name, where) is not None
            and _first_place(name, long, where) is not None
            for name in self.names
            if name.owner not in others_than
        )

    def super_terms(self, term: str, **options: Any) -> list[str]:
        """The surfaces of `super_rows`."""
        return [row.term for row in self.super_rows(term, **options)]

    def nested_terms(self, term: str, **options: Any) -> list[str]:
        """The surfaces of `nested_rows`."""
        return [row.term for row in self.nested_rows(term, **options)]

    def count_super_terms(self, term: str, **options: Any) -> int:
        """The number of `super_rows`."""
        return len(self.super_rows(term, **options))

    def count_nested_terms(self, term: str, **options: Any) -> int:
        """The number of `nested_rows`."""
        return len(self.nested_rows(term, **options))

    def pairs(self, *, direct: bool = False) -> list[Pair]:
        """All pairs of a nested term and a super term, by nested id, then super id."""
        pairs: dict[tuple[int, int], tuple[int, int]] = {}
        for short in self.names:
            for number, long in enumerate(self.names):
                start = _first_place(short, long, "anywhere")
                both = (short.owner, long.owner)
                if start is None or short.owner == long.owner:
                    continue
                if direct and self._any_between(short, long, "anywhere", set(both)):
                    continue
                pairs[both] = min((number, start), pairs.get(both, (number, start)))
        return [Pair(*both, start) for both, (_, start) in sorted(pairs.items())]

    def heads(self) -> list[int | None]:
        """For each term the longest shorter one that it ends with; of variants the first."""
        heads: list[int | None] = []
        own = self.names[: len(self.surfaces)]
        for name in own:
            found = [
                (-len(other.key), other.owner)
                for other in own
                if len(other.key) < len(name.key)
                and _fits(other, name, len(name.key) - len(other.key))
            ]
            heads.append(min(found)[1] if found else None)
        return heads

    # Running text and completion.

    def find(
        self,
        text: str,
        *,
        overlaps: Overlaps = "all",
        variants: Variants = "all",
        where: Mapping[str, Any] | Iterable[bool] | None = None,
    ) -> list[Found]:
        """The terms that occur in the text, by start, end and id.

        With `where`, which has True for each term to look for, as if there were no others; or names
        of columns with the values that such a term has.
        """
        if isinstance(where, Mapping):
            chosen = [self._has_values(row, where) for row in self.rows]
        else:
            chosen = [True] * len(self.surfaces) if where is None else list(where)
        names = [name for name in self.names if chosen[name.owner]]
        # A token that normalises to nothing is ignored: a span may reach over it.
        readings = [self._tokens_of_text(text)]
        if self.hyphens == "both":
            readings.append(_words_of_text(text, "keep"))
        terms_of_span: dict[tuple[int, int], set[int]] = {}
        for all_tokens in readings:
            tokens = [token for token in all_tokens if self._normal(token.text)]
            reading = self._reading(tokens)
            for first, name in product(range(len(tokens)), names):
                if _fits(name, reading, first):
                    last = tokens[first + len(name.key) - 1]
                    span = (tokens[first].start, last.end)
                    terms_of_span.setdefault(span, set()).add(name.owner)

        return [
            Found(self.surfaces[id], id, start, end)
            for start, end in sorted(_kept(list(terms_of_span), overlaps))
            for id in sorted(terms_of_span[start, end])[: None if variants == "all" else 1]
        ]

    def _has_values(self, row: tuple[Any, ...], where: Mapping[str, Any]) -> bool:
        for column, value in where.items():
            wanted = value if isinstance(value, list) else [value]
            if row[self.columns.index(column)] not in wanted:
                return False
        return True

    def find_batch(self, texts: Iterable[str | None], **options: Any) -> list[tuple[int, Found]]:
        """The terms that occur in each text, with its number; None has none."""
        return [
            (row, found)
            for row, text in enumerate(texts)
            for found in ([] if text is None else self.find(text, **options))
        ]

    def complete(
        self, prefix: str, *, limit: int | None = 10, order: WordOrder = "given"
    ) -> list[str]:
        """The terms that continue the phrase: first those that start with it, heaviest first.

        In any order: those that have all its words, heaviest first.
        """
        if self.tokenizer == "chars":
            prefix = prefix.lstrip(WHITE_SPACE)
        tokens = self._tokens_of_text(prefix)
        # The last token is unfinished unless a separator follows it. Without an unfinished token
        # any token may follow the phrase, as every token starts with the empty string.
        unfinished = ""
        if tokens and tokens[-1].end == len(prefix):
            unfinished = self._fold(tokens.pop().text)
        phrase = self._reading(tokens)
        if not phrase.key and not unfinished:
            return []

        if order == "any":
            having = {name.owner for name in self.names if _has_words(name, phrase, unfinished)}
            heaviest = sorted(having, key=lambda term_id: (-self.weights[term_id], term_id))
            return [self.surfaces[term_id] for term_id in heaviest][:limit]
        answers = []
        for term_id in range(len(self.surfaces)):
            starts = [
                at
                for name in self.names
                if name.owner == term_id
                for at in range(len(name.key))
                if _continues(name, at, phrase, unfinished)
            ]
            if starts:
                answers.append((min(starts) != 0, -self.weights[term_id], term_id))
        return [self.surfaces[term_id] for _, _, term_id in sorted(answers)][:limit]


def _fits(short: Name | Reading, long: Name | Reading, at: int) -> bool:
    """Whether the shorter one is in the longer at this token, its words in capitals in capitals."""
    end = at + len(short.key)
    capitals = zip(short.capitals, long.capitals[at:end], strict=False)
    same = len(short.key) > 0 and long.key[at:end] == short.key
    return same and all(b or not a for a, b in capitals)


def _first_place(short: Name | Reading, long: Name | Reading, where: Where) -> int | None:
    """The first token of the longer one at which the shorter occurs, in a place that fits."""
    if len(short.key) >= len(long.key):
        return None
    last = len(long.key) - len(short.key)
    places = {
        "anywhere": range(last + 1),
        "start": range(1),
        "end": range(last, last + 1),
        "inside": range(1, last),
    }[where]
    return next((at for at in places if _fits(short, long, at)), None)


def _is_in_capitals(word: str) -> bool:
    """Whether a word has two capitals or more, no digit, and no small letter but a plural's s."""
    word = word.removesuffix("s")
    if any(unicodedata.category(c).startswith("N") for c in word):
        return False
    cased = [c for c in word if c.isupper() or c.islower() or c.istitle() or c.lower() != c]
    return len(cased) >= 2 and all(c.isupper() for c in cased)


def _kept(spans: list[tuple[int, int]], overlaps: Overlaps) -> list[tuple[int, int]]:
    """The spans that the policy keeps."""
    if overlaps == "all":
        return spans
    kept: list[tuple[int, int]] = []
    # By start, longest first, so that a span comes after all spans that contain it.
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if overlaps == "longest":
            refused = any(end <= kept_end for _, kept_end in reversed(kept))
        else:
            refused = any(start < kept_end for _, kept_end in reversed(kept))
        if not refused:
            kept.append((start, end))
    return kept


def _continues(name: Name, at: int, phrase: Reading, unfinished: str) -> bool:
    """Whether the name has the phrase and the unfinished token at this position, and then more."""
    key, last = name.key, at + len(phrase.key)
    if phrase.key and not _fits(phrase, name, at):
        return False
    if last >= len(key) or not key[last].startswith(unfinished):
        return False
    return key[last] != unfinished or last + 1 < len(key)


def _has_words(name: Name, phrase: Reading, unfinished: str) -> bool:
    """Whether each word of the phrase is another token of the name, not the phrase itself."""
    if name.key == phrase.key + ((unfinished,) if unfinished else ()):
        return False

    def fits(word: int, at: int) -> bool:
        if word == len(phrase.key):
            return name.key[at].startswith(unfinished)
        in_capitals = name.capitals[at] if phrase.capitals[word] else True
        return name.key[at] == phrase.key[word] and in_capitals

    def fit_from(word: int, free: frozenset[int]) -> bool:
        if word == len(phrase.key) + (unfinished != ""):
            return True
        return any(fit_from(word + 1, free - {at}) for at in free if fits(word, at))

    return fit_from(0, frozenset(range(len(name.key))))


def _pieces(text: str, boundary: str) -> list[Token]:
    """The parts between the boundaries, without the empty ones."""
    pieces = []
    start = 0
    for found in re.finditer(boundary, text):
        pieces.append(Token(text[start : found.start()], start, found.start()))
        start = found.end()
    pieces.append(Token(text[start:], start, len(text)))
    return [piece for piece in pieces if piece.text]


def _ascii_words(text: str) -> list[Token]:
    """The words of a text with simple boundaries only.

    UAX #29 joins some characters across punctuation ("can't", "3.14"), and symbols are words too.
    Such texts, and texts that are not ASCII, are refused.
    """
    plain = re.fullmatch(r"[A-Za-z0-9 \t\n.,;'!?()/-]*", text)
    if not plain or re.search(r"[A-Za-z0-9][.,;'][A-Za-z0-9]", text):
        raise NotImplementedError(f"the oracle knows no word boundaries for {text!r}")
    return [Token(found[0], *found.span()) for found in re.finditer(r"\w+", text, re.ASCII)]


HYPHENS = "-\u058a\u05be\u2010\u2011\u2012\u2013\u207b\u208b\u2212\ufe63\uff0d"
APOSTROPHES = "'`´\u02b9\u02bb\u02bc\u02bd\u05f3‘’‛′\uff07"
# fmt: off
_ARTICLES = [
    "l", "d", "un", "gl", "dell", "degl", "nell", "negl", "sull", "sugl", "all", "agl", "dall",
    "dagl", "coll",
]
_ELIDED = [
    "c", "ç", "j", "m", "n", "s", "t", "v", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "quell",
    "quest", "bell", "sant", "nessun", "ciascun", "alcun", "buon", "tutt", "altr", "senz", "sott",
    "anch", "dov", "com",
]
# fmt: on


def _text_words(joints: str) -> regex.Pattern[str]:
    """A pattern for words in which these characters join letters, digits and marks."""
    part = rf"(?![{APOSTROPHES}])[\p{{Alphabetic}}\p{{N}}\p{{M}}]"
    first = rf"(?![{APOSTROPHES}])[\p{{Alphabetic}}\p{{N}}]"
    letter = rf"(?![{APOSTROPHES}])\p{{Alphabetic}}"
    letters = rf"(?:(?!\p{{M}}){letter}\p{{M}}*){{1,2}}"
    # What UAX #29 joins to a symbol: marks, invisible characters, an emoji after a joiner.
    joined = r"(?:\p{M}|(?!\u200b)\p{Cf}|(?<=\u200d)\p{Extended_Pictographic})*"
    # A period that does not end a sentence.
    sentence = r"(?<=\p{Lowercase}\p{M}*[.．])\p{M}*\p{Uppercase}\p{M}*\p{Lowercase}"
    period = rf"[.．](?!{sentence})(?={part})"
    joint = (
        rf"(?:[{joints}{APOSTROPHES}&＆@＠_＿·]|\p{{Cf}})(?={part})|{period}|(?<=[0-9]),(?=[0-9])"
    )
    opening = r"(?:(?<![^\s([{/\"'“‘„«-])\.(?=[A-Z]))?"
    word = rf"{first}(?:{part}|{joint})*"
    closing = APOSTROPHES.replace("`", "").replace("´", "")
    plus = rf"[+＋⁺]{{1,2}}(?![+＋⁺]|{part})|[+＋⁺]{{2}}[0-9]+(?!{part})"
    return regex.compile(
        rf"{opening}(?:(?:{letter}){{1,2}}[#＃](?!{part})"
        rf"|(?:(?=\p{{Alphabetic}})\p{{M}}+)?{letters}(?:{period}\p{{M}}*{letters})+\.(?!{part})"
        rf"|{word}(?:{plus})?)"
        rf"|(?<=[.+#)\]\"”»“*_])[{closing}][sS](?!{part})"
        rf"|[%$+<=>^`|~]|(?![{HYPHENS}])[\p{{S}}‰‱٪％§]{joined}"
    )


_PATTERNS = {"keep": _text_words(HYPHENS), "split": _text_words(""), "both": _text_words("")}


def _words_of_text(text: str, hyphens: Hyphens) -> list[Token]:
    """The words of running text, of scripts that are written with spaces."""
    tokens = []
    for found in _PATTERNS[hyphens].finditer(text):
        word, start = found[0], found.start()
        elided = _elided_length(word, _ARTICLES + _ELIDED)
        clitic = _clitic_length(word[elided:], "s|re|ll|ve|d|m")
        ends = sorted({0, elided, len(word) - clitic, len(word)})
        for at, end in pairwise(ends):
            tokens.append(Token(word[at:end], start + at, start + end))
    return tokens


def _elided_length(word: str, words: list[str]) -> int:
    """The length of one of these elided words and the apostrophe that a word begins with."""
    found = re.search(f"[{APOSTROPHES}]", word)
    if found is None or word[: found.start()].lower() not in words:
        return 0
    after = unicodedata.normalize("NFD", word[found.end() :])[:1].lower()
    return found.end() if after and after in "aeiouyhæœ" else 0


def _clitic_length(word: str, clitics: str) -> int:
    """The length of the clitic, with its apostrophe, that a word ends with."""
    found = re.search(rf"(?<=.)[{APOSTROPHES}]({clitics})\Z", word, re.IGNORECASE | re.ASCII)
    return 0 if found is None else len(word) - found.start()


# What no reader sees; signs of rights; the points of Hebrew; stroke and vowel marks of Arabic.
_IGNORED = regex.compile(
    r"[\p{Cf}\u034F\u115F\u1160\u180B-\u180F\uFE00-\uFE0F©®℠™"
    r"\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0640\u064B-\u0652\u0670]"
)


def _folded(token: str) -> str:
    """NFKC and case folding; one apostrophe and one dash; nothing ignored, and no clitic."""
    form = unicodedata.normalize("NFKC", _unified(_IGNORED.sub("", token)))
    form = unicodedata.normalize("NFKC", form.replace("İ", "i").casefold())
    form = re.sub("i\u0307+", "i", _IGNORED.sub("", _unified(form)))
    form = unicodedata.normalize("NFKC", form)
    if form in ("'", "'s") or (form.removesuffix("'") in _ARTICLES and form.endswith("'")):
        return ""
    form = form[_elided_length(form, _ARTICLES) :]
    form = form[: len(form) - _clitic_length(form, "s")]
    return form[:-1] if regex.search(r"\..*[^.]\.\Z", form) else form


def _unified(text: str) -> str:
    text = re.sub(f"[{APOSTROPHES}]", "'", text)
    return re.sub(f"[{HYPHENS}\u2014\u2015\ufe58]", "-", text)


def _without_accents(token: str) -> str:
    """The token without the accents of Latin, Greek and Cyrillic letters."""
    # Accents without a letter go too.
    base, script = "", "LATIN"
    kept = []
    for c in unicodedata.normalize("NFD", token):
        if unicodedata.combining(c) == 0:
            base, script = c, unicodedata.name(c, "").partition(" ")[0]
        elif script in ("LATIN", "GREEK"):
            continue
        elif script == "CYRILLIC":
            # The stress marks of vowels, and ё; all other marks make another letter.
            stress = c in "\u0300\u0301" and base.lower() not in "гк"
            if stress or (c == "\u0308" and base.lower() == "е"):
                continue
        kept.append(c)
    return unicodedata.normalize("NFC", "".join(kept))
