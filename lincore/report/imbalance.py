"""Findings of an imbalance study: loss, error decomposition, remedies."""

from __future__ import annotations

import numpy as np

from lincore.imbalance.attribution import PARTS, Attribution
from lincore.imbalance.losses import Loss
from lincore.imbalance.remedies import Advice, Remedy
from lincore.imbalance.size_curves import Sweep
from lincore.imbalance.study import BalanceStudy
from lincore.metrics.scores import Interval
from lincore.report.imbalance_words import after_splits, best_of, loss_in_words, recall_of_others
from lincore.utils.formatting import decimals, listed, percent, points, quoted

_MEANING = {
    "prior shift": (
        "the model has learned that {rare}",
        "correcting the priors recovers this without refitting",
    ),
    "majority bias": (
        "means, axes and covariance follow the larger classes",
        "balanced weights recover this without new rows",
    ),
    "sample size": ("any training set of this size costs this", "only more rows would help"),
    "class size": ("{few}", "only rows of {names} would help"),
}


def decomposition_sentences(
    study: BalanceStudy, method: str, loss: str = "error"
) -> dict[str, str]:
    """Explain the four parts of a loss and their remedies, one sentence each.

    Parameters
    ----------
    study : BalanceStudy
    method, loss : str
        As for `BalanceStudy.attribution`.

    Returns
    -------
    dict of part to str

    Examples
    --------
    >>> import lincore
    >>> study = lincore.balance(lincore.sample("gaussian"), {"class 3": 11}, "lda", repeats=9)
    >>> decomposition_sentences(study, "lda", "recall of class 3")["prior shift"].split(":")[0]
    'Prior shift costs ...'
    """
    split = study.attribution(method, loss)
    return {part: _part(study, split, part, found) for part, found in split.parts.items()}


def _part(study: BalanceStudy, split: Attribution, part: str, found: Interval) -> str:
    name, (meaning, remedy) = part.capitalize(), _MEANING[part]
    cost = _as_cost(found, study.named(split.loss))
    if np.isnan(cost.value):
        label = _label(study, split.method)
        return f"{name}: {label} has no posterior probabilities, so there is no {split.loss}."
    if not split.by_seed[PARTS.index(part)].any():
        return f"{name} is zero."
    orders = _orders(study, split, part)
    if np.isnan(cost.low):
        return f"{name} is {_amount(cost.value, split.loss)}{orders} on one split."
    if cost.low <= 0 <= cost.high:
        amount = f"{_amount(cost.value, split.loss)}{_range(cost, split.loss)}"
        return f"{name} is not distinguishable from zero: {amount}{orders}."
    verb = "costs" if cost.value > 0 else "gains"
    cost = cost if cost.value > 0 else Interval(-cost.value, -cost.high, -cost.low)
    text = f"{name} {verb} {_amount(cost.value, split.loss)}{_range(cost, split.loss)}"
    text += f"{orders if verb == 'costs' else ''}: "
    names = _reduced(study)
    several = int(study.is_reduced.sum()) > 1
    text += meaning.format(
        rare=f"{names} {'are' if several else 'is'} rare",
        few=f"{names} {'have' if several else 'has'} few rows",
    )
    return f"{text}; {remedy.format(names=names)}." if verb == "costs" else f"{text}."


def _orders(study: BalanceStudy, split: Attribution, part: str) -> str:
    """Return the cost of a part in both orders of the corrections, of which it is the mean."""
    if part not in split.orders or np.isnan(split.orders[part]).any():
        return ""
    sign = -1.0 if study.named(split.loss).greater_is_better else 1.0
    first, second = (_number(sign * value, split.loss) for value in split.orders[part])
    return "" if first == second else f", {first} if corrected first and {second} if second"


