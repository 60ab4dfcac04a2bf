"""Displays of the boundary between two classes: its equation, the log ratio."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import pandas as pd

from lincore import geometry, inspection
from lincore.displays.model.model_display import ModelDisplay, class_labels
from lincore.estimators import LeastSquaresClassifier
from lincore.fields import Field
from lincore.utils import quoted

if TYPE_CHECKING:
    from lincore.linalg.quadric import Quadric


#: Digits of a coefficient: enough for a boundary, and few enough to copy.
DIGITS = 5
# A term smaller than this share of the largest is rounding, such as the weight of a feature that
# does not vary: about 1e-17 behind principal axes.
ROUNDING = 1e-15
_POWER = re.compile(r"\^(\d+)(?![\^\d])")
_SPECIAL = re.compile(r"([&%$#_{}])")
_TARGETS = {
    "one-hot": "one-hot targets: 1 in the column of the class of a row, 0 elsewhere",
    "plus-minus": "the targets 1 in the column of the class of a row and −1 elsewhere",
    "fisher": "Fisher's targets: N/N_k in the column of the class of a row, 0 elsewhere",
}


def _other_classes(so_far: SimpleNamespace) -> dict[int, str]:
    return {code: label for code, label in class_labels(so_far).items() if code != so_far.first}


def _are_several(so_far: SimpleNamespace) -> bool:
    return bool(so_far.model.data.n_classes > 2)


def _first_class(so_far: SimpleNamespace) -> int:
    return 0 if _are_several(so_far) else 1


def _second_class(so_far: SimpleNamespace) -> int:
    return 1 if so_far.first == 0 else 0


@dataclass(frozen=True, eq=False)
class ClassPairDisplay(ModelDisplay):
    """A view of the boundary between two classes."""

    first: (
        Annotated[
            int,
            Field("Between", "The class on the positive side.", choices=class_labels,
                  auto=_first_class, when=_are_several),
        ]
        | None
    ) = None  # fmt: skip
    second: (
        Annotated[
            int,
            Field("and", "The class on the negative side.", choices=_other_classes,
                  auto=_second_class, when=_are_several),
        ]
        | None
    ) = None  # fmt: skip

    @cached_property
    def pair(self) -> tuple[int, int]:
        """The codes of the classes on the positive and on the negative side."""
        return self.setting("first"), self.setting("second")

    @property
    def labels(self) -> tuple[str, str]:
        """Labels of the two classes."""
        first, second = self.pair
        return str(self.model.data.classes[first]), str(self.model.data.classes[second])

    @cached_property
    def function(self) -> tuple[Any, tuple[str, ...]] | str:
        """The function whose zeros are the boundary, and its variables; or why there is none."""
        model = self.model
        try:
            return inspection.boundary_equation(model.pipeline, model.data, *self.pair)
        except TypeError:
            return f"The boundaries of {self.method} have no closed form."
        except ValueError as error:
            return str(error)


@dataclass(frozen=True, eq=False)
class EquationDisplay(ClassPairDisplay):
    """The boundary between two classes as an equation."""

    title: ClassVar[str] = "Equation"
    made_by: ClassVar[str] = "model.equation"
    page_key: ClassVar[str] = "classify.equation"
    is_tabulated: ClassVar[bool] = False

    def finding(self) -> str:
        """Return the equation, and on which side each class lies."""
        if isinstance(self.function, str):
            return f"There is no equation. {self.function}"
        first, second = map(quoted, self.labels)
        return f"Positive on the side of {first}, negative on that of {second}:"

    @property
    def equation(self) -> str:
        """The equation in a line; "" if there is none."""
        return "" if isinstance(self.function, str) else equation_text(*self.function)

    @property
    def latex(self) -> str:
        """The equation as LaTeX."""
        return "" if isinstance(self.function, str) else equation_latex(*self.function)

    def scope(self) -> str:
        """Return the equation."""
        return self.equation

    def frame(self) -> pd.DataFrame:
        """Return the coefficients: b, and A where the boundary is curved, for each variable."""
        if isinstance(self.function, str):
            return pd.DataFrame()
        return geometry.ratio_coefficients(*self.function)[0]

    def notes(self) -> tuple[str, ...]:
        """Return the variables, and the targets of least squares."""
        if isinstance(self.function, str):
            return ()
        components = self.function[1][0].startswith("Component ")
        seen = "components" if components else "your features, in their units"
        classifier = self.model.classifier
        targets = ""
        if isinstance(classifier, LeastSquaresClassifier):
            targets = f"Fitted to {_TARGETS[classifier.targets]}."
        sign = f"In {seen}. The sign of the left side decides between these two classes."
        level = next((name for name in self.function[1] if " = " in name), "")
        levels = f"[{level}] is 1 for rows with this level and 0 for others." if level else ""
        return tuple(filter(None, (sign, levels, targets)))


@dataclass(frozen=True, eq=False)
class LogRatioDisplay(ClassPairDisplay):
    """The log ratio of two classes: A, b and c."""

    title: ClassVar[str] = "Log ratio"
    made_by: ClassVar[str] = "model.log_ratio"
    page_key: ClassVar[str] = "classify.learned.pair"

    @property
    def formulas(self) -> tuple[str, ...]:
        """The formula of the log ratio, which is that of two Gaussian densities."""
        is_gaussian = hasattr(self.model.classifier, "densities_")
        return ("log ratio",) if is_gaussian and not isinstance(self.function, str) else ()

    def finding(self) -> str:
        """Return the two classes, whether the boundary is a plane, and c."""
        if isinstance(self.function, str):
            return f"There is no log ratio. {self.function}"
        first, second = map(quoted, self.labels)
        plane = "A = 0, the boundary is a plane; " if self.function[0].is_linear else ""
        _, c = geometry.ratio_coefficients(*self.function)
        value = f"{c:,.4f}".replace("-", "−")
        return f"{first} (+) against {second} (−): {plane}c = {value}."

    def frame(self) -> pd.DataFrame:
        """Return b, and A where the boundary is curved, a line for each variable."""
        if isinstance(self.function, str):
            return pd.DataFrame()
        return geometry.ratio_coefficients(*self.function)[0]

    def notes(self) -> tuple[str, ...]:
        """State that it is a difference of scores if the classifier has no posteriors."""
        if isinstance(self.function, str) or hasattr(self.model.classifier, "predict_proba"):
            return ()
        return ("This classifier has no posteriors: it is the difference of two scores.",)


def equation_text(function: Quadric, names: Sequence[str]) -> str:
    """Write ``function = 0`` on lines of plain text; a level, as in [sex = male], counts 1 or 0."""
    names = [f"[{name}]" if " = " in name else name for name in names]
    terms = []
    for value, variables in _terms(function):
        factors = [names[i] for i in variables]
        if len(variables) == 2 and variables[0] == variables[1]:
            factors = [f"{names[variables[0]]}²"]
        terms.append((value, " · ".join([_coefficient(abs(value)), *factors])))
    return f"{_joined(terms, '−')} = 0"


def equation_latex(function: Quadric, names: Sequence[str]) -> str:
    r"""Write the same as LaTeX, for a display."""
    shown = [f"[{_as_text(name)}]" if " = " in name else _as_text(name) for name in names]
    terms = []
    for value, variables in _terms(function):
        factors = [shown[i] for i in variables]
        if len(variables) == 2 and variables[0] == variables[1]:
            factors = [f"{shown[variables[0]]}^{{2}}"]
        number = re.sub(r"e([+-])0*(\d+)", r" \\cdot 10^{\1\2}", _coefficient(abs(value)))
        terms.append((value, "\\,".join([number.replace("{+", "{"), *factors])))
    return f"{_joined(terms, '-')} = 0"


def _terms(function: Quadric) -> list[tuple[float, tuple[int, ...]]]:
    """Return all nonzero terms: squares, products, single variables, the constant."""
    A, b, c = function.expanded()
    p = len(b)
    terms: list[tuple[float, tuple[int, ...]]] = []
    if not function.is_linear:
        terms += [(float(A[i, i]), (i, i)) for i in range(p)]
        terms += [(float(2 * A[i, j]), (i, j)) for i in range(p) for j in range(i + 1, p)]
    terms += [(float(b[i]), (i,)) for i in range(p)]
    # The coefficient of a large variable may be small without being rounding.
    large = [max(1.0, abs(float(value))) for value in function.origin]
    sizes = [abs(value) * math.prod(large[i] for i in variables) for value, variables in terms]
    least = ROUNDING * max(sizes, default=0.0)
    terms = [term for term, size in zip(terms, sizes, strict=True) if size > least]
    return [*terms, (float(c), ())] if c or not terms else terms


def _joined(terms: Sequence[tuple[float, str]], minus: str) -> str:
    first = terms[0][1] if terms[0][0] >= 0 else f"{minus}{terms[0][1]}"
    rest = [f" {'+' if value >= 0 else minus} {text}" for value, text in terms[1:]]
    return first + "".join(rest)


def _coefficient(value: float) -> str:
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
