from .covariance import Whitener as Whitener
from .optimize import OptimizerStep as OptimizerStep
from .optimize import iteration_callback as iteration_callback
