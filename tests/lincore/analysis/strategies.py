"""Specifications at random, of every kind."""

from __future__ import annotations

from hypothesis import strategies as st

from lincore import fields, io
from lincore.analysis import (
    Analysis,
    BalanceCostQuestion,
    BalanceStudyQuestion,
    ClassifyQuestion,
    ClassShare,
    CompareQuestion,
    DataQuestion,
    DownloadData,
    ExperimentData,
    ExploreQuestion,
    FileData,
    GeneratedData,
    GeometryQuestion,
    NewFile,
    PredictQuestion,
    SampleData,
    SavedModel,
    SplitChoice,
    TypedRow,
)
from lincore.laboratory import EXPERIMENTS
from lincore.model_selection import CLASSIFIER_OPTIONS, Steps

WORDS = st.sampled_from(sorted(CLASSIFIER_OPTIONS))
some_words = st.lists(WORDS, min_size=1, max_size=5, unique=True).map(tuple)
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
labels = st.one_of(st.booleans(), st.integers(-999, 999), st.floats(-9, 9), texts)
shares = st.lists(st.floats(0, 1), min_size=2, max_size=5).map(tuple)


@st.composite
def values(draw, option):
    """Return a value of an option that is not its default."""
    found = list(option.field.choices or ())
    if option.type is bool:
        found = [not option.default]
    if option.field.low is not None:
        low, high = max(option.field.low, 0), min(option.field.high or 1000, 1000)
        if option.type is int:
            found.append(draw(st.integers(int(low), int(high))))
        else:
            found.append(draw(st.floats(low, high, exclude_min=option.field.above)))
    return draw(
        st.sampled_from([one for one in found if one != option.default] or [option.default])
    )


@st.composite
def options(draw, words=WORDS):
    """Return options of some classifiers, none of them the default."""
    found = {}
    for word in draw(st.lists(words, max_size=4, unique=True)):
        known = fields.options(CLASSIFIER_OPTIONS[word])
        chosen = {
            option.name: draw(values(option))
            for option in draw(st.lists(st.sampled_from(known), min_size=1, max_size=3))
        }
        defaults = {option.name: option.default for option in known}
        chosen = {name: value for name, value in chosen.items() if value != defaults[name]}
        if chosen:
            found[word] = chosen
    return found


