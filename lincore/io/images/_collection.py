"""Untrusted image files as a collection: which are images, and their classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from lincore.data.labels import natural_key
from lincore.errors import Notice
from lincore.io.files.archives import SkippedFile
from lincore.io.images._class_folders import Place, folders_above, place_all
from lincore.io.images._name_patterns import propose_pattern, read_names
from lincore.io.images.decode import image_kind


class ImageCollection(NamedTuple):
    """Files that have not been read yet.

    Parameters
    ----------
    name : str
        Name of the zip or of the files, for messages.
    paths : list of str
        With / between folders.
    read, head : callable
        Return a file's content, and its first bytes or more, by its position in `paths`.
    skipped : dict
        Positions of unusable files, with the reasons. It grows while the collection is processed.
    """

    name: str
    paths: list[str]
    read: Callable[[int], bytes]
    head: Callable[[int], bytes]
    skipped: dict[int, str]


class ImageFile(NamedTuple):
    """One image of a collection, not yet decoded.

    Parameters
    ----------
    number : int
        Its position in the collection.
    label : str
        Its class.
    tests : bool
        Whether the collection defines it as a test image.
    group : str
        Its group, such as a person; empty if unknown.
    """

    number: int
    label: str
    tests: bool
    group: str


def find_images(
    collection: ImageCollection, pattern: str | None = None, level: int | None = None
) -> tuple[list[ImageFile], tuple[Notice, ...]]:
    """Find the images of a collection by their first bytes, and their classes."""
    above: dict[int, tuple[str, ...]] = {}
    for i, path in enumerate(collection.paths):
        try:
            folders = folders_above(path)
            image_kind(collection.head(i), path)
        except SkippedFile as reason:
            collection.skipped[i] = str(reason)
        else:
            above[i] = folders
    found = sorted(above, key=lambda i: path_key(collection.paths[i]))
    paths = [collection.paths[i] for i in found]
    places = place_all([above[i] for i in found], level)
    notices: tuple[Notice, ...] = ()
    if pattern is None and level is None and len({place.label for place in places} - {""}) < 2:
        pattern = propose_pattern(paths)
        if pattern is not None:
            notices = (_pattern_notice(pattern, paths[0], collection.name),)
    if pattern is not None:
        places = _named(places, paths, pattern)
    copies = _copies(collection, found, places)
    images = []
    for i, place in zip(found, places, strict=True):
        if i in copies:
            collection.skipped[i] = f"a copy of {collection.paths[copies[i]]}"
        elif place.reason:
            collection.skipped[i] = place.reason
        else:
            images.append(ImageFile(i, *place[:3]))
    return images, notices


def _copies(
    collection: ImageCollection, found: Sequence[int], places: Sequence[Place]
) -> dict[int, int]:
    """Return images that occur again in the same class at another level, and their originals."""
    if not any(place.is_nested for place in places):
        return {}
    # The one at the upper level is kept.
    pairs = sorted(zip(found, places, strict=True), key=lambda pair: pair[1].is_nested)
    seen: dict[tuple[str, str], list[int]] = {}
    copies = {}
    for i, place in pairs:
        if place.reason:
            continue
        former = seen.setdefault((place.label, collection.paths[i].rsplit("/", 1)[-1]), [])
        try:
            content = collection.read(i) if former else b""
            same = next((j for j in former if collection.read(j) == content), None)
        except SkippedFile:
            # Files that cannot be unpacked are skipped on decoding.
            continue
        if same is None:
            former.append(i)
        else:
            copies[i] = same
    return copies


def _pattern_notice(pattern: str, path: str, name: str) -> Notice:
    """Describe how file names gave the classes, with an example."""
    file = path.rsplit("/", 1)[-1]
    ((label, _),) = read_names([path], pattern)
    what = f"No class folders: the file names give the classes, such as {label} in {file}."
    remedy = f"If that is wrong, give another pattern than {pattern}"
    return Notice(what, name, remedy, "LIN085")


def path_key(path: str) -> list[tuple[Any, ...]]:
    """Sort key for files by folder, in natural order."""
    return [natural_key(part) for part in path.split("/")]


def _named(places: Sequence[Place], paths: Sequence[str], pattern: str) -> list[Place]:
    """Take the class from the names, or only the group if the pattern finds no class."""
    named = []
    by_name = "(?P<label>" in pattern
    for place, (label, group) in zip(places, read_names(paths, pattern), strict=True):
        if not by_name:
            named.append(place._replace(group=group or ""))
        elif label is None:
            named.append(place._replace(reason="the pattern finds no class in its name"))
        else:
            named.append(Place(label, place.tests, group or ""))
    return named
