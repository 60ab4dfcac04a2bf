"""The methods paragraph of a paper: what was done, with references."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lincore.checks.model_assumptions import ASSUMPTIONS
from lincore.estimators.tuned import RULES
from lincore.export.documents.contents import ReportContents
from lincore.export.documents.section import Section
from lincore.metrics.differences import pairwise_differences
from lincore.metrics.estimates import SCORES
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import find_sampling_units
from lincore.model_selection.methods import BINARY, CLASSIFIER_LABELS, as_method
from lincore.model_selection.specs import parse_spec
from lincore.utils.formatting import capital, count, listed, percent, points

_FOLDED = re.compile(r"(?:(\d+)\s*x\s*)?(\d+)-fold( by group)?")
_FILLED = {
    "median": "by the median, of categories by the most frequent level",
    "most_frequent": "by the most frequent value",
    "indicator": "by the median, with an indicator for each column that lacks any",
}

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
    "Regression Trees, sections 3.4.3 and 4.4. Wadsworth.",
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
    "firth": "Firth D. (1993). Bias reduction of maximum likelihood estimates. Biometrika 80, "
    "27–38.",
    "fisher": "Fisher R. A. (1936). The use of multiple measurements in taxonomic problems. Annals "
    "of Eugenics 7, 179–188.",
    "friedman": "Friedman J. H. (1989). Regularized discriminant analysis. Journal of the American "
    "Statistical Association 84, 165–175.",
    "gorodkin": "Gorodkin J. (2004). Comparing two K-category assignments by a K-category "
    "correlation coefficient. Computational Biology and Chemistry 28, 367–374.",
    "guo": "Guo C., Pleiss G., Sun Y., Weinberger K. Q. (2017). On calibration of modern neural "
    "networks. Proceedings of the 34th International Conference on Machine Learning, 1321–1330.",
    "heinze": "Heinze G., Schemper M. (2002). A solution to the problem of separation in logistic "
    "regression. Statistics in Medicine 21, 2409–2419.",
    "henze": "Henze N., Zirkler B. (1990). A class of invariant consistent tests for multivariate "
    "normality. Communications in Statistics – Theory and Methods 19, 3595–3617.",
    "holm": "Holm S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian "
    "Journal of Statistics 6, 65–70.",
    "king": "King G., Zeng L. (2001). Logistic regression in rare events data. Political Analysis "
    "9, 137–163.",
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
    "platt": "Platt J. C. (1999). Probabilistic outputs for support vector machines and "
    "comparisons to regularized likelihood methods. Advances in Large Margin Classifiers, 61–74. "
    "MIT Press.",
    "price": "Price R. M., Bonett D. G. (2004). An improved confidence interval for a linear "
    "function of binomial proportions. Computational Statistics & Data Analysis 45, 449–456.",
    "prml": "“Source code relating to chapter 4 of Bishop’s Pattern Recognition and Machine "
    "Learning”. Text prml-chapter-4-in-r.",
    "rencher": "Rencher A. C. (2002). Methods of Multivariate Analysis, sections 6.11.2 and 8.9. "
    "Wiley.",
    "rousseeuw": "Rousseeuw P. J., Van Driessen K. (1999). A fast algorithm for the minimum "
    "covariance determinant estimator. Technometrics 41, 212–223.",
    "saerens": "Saerens M., Latinne P., Decaestecker C. (2002). Adjusting the outputs of a "
    "classifier to new a priori probabilities: a simple procedure. Neural Computation 14, 21–41.",
    "scratch": "“Linear Classifiers”, from the Bayes error. Text lda-from-scratch.",
    "stein": "Efron B., Stein C. (1981). The jackknife estimate of variance. Annals of Statistics "
    "9, 586–596.",
    "tibshirani": "Tibshirani R. (1996). Regression shrinkage and selection via the lasso. Journal "
    "of the Royal Statistical Society B 58, 267–288.",
    "varma": "Varma S., Simon R. (2006). Bias in error estimation when using cross-validation for "
    "model selection. BMC Bioinformatics 7, 91.",
    "zadrozny": "Zadrozny B., Elkan C. (2002). Transforming classifier scores into accurate "
    "multiclass probability estimates. Proceedings of the 8th ACM SIGKDD International Conference "
    "on Knowledge Discovery and Data Mining, 694–699.",
    "zou": "Zou H., Hastie T. (2005). Regularization and variable selection via the elastic net. "
    "Journal of the Royal Statistical Society B 67, 301–320.",
}

#: Description and sources of each classifier.
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

#: What some values of options do, with its sources.
OPTIONS: Mapping[tuple[str, Any], tuple[str, tuple[str, ...]]] = {
    ("bias_reduction", "firth"): (
        "Logistic regression was fitted with Firth's penalty, which reduces the bias of maximum "
        "likelihood and gives finite coefficients if planes separate the classes",
        ("firth", "heinze"),
    ),
    ("bias_reduction", "king-zeng"): (
        "The estimated bias of the coefficients of logistic regression was subtracted, as "
        "proposed by King and Zeng for rare events",
        ("king",),
    ),
    ("l1_ratio", 1): (
        "Logistic regression was fitted with an L1 penalty (lasso), which makes some coefficients "
        "exactly zero",
        ("tibshirani",),
    ),
    ("l1_ratio", "elastic net"): (
        "Logistic regression was fitted with an elastic net, a sum of L1 and L2 penalties that "
        "makes some coefficients exactly zero",
        ("zou",),
    ),
    ("covariance", "mcd"): (
        "Means and covariance of LDA were estimated by the minimum covariance determinant, which "
        "is robust to outliers",
        ("rousseeuw",),
    ),
    ("selection", "stepwise"): (
        "The features of LDA were selected stepwise by Wilks' lambda, anew in every training set",
        ("rencher",),
    ),
    ("recalibration", "sigmoid"): (
        "Posteriors were recalibrated by logistic regression on their log odds (Platt scaling), "
        "fitted to predictions of five inner folds of the training rows",
        ("platt",),
    ),
    ("recalibration", "temperature"): (
        "Posteriors were recalibrated by a temperature, fitted to predictions of five inner folds "
        "of the training rows",
        ("guo",),
    ),
    ("recalibration", "isotonic"): (
        "Posteriors were recalibrated by isotonic regression, fitted to predictions of five inner "
        "folds of the training rows",
        ("zadrozny",),
    ),
}

#: Description and sources of the tests of `lincore.metrics.pairwise_differences`.
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
    """References, numbered in the order in which they are cited."""

    def __init__(self) -> None:
        self._keys: list[str] = []

    def __call__(self, *keys: str) -> str:
        """Return the numbers of some references in brackets, to follow a word."""
        for key in keys:
            if key not in self._keys:
                self._keys.append(key)
        numbers = sorted(self._keys.index(key) + 1 for key in keys)
        return f" [{', '.join(map(str, numbers))}]" if numbers else ""

    def listed(self) -> tuple[str, ...]:
        """Return the references that were cited, each with its number."""
        return tuple(f"[{i}] {REFERENCES[key]}" for i, key in enumerate(self._keys, 1))


def methods_section(contents: ReportContents) -> Section:
    """Describe the methods that were really used, with their sources."""
    cited = Citations()
    sentences = (
        _data(contents),
        *_preparation(contents, cited),
        *_models(contents, cited),
        *_validation(contents, cited),
        *_intervals(contents, cited),
        *_tests(contents, cited),
        *_assumptions(contents, cited),
        *_imbalance(contents, cited),
        _software(contents),
    )
    return Section("Methods", (" ".join(filter(None, sentences)),), items=cited.listed())


def results_of(contents: ReportContents) -> list[Results]:
    """Return the available records of predictions, that of the single model first."""
    model = contents.model
    candidates = (None if model is None else model.results, contents.comparison)
    return [results for results in candidates if results is not None]


def _data(contents: ReportContents) -> str:
    data = contents.data
    classes = [f"{label} {n:,}" for label, n in zip(data.classes, data.counts, strict=True)]
    target = f" of “{data.target_name}”" if data.target_name else ""
    return f"The data set “{data.name}” holds {data.size_text}{target} ({listed(classes, most=8)})."


def _preparation(contents: ReportContents, cited: Citations) -> Iterable[str]:
    data, clauses = contents.data, []
    if data.has_missing:
        clauses.append(f"missing values were filled in {_FILLED[data.imputation]}")
    if data.has_categories:
        rare = f", categories with fewer than {data.rare} training rows merged" if data.rare else ""
        clauses.append(f"categories were encoded as indicator columns{rare}")
    by_model = [_step_words(steps, cited) for steps in _all_steps(contents)]
    common = by_model[0] if by_model and all(words == by_model[0] for words in by_model) else []
    clauses += common
    if not common and any(by_model):
        clauses.append("features were prepared for each model as listed in the settings")
    if not clauses:
        return
    text = capital("; ".join(clauses))
    yield f"{text}. Every such step was learned from the training rows alone."


def _all_steps(contents: ReportContents) -> list[Mapping[str, Any]]:
    """Return the steps before each classifier; none for counts."""
    all_steps = [] if contents.model is None else [_steps_of_model(contents)]
    for record in contents.experiments.values():
        steps = record.settings.steps
        all_steps += [steps[m] for m in record.methods if m in steps and "multinomial" not in m]
    return all_steps


def _steps_of_model(contents: ReportContents) -> Mapping[str, Any]:
    assert contents.model is not None
    steps = contents.model.pipeline.named_steps
    pca = steps.get("pca")
    tuning = getattr(pca, "tuning_", None)
    n_components = getattr(pca, "n_components", None) if tuning is None else tuning.rule
    return {
        "standardize": "standardize" in steps,
        "basis": " ".join(str(steps["basis"]).split()) if "basis" in steps else None,
        "n_components": n_components,
        "whiten": pca is not None and pca.whiten,
    }


def _step_words(steps: Mapping[str, Any], cited: Citations) -> list[str]:
    clauses = []
    is_hog = str(steps.get("basis")).lower().startswith("hog")
    if is_hog:
        clauses.append(f"images were described by histograms of oriented gradients{cited('dalal')}")
    if steps.get("standardize"):
        clauses.append("features were standardised to mean zero and variance one")
    if steps.get("basis") and not is_hog:
        clauses.append(f"features were expanded in a basis ({steps['basis']})")
    number = steps.get("n_components")
    if number in RULES:
        white = "whitened " if steps.get("whiten") else ""
        how, sources = _how_chosen(number, "the fewest")
        clauses.append(
            f"rows were projected to as many {white}principal components as five-fold "
            "cross-validation within each training set chose for each model, "
            f"{how}{cited(*sources)}"
        )
    elif number is not None:
        target = (
            f"{percent(number, 0)} of the variance" if isinstance(number, float) else f"{number}"
        )
        white = ", whitened" if steps.get("whiten") else ""
        holding = "those that hold " if isinstance(number, float) else ""
        clauses.append(
            f"rows were projected to their principal components ({holding}{target}{white})"
        )
    return clauses


def _models(contents: ReportContents, cited: Citations) -> Iterable[str]:
    words = [word for word in contents.words if word in CLASSIFIERS]
    if not words:
        return
    named = [
        f"{CLASSIFIER_LABELS[word]} ({CLASSIFIERS[word][0]}{cited(*CLASSIFIERS[word][1])})"
        for word in words
    ]
    yield f"{'Models were' if len(named) > 1 else 'The model was'} {'; '.join(named)}."
    options = {
        name: record.settings.label(name)
        for record in contents.experiments.values()
        for name in record.methods
        if "(" in name
    }
    if options:
        yield f"Options other than the defaults: {'; '.join(options.values())}."
    used = _used_options(contents)
    for option, (sentence, sources) in OPTIONS.items():
        if option in used:
            yield f"{sentence}{cited(*sources)}."
    yield from _choices(used, cited)


def _used_options(contents: ReportContents) -> list[tuple[str, Any]]:
    """Return names and values of all options that were given, including those of binary models."""
    given = [] if contents.model is None else [as_method(contents.model.classifier).options]
    for record in contents.experiments.values():
        given += [record.settings.options.get(name, {}) for name in record.methods]
    used: list[tuple[str, Any]] = []
    for options in given:
        inner = parse_spec(str(options.get("estimator", BINARY)))[1]
        used += [*options.items(), *inner.items()]
    if any(name == "l1_ratio" and 0 < value < 1 for name, value in used):
        used.append(("l1_ratio", "elastic net"))
    return used


def _choices(used: Sequence[tuple[str, Any]], cited: Citations) -> Iterable[str]:
    """State which options cross-validation chose, and by which rule."""
    for rule in RULES:
        names = sorted({name for name, value in used if value == rule})
        if not names:
            continue
        both = ("friedman",) if {"shrinkage", "regularization"} <= set(names) else ()
        how, sources = _how_chosen(rule, "being the most regularised")
        yield (
            f"{capital(listed([f'“{name}”' for name in names]))} "
            f"{'was' if len(names) == 1 else 'were'} chosen by five-fold cross-validation within "
            f"each training set, {how}{cited(*sources, *both)}; test rows were not used for the "
            "choice."
        )


def _how_chosen(rule: str, simplest: str) -> tuple[str, tuple[str, ...]]:
    """Describe which candidate a rule chooses, with its sources."""
    if rule == RULES[0]:
        return "with the least mean loss", ("varma",)
    return f"{simplest} within one standard error of the least mean loss", ("breiman", "varma")


def _validation(contents: ReportContents, cited: Citations) -> Iterable[str]:
    for results in results_of(contents)[-1:]:
        yield _scheme(results, contents.seed, cited)
        if results.settings.row_groups is not None:
            divided = results.settings.groups_divided
            yield f"Rows of one group were {'not ' if divided else ''}kept together."


def _scheme(results: Results, seed: int | None, cited: Citations) -> str:
    settings, units = results.settings, find_sampling_units(results)
    n_tested, n_train = len(set(results.rows.tolist())), int(results.n_train.max(initial=0))
    seed = settings.seed if seed is None else seed
    k_fold = _FOLDED.fullmatch(settings.scheme)
    if k_fold:
        times = f", repeated {k_fold[1]} times" if k_fold[1] and k_fold[1] != "1" else ""
        kind = "grouped" if k_fold[3] else "stratified"
        return (
            f"Validation was {kind} {k_fold[2]}-fold cross-validation{times} (seed {seed})"
            f"{cited('kohavi')}."
        )
    if settings.scheme == "leave-one-out":
        return f"Validation was leave-one-out cross-validation{cited('kohavi')}."
    if units.one_fit:
        return (
            f"Models learned from {n_train:,} rows and were evaluated once on {n_tested:,} others "
            f"(hold-out, seed {seed})."
        )
    return f"Validation was {settings.scheme or 'by given rows'}, over {units.n_folds:,} folds."


def _intervals(contents: ReportContents, cited: Citations) -> Iterable[str]:
    records = results_of(contents)
    if not records:
        return
    scores = [f"{name}{cited('gorodkin')}" if name == "MCC" else name for name in SCORES]
    yield f"Scores are {listed(scores)}, with 95 % intervals."
    if all(find_sampling_units(results).independent_rows for results in records):
        yield f"The interval of the accuracy is Wilson's{cited('brown')},"
    else:
        yield (
            f"Those of shares of rows are Wilson's{cited('brown')} for the effective number of "
            "rows, with a jackknife over the models of the folds if there are several"
            f"{cited('stein')},"
        )
    yield (
        "those of scores in which all classes count equally are Price and Bonett's"
        f"{cited('price')}, those of losses are on a log scale."
    )


def _tests(contents: ReportContents, cited: Citations) -> Iterable[str]:
    results = contents.comparison
    if results is None or len(results.methods) < 2:
        return
    score = contents.deciding_score
    differences = pairwise_differences(results, score, contents.rope)
    tests = [test for test in dict.fromkeys(d.test for d in differences) if test in TESTS]
    if tests:
        named = [f"{TESTS[test][0]}{cited(*TESTS[test][1])}" for test in tests]
        yield (
            f"Pairs of models were compared by {score} with {listed(named)}; p-values were "
            f"adjusted by Holm's method{cited('holm')} at the level 0.05."
        )
    share = SCORES[score].is_share
    rope = f"{points(contents.rope)} points" if share else f"{contents.rope:g}"
    yield (
        f"Differences whose whole interval lies within {rope} of zero count as equivalent in "
        "practice; no model of a group is shown to be worse than its best."
    )


def _assumptions(contents: ReportContents, cited: Citations) -> Iterable[str]:
    checked = [name for name in ASSUMPTIONS.get(contents.word or "", ()) if name in CHECKS]
    if checked:
        named = [f"{name}{cited(*CHECKS[name])}" for name in checked]
        yield f"Assumptions checked on the training rows: {listed(named)}."


def _imbalance(contents: ReportContents, cited: Citations) -> Iterable[str]:
    cost, study = contents.cost, contents.study
    if cost is not None:
        yield (
            f"The cost of the class imbalance is the {cost.loss_name} under the prevalence in "
            f"deployment, over {count(len(cost.seeds), 'split')}, decomposed into prior shift, "
            "majority bias and small class by altered priors and weights"
            f"{cited('elkan', 'breiman', 'saerens')}; corrections were chosen and judged on the "
            "same splits."
        )
    if study is not None:
        yield (
            "In the imbalance study classes of the training set were reduced and the loss was "
            "decomposed into prior shift, majority bias, sample size and class size, over "
            f"{count(len(study.seeds), 'choice')} of the rows, by comparison with corrected "
            f"priors{cited('saerens')}, balanced weights{cited('elkan')} and a control of the same "
            f"size with the shares of the full set{cited('faces')}."
        )


def _software(contents: ReportContents) -> str:
    named = [f"{name} {version}" for name, version in contents.versions.items()]
    return f"Computed with {listed(named)}." if named else "Computed with lincore."
