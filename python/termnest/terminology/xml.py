"""Text for XML, which GraphML and the picture are written in."""

from __future__ import annotations

import re

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"})


def xml_text(text: str) -> str:
    """A text escaped for XML 1.0; characters that XML does not allow become U+FFFD."""
    return _NOT_XML.sub("\ufffd", text).translate(_ESCAPES)
