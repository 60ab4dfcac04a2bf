"""Views of results: each is one class with its settings, finding, table, figure and notes.

Results, fits and studies offer their displays as methods: ``results.pairwise(rope=0.02)``.
"""

import lazy_loader

# The names listed in `__init__.pyi`, each imported on first access.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
