from .moments import Moments as Moments
from .moments import leave_one_out as leave_one_out
