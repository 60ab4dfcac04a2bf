"""Heavy imports ahead of need: in the background, while the first browser loads its page.

`import sklearn` alone takes about two seconds, so nothing imports it at the top, and the server
answers at once. Where no `st.App` is served, the imports begin after the first run of a script.
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

#: What the pages need sooner or later, most wanted first. Names of one's own bring along the
#: parts of pandas, SciPy, scikit-learn and Plotly that are really used.
MODULES = (
    "numpy",
    "pandas",
    "plotly.graph_objects",
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
    "lincore.model_selection.hold_out",
    "lincore.metrics.scores",
    "lincore.inspection.views",
    "lincore.report.differences",
    "lincore.prediction.predict_rows",
    "lincore.analysis.specification",
    "lincore.displays.comparison",
    "lincore.displays.data.columns",
    "lincore.displays.model.classifier",
    "lincore.displays.imbalance.cost",
)

_lock = Lock()
_started = False
_over = Event()
_over.set()


def start(then: Callable[[], None] | None = None) -> None:
    """Begin to import, the first time that this is called in a process, and then do more."""
    global _started
    with _lock:
        if _started:
            return
        _started = True
        _over.clear()
    Thread(target=_warm_up, args=(then,), name="lincore-warm-up", daemon=True).start()


def wait(seconds: float | None = 300.0) -> bool:
    """Wait until no warm-up is going on.

    Two threads that import one package at a time can meet half-made modules where its parts
    import each other: whoever needs these packages lets the warm-up finish first, and others
    have their turn meanwhile. Once it is over, a script keeps its turn: to give it away it would
    queue up twice for every click.
    """
    if _over.is_set():
        return True
    with script_queue.scripts.released():
        return _over.wait(seconds)


def _warm_up(then: Callable[[], None] | None = None) -> None:
    try:
        import_modules()
    except Exception:
        # The page that needs it says so to its visitor; this thread has nobody to tell.
        log.exception("warming up failed")
    finally:
        logs.write_json_lines()
        _over.set()
    # Everybody waits while garbage is collected. What the imports left never becomes any: taken
    # out, that takes 15 ms instead of 115.
    gc.collect()
    gc.freeze()
    _garbage_collection.start()
    if then is not None:
        then()


def import_modules() -> None:
    """Import what pages and work need, and let BLAS have one thread."""
    for name in MODULES:
        importlib.import_module(name)
    _keep_blas_to_one_thread()


def _keep_blas_to_one_thread() -> None:
    """Let a matrix product or an eigenvalue problem have one core, once all of BLAS is loaded.

    Its threads wait for each other by spinning. With one other visitor's fit on two cores they
    take ten times as long together as one alone (6 s instead of 0.5 for eigh of 784 by 784);
    with nobody else they save half of a tenth of a second. What has many rows is cut into parts
    for both cores by `lincore.utils.threads`.
    """
    threadpool_limits(limits=1, user_api="blas")
