"""Rows of a new file in the form that a fitted model requires."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from lincore.data.dataset import Dataset, Skipped, Split
from lincore.data.frames import as_frame, is_frame, is_number
from lincore.data.labels import level_name
from lincore.data.row_weights import checked_weights
from lincore.data.splits import Fold
from lincore.errors import DataError, Notice, TooLargeError
from lincore.io.files.sources import large_path, read_source
from lincore.io.images.decode import Fit, is_image
from lincore.io.images.read import read_new_images
from lincore.io.loading import recognise_file
from lincore.io.npz import read_npz
from lincore.io.table_files import read_table
from lincore.io.tables.bins import name_bins
from lincore.io.tables.features import merge_labels
from lincore.io.tables.matching import RowMatch, find_column, spelled_codes
from lincore.io.tables.repeated_ids import group_codes
from lincore.io.tables.table import Table
from lincore.limits import LIMITS
from lincore.metrics.settings import Settings
from lincore.model_selection.fitted_model import FittedModel
from lincore.model_selection.splitters import plan_settings
from lincore.utils.formatting import count, listed
from lincore.utils.typing import Array, Codes, Progress

if TYPE_CHECKING:
    from lincore.io.tables.text.options import ReadOptions

_MOST_NAMED = 5
#: Code of a row whose class is unknown.
NO_LABEL = -1
# Codes of findings about rows that were left out.
_LOST = ("LIN021", "LIN031", "LIN032")


class Reading(NamedTuple):
    """Options for reading new rows.

    Attributes
    ----------
    name : str, optional
        Name of the file in messages.
    options : ReadOptions, optional
        Import options of a text file.
    fit : {"pad", "crop", "stretch"}, optional
        How images are resized to the training images. Default: as these were.
    fill_missing : bool
        Whether to treat an absent column as a column of missing values.
    rename : mapping of str to str
        Maps columns of the table to their names in the training data.
    merge_classes : mapping of str to str
        Maps labels in the table to the classes into which they were merged in the training data.
    """

    name: str | None = None
    options: ReadOptions | None = None
    fit: Fit | None = None
    fill_missing: bool = False
    rename: Mapping[str, str] = {}
    merge_classes: Mapping[str, str] = {}


AS_DETECTED = Reading()


@dataclass(frozen=True, eq=False)
class TestSet:
    """The test set of the split on which a model was fitted.

    Its scores equal those of the comparison on this split: groups are kept together, and class
    shares are those of all rows.

    Parameters
    ----------
    data : Dataset
        Training and test rows.
    split : Split
    """

    __test__ = False  # pytest

    data: Dataset
    split: Split

    @property
    def name(self) -> str:
        """Name of these rows in messages."""
        return f"{self.data.name}, test set"

    def __len__(self) -> int:
        """Return the number of test rows."""
        return len(self.split.test)


class NewRows(NamedTuple):
    """New rows, both in the form that a model requires and as in their file."""

    X: Any  # (n, p)
    frame: pd.DataFrame  # the file's columns; for images, the file names
    match: RowMatch
    truth: Codes | None = None  # (n,); class codes if the file contains the classes; -1 if unknown
    # Labels in the file that are not classes of the model, with their numbers of rows
    unknown_labels: Mapping[str, int] = {}
    n_unlabelled: int = 0  # rows without a class in a file that has a column of classes
    skipped: tuple[Skipped, ...] = ()  # files of a zip that were skipped
    n_resized: int = 0  # number of images that were resized
    # (n,); sampling weights, if the file has the weight column of the training data
    weights: Array | None = None
    # Findings while reading the file, such as lines that were left out
    notices: tuple[Notice, ...] = ()
    # Groups of the rows, and the class counts of the whole data set if they are its test set
    settings: Settings = Settings()
    numbers: Codes | None = None  # (n,); for a test set, positions of its rows in the data set

    @property
    def counting(self) -> Codes:
        """Positions of the rows that count in scores, those with nonzero weight."""
        if self.weights is None:
            return np.arange(len(self.frame))
        return np.flatnonzero(self.weights)

    @property
    def findings(self) -> tuple[Notice, ...]:
        """Findings while reading the file, rows that cannot be scored, and mismatched columns."""
        return (*self.notices, *self._unscored, *self.match.notices)

    @property
    def _unscored(self) -> list[Notice]:
        """Return notices about rows whose class is missing or unknown to the model."""
        notices = []
        if self.unknown_labels:
            rows = count(sum(self.unknown_labels.values()), "row")
            named = [f"{label!r} ({number:,})" for label, number in self.unknown_labels.items()]
            classes = "a class" if len(named) == 1 else f"{len(named):,} classes"
            unknown = f"{rows} of {classes} unknown to the model: {listed(named, _MOST_NAMED)}"
            notices.append(Notice(f"{unknown}. Predicted, not scored."))
        if self.n_unlabelled:
            notices.append(
                Notice(f"{count(self.n_unlabelled, 'row')} without a class. Not scored.")
            )
        return notices

    @property
    def has_lost_rows(self) -> bool:
        """True if rows of the file were left out."""
        return any(notice.code in _LOST for notice in self.notices)


def read_new_rows(
    model: FittedModel,
    rows: Any,
    reading: Reading,
    progress: Progress | None,
) -> NewRows:
    """Read new rows of any form."""
    if isinstance(rows, TestSet):
        return _from_test_set(model, rows)
    if isinstance(rows, Dataset):
        return _from_dataset(model, rows)
    if isinstance(rows, Table):
        return _from_table(model, rows, reading, progress)
    if is_frame(rows):
        return _from_frame(model, as_frame(rows), reading)
    if _are_files(rows):
        return _from_images(model, rows, reading.name or "images", reading, progress)
    if isinstance(rows, (np.ndarray, list, tuple)) or hasattr(rows, "tocsr"):
        return _from_array(model, rows if hasattr(rows, "tocsr") else np.asarray(rows))
    large = large_path(rows)
    if large is not None:
        table = read_table(large, reading.name or large.name, reading.options)
        return _from_table(model, table, reading, progress)
    raw, name = read_source(rows, reading.name)
    if is_image(raw, name):
        return _from_images(model, [(name, raw)], name, reading, progress)
    kind, raw, name = recognise_file(raw, name)
    if kind == "arrays":
        return _from_dataset(model, read_npz(raw, name))
    if kind == "images":
        return _from_images(model, raw, name, reading, progress)
    _refuse_tables(model, name)
    return _from_table(model, read_table(raw, name, reading.options), reading, progress)


def _from_table(
    model: FittedModel, table: Table, reading: Reading, progress: Progress | None
) -> NewRows:
    frame, findings = _read_all(table, progress)
    rows = _from_frame(model, frame, reading)
    return rows._replace(notices=(*findings, *rows.notices))


def _from_frame(model: FittedModel, frame: pd.DataFrame, reading: Reading) -> NewRows:
    _refuse_tables(model, "new rows")
    if not len(frame):
        raise DataError("There are no rows.", where="new rows", remedy="Load rows to predict.")
    frame = frame.rename(columns=dict(reading.rename))
    X, match = model.match(frame, fill_missing=reading.fill_missing)
    weight = _spelled_name(model.weight_name, [str(name) for name in frame.columns])
    additional = [name for name in match.additional if name != weight]
    target, group = (
        _spelled_name(model.target_name, additional),
        _spelled_name(model.group_name, additional),
    )
    spelled = {model.target_name: target} if target not in (None, model.target_name) else {}
    match = replace(
        match,
        additional=tuple(name for name in additional if name not in (target, group)),
        spelled={**match.spelled, **spelled},
    )
    columns = [str(name) for name in frame.columns]
    rows = NewRows(X, frame, match)
    if weight is not None:
        try:
            weights = checked_weights(frame.iloc[:, columns.index(weight)], model.weight_name)
            rows = rows._replace(weights=weights)
        except DataError as error:  # only scores need weights
            cause = error.notice
            unused = Notice(cause.what, cause.where, "It is not used in scores.")
            rows = rows._replace(notices=(unused,))
    if group is not None:
        groups = group_codes(frame.iloc[:, columns.index(group)], by_part=model.groups_by_part)[0]
        rows = rows._replace(settings=Settings(row_groups=groups))
    if target is None:
        return rows
    position = columns.index(target)
    if reading.merge_classes:
        labels = merge_labels(frame.iloc[:, position], reading.merge_classes)
        frame = frame.assign(**{target: labels})
    return rows._replace(frame=frame, **_class_fields(frame.iloc[:, position], model))


def _spelled_name(name: str, given: Sequence[str]) -> str | None:
    """Find a column by name, with the same tolerance for spelling as features."""
    position = find_column(name, given) if name else None
    return None if position is None else given[position]


def _from_dataset(model: FittedModel, data: Dataset) -> NewRows:
    if not data.n_words and not data.kind.is_images and model.image_shape is None:
        frame = data.to_frame().set_axis([*data.feature_names, data.target_name or "class"], axis=1)
        rows = _from_frame(model, frame, AS_DETECTED)
    else:
        X = model.require_width(data.X)
        if data.n_words and data.feature_names != model.feature_names:
            raise DataError(
                "Its words differ from those of the training data.",
                where=data.name,
                remedy="Give a table with the original texts.",
            )
        names = data.row_names or [f"row {i + 1}" for i in range(data.n_rows)]
        frame = pd.DataFrame({"file" if data.row_names else "row": list(names)})
        rows = NewRows(X, frame, RowMatch(data.n_rows))
    return rows._replace(
        **_class_fields(pd.Series(data.y), model),
        weights=data.weights,
        settings=Settings(row_groups=data.groups),
    )


def _from_test_set(model: FittedModel, rows: TestSet) -> NewRows:
    data, split = rows.data, rows.split
    settings = plan_settings(data, [Fold(0, 0, split.train, split.test)])
    # The model does not know classes without training rows.
    learned = np.isin(data.classes, model.classes)
    assert settings.training_shares is not None
    settings = replace(
        settings,
        class_counts=data.counts[learned],
        training_shares=settings.training_shares[learned],
    )
    new = _from_dataset(model, data.take(split.test))
    return new._replace(settings=settings, numbers=split.test)


def _from_array(model: FittedModel, X: Any) -> NewRows:
    if X.dtype.kind not in "fiub":
        raise DataError("The array must be numeric.", where="new rows")
    sparse = hasattr(X, "tocsr")
    X = model.require_width(X if sparse or X.dtype == np.uint8 else X.astype(np.float64))
    if sparse or model.image_shape is not None:
        frame = pd.DataFrame({"row": np.arange(1, X.shape[0] + 1)})
        return NewRows(X, frame, RowMatch(X.shape[0]))
    frame = pd.DataFrame(X, columns=list(model.feature_names))
    if model.levels is not None:  # the array holds codes of levels, as the model requires
        return NewRows(X, frame, RowMatch(len(X)))
    return _from_frame(model, frame, AS_DETECTED)


def _from_images(
    model: FittedModel,
    source: bytes | Sequence[tuple[str, bytes]],
    name: str,
    reading: Reading,
    progress: Progress | None,
) -> NewRows:
    if model.image_shape is None:
        raise DataError(
            "These are images, but the model was fitted on a table.",
            where=name,
            remedy=f"Upload a table with the columns of {model.data_name}.",
        )
    scale = model.image_scale
    if reading.fit is not None:
        scale = scale._replace(fit=reading.fit)
    images = read_new_images(source, model.image_shape, scale, name=name, progress=progress)
    classes = {str(label): code for code, label in enumerate(model.classes)}
    # The class of an image is its innermost folder that has the name of a class.
    truth = np.array(
        [
            next(
                (classes[folder] for folder in path.split("/")[-2::-1] if folder in classes),
                NO_LABEL,
            )
            for path in images.paths
        ],
        dtype=np.intp,
    )
    has_classes = bool((truth != NO_LABEL).any())
    folders = [path.split("/")[-2] for path, code in zip(images.paths, truth, strict=True)
               if code == NO_LABEL and "/" in path]  # fmt: skip
    unknown = dict(Counter(folders).most_common()) if has_classes else {}
    return NewRows(
        images.X,
        pd.DataFrame({"file": list(images.paths)}),
        RowMatch(len(images.X)),
        truth if has_classes else None,
        unknown,
        int((truth == NO_LABEL).sum()) - len(folders) if has_classes else 0,
        skipped=images.skipped,
        n_resized=images.n_resized,
    )


def _class_fields(labels: pd.Series[Any], model: FittedModel) -> dict[str, Any]:
    """Return truth, unknown labels and rows without a class, as fields of `NewRows`."""
    if model.bin_bounds and is_number(labels):
        labels = name_bins(labels, model.bin_bounds)
    value_codes, values = pd.factorize(labels)
    names = [level_name(value) for value in values]
    code_of = spelled_codes(names, [str(label) for label in model.classes])
    codes = np.array([*(code_of.get(name, NO_LABEL) for name in names), NO_LABEL], dtype=np.intp)
    numbers = np.bincount(value_codes[value_codes >= 0], minlength=len(names))
    unknown = {
        name: int(number)
        for name, number in zip(names, numbers, strict=True)
        if name not in code_of and name.strip()
    }
    truth = codes[value_codes]
    n_unknown = sum(unknown.values())
    return {
        "truth": truth if (truth != NO_LABEL).any() else None,
        "unknown_labels": dict(Counter(unknown).most_common()),
        "n_unlabelled": int((truth == NO_LABEL).sum()) - n_unknown,
    }


def _read_all(table: Table, progress: Progress | None) -> tuple[pd.DataFrame, tuple[Notice, ...]]:
    """Read all rows of a table, if large in blocks; return them with the findings."""
    if table.source is None:
        return table.frame, table.notices
    names = [str(name) for name in table.frame.columns]
    if table.source.n_rows * len(names) > LIMITS.max_cells:
        raise TooLargeError(
            f"There are {table.source.n_rows:,} rows of {len(names):,} columns; at "
            f"most {LIMITS.max_cells:,} cells can be predicted at a time.",
            where=table.name,
            remedy="Leave columns out, or predict fewer rows.",
        )
    texts = [name for name in names if not is_number(table.frame[name])]
    blocks, done, findings = [], 0, list[Notice]()
    for block in table.source.frames(names, texts, findings=findings):
        blocks.append(block)
        done += len(block)
        if progress is not None:
            total = max(done, table.source.n_rows)
            if progress(done, total, "rows read") is False:
                raise DataError("Reading was stopped.", where=table.name)
    return pd.concat(blocks, ignore_index=True), table.notices_with(findings)


def _are_files(rows: Any) -> bool:
    return (
        isinstance(rows, (list, tuple))
        and len(rows) > 0
        and all(
            isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[1], bytes)
            for pair in rows
        )
    )


def _refuse_tables(model: FittedModel, name: str) -> None:
    if model.image_shape is not None:
        raise DataError(
            "This is a table, but the model was fitted on images.",
            where=name,
            remedy="Upload images, or a zip of them.",
        )
