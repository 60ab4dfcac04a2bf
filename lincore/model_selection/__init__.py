"""Methods and options, splitters, pipelines, the run that fits any plan, and comparisons."""

import lazy_loader

# The names listed in `__init__.pyi`, each imported on first access.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
