"""The dashboard with a log of run times and arrays for an upload, for benchmarks.

`benchmarks/dashboard.py` serves app.py with a line at its head that calls `begin`.
"""

import time
from pathlib import Path


def begin() -> None:
    """Log the times of all runs, and take the arrays of the address, if it names any."""
    from pages.ui.server import _compat

    log_times()
    if _compat.session_id() is not None:
        take_arrays()


def log_times() -> None:
    """Print processor time and time of every run of a script or a fragment, its end included.

    Streamlit says nowhere publicly when a run is over: only its own runner can be timed whole.
    """
    from streamlit.runtime.scriptrunner.script_runner import ScriptRunner

    if hasattr(ScriptRunner, "untimed_run"):
        return
    ScriptRunner.untimed_run = ScriptRunner._run_script

    def timed_run(self, request):
        start, busy = time.perf_counter(), time.thread_time()
        try:
            self.untimed_run(request)
        finally:
            print(f"lincore-busy {time.thread_time() - busy:.4f}", flush=True)
            print(f"lincore-run {time.perf_counter() - start:.4f}", flush=True)

    ScriptRunner._run_script = timed_run


def take_arrays() -> None:
    """Make the arrays that the address names the data of the session."""
    import numpy as np
    import streamlit as st

    import lincore
    from lincore import analysis
    from pages.ui.session import state

    path = st.query_params.get("arrays", "")
    if path and st.session_state.setdefault("benchmark.arrays", "") != path:
        st.session_state["benchmark.arrays"] = path
        with np.load(path) as arrays:
            name = Path(path).stem
            data = lincore.load((arrays["X"], arrays["y"]), name=name)
            state.use_data(data, analysis.FileData(name))
