"""Classes of images: the folder level that names them, or a pattern of the file names."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import PurePosixPath
from typing import NamedTuple

from lincore.errors import DataError
from lincore.io.files.archives import SkippedFile
from lincore.io.images.decode import IMAGE_ENDINGS

TRAIN_WORDS = frozenset({"train", "training"})
TEST_WORDS = frozenset({"test", "testing", "val", "valid", "validation", "eval"})
HIDDEN = "hidden, or a system's own (__MACOSX)"
NO_CLASS = "not inside a class folder"
_OUTSIDE_SPLIT = "neither in the train nor in the test folder"
_SYSTEM_FILES = frozenset({"thumbs.db", "desktop.ini"})
MASK = "a mask of an image"
# Folders of sessions, cameras, people or magnifications rather than classes.
_COUNTER = re.compile(
    r"(session|fold|part|batch|set|run|day|seq|sequence|take|scene|cam|camera|view|pose"
    r"|person|subject|patient|participant|user|signer|speaker|actor|writer)s?[ _-]?\d*|\d+x",
    re.IGNORECASE,
)
# Folders below a class that describe the kind of files.
_IMAGES = frozenset({"image", "images", "img", "imgs", "photo", "photos", "pictures", "raw"})
_MASKS = frozenset({"mask", "masks", "segmentation", "segmentations", "annotation", "annotations"})
# Tried in this order: cat_01, cat.0, cat (1); 01_cat; subject01.happy, subject01 and 3_0001.
PATTERNS = (
    r"^(?P<label>[^\W\d]\D*?)[ _.-]*\(?\d+\)?$",
    r"^\d+[ _.-]+(?P<label>[^\W\d]\D*)$",
    r"^(?P<label>[^_. -]+)(?:[_. -]|$)",
)
_MOST_CLASSES = 200
_MAX_PATTERN = 200
# Limits on characters of a name, repeats of a pattern and open parts: together they bound the
# steps.
_MAX_NAME = 80
_MAX_REPEATS = 3
_MAX_OPTIONS = 6
_MAX_SECONDS = 1.0
_EXAMPLE = r"For example ^(?P<label>[A-Za-z]+) takes cat from cat_01.png."


class Placement(NamedTuple):
    """Class and split of an image according to its folders."""

    label: str  # its class; empty if it has none
    tests: bool = False  # whether it is in a folder of test images
    group: str = ""  # the folder below the class, if any: images of one person or scene
    reason: str = ""  # why it has no class
    is_nested: bool = False  # whether a folder of class folders above it was skipped


def folders_above(path: str) -> tuple[str, ...]:
    """Return the folders above a file, from the outermost."""
    *folders, name = [step for step in path.split("/") if step not in ("", ".")] or [""]
    steps = {*folders, name} - {".."}
    if (
        any(step.startswith((".", "__MACOSX")) for step in steps)
        or name.casefold() in _SYSTEM_FILES
    ):
        raise SkippedFile(HIDDEN)
    return tuple(folders)


def place_images(folders: Sequence[tuple[str, ...]], level: int | None = None) -> list[Placement]:
    """Determine the class folder of every image, and whether it is for testing."""
    # Folders called train and test (training_set and test_set, seg_train and seg_test, and so on)
    # are not classes if both occur. Of the others, the first level with more than one name is the
    # class, and the level below it a group. If the same names recur below each of them
    # (camera1/cats, camera2/cats), the deeper level is the class instead. A folder that
    # contains folders named like its siblings (all/cats next to cats) is skipped.
    roles = _split_roles(folders)
    class_paths = [tuple(f for f in path if f.casefold() not in roles) for path in folders]
    all_paths = class_paths
    if level is None:
        below: dict[tuple[str, ...], set[str]] = {}
        for path in set(class_paths):
            for i, name in enumerate(path):
                below.setdefault(path[:i], set()).add(name)
        class_paths = [_without_container(path, below) for path in class_paths]
        level = _class_level(class_paths)
    sides = [[roles[f.casefold()] for f in path if f.casefold() in roles] for path in folders]
    split_paths = (path for path, side in zip(class_paths, sides, strict=True) if side)
    known = {path[level] for path in split_paths if len(path) > level}
    placements = list[Placement]()
    masked = _masks(class_paths, level)
    for path, before, side, is_mask in zip(class_paths, all_paths, sides, masked, strict=True):
        placement = _placement(path, side, level, known)._replace(is_nested=path != before)
        if is_mask and not placement.reason:
            placement = placement._replace(reason=MASK)
        placements.append(placement)
    # A single folder inside each class, such as cats/images, is not a group.
    if len({p.group for p in placements}) <= 1 + len({p.label for p in placements}):
        return [p._replace(group="") for p in placements]
    return placements


def _without_container(
    path: tuple[str, ...], below: dict[tuple[str, ...], set[str]]
) -> tuple[str, ...]:
    """Return a path without the folders between a level of classes and the same classes deeper."""
    for i in range(len(path) - 1):
        # Deeper, the same classes may be in other capitals.
        beside = {name.casefold(): name for name in below[path[:i]] - {path[i]}}
        for j in range(len(path) - 1, i, -1):
            inner = {name.casefold() for name in below[path[:j]]}
            # Most of its siblings' names recur below it.
            if len(inner & beside.keys()) * 2 > len(beside):
                known = path[j] in beside.values()
                label = path[j] if known else beside.get(path[j].casefold(), path[j])
                return (*path[:i], label, *path[j + 1 :])
    return path


def _class_level(folders: Sequence[tuple[str, ...]]) -> int:
    """Return the level of the class folder, counted from 0 for the outermost."""
    names = _names_by_level(folders)
    several = [i for i, level_names in enumerate(names) if len(level_names) > 1]
    # If all images are in one folder: the last level, for the message.
    level = several[0] if several else max(len(names) - 1, 0)
    for deeper in range(level + 1, len(names)):
        if _class_names_recur(folders, level, deeper):
            level = deeper
    return level


def _names_by_level(folders: Sequence[tuple[str, ...]]) -> list[set[str]]:
    return [set(names) - {""} for names in zip_longest(*folders, fillvalue="")]


def _class_names_recur(folders: Sequence[tuple[str, ...]], level: int, deeper: int) -> bool:
    """Return whether the same class names recur below each folder of a higher level."""
    below: dict[str, set[str]] = {}
    for path in folders:
        if len(path) <= level:
            continue
        if len(path) <= deeper:
            return False
        below.setdefault(path[level], set()).add(path[deeper])
    names = set().union(*below.values())
    if len(names) < 2 or all(map(_COUNTER.fullmatch, names)) or _have_masks(names):
        return False
    shared = sum(len(subfolders) for subfolders in below.values()) / (len(names) * len(below))
    return shared > 0.8


def _masks(folders: Sequence[tuple[str, ...]], level: int) -> list[bool]:
    """Return which files are in a folder of masks, at a level other than that of the class."""
    levels = enumerate(_names_by_level(folders))
    mixed = [i for i, names in levels if i != level and _have_masks(names)]
    return [any(len(path) > i and path[i].casefold() in _MASKS for i in mixed) for path in folders]


def _have_masks(names: set[str]) -> bool:
    """Return whether folders hold images and the masks that belong to them."""
    folded = {name.casefold() for name in names}
    both = not folded.isdisjoint(_IMAGES) and not folded.isdisjoint(_MASKS)
    return both and folded <= _IMAGES | _MASKS


def _placement(path: tuple[str, ...], side: list[str], level: int, known: set[str]) -> Placement:
    tests = bool(side) and side[-1] == "test"
    if len(path) <= level:
        return Placement("", tests, reason=NO_CLASS)
    label = path[level]
    # Images without a class are often in a third folder, such as seg_pred.
    if known and not side and label not in known:
        return Placement("", tests, reason=_OUTSIDE_SPLIT)
    return Placement(label, tests, "/".join(path[level:]) if len(path) > level + 1 else "")


def _split_roles(folders: Sequence[tuple[str, ...]]) -> dict[str, str]:
    """Return the case-folded names of train and test folders, if both occur with similar names."""
    roles_by_rest: dict[str, dict[str, str]] = {}
    for folder in {folder.casefold() for path in folders for folder in path}:
        for role, rest in _roles(folder):
            roles_by_rest.setdefault(rest, {})[folder] = role
    return {
        folder: role
        for names in roles_by_rest.values()
        if len(set(names.values())) == 2
        for folder, role in names.items()
    }


def _roles(folder: str) -> Iterator[tuple[str, str]]:
    """Yield "train" or "test" and the rest of a folder's name, if it has such a word."""
    words = re.split(r"[ _.-]+", folder)
    for i, word in enumerate(words):
        role = "train" if word in TRAIN_WORDS else "test" if word in TEST_WORDS else None
        if role is not None:
            yield role, " ".join(words[:i] + words[i + 1 :])


