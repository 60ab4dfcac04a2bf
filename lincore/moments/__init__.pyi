from .moments import Moments as Moments
from .sql import MomentsQuery as MomentsQuery
