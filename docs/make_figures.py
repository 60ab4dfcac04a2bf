"""Make the figures of docs/estimators.md and README.md: `python docs/make_figures.py [name ...]`.

Each figure is drawn from what lincore's own estimators have learned, by a function of its name
in one of the modules beside this one, and written to docs/figures/. The name "pages" stands for
the figures of the dashboard, in docs/figures/pages/ and guide/, "plots" for docs/plots.md with its
figures, in docs/figures/plots/.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import plotly.graph_objects as go

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import figures_of_discriminants as discriminants  # noqa: E402
import figures_of_gaussians as gaussians  # noqa: E402
import figures_of_pages as pages  # noqa: E402
import figures_of_plots as plots  # noqa: E402
import figures_of_probabilities as probabilities  # noqa: E402
import figures_of_spaces as spaces  # noqa: E402
from drawing import write_pngs  # noqa: E402

FIGURES: dict[str, Callable[[], go.Figure]] = {
    "lda": gaussians.lda,
    "diagonal-lda": gaussians.diagonal_lda,
    "qda": gaussians.qda,
    "gaussian-nb": gaussians.gaussian_nb,
    "multinomial-nb": probabilities.multinomial_nb,
    "fisher": discriminants.fisher,
    "least-squares": discriminants.least_squares,
    "perceptron": discriminants.perceptron,
    "logistic": probabilities.logistic,
    "multiclass": discriminants.multiclass,
    "bayes": probabilities.bayes,
    "basis": spaces.basis,
    "pca": spaces.pca,
    "geometry": spaces.geometry,
}


def main(names: list[str]) -> int:
    """Make the figures of these names, or all."""
    unknown = set(names) - FIGURES.keys() - {"pages", "plots"}
    if unknown:
        print(f"There is no figure {', '.join(sorted(unknown))}.", file=sys.stderr)
        return 1
    names = names or [*FIGURES, "pages", "plots"]
    if "pages" in names:
        pages.write_pages(HERE / "figures/pages", HERE / "figures/guide")
    if "plots" in names:
        plots.write_plots(HERE / "figures/plots", HERE / "plots.md")
    wanted = [name for name in names if name in FIGURES]
    write_pngs(((name, FIGURES[name]()) for name in wanted), HERE / "figures/")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
