"""Displays of the predictions of new rows: rows, classes, columns, scores, drift."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import pandas as pd

from lincore import metrics, plots, report
from lincore.data.row_weights import effective_number
from lincore.displays.base import Display
from lincore.displays.model.confusion import confusion_lines
from lincore.fields import Field
from lincore.metrics import Results
from lincore.plots.base import shorten_all
from lincore.prediction import NO_LABEL, Predictions
from lincore.utils import count, listed, p_equals, percent, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.utils.typing import Codes

#: Rows, columns of the file, and classes with a posterior each that a table shows.
MOST_ROWS, MOST_COLUMNS, MOST_CLASSES = 1_000, 30, 10
MOST_IMAGES, SHEET_COLUMNS = 24, 6
_MOST_NAMED, _MOST_DRIFTED = 6, 3
# Classes named in a headline if there are more than `_MOST_NAMED`.
_FEW = 3
# Characters of all names in a headline of two lines, and of each of them at least.
_HEADLINE_NAMES, _SHORTEST_NAME = 84, 12
_ALPHA = 0.05
_NEGLIGIBLE = "negligible"


@dataclass(frozen=True, eq=False)
class _PredictionsDisplay(Display):
    """A display of predictions, which begins with the classes that were predicted."""

    predictions: Predictions

    def finding(self) -> str:
        """State how many rows are predicted as what, and how many are unlike the training data."""
        predictions = self.predictions
        labels, far = [str(label) for label in predictions.classes], predictions.far
        if len(predictions) == 1:
            code = int(predictions.codes[0])
            sure = ""
            if predictions.has_posteriors:
                sure = f", at {percent(float(predictions.posteriors[0, code]))}{self._threshold()}"
            unlike = ""
            if far is not None:
                unlike = f"; it is {'un' if far[0] else ''}like the training data"
            return f"Predicted: {quoted(labels[code])}{sure}{self._abstention()}{unlike}."
        counts = predictions.counts
        order = [k for k in (-counts).argsort(kind="stable").tolist() if counts[k]]
        are_many = len(order) > _MOST_NAMED
        n_named = _FEW if are_many else max(len(order), 1)
        short = shorten_all(labels, max(_HEADLINE_NAMES // n_named, _SHORTEST_NAME))
        phrases = [f"{counts[k]:,} '{short[k]}'" for k in order]
        named = f"{listed(phrases, _FEW)} classes" if are_many else listed(phrases, _MOST_NAMED)
        unlike = ""
        if far is not None:
            n_far = int(far.sum())
            verb = "is" if n_far <= 1 else "are"
            unlike = f"; {f'{n_far:,}' if n_far else 'none'} {verb} unlike the training data"
        number = f"{count(len(predictions), predictions.noun.removesuffix('s'))} predicted"
        return f"{number}{self._threshold()}: {named}{self._abstention()}{unlike}."

    def _abstention(self) -> str:
        """State for how many rows the model abstains, and why."""
        sets, rule = self.predictions.sets, self.predictions.rule
        if sets is None or rule is None:
            return ""
        number = int((sets.sum(axis=1) != 1).sum())
        if not number:
            return "" if len(sets) == 1 else "; it abstains for no row"
        if len(sets) == 1:
            named = [quoted(label) for label in self.predictions.classes[sets[0]]]
            return f"; it abstains, the set holds {listed(named) or 'no class'}"
        n_empty = int((~sets.any(axis=1)).sum())
        if rule.coverage is None:
            return f"; it abstains for {number:,}"
        return (
            f"; it abstains for {number:,}: {count(number - n_empty, 'set')} with several classes, "
            f"{n_empty:,} with none"
        )

    def _threshold(self) -> str:
        predictions = self.predictions
        if predictions.point is not None and predictions.point.costs is not None:
            return " (at least expected cost)"
        if (threshold := predictions.rarer_threshold) is None:
            return ""
        label = quoted(predictions.classes[predictions.rarer])
        return f" (threshold for {label}: {metrics.threshold_text(threshold)})"

    def scope(self) -> str:
        """Return the file, the model, and the priors that the posteriors are of."""
        predictions = self.predictions
        return f"{predictions.name}, by {predictions.model.label}. {self._priors()}".strip()

    def _priors(self) -> str:
        predictions = self.predictions
        learned, priors, estimate = (
            predictions.learned_priors,
            predictions.priors,
            predictions.estimate,
        )
        if learned is None:
            return ""
        if priors is None:
            return "Priors as in training."
        changes = [
            f"{quoted(label)} {percent(float(new))} (training {percent(float(old))})"
            for label, new, old in zip(predictions.classes, priors, learned, strict=True)
        ]
        named = f"{listed(changes, _MOST_NAMED)}."
        if estimate is None:
            return f"Priors in deployment: {named}"
        differ = "differ" if estimate.p_value < _ALPHA else "do not differ significantly"
        return (
            f"Priors estimated from these rows: {named} They {differ} from those of training "
            f"({p_equals(estimate.p_value)})."
        )

    def notes(self) -> tuple[str, ...]:
        """State when the model abstains, and define "unlike the training data"."""
        predictions, rule = self.predictions, self.predictions.rule
        if rule is None:
            return (self._unlike_note(),)
        priors_note = (
            ""
            if rule.coverage is None or predictions.priors is None
            else " Prediction sets use the priors of training."
        )
        return (rule.sentence() + priors_note, self._unlike_note())

    def _unlike_note(self) -> str:
        predictions = self.predictions
        if predictions.distance is None:
            return (
                "No distances: the rows are sparse, or the model has too few training rows for its "
                "inputs."
            )
        if predictions.far is None:
            return "No class has enough training rows to say which rows are unlike it."
        level = percent(1 - predictions.level, 0 if predictions.level >= 0.01 else 1)
        return (
            "The distance is Mahalanobis's from the nearest class, in the inputs of the "
            f"classifier. Flagged: more unusual than {level} of the training rows, both if each "
            "class were normal and by their distances from classes estimated without them."
        )


_ORDERS = {
    "row": "All",
    "far": "Unlike the training data",
    "uncertain": "Least certain first",
    "rejected": "Abstained",
    "misclassified": "Misclassified",
}


def _orders(so_far: SimpleNamespace) -> dict[str, str]:
    predictions = so_far.predictions
    lacking = {
        "far": predictions.far is None or not predictions.far.any(),
        "uncertain": not predictions.has_posteriors,
        "rejected": predictions.is_rejected is None or not predictions.is_rejected.any(),
        "misclassified": predictions.truth is None,
    }
    return {order: name for order, name in _ORDERS.items() if not lacking.get(order)}


@dataclass(frozen=True, eq=False)
class PredictedRowsDisplay(_PredictionsDisplay):
    """The predicted class of every row, with its posteriors and its distance."""

    title: ClassVar[str] = "Predictions"
    made_by: ClassVar[str] = "predictions.rows"
    page_key: ClassVar[str] = "predict.rows"

    order: Annotated[
        str,
        Field("Show", "Rows of the table; the downloads hold all.", longest=20, choices=_orders),
    ] = "row"

    @cached_property
    def chosen(self) -> Codes:
        """Positions of the rows that `order` asks for."""
        return self.predictions.ranked(self.order)  # type: ignore[arg-type]

    def frame(self) -> pd.DataFrame:
        """Return the rows that `order` asks for: their columns, then what was predicted."""
        table = self.predictions.to_frame(self.chosen)
        table.insert(0, "row", self.predictions.numbers[self.chosen], allow_duplicates=True)
        return table.loc[:, ~table.columns.duplicated()]

    def table(self) -> pd.DataFrame:
        """Return the rows that `order` asks for, what was predicted first, at most 1,000."""
        predictions, shown = self.predictions, self.chosen[:MOST_ROWS]
        added = predictions.added(shown)
        if len(predictions.classes) > MOST_CLASSES:
            added = added.drop(columns=[f"P({label})" for label in predictions.classes.tolist()])
            if predictions.has_posteriors:
                added.insert(1, "posterior", predictions.posteriors[shown].max(axis=1))
        own = predictions.new.frame.iloc[shown, :MOST_COLUMNS].reset_index(drop=True)
        own.columns = pd.Index([str(name) for name in own.columns])
        # A column of the file may have the name of one of ours.
        own = own.rename(columns={name: f"{name} (file)" for name in own.columns if name in added})
        table = pd.concat([added.round(3), own], axis=1)
        table.insert(0, "row", predictions.numbers[shown], allow_duplicates=True)
        return table.loc[:, ~table.columns.duplicated()]

    def plot(self) -> go.Figure | None:
        """Return the first images with their predicted classes; None for other rows."""
        predictions, shown = self.predictions, self.chosen[:MOST_IMAGES]
        if predictions.model.image_shape is None or not len(shown):
            return None
        titles, title = [str(label) for label in predictions.labels[shown]], "Predicted class"
        if predictions.has_posteriors:
            sure = predictions.posteriors[shown, predictions.codes[shown]].tolist()
            titles = [f"{a}: {percent(p, 0)}" for a, p in zip(titles, sure, strict=True)]
            title = "Predicted class, with its posterior"
        return plots.images(
            predictions.new.X[shown].reshape(-1, *predictions.model.image_shape),
            titles,
            columns=min(SHEET_COLUMNS, len(shown)),
            title=title,
        )

    def notes(self) -> tuple[str, ...]:
        """State how many rows are left out of the table, and what flagged rows are."""
        n_rows = len(self.chosen)
        excerpt = f"{MOST_ROWS:,} of {n_rows:,} rows." if n_rows > MOST_ROWS else ""
        return (*filter(None, [excerpt]), *super().notes())


@dataclass(frozen=True, eq=False)
class PredictedClassesDisplay(_PredictionsDisplay):
    """The rows predicted as each class; for a single row, the posterior of each."""

    title: ClassVar[str] = "Predicted classes"
    made_by: ClassVar[str] = "predictions.by_class"

    def frame(self) -> pd.DataFrame:
        """Return a line for each class: rows and priors, or posterior and distance."""
        predictions = self.predictions
        table = pd.DataFrame({"class": [str(label) for label in predictions.classes]})
        if len(predictions) > 1:
            table["rows"] = predictions.counts
            if predictions.is_rejected is not None:
                rejected = predictions.codes[predictions.is_rejected]
                table["abstained"] = np.bincount(rejected, minlength=len(table))
            if predictions.learned_priors is not None:
                table["prior in training"] = predictions.learned_priors
            if predictions.priors is not None:
                table["prior in deployment"] = predictions.priors
            return table
        if predictions.has_posteriors:
            table["posterior"] = predictions.posteriors[0]
        if (squared := predictions.evaluated.squared_distances) is not None:
            table["distance"] = np.sqrt(squared[0])
        return table

    def table(self) -> pd.DataFrame:
        """Return the same in per cent."""
        table = self.frame()
        for name in table.columns.intersection(["posterior", *table.filter(like="prior in")]):
            table[name] *= 100
        shares = {name: f"{name} (%)" for name in table if str(name).startswith(("post", "prior"))}
        return table.round({"distance": 2, **dict.fromkeys(shares, 1)}).rename(columns=shares)

    def table_help(self) -> Mapping[str, str]:
        """Return what the distance is."""
        return {"distance": "Mahalanobis distance from the class."}


@dataclass(frozen=True, eq=False)
class MatchedColumnsDisplay(Display):
    """What did and did not match between the columns of the file and the features."""

    title: ClassVar[str] = "Columns of the new rows"
    made_by: ClassVar[str] = "predictions.columns"

    predictions: Predictions

    @property
    def matters(self) -> bool:
        """True if predictions are affected: missing columns or levels, dropped rows."""
        match, new = self.predictions.match, self.predictions.new
        unscored = bool(new.unknown_labels or new.n_unlabelled)
        return bool(match.missing or match.unseen or unscored or new.has_lost_rows)

    def finding(self) -> str:
        """State whether the columns of the file are those of the training data."""
        model, match, new = self.predictions.model, self.predictions.match, self.predictions.new
        if model.image_shape is not None:
            height, width = model.image_shape[:2]
            size = f"{width} × {height} pixels"
            resized = f"{count(new.n_resized, 'image')} resized to {size}" if new.n_resized else ""
            skipped = f"{count(len(new.skipped), 'file')} skipped" if new.skipped else ""
            phrases = [phrase for phrase in (resized, skipped) if phrase]
            return f"{listed(phrases)}." if phrases else f"All images have {size}."
        n_columns = len(model.schema.columns)
        everything = f"{n_columns - len(match.missing)} of" if match.missing else "All"
        order = ", in another order" if match.reordered else ""
        noun = "column was" if n_columns == 1 else "columns were"
        return f"{everything} {n_columns} {noun} found by name{order}."

    def frame(self) -> pd.DataFrame:
        """Return a line for each note on reading and matching the file."""
        return pd.DataFrame(
            [
                (notice.where, notice.what, notice.remedy)
                for notice in self.predictions.new.findings
            ],
            columns=["where", "what", "remedy"],
        )

    def table(self) -> pd.DataFrame:
        """Return the files of a zip that were left out."""
        return pd.DataFrame(self.predictions.new.skipped)

    def notes(self) -> tuple[str, ...]:
        """Report the import notes, and what did not match: columns, levels, labels."""
        return tuple(map(str, self.predictions.new.findings))


@dataclass(frozen=True, eq=False)
class _ScoredDisplay(Display):
    """A display of predictions whose classes are known."""

    predictions: Predictions

    @cached_property
    def results(self) -> Results | None:
        """Results on the rows whose class is known; None without any."""
        return None if self.predictions.truth is None else self.predictions.results()

    def finding(self) -> str:
        """Return the leading score, and the most frequent errors."""
        if self.results is None:
            return "The classes of these rows are not known: there are no scores."
        return report.classification_finding(self.results, self.results.methods[0])


class PredictionScoresDisplay(_ScoredDisplay):
    """The scores of predictions, with their intervals."""

    title: ClassVar[str] = "Scores of the predictions"
    made_by: ClassVar[str] = "predictions.scores"

    def frame(self) -> pd.DataFrame:
        """Return every score with its interval."""
        if self.results is None:
            return pd.DataFrame()
        return metrics.score_table(self.results, metrics.available_scores(self.results))

    def table(self) -> pd.DataFrame:
        """Return the scores that are read first, and that of the majority-class baseline."""
        if self.results is None:
            return pd.DataFrame()
        names, baseline = report.headline_score_names(self.results), "majority-class baseline"
        scores = metrics.score_table(self.results, names)
        lines = dict(zip(names, report.score_texts(scores), strict=True))
        if metrics.is_imbalanced(self.results.class_counts):
            rarest = report.rarest_class(self.results)
            recalls = report.score_texts(metrics.score_table(self.results, ["recall"]))
            lines[f"recall of {quoted(self.results.classes[rarest])}"] = recalls[rarest]
        lines[baseline] = percent(metrics.majority_baseline_score(self.results, names[0]))
        lines |= self._abstained(self.results)
        return pd.DataFrame(lines.items(), columns=["score", "value"])

    def _abstained(self, results: Results) -> dict[str, str]:
        """Return the scored rows for which the model abstains, and its error on the others."""
        if self.predictions.is_rejected is None:
            return {}
        is_rejected = self.predictions.is_rejected[results.rows]
        number, n_rows = int(is_rejected.sum()), len(is_rejected)
        lines = {"abstained": f"{number:,} of {n_rows:,} ({percent(number / n_rows)})"}
        if number < n_rows:
            decided = results.take(~is_rejected)
            value, low, high = metrics.score(decided, results.methods[0], "accuracy")
            error = metrics.Interval(1 - value, 1 - high, 1 - low)
            lines["error without these"] = report.format_score(error, "recall")
        return lines

    def notes(self) -> tuple[str, ...]:
        """Return the rule of the intervals, and which rows count by which weights."""
        if self.results is None:
            return ()
        names = report.headline_score_names(self.results)
        notes = [
            *filter(None, [report.interval_method(self.results, *names)]),
            *filter(None, [report.missing_intervals_note(self.results, names)]),
            *self._row_notes(self.results),
        ]
        if self.predictions.rule is not None:
            notes.append(
                f"Scores and confusion matrix are of all {self.predictions.noun}, also those for "
                "which the model abstains."
            )
        if self.predictions.threshold is not None:
            notes.append("If the threshold was chosen by these scores, they are optimistic.")
        return tuple(notes)

    def _row_notes(self, results: Results) -> list[str]:
        predictions = self.predictions
        n_scored, notes = int((np.asarray(predictions.truth) != NO_LABEL).sum()), []
        if n_scored < len(predictions):
            notes.append(
                f"{n_scored:,} of {len(predictions):,} rows are scored: the others have no class, "
                "or one that the model does not know."
            )
        if predictions.new.weights is not None:
            effective = effective_number(np.asarray(results.settings.row_weights))
            notes.append(
                f"Scores weight the rows by {predictions.model.weight_name!r}: "
                f"{count(len(results.rows), 'row')} count as {effective:,.1f} of equal weight "
                "(Kish)."
            )
        return notes


class PredictionConfusionDisplay(_ScoredDisplay):
    """The confusion matrix of predictions: true classes against predicted ones."""

    title: ClassVar[str] = "Confusion of the predictions"
    made_by: ClassVar[str] = "predictions.confusion"
    is_tabulated: ClassVar[bool] = False

    def frame(self) -> pd.DataFrame:
        """Return the number of rows, or their weight, of each true and predicted class."""
        if self.results is None:
            return pd.DataFrame()
        return confusion_lines(self.results, self.results.methods[0])

    def plot(self) -> go.Figure | None:
        """Return the matrix."""
        if self.results is None:
            return None
        return plots.confusion(self.results, self.results.methods[0])


@dataclass(frozen=True, eq=False)
class DriftDisplay(Display):
    """The columns whose distribution differs between the training rows and new rows."""

    title: ClassVar[str] = "Drift"
    made_by: ClassVar[str] = "predictions.drift"

    lines: pd.DataFrame

    def finding(self) -> str:
        """State which columns differ: by effect, of those that differ significantly."""
        differing = self.lines[self.lines["p (Holm)"] < _ALPHA]
        if differing.empty:
            return "No column differs between training and new rows beyond chance."
        notable = differing[differing["size"] != _NEGLIGIBLE]
        if notable.empty:
            return (
                f"{len(differing)} of {len(self.lines)} columns {_verb(len(differing))} "
                "significantly between training and new rows, none by more than a negligible "
                "amount."
            )
        named = [
            f"{column} ({size}: {change})"
            for column, size, change in notable[["column", "size", "change"]].itertuples(
                index=False
            )
        ]
        return (
            f"{len(notable)} of {len(self.lines)} columns {_verb(len(notable))} notably between "
            f"training and new rows: {listed(named, _MOST_DRIFTED)}."
        )

    def frame(self) -> pd.DataFrame:
        """Return a line for each column, as `lincore.prediction.drift` does."""
        return self.lines

    def table(self) -> pd.DataFrame:
        """Return the same, p-values to three digits."""
        small = {name: self.lines[name].map("{:.3g}".format) for name in ("p", "p (Holm)")}
        return self.lines.assign(**small).round(2)

    def table_help(self) -> Mapping[str, str]:
        """Return what effect and adjusted p-value are."""
        return {
            "effect": "Numbers: largest difference of the distribution functions. Categories: "
            "share of rows that would have to change level.",
            "chance": "Mean effect without drift.",
            "p (Holm)": "Adjusted over all lines.",
        }

    def notes(self) -> tuple[str, ...]:
        """Return the tests, and how to read them."""
        return (
            "Training rows against these rows: Kolmogorov–Smirnov for numbers, chi-square for "
            "categories. With many rows small differences are significant; compare the effect with "
            "that expected by chance.",
        )

    def call(self) -> str:
        """Return the expression that makes this display."""
        return f"{self.made_by}(training)"


def _verb(number: int) -> str:
    return "differs" if number == 1 else "differ"
