"""References of a methods paragraph: the source of each method, test and interval."""

from __future__ import annotations

from collections.abc import Mapping

#: By key; texts without a journal are named by their titles.
REFERENCES: Mapping[str, str] = {
    "albert": "Albert A., Anderson J. A. (1984). On the existence of maximum likelihood estimates "
    "in logistic regression models. Biometrika 71, 1–10.",
    "allwein": "Allwein E. L., Schapire R. E., Singer Y. (2000). Reducing multiclass to binary: a "
    "unifying approach for margin classifiers. Journal of Machine Learning Research 1, 113–141.",
    "bishop": "Bishop C. M. (2006). Pattern Recognition and Machine Learning, chapter 4. Springer.",
    "bonett": "Bonett D. G., Price R. M. (2012). Adjusted Wald confidence interval for a "
    "difference of binomial proportions based on paired data. Journal of Educational and "
    "Behavioral Statistics 37, 479–488.",
    "bouckaert": "Bouckaert R. R., Frank E. (2004). Evaluating the replicability of significance "
    "tests for comparing learning algorithms. Advances in Knowledge Discovery and Data Mining, "
    "3–12. Springer.",
    "box": "Box G. E. P. (1949). A general distribution theory for a class of likelihood criteria. "
    "Biometrika 36, 317–346.",
    "breiman": "Breiman L., Friedman J. H., Olshen R. A., Stone C. J. (1984). Classification and "
    "Regression Trees, section 4.4. Wadsworth.",
    "brown": "Brown L. D., Cai T. T., DasGupta A. (2001). Interval estimation for a binomial "
    "proportion. Statistical Science 16, 101–133.",
    "cochran": "Cochran W. G. (1950). The comparison of percentages in matched samples. "
    "Biometrika 37, 256–266.",
    "dalal": "Dalal N., Triggs B. (2005). Histograms of oriented gradients for human detection. "
    "IEEE Conference on Computer Vision and Pattern Recognition, 886–893.",
    "delong": "DeLong E. R., DeLong D. M., Clarke-Pearson D. L. (1988). Comparing the areas under "
    "two or more correlated receiver operating characteristic curves: a nonparametric approach. "
    "Biometrics 44, 837–845.",
    "derivations": "“Classification Algorithms”. Quasar (2024). Text lda-qda-derivations.",
    "dudoit": "Dudoit S., Fridlyand J., Speed T. P. (2002). Comparison of discrimination methods "
    "for the classification of tumors using gene expression data. Journal of the American "
    "Statistical Association 97, 77–87.",
    "elkan": "Elkan C. (2001). The foundations of cost-sensitive learning. Proceedings of the 17th "
    "International Joint Conference on Artificial Intelligence, 973–978.",
    "faces": "“Linear Models for Classification”. Text faces-generative-vs-discriminative.",
    "fisher": "Fisher R. A. (1936). The use of multiple measurements in taxonomic problems. Annals "
    "of Eugenics 7, 179–188.",
    "friedman": "Friedman J. H. (1989). Regularized discriminant analysis. Journal of the American "
    "Statistical Association 84, 165–175.",
    "gorodkin": "Gorodkin J. (2004). Comparing two K-category assignments by a K-category "
    "correlation coefficient. Computational Biology and Chemistry 28, 367–374.",
    "henze": "Henze N., Zirkler B. (1990). A class of invariant consistent tests for multivariate "
    "normality. Communications in Statistics – Theory and Methods 19, 3595–3617.",
    "holm": "Holm S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian "
    "Journal of Statistics 6, 65–70.",
    "kohavi": "Kohavi R. (1995). A study of cross-validation and bootstrap for accuracy estimation "
    "and model selection. Proceedings of the 14th International Joint Conference on Artificial "
    "Intelligence, 1137–1143.",
    "konis": "Konis K. (2007). Linear programming algorithms for detecting separated data in "
    "binary logistic regression models. Thesis, University of Oxford.",
    "lecture": "Liu S. “Linear Classifiers”. Lecture, University of Bristol. Text "
    "lecture-linear-classifiers.",
    "mardia": "Mardia K. V. (1970). Measures of multivariate skewness and kurtosis with "
    "applications. Biometrika 57, 519–530.",
    "nadeau": "Nadeau C., Bengio Y. (2003). Inference for the generalization error. Machine "
    "Learning 52, 239–281.",
    "novikoff": "Novikoff A. B. J. (1962). On convergence proofs for perceptrons. Proceedings of "
    "the Symposium on the Mathematical Theory of Automata 12, 615–622.",
    "price": "Price R. M., Bonett D. G. (2004). An improved confidence interval for a linear "
    "function of binomial proportions. Computational Statistics & Data Analysis 45, 449–456.",
    "prml": "“Source code relating to chapter 4 of Bishop’s Pattern Recognition and Machine "
    "Learning”. Text prml-chapter-4-in-r.",
    "saerens": "Saerens M., Latinne P., Decaestecker C. (2002). Adjusting the outputs of a "
    "classifier to new a priori probabilities: a simple procedure. Neural Computation 14, 21–41.",
    "scratch": "“Linear Classifiers”, from the Bayes error. Text lda-from-scratch.",
    "stein": "Efron B., Stein C. (1981). The jackknife estimate of variance. Annals of Statistics "
    "9, 586–596.",
}

