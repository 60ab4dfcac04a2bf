"""Score functions as Python code that needs only NumPy."""

from __future__ import annotations

from collections.abc import Sequence

from lincore.export.models.literals import abstention, heading, number
from lincore.export.models.score_functions import Input, ScoreFunctions
from lincore.limits import LIMITS
from lincore.utils.typing import Array

_WIDTH = 100

_MISSING = """
def is_missing(value):
    return value is None or str(value).strip() in ("", "nan", "NaN", "NaT", "<NA>")
"""
_NUMBER = """
def number(table, name, fill=np.nan):
    values = np.array([np.nan if is_missing(v) else float(v) for v in table[name]])
    return np.where(np.isnan(values), fill, values)
"""
_GAPS = """
def missing(table, name):
    return np.array([float(is_missing(v)) for v in table[name]])
"""
_LEVELS = """
def level(table, name, levels, is_complement=False, counts_missing=False):
    def value(v):
        if v is None or type(v).__name__ == "NAType" or v != v:
            return counts_missing
        whole = isinstance(v, float) and v.is_integer()
        text = str(int(v) if whole else v)
        if len(text) > MOST:
            text = text[:CUT] + "\\N{HORIZONTAL ELLIPSIS}"
        return (text in levels) != is_complement

    return np.array([float(value(v)) for v in table[name]])
""".replace("MOST", str(LIMITS.max_label_chars)).replace("CUT", str(LIMITS.max_label_chars - 1))
_PROBABILITIES = '''
def predict_proba(table):
    """Return the probability of each of CLASSES, a column for each."""
    s = scores(table)
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
'''
_VOTES = '''
def decision_scores(table):
    """Return votes of the pairs plus their confidence, squeezed below one half."""
    margins = scores(table)
    votes = np.zeros((len(margins), len(CLASSES)))
    confidence = np.zeros_like(votes)
    for margin, (first, second) in zip(margins.T, PAIRS):
        votes[:, second] += margin > 0
        votes[:, first] += margin <= 0
        confidence[:, second] += margin
        confidence[:, first] -= margin
    return votes + confidence / 3 / (np.abs(confidence) + 1)
'''
_PREDICT = '''
def predict(table):
    """Return the class of each row."""
    return [CLASSES[k] for k in %s(table).argmax(axis=1)]
'''
_DECIDE = '''
def predict(table):
    """Return the class of each row: CLASSES[%d] from the threshold on."""
    is_class = predict_proba(table)[:, %d] >= %r
    return [CLASSES[%d] if above else CLASSES[%d] for above in is_class]
'''
_CHEAPEST = '''
# Cost of predicting the class of the column for a row of the class of the row.
COSTS = np.array([%s])


def predict(table):
    """Return the class of least expected cost of each row."""
    return [CLASSES[k] for k in (predict_proba(table) @ COSTS).argmin(axis=1)]
'''

_ABSTAIN = '''
def predict(table):
    """Return the class of each row; None if its largest probability is below the threshold."""
    largest = predict_proba(table).max(axis=1)
    return [label if p >= %r else None for p, label in zip(largest, decide(table))]
'''


def to_numpy(functions: ScoreFunctions) -> str:
    """Return score functions as Python code: `predict_proba(table)` and `predict(table)`.

    Parameters
    ----------
    functions : ScoreFunctions

    Returns
    -------
    str
        A module that imports only NumPy. Its table is a DataFrame or a mapping of raw columns;
        without posteriors it has `decision_scores` instead of `predict_proba`. A model that
        abstains predicts None.

    Raises
    ------
    DataError
        If a coefficient is not finite.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> model = lincore.compare(iris, "lda", keep_models=True).model("lda")
    >>> names = {}
    >>> exec(to_numpy(lincore.export.score_functions(model)), names)
    >>> names["predict"](iris.to_frame().head(2))
    ['setosa', 'setosa']
    """
    kinds = {source.kind for source in functions.inputs}
    helpers = []
    if not _is_plain(functions):
        helpers = [
            _MISSING if kinds & {"number", "missing"} else "",
            _NUMBER if "number" in kinds else "",
            _GAPS if "missing" in kinds else "",
            _LEVELS if "levels" in kinds else "",
        ]
    head = [
        f"# {heading(functions)}",
        f"# {abstention(functions)}",
        "# Give the table's columns by name. Dates are days since 1970-01-01.",
        "import numpy as np",
        "",
        *_constants(functions),
    ]
    parts = [*helpers, _scores(functions), *_predictions(functions)]
    code = "\n\n\n".join(part.strip("\n") for part in parts if part)
    return "\n".join(head) + f"\n\n\n{code}\n"


def _is_plain(functions: ScoreFunctions) -> bool:
    """Return whether all inputs are numeric columns."""
    return all(source.kind == "number" for source in functions.inputs)


def _is_filled(functions: ScoreFunctions) -> bool:
    return all(source.fill is not None for source in functions.inputs)


