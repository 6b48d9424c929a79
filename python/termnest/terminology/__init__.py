"""What terminologists make of a vocabulary.

Terms are nested in others for a reason: in English a term is as a rule a kind of the term that it
ends with. `taxonomy` gives the tree that follows, `write_taxonomy` writes it as SKOS, GraphML, DOT
or JSON, and `neighbourhood_svg` draws what stands around one term.
"""

from termnest.terminology.picture import neighbourhood_svg
from termnest.terminology.taxonomy import taxonomy, write_taxonomy

__all__ = ["neighbourhood_svg", "taxonomy", "write_taxonomy"]
