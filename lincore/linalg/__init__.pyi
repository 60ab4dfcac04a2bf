from .covariance import Whitener as Whitener
from .gaussian import Gaussians as Gaussians
from .optimize import OptimizerStep as OptimizerStep
from .optimize import Reason as Reason
from .optimize import iteration_callback as iteration_callback
from .quadric import Quadric as Quadric
