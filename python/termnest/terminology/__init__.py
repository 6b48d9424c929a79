"""From text to terminology: candidates for terms, their scores, and the tree that they form.

>>> from termnest.terminology import ngrams, rank
>>> found = ngrams(["A basal cell carcinoma is a carcinoma. Basal cell carcinoma grows slowly."])
>>> rank(found, score="c-value", top=1).to_pylist()[0]["term"]
'basal cell carcinoma'

`extract` does this for files and folders, and `write_terms` writes the result to a file.

In English a term is usually a kind of the term that it ends with: a "basal cell carcinoma" is a
"carcinoma". `taxonomy` returns the tree of terms that follows from this, `write_taxonomy` writes it
as SKOS, GraphML, DOT or JSON, and `neighbourhood_svg` draws the direct neighbours of one term.
"""

from termnest.terminology.candidates import Candidates, load_pipeline, ngrams, noun_phrases
from termnest.terminology.corpus import Corpus, Skipped
from termnest.terminology.export.taxonomy import write_taxonomy
from termnest.terminology.export.terms import write_terms
from termnest.terminology.extraction import Extraction, extract, rank
from termnest.terminology.languages import LANGUAGES, Language, detect, language
from termnest.terminology.picture import neighbourhood_svg
from termnest.terminology.reference import Reference, general_frequencies, read_reference
from termnest.terminology.tree import taxonomy

__all__ = [
    "LANGUAGES",
    "Candidates",
    "Corpus",
    "Extraction",
    "Language",
    "Reference",
    "Skipped",
    "detect",
    "extract",
    "general_frequencies",
    "language",
    "load_pipeline",
    "neighbourhood_svg",
    "ngrams",
    "noun_phrases",
    "rank",
    "read_reference",
    "taxonomy",
    "write_taxonomy",
    "write_terms",
]
