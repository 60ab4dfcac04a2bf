"""Servers of Debian's packages and of moto, started for tests and ended after them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.long.install_servers import has_mariadb, postgresql_programs

#: Runs SQL and returns what is printed.
Psql = Callable[[str], str]


@contextmanager
def postgresql() -> Iterator[tuple[Psql, str]]:
    """Start PostgreSQL on a socket in a new folder; yield its client and its folder."""
    programs = postgresql_programs()
    if programs is None:
        absent = pytest.fail if os.environ.get("CI") else pytest.skip
        absent("PostgreSQL is not installed (apt-get install postgresql)")
    with _folder() as (folder, user):
        rows, control = f"{folder}/rows", str(programs / "pg_ctl")
        words = ("-D", rows, "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8")
        _run(str(programs / "initdb"), *words, user=user, folder=folder)
        settings = f"-k {folder} -c listen_addresses='' -c fsync=off"
        start = (control, "-D", rows, "-l", f"{folder}/log", "-w", "-o", settings, "start")
        words = ("psql", "-X", "-q", "--csv", "-v", "ON_ERROR_STOP=1", "-h", folder)
        client = (*words, "-U", "postgres")
        try:
            _run(*start, user=user, folder=folder)
            yield lambda text: _run(*client, user=user, folder=folder, given=text), folder
        finally:
            _run(control, "-D", rows, "-w", "-m", "immediate", "stop", user=user, folder=folder)


@contextmanager
def mariadb() -> Iterator[tuple[Psql, str]]:
    """Start MariaDB on a socket in a new folder; yield its client and its socket."""
    if not has_mariadb():
        pytest.skip("MariaDB is not installed (apt-get install mariadb-server)")
    with _folder() as (folder, user):
        socket = f"{folder}/socket"
        plain = ("--no-defaults", f"--datadir={folder}/rows")
        words = ("--auth-root-authentication-method=normal", "--skip-test-db")
        _run("mariadb-install-db", *plain, *words, user=user, folder=folder)
        settings = (f"--socket={socket}", "--skip-networking", f"--pid-file={folder}/pid")
        with Path(folder, "log").open("wb") as log:
            server = subprocess.Popen(
                ["mariadbd", *plain, *settings], user=user, stdout=log, stderr=log
            )
        client = ("mariadb", "--no-defaults", "--batch", "-S", socket, "-u", "root")
        try:
            for _ in range(300):
                if Path(socket).exists() or server.poll() is not None:
                    break
                time.sleep(0.1)
            yield lambda text: _run(*client, user=user, folder=folder, given=text), socket
        finally:
            server.terminate()
            server.wait()


@contextmanager
def _folder() -> Iterator[tuple[str, str | None]]:
    """Make a folder for a server, which refuses to be run by root; yield it and who runs it."""
    user = "nobody" if os.getuid() == 0 else None
    folder = tempfile.mkdtemp()
    if user is not None:
        shutil.chown(folder, user)
    try:
        yield folder, user
    finally:
        shutil.rmtree(folder)


def _run(*words: str, user: str | None, folder: str, given: str = "") -> str:
    done = subprocess.run(
        words, user=user, cwd=folder, input=given, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
    return done.stdout
