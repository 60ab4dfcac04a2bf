"""Experiment 6: a race of optimisers on one error surface."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial

import numpy as np

from lincore.data.dataset import Dataset
from lincore.data.generators import gaussian_classes
from lincore.geometry.descents import Descent, LogisticError, descend_logistic
from lincore.laboratory import _irls
from lincore.laboratory.demonstration import Demonstration, Snapshot, nothing, signed
from lincore.laboratory.experiment import LaboratoryExperiment, Preset
from lincore.linalg.optimize import Reason
from lincore.plots.base.palette import ACCENT, GREY, INK
from lincore.plots.geometry.labels import words
from lincore.plots.geometry.stage import (
    Panel,
    Spot,
    StagePlane,
    contours,
    line,
    ring,
    stage,
    within,
)
from lincore.utils.typing import Array

# Powers of ten of the error above the minimum; rounding hides what is smaller.
ERRORS, LEAST = (-16.0, 2.0), 1e-13
MOST = 400
# Maximum number of steps drawn: the first and the last ones.
SEEN = 60


@cache
def _rows() -> Dataset:
    return gaussian_classes([[0.0], [2.0]], sizes=[60, 40], seed=0)


@cache
def _error() -> LogisticError:
    data = _rows()
    return LogisticError(np.column_stack([data.X, np.ones(100)]), data.codes.astype(float))


def _rates() -> dict[str, float]:
    """Return the named learning rates."""
    error = _error()
    largest = float(np.linalg.eigvalsh(error.bound())[-1])
    low, high = np.linalg.eigvalsh(error.hessian(descend_logistic(error).positions[-1])).tolist()
    return {"1/L": 1 / largest, "best": 2 / (low + high), "limit": 2 / high}


def _solvers() -> dict[str, Descent]:
    error = _error()
    return {
        "Newton": descend_logistic(error),
        "fixed Hessian": descend_logistic(error, "fixed-hessian"),
        "gradient, 1/L": descend_logistic(error, "gradient"),
    }


def _learning_rates() -> dict[str, Descent]:
    error, rates = _error(), _rates()
    chosen = {
        "1/L": rates["1/L"],
        "2/(λmin + λmax)": rates["best"],
        "0.98 · 2/λmax": 0.98 * rates["limit"],
        "1.05 · 2/λmax": 1.05 * rates["limit"],
    }
    return {
        name: descend_logistic(error, "gradient", rate=rate, max_iter=1000)
        for name, rate in chosen.items()
    }


def _from_afar() -> dict[str, Descent]:
    error = _error()
    return {
        "Newton, whole steps": descend_logistic(error, start=[5, 5], halving=False, max_iter=60),
        "Newton, steps halved": descend_logistic(error, start=[5, 5]),
    }


def _state(descent: Descent, step: int, least: float) -> str:
    if step >= descent.n_steps:
        if descent.reason is Reason.GRADIENT:
            return f"converged after {descent.n_steps}"
        if descent.reason is Reason.DIVERGED or not np.isfinite(descent.trace[-1].objective):
            return f"diverged after {descent.n_steps}"
    above = descent.trace[min(step, descent.n_steps)].objective - least
    return f"{above:.2g} above the minimum" if above > 1e-12 else "at the minimum"


def _show(
    race: Callable[[], Mapping[str, Descent]],
    plane: StagePlane,
    before: str,
    subject: str,
    conclude: Callable[[Mapping[str, Descent]], str],
) -> Demonstration:
    error, descents = _error(), race()
    minimum = descend_logistic(error)
    least, best = minimum.trace[-1].objective, minimum.positions[-1]
    x, y = (np.linspace(plane.low[i], plane.high[i], 70) for i in (0, 1))
    height = np.array(
        [[np.log(1e-3 + error(np.array([a, b])).value - least) for a in x] for b in y]
    )
    longest = min(MOST, max(descent.n_steps for descent in descents.values()))
    steps = np.unique([*range(min(13, longest + 1)), *np.geomspace(12, longest, 40).astype(int)])
    steps = steps[steps <= longest]

    def frame(step: int) -> Snapshot:
        states = ", ".join(
            f"{name}: {_state(descent, step, least)}" for name, descent in descents.items()
        )
        paths = [_path(descent, step, plane) for descent in descents.values()]
        errors = [_errors(descent, steps[steps <= step], least) for descent in descents.values()]
        cursor = np.array([[max(step, 1), 10.0**end] for end in ERRORS])
        ends = [_end(descent, step, least) for descent in descents.values()]
        places = (cursor, *paths, best[None], *errors, np.array(ends))
        return Snapshot(f"step {step}", f"Step {step}. {states}.", places, step)

    start = next(iter(descents.values())).positions[0]
    first = Snapshot("before", before, (
        nothing(), *(start[None] for _ in descents), best[None],
        *[nothing()] * len(descents), nothing(len(descents)),
    ))  # fmt: skip
    dashes = ("solid", "dash", "dot", "dashdot")
    # Only the requested one is coloured.
    hues = [ACCENT if name == subject else GREY for name in descents]
    looks = [
        {**line(name, hues[i], dash=dashes[i], width=3), "mode": "lines+markers",
         "marker": {"size": 6, "color": hues[i]}}
        for i, name in enumerate(descents)
    ]  # fmt: skip
    counts = [descent.n_steps for descent in descents.values()]
    # Labels alternate between the two sides of their ends; the last one is on the right.
    arrived = [
        (descent.reason is Reason.GRADIENT) * descent.n_steps for descent in descents.values()
    ]
    ranks = np.argsort(np.argsort(arrived)[::-1])
    sides = [("bottom right", "bottom left")[rank % 2] for rank in ranks]
    beside = StagePlane(
        np.array([0.0, ERRORS[0]]), np.array([np.log10(3 * longest), ERRORS[1]]),
        ("step", "E − minimum"), False,
    )  # fmt: skip
    up = {"type": "log", "dtick": 4, "exponentformat": "power"}
    figure = stage(
        plane,
        (
            within(line("", INK, width=1.5)),
            *looks,
            ring("minimum", INK),
            *(within({**look, "name": "", "mode": "lines"}) for look in looks),
            within(words(list(map(str, counts)), hues)) | {"textposition": sides},
        ),
        first.places,
        title="Compare how many steps each path takes to the minimum",
        alt="Lines of equal error over the weight of x and the intercept, with the paths of the "
        "optimisers to the minimum; beside, on logarithmic axes, the error above it by step.",
        spot=Spot(across=(0, 0.63)),
        panels=(Panel(beside, Spot((0.76, 1), (0.1, 1)), {"type": "log", "dtick": 1}, up),),
        fixed=[contours(x, y, height, "equal error")],
    )
    answer = float(descents[subject].n_steps)
    frames = (first, *(frame(int(step)) for step in steps))
    return Demonstration(figure, frames, answer, conclude(descents))


def _errors(descent: Descent, steps: Array, least: float) -> Array:
    """Return the error above the minimum after some steps, from the first, as (k, 2)."""
    drawn = steps[(steps >= 1) & (steps <= descent.n_steps)]
    above = np.array([descent.trace[step].objective - least for step in drawn])
    return np.column_stack([drawn, np.where(np.isfinite(above), above.clip(LEAST), np.nan)])


def _end(descent: Descent, step: int, least: float) -> tuple[float, float]:
    """Return where a descent that has converged ends, for its number of steps."""
    if step < descent.n_steps or descent.reason is not Reason.GRADIENT:
        return np.nan, np.nan
    return descent.n_steps, max(descent.trace[-1].objective - least, LEAST)


def _path(descent: Descent, step: int, plane: StagePlane) -> Array:
    """Return the path up to a step, cut off where it goes far beyond the plane."""
    path = descent.positions[: step + 1]
    side = plane.high - plane.low
    inside = np.all((path > plane.low - 3 * side) & (path < plane.high + 3 * side), axis=1)
    path = path if inside.all() else path[: max(1, int(inside.argmin()))]
    return path if len(path) <= SEEN else np.concatenate([path[: SEEN // 2], path[-SEEN // 2 :]])


def _solvers_finding(descents: Mapping[str, Descent]) -> str:
    newton, fixed, gradient = (descent.n_steps for descent in descents.values())
    return (
        f"Newton {newton}, the fixed Hessian ΦᵀΦ/4 {fixed}, the gradient with 1/L = "
        f"{_rates()['1/L']:.6f} {gradient} steps: the same minimum. Curvature helps more than any "
        f"rate; with two weights, seconds are meaningless."
    )


def _rates_finding(descents: Mapping[str, Descent]) -> str:
    safe, best, edge, _ = descents.values()
    rates = _rates()
    return (
        f"1/L = {rates['1/L']:.6f}: {safe.n_steps} steps, no rise. 2/(λmin + λmax) = "
        f"{rates['best']:.6f}: {best.n_steps}. Just below the local limit 2/λmax = "
        f"{rates['limit']:.7f}: {edge.n_steps} steps with {edge.n_rises} rises; just above it, it "
        f"oscillates forever."
    )


def _afar_finding(descents: Mapping[str, Descent]) -> str:
    wild, halved = descents.values()
    return (
        f"From (5, 5) full Newton steps end after {wild.n_steps}: the Hessian there is almost "
        f"zero and the step enormous. Halving steps until the error falls takes "
        f"{halved.n_steps} and always converges."
    )


NEAR = StagePlane(np.array([-1.0, -3.5]), np.array([3.2, 0.7]), ("weight of x", "intercept"))
EXPERIMENT = LaboratoryExperiment(
    "A race of optimisers",
    "Newton: w ← w − H⁻¹∇E with H = ΦᵀRΦ; a bound of H never lets the error rise; a fixed rate is "
    "slow or oscillates (PRML 4.3.3; faces, “Fixed Learning Rate”).",
    {
        "classic": Preset(
            "Newton, fixed Hessian, gradient",
            "Newton needs 6 steps. How many does the gradient need with the safe rate 1/L?",
            "steps",
            0,
            partial(
                _show,
                _solvers,
                NEAR,
                "All start at (0, 0), with the same error of 100 rows with one feature.",
                "gradient, 1/L",
                _solvers_finding,
            ),
            _rows,
        ),
        "rates": Preset(
            "Four learning rates",
            "With 1/L = 0.0142 the gradient needs 318 steps. How many with the best rate, "
            "2/(λmin + λmax) = 0.0603?",
            "steps",
            0,
            partial(
                _show,
                _learning_rates,
                NEAR,
                "Four fixed rates, named by their origin: L bounds all Hessians, λ are the "
                "eigenvalues of the one at the minimum.",
                "2/(λmin + λmax)",
                _rates_finding,
            ),
            _rows,
        ),
        "irls": _irls.PRESET,
        "afar": Preset(
            "Newton from (5, 5)",
            "Newton starts far away and halves steps that increase the error. How many steps until "
            "it "
            "arrives?",
            "steps",
            0,
            partial(
                _show,
                _from_afar,
                StagePlane(
                    np.array([-4.0, -6.0]), np.array([8.0, 6.0]), ("weight of x", "intercept")
                ),
                f"The start is ({signed(5, 0)}, {signed(5, 0)}), where almost all rows of class 1 "
                "are misclassified with certainty.",
                "Newton, steps halved",
                _afar_finding,
            ),
            _rows,
        ),
    },
)
