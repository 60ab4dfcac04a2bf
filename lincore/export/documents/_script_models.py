"""The parts of a script about models: one classifier, and several compared."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from lincore.analysis.experiment import method_line
from lincore.analysis.questions import ClassifyQuestion, CompareQuestion, PredictQuestion
from lincore.analysis.specification import Analysis
from lincore.checks.model_assumptions import ASSUMPTIONS
from lincore.export.documents._code import Block, call, literal
from lincore.model_selection.methods import CLASSIFIER_LABELS
from lincore.model_selection.pipeline import Steps
from lincore.model_selection.specs import parse_spec

_SCORES = """print(report.classification_finding(results, name, rows=rows))
print(report.baseline_finding(results, name))
print(export.to_text(report.headline_scores(results, name)))"""
_STEPS = """print(" → ".join(report.pipeline_steps(pipeline, data, name)))
inputs = inspection.classifier_input_names(pipeline, data)
end = report.termination_reason(pipeline.steps[-1][1], list(inputs))
print(end.sentence, end.remedy)"""
_GEOMETRY = """plane = inspection.default_plane(pipeline, data, split.train)
view = inspection.make_view(pipeline, data, split.test, plane)
print(f"{len(view.rows):,} test {rows}. {view.fidelity} {view.caption}")
figure = plots.contour(view) if len(view.axis_names) > 1 else plots.direction_histogram(view)
describe(figure)"""
_ERRORS = """describe(plots.confusion(results, name))
print(export.to_text(report.confusion_rows(results, name)))
print(f"On {len(results.rows):,} test {rows}, with 95 % intervals.")
print(export.to_text(report.model_score_rows(results, name)))
print(export.to_text(report.class_score_rows(results, name)))
print(report.missing_intervals_note(results))"""
_CURVES = """codes = [1] if data.n_classes == 2 else range(min(data.n_classes, 6))
curves = metrics.roc_curve(results, name)
describe(plots.roc([plots.Curve.from_roc(curves[k], code=k) for k in codes]))
curves = metrics.precision_recall_curve(results, name)
drawn = [plots.Curve.from_precision_recall(curves[k], code=k) for k in codes]
describe(plots.precision_recall(drawn, shares=[curves[k].share for k in codes]))
if metrics.has_posteriors(results, name):
    describe(plots.calibration(results, name))
    error = metrics.calibration_curve(results, name).error
    print(f"Expected calibration error {100 * error:.1f} points.")"""
_COEFFICIENTS = """try:
    found = inspection.{name}_coefficients(pipeline, data, split.train)
except (TypeError, ValueError) as reason:
    print(reason)
else:
    if len(found.names) <= 200:
        for place, line in enumerate(found.lines):
            print(line)
            print(export.to_text(report.coefficient_rows(found, place), form=".4g"))
            values = found.per_deviation[place]
            describe(plots.coefficients(found.names, values, unit="coefficient"))ODDS"""
_ODDS = """
            kept = [j for j, one in enumerate(found.names) if one != "intercept"]
            ends = (found.estimate, found.low, found.high)
            ratios = (np.exp(part[place, kept]) for part in ends)
            describe(plots.odds_ratios([found.names[j] for j in kept], *ratios))"""
_EQUATIONS = """pairs = [(1, 0)]
if data.n_classes > 2:
    pairs = itertools.combinations(range(data.n_classes), 2)
for first, second in itertools.islice(pairs, 10):
    try:
        function, names = inspection.boundary_equation(pipeline, data, first, second)
    except (TypeError, ValueError) as reason:
        print(reason)
    else:
        if len(names) <= 60:
            print(f"{data.classes[first]} against {data.classes[second]}:")
            print(report.equation_text(function, names))"""
_ASSUMPTIONS = """if not data.kind.is_sparse or "svd" in pipeline.named_steps:
    inputs = checks.assumption_inputs(pipeline, data, split.train)
    found = checks.assumptions(*inputs, model=MODEL)
    print(report.assumptions_finding(found))
    print(export.to_text(report.assumption_rows(found)))"""
_PREDICTIONS = """model = model_selection.FittedModel.of(data, pipeline, name, split.train)
# Or the path of a file with the columns of the training data.
new = data.take(split.test)
predictions = prediction.predict(model, new, PRIORS, reading=READING)
print(prediction.prediction_finding(predictions, f"test {rows}"))
print(f"{data.name}, test set, by {model.label}. {prediction.priors_finding(predictions)}")
found = predictions.to_frame()
found.insert(0, "row", split.test)
for column in found.columns[-predictions.added().shape[1]:]:
    if found[column].dtype == float:
        found[column] = found[column].map("{:.3f}".format)
