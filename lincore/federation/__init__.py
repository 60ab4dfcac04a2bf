"""Sites that keep their rows and share their sums: moments by fold and class, merged and scored."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
