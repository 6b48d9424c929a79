"""Files for other programs: a module for each format.

`write_taxonomy` writes the tree of terms (SKOS, GraphML, DOT, JSON, SVG) and `write_terms` the
ranked terms (TSV, CSV, JSON Lines, Parquet); both choose the format by the extension of the file.
"""

from termnest.terminology.export.taxonomy import EXTENSIONS, Written, file_format, write_taxonomy
from termnest.terminology.export.terms import write_terms, writer

__all__ = ["EXTENSIONS", "Written", "file_format", "write_taxonomy", "write_terms", "writer"]
