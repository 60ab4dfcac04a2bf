"""Figures of the loss to an imbalance: its parts, and what corrections recover of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lincore import plots
from lincore.imbalance.cost.record import FEWEST_SIZES, LOSS, ImbalanceCost
from lincore.imbalance.study import BalanceStudy
from lincore.report.imbalance_cost import (
    correction_name,
    cost_method_label,
    is_of_100_rows,
    is_share_of_rows,
    loss_name,
)
from lincore.report.imbalance_tables import REMEDY_NAMES
from lincore.utils.formatting import quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Pixels: beside a waterfall.
_HEIGHT = 430


def cost_waterfall(found: ImbalanceCost, method: str, loss: str = LOSS) -> go.Figure:
    """Draw the decomposition of a model's loss due to the imbalance of the data.

    Parameters
    ----------
    found : ImbalanceCost
    method, loss : str
        One of its methods, and of its losses.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> import lincore
    >>> found = lincore.imbalance_cost(lincore.sample("gaussian"), "lda", repeats=2)
    >>> cost_waterfall(found, "lda").layout.meta["title"]
    'Error decomposition: balanced error of LDA'
    """
    split = found.decomposition(method, loss)
    known = {name: part for name, part in split.parts.items() if part.value == part.value}
    shares = is_share_of_rows(found, loss)
    name, label = loss_name(found, loss), cost_method_label(found, method)
    return plots.waterfall(
        {part: (-value, -high, -low) for part, (value, low, high) in known.items()},
        split.uncorrected.value,
        start_name="uncorrected",
        end_name="many rows, corrected" if "small class" in known else "corrected",
        loss=name,
        unit="points" if shares else "",
        scale=100.0 if is_of_100_rows(found, loss) else 1.0,
        greater_is_better=found.named(loss).greater_is_better,
        title=f"Error decomposition: {name} of {label}",
        basis="95 % intervals over splits." if len(found.seeds) > 1 else "The first split.",
    )


def cost_corrections(found: ImbalanceCost, method: str, loss: str = LOSS) -> go.Figure:
    """Draw what each correction recovers of a model's loss due to the imbalance.

    Parameters
    ----------
    found, method, loss
        As for `cost_waterfall`.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    shares = is_share_of_rows(found, loss)
    corrections = found.corrections(method, loss)
    name = loss_name(found, loss)
    return plots.remedies(
        [correction_name(correction.name) for correction in corrections],
        [correction.recovered for correction in corrections],
        [correction.others for correction in corrections] if shares else None,
        score=name,
        unit="points" if shares else "",
        scale=100.0 if is_of_100_rows(found, loss) else 1.0,
        title=f"What corrections recover: {name}",
        height=_HEIGHT,
        basis="95 % intervals, paired." if len(found.seeds) > 1 else "The first split.",
    )


def cost_sweep(found: ImbalanceCost, method: str, loss: str = LOSS) -> go.Figure | None:
    """Draw the loss of a model, corrected, against the training rows of the rarest class.

    Parameters
    ----------
    found, method, loss
        As for `cost_waterfall`.

    Returns
    -------
    plotly.graph_objects.Figure or None
        None if too few sizes could be fitted.
    """
    k, i = found.loss_names.index(loss), found.methods.index(method)
    values = found.size_losses[i, :, :, k]
    seen = np.isfinite(values).all(axis=1)
    if found.rare is None or seen.sum() < FEWEST_SIZES:
        return None
    if is_of_100_rows(found, loss) and not is_share_of_rows(found, loss):
        values = 100 * values
    low, high = np.quantile(values[seen], [0.1, 0.9], axis=1)
    return plots.sweep(
        found.sizes[seen],
        values[seen].mean(axis=1)[None],
        low[None],
        high[None],
        [cost_method_label(found, method)],
        across=f"training rows of {quoted(found.classes[found.rare])}",
        score=loss_name(found, loss),
        as_percent=is_share_of_rows(found, loss),
        title="Class-size sweep, with balanced weights + corrected priors",
        basis="Line: mean over splits; band: their middle 80 %.",
    )


def balance_waterfall(study: BalanceStudy, method: str, loss: str = "error") -> go.Figure:
    """Draw the decomposition of a model's loss due to reduced classes.

    Parameters
    ----------
    study : BalanceStudy
    method, loss : str
        One of its methods, and of its losses.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    split, in_nats = study.attribution(method, loss), loss == "log loss"
    return plots.waterfall(
        split.parts,
        split.full.value,
        loss=loss,
        unit="" if in_nats else "points",
        scale=1.0 if in_nats else 100.0,
        greater_is_better=study.named(loss).greater_is_better,
        basis="95 % intervals over splits." if len(study.seeds) > 1 else "One split.",
    )


def balance_corrections(study: BalanceStudy, method: str, loss: str = "error") -> go.Figure:
    """Draw what each correction recovers of the loss to the reduction.

    Parameters
    ----------
    study, method, loss
        As for `balance_waterfall`.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    found, in_nats = study.remedies(method, loss), loss == "log loss"
    is_alone = in_nats or bool(study.is_reduced.all())
    return plots.remedies(
        [REMEDY_NAMES.get(remedy.name, remedy.name) for remedy in found],
        [remedy.recovered for remedy in found],
        None if is_alone else [remedy.others for remedy in found],
        whole=abs(study.attribution(method, loss).total.value),
        score=loss,
        unit="" if in_nats else "points",
        scale=1.0 if in_nats else 100.0,
        title=f"What corrections recover: {loss}",
        height=_HEIGHT,
        basis="95 % intervals, paired." if len(study.seeds) > 1 else "One split.",
    )
