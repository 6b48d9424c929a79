"""The spaCy component `termnest`: component.py has the documentation."""

from termnest.spacy.component import TermnestComponent, make_component

__all__ = ["TermnestComponent", "make_component"]
