"""The parts of a script about a study of imbalance: its finding, and the tab that is open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lincore.analysis.questions import BalanceStudyQuestion
from lincore.analysis.specification import Analysis
from lincore.export.scripts._code import Block, fill, open_tabs
from lincore.export.scripts._cost import method_code, study_arguments
from lincore.export.scripts._settings import scheme_code
from lincore.utils.code import call, literal

_STUDY = """method = METHOD if METHOD in study.methods else study.methods[0]
print(report.balance_finding(study, method, loss))
print(report.remedy_finding(imbalance.choose_remedy(study, method, loss), loss))
print(report.balance_basis(study))
describe(report.balance_waterfall(study, method, loss))
describe(report.balance_corrections(study, method, loss))
label = study.settings.label"""
_COUNTS = """counts = {"class": [str(name) for name in study.classes], **study.counts}
counts["test"] = np.bincount(data.codes[study.example.split.test], minlength=data.n_classes)
counts = pd.DataFrame(counts)
counts.loc[len(counts)] = ["all", *counts.iloc[:, 1:].sum()]
print(export.to_text(counts))
"""
_PARTS = """for sentence in report.decomposition_sentences(study, method, loss).values():
    print(sentence)
recalls = [name for name, cut in zip(study.recall_names, study.is_reduced) if cut]
losses = ["error", "balanced error", "log loss", *recalls]
print(export.to_text(report.decomposition_rows(study, method, losses)))
print(export.to_text(report.remedy_rows(study, method, loss)))"""
_FIRST = """study = FIRST  # of the first split alone
example = study.example
"""
_PLANES = """pipelines = [example.pipelines[method, which] for which in ("full", condition)]
axes = AXES[: len(inspection.classifier_input_names(pipelines[0], data))]
"""
_DISCRIMINANT = """if inspection.default_plane_kind(pipelines[0], data) == "discriminant":
    axes = ()"""
_VIEWS = """if axes:
    planes = imbalance.aligned_planes(pipelines, data, example.split.test, axes)
else:
    planes = imbalance.shared_planes(pipelines, data, example.split.train)
views = [
    imbalance.condition_view(example, method, which, data, plane)
    for which, plane in zip(("full", condition), planes)
]
"""
_PAIR = """shared = plots.SharedAxes.of(*views)
for view in views:
    describe(DRAWN)
n_shown = [view.n_faithful for view in views]
print(f"{views[0].caption} The regions show {n_shown[0]:,} and {n_shown[1]:,} predictions of")
print(f"{len(views[0].points):,} as the models make them.")"""
_EVERY = """every, titles = [], []
for name in study.methods:
    fitted = [example.pipelines[name, which] for which in ("full", condition)]
    if axes:
        planes = imbalance.aligned_planes(fitted, data, example.split.test, axes)
    else:
        planes = imbalance.shared_planes(fitted, data, example.split.train)
    for which, plane in zip(("full", condition), planes):
        every.append(imbalance.condition_view(example, name, which, data, plane))
        titles.append(f"{which}: {label(name)}")
describe(plots.small_multiples(every, titles, columns=2))"""
_MATRICES = """before, after = example.results["full"], example.results[condition]
describe(plots.confusion(before, method))
describe(plots.confusion(after, method))
matrices = [metrics.confusion_matrix(found, method) for found in (before, after)]
describe(plots.confusion_difference(*matrices, data.classes, words=("full", "reduced")))"""
_SWEEP = """sweep = SWEEP
kind = KIND
grid = imbalance.size_grid(sweep, loss, kind)
crossings = sweep.crossings(loss) if kind == "as trained" else ()
drawn = [i for i in range(len(sweep.methods)) if not np.isnan(grid.mean[i]).all()]
figure = plots.sweep(
    grid.sizes, grid.mean[drawn], grid.low[drawn], grid.high[drawn],
    [label(sweep.methods[i]) for i in drawn], score=loss, as_percent=loss != "log loss",
    crossings=[crossing.size for crossing in crossings],
)
describe(figure)
for sentence, crossing in zip(report.crossing_sentences(sweep, loss), crossings):
    first, last = crossing.clear
    print(f"{sentence} Beyond chance up to {first:,.0f} and from {last:,.0f} on.")
