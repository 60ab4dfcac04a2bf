"""Heavy imports in advance: in the background, while the first browser loads its page.

`import sklearn` alone takes about two seconds, so no module imports it at the top, and the server
answers at once. A first visit to the page Start waits for a few imports, any other for all of them.
Without an `st.App` the imports start after the first run of a script.
"""

from __future__ import annotations

import gc
import importlib
import logging
from collections.abc import Callable
from threading import Event, Lock, Thread

from threadpoolctl import threadpool_limits

from pages.ui.server import _garbage_collection, logs, script_queue

log = logging.getLogger(__name__)

#: Modules that a first visit to Start needs: its script imports no others.
START = (
    "numpy",
    "pandas",
    "plotly.graph_objects",
    "pages.ui.frame.sidebar",
    "pages.ui.start.entries",
    "pages.ui.start.finished_example",
)
#: Modules that the pages need, most urgent first. Our own modules import just the parts of pandas,
#: SciPy, scikit-learn and Plotly that are used.
MODULES = (
    "scipy.linalg",
    "scipy.special",
    "scipy.stats",
    "sklearn.pipeline",
    "sklearn.model_selection",
    "sklearn.datasets",
    "lincore.plots",
    "lincore.io.samples",
    "lincore.io.table_files",
    "lincore.io.images.read",
    "lincore.estimators.linear_discriminant",
    "lincore.estimators.logistic.estimator",
    "lincore.model_selection.comparison",
    "lincore.metrics.scores",
    "lincore.inspection.views",
    "lincore.report.differences",
    "lincore.prediction.predict_rows",
    "lincore.analysis.specification",
    "lincore.displays.comparison.scores",
    "lincore.displays.comparison.pairs",
    "lincore.displays.comparison.training",
    "lincore.displays.data.columns",
    "lincore.displays.data.projections",
    "lincore.displays.model.steps",
    "lincore.displays.model.scores",
    "lincore.displays.model.confusion",
    "lincore.displays.model.curves",
    "lincore.displays.model.coefficients",
    "lincore.displays.model.plane",
    "lincore.displays.imbalance.cost_losses",
    "lincore.displays.imbalance.decomposition",
)

_lock = Lock()
_started = False
_ready, _over, _is_needed = Event(), Event(), Event()
_ready.set()
_over.set()
#: Pause after the imports for Start: the others would compete with the files of the first page.
SECONDS_OF_GRACE = 3.0


def start(then: Callable[[], None] | None = None) -> None:
    """Start the imports at the first call in a process, then run a function."""
    global _started
    with _lock:
        if _started:
            return
        _started = True
        _ready.clear()
        _over.clear()
        _is_needed.clear()
    Thread(target=_warm_up, args=(then,), name="lincore-warm-up", daemon=True).start()


def wait(seconds: float | None = 300.0, *, for_start: bool = False) -> bool:
    """Wait until the warm-up is over, or until it has imported what a first visit to Start needs.

    Two threads that import a package with circular imports can see partially initialised modules,
    so scripts that need these packages wait here, and let other scripts run meanwhile. After the
    warm-up a script keeps its turn: otherwise every click would queue twice.
    """
    awaited = _ready if for_start else _over
    if not for_start:
        _is_needed.set()
    if awaited.is_set():
        return True
    with script_queue.scripts.released():
        return awaited.wait(seconds)


def _warm_up(then: Callable[[], None] | None = None) -> None:
    try:
        for name in START:
            importlib.import_module(name)
        _ready.set()
        _is_needed.wait(SECONDS_OF_GRACE)
        import_modules()
    except Exception:
        # The page that needs the package will show the error.
        log.exception("warming up failed")
    finally:
        logs.write_json_lines()
        _ready.set()
        _over.set()
    # All threads wait during garbage collection. Imported objects never become garbage: excluding
    # them reduces a collection from 115 to 15 ms.
    gc.collect()
    gc.freeze()
    _garbage_collection.start()
    if then is not None:
        then()


def import_modules() -> None:
    """Import the packages that pages and jobs need, and limit BLAS to one thread."""
    for name in MODULES:
        importlib.import_module(name)
    # BLAS threads spin while they wait for each other. While another visitor's fit runs on two
    # cores, two threads take ten times as long as one (6 s instead of 0.5 s for eigh of 784 ×
    # 784); on an idle machine they save only 0.05 s. Work on many rows is divided among the
    # cores by `lincore.utils.threads` instead. By now all copies of BLAS are loaded.
    threadpool_limits(limits=1, user_api="blas")