steps = st.builds(
    Steps,
    st.sampled_from([None, True, False]),
    st.sampled_from([None, "polynomial(degree=2)", "trigonometric", "radial", "kernel"]),
    st.one_of(st.none(), st.integers(1, 200), st.sampled_from([0.95, 0.5, "cv", "cv-1se"])),
    st.booleans(),
)
splits = st.builds(
    SplitChoice,
    st.sampled_from([None, "stratified", "last", "given", "group"]),
    st.floats(0, 0.99),
    st.integers(0, 9999),
)
conditions = st.one_of(
    st.builds(
        io.Condition,
        texts,
        st.just("is one of"),
        st.lists(labels, min_size=1, max_size=3).map(tuple),
    ),
    st.builds(io.Condition, texts, st.just("between"), st.just((18, None))),
)
tables = st.builds(
    io.TableOptions,
    where=st.lists(conditions, max_size=2).map(tuple),
    rename=st.dictionaries(texts, texts, max_size=2),
    roles=st.dictionaries(texts, st.sampled_from(io.COLUMN_ROLES), max_size=3),
    missing=st.sampled_from([None, "median", "drop"]),
    bins=st.one_of(st.none(), st.integers(2, 50), st.just(io.Bins(4, "width")), st.just((2.5, 4))),
    categories=st.lists(texts, max_size=2).map(tuple),
    drop_classes=st.lists(labels, max_size=2).map(tuple),
    merge_classes=st.dictionaries(labels, texts, max_size=2),
    drop_duplicates=st.booleans(),
)
reading = st.builds(
    io.ReadOptions,
    separator=st.sampled_from([None, ";", "\t"]),
    header=st.sampled_from([None, True, False, 3]),
    missing_codes=st.one_of(st.none(), st.lists(texts, max_size=2).map(tuple)),
    missing_in=st.one_of(
        st.none(), st.dictionaries(texts, st.lists(st.integers(0, 9), max_size=2).map(tuple))
    ),
)
new_files = st.builds(NewFile, texts, st.sampled_from(["", "0a" * 32]), reading, st.booleans())
typed_rows = st.builds(TypedRow, st.dictionaries(texts, st.one_of(st.none(), labels), max_size=5))
class_shares = st.builds(ClassShare, st.integers(0, 99), st.floats(0, 1))
images = st.builds(
    io.ImageOptions,
    st.sampled_from([None, (32, 24)]),
    st.booleans(),
    st.sampled_from(["pad", "crop"]),
    st.sampled_from([None, "^(?P<label>[a-z]+)"]),
)
points = st.lists(st.tuples(st.floats(-6, 6), st.floats(-6, 6), st.integers(0, 1)), max_size=5).map(
    tuple
)
rows = st.lists(st.floats(-9, 9), min_size=2, max_size=2).map(tuple)
generated = st.builds(
    GeneratedData,
    means=st.one_of(st.none(), st.lists(rows, min_size=2, max_size=4).map(tuple)),
    sizes=st.one_of(st.none(), st.integers(1, 999)),
    label_noise=st.floats(0, 0.3),
    seed=st.integers(0, 99),
)
files = st.builds(FileData, texts, st.sampled_from(["", "0a" * 32]), texts, reading, tables, images)
samples = st.builds(SampleData, st.sampled_from(io.SAMPLES))
used_otherwise = st.builds(SampleData, st.sampled_from(io.SAMPLES), texts, reading, tables)
data = st.one_of(
    samples,
    used_otherwise,
    generated,
    files,
    st.builds(DownloadData, st.sampled_from(io.DOWNLOADS)),
    st.builds(ExperimentData, st.sampled_from(sorted(EXPERIMENTS)), texts, points),
)
questions = st.one_of(
    st.builds(DataQuestion),
    st.builds(ExploreQuestion),
    st.builds(
        GeometryQuestion,
        st.sampled_from(sorted(EXPERIMENTS)),
        texts,
        st.one_of(st.none(), st.floats(-9, 9)),
        st.booleans(),
        points,
        texts,
    ),
    st.builds(ClassifyQuestion, WORDS),
    st.builds(
        CompareQuestion,
        some_words,
        options(),
        st.sampled_from(["holdout", "10-fold", "100x100-fold by group", "leave-one-out"]),
        st.one_of(st.none(), texts),
        st.floats(0, 1),
    ),
    st.builds(
        BalanceCostQuestion,
        some_words,
        st.one_of(st.sampled_from(["equal", "file"]), shares),
        st.floats(0.01, 1000),
        st.integers(2, 200),
    ),
    st.builds(
        BalanceStudyQuestion,
        st.dictionaries(labels, st.integers(1, 99), max_size=3),
        some_words,
        loss=st.one_of(st.none(), texts),
        method=st.one_of(st.none(), WORDS),
    ),
    st.builds(
        PredictQuestion,
        WORDS,
        st.one_of(st.none(), st.just("estimate"), class_shares),
        rows=st.one_of(st.none(), new_files, typed_rows),
        model=st.one_of(st.none(), st.builds(SavedModel, texts, st.just("0a" * 32))),
        threshold=st.one_of(st.none(), st.floats(0, 1)),
        reject=st.sampled_from([None, "sets", "sets by class", "cost"]),
    ),
)
views = st.dictionaries(
    st.from_regex(r"[a-z]{1,8}(\.[a-z]{1,8}){0,2}", fullmatch=True),
    st.one_of(st.booleans(), st.integers(0, 99), texts, st.lists(texts, max_size=3).map(tuple)),
    max_size=5,
)
analyses = st.builds(
    Analysis,
    data,
    splits,
    steps,
    options(),
    questions,
    views,
    st.lists(questions, max_size=2).map(tuple),
)