for name, why in sweep.failures.items():
    print(label(name), report.with_class_names(why, sweep.classes))
print(f"Means of {len(sweep.seeds)} splits, with 95 % intervals.")"""
_SHARES = """condition = TRAINED
full = study.shares("full")
code, share = CODE, SHARE
shares = full if share is None else imbalance.priors_with_share(full, code, share / 100)
results, old = example.results[condition], imbalance.condition_priors(study, condition)
adjusted = metrics.adjust_priors(results, old, shares)
print(f"Share of {data.classes[code]} in deployment: {100 * shares[code]:.0f} %.")
print(f"{len(results.rows):,} test {rows}, weighted to the shares; 95 % intervals.")
"""
_PRIORS = """print(export.to_text(report.deployment_rows(results, adjusted, shares)))
own, before = results.select(method), old[study.methods.index(method)]
places = np.geomspace(0.01, 0.95, 25)
curves = np.stack([
    imbalance.error_by_share(own, before, code, places, corrected=corrected)
    for corrected in (False, True)
]).reshape(2, len(places), 3)
figure = plots.sweep(
    100 * places, *np.moveaxis(curves, -1, 0), ["as trained", "corrected priors"],
    across=f"share of {data.classes[code]} in deployment (%)", score="error",
)
describe(figure)"""
_COSTS = """costs = COSTS  # of predicting the column for the row
print(export.to_text(pd.DataFrame(costs, columns=[str(name) for name in data.classes])))
cheapest = imbalance.minimum_cost_decisions(adjusted, costs)
print(export.to_text(report.decision_cost_rows(adjusted, cheapest, shares, costs)))
if metrics.has_posteriors(adjusted, method):
    shift = imbalance.log_prior_shift(old[study.methods.index(method)], shares)
    moved = imbalance.view_with_prior_shift(views[1], shift)
    shared = plots.SharedAxes.of(moved)
    for view, found in ((moved, adjusted), (imbalance.view_with_costs(moved, costs), cheapest)):
        view = imbalance.view_with_predictions(view, found, method)
        describe(plots.boundary(view, shared=shared))"""
_SCORES = """truth = None
if data.truth is not None:
    known = imbalance.true_parameters_of(study, data)
    truth, least, on_test = known.results, known.least, known.on_test
    print(f"Least error of any classifier: {100 * least.value:.1f} % ({least.method}).")
    ends = f"{100 * on_test.low:.1f}–{100 * on_test.high:.1f}"
    print(f"Bayes classifier on {study.n_test:,} test rows: {100 * on_test.value:.1f} % ({ends}).")
    if data.n_features == 2:
        test = example.split.test
        plane = inspection.feature_plane(data, (0, 1), test)
        describe(plots.boundary(inspection.make_view(known.pipeline, data, test, plane)))
print(export.to_text(report.score_rows(study, CONDITIONS, truth)))
for name in study.methods:
    if name.partition("(")[0] in ("lda", "qda", "naive-bayes"):
        print(report.equal_priors_note(study, name))"""
_LOSS = """traces = {}
for name in study.methods:
    if metrics.has_posteriors(example.results["full"], name):
        ends = [imbalance.training_error(study, data, name, one) for one in ("full", "reduced")]
        totals, sizes = [end.total for end in ends], [end.n for end in ends]
        print(report.training_loss_finding(label(name), totals, sizes, rows))
    for subset in ("full", "reduced"):
        trace = getattr(example.pipelines[name, subset].steps[-1][1], "trace_", None)
        if trace and len(trace) > 1:
            traces[f"{subset}: {label(name)}"] = trace
for notice in study.notices:
    print(notice)
