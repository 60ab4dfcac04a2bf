"""Figures of the classifiers that are planes and nothing more."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import plotly.graph_objects as go
from drawing import Panels, curve, regions, regions_by, rows
from sklearn.exceptions import ConvergenceWarning

import lincore
from lincore.estimators import Ambiguity
from lincore.io import gaussian_classes
from lincore.plots.base import COLOURS, GREY, INK, translucent


def fisher() -> go.Figure:
    """Draw Fisher's direction beside that of PCA, and what is left of the rows on each."""
    cov = np.array([[4.0, 2.9], [2.9, 2.6]])
    data = gaussian_classes([[0, 0], [0.2, 2.3]], cov, sizes=[130, 130], seed=6)
    model = lincore.FisherDiscriminant().fit(data.X, data.codes)
    directions = {
        "PCA": lincore.PCA(1).fit(data.X).components_[0],
        "Fisher": model.directions_[0] / np.linalg.norm(model.directions_[0]),
    }
    j = {name: float(model.criterion(w)) for name, w in directions.items()}
    figure = Panels(
        "PCA runs along the classes, Fisher across",
        f"On PCA's direction: J = {j['PCA']:.2f}",
        f"On Fisher's: J = {j['Fisher']:.1f}",
        barmode="overlay",
    )
    x = y = (-6.5, 7.5)
    figure.add(1, *rows(data.X, data.codes, data.classes, size=6))
    figure.plane(1, x, y, square=True)
    centre = data.X.mean(axis=0)
    for name, w in directions.items():
        hue = INK if name == "Fisher" else COLOURS[4]
        figure.add(1, curve(*np.array([centre - 9 * w, centre + 9 * w]).T, name, hue, width=3))
    for panel, w in enumerate(directions.values(), start=2):
        along = (data.X - centre) @ w
        for code in range(2):
            figure.add(panel, _histogram(along[data.codes == code], np.ptp(along) / 24, code))
        figure.axes(panel, {"title": "position along it"}, {"title": "", "visible": False})
    widths = ([0, 0.42], [0.49, 0.73], [0.77, 1.0])
    for panel, domain in enumerate(widths, start=1):
        figure.figure.update_xaxes(domain=domain, col=panel)
        figure.figure.layout.annotations[panel - 1].update(x=sum(domain) / 2)
    return figure.figure


def least_squares() -> go.Figure:
    """Add far points on the right side: least squares turns, logistic regression not."""
    near = gaussian_classes(
        [[-1, 1], [1.2, -0.6]], [[0.5, 0.3], [0.3, 0.5]], sizes=[60, 60], seed=8
    )
    far = np.random.default_rng(0).normal([6.0, -6.0], 0.6, (20, 2))
    X = np.vstack([near.X, far])
    codes = np.append(near.codes, np.ones(len(far), dtype=int))
    figure = Panels("Without far points they agree", "With them, least squares is drawn away")
    x, y = (-4.0, 8.0), (-8.0, 4.0)
    for panel, n in enumerate((len(near.X), len(X)), start=1):
        squares = lincore.LeastSquaresClassifier().fit(X[:n], codes[:n])
        logistic = lincore.LogisticRegression().fit(X[:n], codes[:n])
        figure.add(panel, *regions(squares, x, y, name="least squares", color=COLOURS[3], width=4))
        look = {"color": INK, "width": 3, "dash": "dash"}
        figure.add(panel, *regions(logistic, x, y, tinted=False, name="logistic", **look))
        predicted = squares.predict(X[:n])
        figure.add(panel, *rows(X[:n], codes[:n], near.classes, predicted=predicted, size=6))
        figure.plane(panel, x, y, square=True)
        n_wrong = int((predicted != codes[:n]).sum())
        right = int((logistic.predict(X[:n]) != codes[:n]).sum())
        text = f"misclassified: {n_wrong} by least squares, {right} by logistic"
        figure.note(panel, 2.0, 3.4, text)
    return figure.figure


def perceptron() -> go.Figure:
    """Count mistakes by epoch with and without a separating plane, and which weights to keep."""
    apart = _parted_by_a_gap()
    mixed = gaussian_classes([[0, 0], [1.5, 1.3]], [[1, 0.3], [0.3, 1]], sizes=[80, 80], seed=3)
    figure = Panels("Mistakes end only where a plane separates", "Overlap: which weights to keep")
    for table, name, hue in (
        ((mixed.X, mixed.codes), "overlapping", COLOURS[3]),
        (apart, "separable", COLOURS[2]),
    ):
        history = _perceptron(*table, "last").mistakes_
        figure.add(1, curve(np.arange(1, len(history) + 1), history, name, hue, width=2.5))
    figure.axes(
        1,
        {"title": "epoch", "range": [0, 61]},
        {"title": "mistakes in the epoch (of 160 rows)", "rangemode": "tozero"},
    )
    x, y = (-2.8, 4.6), (-2.8, 4.6)
    figure.add(2, *rows(mixed.X, mixed.codes, mixed.classes, size=6))
    looks: list[tuple[Any, dict[str, Any]]] = [
        ("last", {"color": GREY, "dash": "dot"}),
        ("pocket", {"color": INK, "dash": "solid"}),
        ("averaged", {"color": COLOURS[4], "dash": "dash"}),
    ]
    counts = []
    for weights, look in looks:
        model = _perceptron(mixed.X, mixed.codes, weights)
        n_wrong = int((model.predict(mixed.X) != mixed.codes).sum())
        counts.append(f"{weights} {n_wrong}")
        look |= {"name": weights, "width": 3}
        figure.add(2, *regions(model, x, y, tinted=weights == "pocket", **look))
    figure.plane(2, x, y, square=True)
    figure.note(2, 0.9, 4.3, f"misclassified of 160: {', '.join(counts)}")
    return figure.figure


