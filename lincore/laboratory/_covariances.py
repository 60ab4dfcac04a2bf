"""Experiment 7: from one shared covariance to one per class."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np

from lincore.data.dataset import Dataset
from lincore.data.generators import gaussian_classes
from lincore.estimators.boundary_geometry import boundary
from lincore.estimators.quadratic_discriminant import QuadraticDiscriminantAnalysis
from lincore.laboratory.demonstration import Demonstration, Snapshot, nothing
from lincore.laboratory.experiment import LaboratoryExperiment, Preset
from lincore.laboratory.samples import ellipse, prml_data
from lincore.plots.base.palette import INK, colour
from lincore.plots.geometry.stage import StagePlane, line, stage
from lincore.plots.plane.boundary_lines import trace_lines
from lincore.plots.plane.regions import Map, nodes
from lincore.utils.typing import Array


@cache
def _narrow_in_wide() -> Dataset:
    wide = np.array([np.eye(2), 9 * np.eye(2)])
    return gaussian_classes([[0.0, 0.0], [0.0, 0.5]], wide, sizes=[200, 200], seed=0)


def _show(rows: Callable[[], Dataset]) -> Demonstration:
    data = rows()
    train = np.ones(data.n_rows, bool) if data.given_test is None else ~data.given_test
    X, codes = data.X[train], data.codes[train]
    test_X, test_codes = (X, codes) if train.all() else (data.X[~train], data.codes[~train])
    test_rows = f"{len(test_X)} rows" if train.all() else f"{len(test_X)} new rows"
    first_name, second_name = data.feature_names
    plane = StagePlane.around(X, margin=0.06, names=(first_name, second_name))
    x, y = np.linspace(plane.low, plane.high, 70).T

    def frame(share: float) -> Snapshot:
        model = QuadraticDiscriminantAnalysis(regularization=share).fit(X, codes)
        wrong = int(np.count_nonzero(model.predict(test_X) != test_codes))
        values = boundary(model, 1, 0).values(nodes(x, y)).reshape(len(y), len(x), 1)
        curve = trace_lines(Map(x, y, np.concatenate([0 * values, values], axis=2)))
        name = {1.0: " (LDA: one shared covariance)", 0.0: " (QDA: one of each class)"}
        sentence = (
            f"Regularisation {share:.2f}{name.get(share, '')}: {wrong} of {test_rows} "
            "misclassified."
        )
        ellipses = [ellipse(model.means_[k], model.covariance_[k]) for k in (0, 1)]
        places: tuple[Array, ...] = (curve if len(curve) else nothing(), *ellipses)
        return Snapshot(f"{share:.2f}", sentence, places, wrong)

    snapshots = [frame(round(float(share), 2)) for share in np.linspace(1, 0, 21)]
    shared, halfway, own = (snapshots[i].value for i in (0, 10, -1))
    before = (
        f"LDA, with one covariance for both classes, misclassifies {shared:.0f} of {test_rows}."
    )
    first = Snapshot("before", before, snapshots[0].places)
    figure = stage(
        plane,
        (
            line("boundary", INK, width=3),
            *(line(f"95 % of class {k + 1}", colour(k), dash="dash", width=2) for k in (0, 1)),
        ),
        first.places,
        title="Watch the line bend as each class gets an ellipse of its own",
        alt="Rows of two classes, the boundary, and the ellipses that hold 95 % of each Gaussian.",
        rows=(X, codes, data.classes),
    )
    finding = (
        f"Regularisation 1 is LDA: {shared:.0f} misclassified, halfway {halfway:.0f}, individual "
        f"covariances {own:.0f}. The boundary is straight exactly if the covariances are equal; "
        f"individual ones help if classes really differ in shape, and otherwise add variance."
    )
    return Demonstration(figure, (first, *snapshots), own, finding)


EXPERIMENT = LaboratoryExperiment(
    "Shared or individual covariances",
    "With one Σ the quadratic terms cancel and the boundary is a line; with one per class it "
    "is a conic (LDA and QDA derivations, eqs. 29 to 31).",
    {
        "classic": Preset(
            "Narrow within wide",
            "LDA misclassifies 169 of 400 rows. How many does QDA misclassify?",
            "rows",
            0,
            partial(_show, _narrow_in_wide),
            _narrow_in_wide,
        ),
        "equal": Preset(
            "Equal covariances",
            "In the 100 rows of the R text both true covariances are equal. How many of its "
            "200 new rows does QDA misclassify?",
            "rows",
            0,
            partial(_show, prml_data),
            prml_data,
        ),
    },
)
