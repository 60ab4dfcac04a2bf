"""The experiments of chapter 4 as data: question, animation frames and computed answer."""

import lazy_loader

# The names listed in `__init__.pyi`, each imported on first access.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
