"""Checks of a split and of assumptions against the products that they cannot do without.

Run ``python benchmarks/checks.py``.
"""

from __future__ import annotations

import numpy as np
from common import finish, ratio, require

from lincore.experiments.checks import assumptions
from lincore.experiments.copies import find_copies


def main() -> None:
    """Print the ratios; end with an error if a bound is missed."""
    X = np.random.default_rng(0).integers(0, 256, (6000, 900), dtype=np.uint8)
    train, test = X[:4200], X[4200:]

    def product() -> None:
        train.astype(np.float32) @ test.astype(np.float32).T

    copies = ratio(lambda: find_copies(train, test, "pictures"), product, turns=7)
    require("copies among 4,200 x 1,800 pictures / the product of the parts", copies, at_most=8)

    rows, codes = train[:, :400], np.arange(4200) % 3
    names = np.array(["a", "b", "c"])

    def spectrum() -> None:
        values = rows.astype(float)
        np.linalg.eigvalsh(values.T @ values)

    checks = ratio(lambda: assumptions(rows, codes, names), spectrum, turns=7)
    require("assumptions of 4,200 x 400 / the spectrum of their product", checks, at_most=40)
    finish()


if __name__ == "__main__":
    main()