def balance_finding(study: BalanceStudy, method: str, loss: str = "error") -> str:
    """Describe the effect of the reduction on a method, and its largest part.

    Parameters
    ----------
    study : BalanceStudy
    method, loss : str
        One of its methods, and of its losses.

    Examples
    --------
    >>> import lincore
    >>> study = lincore.balance(lincore.sample("gaussian"), {"class 3": 11}, "lda", repeats=9)
    >>> balance_finding(study, "lda", "recall of class 3")
    "With 11 instead of 53 training rows of 'class 3', the recall of 'class 3' of LDA goes from ..."
    """
    split = study.attribution(method, loss)
    label = _label(study, method)
    before = after_splits(len(study.seeds), study.settings.repeats)
    text = f"{before}{'with' if before else 'With'} {_sizes(study)}, the {loss_in_words(loss)} "
    text += f"of {label} goes from "
    text += f"{_level(split.full.value, loss)} to {_level(split.reduced.value, loss)}"
    kind = study.named(loss)
    cost = _as_cost(split.total, kind)
    if np.isnan(cost.value):
        return f"{label} has no posterior probabilities, so it has no {loss_in_words(loss)}."
    if len(study.seeds) == 1:
        return f"{text}." if before else f"{text} on one split."
    if not cost.low > 0:
        return f"{text}: no loss distinguishable from chance."
    costs = {part: _as_cost(found, kind).value for part, found in split.parts.items()}
    most = max(costs, key=lambda part: costs[part])
    share = costs[most] / cost.value
    how_much = "all of it is" if share >= 0.995 else f"{percent(share, 0)} of it is"
    chance = "" if _as_cost(split.parts[most], kind).low > 0 else ", by itself not beyond chance"
    return f"{text}; {how_much} {most}{chance}."


def remedy_finding(advised: Advice, loss: str = "error") -> str:
    """State the recommended correction with condition, effect and reason, if there is one.

    Parameters
    ----------
    advised : Advice
        Of `choose_remedy`, for the same loss.
    loss : str
        Name of the loss that is recovered.

    Examples
    --------
    >>> import lincore
    >>> from lincore.imbalance.remedies import choose_remedy
    >>> study = lincore.balance(lincore.sample("gaussian"), {"class 3": 8}, ["lda"], repeats=9)
    >>> print(remedy_finding(choose_remedy(study, "lda", "recall of class 3"), "recall of class 3"))
    Recommended if class shares in deployment are those of the full set: corrected priors, which
    raise ...
    """
    chosen, most, behind = advised[:3]
    if not chosen.recovered.low > 0:
        if np.isnan(chosen.recovered.low):
            return "One split cannot tell which correction to recommend."
        found = most.recovered
        if not found.value > 0:
            better = f"improves the {loss_in_words(loss)}"
            return f"None of {advised.n_compared} corrections {better}."
        largest = f"{_amount(found.value, loss)}{_range(found, loss)}"
        verb = "raise" if loss.startswith("recall") else "lower"
        return (
            f"No correction is shown to {verb} the {loss_in_words(loss)}; the largest "
            f"estimate is {largest}, by {_CALLED[most.name]}, {_best(advised, most, loss)}."
        )
    text = (
        f"Recommended if class shares in deployment are those of the full set: "
        f"{_CALLED[chosen.name]}, "
        f"which {_changes(chosen, loss)}, {_best(advised, chosen, loss)}{_price(chosen)}."
    )
    if chosen is not most:
        text += f" {_WHY[chosen.name]}"
    missing = chosen.still_missing
    if chosen.share >= AS_GOOD and not missing.low > 0:
        amount = f"{_amount(missing.value, loss)}{_range(missing, loss)}"
        text += f" The whole loss is recovered: the remaining {amount} is within chance."
    if chosen is not most and behind.value:
        by = f"{_amount(behind.value, loss)}{_range(behind, loss)}"
        text += f" The value of {_CALLED[most.name]} is larger by {by}"
        text += "." if np.isnan(behind.low) else ", which is not distinguishable from zero."
    return text


def _best(advised: Advice, remedy: Remedy, loss: str) -> str:
    left = remedy.recovered.value - advised.optimism
    return best_of(advised.n_compared, "" if np.isnan(left) else _amount(left, loss))


