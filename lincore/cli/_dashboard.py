"""`lincore` and `lincore dashboard`: the dashboard in the browser."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import click

import lincore
from lincore.errors import DataError

ADDRESS = "localhost"
#: The package of the wheel that holds the dashboard, which in the repository is beside the library.
PACKAGE = "lincore_dashboard"


@click.command()
@click.option(
    "--port", type=click.IntRange(1, 65535), help="8501 or the next one that is free, by default."
)
@click.option("--address", default=ADDRESS, show_default=True, help="Address to listen on.")
@click.option("--no-browser", is_flag=True, help="Serve it without opening a browser.")
def dashboard(port: int | None, address: str, no_browser: bool) -> None:
    """Serve the dashboard and open it in the browser; Ctrl+C ends it."""
    flags: dict[str, list[Any]] = {
        "server.address": [address],
        "server.port": [port] if port else [],
        # Only by these names, so that no other site can reach the server by one of its own.
        "server.allowedHosts": [ADDRESS, "127.0.0.1"] if address == ADDRESS else [],
        "server.headless": ["true"] if no_browser else [],
    }
    words = [
        word for name, values in flags.items() for v in values for word in (f"--{name}", str(v))
    ]
    sys.argv = ["streamlit", "run", str(_folder() / "app.py"), *words]
    # In this process, so that ending it ends the server.
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


def _folder() -> Path:
    """Return the folder of app.py: in the package of the wheel, or beside the library."""
    above = Path(lincore.__file__).parents[1]
    for folder in (above / PACKAGE, above):
        if (folder / "app.py").is_file() and (folder / "pages" / "ui").is_dir():
            return folder
    raise DataError(
        "The dashboard is not installed with the library.",
        where=str(above),
        remedy="Reinstall lincore from its wheel or repository.",
    )
