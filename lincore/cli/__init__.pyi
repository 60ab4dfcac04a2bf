from ._balance import balance as balance
from ._compare import compare as compare
from ._compare import report as report
from ._dashboard import dashboard as dashboard
from ._inspect import inspect as inspect
from ._predict import predict as predict
from ._run import run as run
from .main import main as main
