"""Class labels stand in quotes in sentences, once, and the word class is not doubled."""

import re

import numpy as np
import pytest

import lincore
from lincore import plots, prediction, report
from lincore.utils import class_named, quoted

LABELS = {"class 3": "'class 3'", "3": "class '3'", "Class b": "'Class b'", "rare": "class 'rare'"}


@pytest.mark.parametrize("label", LABELS)
def test_the_word_class_stands_once(label):
    assert class_named(label) == LABELS[label] and quoted(label) == f"'{label}'"


def test_two_long_names_in_a_sentence_stay_distinct():
    """Shortened in their middle, where they differ, they were the same."""
    names = [f"the department of comparative studies {i} in the north of town" for i in (1, 2)]
    codes = (np.arange(200) % 4 == 0).astype(int)
    X = np.random.default_rng(0).standard_normal((200, 2)) + codes[:, None]
    model = lincore.fit(lincore.load((X, np.array(names)[codes])), "lda")
    for said in (model.scores().finding(), model.classes().finding()):
        assert "'…1 in the north of town'" in said and "'…2 in the north of town'" in said


@pytest.mark.parametrize("names", [("class 1", "class 2"), ("1", "2"), ("no", "yes")])
def test_every_sentence_quotes_the_labels(names):
    rng = np.random.default_rng(0)
    codes = (np.arange(200) % 10 == 0).astype(int)
    X = rng.standard_normal((200, 2)) + 1.2 * codes[:, None]
    data = lincore.load((X, np.array(names)[codes]))
    results = lincore.compare(data, ["lda", "fisher"], keep_models=True)
    new = prediction.predict(results.model("lda"), X)
    heat = plots.recall_map([[0.9, 0.3]], ["LDA"], list(names))
    change = plots.confusion_difference([[9, 1], [2, 8]], [[8, 2], [5, 5]], list(names))
    sentences = [
        report.comparison_finding(results),
        report.baseline_finding(results, "lda"),
        report.classification_finding(results, "lda"),
        results.scores().table().columns[3],
        new.by_class().finding(),
        new.with_priors([0.5, 0.5]).by_class().scope(),
        str(heat.layout.title.text),
        str(change.layout.title.text),
        *(str(check.sentence) for check in lincore.assumptions(X, codes, data.classes)),
    ]
    rare = names[1]
    for text in sentences:
        assert "class 'class" not in text
        # A label of a letter or two may be part of another word or number.
        for found in re.finditer(rf"(?<![\w.]){re.escape(rare)}(?![\w.,%])", text):
            if not names[0].isdigit():
                assert text[found.start() - 1] == "'" and text[found.end()] == "'", text
    assert sum(f"'{rare}'" in text for text in sentences) >= 6
