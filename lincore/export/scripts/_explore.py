"""The part of a script about the view of Explore that is open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lincore.analysis.specification import Analysis
from lincore.export.scripts._code import Block, fill
from lincore.utils.code import literal

View = Mapping[str, Any]

_COLUMNS = """ranked = inspection.associations(data, part)
test = None
if ranked:
    test = inspection.largest_association_test(data, ranked[0].column, part)
print(report.association_finding(ranked, test, data.n_classes, data.target_name))
print(f"Computed on {which}.")
ranking = [{"column": one.name, "association": one.value} for one in ranked]
print(export.to_text(ranking, form=".2f"))
column = COLUMN
codes = data.codes if part is None else data.codes[part]
column_name, levels = data.feature_names[column], inspection.level_names(data, column)
values = inspection.column_values(data, column, part)
present = np.isfinite(values)
note = report.non_missing_note(int(present.sum()), len(values), which)
if levels is not None:
    drawn = inspection.level_counts(values, codes, data.n_classes, levels)
    shares = drawn.SHARES()
    describe(plots.share_bars(
        drawn.levels, shares, data.classes, title=column_name, unit=UNIT,
        stacked=STACKED, subtitle=note,
    ))
else:
    NUMERIC
numbers, levels = inspection.summarise_columns(data, [column], part)
SUMMARY"""
_NUMERIC = {
    "histogram": """drawn = inspection.class_histograms(values, codes, data.n_classes, BINS)
    describe(plots.histogram(drawn, data.classes, column_name, shares=HEIGHTS, subtitle=note))""",
    "density": """sizes = np.bincount(codes[present], minlength=data.n_classes)
    found = inspection.class_densities(values, codes, data.n_classes)
    describe(plots.densities(found, data.classes, column_name, sizes=sizes, subtitle=note))""",
    "box": """found = inspection.box_plot_statistics(values, codes, data.n_classes)
    describe(plots.box_plot(found, data.classes, column_name, subtitle=note))""",
}
_TABLES = """if len(numbers):
    numbers["missing"] = [f"{share:.1f}" for share in numbers["missing"]]
print(export.to_text(numbers, form=".4g"))
print(export.to_text(levels, form=".1f"))"""
_SUMMARY = f"""columns = inspection.summary_columns(data, 600)
numbers, levels = inspection.summarise_columns(data, columns, part)
print(report.missing_finding(numbers, levels))
print(f"Computed on {{which}}.")
{_TABLES}"""
_PAIR = """ranked = inspection.associations(data, part)
ranked = [one.column for one in ranked if one.measure == "eta"]
x = X
y = Y
both = inspection.column_values(data, (x, y), part)
codes = data.codes if part is None else data.codes[part]
names = [data.feature_names[x], data.feature_names[y]]
within = inspection.correlation_matrix(both, codes)[0, 1]
total = inspection.correlation_matrix(both, np.zeros_like(codes))[0, 1]
print(report.pair_finding(names, within, total))
present = np.isfinite(both).all(axis=1)
drawn = both[present]
for axis in range(2):  # whole numbers are moved apart a little
    drawn[:, axis], _ = inspection.jitter(drawn[:, axis], seed=axis)
note = report.non_missing_note(int(present.sum()), len(both), which, "in both")
figure = plots.scatter(
    drawn, codes[present], data.classes, names, title=f"{names[1]} over {names[0]}",
    ellipses=ELLIPSES, subtitle=note,
)
describe(figure)"""
_CORRELATIONS = """found = inspection.correlations(
    data, part, within=WITHIN, most=MOST, clustered=CLUSTERED
)
print(report.correlation_finding(found))
note = report.correlation_note(found, which)
figure = plots.correlation_matrix(found, kind=KIND, subtitle=note)
describe(figure)"""
_WORDS = """found = inspection.word_shares(data, part, order=ORDER, most=MOST)
first = [(word, found.shares[:, i].tolist()) for i, word in enumerate(found.words[:3])]
print(report.words_finding(first, data.classes, ORDER))
figure = plots.share_bars(
    found.words, found.shares, data.classes, title="Words by class",
    unit="share of the rows of the class that have the word", subtitle=f"Of {which}.",
)
describe(figure)"""
_PROJECTIONS = """training = model_selection.summarise_training_set(data, split)
projection = inspection.fit_projections(data, split, training, standardize=STANDARDIZE)
n_train = int(projection.moments.count.sum())
if projection.is_sparse:
    print(report.vectors_finding(projection.shares, n_train))
    describe(plots.vector_shares(projection.shares))
