"""The names at the front door: each is what its module calls so, and looking costs nothing."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from types import ModuleType

import pytest

import lincore

HEAVY = ("numpy", "pandas", "scipy", "sklearn", "plotly", "streamlit")


def test_names_are_those_of_what_they_lead_to():
    for name in lincore.__all__:
        assert getattr(lincore, name).__name__.rpartition(".")[2] == name


def test_no_function_hides_behind_a_module_of_its_name():
    # `import lincore.x` sets the attribute x: a function of that name would come and go with it.
    modules = {module.name for module in pkgutil.iter_modules(lincore.__path__)}
    both = modules & set(lincore.__all__)
    assert all(isinstance(getattr(lincore, name), ModuleType) for name in both)


def test_import_is_light_and_a_wrong_name_is_refused():
    code = f"import sys, lincore; dir(lincore); print([m for m in {HEAVY} if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
    with pytest.raises(AttributeError, match="ldaa"):
        lincore.ldaa  # noqa: B018


def test_from_a_file_to_a_plot_by_names_of_the_front_door():
    rows = "".join(f"{i % 7}; {i * i % 11}; {'ab'[i % 7 > 3]}\n" for i in range(60))
    text = f"length; width; species\n{rows}".encode()
    table = lincore.io.read_table(text, "flowers.csv", lincore.io.ReadOptions(separator=";"))
    columns = lincore.io.describe_columns(table, "species")
    assert [column.role for column in columns] == ["feature", "feature", "target"]
    assert lincore.checks.find_table_problems(table, columns) is not None
    data = lincore.io.table_to_dataset(table, "species")
    results = lincore.compare(data, ["lda", "qda"], "5-fold", steps=lincore.Steps(True))
    assert lincore.metrics.groups(results)["lda"] >= 1
    assert lincore.metrics.pairwise_differences(results)[0].first == "lda"
    split = lincore.split(data)
    fitted = lincore.fit(data, "lda", split)
    model, judged = fitted.pipeline, fitted.results
    view = lincore.inspection.make_view(
        model, data, split.test, lincore.inspection.feature_plane(data, (0, 1), split.train)
    )
    assert lincore.plots.contour(view).layout.meta["alt"]
    checks = lincore.assumptions(*lincore.checks.assumption_inputs(model, data, split.train))
    assert len(checks) == 5
    assert lincore.checks.duplicates_across_split(data, split).sentence
    assert lincore.data_checks(data, split)[0].code == "leakage"
    even = lincore.metrics.adjust_priors(judged, judged.settings.training_shares, [0.5, 0.5])
    assert even.predicted.shape == judged.predicted.shape
