"""The parts of a script about imbalance: its cost, and the study of one."""

from __future__ import annotations

from lincore.analysis.questions import BalanceCostQuestion, BalanceStudyQuestion
from lincore.analysis.specification import Analysis
from lincore.export.documents._code import Block, call, literal
from lincore.export.documents._script_models import lines_of, scheme_code, steps_code
from lincore.model_selection.methods import as_method

_COST = """method = METHOD if METHOD in found.methods else found.methods[0]
print(report.cost_finding(found, method, loss))
print(report.cost_recommendation(found, method, loss))
print(report.cost_basis(found), report.cost_training_rows(found))"""
_CORRECTIONS = """describe(report.cost_waterfall(found, method, loss))
describe(report.cost_corrections(found, method, loss))
print(export.to_text(report.cost_correction_rows(found, method, loss)))
for sentence in report.cost_decomposition_sentences(found, method, loss):
    print(sentence)
for name, why in found.unavailable.get(method, {}).items():
    print(f"{report.correction_name(name)}: not available. {why}")"""
_MORE = """if found.rare is not None:
    more = int(found.counts[found.rare])
    print(report.more_rows_finding(found, method, more, loss))
    sweep = report.cost_sweep(found, method, loss)
    if sweep is not None:
        describe(sweep)
print(export.to_text(report.cost_method_rows(found, loss)))"""
_STUDY = """method = METHOD if METHOD in study.methods else study.methods[0]
print(report.balance_finding(study, method, loss))
print(report.remedy_finding(imbalance.choose_remedy(study, method, loss), loss))
print(report.balance_basis(study))
describe(report.balance_waterfall(study, method, loss))
describe(report.balance_corrections(study, method, loss))
for sentence in report.decomposition_sentences(study, method, loss).values():
    print(sentence)
recalls = [name for name, cut in zip(study.recall_names, study.is_reduced) if cut]
losses = ["error", "balanced error", "log loss", *recalls]
print(export.to_text(report.decomposition_rows(study, method, losses)))
print(export.to_text(report.remedy_rows(study, method, loss)))
counts = {"class": [str(label) for label in study.classes], **study.counts}
counts["test"] = np.bincount(data.codes[study.example.split.test], minlength=data.n_classes)
counts = pd.DataFrame(counts)
counts.loc[len(counts)] = ["all", *counts.iloc[:, 1:].sum()]
print(export.to_text(counts))"""
_FIRST = """truth = None
if data.truth is not None:
    known = imbalance.true_parameters_of(first, data)
    truth, least, on_test = known.results, known.least, known.on_test
    print(f"Least error of any classifier: {100 * least.value:.1f} % ({least.method}).")
    ends = f"{100 * on_test.low:.1f}–{100 * on_test.high:.1f}"
    print(f"Bayes classifier on the test rows: {100 * on_test.value:.1f} % ({ends}).")
    if data.n_features == 2:
        test = first.example.split.test
        plane = inspection.feature_plane(data, (0, 1), test)
        describe(plots.boundary(inspection.make_view(known.pipeline, data, test, plane)))
print(export.to_text(report.score_rows(first, ("full", "reduced"), truth)))
for condition in ("full", "reduced"):
    describe(plots.confusion(first.example.results[condition], method))"""


def cost_blocks(analysis: Analysis, question: BalanceCostQuestion) -> tuple[Block, ...]:
    """Return the code that prints what an imbalance costs, as the page Balance shows it.

    Parameters
    ----------
    analysis : Analysis
    question : BalanceCostQuestion
    """
    keywords = {"prevalence": literal(question.prevalence)}
    before = scheme_code(analysis, "stratified")
    if question.cost != 1:
        before += f"""costs = 1.0 - np.eye(data.n_classes)  # of predicting the column for the row
costs[data.counts.argmin()] *= {literal(question.cost)}
"""
        keywords["costs"] = "costs"
    found = call("lincore.imbalance_cost", *_study_arguments(analysis, question), **keywords,
                 **_study_keywords(analysis), repeats=literal(question.repeats))  # fmt: skip
    loss = literal(question.loss) if question.loss else "imbalance.LOSS"
    head = f"{before}found = {found}\nloss = {loss}\n"
    return (
        Block("Cost of the imbalance", head + _method(_COST, analysis, question)),
        Block("Corrections", _CORRECTIONS,
              ("report.cost_waterfall(found, method, loss)",
               "report.cost_corrections(found, method, loss)")),
        Block("More rows, and all models", _MORE),
    )  # fmt: skip


def study_blocks(analysis: Analysis, question: BalanceStudyQuestion) -> tuple[Block, ...]:
    """Return the code that prints what a smaller class does, as the page Balance shows it.

    Parameters
    ----------
    analysis : Analysis
    question : BalanceStudyQuestion
    """
    before = scheme_code(analysis, "stratified")
    data, methods = _study_arguments(analysis, question)
    keywords = _study_keywords(analysis)
    sizes = literal(dict(question.sizes))
    study = call("lincore.balance", data, sizes, methods, **keywords,
                 repeats=literal(question.repeats))  # fmt: skip
    first = call("lincore.balance", data, sizes, methods, **keywords, repeats="1")
    loss = literal(question.loss) if question.loss else "study.leading_loss"
    head = f"{before}study = {study}\nloss = {loss}\n"
    return (
        Block("Imbalance study", head + _method(_STUDY, analysis, question),
              ("report.balance_waterfall(study, method, loss)",
               "report.balance_corrections(study, method, loss)")),
        Block("The first split", f"first = {first}\n{_FIRST}"),
    )  # fmt: skip


def _study_arguments(
    analysis: Analysis, question: BalanceCostQuestion | BalanceStudyQuestion
) -> tuple[str, str]:
    return "data", literal(list(lines_of(analysis, question.methods)))


def _study_keywords(analysis: Analysis) -> dict[str, str]:
    return {
        "steps": steps_code(analysis.steps),
        "split": "scheme",
        "test_size": literal(analysis.split.test_size),
        "seed": literal(analysis.split.seed),
    }


def _method(
    code: str, analysis: Analysis, question: BalanceCostQuestion | BalanceStudyQuestion
) -> str:
    word = question.method or question.methods[0]
    (line,) = lines_of(analysis, (word,))
    return code.replace("METHOD", literal(as_method(line).name))