print(export.to_text(found, form=""))
print(prediction.far_note(predictions))
scores = predictions.scores()
print(export.to_text(report.headline_scores(scores, name)))
describe(plots.confusion(scores, name))
table = prediction.drift(data.take(split.train), predictions)
print(prediction.drift_finding(table))
for column, form in (("effect", "{:.2f}"), ("p", "{:.3g}"), ("p (Holm)", "{:.3g}")):
    table[column] = table[column].map(form.format)
print(export.to_text(table, form=""))"""
_COMPARISON = """print(report.comparison_finding(results, score, rope))
best = results.methods[0]
if score == metrics.leading_score(results.class_counts):
    print(report.baseline_finding(results, best, subject=results.settings.label(best)))
print(report.evaluation_scope(results, rows))
print(report.interval_method(results, score))
print(export.to_text(report.comparison_rows(results, score, rope)))
print(report.missing_intervals_note(results))
for note in report.comparison_notes(results):
    print(note)
describe(plots.score_intervals(results, score=score))"""
_PAIRS = """if len(results.methods) > 1:
    form = ".1f" if metrics.SCORES[score].is_share else ".3f"
    print(export.to_text(report.pairwise_rows(results, score, rope), form=form))
    print(report.pairwise_note(results, score, rope))
    describe(plots.pairwise_effects(results, score=score, rope=rope))
    found = metrics.pairwise_differences(results, score, rope)
    for sentence in report.never_predicted_finding(results, results.methods):
        print(sentence)
    units = metrics.find_sampling_units(results)
    if score == "accuracy" and units.one_fit and units.independent_rows:
        some_pair = any(one.better is not None for one in found)
        print(report.cochran_finding(metrics.cochran_test(results), some_pair=some_pair))"""
_RECALL = """recalls = [[one.value for one in metrics.recall(results, m)] for m in results.methods]
labels = [results.settings.label(method) for method in results.methods]
describe(plots.recall_map(recalls, labels, results.classes))
print(export.to_text(report.recall_rows(results)))"""
_DISAGREEMENTS = """label = results.settings.label
for first, second in itertools.combinations(results.methods, 2):
    found = metrics.find_disagreements(results, first, second)
    print(report.disagreement_finding(found, label(first), label(second), rows=rows))
    if len(found.rows) and not data.kind.is_images and not data.n_words:
        listed = data.take(found.rows).to_frame()
        listed.insert(0, "row", found.rows)
        for who, proba in zip((first, second), found.proba):
            listed[f"{label(who)}: p"] = [f"{p:.3f}" for p in proba]
        print(export.to_text(listed, form=""))"""


def lines_of(analysis: Analysis, words: Sequence[str]) -> tuple[str, ...]:
    """Return classifiers with their options of the analysis, as `lincore.compare` reads them.

    Parameters
    ----------
    analysis : Analysis
    words : sequence of str
    """
    return tuple(method_line(word, analysis.options.get(word, {})) for word in words)


def steps_code(steps: Steps) -> str:
    """Return the call that makes the steps before a classifier."""
    defaults = Steps._field_defaults
    given = {k: literal(v) for k, v in steps._asdict().items() if v != defaults[k]}
    return call("lincore.Steps", **given)


def predict_blocks(analysis: Analysis, question: PredictQuestion) -> tuple[Block, ...]:
    """Return the code that predicts the test rows and prints what the page Predict shows.

    Parameters
    ----------
    analysis : Analysis
    question : PredictQuestion
    """
    given = f"priors={literal(question.priors)}, level={literal(question.level)}"
    code = _PREDICTIONS.replace("PRIORS", given)
    code = code.replace("READING", 'prediction.Reading(f"{data.name}, test set")')
    return (
        Block("Model", f"{_fit_code(analysis, question)}{_STEPS}"),
        Block("Predictions", code, ("plots.confusion(scores, name)",)),
    )


def _fit_code(analysis: Analysis, question: ClassifyQuestion | PredictQuestion) -> str:
    (line,) = lines_of(analysis, (question.classifier,))
    label = literal(CLASSIFIER_LABELS[parse_spec(line)[0]])
    return f"""method = model_selection.as_method({literal(line)})
