"""From text to terminology: candidates for terms, their scores, and the tree that they form.

>>> from termnest.terminology import ngrams, rank
>>> found = ngrams(["A basal cell carcinoma is a carcinoma. Basal cell carcinoma grows slowly."])
>>> rank(found, score="c-value", top=1).to_pylist()[0]["term"]
'basal cell carcinoma'

`extract` does it for files and folders, `write_terms` writes the result.

In English a term is as a rule a kind of the term that it ends with. `taxonomy` gives the tree that
follows, `write_taxonomy` writes it as SKOS, GraphML, DOT or JSON, and `neighbourhood_svg` draws
what stands around one term.
"""

from termnest.terminology.candidates import Candidates, load_pipeline, ngrams, noun_phrases
from termnest.terminology.corpus import Corpus, Skipped
from termnest.terminology.extraction import Extraction, extract, rank, write_terms
from termnest.terminology.picture import neighbourhood_svg
from termnest.terminology.stop_words import ENGLISH
from termnest.terminology.tree import taxonomy, write_taxonomy

__all__ = [
    "ENGLISH",
    "Candidates",
    "Corpus",
    "Extraction",
    "Skipped",
    "extract",
    "load_pipeline",
    "neighbourhood_svg",
    "ngrams",
    "noun_phrases",
    "rank",
    "taxonomy",
    "write_taxonomy",
    "write_terms",
]