def _constants(functions: ScoreFunctions) -> list[str]:
    columns = []
    if _is_plain(functions):
        columns = [_packed("COLUMNS = [", [ascii(name) for name in functions.columns], "]")]
        if _is_filled(functions):
            fills = [number(s.fill) for s in functions.inputs if s.fill is not None]
            columns += ["# In place of missing values.", _packed("FILL = np.array([", fills, "])")]
    lines = [
        _packed("CLASSES = [", [ascii(label) for label in functions.classes], "]"),
        *columns,
        _packed("ORIGIN = np.array([", _numbers(functions.origin), "])"),
        _packed("CONSTANT = np.array([", [number(f.constant) for f in functions.functions], "])"),
    ]
    if any(f.linear.any() for f in functions.functions):
        rows = [_packed("    [", _numbers(f.linear), "],") for f in functions.functions]
        lines += ["LINEAR = np.array([", *rows, "])"]
    if any(not f.is_linear for f in functions.functions):
        lines += [
            "# Weights, directions and shifts of the squares of each function.",
            "SQUARES = [",
        ]
        for f in functions.functions:
            lines += [_packed("    ([", _numbers(f.weight), "],"), "     ["]
            lines += [_packed("        [", _numbers(row), "],") for row in f.directions]
            lines += ["     ],", _packed("     [", _numbers(f.shift), "]),")]
        lines.append("]")
    if functions.pairs:
        lines.append(_packed("PAIRS = [", [str(pair) for pair in functions.pairs], "]"))
    return lines


def _scores(functions: ScoreFunctions) -> str:
    lines = ["def scores(table):"]
    if _is_plain(functions):
        lines.append("    x = np.column_stack([table[name] for name in COLUMNS]).astype(float)")
        filled = "np.where(np.isnan(x), FILL, x)" if _is_filled(functions) else "x"
        lines.append(f"    d = {filled} - ORIGIN")
    else:
        lines += ["    inputs = [", *(f"        {_input(source)}," for source in functions.inputs)]
        lines += ["    ]", "    d = np.column_stack(inputs) - ORIGIN"]
    linear = any(f.linear.any() for f in functions.functions)
    total = f"CONSTANT + {'d @ LINEAR.T' if linear else 'np.zeros((len(d), 1))'}"
    if all(f.is_linear for f in functions.functions):
        return "\n".join([*lines, f"    return {total}"])
    lines += [
        f"    values = {total}",
        "    for k, (weight, directions, shift) in enumerate(SQUARES):",
        "        if weight:",
        "            squares = (d @ np.array(directions).T - np.array(shift)) ** 2",
        "            values[:, k] += squares @ np.array(weight)",
        "    return values",
    ]
    return "\n".join(lines)


def _predictions(functions: ScoreFunctions) -> list[str]:
    *scores, predict = _without_abstaining(functions)
    if functions.abstains_below is None:
        return [*scores, predict]
    decide = predict.replace("def predict(", "def decide(")
    return [*scores, decide, _ABSTAIN % functions.abstains_below]


def _without_abstaining(functions: ScoreFunctions) -> list[str]:
    point = functions.operating_point
    if point is not None and point.costs is not None:
        rows = ", ".join(f"[{', '.join(map(number, row))}]" for row in point.costs)
        return [_PROBABILITIES, _CHEAPEST % rows]
    if point is not None:
        code = point.code
        return [_PROBABILITIES, _DECIDE % (code, code, point.threshold, code, 1 - code)]
    if functions.link == "softmax":
        return [_PROBABILITIES, _PREDICT % "scores"]
    if functions.link == "votes":
        return [_VOTES, _PREDICT % "decision_scores"]
    return ["decision_scores = scores", _PREDICT % "scores"]


def _input(source: Input) -> str:
    name = ascii(source.column)
    if source.kind == "missing":
        return f"missing(table, {name})"
    if source.kind == "number":
        return f"number(table, {name}{'' if source.fill is None else f', {number(source.fill)}'})"
    flags = f"{', is_complement=True' if source.is_complement else ''}"
    flags += f"{', counts_missing=True' if source.counts_missing else ''}"
    return f"level(table, {name}, {ascii(list(source.levels))}{flags})"


def _numbers(values: Array) -> list[str]:
    return [number(value) for value in values.tolist()]


def _packed(begin: str, items: Sequence[str], end: str) -> str:
    """Return items in brackets, wrapped between items."""
    lines, line = [], begin
    for i, item in enumerate(items):
        piece = item if i == len(items) - 1 else f"{item},"
        if len(line) + len(piece) + 1 > _WIDTH and line.strip():
            lines.append(line)
            line = " " * (len(begin) - len(begin.lstrip()) + 4) + piece
        else:
            line += piece if line in (begin, "") else f" {piece}"
    return "\n".join([*lines, line + end])
