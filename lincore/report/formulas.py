"""Reference formulas of learned quantities, as LaTeX, with sources."""

from __future__ import annotations

from typing import NamedTuple


class Formula(NamedTuple):
    """A formula and its source.

    Attributes
    ----------
    latex : str
    source : str
        The text and its section or equation.
    """

    latex: str
    source: str


_LECTURE, _DERIVATIONS = "lecture-linear-classifiers", "lda-qda-derivations"
_PRML = "prml-chapter-4-in-r, section 4.3.3"

#: Formulas by the quantity that they define.
FORMULAS = {
    "priors": Formula(r"\hat\pi_k = \frac{N_k}{N}", f"{_DERIVATIONS}, eq. 14"),
    "means": Formula(
        r"\hat\mu_k = \frac{1}{N_k} \sum_{i:\,y_i = k} x_i", f"{_DERIVATIONS}, eqs. 18 and 19"
    ),
    "shared covariance": Formula(
        r"\hat\Sigma = \frac{1}{N} \sum_k \sum_{i:\,y_i = k} (x_i - \hat\mu_k)(x_i - \hat\mu_k)^T",
        f"{_DERIVATIONS}, eq. 28",
    ),
    "covariances": Formula(
        r"\hat\Sigma_k = \frac{1}{N_k} \sum_{i:\,y_i = k} (x_i - \hat\mu_k)(x_i - \hat\mu_k)^T",
        f"{_LECTURE}, Continuous Input Variable",
    ),
    "S_W": Formula(
        r"S_W = \sum_k \sum_{i:\,y_i = k} (x_i - \hat\mu_k)(x_i - \hat\mu_k)^T",
        f"{_LECTURE}, Within-class Scatterness",
    ),
    "S_B": Formula(
        r"S_B = \sum_k N_k (\hat\mu_k - \hat\mu)(\hat\mu_k - \hat\mu)^T",
        f"{_LECTURE}, Between-class Scatterness",
    ),
    "joint log likelihood": Formula(
        r"\ell = \sum_i \log \pi_{y_i} + \log \mathcal{N}(x_i \mid \mu_{y_i}, \Sigma_{y_i})",
        f"{_DERIVATIONS}, eqs. 10 to 12",
    ),
    "log likelihood": Formula(r"\ell = \sum_i \log p(y_i \mid x_i)", f"{_DERIVATIONS}, eq. 5"),
    "log ratio": Formula(
        r"\begin{aligned} \log \frac{p(+ \mid x)}{p(- \mid x)} &= x^T A x + b^T x + c \\ "
        r"A &= \tfrac12 (\Sigma_-^{-1} - \Sigma_+^{-1}) \\ "
        r"b &= \Sigma_+^{-1}\mu_+ - \Sigma_-^{-1}\mu_- \end{aligned}",
        "lda-from-scratch, Appendix 0 (with the factors ½ that the text leaves out)",
    ),
    "words": Formula(
        r"p(i \mid k) = \frac{N_{ki} + \alpha}{N_k + \alpha\,p}", f"{_LECTURE}, Naïve Bayes"
    ),
    "gradient": Formula(r"\nabla E(w) = \Phi^T (y - t)", _PRML),
    "Hessian": Formula(r"H = \Phi^T R\, \Phi, \qquad R_{nn} = y_n (1 - y_n)", _PRML),
    "IRLS": Formula(
        r"w^{\text{new}} = (\Phi^T R\, \Phi)^{-1} \Phi^T R\, z, \qquad "
        r"z = \Phi w - R^{-1}(y - t)",
        "faces-generative-vs-discriminative, Probabilistic Discriminative Model",
    ),
}
