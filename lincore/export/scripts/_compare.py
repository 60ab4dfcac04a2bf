"""The parts of a script that compares models: scores, and the tab that is open."""

from __future__ import annotations

from collections.abc import Mapping

from lincore.analysis.experiment import method_line
from lincore.analysis.questions import CompareQuestion
from lincore.analysis.specification import Analysis
from lincore.export.scripts._code import Block, call, fill, literal, open_tabs
from lincore.export.scripts._settings import lines_of, scheme_code, steps_code
from lincore.metrics.results import ROPE
from lincore.model_selection.methods import on_both_features

_COMPARISON = """print(report.comparison_finding(results, score, rope))
print(report.best_finding(results, score))
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
_DISAGREEMENTS = """form = ".1f" if metrics.SCORES[score].is_share else ".3f"
if len(results.methods) > 1:
    print(export.to_text(report.pairwise_rows(results, score, rope), form=form))
label = results.settings.label
for first, second in itertools.combinations(results.methods, 2):
    found = metrics.find_disagreements(results, first, second)
    print(report.disagreement_finding(found, label(first), label(second), rows=rows))
    if len(found.rows) and not data.kind.is_images and not data.n_words:
        listed = data.take(found.rows).to_frame()
        listed.insert(0, "row", found.rows)
        for who, proba in zip((first, second), found.proba):
            listed[f"{label(who)}: p"] = [f"{p:.3f}" for p in proba]
        print(export.to_text(listed, form=""))"""
_CHOSEN = """chosen = sorted(results.methods, key=list(results.settings.labels).index)
"""
_BOUNDARIES = """fits = model_selection.fit_alike(
    data, split, results.methods, steps=STEPS, seed=SEED
)
first = next(iter(fits.pipelines.values()))
kinds, figure = inspection.common_plane_kinds(first, data), None
kind = KIND if KIND in kinds else kinds[0]
if not data.kind.is_sparse or "svd" in first.named_steps:
    plane = inspection.common_plane(first, data, split, kind, AXES)
    if len(plane.axis_names) > 1:
        views = [
            inspection.make_view(pipeline, data, split.test, plane, how="cut")
            for pipeline in fits.pipelines.values()
        ]
        labels = [results.settings.label(method) for method in fits.pipelines]
        figure = plots.small_multiples(views, labels, rows=rows)
        describe(figure)
        n_shown, n_points = (sum(sizes) for sizes in zip(
            *((view.n_faithful, len(view.points)) for view in views)))
        print(f"{views[0].caption} The regions show {n_shown:,} of {n_points:,} predictions.")
for reason in fits.missing:
    print(reason)"""
_SIZES = """seeds = [SEED] if how in ("last", "given") else range(SEED, SEED + 5)
splits = [lincore.split(data, how, test_size=TEST, seed=seed) for seed in seeds]
curve = model_selection.learning_curve(data, chosen, splits, steps=STEPS, seed=SEED)
band, share = curve.band(score), metrics.SCORES[score].is_share
labels = [results.settings.label(method) for method in band.methods]
figure = plots.sweep(
    band.sizes, band.mean, band.low, band.high, labels,
    across="training rows", score=score, as_percent=share,
)
describe(figure)
table = pd.DataFrame(band.mean.T * (100 if share else 1), columns=labels)
table.insert(0, "training rows", band.sizes)
print(export.to_text(table, form=".1f" if share else ".3f"))
last = curve.results[int(band.sizes[-1])]
print(f"Tested on {len(last.rows) // len(splits):,} {rows}; means over {len(splits)} splits.")"""
_SPLITS = """found = model_selection.compare_splits(
    data, chosen, steps=STEPS, test_size=TEST, seeds=range(10)
)
print(report.split_choice_finding(found))
print(export.to_text(report.split_choice_rows(found)))"""
_TIME = """# Seconds are of the machine that runs this: they differ from those of the page.
figure = plots.seconds_and_score(results, score=score)
describe(figure)
fits = len(set(zip(results.repetition.tolist(), results.fold.tolist())))
print(f"Time to fit a model, {fits:,} times.")"""

_EFFECTS = "plots.pairwise_effects(results, score=score, rope=rope)"
#: Title, code and figures of each tab.
_TABS: Mapping[str, Block] = {
    "Pairwise comparisons": Block("Pairwise comparisons", _PAIRS, (_EFFECTS,)),
    "Disagreements": Block("Disagreements", _DISAGREEMENTS),
    "Recall by class": Block("Recall by class", _RECALL),
    "Boundaries": Block("Boundaries", _BOUNDARIES, ("figure",)),
    "Training size": Block("Training size", _CHOSEN + _SIZES, ("figure",)),
    "Choice of split": Block("Choice of split", _CHOSEN + _SPLITS),
    "Time": Block("Time", _TIME, ("figure",)),
}
_REPORTED = ("Pairwise comparisons",)


def compare_blocks(
    analysis: Analysis, question: CompareQuestion, *, reported: bool
) -> tuple[Block, ...]:
    """Return the code that compares models and prints what the page Compare shows."""
    lines = []
    for first in lines_of(analysis, question.methods):
        lines.append(first)
        word = first.partition("(")[0]
        if word in question.second:
            lines.append(method_line(word, question.second[word]))
    every = on_both_features(lines) if question.both_features else lines
    scheme = literal(question.scheme)
    before = ""
    if question.scheme == "holdout":
        before = scheme_code(analysis)
        scheme = "scheme"
    compared = call(
        "lincore.compare",
        "data",
        literal(list(dict.fromkeys(every))),
        scheme,
        steps=steps_code(analysis.steps),
        seed=literal(analysis.split.seed),
        test_size=literal(analysis.split.test_size),
    )
    score = literal(question.score) if question.score else "metrics.leading_score(data.counts)"
    rope = literal(ROPE if question.rope is None else question.rope)
    code = f"""{before}results = {compared}
score, rope = {score}, {rope}
results = metrics.rank_methods(results, score)
{_COMPARISON}"""
    tabs = open_tabs(analysis.view, "compare.panels", _TABS, _REPORTED if reported else None)
    return (
        Block("Comparison", code, ("plots.score_intervals(results, score=score)",)),
        *(block._replace(code=_filled(block.code, analysis)) for block in tabs),
    )


def _filled(code: str, analysis: Analysis) -> str:
    """Return code with the choices of an analysis in their places."""
    view = analysis.view
    axes = tuple(view.get(f"compare.axes.{end}", k) for k, end in enumerate("xy"))
    return fill(
        code,
        STEPS=steps_code(analysis.steps),
        SEED=literal(analysis.split.seed),
        TEST=literal(analysis.split.test_size),
        KIND=literal(view.get("compare.plane")),
        AXES=literal(axes),
    )
