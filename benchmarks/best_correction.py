"""How much too good the best of several corrections looks on pure noise, raw and corrected.

Labels that have nothing to do with the features: no correction recovers anything of the balanced
error, so whatever the best of them is quoted with is excess over the truth.

    python -m benchmarks.best_correction --files 60
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

import lincore
from lincore.imbalance import choose_remedy

Excess = tuple[float, float, bool]


def noise(counts: tuple[int, ...], n_features: int, seed: int) -> lincore.Dataset:
    """Return classes that do not differ."""
    rng = np.random.default_rng(seed)
    labels = [f"class {k}" for k in range(len(counts))]
    X = rng.normal(size=(sum(counts), n_features))
    return lincore.load((X, np.repeat(labels, counts)), name="noise")


def as_it_is(counts: tuple[int, ...], method: str, seed: int) -> Excess:
    """Return the excess of the best correction of an imbalance in the file."""
    found = lincore.imbalance_cost(noise(counts, 4, seed), method, repeats=20, seed=seed)
    (name,) = found.methods
    best = max(one.recovered.value for one in found.corrected(name))
    return best, best - found.optimism(name), found.recommended(name) is not None


def reduced(counts: tuple[int, ...], method: str, seed: int) -> Excess:
    """Return the excess of the best remedy of a class that is cut to a quarter."""
    study = lincore.balance(
        noise(counts, 4, seed), {"class 0": 0.25}, method, repeats=20, seed=seed
    )
    (name,), loss = study.methods, "balanced error"
    advice = choose_remedy(study, name, loss)
    best = max(one.recovered.value for one in study.remedies(name, loss))
    left = best - advice.optimism
    return best, left, advice.remedy.recovered.low > 0


DESIGNS: dict[str, tuple[Callable[..., Excess], tuple[int, ...]]] = {
    "270 : 30 as they are": (as_it_is, (270, 30)),
    "180 : 20 as they are": (as_it_is, (180, 20)),
    "200 : 60 : 20 as they are": (as_it_is, (200, 60, 20)),
    "150 : 150, one cut to a quarter": (reduced, (150, 150)),
}


def main() -> None:
    """Print the excess of the best correction in points, by design and method."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=60, help="data sets of each design")
    parser.add_argument("--methods", default="lda,logistic")
    options = parser.parse_args()
    print("| design | model | raw | corrected | recommended |\n|---|---|---|---|---|")
    for design, (run, counts) in DESIGNS.items():
        for method in options.methods.split(","):
            found = np.array([run(counts, method, seed) for seed in range(options.files)])
            means, errors = found.mean(axis=0), found.std(axis=0, ddof=1) / options.files**0.5
            raw, corrected = (
                f"{100 * mean:.1f} ± {100 * error:.1f}"
                for mean, error in zip(means[:2], errors[:2], strict=True)
            )
            print(f"| {design} | {method} | {raw} | {corrected} | {means[2]:.0%} |", flush=True)


if __name__ == "__main__":
    main()
