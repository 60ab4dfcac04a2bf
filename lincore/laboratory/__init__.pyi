from .catalogue import EXPERIMENTS as EXPERIMENTS
from .catalogue import demonstrate as demonstrate
from .catalogue import experiment_rows as experiment_rows
from .experiment import Demonstration as Demonstration
from .experiment import Experiment as Experiment
from .experiment import Preset as Preset
from .experiment import Snapshot as Snapshot
