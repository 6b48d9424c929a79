"""Terms in running text: one text, or many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from termnest.graph import GraphQuestions
from termnest.options import Chosen, Overlaps, Texts, Variants
from termnest.table import Match, Matches, Spans, Table


class FindQuestions(GraphQuestions):
    """The questions about terms in texts."""

    __slots__ = ()

    # The class of the matches.
    _match: type[Match]

    def find(
        self,
        text: str,
        *,
        overlaps: Overlaps = "all",
        variants: Variants = "all",
        columns: Iterable[str] | None = None,
        where: Chosen | None = None,
        threads: int | None = None,
    ) -> Matches:
        """The terms that occur in a running text, by start, end and id.

        Offsets count characters of the text as given. A term is found whatever white space is
        between its words.

        >>> from termnest import TermIndex
        >>> index = TermIndex(["new york", "york", "city hall"])
        >>> for match in index.find("The New  York city hall"):
        ...     print(match)
        Match(term='city hall', id=2, start=14, end=23)
        >>> index = TermIndex(["new york", "york", "city hall"], lowercase=True)
        >>> [(m.term, m.start, m.end) for m in index.find("The New  York city hall")]
        [('new york', 4, 13), ('york', 9, 13), ('city hall', 14, 23)]

        Args:
            text: The text, of any length.
            overlaps: Which of several overlapping spans to report: `"all"`; `"longest"`, those that
                are not inside another; `"leftmost"`, from left to right the longest, without
                overlaps.
            variants: Which of several terms with the same span to report: `"all"`, or `"first"`,
                the first of the vocabulary.
            columns: The user's own columns that the table of matches gets. A match has all of them
                as attributes in any case, read when you look at them.
            where: Which terms to look for, as if the index had no others: the values that they have
                in columns, as in `term_mask`; or True or False for each term, in their order, as
                any iterable of bool or any Arrow column, in which a null is false.
            threads: How many threads search a long text; one for each core by default.

        >>> columns = {"concept": ["C0004057", "Q18216"], "source": ["umls", "wikidata"]}
        >>> index = TermIndex(["aspirin", "aspirin"], columns=columns)
        >>> [match.concept for match in index.find("take aspirin")]
        ['C0004057', 'Q18216']
        >>> found = index.find("take aspirin", columns=["concept"], where={"source": "umls"})
        >>> found.to_pylist()
        [{'term': 'aspirin', 'id': 0, 'start': 5, 'end': 12, 'concept': 'C0004057'}]

        A mapping is compared with the columns of all terms at each call: for many texts, use
        `find_batch`, or give the result of `term_mask`.
        """
        found = self._index.find(text, overlaps, variants, columns, where, threads)
        return Matches(found, self._match, text)

    def find_spans(
        self,
        text: str,
        *,
        overlaps: Overlaps = "all",
        variants: Variants = "all",
        where: Chosen | None = None,
        threads: int | None = None,
    ) -> Spans:
        """What `find` finds, as three buffers of numbers: no Python object for a match.

        >>> from termnest import TermIndex
        >>> spans = TermIndex(["new york", "york"]).find_spans("in new york")
        >>> spans.ids.tolist(), spans.starts.tolist(), spans.ends.tolist()
        ([0, 1], [3, 7], [11, 11])

        The ids are the numbers of the terms, their places in the vocabulary from 0, also in an
        index with ids of your own. The options are those of `find`. numpy takes a buffer without a
        copy: `numpy.asarray(ids)`.
        """
        return Spans(*self._index.find(text, overlaps, variants, None, where, threads).buffers())

    def find_batch(
        self,
        texts: Texts,
        *,
        overlaps: Overlaps = "all",
        variants: Variants = "all",
        columns: Iterable[str] | None = None,
        where: Chosen | None = None,
        threads: int | None = None,
    ) -> Table:
        """The terms that occur in many texts, as one table; on all cores, with the GIL released.

        The columns are `row`, the number of the text, then `id`, `start`, `end` and `term` as in
        `find`, and the index's own `columns` that are asked for; by row, then as `find` has them. A
        null or None is a text without matches.

        >>> from termnest import TermIndex
        >>> index = TermIndex(["new york", "york", "city hall"])
        >>> table = index.find_batch(["new york", None, "york city hall"])
        >>> [(row["row"], row["term"], row["start"]) for row in table]
        [(0, 'new york', 0), (0, 'york', 4), (2, 'york', 0), (2, 'city hall', 5)]

        Args:
            texts: Any Arrow column (polars, pandas, pyarrow, DuckDB) or stream of them, or any
                iterable of str: a list or a generator. What comes as a stream or one by one is
                searched in portions and not kept.
            threads: How many threads search; one for each core by default.

        The other options are those of `find`, for each text.
        """
        return Table(self._index.find_batch(texts, overlaps, variants, columns, where, threads))

    def iter_batches(
        self,
        texts: Texts,
        *,
        rows: int = 100_000,
        overlaps: Overlaps = "all",
        variants: Variants = "all",
        columns: Iterable[str] | None = None,
        where: Chosen | None = None,
        threads: int | None = None,
    ) -> Iterator[Table]:
        """The tables of `find_batch`, one for every `rows` texts: for more than fit into memory.

        The numbers of rows go on from table to table.

        >>> from termnest import TermIndex
        >>> index = TermIndex(["new york", "york"])
        >>> texts = (text for text in ["york", "new york", "york minster"])
        >>> for table in index.iter_batches(texts, rows=2):
        ...     print(table.column("row").to_list(), table.column("term").to_list())
        [0, 1, 1] ['york', 'new york', 'york']
        [2] ['york']

        Args:
            texts: As in `find_batch`; read as the tables are asked for.
            rows: How many texts to read for each table.

        The other options are those of `find_batch`.
        """
        options = overlaps, variants, columns, where, threads
        return map(Table, self._index.iter_batches(texts, rows, *options))