steps = model_selection.method_steps(method, data, {steps_code(analysis.steps)})
pipeline = model_selection.pipeline_for(data, method.fresh(data.classes), steps)
pipeline, results = lincore.holdout(data, pipeline, split, method={label})
name = results.methods[0]
"""


def classify_blocks(analysis: Analysis, question: ClassifyQuestion) -> tuple[Block, ...]:
    """Return the code that fits one classifier and prints what the page Classify shows.

    Parameters
    ----------
    analysis : Analysis
    question : ClassifyQuestion
    """
    (line,) = lines_of(analysis, (question.classifier,))
    word, options = parse_spec(line)
    fit = _fit_code(analysis, question)
    exact = word == "logistic" and options.get("C") == inf
    coefficients = _COEFFICIENTS.format(name="likelihood" if exact else "score")
    coefficients = coefficients.replace("ODDS", _ODDS if exact else "")
    assumed = _assumes(word, str(options.get("estimator", "logistic")))
    blocks = [
        Block("Model", f"{fit}{_SCORES}\n{_STEPS}"),
        Block("Geometry", _GEOMETRY, ("figure",)),
        Block("Errors and scores", _ERRORS, ("plots.confusion(results, name)",)),
        Block("Curves", _CURVES, ("plots.roc(results, name)",)),
        Block("Coefficients and boundaries", f"{coefficients}\n{_EQUATIONS}"),
    ]
    if ASSUMPTIONS[assumed]:
        code = _ASSUMPTIONS.replace("MODEL", literal(assumed))
        blocks.append(Block("Assumptions", code))
    return tuple(blocks)


def compare_blocks(analysis: Analysis, question: CompareQuestion) -> tuple[Block, ...]:
    """Return the code that compares models and prints what the page Compare shows.

    Parameters
    ----------
    analysis : Analysis
    question : CompareQuestion
    """
    lines = []
    for first in lines_of(analysis, question.methods):
        lines.append(first)
        word = first.partition("(")[0]
        if word in question.second:
            lines.append(method_line(word, question.second[word]))
    scheme = literal(question.scheme)
    before = ""
    if question.scheme == "holdout":
        before = scheme_code(analysis)
        scheme = "scheme"
    compared = call(
        "lincore.compare",
        "data",
        literal(list(dict.fromkeys(lines))),
        scheme,
        steps=steps_code(analysis.steps),
        seed=literal(analysis.split.seed),
        test_size=literal(analysis.split.test_size),
    )
    score = literal(question.score) if question.score else "metrics.leading_score(data.counts)"
    rope = literal(0.01 if question.rope is None else question.rope)
    code = f"""{before}results = {compared}
score, rope = {score}, {rope}
results = metrics.rank_methods(results, score)
{_COMPARISON}"""
    return (
        Block("Comparison", code, ("plots.score_intervals(results, score=score)",)),
        Block("Pairwise comparisons", _PAIRS,
              ("plots.pairwise_effects(results, score=score, rope=rope)",)),
        Block("Disagreements", _DISAGREEMENTS),
        Block("Recall by class", _RECALL),
    )  # fmt: skip


def scheme_code(analysis: Analysis, stratified: str = "holdout") -> str:
    """Return the code for the test set of the analysis as a scheme by name.

    Parameters
    ----------
    analysis : Analysis
    stratified : str
        What a stratified one is called.
    """
    names = {"stratified": stratified, "group": "holdout by group"}
    how = analysis.split.how
    if how is not None:
        return f"scheme = {literal(names.get(how, how))}\n"
    return f"""scheme = {literal(stratified)} if data.groups is None else "holdout by group"
if data.given_test is not None:
    scheme = "given"
"""


def _assumes(word: str, binary: str) -> str:
    """Return the word of the classifier whose assumptions hold: the binary one of several."""
    return parse_spec(binary)[0] if word in ("one-vs-rest", "one-vs-one") else word
