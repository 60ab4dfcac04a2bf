"""The parts of a script about one model: its scores, its plane, and the tab that is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any

from lincore.analysis.questions import ClassifyQuestion
from lincore.analysis.specification import Analysis
from lincore.checks.model_assumptions import ASSUMPTIONS
from lincore.export.scripts._code import Block, changed_only, fill, numbers, open_tabs
from lincore.export.scripts._settings import STEPS, fit_code, lines_of
from lincore.model_selection.specs import parse_spec
from lincore.utils.code import literal

_SCORES = """print(report.classification_finding(results, name, rows=rows))
print(report.baseline_finding(results, name))
training = model_selection.training_error(pipeline, data, split)
print(report.training_error_note(training, results, name))
print(export.to_text(report.headline_scores(results, name)))
print(report.interval_method(results, *report.headline_score_names(results)))"""
_GEOMETRY = """looked_at = {LOOK}
view = figure = None
try:
    view = inspection.view_of_kind(pipeline, data, split, **looked_at)
except ValueError as reason:  # such as class means that span no plane
    print(reason)
else:
    print(f"{len(view.rows):,} WHICH{rows}. {view.fidelity} {view.caption}")
    figure = PLANE if len(view.axis_names) > 1 else LINE
    describe(figure)"""
_CONFUSION = """describe(plots.confusion(results, name, normalize=NORMALIZE))
print(export.to_text(report.confusion_rows(results, name)))"""
_CELL = """cell = CELL  # true and predicted class
if max(cell) < data.n_classes:
    found = inspection.confusion_cell(results, pipeline, data, *cell)
    print(f"{data.classes[cell[0]]} predicted as {data.classes[cell[1]]}: {len(found.rows):,}.")
    columns = inspection.cell_columns(data, found, *cell)
    if not data.kind.is_images:
        print(export.to_text(inspection.row_table(data, found.rows, columns), form=""))
    elif found.proba is not None:
        sure = found.proba[:, cell[0]]
        names = [f"{100 * share:.1f} %" for share in sure]
        if found.distances is not None:
            far = found.distances[:, cell[0]]
            names = [f"{name} d {d:.1f}" for name, d in zip(names, far)]
        images = data.X[found.rows].reshape(-1, *data.image_shape)
        describe(plots.images(images[:60], names[:60], title="Images of the cell"))"""
_DETAILS = """print(f"On {len(results.rows):,} test {rows}.")
print(report.interval_method(results, *metrics.available_scores(results)))
print(export.to_text(report.model_score_rows(results, name)))
print(export.to_text(report.class_score_rows(results, name)))
print(report.missing_intervals_note(results))"""
_ROC = """codes = [k for k in CODES if k < data.n_classes] if data.n_classes > 2 else [1]
curves = metrics.roc_curve(results, name)
describe(plots.roc([plots.Curve.from_roc(curves[k], code=k) for k in codes]))
curves = metrics.precision_recall_curve(results, name)
drawn = [plots.Curve.from_precision_recall(curves[k], code=k) for k in codes]
describe(plots.precision_recall(drawn, shares=[curves[k].share for k in codes]))
print(f"On {len(results.rows):,} test {rows}.")"""
_CALIBRATION = """if metrics.has_posteriors(results, name):
    found = metrics.calibration_curve(results, name, CODE)
    describe(plots.calibration([plots.Reliability.from_calibration(found, code=CODE)]))
    print(f"Expected calibration error {100 * found.error:.1f} points.")
    print(f"Over {len(results.rows):,} test {rows}.")"""
_CONVERGENCE = """classifier = pipeline.steps[-1][1]
traces, drawn = inspection.fit_traces(classifier), {DRAWN}
if traces:
    describe(plots.convergence(traces, **drawn))
    if hasattr(classifier, "log_loss_"):
        print(f"Final log loss, without the penalty: {classifier.log_loss_:.4f} nats, summed over")
        print(f"{len(split.train):,} training {rows}; ended because {classifier.reason_.words}.")
