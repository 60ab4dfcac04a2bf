"""Find a Chromium for the browser tests, or get one: prints the path of one that starts.

``make test`` runs this file before pytest; the tests themselves only look, they never install.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: Later switches replace earlier ones: these are Playwright's, and the list below the address bar,
#: which is a page with a process of its own in every window that nobody sees.
WITHOUT = (
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "TcpPortRandomizationWin",
    "ThirdPartyStoragePartitioning",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxPopup",
)
#: Headless, without a sandbox (containers have none), and silent on the network. WebGL works so.
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join(WITHOUT)}",
)
#: Somebody else may be installing just now, the machine itself for one.
WAIT = ("-o", "DPkg::Lock::Timeout=240")
REMEDY = "Install Chromium, set CHROMIUM_PATH to one, or run: python -m playwright install chromium"


class NoBrowserError(RuntimeError):
    """No Chromium that starts."""


def find() -> str:
    """Return the path of a Chromium that starts, without installing anything.

    Raises
    ------
    NoBrowserError
        With what was tried. A ``CHROMIUM_PATH`` that does not start is an error of its own: what
        was asked for by name is never silently replaced.
    """
    chosen = os.environ.get("CHROMIUM_PATH", "")
    tried = [chosen] if chosen else list(_candidates())
    for path in tried:
        if starts(path):
            return path
    source = "CHROMIUM_PATH" if chosen else "PATH and Playwright's own browsers"
    raise NoBrowserError(f"no Chromium that starts ({source}: {', '.join(tried) or 'none'})")


def install() -> str:
    """Install a Chromium by Playwright, else by apt-get when this is root; return its path."""
    for recipe in _recipes():
        if not all(_run(command) for command in recipe):
            continue
        try:
            return find()
        except NoBrowserError as error:
            _say(str(error))
    raise NoBrowserError("no Chromium was found, and none could be installed")


def starts(path: str) -> bool:
    """Whether the program at `path` draws an empty page; libraries may be missing, so try it."""
    if not shutil.which(path):
        return False
    command = [path, *ARGUMENTS, "--dump-dom", "about:blank"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and b"<html" in done.stdout


def _candidates() -> Iterator[str]:
    for name in NAMES:
        if path := shutil.which(name):
            yield path
    if path := _playwright_browser():
        yield path


def _playwright_browser() -> str | None:
    # In a process of its own: Playwright's driver needs an event loop to itself, pytest has one.
    code = (
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as p: print(p.chromium.executable_path)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    path = done.stdout.strip()
    return path if done.returncode == 0 and Path(path).exists() else None


def _recipes() -> Iterator[list[list[str]]]:
    yield [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        packages = ["chromium", "fonts-liberation", "fonts-dejavu-core"]
        yield [
            ["apt-get", "update", "-qq", *WAIT],
            ["apt-get", "install", "-y", "-qq", *WAIT, "--no-install-recommends", *packages],
        ]


def _run(command: list[str]) -> bool:
    _say(f"$ {' '.join(command)}")
    environment = {
        **os.environ,
        "DEBIAN_FRONTEND": "noninteractive",
        # Behind a firewall that swallows packets Playwright would try for many minutes.
        "PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "10000",
    }
    try:
        # Everything to stderr: stdout holds the path and nothing else.
        done = subprocess.run(command, stdout=sys.stderr, env=environment, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        _say("gave up after five minutes")
        return False
    return done.returncode == 0


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    """Print the path of a Chromium, installing one if there is none; 1 when there is no way."""
    try:
        try:
            path = find()
        except NoBrowserError as error:
            if os.environ.get("CHROMIUM_PATH"):
                raise
            _say(f"{error}; installing one")
            path = install()
    except NoBrowserError as error:
        _say(f"{error}. {REMEDY}.")
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
