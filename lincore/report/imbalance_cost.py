"""Findings on the cost of an imbalance, as sentences."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lincore.imbalance.cost.parts import Correction
from lincore.imbalance.cost.record import LOSS, ImbalanceCost
from lincore.metrics.intervals import Interval
from lincore.report.imbalance_curve import cost_condition
from lincore.report.imbalance_words import (
    after_splits,
    best_of,
    correction_name,
    recall_of_others,
    weights_in_sizes,
)
from lincore.utils.formatting import class_named, decimals, listed, percent, points, quoted

#: What each part of the loss means.
MEANING: Mapping[str, str] = {
    "prior shift": "decisions use the class shares of the file as priors",
    "majority bias": "pooled covariance, axes and likelihood follow the large classes",
    "small class": "{rare} has few rows; extrapolated from smaller training sets",
}
_PLURAL = ("corrected priors", "balanced weights", "both")
#: With fewer, intervals over splits are too wide for a recommendation.
ENOUGH_SPLITS = 5


def cost_level_finding(found: ImbalanceCost, method: str, loss: str = LOSS) -> str:
    """Say how large a loss is as trained, and under which condition.

    Parameters
    ----------
    found : ImbalanceCost
    method, loss : str
        One of its methods, and of its losses.

    Examples
    --------
    >>> import lincore
    >>> found = lincore.imbalance_cost(lincore.sample("gaussian"), "lda", repeats=6)
    >>> cost_level_finding(found, "lda", "recall of class 3")
    'The recall of class 3 of LDA is ...'
    """
    label, name = found.settings.label(method), loss_name(found, loss)
    values = found.loss(method, "uncorrected", loss)
    if np.isnan(values).any():
        return f"{label} has no posterior probabilities, so it has no {name}."
    before = after_splits(len(found.seeds), found.settings.repeats)
    level = _level(float(values.mean()), found, loss)
    if found.rare is None:
        text = f"The {name} of {label} is {level}, at the class shares of the file."
    else:
        text = f"The {name} of {label} is {level} uncorrected, if {cost_condition(found)}."
    return f"{before}{text[:1].lower()}{text[1:]}" if before else text


def _recovered(correction: Correction) -> float:
    return correction.recovered.value


def cost_recommendation(found: ImbalanceCost, method: str, loss: str = LOSS) -> str:
    """Recommend a correction with its condition, and its effect at the file's class shares.

    Parameters
    ----------
    found : ImbalanceCost
    method, loss : str
        One of its methods, and of its losses.

    Examples
    --------
    >>> import lincore
    >>> found = lincore.imbalance_cost(lincore.sample("gaussian"), "lda", repeats=6)
    >>> cost_recommendation(found, "lda")
    'If all classes are equally frequent in deployment, no correction is shown to lower the ...'
    """
    if found.rare is None:
        return (
            "At the class shares of the file, with equal costs of errors, no correction is needed."
        )
    corrections = found.corrected(method, loss)
    best = max(corrections, key=_recovered, default=None)
    if best is None:
        return f"{found.settings.label(method)} allows no correction."
    chosen, name = found.recommended(method, loss), loss_name(found, loss)
    verb = "raise" if found.named(loss).greater_is_better else "lower"
    before = after_splits(len(found.seeds), found.settings.repeats)
    head = f"{before}{'if' if before else 'If'} {cost_condition(found)}, "
    if len(found.seeds) < ENOUGH_SPLITS:
        estimate = _estimate(found, best, loss)
        return f"{head}the largest estimate is {estimate}: too few splits for a recommendation."
    of_all = _best_of(found, method, best if chosen is None else chosen, loss)
    if chosen is None:
        text = f"{head}no correction is shown to {verb} the {name}"
        if not best.recovered.value > 0:
            return f"{text}: none of {len(corrections)} does on these rows."
        return f"{text}; the largest estimate is {_estimate(found, best, loss)}, {of_all}."
    named = correction_name(chosen.name)
    after = _level(chosen.loss.value, found, loss)
    level = _level(float(found.loss(method, "uncorrected", loss).mean()), found, loss)
    does = verb if chosen.name in _PLURAL else f"{verb}s"
    return (
        f"{head}{named} {does} the {name} by {_points(chosen.recovered, found, loss)}"
        f"{_range(chosen.recovered, found, loss)}, {level} → {after}, {of_all}; "
        f"{_price(found, method, chosen)}."
    )


def _estimate(found: ImbalanceCost, best: Correction, loss: str) -> str:
    amount = f"{_points(best.recovered, found, loss)}{_range(best.recovered, found, loss)}"
    return f"{amount}, by {correction_name(best.name)}"


def _best_of(found: ImbalanceCost, method: str, correction: Correction, loss: str) -> str:
    left = correction.recovered.value - found.optimism(method, loss)
    amount = _points(Interval(left, np.nan, np.nan), found, loss)
    return best_of(len(found.corrected(method, loss)), "" if np.isnan(left) else amount)


def _price(found: ImbalanceCost, method: str, chosen: Correction) -> str:
    """State the effects of a correction at the file's own class shares."""
    change = chosen.file_error
    if change.low <= 0 <= change.high:
        text = "at the file's own shares the error does not change beyond chance"
    else:
        verb = "rises" if change.value > 0 else "falls"
        ends = sorted(abs(end) for end in change[1:])
        text = (
            f"at the file's own shares the error {verb} by {points(abs(change.value))} points "
            f"({points(ends[0])} to {points(ends[1])})"
        )
    ratios = found.ratios
    mean = found.mean_posterior(method, chosen.name)
    share = ratios.shares[ratios.rare]
    if mean == mean:
        text += (
            f", {quoted(found.classes[ratios.rare])} gets a mean probability of {percent(mean)}, "
            f"while its share is {percent(share)}"
        )
    others = recall_of_others(chosen.others)
    return f"{text}, and {others}" if others else text


