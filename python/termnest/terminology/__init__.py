"""From text to terminology: candidates for terms, scores over the terms that contain them.

>>> from termnest.terminology import ngrams, rank
>>> found = ngrams(["A basal cell carcinoma is a carcinoma. Basal cell carcinoma grows slowly."])
>>> rank(found, score="c-value", top=1).to_pylist()[0]["term"]
'basal cell carcinoma'

`extract` does it for files and folders, `write_terms` writes the result.
"""

from termnest.terminology.candidates import Candidates, load_pipeline, ngrams, noun_phrases
from termnest.terminology.corpus import Corpus, Skipped
from termnest.terminology.extract import Extraction, extract, rank, write_terms
from termnest.terminology.stop_words import ENGLISH

__all__ = [
    "ENGLISH",
    "Candidates",
    "Corpus",
    "Extraction",
    "Skipped",
    "extract",
    "load_pipeline",
    "ngrams",
    "noun_phrases",
    "rank",
    "write_terms",
]
