"""A comparison in a report: scores with intervals, groups, pairwise tests."""

from __future__ import annotations

import pandas as pd

from lincore import plots, report
from lincore.export.documents.contents import ReportContents
from lincore.export.documents.section import Section, SectionTable
from lincore.metrics.differences import cochran_test, pairwise_differences
from lincore.metrics.estimates import SCORES
from lincore.metrics.ranking import rank_methods
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import find_sampling_units


def comparison_sections(contents: ReportContents) -> tuple[Section, ...]:
    """Return the comparison and its pairs; nothing without one."""
    if contents.comparison is None:
        return ()
    score, rope = contents.deciding_score, contents.rope
    results = rank_methods(contents.comparison, score)
    noun = contents.data.kind.rows
    leader = results.methods[0]
    sentences = (
        report.comparison_finding(results, score, rope),
        report.best_finding(results, score),
        report.baseline_finding(results, leader, subject=results.settings.label(leader)),
        report.evaluation_scope(results, noun),
        report.interval_method(results, score),
        report.missing_intervals_note(results),
        *report.comparison_notes(results),
    )
    scores = Section(
        "Comparison",
        tuple(filter(None, sentences)),
        (plots.score_intervals(results, score=score),),
        (
            SectionTable(
                f"Every score with its 95 % interval, ordered and grouped by {score}",
                pd.DataFrame(report.comparison_rows(results, score, rope)),
            ),
            SectionTable("Methods, options, steps and seconds", _described(results)),
        ),
    )
    return (scores, _pairs(results, score, rope)) if len(results.methods) > 1 else (scores,)


def _pairs(results: Results, score: str, rope: float) -> Section:
    sentences = [report.pairwise_note(results, score, rope)]
    sentences += report.never_predicted_finding(results, results.methods)
    base = find_sampling_units(results)
    if score == "accuracy" and base.one_fit and base.independent_rows:
        found = pairwise_differences(results, score, rope)
        some_pair = any(d.better is not None for d in found)
        sentences.append(report.cochran_finding(cochran_test(results), some_pair=some_pair))
    frame = pd.DataFrame(report.pairwise_rows(results, score, rope))
    form = ".1f" if SCORES[score].is_share else ".3f"
    return Section(
        "Pairwise comparisons",
        tuple(sentences),
        (plots.pairwise_effects(results, score=score, rope=rope),),
        (SectionTable(f"Differences in {score}, with 95 % intervals", frame, form),),
    )


def _described(results: Results) -> pd.DataFrame:
    """Return what was fitted, without the columns that say nothing."""
    found = results.describe()
    return found.loc[:, [bool((found[name] != "").any()) for name in found.columns]]