def multiclass() -> go.Figure:
    """Shade the regions that nobody claims, that two claim, and where the votes are tied."""
    turns = np.exp(2j * np.pi / 3) ** np.arange(3)
    middles = np.column_stack([(2.2j * turns).real, (2.2j * turns).imag])
    data = gaussian_classes(middles, 0.3 * np.eye(3)[:2, :2], sizes=[60, 60, 60], seed=2)
    base = lincore.LogisticRegression()
    rest = lincore.OneVsRest(base).fit(data.X, data.codes)
    bars = _pinwheel()
    pairs = lincore.OneVsOne(lincore.LinearDiscriminantAnalysis(shrinkage=0.1)).fit(*bars)
    figure = Panels("One versus rest", "One versus one, classes that slant")
    frames = ((-4.5, 4.5), (-4.3, 4.7))
    figure.add(
        1, *_claims(rest, *frames, (Ambiguity.CLAIMED_BY_NONE, Ambiguity.CLAIMED_BY_SEVERAL))
    )
    figure.add(1, *rows(data.X, data.codes, data.classes, size=6))
    figure.add(2, *_claims(pairs, *frames, (Ambiguity.TIED_VOTES,)))
    figure.add(2, *rows(*bars, data.classes, size=6))
    for panel, model in enumerate((rest, pairs), start=1):
        figure.plane(panel, *frames, square=True)
        for w, b in zip(model.coef_, model.intercept_, strict=True):
            figure.add(panel, _straight(w, b))
    return figure.figure


def _parted_by_a_gap() -> tuple[Any, Any]:
    """Return 160 rows that a line separates, with little room on either side, and their codes."""
    X = np.random.default_rng(2).uniform(-1, 1, (400, 2))
    side = X @ [0.8, 0.6] - 0.5
    kept = np.flatnonzero(np.abs(side) > 0.01)[:160]
    return X[kept], (side[kept] > 0).astype(int)


def _perceptron(X: Any, codes: Any, weights: Any) -> Any:
    model = lincore.Perceptron(weights=weights, max_epochs=60, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, codes)


def _histogram(values: Any, step: float, code: int) -> go.Histogram:
    hue = translucent(COLOURS[code], 0.55)
    return go.Histogram(
        x=values, xbins={"size": step, "start": -24 * step, "end": 24 * step}, marker={"color": hue}
    )


def _pinwheel() -> tuple[Any, Any]:
    """Return rows of three bars that slant about the origin, and their codes."""
    rng = np.random.default_rng(4)
    along = rng.uniform(-1, 1, 50)
    bar = 2.4j + (1.5 + 1.5j) * along + 0.12 * (rng.normal(size=50) + 1j * rng.normal(size=50))
    turns = np.exp(2j * np.pi / 3) ** np.arange(3)
    Z = np.ravel(turns[:, None] * bar)
    return np.column_stack([Z.real, Z.imag]), np.repeat(np.arange(3), 50)


def _straight(w: Any, b: float) -> go.Scatter:
    foot, way = -b * w / (w @ w), np.array([-w[1], w[0]]) / np.linalg.norm(w)
    return curve(*np.array([foot - 20 * way, foot + 20 * way]).T, width=1.5)


def _claims(model: Any, x: Any, y: Any, kinds: tuple[Ambiguity, ...]) -> list[Any]:
    """Return the regions of the classes where they are clear, and the ambiguous ones in greys."""
    traces = regions_by(lambda Z: _clear_scores(model, Z), x, y)[:-2]
    xs, ys = np.linspace(*x, 601), np.linspace(*y, 601)
    points = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    codes = model.ambiguity(points).reshape(601, 601)
    names = {
        Ambiguity.CLAIMED_BY_NONE: ("claimed by nobody", INK),
        Ambiguity.CLAIMED_BY_SEVERAL: ("claimed by two", GREY),
        Ambiguity.TIED_VOTES: ("tied votes", INK),
    }
    for kind in kinds:
        name, hue = names[kind]
        shade = translucent(hue, 0.55)
        traces.append(
            go.Heatmap(
                x=xs,
                y=ys,
                z=np.where(codes == kind, 1.0, np.nan),
                colorscale=[[0, shade], [1, shade]],
                showscale=False,
                hoverinfo="skip",
            )
        )
        marker = {"size": 14, "symbol": "square", "color": shade}
        traces.append(go.Scatter(x=[None], y=[None], mode="markers", name=name, marker=marker))
    return traces


def _clear_scores(model: Any, Z: Any) -> Any:
    """Return scores of the classes, and of one more that wins where the answer is ambiguous."""
    scores = np.clip(model.decision_function(Z), -5, 5)
    unclear = np.where(model.ambiguity(Z) != Ambiguity.CLEAR, 20.0, -20.0)
    return np.column_stack([scores, unclear])
