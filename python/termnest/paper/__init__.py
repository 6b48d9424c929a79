"""The systems of the paper in plain Python, to be read beside it.

Md Faisal Mahbub Chowdhury and Robert Farrell, "An Efficient Approach for Super and Nested Term
Indexing and Retrieval", NAACL 2019.

Every system is one class in a module of its own. It is made from the terms of a vocabulary, and its
methods `super_terms(term)` and `nested_terms(term)` return sets of terms. Terms are tokens with
blanks between them. Nothing here is fast: `termnest.TermIndex` is, and the tests compare their
answers.

>>> from termnest.paper import TBI
>>> store = TBI(["Google", "LLC", "Google LLC"])
>>> store.super_terms("Google")
{'Google LLC'}
>>> sorted(store.nested_terms("Google LLC"))
['Google', 'LLC']
"""

from termnest.paper.aho_corasick import AhoCorasick
from termnest.paper.hash_table import HashTable
from termnest.paper.karp_rabin import KarpRabin
from termnest.paper.lu_browne import LuBrowne
from termnest.paper.naive import Naive
from termnest.paper.tbi import TBI
from termnest.paper.terms import Comparisons, TermStore

__all__ = [
    "TBI",
    "AhoCorasick",
    "Comparisons",
    "HashTable",
    "KarpRabin",
    "LuBrowne",
    "Naive",
    "TermStore",
]