def cost_decomposition_sentences(
    found: ImbalanceCost, method: str, loss: str = LOSS
) -> tuple[str, ...]:
    """Explain the parts of a loss in one sentence each, and which are not available.

    Parameters
    ----------
    found : ImbalanceCost
    method, loss : str
        One of its methods, and of its losses.
    """
    split = found.attribution(method, loss)
    rare = "" if found.rare is None else class_named(found.classes[found.rare])
    why = found.unavailable.get(method, {})
    reasons = {
        "prior shift": why.get("corrected priors", ""),
        "majority bias": why.get("both", ""),
        "small class": why.get("both", "the sweep over its size is not finished, or has too few "
                               "sizes to extrapolate."),
    }  # fmt: skip
    sentences = []
    for part, value in split.parts.items():
        name = part.capitalize()
        if np.isnan(value.value):
            sentences.append(f"{name} is not available: {reasons[part]}")
            continue
        text = f"{name}: {_points(value, found, loss)}{_range(value, found, loss)}"
        if part in split.orders:
            first, second = (_number(each, found, loss) for each in split.orders[part])
            if first != second:
                text += f", {first} if corrected first and {second} if second"
        if value.low <= 0 <= value.high and value.value:
            text += ", not distinguishable from zero"
        sentences.append(f"{text}; {MEANING[part].format(rare=rare)}.")
    return tuple(sentences)


def more_rows_finding(found: ImbalanceCost, method: str, more: int, loss: str = LOSS) -> str:
    """Extrapolate the benefit of more rows of the rarest class.

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
    gain, label = found.with_more_rows(method, more, loss), found.settings.label(method)
    rare, name = class_named(found.classes[found.rare]), loss_name(found, loss)
    if np.isnan(gain.value):
        return f"Too few sizes of {rare} have been computed to extrapolate for {label}."
    text = (
        f"{more:,} more training rows of {rare} (now {int(found.counts[found.rare]):,}) would "
        f"lower the {name} of {label} by {_points(gain, found, loss)}"
        f"{_range(gain, found, loss)}, on top of balanced weights + corrected priors"
    )
    chance = gain.low <= 0 <= gain.high
    return f"{text}{': not distinguishable from zero' if chance else ''}. An extrapolation."


def loss_name(found: ImbalanceCost, loss: str) -> str:
    """Return the name of a loss, which for the first depends on prevalence and costs.

    Parameters
    ----------
    found : ImbalanceCost
    loss : str
        One of its losses.
    """
    if loss != LOSS:
        return loss
    return found.loss_name if found.costs is None else f"{found.loss_name} of 100 rows"


def cost_basis(found: ImbalanceCost) -> str:
    """Describe the reported means."""
    weighted = weights_in_sizes(found.counts, found.totals)
    if len(found.seeds) == 1:
        return f"The first split ({found.n_test:,} test rows), so no intervals.{weighted}"
    rows = f"{found.n_test:,} test rows each"
    return (
        f"Means of {_splits(found)} ({rows}), with 95 % intervals that are conditional on the "
        f"class counts of the file.{weighted}"
    )


def cost_training_rows(found: ImbalanceCost) -> str:
    """List the training rows of each class, and its share in deployment."""
    each = [
        f"{quoted(label)} {int(n):,} ({percent(share)})"
        for n, label, share in zip(found.counts, found.classes, found.prevalence, strict=True)
    ]
    return f"Training rows, and share in deployment: {listed(each, most=8)}."


def _splits(found: ImbalanceCost) -> str:
    n, wanted = len(found.seeds), found.settings.repeats
    what = "splits" if found.new_splits else "repetitions on one test set"
    return f"{n} of {wanted} {what}" if n < wanted else f"{n} {what}"


def is_of_100_rows(found: ImbalanceCost, loss: str) -> bool:
    """Return whether a loss is written for a hundred rows: a share in per cent, or a cost."""
    return loss == LOSS or found.named(loss).is_share


def _level(value: float, found: ImbalanceCost, loss: str) -> str:
    return percent(value) if found.named(loss).is_share else _number(value, found, loss)


def _points(value: Interval, found: ImbalanceCost, loss: str) -> str:
    unit = " points" if found.named(loss).is_share else ""
    return f"{_number(value.value, found, loss)}{unit}"


def _range(value: Interval, found: ImbalanceCost, loss: str) -> str:
    if np.isnan(value.low):
        return ""
    return f" ({_number(value.low, found, loss)} to {_number(value.high, found, loss)})"


def _number(value: float, found: ImbalanceCost, loss: str) -> str:
    return points(value) if is_of_100_rows(found, loss) else decimals(value)
