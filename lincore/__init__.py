"""Linear classifiers and their geometry, compared honestly.

Names are resolved on first use, so that ``import lincore`` is fast.
"""

import lazy_loader

# The names listed in `__init__.pyi`, each imported on first access.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

__version__ = "0.2.0"