if traces:
    describe(plots.convergence(traces))"""

#: Code and figures of each tab.
_TABS: Mapping[str, Block] = {
    "Error decomposition": Block("Error decomposition", _COUNTS + _PARTS),
    "Full and reduced set": Block(
        "Full and reduced set",
        _FIRST
        + _COUNTS
        + "condition = CONDITION\n"
        + _PLANES
        + "DISCRIMINANT\n"
        + _VIEWS
        + "BOTH\n"
        + _MATRICES,
    ),
    "Class-size sweep": Block("Class-size sweep", _COUNTS + _SWEEP, ("figure",)),
    "Priors in deployment": Block(
        "Priors in deployment", _FIRST + _COUNTS + _SHARES + _PRIORS, ("figure",)
    ),
    "Costs": Block("Costs", _FIRST + _COUNTS + _SHARES + _PLANES + _VIEWS + _COSTS),
    "Scores": Block("Scores", _FIRST + _COUNTS + _SCORES),
    "Training loss": Block("Training loss", _FIRST + _COUNTS + _LOSS),
}
_REPORTED = ("Error decomposition",)


def study_blocks(
    analysis: Analysis, question: BalanceStudyQuestion, *, reported: bool
) -> tuple[Block, ...]:
    """Return the code that prints what a smaller class does, as the page Balance shows it."""
    methods, keywords = study_arguments(analysis, question)
    sizes, n_repeats = literal(dict(question.sizes)), literal(question.repeats)
    study = call("lincore.balance", "data", sizes, methods, **keywords, repeats=n_repeats)
    loss = literal(question.loss) if question.loss else "study.leading_loss"
    head = f"{scheme_code(analysis, 'stratified')}study = {study}\nloss = {loss}\n"
    codes = _codes(analysis.view)
    codes["FIRST"] = call("lincore.balance", "data", sizes, methods, **keywords, repeats="1")
    codes["SWEEP"] = call("imbalance.sweep", "data", literal(list(question.sizes)),
                          methods=methods, **keywords, repeats="10")  # fmt: skip
    tabs = open_tabs(analysis.view, "balance.tabs", _TABS, _REPORTED if reported else None)
    return (
        Block("Imbalance study", head + fill(_STUDY, METHOD=method_code(analysis, question)),
              ("report.balance_waterfall(study, method, loss)",
               "report.balance_corrections(study, method, loss)")),
        *(block._replace(code=fill(block.code, **codes)) for block in tabs),
    )  # fmt: skip


def _codes(view: Mapping[str, Any]) -> dict[str, str]:
    """Return what stands in the places of a tab, by the display of the page."""
    remedy = str(view.get("balance.remedy", "uncorrected"))
    condition = "reduced" if remedy == "uncorrected" else remedy
    code = view.get("balance.use.class")
    share = view.get("balance.use.share")
    costs = view.get("balance.costs")
    whole = "1.0 - np.eye(data.n_classes)"
    given = f"np.reshape({literal(costs)}, (data.n_classes, -1))" if costs else whole
    camera = view.get("balance.camera")
    seen = f", camera={literal(camera)}" if camera else ""
    drawn = {"Contour": "plots.contour(view, shared=shared)",
             "Surface": f"plots.surface(view, shared=shared{seen})"}  # fmt: skip
    drawing = str(view.get("balance.drawing"))
    own = str(view.get("balance.plane", "Discriminant plane")) == "Discriminant plane"
    return {
        "CONDITION": literal(condition),
        "TRAINED": literal("reduced" if condition == "moved threshold" else condition),
        "CONDITIONS": literal(list(dict.fromkeys(("full", "reduced", condition)))),
        "AXES": literal(tuple(view.get(f"balance.{end}", k) for k, end in enumerate("xy"))),
        "DISCRIMINANT": _DISCRIMINANT if own else "",
        "BOTH": _EVERY if drawing == "All models" else _PAIR.replace(
            "DRAWN", drawn.get(drawing, "plots.boundary(view, shared=shared)")
        ),
        "KIND": literal(view.get("balance.kind", "as trained")),
        "CODE": literal(code) if code is not None else "int(np.flatnonzero(study.is_reduced)[0])",
        "SHARE": literal(share),
        "COSTS": given,
    }  # fmt: skip
