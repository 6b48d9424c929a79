"""Terminological Bucket Indexing: Algorithm 1 of the paper, function by function.

The names are the paper's, in Python's style: Table_SuperTerms is `table_super_terms`, and `len`,
which is a function of Python, is `length`. Departures:

- `build_index` takes both tables as arguments; in the paper's procedure they are global.
- The terms have single blanks between their tokens, and each occurs once (`distinct`), as the paper
  counts one blank less than tokens. So the test of line 4 is always true here.
- `insert_term_in_bucket` goes down level by level; see there.
"""

from __future__ import annotations

from collections.abc import Iterable

from termnest.paper.terms import Compared, distinct, is_super_term, n_grams, tokens

# Four levels: k1 = characters other than blanks, k2 = tokens, k3 = characters, k4 = characters of
# the longest token. "united states of america" is in bucket 21, 4, 24, 7.
TableBucket = dict[int, dict[int, dict[int, dict[int, set[str]]]]]
# Term -> its super terms.
TableSuperTerms = dict[str, set[str]]


class TBI:
    """The term store: `table_super_terms`, and `table_bucket` unless it is dropped.

    Indexing looks for the nested terms of each new term in the buckets that can contain any. As
    published, it knows no super terms of a phrase that is not in the vocabulary.
    """

    def __init__(
        self, terms: Iterable[str], compared: Compared = iter, drop_buckets: bool = True
    ) -> None:
        self.table_super_terms: TableSuperTerms = {}
        self.table_bucket: TableBucket = {}
        build_index(distinct(terms), self.table_super_terms, self.table_bucket)
        if drop_buckets:
            # Needed for indexing only.
            self.table_bucket = {}
        self.compared = compared

    def super_terms(self, term: str) -> set[str]:
        """One look-up: O(1)."""
        found: set[str] = set()
        for key in self.compared([" ".join(tokens(term))]):
            found |= self.table_super_terms.get(key, set())
        return found

    def nested_terms(self, term: str) -> set[str]:
        """The n-grams of `term` that are keys: O(m^2)."""
        return {gram for gram in self.compared(n_grams(term)) if gram in self.table_super_terms}


def build_index(
    list_of_terms: Iterable[str], table_super_terms: TableSuperTerms, table_bucket: TableBucket
) -> None:
    """Lines 1 to 14: shorter terms first, so that no term meets its super terms in the buckets."""
    sorted_list_of_terms = sorted(list_of_terms, key=len)
    for new_term in sorted_list_of_terms:
        if new_term not in table_super_terms:
            length = len(new_term)
            words = tokens(new_term)
            tot_tok = len(words)
            lt_len = max(len(word) for word in words)
            tot_nsp_char = length - tot_tok + 1
            table_super_terms[new_term] = set()
            insert_term_in_bucket(new_term, table_bucket, tot_nsp_char, tot_tok, length, lt_len)
            update_nested_terms(
                new_term, table_bucket, tot_nsp_char, tot_tok, length, lt_len, table_super_terms
            )


def insert_term_in_bucket(
    new_term: str,
    table_bucket: TableBucket,
    tot_nsp_char: int,
    tot_tok: int,
    length: int,
    lt_len: int,
) -> None:
    """Lines 16 to 22.

    The printed lines 19 and 20 fetch the third and the fourth level from
    `bucket_for_tot_nsp_char`, the first. Each level must come from the one before.
    """
    bucket_for_tot_nsp_char = table_bucket.setdefault(tot_nsp_char, {})
    bucket_for_tot_tok = bucket_for_tot_nsp_char.setdefault(tot_tok, {})
    bucket_for_term_len = bucket_for_tot_tok.setdefault(length, {})
    set_of_terms = bucket_for_term_len.setdefault(lt_len, set())
    set_of_terms.add(new_term)


def update_nested_terms(
    new_term: str,
    table_bucket: TableBucket,
    tot_nsp_char: int,
    tot_tok: int,
    length: int,
    lt_len: int,
    table_super_terms: TableSuperTerms,
) -> None:
    """Lines 24 to 40: `new_term` is a super term of the terms nested in it."""
    for k1, bucket_for_k1 in table_bucket.items():
        if k1 < tot_nsp_char:
            for k2, bucket_for_k2 in bucket_for_k1.items():
                if k2 < tot_tok:
                    for k3, bucket_for_k3 in bucket_for_k2.items():
                        if k3 < length:
                            for k4, candidate_nested_terms in bucket_for_k3.items():
                                if k4 <= lt_len:
                                    for t in candidate_nested_terms:
                                        if is_super_term(new_term, t):
                                            table_super_terms[t].add(new_term)
