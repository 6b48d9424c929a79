"""Writes the files that fuzzing starts from: small indexes of all kinds, and vocabularies."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

from termnest import TermIndex

HERE = Path(__file__).parent
TERMS = ["a", "b a", "a a b a", "c", "b a c", "C b a", "longer-than-eleven", "IT b", "e-mail a"]
BUILDS: list[dict[str, Any]] = [
    {},
    {"lowercase": True, "weights": list(range(len(TERMS)))},
    {"fold": True, "hyphens": "both", "case": "smart", "aliases": {"c": ["see", "the a"]}},
    {"language": "en", "strip_accents": True},
    {"separator": "-"},
    {"tokenizer": "chars"},
    {"tokenizer": "words", "ids": list(range(10, 10 + len(TERMS)))},
    {
        "columns": {
            "text": ["x", None, "y", "x", "x", "", "z", "x", "x"],
            "list": [["p", "q"], [], None, ["p"], [], [], [], [], []],
            "flag": [True, False, None, True, True, True, True, True, True],
            "number": [1.5, None, 2.0, 1e9, 0.0, 1.0, 1.0, 1.0, 1.0],
        }
    },
]
VOCABULARIES = [
    b"a\nb a\nc\n",
    b"term\tfrequency\na\t1\nb a\t2\n",
    b'term,weight,label\n"a, b",1,x\nc,2,y\n',
    b'{"term": "a", "weight": 2, "tags": ["x"]}\n"b a"\n',
    b"a\t1\nb\t2\n",
    gzip.compress(b"a\nb\n"),
]


def main() -> None:
    """Writes them."""
    folders = [HERE / "corpus" / name for name in ("index", "vocabulary")]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    for number, options in enumerate(BUILDS):
        (folders[0] / f"seed-{number}").write_bytes(TermIndex(TERMS, **options).to_bytes())
    for number, content in enumerate(VOCABULARIES):
        for choice in (number, 0x20 + number, 0xC0 + number):
            (folders[1] / f"seed-{number}-{choice}").write_bytes(bytes([choice]) + content)


if __name__ == "__main__":
    main()