def propose_pattern(names: Sequence[str]) -> str | None:
    """Return a pattern that finds classes in file names, if any."""
    for pattern in PATTERNS:
        labels = [label for label, _ in read_names(names, pattern)]
        counts = Counter(labels)
        few = 2 <= len(counts) <= min(_MOST_CLASSES, len(names) / 2)
        if few and None not in counts:
            return pattern
    return None


def read_names(names: Sequence[str], pattern: str) -> list[tuple[str | None, str | None]]:
    r"""Read the class and the group of every image from its file name."""
    expression = compiled(pattern)
    started = time.monotonic()
    labels_and_groups: list[tuple[str | None, str | None]] = []
    for name in names:
        match = expression.search(bare_name(name)[-_MAX_NAME:])
        groups = match.groupdict() if match else {}
        labels_and_groups.append((groups.get("label") or None, groups.get("group") or None))
        if time.monotonic() - started > _MAX_SECONDS:
            raise _unusable("The search takes too long.", pattern)
    return labels_and_groups


def bare_name(path: str) -> str:
    """Return a file's name without folders, and without its ending if that is one of images."""
    name = PurePosixPath(path.replace("\\", "/"))
    return name.stem if name.suffix.casefold() in IMAGE_ENDINGS else name.name


def compiled(pattern: str) -> re.Pattern[str]:
    """Return a regular expression with bounded running time, for `read_names`."""
    if len(pattern) > _MAX_PATTERN:
        raise _unusable(f"It is longer than {_MAX_PATTERN} characters.", pattern)
    try:
        expression = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise _unusable(f"It is not a regular expression: {error}.", pattern) from error
    if not {"label", "group"} & set(expression.groupindex):
        raise _unusable("It has no group called label or group.", pattern)
    if _may_run_forever(pattern):
        raise _unusable("It repeats a group, or repeats too often: it could run forever.", pattern)
    return expression


def _may_run_forever(pattern: str) -> bool:
    """Return whether a pattern repeats more than single letters, or too many of them."""
    # It is conservative: accepted patterns take at most a cubic number of steps.
    # Escapes and character sets count as one letter.
    bare = re.sub(r"\\.", "a", pattern, flags=re.DOTALL)
    bare = re.sub(r"\[\^?\]?[^\]]*\]", "a", bare)
    # The kind of group, and case flags.
    bare = re.sub(r"\(\?(P<\w+>|[:=!]|<[=!])", "(", bare)
    bare = bare.replace("(?i)", "")
    if "(?" in bare or re.search(r"\)[*+{]", bare):
        return True
    repeats = re.findall(r"[*+]|\{[\d,]+\}", bare)
    return len(repeats) > _MAX_REPEATS or bare.count("?") > _MAX_OPTIONS


def _unusable(message: str, pattern: str) -> DataError:
    shown = pattern if len(pattern) <= 60 else f"{pattern[:57]}..."
    return DataError(message, where=f"pattern {shown}", remedy=_EXAMPLE)
