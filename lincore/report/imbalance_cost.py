"""Findings on the cost of an imbalance, as sentences and table rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lincore.imbalance.cost.parts import Correction
from lincore.imbalance.cost.record import LOSS, ImbalanceCost
from lincore.metrics.intervals import Interval
from lincore.report.imbalance_tables import REMEDY_NAMES, format_loss, weights_in_sizes
from lincore.utils.formatting import decimals, listed, percent, points

#: What each part of the loss means.
MEANING: Mapping[str, str] = {
    "prior shift": "decisions use the shares of the file as priors",
    "majority bias": "pooled covariance, axes and likelihood follow the large classes",
    "small class": "{rare} is estimated from few rows; extrapolated from smaller training sets",
}
_VERBS = {"corrected priors": "recover", "balanced weights": "recover", "both": "recover"}
#: With fewer, intervals over splits are too wide for a recommendation.
ENOUGH_SPLITS = 5


def correction_name(name: str) -> str:
    """Return what a correction is called.

    Parameters
    ----------
    name : str
        Of a correction, as `ImbalanceCost` calls it.
    """
    return REMEDY_NAMES.get(name, name)


def cost_finding(found: ImbalanceCost, method: str, loss: str = LOSS) -> str:
    """Say what the recommended correction recovers of the loss, or that none does.

    Parameters
    ----------
    found : ImbalanceCost
    method, loss : str
        One of its methods, and of its losses.

    Examples
    --------
    >>> import lincore
    >>> found = lincore.imbalance_cost(lincore.sample("gaussian"), "lda", repeats=6)
    >>> cost_finding(found, "lda")
    'No correction lowers the balanced error of LDA beyond chance: 19.1 % uncorrected; ...'
    """
    label, name = cost_method_label(found, method), loss_name(found, loss)
    values = found.loss(method, "uncorrected", loss)
    if np.isnan(values).any():
        return f"{label} has no posterior probabilities, so it has no {name}."
    level = _level(float(values.mean()), found, loss)
    if found.rare is None:
        return f"The file has the class shares of deployment: {name} of {label} {level}."
    if len(found.seeds) < ENOUGH_SPLITS:
        best = max(found.corrections(method, loss), key=_recovered, default=None)
        first = "split" if len(found.seeds) == 1 else f"{len(found.seeds)} splits"
        text = f"On the first {first} the {name} of {label} is {level}"
        if best is None or not best.recovered.value > 0:
            return f"{text}, and no correction lowers it."
        after = _level(best.loss.value, found, loss)
        return f"{text} uncorrected and {after} with {correction_name(best.name)}."
    chosen = found.recommended(method, loss)
    over = f"over {_splits(found)}"
    if chosen is None:
        none = f"No correction lowers the {name} of {label} beyond chance: {level} uncorrected"
        best = max(found.corrections(method, loss), key=_recovered, default=None)
        if best is None or not best.recovered.value > 0:
            return f"{none}, {over}."
        most = f"{_points(best.recovered, found, loss)}{_range(best.recovered, found, loss)}"
        return f"{none}; at most {most} recovered, by {correction_name(best.name)}, {over}."
    verb = _VERBS.get(chosen.name, "recovers")
    named = correction_name(chosen.name)
    return (
        f"{named[:1].upper()}{named[1:]} {verb} {_points(chosen.recovered, found, loss)} "
        f"of the {name} of {label}{_range(chosen.recovered, found, loss)}: {level} → "
        f"{_level(chosen.loss.value, found, loss)}, {over}."
    )


def _recovered(correction: Correction) -> float:
    return correction.recovered.value


def cost_recommendation(found: ImbalanceCost, method: str, loss: str = LOSS) -> str:
    """Say what to do, and what it costs the other classes and the accuracy in the file.

    Parameters
    ----------
    found : ImbalanceCost
    method, loss : str
        One of its methods, and of its losses.
    """
    chosen = found.recommended(method, loss)
    if len(found.seeds) < ENOUGH_SPLITS:
        few = "One split" if len(found.seeds) == 1 else "So few splits"
        return f"{few} cannot tell which correction to recommend."
    if chosen is None:
        return "Recommended: no correction. None is better than none beyond chance."
    return f"Recommended: {correction_name(chosen.name)}. {_price(chosen)}"


def _price(chosen: Correction) -> str:
    others, in_file = chosen.others, chosen.file_error
    text = f"Recall of the other classes changes by {format_loss(others, 'recall')} points"
    return (
        f"{text}, error at the file's own class shares by {format_loss(in_file, 'error')} points."
    )


def cost_decomposition_sentences(
    found: ImbalanceCost, method: str, loss: str = LOSS
) -> tuple[str, ...]:
    """Say in one sentence each what the parts of a loss are, and which are not available.

    Parameters
    ----------
    found : ImbalanceCost
    method, loss : str
        One of its methods, and of its losses.
    """
    split = found.decomposition(method, loss)
    rare = "" if found.rare is None else str(found.classes[found.rare])
    why = found.unavailable.get(method, {})
    reasons = {
        "prior shift": why.get("corrected priors", ""),
        "majority bias": why.get("both", ""),
        "small class": why.get("both", "the sweep over its size is not finished, or has too few "
                               "sizes to extrapolate"),
    }  # fmt: skip
    sentences = []
    for part, value in split.parts.items():
        name = part.capitalize()
        if np.isnan(value.value):
            sentences.append(f"{name} is not available: {reasons[part]}")
            continue
        text = f"{name}: {_points(value, found, loss)}{_range(value, found, loss)}"
        if value.low <= 0 <= value.high and value.value:
            text += ", not distinguishable from zero"
        sentences.append(f"{text}; {MEANING[part].format(rare=rare)}.")
    return tuple(sentences)


def more_rows_finding(found: ImbalanceCost, method: str, more: int, loss: str = LOSS) -> str:
    """Say what more rows of the rarest class would bring, by extrapolation.

    Parameters
    ----------
    found : ImbalanceCost
    method, loss : str
        One of ``found.methods``, and of its losses.
    more : int
        Training rows of the rarest class that are added.
    """
    if found.rare is None:
        return "No class is rarer in the file than in deployment."
    gain, label = found.with_more_rows(method, more, loss), cost_method_label(found, method)
    rare, name = found.classes[found.rare], loss_name(found, loss)
    if np.isnan(gain.value):
        return f"Too few sizes of {rare} could be fitted to extrapolate for {label}."
    text = (
        f"{more:,} more training rows of {rare} (now {int(found.counts[found.rare]):,}) would "
        f"lower the {name} of {label} by {_points(gain, found, loss)}"
        f"{_range(gain, found, loss)}, on top of balanced weights + corrected priors"
    )
    chance = gain.low <= 0 <= gain.high
    return f"{text}{': not distinguishable from zero' if chance else ''}. An extrapolation."


def cost_correction_rows(
    found: ImbalanceCost, method: str, loss: str = LOSS
) -> tuple[dict[str, str], ...]:
    """Return for each correction the loss, what it recovers, and what it costs elsewhere.

    Parameters
    ----------
    found : ImbalanceCost
    method, loss : str
        One of ``found.methods``, and of its losses.

    Returns
    -------
    tuple of dict
        Heading of a column to text; the first line is uncorrected.
    """
    chosen = found.recommended(method, loss)
    kind = "error" if is_share_of_rows(found, loss) else "log loss"
    head = f"{loss_name(found, loss)}{' (%)' if kind == 'error' else ''}"
    uncorrected = found.decomposition(method, loss).uncorrected
    rows = [{"correction": "uncorrected", head: format_loss(uncorrected, kind)}]
    for c in found.corrections(method, loss):
        row = {"correction": correction_name(c.name), head: format_loss(c.loss, kind)}
        row["recovered"] = format_loss(c.recovered, kind)
        if found.rare is not None:
            rare = c.recall_change[found.rare]
            row[f"recall of {found.classes[found.rare]}"] = format_loss(rare, "recall")
        row["recall of the others"] = format_loss(c.others, "recall")
        row["error at the file's shares"] = format_loss(c.file_error, "error")
        row["recommended"] = "yes" if chosen is not None and c.name == chosen.name else ""
        rows.append(row)
    return tuple(rows)


def cost_method_rows(found: ImbalanceCost, loss: str = LOSS) -> tuple[dict[str, str], ...]:
    """Return for each method the loss, its parts, and the recommended correction.

    Parameters
    ----------
    found : ImbalanceCost
    loss : str
        One of its losses.

    Returns
    -------
    tuple of dict
        Heading of a column to text.
    """
    kind = "error" if is_share_of_rows(found, loss) else "log loss"
    rows = []
    for method in found.methods:
        split, chosen = found.decomposition(method, loss), found.recommended(method, loss)
        row = {
            "model": cost_method_label(found, method),
            "uncorrected": format_loss(split.uncorrected, kind),
        }
        row |= {part: format_loss(value, kind) for part, value in split.parts.items()}
        row["recommended"] = correction_name(chosen.name) if chosen else "no correction"
        row["recovered"] = format_loss(chosen.recovered, kind) if chosen else "–"
        rows.append(row)
    return tuple(rows)


def loss_name(found: ImbalanceCost, loss: str) -> str:
    """Return what a loss is called: the first by the prevalence and costs that it weighs.

    Parameters
    ----------
    found : ImbalanceCost
    loss : str
        One of its losses.
    """
    return found.loss_name if loss == LOSS else loss


def cost_method_label(found: ImbalanceCost, method: str) -> str:
    """Return what a method is called.

    Parameters
    ----------
    found : ImbalanceCost
    method : str
        One of its methods.
    """
    return found.settings.label(method)


def cost_basis(found: ImbalanceCost) -> str:
    """Say what the numbers are means of."""
    weighted = weights_in_sizes(found.counts, found.totals)
    if len(found.seeds) == 1:
        return f"The first split ({found.n_test:,} test rows), hence no intervals.{weighted}"
    rows = f"{found.n_test:,} test rows each"
    return f"Means of {_splits(found)} ({rows}), with 95 % intervals.{weighted}"


def cost_training_rows(found: ImbalanceCost) -> str:
    """Say how many training rows each class has, and its share in deployment."""
    each = [
        f"“{label}” {int(n):,} ({percent(share)})"
        for n, label, share in zip(found.counts, found.classes, found.prevalence, strict=True)
    ]
    return f"Training rows, and share in deployment: {listed(each, most=8)}."


def _splits(found: ImbalanceCost) -> str:
    n, wanted = len(found.seeds), found.settings.repeats
    what = "splits" if found.new_splits else "repetitions on one test set"
    return f"{n} of {wanted} {what}" if n < wanted else f"{n} {what}"


def is_share_of_rows(found: ImbalanceCost, loss: str) -> bool:
    """Return whether a loss is a share of rows.

    Parameters
    ----------
    found : ImbalanceCost
    loss : str
        One of its losses.
    """
    return found.named(loss).is_share


def _level(value: float, found: ImbalanceCost, loss: str) -> str:
    return percent(value) if is_share_of_rows(found, loss) else decimals(value)


def _points(value: Interval, found: ImbalanceCost, loss: str) -> str:
    if is_share_of_rows(found, loss):
        return f"{_number(value.value, True)} points"
    return _number(value.value, False)


def _range(value: Interval, found: ImbalanceCost, loss: str) -> str:
    if np.isnan(value.low):
        return ""
    shares = is_share_of_rows(found, loss)
    return f" ({_number(value.low, shares)} to {_number(value.high, shares)})"


def _number(value: float, shares: bool) -> str:
    return points(value) if shares else decimals(value)
