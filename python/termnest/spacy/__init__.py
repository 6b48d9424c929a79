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
| `attr` | | what is compared: see below |
| `overlaps` | `"longest"` | which of several overlapping spans to mark, as in `TermIndex.find` |
| `variants` | `"first"` | of several terms with the same span (US, us) mark the first of the \
vocabulary; or `"all"`, each with a span of its own |
| `spans_key` | `"terms"` | the span group; it replaces a group of this name in the `Doc` |
| `label` | `"TERM"` | the label of the spans |
| `label_column` | | the column of the index, of strings or integers, that has the label of each \
term; a term without a value gets `label` |
| `id_column` | | the column that has `kb_id_` of the spans; by default the ids of the index, if \
they are your own |
| `annotate_ents` | `False` | add the spans to `Doc.ents`, except those that overlap entities; of \
spans that overlap each other the longest |
| `alignment_mode` | `"strict"` | what to do with a match that cuts one of spaCy's tokens, as in \
`Doc.char_span`: `"strict"` drops it, `"contract"` takes the tokens inside of it, `"expand"` all \
tokens that it touches |

A relative path is resolved against the current folder when the component is made, and again when a
saved pipeline is loaded.

**What is found.** spaCy and the index split a text in different ways: "nurse.She" is three tokens
of spaCy and one word of the index, "l'homme" one token and two words. The component finds a term if
its words match those of the text, as both are split by the index, or as both are split by the
pipeline's own tokenizer. Words match by the rules of the index: an index with `fold` finds terms in
any case, one with `language` finds their inflections, and so on. So it finds all that
`TermIndex.find` finds in the text, as far as the alignment allows, and all that spaCy's
`PhraseMatcher` finds. White space does not matter, and neither do words that the index ignores,
such as 's under `fold`; a span does not begin or end with one.

With `attr` the words are compared in another way, whatever the rules of the index:

- `"ORTH"`: spaCy's tokens as they are, those of the `Doc` and of the terms;
- `"LOWER"`: the same in lower case;
- `"LEMMA"`: the lemmas of the `Doc` with the words of the terms, by the rules of the index. A
  component before this one must set the lemmas; terms should be written as lemmas.

The terms are split by the tokenizer when the first `Doc` is processed, some seconds for a million
of them. Before you fork processes (`nlp.pipe(..., n_process=4)`), process a `Doc`: they share what
it finds out. A component that was made without a pipeline, by `TermnestComponent(path)`, knows only
how the index splits terms.

**What a Doc carries.** Each term is a `Span` whose `id_` is the term as written in the vocabulary.
Its `label_` and its `kb_id_` may come from columns of the index:

>>> columns = {"label": ["DRUG", "GENE"], "concept": ["C0004057", "C0079419"]}
>>> TermIndex(["aspirin", "TP53"], columns=columns).save("umls.nest")
>>> nlp = spacy.blank("en")
>>> config = {"index": "umls.nest", "label_column": "label", "id_column": "concept"}
>>> _ = nlp.add_pipe("termnest", config=config)
>>> doc = nlp("no aspirin for TP53")
>>> [(span.text, span.label_, span.kb_id_) for span in doc.spans["terms"]]
[('aspirin', 'DRUG', 'C0004057'), ('TP53', 'GENE', 'C0079419')]

Of terms that are written alike, with other values in the columns, `variants="all"` marks each. The
extensions query the indexes of all termnest components that processed the `Doc`:

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
