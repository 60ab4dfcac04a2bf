"""What the tabs of one model say: options by name, formulas that hold, numbers that agree."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import lincore
from lincore.displays import (
    CalibrationDisplay,
    ConvergenceDisplay,
    DecisionCurveDisplay,
    EquationDisplay,
    ErrorSlicesDisplay,
    LearnedDisplay,
    LogRatioDisplay,
    MatrixDisplay,
    OperatingPointDisplay,
    RejectOptionDisplay,
    RocDisplay,
    TuningDisplay,
)
from lincore.model_selection import describe_options


@cache
def fitted(sample: str, method: str):
    return lincore.fit(lincore.sample(sample), method)


@pytest.mark.parametrize(
    ("sample", "method", "ending"),
    [
        ("wine", "lda(covariance=mcd)", "→ LDA (outliers: robust (MCD))."),
        (
            "passengers",
            "logistic(bias_reduction=firth)",
            "→ Logistic regression (small-sample bias: Firth's penalty).",
        ),
        ("iris", "lda(shrinkage=0.1, priors=equal)", "→ LDA (priors: equal, shrinkage: 0.1)."),
        ("iris", "lda", "→ LDA."),
    ],
)
def test_the_steps_name_the_options_of_the_classifier(sample, method, ending):
    assert fitted(sample, method).steps().finding().endswith(ending)


def test_options_are_described_by_their_labels_and_never_by_their_keys():
    options = describe_options("logistic(fit_intercept=False, C=inf, solver=newton)")
    assert options == (
        "intercept: no, inverse penalty C: maximum likelihood, "
        "solver: Newton (reweighted least squares)"
    )
    assert describe_options("qda(recalibration=sigmoid)") == "recalibration: sigmoid (Platt)"


def test_formulas_are_shown_only_where_they_hold():
    plain, robust = fitted("wine", "lda"), fitted("wine", "lda(covariance=mcd)")
    assert LearnedDisplay(plain).formulas == ("priors", "means", "joint log likelihood")
    assert LearnedDisplay(robust).formulas == ("priors", "joint log likelihood")
    assert any("robust (MCD)" in note for note in LearnedDisplay(robust).notes())
    assert MatrixDisplay(plain).formulas == ("shared covariance",)
    assert MatrixDisplay(robust).formulas == ()
    assert LearnedDisplay(fitted("iris", "lda(priors=equal)")).formulas[0] == "means"
    # The formula of A and b is that of Gaussian classes, not of fitted coefficients.
    assert LogRatioDisplay(plain).formulas == ("log ratio",)
    assert LogRatioDisplay(fitted("passengers", "logistic")).formulas == ()


def test_classification_functions_do_not_claim_to_be_those_of_the_model():
    """Priors, shrinkage, MCD and the divisor of the model are not theirs."""
    display = fitted("iris", "lda(priors=equal)").classification_functions()
    assert "predicted" not in display.finding()
    assert "LDA may decide differently" in " ".join(display.notes())


def test_a_model_without_closed_form_is_called_by_its_name():
    finding = LogRatioDisplay(fitted("iris", "lda(recalibration=isotonic)")).finding()
    assert "Recalibrated LDA" in finding


def test_levels_in_an_equation_are_in_brackets():
    equation = EquationDisplay(fitted("passengers", "logistic"))
    assert "· [sex = male]" in equation.equation and " · age " in equation.equation
    assert r"[\text{sex = male}]" in equation.latex
    assert "[cabin class = first] is 1 for rows with this level and 0 for others." in (
        " ".join(equation.notes())
    )
    assert "[" not in EquationDisplay(fitted("iris", "lda")).equation


def test_a_chosen_option_has_the_digits_that_matter():
    model = fitted("wine", "logistic(C=cv)")
    value = model.classifier.tuning_.values["C"]
    assert TuningDisplay(model).finding().startswith(f"Inverse penalty C {value:.3g}: ")


def test_a_solver_is_named_in_full():
    figure = ConvergenceDisplay(fitted("passengers", "logistic")).plot()
    assert figure.layout.meta["subtitle"].startswith("Newton, conjugate gradients ends at")


def test_a_training_loss_that_is_not_the_log_loss_is_said_to_have_a_penalty():
    penalised = ConvergenceDisplay(fitted("passengers", "logistic"))
    assert penalised.notes() == ("The training loss is the log loss with the penalty.",)
    assert ConvergenceDisplay(fitted("gaussian", "logistic(C=inf)")).notes() == ()


def test_equal_areas_are_said_to_be_of_every_class():
    figure = RocDisplay(fitted("iris", "lda")).plot()
    assert figure.layout.meta["title"] == "ROC: area 1.000 for every class"
    assert figure.data[1].name == "setosa (1.000)"


def test_the_gain_over_every_row_has_its_interval_in_the_table():
    display = DecisionCurveDisplay(fitted("passengers", "logistic"))
    table = display.table().set_index("threshold")
    assert list(table.columns)[-3:] == ["gain over every row", "gain from", "gain to"]
    better = (table["from"] > 0) & (table["gain from"] > 0)
    assert better[display.curve.is_useful[9::10]].all()


def test_abstaining_tells_what_becomes_of_the_rarest_class():
    display = RejectOptionDisplay(fitted("passengers", "logistic"))
    line = display.frame().set_index("class").loc["yes"]
    assert display.finding().endswith(
        f" Of {line['one class']} predicted rows of 'yes', the rarest class, "
        f"{line['misclassified']} are misclassified."
    )
    assert "rarest" not in RejectOptionDisplay(fitted("iris", "lda")).finding()


def test_abstained_shares_are_legible_on_light_and_dark_pages():
    figure = RejectOptionDisplay(fitted("passengers", "logistic")).plot()
    *_, abstains = figure.data
    assert abstains.name == "abstains" and abstains.insidetextfont.color == "#000037"
    assert figure.layout.xaxis.range[1] > 1, "rounded shares may end a little beyond 100 %"
    assert figure.layout.uniformtext.mode == "hide" and figure.layout.uniformtext.minsize >= 10


def test_parts_of_a_faultless_model_are_said_to_be_without_errors():
    assert ErrorSlicesDisplay(fitted("iris", "lda")).finding() == (
        "LDA misclassifies none of these rows."
    )


def test_parts_of_grouped_rows_have_no_empty_columns_and_no_note_on_tests():
    data = lincore.sample("iris")
    grouped = replace(data, groups=np.arange(len(data.codes)) // 5)
    display = ErrorSlicesDisplay(lincore.fit(grouped, "naive-bayes"))
    assert list(display.table().columns) == ["column", "part", "rows", "error (%)", "elsewhere (%)"]
    assert "Fisher" not in " ".join(display.notes())


def test_names_of_parts_are_broken_instead_of_cut():
    figure = ErrorSlicesDisplay(fitted("iris", "lda")).plot()
    assert "sepal length (cm): at<br>most 5.1" in figure.layout.yaxis.ticktext


def test_the_operating_point_names_the_class_of_its_rows():
    display = OperatingPointDisplay(fitted("passengers", "logistic"))
    assert " of the 'yes' rows, and " in display.finding()
    assert "share of rows predicted as 'yes'" in list(display.table()["score"])


def test_the_brier_score_of_correct_predictions_is_told_from_that_of_all_classes():
    three = CalibrationDisplay(fitted("iris", "lda"))
    assert any("tab Scores" in note for note in three.notes())
    two = CalibrationDisplay(fitted("passengers", "logistic"))
    assert not any("tab Scores" in note for note in two.notes())


def test_redundant_indicators_are_no_warning_for_models_that_bear_them():
    model = fitted("passengers", "logistic")
    checks = {check.name: check for check in model.assumptions().checked}
    assert checks["conditioning"].verdict == "note" and "QDA" not in checks["conditioning"].remedy
    assert np.isinf(checks["conditioning"].values["condition"])