elif hasattr(classifier, "mistakes_"):
    mistakes = {"mistakes": classifier.mistakes_}
    describe(plots.error_curves(mistakes, across="epoch", error="mistakes"))
else:
    print(f"{name} is solved in one step.")"""
_SOLVERS = """
# Seconds are of the machine that runs this.
seen = model_selection.transform_for_classifier(pipeline, data.X[split.train])
lines = inspection.compare_solvers(
    seen, data.codes[split.train], solvers=SOLVERS, rates=RATES, C=classifier.C,
    sample_weight=data.weights_of(split.train),
)
describe(plots.convergence({line.title: line.trace for line in lines}, **drawn))
table = pd.DataFrame(report.solver_rows(lines))
for column, form in (("training loss", "{:.4f}"), ("gradient", "{:.2e}"), ("seconds", "{:.3f}")):
    table[column] = table[column].map(form.format)
print(export.to_text(table))
try:
    print(report.learning_rates_note(classifier.learning_rates(seen)))
except ValueError as reason:
    print(reason)
print(report.coinciding_solvers_note(lines))"""
_COEFFICIENTS = """try:
    found = inspection.NAME_coefficients(pipeline, data, split.train)
except (TypeError, ValueError) as reason:
    print(reason)
else:
    if len(found.names) <= 200:
        for place, line in enumerate(found.lines):
            print(line)
            print(export.to_text(report.coefficient_rows(found, place), form=".4g"))
            for values in (found.per_deviation[place], found.estimate[place]):
                describe(plots.coefficients(found.names, values, unit="coefficient"))ODDS
    print(f"On {len(split.train):,} training {rows}.", *found.left_out)"""
_ODDS = """
            kept = [j for j, one in enumerate(found.names) if one != "intercept"]
            ends = (found.estimate, found.low, found.high)
            ratios = (np.exp(part[place, kept]) for part in ends)
            describe(plots.odds_ratios([found.names[j] for j in kept], *ratios))"""
_EQUATIONS = """pairs = [(1, 0)]
if data.n_classes > 2:
    pairs = PAIRS
for first, second in itertools.islice(pairs, 10):
    try:
        function, names = inspection.boundary_equation(pipeline, data, first, second)
    except (TypeError, ValueError) as reason:
        print(reason)
    else:
        print(f"{data.classes[first]} against {data.classes[second]}:")
        print(report.equation_text(function, names))"""
_LEARNED = """found = geometry.learned(pipeline, data, split.train)
print(f"{len(found.names)} of {found.n_coordinates:,} coordinates.")
print(export.to_text(found.by_class, form=".5g"))
if found.words:
    print(export.to_text(found.by_word, form=".5g"))
else:
    for title, (_, matrix) in found.matrices.items():
        print(title)
        print(export.to_text(matrix, form=".5g"))
if found.log_likelihood is not None:
    print(f"Log likelihood: {found.log_likelihood:,.4f} nats,")
    print(f"summed over {int(found.counts.sum()):,} training rows.")
first, second = PAIR if data.n_classes > 2 else (1, 0)
try:
    function, names = inspection.boundary_equation(pipeline, data, first, second)
except (TypeError, ValueError) as reason:
    print(reason)
else:
    print(f"{data.classes[first]} against {data.classes[second]}: A, b and c")
    table, c = geometry.ratio_coefficients(function, names)
    print(export.to_text(table, form=".5g"))
    print("A = 0." if function.is_linear else "", f"c = {c:,.4f}")"""
_ASSUMPTIONS = """if not data.kind.is_sparse or "svd" in pipeline.named_steps:
    inputs = checks.assumption_inputs(pipeline, data, split.train)
    found = checks.assumptions(*inputs, model=MODEL)
    print(report.assumptions_finding(found))
    print(export.to_text(report.assumption_rows(found)))
    print(f"Checked on the {len(split.train):,} training {rows}.")"""
_WHAT_IF = """start = START
if start is not None:
    print(f"Row {start}, true class '{data.classes[data.codes[start]]}'.")
