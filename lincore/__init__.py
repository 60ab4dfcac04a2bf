"""Linear classifiers and their geometry, compared honestly.

Names are resolved when they are first used, so that ``import lincore`` stays light.
"""

import lazy_loader

# The names that `__init__.pyi` lists, each imported when it is first asked for.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

__version__ = "0.2.0"
