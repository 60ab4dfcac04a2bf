"""The part of a script about the cost of an imbalance."""

from __future__ import annotations

from lincore.analysis.questions import BalanceCostQuestion, BalanceStudyQuestion
from lincore.analysis.specification import Analysis
from lincore.export.scripts._code import Block, fill
from lincore.export.scripts._settings import lines_of, scheme_code, steps_code
from lincore.model_selection.methods import as_method
from lincore.utils.code import call, literal

_COST = """method = METHOD if METHOD in found.methods else found.methods[0]
print(report.cost_finding(found, method, loss))
print(report.cost_recommendation(found, method, loss))
print(report.cost_basis(found), report.cost_training_rows(found))"""
_CORRECTIONS = """if method in found.curves:
    describe(report.cost_curve(found, method))
    print(export.to_text(report.cost_curve_rows(found, method)))
describe(report.cost_waterfall(found, method, loss))
describe(report.cost_corrections(found, method, loss))
print(export.to_text(report.cost_correction_rows(found, method, loss)))
for sentence in report.cost_decomposition_sentences(found, method, loss):
    print(sentence)
for name, why in found.unavailable.get(method, {}).items():
    print(f"{report.correction_name(name)}: not available. {why}")"""
_MORE = """if found.rare is not None:
    more = MORE
    print(report.more_rows_finding(found, method, more, loss))
    sweep = report.cost_sweep(found, method, loss)
    if sweep is not None:
        describe(sweep)
print(export.to_text(report.cost_method_rows(found, loss)))"""


def cost_blocks(analysis: Analysis, question: BalanceCostQuestion) -> tuple[Block, ...]:
    """Return the code that prints what an imbalance costs, as the page Balance shows it."""
    keywords = {"prevalence": literal(question.prevalence)}
    before = scheme_code(analysis, "stratified")
    if question.cost != 1:
        before += f"""costs = 1.0 - np.eye(data.n_classes)  # of predicting the column for the row
costs[data.counts.argmin()] *= {literal(question.cost)}
"""
        keywords["costs"] = "costs"
    methods, common = study_arguments(analysis, question)
    found = call("lincore.imbalance_cost", "data", methods, **keywords, **common,
                 repeats=literal(question.repeats))  # fmt: skip
    loss = literal(question.loss) if question.loss else "imbalance.LOSS"
    head = f"{before}found = {found}\nloss = {loss}\n"
    more = literal(analysis.view.get("balance.cost.more"))
    if more == "None":
        more = "int(found.counts[found.rare])"
    return (
        Block("Cost of the imbalance", head + fill(_COST, METHOD=method_code(analysis, question))),
        Block("Corrections", _CORRECTIONS,
              ("report.cost_waterfall(found, method, loss)",
               "report.cost_corrections(found, method, loss)")),
        Block("More rows, and all models", fill(_MORE, MORE=more)),
    )  # fmt: skip


def study_arguments(
    analysis: Analysis, question: BalanceCostQuestion | BalanceStudyQuestion
) -> tuple[str, dict[str, str]]:
    """Return methods and keywords of the calls of both questions, as code."""
    keywords = {
        "steps": steps_code(analysis.steps),
        "split": "scheme",
        "test_size": literal(analysis.split.test_size),
        "seed": literal(analysis.split.seed),
    }
    return literal(list(lines_of(analysis, question.methods))), keywords


def method_code(analysis: Analysis, question: BalanceCostQuestion | BalanceStudyQuestion) -> str:
    """Return the name of the method that is shown in detail, as code."""
    (line,) = lines_of(analysis, (question.method or question.methods[0],))
    return literal(as_method(line).name)
