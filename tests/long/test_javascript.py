"""JavaScript, run by QuickJS and by Node where there is one, against the pipeline."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable

import pytest
import quickjs

from lincore.export import to_javascript
from tests.lincore.export.models.cases import CASES, FEW, Case, check, without_fills

ALL = "\nconst every = (rows) => JSON.stringify(JSON.parse(rows).map(predict));\n"


def by_quickjs(code: str, rows: str) -> str:
    context = quickjs.Context()
    context.eval(code + ALL)
    return context.eval(f"every({json.dumps(rows)})")


def by_node(code: str, rows: str) -> str:
    script = f"{code}{ALL}process.stdout.write(every({json.dumps(rows)}))"
    return subprocess.run(
        ["node", "-"], input=script, capture_output=True, text=True, check=True, timeout=60
    ).stdout


ENGINES: list[Callable[[str, str], str]] = [
    by_quickjs,
    *([by_node] if shutil.which("node") else []),
]
RUNS = [(case, by_quickjs) for case in CASES] + [(c, e) for c in FEW for e in ENGINES[1:]]


def records(case: Case) -> str:
    found = case.rows.astype(object)
    return json.dumps(found.where(found.notna(), None).to_dict("records"))


@pytest.mark.parametrize(
    ("case", "engine"), RUNS, ids=lambda part: getattr(part, "__name__", str(part))
)
def test_the_code_predicts_as_the_pipeline(case, engine):
    code = to_javascript(case.functions)
    found = json.loads(engine(code, records(case)))
    word = "probabilities" if case.functions.has_probabilities else "scores"
    classes = [str(label) for label in case.functions.classes]
    check(
        case,
        [[row[word][label] for label in classes] for row in found],
        [r["label"] for r in found],
    )


def test_the_code_is_safe_inside_a_page():
    code = to_javascript(Case("hostile", "lda").functions)
    assert code.isascii() and "</script" not in code and "<!--" not in code


def ask(row: str) -> object:
    functions = without_fills(Case("iris", "lda").functions)
    return json.loads(by_quickjs(to_javascript(functions), f"[{row}]"))


def test_texts_of_numbers_are_numbers_and_gaps_are_errors():
    names = Case("iris", "lda").functions.columns
    row = dict.fromkeys(names, "5.1")
    assert ask(json.dumps(row)) == ask(json.dumps(dict.fromkeys(names, 5.1)))
    for wrong in ({**row, names[0]: "long"}, {**row, names[0]: " "}, {names[0]: 1.0}):
        with pytest.raises(quickjs.JSException, match="sepal"):
            ask(json.dumps(wrong))
