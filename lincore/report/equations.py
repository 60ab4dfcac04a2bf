"""The equation of the boundary between two classes, as text and LaTeX."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lincore.linalg.quadric import Quadric

# Digits of a coefficient: enough for a boundary, and few enough to copy.
DIGITS = 5
# A term smaller than this share of the largest is rounding, such as the weight of a feature that
# does not vary: about 1e-17 behind principal axes.
ROUNDING = 1e-15
_POWER = re.compile(r"\^(\d+)(?![\^\d])")
_SPECIAL = re.compile(r"([&%$#_{}])")


def equation_text(function: Quadric, names: Sequence[str]) -> str:
    """Write ``function = 0`` on lines of plain text.

    Parameters
    ----------
    function : Quadric
        Of p variables.
    names : sequence of p str

    Examples
    --------
    >>> import numpy as np
    >>> from lincore.linalg.quadric import Quadric
    >>> line = Quadric(np.zeros((2, 2)), np.array([2.0, -1.0]), 0.5, np.zeros(2))
    >>> equation_text(line, ["length", "width"])
    '2 · length − 1 · width + 0.5 = 0'
    """
    terms = []
    for value, places in _terms(function):
        factors = [names[i] for i in places]
        if len(places) == 2 and places[0] == places[1]:
            factors = [f"{names[places[0]]}²"]
        terms.append((value, " · ".join([_number(abs(value)), *factors])))
    return f"{_joined(terms, '−')} = 0"


def equation_latex(function: Quadric, names: Sequence[str]) -> str:
    r"""Write the same as LaTeX, for a display.

    Parameters
    ----------
    function : Quadric
        Of q variables; the boundary is where it is zero.
    names : sequence of str, length q

    Examples
    --------
    >>> import numpy as np
    >>> from lincore.linalg.quadric import Quadric
    >>> circle = Quadric(np.eye(2), np.zeros(2), -1.0, np.zeros(2))
    >>> equation_latex(circle, ["x", "y_1"])
    '1\\,\\text{x}^{2} + 1\\,\\text{y\\_1}^{2} - 1 = 0'
    """
    shown = [_as_text(name) for name in names]
    terms = []
    for value, places in _terms(function):
        factors = [shown[i] for i in places]
        if len(places) == 2 and places[0] == places[1]:
            factors = [f"{shown[places[0]]}^{{2}}"]
        number = re.sub(r"e([+-])0*(\d+)", r" \\cdot 10^{\1\2}", _number(abs(value)))
        terms.append((value, "\\,".join([number.replace("{+", "{"), *factors])))
    return f"{_joined(terms, '-')} = 0"


def _terms(function: Quadric) -> list[tuple[float, tuple[int, ...]]]:
    """Return all nonzero terms: squares, products, single variables, the constant."""
    A, b, c = function.expanded()
    p = len(b)
    found: list[tuple[float, tuple[int, ...]]] = []
    if not function.is_linear:
        found += [(float(A[i, i]), (i, i)) for i in range(p)]
        found += [(float(2 * A[i, j]), (i, j)) for i in range(p) for j in range(i + 1, p)]
    found += [(float(b[i]), (i,)) for i in range(p)]
    # The coefficient of a large variable may be small without being rounding.
    large = [max(1.0, abs(float(value))) for value in function.origin]
    sizes = [abs(value) * math.prod(large[i] for i in places) for value, places in found]
    least = ROUNDING * max(sizes, default=0.0)
    found = [term for term, size in zip(found, sizes, strict=True) if size > least]
    return [*found, (float(c), ())] if c or not found else found


def _joined(terms: Sequence[tuple[float, str]], minus: str) -> str:
    first = terms[0][1] if terms[0][0] >= 0 else f"{minus}{terms[0][1]}"
    rest = [f" {'+' if value >= 0 else minus} {text}" for value, text in terms[1:]]
    return first + "".join(rest)


def _number(value: float) -> str:
    return f"{value:.{DIGITS}g}"


def _as_text(name: str) -> str:
    """Write a name as text in LaTeX, and powers of a basis, as in "x1^2", as powers."""
    plain = " ".join(str(name).split()).replace("\\", "/")
    escaped = _SPECIAL.sub(r"\\\1", plain).replace("~", " ")
    texts, powers = _POWER.split(escaped)[::2], _POWER.findall(escaped)
    shown = [f"\\text{{{text.replace('^', ' ')}}}" if text else "" for text in texts]
    return "".join(
        [shown[0], *(f"^{{{n}}}{text}" for n, text in zip(powers, shown[1:], strict=True))]
    )
