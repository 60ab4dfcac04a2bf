"""Untrusted image files as a collection: which are images, and their classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from lincore.data.dataset import Skipped
from lincore.data.labels import natural_key
from lincore.errors import DataError, Notice
from lincore.io.files.archives import SkippedFile, check_members, list_zip, unpack
from lincore.io.images._classes import (
    Placement,
    folders_above,
    place_images,
    propose_pattern,
    read_names,
)
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

            paths = [file.path for file in files]
            return cls(name, paths, read, partial(read, most=HEAD_BYTES), {})
        contents = [content for _, content in source]
        check_size(sum(map(len, contents)), name, limits)
        check_members(len(contents), name, limits)
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
            return [natural_key(step) for step in self.paths[i].split("/")]

        return {i: above[i] for i in sorted(above, key=path_key)}

    def without_images(self, remedy: str) -> DataError:
        """Return the error if none of the files can be used."""
        skipped = self.skipped_files()
        example = f"; {skipped[0].name}: {skipped[0].reason}" if skipped else ""
        message = f"No image can be used ({len(skipped)} files skipped{example})."
        return DataError(message, where=self.name, remedy=remedy)

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
    numbers = list(above)
    paths = [collection.paths[i] for i in numbers]
    placements = place_images(list(above.values()), level)
    notices: tuple[Notice, ...] = ()
    labels = {placement.label for placement in placements} - {""}
    if pattern is None and level is None and len(labels) < 2:
        table = find_label_table(collection.paths, collection.read, paths)
        pattern = None if table is not None else propose_pattern(paths)
        sentence, remedy = "", ""
        if table is not None:
            placements = _labelled(placements, table)
            collection.skipped.pop(collection.paths.index(table.path), None)
            given = f"column {table.column!r} of {table.path} gives the classes"
            sentence = f"No class folders: {given}."
        elif pattern is not None:
            ((label, _),) = read_names(paths[:1], pattern)
            example = f"{label} in {paths[0].rsplit('/', 1)[-1]}"
            sentence = f"No class folders: the file names give the classes, such as {example}."
            remedy = f"If that is wrong, give another pattern than {pattern}"
        if sentence:
            notices = (Notice(sentence, collection.name, remedy, "LIN085"),)
    if pattern is not None:
        placements = _apply_pattern(placements, paths, pattern)
    copies = _find_copies(collection, numbers, placements)
    images = []
    for i, placement in zip(numbers, placements, strict=True):
        if i in copies:
            collection.skipped[i] = f"a copy of {collection.paths[copies[i]]}"
        elif placement.reason:
            collection.skipped[i] = placement.reason
        else:
            images.append(ImageFile(i, *placement[:3]))
    return images, notices


def _find_copies(
    collection: ImageCollection, numbers: Sequence[int], placements: Sequence[Placement]
) -> dict[int, int]:
    """Return images that occur again in the same class at another level, and their originals."""
    if not any(placement.is_nested for placement in placements):
        return {}
    # The one at the upper level is kept.
    pairs = sorted(zip(numbers, placements, strict=True), key=lambda pair: pair[1].is_nested)
    seen: dict[tuple[str, str], list[int]] = {}
    copies = {}
    for i, placement in pairs:
        if placement.reason:
            continue
        former = seen.setdefault((placement.label, collection.paths[i].rsplit("/", 1)[-1]), [])
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


def _labelled(placements: Sequence[Placement], table: LabelTable) -> list[Placement]:
    """Take the class from a table."""
    reason = f"{table.path} gives no class for it"
    return [
        Placement(label, placement.tests) if label else placement._replace(reason=reason)
        for placement, label in zip(placements, table.labels, strict=True)
    ]


def _apply_pattern(
    placements: Sequence[Placement], paths: Sequence[str], pattern: str
) -> list[Placement]:
    """Take the class from the names, or only the group if the pattern finds no class."""
    named = []
    by_name = "(?P<label>" in pattern
    for placement, (label, group) in zip(placements, read_names(paths, pattern), strict=True):
        if not by_name:
            named.append(placement._replace(group=group or ""))
        elif label is None:
            named.append(placement._replace(reason="the pattern finds no class in its name"))
        else:
            named.append(Placement(label, placement.tests, group or ""))
    return named