else:
    print(report.variance_finding(projection.shares, n_train, rows=rows))
    describe(plots.scree(projection.pipeline.named_steps["pca"], show_kept=False))
print(f"{len(split.train):,} training {rows}; drawn: {len(split.PART):,}.")
shares = [{"component": i + 1, "share (%)": 100 * s} for i, s in enumerate(projection.shares[:20])]
print(export.to_text(shares, form=".1f"))
n_seen = SEEN
fisher = projection.fisher(n_seen)
seen = projection.separation(fisher)
unseen = projection.separation(fisher, data.X[split.test], data.codes[split.test])
component = "singular vector" if projection.is_sparse else "component"
print(report.separation_finding(seen, unseen, len(split.test), rows=rows, component=component))
print(f"Fisher's discriminant sees {n_seen} of {len(projection.shares)} components.")
X, codes = data.X[split.PART], data.codes[split.PART]
axes = AXES[: len(projection.components)]
names = [f"Component {i + 1} ({100 * projection.shares[i]:.1f} %)" for i in axes]
drawings = [(projection.scores(X, axes, whiten=WHITEN), names)]
axes = FISHER[: len(fisher.criterion_)]
J = [report.format_fisher_criterion(fisher.criterion_[i]) for i in axes]
names = [f"Direction {i + 1} (J = {J[place]})" for place, i in enumerate(axes)]
along = projection.fisher_scores(X, fisher, axes)
drawings += [(along, names)] if data.n_classes > 2 else []
for points, names in drawings:
    draw = plots.scatter_3d if len(names) == 3 else plots.scatter
    describe(draw(points, codes, data.classes, names, title="Projection"))
if data.n_classes == 2:
    view = inspection.fisher_view(
        fisher, along[:, 0], codes, split.PART, data.classes, axis_name=names[0]
    )
    describe(plots.direction_histogram(view))"""
# What stands below the projections, by its tab.
_BELOW = {
    "Loadings": """loadings = [*projection.components[:10], *projection.weights(fisher)[:10]]
describe(plots.coefficients(list(projection.names), loadings[DIRECTION], unit="weight"))""",
    "Biplot": """axes = AXES[:2]