def crossing_sentences(sweep: Sweep, loss: str = "error") -> tuple[str, ...]:
    """State at which sizes the order of two methods changes, one sentence each.

    Parameters
    ----------
    sweep : Sweep
    loss : str
        One of its losses.
    """
    label = sweep.settings.label
    return tuple(
        f"Below about {size:.0f} training rows {label(below)} has the better "
        f"{loss_in_words(loss)}, above it {label(above)}."
        for size, below, above, _ in sweep.crossings(loss)
    )


def training_loss_finding(
    label: str, totals: tuple[float, float], counts: tuple[int, int], rows: str = "rows"
) -> str:
    """Describe the change of the training log loss, as a sum and per row.

    Parameters
    ----------
    label : str
        Of the model.
    totals : tuple of two float
        In nats, over the full and over the reduced set.
    counts : tuple of two int
        Training rows of each.
    rows : str
        What a row is.

    Examples
    --------
    >>> training_loss_finding("QDA", (90.0, 80.0), (300, 200)).split("; ")[1]
    'per row it rises from 0.300 to 0.400.'
    """
    first, second = (total / n for total, n in zip(totals, counts, strict=True))
    return (
        f"{label}: the log loss of the training {rows} goes from {totals[0]:,.1f} to "
        f"{totals[1]:,.1f}, summed over {counts[0]:,} and {counts[1]:,} {rows}; per row it "
        f"{'falls' if second < first else 'rises'} from {decimals(first)} to {decimals(second)}."
    )


#: A correction that recovers this share of the loss is reported to recover all of it, within
#: chance.
AS_GOOD = 0.9

_CALLED = {
    "corrected priors": "corrected priors",
    "balanced weights": "balanced weights",
    "both": "balanced weights + corrected priors",
    "moved threshold": "a moved threshold",
    "undersampling": "undersampling",
    "oversampling": "oversampling",
}

_WHY = {
    "corrected priors": "It uses every row once without refitting.",
    "balanced weights": "It uses every row once.",
    "both": "It uses every row once, and posteriors remain probabilities.",
    "moved threshold": "It uses every row once and does not change the posteriors.",
    "undersampling": "It trains on fewer rows.",
    "oversampling": "It discards no rows.",
}


def _changes(remedy: Remedy, loss: str) -> str:
    verb = "raise" if loss.startswith("recall") else "lower"
    if remedy.name not in ("corrected priors", "balanced weights", "both"):
        verb += "s"
    found = remedy.recovered
    return f"{verb} the {loss} by {_amount(found.value, loss)}{_range(found, loss)}"


def _price(remedy: Remedy) -> str:
    others = recall_of_others(remedy.others)
    return f"; {others}" if others else ""


def _as_cost(found: Interval, loss: Loss) -> Interval:
    """Return a change as a loss: a recall that falls is one."""
    if not loss.greater_is_better:
        return found
    return Interval(-found.value, -found.high, -found.low)


def _number(value: float, loss: str) -> str:
    return decimals(value) if loss == "log loss" else points(value)


def _amount(value: float, loss: str) -> str:
    return f"{_number(value, loss)} {'nats' if loss == 'log loss' else 'points'}"


def _range(found: Interval, loss: str) -> str:
    if np.isnan(found.low):
        return ""
    return f" ({_number(found.low, loss)} to {_number(found.high, loss)})"


def _level(value: float, loss: str) -> str:
    return decimals(value) if loss == "log loss" else percent(value)


def _label(study: BalanceStudy, method: str) -> str:
    return study.settings.label(method)


def _reduced(study: BalanceStudy) -> str:
    names = [quoted(label) for label in study.classes[study.is_reduced].tolist()]
    if len(names) > 3:
        return f"{len(names)} classes"
    return listed(names)


def _sizes(study: BalanceStudy) -> str:
    full, reduced = (study.counts[subset][study.is_reduced] for subset in ("full", "reduced"))
    if len(full) != 1:
        return f"{reduced.sum():,} instead of {full.sum():,} training rows of {_reduced(study)}"
    return f"{reduced[0]:,} instead of {full[0]:,} training rows of {_reduced(study)}"
