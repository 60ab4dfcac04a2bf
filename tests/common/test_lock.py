"""requirements.lock: what a deployment installs is what requirements.txt allows, and all of it."""

from __future__ import annotations

import re
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


def entries() -> dict[str, list[str]]:
    """Return each locked requirement, without its hashes, by the package's name."""
    text = (ROOT / "requirements.lock").read_text().replace("\\\n", " ")
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line and not line.lstrip().startswith("#"):
            name = canonicalize_name(Requirement(line.split(" --hash")[0]).name)
            found.setdefault(name, []).append(line)
    return found


def asked() -> list[Requirement]:
    """Return what requirements.txt asks for."""
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def version(line: str) -> str:
    """Return the version that a line of the lock pins."""
    return re.match(r"\S+==([^\s;]+)", line)[1]


def test_locked_versions_are_allowed_and_their_dependencies_are_locked() -> None:
    locked = entries()
    for requirement in asked():
        lines = locked[canonicalize_name(requirement.name)]
        assert all(requirement.specifier.contains(version(line)) for line in lines)
        needed = [Requirement(one) for one in requires(requirement.name) or []]
        here = [one for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
        assert {canonicalize_name(one.name) for one in here} <= locked.keys()


def test_every_line_is_one_version_with_its_hashes() -> None:
    for lines in entries().values():
        assert all(version(line) and "--hash=sha256:" in line for line in lines)
