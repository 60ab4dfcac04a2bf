"""Install the servers that tests start, where CI runs as root on Debian: PostgreSQL and MariaDB.

``make test`` runs this file when ``CI`` is set. Elsewhere, and where it fails, tests that need a
server that is absent are skipped with the reason; in CI those of PostgreSQL fail.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

#: Somebody else may be installing just now, the machine itself for one.
WAIT = ("-o", "DPkg::Lock::Timeout=240")


def postgresql_programs() -> Path | None:
    """Return the folder of PostgreSQL's newest programs on this machine, if there are any."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return found[-1] if found and shutil.which("psql") else None


def has_mariadb() -> bool:
    """Return whether MariaDB's server and client are on this machine."""
    return all(map(shutil.which, ("mariadbd", "mariadb", "mariadb-install-db")))


#: Debian's packages, and whether what they bring is there.
PACKAGES: Mapping[str, Callable[[], object]] = {
    "postgresql": postgresql_programs,
    "mariadb-server": has_mariadb,
}


def main() -> None:
    """Install what is absent, if that can be done; say so where it cannot."""
    absent = [name for name, is_there in PACKAGES.items() if not is_there()]
    if not absent:
        return
    if shutil.which("apt-get") is None or os.geteuid():
        print(f"Not installed: {', '.join(absent)}. Only root can, by apt-get.", file=sys.stderr)
        return
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    words = ("install", "-y", "-qq", *WAIT, "--no-install-recommends", *absent)
    for command in (("update", "-qq", *WAIT), words):
        done = subprocess.run(("apt-get", *command), stdout=sys.stderr, env=environment)
        if done.returncode:
            print(f"apt-get {command[0]} failed ({', '.join(absent)}).", file=sys.stderr)
            return


if __name__ == "__main__":
    main()
