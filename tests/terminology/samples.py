"""A small corpus for several test files."""

REPORT = (
    "A basal cell carcinoma is a carcinoma of the skin. The basal cell carcinoma, unlike other "
    "carcinomas, grows slowly. Basal cell carcinoma cells form nests, and the squamous cell "
    'carcinoma, another carcinoma, forms none: the "squamous cell carcinoma" grows fast.\n'
)
