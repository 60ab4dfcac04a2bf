"""Options as annotated fields of records: widgets, links and keywords follow from them."""

import lazy_loader

# The names that `__init__.pyi` lists, each imported when it is first asked for.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