row, moved = inspection.complete_row(data, split.train, start), MOVED
inputs = moved if data.kind.is_images and "pca" in pipeline.named_steps else None
if inputs is None:
    row[list(moved)] = list(moved.values())
found = prediction.predict_row(pipeline, data, row, inputs=inputs)
print(found.finding)
table = found.table
for column, form in (("posterior", "{:.1f}"), ("score", "{:.3f}"), ("distance", "{:.2f}")):
    if column in table:
        table[column] = table[column].map(form.format)
print(export.to_text(table))
if inputs is None and view is not None and not data.kind.is_sparse:
    plane = inspection.plane_of_kind(pipeline, data, split, **looked_at)
    place = inspection.row_in_view(view, plane, pipeline, row[None])
    figure = plots.contour if len(view.axis_names) > 1 else plots.direction_histogram
    describe(plots.with_row(figure(view), place))"""

View = Mapping[str, Any]
#: The tabs that a report holds.
_REPORTED = ("Confusion", "Scores", "ROC", "Calibration", "Assumptions")


def classify_blocks(
    analysis: Analysis, question: ClassifyQuestion, *, reported: bool
) -> tuple[Block, ...]:
    """Return the code that fits one classifier and prints what the page Classify shows."""
    (line,) = lines_of(analysis, (question.classifier,))
    tabs = open_tabs(analysis.view, "classify.panels", _TABS, _REPORTED if reported else None)
    return (
        Block("Model", f"{fit_code(analysis, question)}{_SCORES}\n{STEPS}"),
        Block("Geometry", _geometry(analysis.view), ("figure",)),
        *(block for tab in tabs for block in tab(analysis.view, line)),
    )


def _geometry(view: View) -> str:
    kind = view.get("classify.plane")
    default = "inspection.plane_kinds(pipeline, data)[0]"
    look = {"kind": default if kind is None else literal(kind)}
    place = {"coordinates": "classify", "features": "classify.feature"}.get(str(kind))
    if place and f"{place}.x" in view and f"{place}.y" in view:
        look["axes"] = literal((view[f"{place}.x"], view[f"{place}.y"]))
    if kind == "features" and view.get("classify.held.values"):
        look["values"] = literal(numbers(view["classify.held.values"]))
    if kind == "features" and "classify.held.at" in view:
        look["rest"] = literal(view["classify.held.at"])
    drawn = str(view.get("classify.rows", "test"))
    if drawn != "test":
        look["rows"] = literal(drawn)
    looked_at = ", ".join(f'"{name}": {code}' for name, code in look.items())
    which = "" if drawn == "all" else f"{drawn} "
    return fill(_GEOMETRY, LOOK=looked_at, WHICH=which, PLANE=_plane(view), LINE=_line(view))


def _plane(view: View) -> str:
    focus = view.get("classify.focus", -1)
    shaded = changed_only(
        quantity=view.get("classify.quantity"), focus=None if focus == -1 else focus
    )
    heights = changed_only(quantity=view.get("classify.heights"))
    camera = changed_only(camera=view.get("classify.camera"))
    return {
        "Boundary": "plots.boundary(view)",
        "Surface": f"plots.surface(view{heights}{camera})",
        "Ambiguity": "plots.ambiguity(view)",
    }.get(str(view.get("classify.drawing")), f"plots.contour(view{shaded})")


def _line(view: View) -> str:
    if view.get("classify.drawing.line") == "Curves":
        focus = view.get("classify.focus", -1)
        quantity = view.get("classify.quantity")
        shaded = changed_only(quantity=quantity, focus=None if focus == -1 else focus)
        return f"plots.contour(view{shaded})"
    return f"plots.direction_histogram(view{changed_only(counts=view.get('classify.counts'))})"


def _confusion(view: View, line: str) -> Sequence[Block]:
    shares = {"By row": "true", "By column": "pred"}.get(str(view.get("classify.cells")))
    code = fill(_CONFUSION, NORMALIZE=literal(shares))
    cell = view.get("classify.confusion.picked", ())
    if len(cell) == 2:
        code += "\n" + fill(_CELL, CELL=literal(tuple(cell)))
    return [Block("Confusion", code, ("plots.confusion(results, name)",))]


def _roc(view: View, line: str) -> Sequence[Block]:
    codes = view.get("classify.curves") or tuple(range(6))
    code = fill(_ROC, CODES=literal(codes))
    return [Block("ROC, precision and recall", code, ("plots.roc(results, name)",))]


def _calibration(view: View, line: str) -> Sequence[Block]:
    chosen = view.get("classify.calibrated", -1)
    code = fill(_CALIBRATION, CODE=literal(None if chosen == -1 else chosen))
    return [Block("Calibration", code)]


def _convergence(view: View, line: str) -> Sequence[Block]:
    asked = {name: view.get(f"classify.convergence.{name}") for name in ("quantity", "across")}
    drawn = ", ".join(f'"{name}": {literal(value)}' for name, value in asked.items() if value)
    code = fill(_CONVERGENCE, DRAWN=drawn)
    shown = view.get("classify.solvers.shown")
    if isinstance(shown, tuple):
        solvers = [one for one in shown if isinstance(one, str)]
        rates = [one for one in shown if not isinstance(one, str)]
        code += fill(_SOLVERS, SOLVERS=literal(solvers), RATES=literal(rates))
    return [Block("Convergence", code)]


def _coefficients(view: View, line: str) -> Sequence[Block]:
    word, options = parse_spec(line)
    exact = word == "logistic" and options.get("C") == inf
    code = _COEFFICIENTS.replace("NAME", "likelihood" if exact else "score")
    return [Block("Coefficients", code.replace("ODDS", _ODDS if exact else ""))]


def _equation(view: View, line: str) -> Sequence[Block]:
    pairs = "itertools.combinations(range(data.n_classes), 2)"
    if "classify.first" in view and "classify.second" in view:
        pairs = literal([(view["classify.first"], view["classify.second"])])
    return [Block("Equations of boundaries", fill(_EQUATIONS, PAIRS=pairs))]


def _learned(view: View, line: str) -> Sequence[Block]:
    pair = tuple(
        view.get(f"classify.learned.pair.{end}", k) for k, end in enumerate(("first", "second"))
    )
    return [Block("What was learned", fill(_LEARNED, PAIR=literal(pair)))]


def _assumptions(view: View, line: str) -> Sequence[Block]:
    word, options = parse_spec(line)
    if word in ("one-vs-rest", "one-vs-one"):  # what the binary ones assume
        word = parse_spec(str(options.get("estimator", "logistic")))[0]
    if not ASSUMPTIONS[word]:
        return []
    return [Block("Assumptions", fill(_ASSUMPTIONS, MODEL=literal(word)))]


def _what_if(view: View, line: str) -> Sequence[Block]:
    begin, place = view.get("classify.whatif.begin"), view.get("classify.whatif.row", 1)
    test = f"int(split.test[{literal(place)} - 1])"
    start = {"median": "None", "test": test}.get(
        str(begin), f"None if data.kind.single_features else {test}"
    )
    moved = numbers(view.get("classify.whatif.values", ()))
    moved.pop(-1, None)  # the row that one began with
    code = fill(_WHAT_IF, START=start, MOVED=literal(moved))
    return [Block("What if", code)]


_TABS: Mapping[str, Callable[[View, str], Sequence[Block]]] = {
    "Confusion": _confusion,
    "Scores": lambda view, line: [Block("Scores", _DETAILS)],
    "ROC": _roc,
    "Calibration": _calibration,
    "Convergence": _convergence,
    "Coefficients": _coefficients,
    "Equation": _equation,
    "What was learned": _learned,
    "Assumptions": _assumptions,
    "What if": _what_if,
}
