from .covariance import Whitener as Whitener
from .optimize import Step as Step
from .optimize import watched as watched
