"""`lincore` and `lincore dashboard`: the dashboard in the browser."""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lincore
from lincore.cli.answer import Answer
from lincore.cli.method_options import positive
from lincore.errors import DataError

if TYPE_CHECKING:
    from lincore.utils import Progress

NAME = "dashboard"
ADDRESS = "localhost"
#: In the wheel what the repository has beside the library lies in a package of its own.
PACKAGE = "lincore_dashboard"


def run(options: argparse.Namespace, progress: Progress) -> Answer:
    """Serve the dashboard until it is stopped."""
    del progress
    flags: dict[str, list[Any]] = {
        "server.address": [options.address],
        "server.port": [options.port] if options.port else [],
        # To no other name: a page elsewhere cannot reach the server by a name of its own.
        "server.allowedHosts": [ADDRESS, "127.0.0.1"] if options.address == ADDRESS else [],
        "server.headless": ["true"] if options.no_browser else [],
    }
    words = [
        word for name, values in flags.items() for v in values for word in (f"--{name}", str(v))
    ]
    sys.argv = ["streamlit", "run", str(dashboard_folder() / "app.py"), *words]
    # In this process, so that who ends it ends the server.
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    return Answer()


#: Of the options, where no command is given.
DEFAULTS: dict[str, Any] = {
    "run": run,
    "address": ADDRESS,
    "port": None,
    "no_browser": False,
    "quiet": False,
    "json": False,
}


def add_command(commands: Any) -> None:
    """Add the command to those of a parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        NAME,
        help="open the dashboard in the browser",
        description="Serve the dashboard and open it in the browser; ctrl+C ends it.",
    )
    parser.set_defaults(**DEFAULTS)
    parser.add_argument("--port", type=positive, help="(8501, or the next one that is free)")
    parser.add_argument("--address", default=ADDRESS, help=f"that it listens on ({ADDRESS})")
    parser.add_argument("--no-browser", action="store_true", help="only serve it")


def dashboard_folder() -> Path:
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
