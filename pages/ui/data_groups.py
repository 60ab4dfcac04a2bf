"""A test part of whole groups: no person, session or place stands on both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lincore.errors import DataError

if TYPE_CHECKING:
    from lincore.datasets import Dataset, Split


def split_by_group(data: Dataset, test_size: float, seed: int) -> Split:
    """Set whole groups apart for testing, class shares as even as that allows.

    Raises
    ------
    DataError
        When a class is left without training rows.
    """
    import numpy as np

    from lincore.datasets import Split
    from lincore.experiments.schemes import folds

    (fold,) = folds(data, "holdout by group", seed, test_size=test_size)
    trained = np.bincount(data.codes[fold.train], minlength=data.n_classes)
    if not trained.all():
        raise DataError(
            f"Whole groups leave no training rows to class {data.classes[trained.argmin()]}.",
            where=data.name,
            remedy="Take a smaller share, another seed, or a split at random.",
        )
    return Split(fold.train, fold.test)
