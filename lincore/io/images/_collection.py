"""Untrusted image files as a collection: which are images, and their classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from lincore.data.dataset import Skipped
from lincore.data.names import natural_key
from lincore.errors import DataError, Notice
from lincore.io.files.archives import SkippedFile, list_zip, unpack
from lincore.io.images._classes import Place, folders_above, place_all, propose_pattern, read_names
from lincore.io.images._label_table import LabelTable, find_label_table
from lincore.io.images.decode import HEAD_BYTES, image_kind
from lincore.limits import Limits, check_size


class ImageCollection(NamedTuple):
    """Files that have not been read yet."""

    name: str  # of the zip or of the files, for messages
    paths: list[str]  # with / between folders
    read: Callable[[int], bytes]  # a file's content, by its position in `paths`
    head: Callable[[int], bytes]  # its first bytes or more
    skipped: dict[int, str]  # reasons by position; it grows while the collection is processed

    @classmethod
    def of(
        cls, source: bytes | Sequence[tuple[str, bytes]], name: str, limits: Limits
    ) -> ImageCollection:
        """Return the files of a zip, or single files as (name, content)."""
        if isinstance(source, bytes):
            check_size(len(source), name, limits)
            files = list_zip(source, name, limits)

            def read(i: int, most: int | None = None) -> bytes:
                return unpack(source, files[i], limits, most=most)

            return cls(name, [one.path for one in files], read, partial(read, most=HEAD_BYTES), {})
        contents = [content for _, content in source]
        check_size(sum(map(len, contents)), name, limits)
        if len(contents) > limits.max_members:
            raise DataError(
                f"There are more than {limits.max_members:,} files.",
                where=name,
                remedy="Load fewer.",
            )
        paths = [path.replace("\\", "/") for path, _ in source]
        return cls(name, paths, contents.__getitem__, contents.__getitem__, {})

    def images(self) -> dict[int, tuple[str, ...]]:
        """Return the folders above each image, found by its first bytes, in natural order."""
        above: dict[int, tuple[str, ...]] = {}
        for i, path in enumerate(self.paths):
            try:
                folders = folders_above(path)
                image_kind(self.head(i), path)
            except SkippedFile as reason:
                self.skipped[i] = str(reason)
            else:
                above[i] = folders

        def path_key(i: int) -> list[tuple[Any, ...]]:
            return [natural_key(part) for part in self.paths[i].split("/")]

        return {i: above[i] for i in sorted(above, key=path_key)}

    def without_images(self, remedy: str) -> DataError:
        """Return the error if none of the files can be used."""
        example = ""
        if self.skipped:
            first = min(self.skipped)
            example = f"; {self.paths[first]}: {self.skipped[first]}"
        return DataError(
            f"No image can be used ({len(self.skipped)} files skipped{example}).",
            where=self.name,
            remedy=remedy,
        )

    def skipped_files(self) -> tuple[Skipped, ...]:
        """Return the files that are not used, and why."""
        return tuple(Skipped(self.paths[i], why) for i, why in sorted(self.skipped.items()))


class ImageFile(NamedTuple):
    """One image of a collection, not yet decoded."""

    number: int  # its position in the collection
    label: str = ""
    tests: bool = False  # whether the collection defines it as a test image
    group: str = ""  # such as a person; empty if unknown


def find_images(
    collection: ImageCollection, pattern: str | None = None, level: int | None = None
) -> tuple[list[ImageFile], tuple[Notice, ...]]:
    """Find the images of a collection and their classes."""
    above = collection.images()
    found = list(above)
    paths = [collection.paths[i] for i in found]
    places = place_all(list(above.values()), level)
    notices: tuple[Notice, ...] = ()
    if pattern is None and level is None and len({place.label for place in places} - {""}) < 2:
        table = find_label_table(collection.paths, collection.read, paths)
        pattern = None if table is not None else propose_pattern(paths)
        if table is not None:
            places = _labelled(places, table)
            collection.skipped.pop(collection.paths.index(table.path), None)
            what = f"No class folders: column {table.column!r} of {table.path} gives the classes."
            notices = (Notice(what, collection.name, code="LIN085"),)
        elif pattern is not None:
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


def _labelled(places: Sequence[Place], table: LabelTable) -> list[Place]:
    """Take the class from a table."""
    reason = f"{table.path} gives no class for it"
    return [
        Place(label, place.tests) if label else place._replace(reason=reason)
        for place, label in zip(places, table.labels, strict=True)
    ]


def _pattern_notice(pattern: str, path: str, name: str) -> Notice:
    """Describe how file names gave the classes, with an example."""
    file = path.rsplit("/", 1)[-1]
    ((label, _),) = read_names([path], pattern)
    what = f"No class folders: the file names give the classes, such as {label} in {file}."
    remedy = f"If that is wrong, give another pattern than {pattern}"
    return Notice(what, name, remedy, "LIN085")


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
