"""Score functions as JavaScript: a function of one row."""

from __future__ import annotations

import json

from lincore.export.models.literals import heading, number, text
from lincore.export.models.score_functions import Input, ScoreFunction, ScoreFunctions
from lincore.limits import LIMITS
from lincore.utils.typing import Array

_HELPERS = """
function cell(row, name) {
  if (!Object.prototype.hasOwnProperty.call(row, name)) throw new Error("No column " + name);
  const value = row[name];
  return value === undefined || value !== value ? null : value;
}

function number(row, name, fill) {
  let value = cell(row, name);
  if (typeof value === "string" && value.trim() === "") value = null;
  if (value === null && fill === null) throw new Error("Missing: " + name);
  const found = value === null ? fill : Number(value);
  if (found !== found) throw new Error("No number in " + name);
  return found;
}

function missing(row, name) {
  const value = cell(row, name);
  return value === null || (typeof value === "string" && value.trim() === "") ? 1 : 0;
}

function level(row, name, levels, isComplement, countsMissing) {
  const value = cell(row, name);
  if (value === null) return countsMissing ? 1 : 0;
  let text = value === true ? "True" : value === false ? "False" : String(value);
  const letters = Array.from(text);
  if (letters.length > MOST) text = letters.slice(0, CUT).join("") + "\\u2026";
  return levels.includes(text) !== isComplement ? 1 : 0;
}

function scores(row) {
  const d = inputs(row).map((value, j) => value - ORIGIN[j]);
  const dot = (a) => a.reduce((sum, value, j) => sum + value * d[j], 0);
  return FUNCTIONS.map(([constant, linear, squares]) => constant + dot(linear) + squares.reduce(
    (sum, [weight, shift, direction]) => sum + weight * (dot(direction) - shift) ** 2, 0));
}
""".replace("MOST", str(LIMITS.max_label_chars)).replace("CUT", str(LIMITS.max_label_chars - 1))
_SOFTMAX = """
// Returns the class of a row and the probability of every class.
function predict(row) {
  const s = scores(row);
  const top = Math.max(...s);
  const e = s.map((value) => Math.exp(value - top));
  const sum = e.reduce((a, b) => a + b, 0);
  const pairs = e.map((value, k) => [CLASSES[k], value / sum]);
  return { label: CLASSES[s.indexOf(top)], probabilities: Object.fromEntries(pairs) };
}
"""
_SCORES = """
// Returns the class of a row and the decision score of every class: there are no probabilities.
function predict(row) {
  const s = scores(row);
  const pairs = s.map((value, k) => [CLASSES[k], value]);
  return { label: CLASSES[s.indexOf(Math.max(...s))], scores: Object.fromEntries(pairs) };
}
"""
_VOTES = """
// Returns the class of a row and every class's votes of the pairs, with their confidence.
function predict(row) {
  const s = CLASSES.map(() => 0);
  const confidence = CLASSES.map(() => 0);
  scores(row).forEach((margin, m) => {
    const [first, second] = PAIRS[m];
    s[margin > 0 ? second : first] += 1;
    confidence[second] += margin;
    confidence[first] -= margin;
  });
  confidence.forEach((value, k) => { s[k] += value / 3 / (Math.abs(value) + 1); });
  const pairs = s.map((value, k) => [CLASSES[k], value]);
  return { label: CLASSES[s.indexOf(Math.max(...s))], scores: Object.fromEntries(pairs) };
}
"""
_ENDS = {"softmax": _SOFTMAX, "scores": _SCORES, "votes": _VOTES}
_EXPORT = '\nif (typeof module === "object") module.exports = { predict };\n'


def to_javascript(functions: ScoreFunctions) -> str:
    """Return score functions as JavaScript: ``predict(row)`` of an object by column names.

    Parameters
    ----------
    functions : ScoreFunctions

    Returns
    -------
    str
        A script without dependencies, for browsers and Node; ASCII, and safe inside a page.
        ``predict`` returns ``{label, probabilities}``, or ``{label, scores}`` of a model without
        posteriors. Missing values are null, NaN or, of a number, empty.

    Raises
    ------
    DataError
        When a coefficient is not finite.

    Examples
    --------
    >>> import lincore
    >>> model = lincore.compare(lincore.sample("iris"), "lda", keep_models=True).model("lda")
    >>> print(to_javascript(lincore.export.score_functions(model)).splitlines()[2])
    const CLASSES = ["setosa", "versicolor", "virginica"];
    """
    labels = ", ".join(
        text(label) if isinstance(label, str) else json.dumps(label) for label in functions.classes
    )
    lines = [
        f"// {heading(functions)}",
        "// Call predict with an object by column names. Dates are days since 1970-01-01.",
        f"const CLASSES = [{labels}];",
        f"const ORIGIN = {_numbers(functions.origin)};",
        "// Of each function: constant, linear coefficients, squares of weight, shift, direction.",
        "const FUNCTIONS = [",
        *(_function(one) for one in functions.functions),
        "];",
    ]
    if functions.pairs:
        lines.append(f"const PAIRS = {json.dumps([list(pair) for pair in functions.pairs])};")
    lines += [
        "",
        "function inputs(row) {",
        "  return [",
        *(f"    {_input(one)}," for one in functions.inputs),
        "  ];",
        "}",
    ]
    return "\n".join(lines) + "\n" + _HELPERS + _ENDS[functions.link] + _EXPORT


def _input(one: Input) -> str:
    name = text(one.column)
    if one.kind == "missing":
        return f"missing(row, {name})"
    if one.kind == "number":
        return f"number(row, {name}, {'null' if one.fill is None else number(one.fill)})"
    levels = ", ".join(text(level) for level in one.levels)
    flags = f"{json.dumps(one.is_complement)}, {json.dumps(one.counts_missing)}"
    return f"level(row, {name}, [{levels}], {flags})"


def _function(one: ScoreFunction) -> str:
    begin = f"  [{number(one.constant)}, {_numbers(one.linear)}, ["
    squares = zip(one.weight.tolist(), one.shift.tolist(), one.directions, strict=True)
    lines = [
        f"    [{number(weight)}, {number(shift)}, {_numbers(direction)}],"
        for weight, shift, direction in squares
    ]
    return "\n".join([begin, *lines, "  ]],"]) if lines else f"{begin}]],"


def _numbers(values: Array) -> str:
    return f"[{', '.join(number(value) for value in values.tolist())}]"
