"""Running text from HTML and Markdown, without their markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser

# What is in these elements is not read as text.
_HIDDEN = {"script", "style", "template", "noscript", "svg", "math", "head"}
# Elements without an end, which would otherwise hide the rest.
_VOID = {"link", "meta", "base"}
# These are part of a sentence; every other element ends one.
_INLINE = {
    *("a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "font", "i"),
    *("ins", "kbd", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time"),
    *("tt", "u", "var", "wbr"),
}

_FENCE = re.compile(r"^ {0,3}(```|~~~).*?(^ {0,3}\1\s*$|\Z)", re.MULTILINE | re.DOTALL)
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_MARKDOWN = [
    (_FRONT_MATTER, ""),
    (_FENCE, "\n\n"),
    (re.compile(r"<!--.*?-->", re.DOTALL), " "),
    # Images and links show their texts; definitions of links show nothing.
    (re.compile(r"!?\[([^\]]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)"), r"\1"),
    (re.compile(r"!?\[([^\]]*)\]\[[^\]]*\]"), r"\1"),
    (re.compile(r"^ {0,3}\[[^\]]+\]:.*$", re.MULTILINE), ""),
    (re.compile(r"<(?:https?://|mailto:)[^>]*>|https?://\S+"), " "),
    (re.compile(r"`+([^`]*)`+"), r"\1"),
    # Headings, quotations and items of lists are paragraphs.
    (re.compile(r"^[ \t]*(?:#{1,6}|>+|[-*+]|\d+[.)])[ \t]+", re.MULTILINE), "\n"),
    (re.compile(r"[ \t]+#+[ \t]*$", re.MULTILINE), "\n"),
    (re.compile(r"^[ \t]*(?:[-=*_][ \t]*){3,}$", re.MULTILINE), "\n"),
    # The cells of a table.
    (re.compile(r"^[ \t]*\|?[ \t:|-]+\|[ \t:|-]*$", re.MULTILINE), "\n"),
    (re.compile(r"[ \t]*\|[ \t]*"), "\n\n"),
    (re.compile(r"(\*\*\*|\*\*|\*|___|__|~~)(?=\S)(.+?)(?<=\S)\1", re.DOTALL), r"\2"),
    (re.compile(r"(?<!\w)_(?=\S)(.+?)(?<=\S)_(?!\w)", re.DOTALL), r"\1"),
    (re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~-])"), r"\1"),
]
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HIDDEN:
            self._hidden += 1
        elif tag not in _INLINE and tag not in _VOID:
            self.parts.append("\n\n")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _INLINE:
            self.parts.append("\n\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag not in _INLINE:
            self.parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)


def html_text(source: str) -> str:
    """The text of an HTML document; a block ends a paragraph.

    >>> html_text("<h1>Solar <b>cells</b></h1><script>x()</script><p>Silicon &amp; glass.</p>")
    'Solar cells\\n\\nSilicon & glass.'
    """
    parser = _Text()
    parser.feed(source)
    parser.close()
    return re.sub(r"\s*\n\s*\n\s*", "\n\n", "".join(parser.parts)).strip()


def markdown_text(source: str) -> str:
    """The text of a Markdown document, without code blocks and the targets of links.

    >>> markdown_text("# Solar *cells*\\n\\nOf [silicon](https://example.org).\\n")
    'Solar cells\\n\\nOf silicon.'
    """
    text = source.replace("\r\n", "\n")
    for pattern, shown in _MARKDOWN:
        text = pattern.sub(shown, text)
    if _TAG.search(text):
        text = html_text(text)
    return re.sub(r"\s*\n\s*\n\s*", "\n\n", text).strip()
