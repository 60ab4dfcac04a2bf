"""Class-size sweep: every model as classes shrink from all rows to a few."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore import imbalance, plots, report
from lincore.utils import quoted
from pages.ui.widgets import controls, text

if TYPE_CHECKING:
    from lincore.imbalance import Sweep

KINDS = {
    "as trained": "As trained",
    "corrected priors": "Corrected priors",
    "rarer": "Rarer, estimated from all rows",
    "rarer, corrected priors": "Rarer, all rows, corrected priors",
}
BANDS = "Lines: means; bands: 95 % intervals."


def show(sweep: Sweep, loss: str) -> None:
    """Draw mean and band of a loss over the sizes, and mark where the order changes."""
    kind = controls.choose(
        "Curves",
        list(KINDS),
        key="balance.kind",
        format_func=KINDS.__getitem__,
        help="With the rows and priors of each size; with the priors of the full set; or from all "
        "rows with the weights of each size, which shows the effect of rarity alone.",
        width=320,
    )
    grid = imbalance.size_grid(sweep, loss, kind)
    labels = [sweep.settings.label(name) for name in sweep.methods]
    shown = [i for i in range(len(labels)) if (grid.mean[i] == grid.mean[i]).any()]
    if not shown:
        st.info("No model here has these curves: they need a model fitted from moments.")
        return
    crossings = sweep.crossings(loss) if kind == "as trained" else ()
    names = ", ".join(map(quoted, sweep.swept[:3]))
    across = f"training rows of {names}"
    if len(sweep.swept) > 1:
        across = f"training rows of each of {names}"
    if len(sweep.swept) > 3:
        across = "training rows of each swept class"
    controls.figure(
        plots.sweep(
            grid.sizes,
            grid.mean[shown],
            grid.low[shown],
            grid.high[shown],
            [labels[i] for i in shown],
            across=across,
            score=loss,
            crossings=[crossing.size for crossing in crossings],
            as_percent=loss != "log loss",
            basis=BANDS if len(sweep.seeds) > 1 else "Lines: one split.",
        ),
        key="balance.sweep.figure",
    )
    sentences = report.crossing_sentences(sweep, loss) if crossings else ()
    for sentence, crossing in zip(sentences, crossings, strict=True):
        first, last = crossing.clear
        clear = f"Beyond chance up to {first:,.0f} and from {last:,.0f} on."
        st.markdown(f"- {text.escape(sentence)} {clear}")
    if kind == "as trained" and not crossings and len(sweep.seeds) > 1:
        st.caption("The order of the models changes nowhere beyond chance.")
    called = dict(zip(sweep.methods, labels, strict=True))
    for name, why in sweep.failures.items():
        model = text.escape(called.get(name, name))
        reason = report.with_class_names(why, sweep.classes)
        st.caption(f"{model} could not be fitted at some sizes: {text.escape(reason)}")
    others = "" if len(sweep.swept) == len(sweep.classes) else "The other classes keep all their "
    others += "training rows, and the" if others else "The"
    st.caption(
        f"{_basis(sweep)}; smaller sets are subsets of larger ones. {others} test set is untouched."
    )


def _basis(sweep: Sweep) -> str:
    """Say what the curves are means of, all of it or what there is so far."""
    n, wanted = len(sweep.seeds), sweep.settings.repeats
    what = "splits" if sweep.test_ratio else "choices of the training rows, one test set"
    if n == 1:
        filled = sweep.is_filled
        sizes = "all" if filled.all() else f"{int(filled.sum())} of"
        return f"One split so far, {sizes} {len(filled)} sizes, so no intervals"
    of = f"{n} of {wanted}" if n < wanted else str(n)
    return f"Means of {of} {what}, with 95 % intervals"
