"""Run the dashboard as a visitor meets it: `streamlit run` in a process of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

#: What belongs to the person or the test run at hand and must not reach the app.
FOREIGN = ("STREAMLIT_", "PYTEST_", "PYTHONWARNINGS", "COVERAGE_")


def streamlit(port: int) -> list[str]:
    """Return the command that serves ``app.py`` of the folder at hand."""
    options = ["--server.headless=true", "--server.address=localhost", f"--server.port={port}"]
    return [sys.executable, "-m", "streamlit", "run", "app.py", *options]


def terminate(process: subprocess.Popen[bytes]) -> None:
    """Ask a server to end, and end it where it does not."""
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a server in the middle of what it does."""
    process.kill()
    process.wait()


@contextmanager
def serving(
    root: Path,
    home: Path,
    log: Path,
    command: Callable[[int], list[str]] = streamlit,
    port: int | None = None,
    end: Callable[[subprocess.Popen[bytes]], None] = terminate,
    **variables: str,
) -> Iterator[str]:
    """Serve a dashboard from the folder `root` and yield its address.

    Parameters
    ----------
    root : Path
        The folder from which a person would run the app.
    home : Path
        An empty folder: the user's own Streamlit settings stay out.
    log : Path
        Where the server's output goes, tracebacks included.
    command : callable
        The command that serves it on a port.
    port : int, optional
        By default one that is free.
    end : callable
        How the server ends.
    **variables : str
        Of the environment, besides those of this process.
    """
    port = port or free_port()
    with log.open("wb") as output:
        process = subprocess.Popen(
            command(port),
            cwd=root,
            env={**_environment(home), **variables},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            address = f"http://localhost:{port}"
            wait_until_healthy(process, address, log)
            yield address
        finally:
            end(process)


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return int(probe.getsockname()[1])


def _environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    return {**kept, "HOME": str(home), "PYTHONUNBUFFERED": "1"}


def wait_until_healthy(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    """Wait for the first answer of the dashboard at an address; fail with the log where it ends."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            with urlopen(f"{address}/_stcore/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (URLError, TimeoutError, ConnectionError):
            time.sleep(0.1)
    raise RuntimeError(f"the dashboard did not start:\n{log.read_text(errors='replace')}")
