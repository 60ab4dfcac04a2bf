from .moments import Moments as Moments
