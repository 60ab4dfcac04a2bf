"""Studies of small data, whose samples are fitted together: what each would be by itself."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore.datasets import Dataset
from lincore.experiments.pipeline import Steps


def rare_levels():
    """Return rows with a category whose rare levels are missing from small samples."""
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], [60, 40])
    levels = rng.choice(12, 100, p=np.array([20, 15, 10, *[1] * 9]) / 54)
    return Dataset(
        name="rare",
        X=np.column_stack([rng.normal(codes, 1.0), levels]),
        codes=codes,
        classes=np.array(["a", "b"]),
        feature_names=("x", "level"),
        levels=(None, tuple(map(str, range(12)))),
    )


@pytest.mark.parametrize("kind", ["levels", "share of the variance"])
def test_samples_may_leave_different_numbers_of_coordinates(kind):
    data, steps = rare_levels(), Steps()
    if kind != "levels":
        data, steps = lincore.sample("wine"), Steps(n_components=0.9, whiten=True)
    label = data.classes.tolist()[1]
    study = lincore.balance(data, {label: 12}, "logistic", steps=steps, repeats=4)
    assert study.methods == ("logistic",) and np.isfinite(study.losses).all()
    swept = lincore.sweep(data, label, [5, 12], "logistic", steps=steps, repeats=2)
    assert np.isfinite(swept.curve("logistic").mean).all()
