"""The spaCy component `termnest`: marks the terms of a vocabulary in a `Doc`.

spaCy finds it by an entry point, so that you need not import anything of termnest:

>>> import spacy
>>> from termnest import TermIndex
>>> TermIndex(["google", "google llc", "llc", "alphabet google llc"], lowercase=True).save("c.nest")
>>> nlp = spacy.blank("en")
>>> _ = nlp.add_pipe("termnest", config={"index": "c.nest"})
>>> doc = nlp("Who owns Google LLC? (Google's staff does not.)")
>>> doc.spans["terms"]
[Google LLC, Google]
>>> [(span.start, span.end, span.label_, span.id_) for span in doc._.terms]
[(2, 4, 'TERM', 'google llc'), (6, 7, 'TERM', 'google')]
>>> doc[2:4]._.nested_terms, doc[2:4]._.super_terms
(['google', 'llc'], ['alphabet google llc'])

The config:

| name | default | meaning |
|---|---|---|
| `index` | | the path of an index, or of a plain vocabulary, which is indexed on the fly |
| `overlaps` | `"longest"` | which of several overlapping spans to mark, as in `TermIndex.find` |
| `spans_key` | `"terms"` | the span group; it replaces a group of this name in the `Doc` |
| `label` | `"TERM"` | the label of the spans |
| `alignment_mode` | `"strict"` | what to do with a match that cuts one of spaCy's tokens, as in \
`Doc.char_span`: `"strict"` drops it, `"contract"` takes the tokens inside of it, `"expand"` all \
tokens that it touches |

A relative path is resolved against the current folder when the component is made, and again when a
saved pipeline is loaded.

**Capitals.** An index that was built with `lowercase` finds terms in any case. `termnest extract`
writes terms in lower case, so build an index of its output first: `termnest build terms.tsv
--lowercase`. With the path of `terms.tsv` itself, terms in capitals are not found.

**Punctuation.** spaCy and the index split a text in different ways. If the index splits at white
space or at a separator, the component searches the text as it is ("Yahoo!"), then with the
punctuation around words split off ("(Alzheimer's disease)"), then with clitics split off too
("Google's"). Words stay whole inside ("state-of-the-art"). So a term that ends with punctuation of
its own is not found directly before more punctuation ("Yahoo!)"). Matches are aligned with spaCy's
tokens before `overlaps` applies.

**What a Doc carries.** Each term is a `Span` whose `id_` is the term as written in the vocabulary.
The extensions query the indexes of all termnest components that processed the `Doc`:

- `Doc._.terms`: the spans, as a list.
- `Span._.nested_terms`, `Span._.super_terms`: terms as lists of str, for any span of the `Doc`.

`Doc.user_data` contains the path and the checksum of each index, so that the extensions also work
for a `Doc` from another process, from a pickle, or stored with its user data
(`DocBin(store_user_data=True)`). A process without a pipeline of its own must import
`termnest.spacy`, which sets the extensions. For a `Doc` that no component has processed they raise
`UnmarkedDocError`, as an empty list would say that it contains no terms.

**Saving.** `nlp.to_disk` writes the path and the checksum of the index, not a copy. `spacy.load`
opens that path and refuses an index with another checksum. For an index that was moved, use
`spacy.load(..., config={"components.termnest.index": path})`.
"""

from termnest.spacy.component import TermnestComponent, make_component

__all__ = ["TermnestComponent", "make_component"]