#: What each classifier is, by its word, and its sources.
CLASSIFIERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "lda": (
        "linear discriminant analysis, Gaussian classes with one covariance",
        ("fisher", "derivations", "scratch", "lecture", "faces", "prml"),
    ),
    "diagonal-lda": (
        "diagonal linear discriminant analysis, Gaussian classes with one diagonal covariance",
        ("dudoit", "lecture"),
    ),
    "qda": (
        "quadratic discriminant analysis, Gaussian classes with a covariance each",
        ("derivations", "scratch", "friedman"),
    ),
    "naive-bayes": (
        "Gaussian naive Bayes, features independent within a class",
        ("lecture", "bishop"),
    ),
    "multinomial-nb": ("multinomial naive Bayes on counts", ("lecture",)),
    "fisher": (
        "Fisher's discriminant, the direction of best separation with a threshold",
        ("fisher", "lecture", "prml", "bishop"),
    ),
    "least-squares": (
        "least squares on coded classes",
        ("lecture", "prml", "bishop"),
    ),
    "perceptron": ("the perceptron", ("novikoff", "prml", "lecture")),
    "logistic": (
        "multinomial logistic regression",
        ("faces", "prml", "derivations", "bishop"),
    ),
    "one-vs-rest": ("one binary model for each class against the rest", ("lecture", "bishop")),
    "one-vs-one": (
        "one binary model for each pair of classes",
        ("lecture", "allwein", "bishop"),
    ),
}

#: The sources of what `lincore.metrics.pairwise_differences` tests with.
TESTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "Bonett-Price": (
        "the adjusted Wald test and interval of Bonett and Price, by class where classes count "
        "alike",
        ("bonett", "price"),
    ),
    "DeLong": ("DeLong's test with a few rows added", ("delong",)),
    "paired t": ("the paired t-test over the test rows", ()),
    "cluster-robust t": (
        "the t-test over groups of rows, with rows added as by Bonett and Price",
        ("bonett",),
    ),
    "corrected resampled t": (
        "the corrected resampled t-test over folds, with the degrees of freedom of one repetition",
        ("nadeau", "bouckaert"),
    ),
}

#: The sources of the checks of assumptions.
CHECKS: Mapping[str, tuple[str, ...]] = {
    "equal covariances": ("box",),
    "normality": ("mardia", "henze"),
    "separation": ("albert", "konis"),
}


class Citations:
    """Numbers references in the order in which they are cited.

    Examples
    --------
    >>> cited = Citations()
    >>> cited("holm", "box"), cited("box")
    (' [1, 2]', ' [2]')
    >>> cited.listed()[1][:12]
    '[2] Box G. E'
    """

    def __init__(self) -> None:
        self._keys: list[str] = []

    def __call__(self, *keys: str) -> str:
        """Return the numbers of some references in brackets, to put behind a word."""
        for key in keys:
            if key not in self._keys:
                self._keys.append(key)
        places = sorted(self._keys.index(key) + 1 for key in keys)
        return f" [{', '.join(map(str, places))}]" if places else ""

    def listed(self) -> tuple[str, ...]:
        """Return the references that were cited, each with its number."""
        return tuple(f"[{i}] {REFERENCES[key]}" for i, key in enumerate(self._keys, 1))