names = [f"Component {i + 1} ({100 * projection.shares[i]:.1f} %)" for i in axes]
figure = plots.biplot(
    projection.scores(X, axes, whiten=WHITEN), codes, data.classes,
    projection.components[list(axes)], projection.names, names, rows=split.PART,
)
describe(figure)
print(f"Arrows: the {min(8, len(projection.names))} features of largest weight.")""",
    "Eigen-images": """most = max(2, min(12, 400_000 // data.n_features))
images = projection.components[:most].reshape(-1, *data.image_shape)
names = [str(i + 1) for i in range(len(images))]
describe(plots.coefficient_images(images, names, title="The components as images"))
images = projection.weights(fisher)[:min(most, 6)].reshape(-1, *data.image_shape)
names = [f"Direction {i + 1}" for i in range(len(images))]
describe(plots.coefficient_images(images, names, title="Fisher’s directions as images"))""",
    "Class means": """means = inspection.class_means(
    data.X[split.train], data.codes[split.train], data.n_classes
)
shown = np.flatnonzero(np.isfinite(means).all(axis=1))
shown = shown[:max(2, min(48, 400_000 // data.n_features))]
images = np.rint(means[shown]).astype(np.uint8).reshape(-1, *data.image_shape)
names = [str(data.classes[k]) for k in shown]
describe(plots.images(images, names, title="The mean image of each class"))
print(f"Over {len(split.train):,} training images.")""",
    "Reconstruction": """number = min(NUMBER, len(projection.components))
others, row = [i for i in CHOSEN if i in set(SHOWN)], ROW
row = [*others, *split.test, *split.train][0] if row is None else row
if not others:  # a test image of each other class
    _, first = np.unique(data.codes[split.test], return_index=True)
    others = [i for i in split.test[first] if data.codes[i] != data.codes[row]]
shown = list(dict.fromkeys([int(row), *map(int, others)]))[:6]
images = data.X[shown].reshape(-1, *data.image_shape)
rebuilt = projection.rebuilt(data.X[shown], number).reshape(images.shape)
describe(plots.reconstructions(images, [rebuilt], [number]))
share = projection.shares[:number].sum()
print(f"{number:,} of {len(projection.components):,} components: {100 * share:.1f} % of variance.")
judged = split.test[:: -(-len(split.test) // 1_000) or 1]
if len(judged):
    error = inspection.reconstruction_error(projection, data.X[judged], number)
    print(f"Over {len(judged):,} test images a pixel is off by {error:.1f} of 255 grey levels.")
print("Shown:", ", ".join(f"{i} ({data.classes[data.codes[i]]})" for i in shown))""",
}
_IMAGES = ("Eigen-images", "Class means", "Reconstruction")
_CHOSEN = """chosen = [row for row in CHOSEN if row in set(SHOWN)]
print(f"{len(chosen):,} selected {rows}.")
if chosen and data.kind.is_images:
    names = [str(data.classes[k]) for k in data.codes[chosen]]
    images = data.X[chosen].reshape(-1, *data.image_shape)
    describe(plots.images(images[:60], names[:60], title="The selected rows"))
elif chosen:
    print(export.to_text(inspection.row_table(data, np.array(chosen)), form=""))"""

_PARTS = {
    "train": 'split.train, f"{len(split.train):,} training rows"',
    "test": 'split.test, f"{len(split.test):,} test rows"',
}
_ALL = """None, f"all {data.n_rows:,} rows{' in memory' if data.n_streamed else ''}\""""


def explore_blocks(analysis: Analysis) -> tuple[Block, ...]:
    """Return the code that prints what the page Explore says in the view that is open."""
    view = analysis.view
    part = _PARTS.get(str(view.get("explore.rows")), _ALL)
    before = f"part, which = {part}\n"
    name = view.get("explore.view")
    if name == "pairs":
        return (Block("Scatter", before + _pair(view), ("figure",)),)
    if name == "correlations":
        return (Block("Correlations", before + _correlations(view), ("figure",)),)
    if name == "summary":
        return (Block("Summary", before + _SUMMARY),)
    if name == "words":
        order = "frequent" if view.get("explore.words.order") == "frequent" else "characteristic"
        most = literal(view.get("explore.words.most", 15))
        code = fill(_WORDS, ORDER=literal(order), MOST=most)
        return (Block("Words", before + code, ("figure",)),)
    if name == "projections":
        return (Block("Projections", _projections(analysis)),)
    # Images have no columns of their own.
    columns = _indented(before + _columns(view))
    projections = _indented(_projections(analysis))
    code = f"if data.n_table_columns and not data.kind.is_images:\n{columns}\nelse:\n{projections}"
    return (Block("Columns", code),)


def _indented(code: str) -> str:
    return "\n".join(f"    {line}" if line else line for line in code.splitlines())


def _columns(view: View) -> str:
    kind = str(view.get("explore.plot.numeric"))
    # At first the classes stand side by side where they are few.
    levels = view.get("explore.plot.levels")
    by_class = "data.n_classes <= 3" if levels is None else literal(levels == "of_class")
    numeric = fill(
        _NUMERIC.get(kind, _NUMERIC["histogram"]),
        BINS=literal(view.get("explore.bins")),
        HEIGHTS=literal(view.get("explore.heights") != "rows"),
    )
    column = view.get("explore.column")
    return fill(
        _COLUMNS.replace("drawn.SHARES()", "drawn.of_class() if BY_CLASS else drawn.of_level()"),
        COLUMN="ranked[0].column" if column is None else literal(column),
        BY_CLASS=by_class,
        UNIT=f"f\"share of the {{'class' if {by_class} else 'level'}}\"",
        STACKED=f"not ({by_class})",
        NUMERIC=numeric,
        SUMMARY=_TABLES,
    )


def _pair(view: View) -> str:
    x, y = view.get("explore.pair.x"), view.get("explore.pair.y")
    code = fill(
        _PAIR,
        X="ranked[0]" if x is None else literal(x),
        Y="next(one for one in ranked if one != x)" if y is None else literal(y),
        ELLIPSES=literal(bool(view.get("explore.pair.ellipses"))),
    )
    chosen = _picked(view, "pair")
    shown = fill(_CHOSEN, CHOSEN=literal(chosen), SHOWN="range(data.n_rows)")
    return f"{code}\n{shown}" if chosen else code


def _correlations(view: View) -> str:
    within = view.get("explore.correlations.scope", "within") == "within"
    return fill(
        _CORRELATIONS,
        WITHIN=literal(within),
        MOST=literal(view.get("explore.correlations.most", 30)),
        CLUSTERED=literal(view.get("explore.correlations.order") == "clustered"),
        KIND=literal("within classes" if within else "over all classes"),
    )


def _projections(analysis: Analysis) -> str:
    view = analysis.view
    standardize = literal(view.get("explore.standardize", analysis.steps.standardize))
    if standardize == "None":
        standardize = "lincore.Steps().resolved(data).standardize"
    dimensions = view.get("explore.dimensions")
    ends = "xyz" if dimensions == 3 else "xy"
    seen = view.get("explore.fisher_components")
    part = "test" if view.get("explore.part") == "test" else "train"
    chosen: list[int] = []
    if dimensions != 3:
        picked = [_picked(view, key) for key in ("scores", "fisher.scores")]
        chosen = list(dict.fromkeys(row for rows in picked for row in rows))
    row = view.get("explore.image")
    codes = {
        "STANDARDIZE": standardize,
        "PART": part,
        "SEEN": "inspection.n_fisher_components(data, projection)"
        if seen is None
        else literal(seen),
        "AXES": literal(tuple(view.get(f"explore.{end}", k) for k, end in enumerate(ends))),
        "FISHER": literal(
            tuple(view.get(f"explore.fisher.{end}", k) for k, end in enumerate(ends))
        ),
        "WHITEN": literal(bool(view.get("explore.whiten"))),
        "DIRECTION": literal(view.get("explore.direction", 0)),
        "NUMBER": literal(view.get("explore.rebuild", 20)),
        "ROW": literal(row),
        "CHOSEN": literal(chosen),
        "SHOWN": f"split.{part}",
    }
    shown = [_PROJECTIONS, *([_CHOSEN] if chosen else [])]
    below = _tab(view, "images")
    if below in _IMAGES:
        shown.append(f"if data.kind.is_images:\n{_indented(_BELOW[below])}")
    below = _tab(view, "table3", "table2")
    if below in _BELOW:
        shown.append(f"if not data.kind.is_images:\n{_indented(_BELOW[below])}")
    return fill("\n".join(shown), **codes)


def _picked(view: View, key: str) -> list[int]:
    """Return the rows that were selected in a plot."""
    found = view.get(f"explore.{key}.picked")
    return list(found) if isinstance(found, tuple) else []


def _tab(view: View, *kinds: str) -> str:
    return next((str(view[key]) for kind in kinds if (key := f"explore.panels.{kind}") in view), "")
