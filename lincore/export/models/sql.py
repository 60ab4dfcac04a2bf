"""Score functions as one SQL query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lincore.errors import DataError
from lincore.export.models.literals import (
    abstention,
    heading,
    linear_terms,
    number,
    refuse_large,
    signed_sum,
    subtraction,
)
from lincore.export.models.score_functions import Input, ScoreFunction, ScoreFunctions
from lincore.limits import LIMITS

# SQLite cannot parse queries with more terms (a million bytes).
MOST_TERMS = 20_000
_HELPER = "lincore_"
# Maximum number of SELECTs that SQLite combines.
_MOST_CLASSES = 400


def to_sql(
    functions: ScoreFunctions, table: str = "data", keep: Sequence[str] | None = None
) -> str:
    """Return score functions as a query that predicts every row of a table.

    Parameters
    ----------
    functions : ScoreFunctions
    table : str, default "data"
        Name of the table. Its columns are named as in the file, and missing values are NULL.
    keep : sequence of str, optional
        Columns to return before the probabilities. Default: those of the model.

    Returns
    -------
    str
        Standard SQL with quoted names, tested with SQLite (with its mathematical functions) and
        DuckDB. It returns the kept columns, one column per class, and "predicted": NULL if the
        model abstains.

    Raises
    ------
    DataError
        If the model is too large, or a name has a character that SQL does not allow.

    Examples
    --------
    >>> import lincore
    >>> model = lincore.compare(lincore.sample("iris"), "lda", keep_models=True).model("lda")
    >>> query = to_sql(lincore.export.score_functions(model), "flowers", keep=["id"])
    >>> print(query.splitlines()[-1])
    FROM lincore_exps AS t;
    """
    refuse_large(functions, MOST_TERMS, "SQL", _MOST_CLASSES)
    columns = functions.columns if keep is None else keep
    return _query(functions, table, list(dict.fromkeys(columns)))


def literal(value: object) -> str:
    """Return a text or integer as a SQL literal."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return "'" + _writable(str(value)).replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Return a name in double quotes."""
    return '"' + _writable(name).replace('"', '""') + '"'


def _writable(text: str) -> str:
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise DataError(
            f"The name {text!r} contains a character that SQL does not allow.",
            where="SQL",
            remedy="Rename the column or level.",
        )
    return text


def _number(value: float) -> str:
    # An exponent makes it a double; without one DuckDB would use a decimal.
    digits = number(value)
    return digits if "e" in digits else f"{digits}e0"


class _Stages:
    """Nested SELECTs, each of which passes on the kept columns."""

    def __init__(self, table: str, kept: Sequence[str], prefix: str) -> None:
        self.prefix, self.source = prefix, identifier(table)
        self.kept = [identifier(name) for name in kept]
        self.written = list[str]()

    def name(self, word: str) -> str:
        """Return the name of a helper."""
        return self.prefix + word

    def names(self, word: str, number_of: int) -> list[str]:
        """Return the names of several helpers."""
        return [self.name(f"{word}{i}") for i in range(number_of)]

    def add(
        self, word: str, carried: Iterable[str], expressions: Iterable[tuple[str, str]]
    ) -> None:
        """Add a SELECT with helpers to pass on and named expressions."""
        # Renamed, because SQLite does not find a column named TRUE or FALSE in a subquery.
        helpers = self.names("k", len(self.kept))
        sources = helpers if self.written else self.kept
        columns = [f"t.{old} AS {new}" for old, new in zip(sources, helpers, strict=True)]
        columns += [f"t.{name} AS {name}" for name in carried]
        columns += [f"{expression} AS {name}" for name, expression in expressions]
        lines = ",\n".join(f"    {column}" for column in columns)
        self.written.append(
            f"{self.name(word)} AS (\n  SELECT\n{lines}\n  FROM {self.source} AS t\n)"
        )
        self.source = self.name(word)

    def query(self, results: Sequence[tuple[str, str]]) -> str:
        """Return the whole query, with the final expressions and their quoted names."""
        helpers = self.names("k", len(self.kept))
        columns = [f"t.{old} AS {new}" for old, new in zip(helpers, self.kept, strict=True)]
        columns += [f"{expression} AS {name}" for name, expression in results]
        lines = ",\n".join(f"  {column}" for column in columns)
        return f"WITH {', '.join(self.written)}\nSELECT\n{lines}\nFROM {self.source} AS t;\n"


def _query(functions: ScoreFunctions, table: str, kept: Sequence[str]) -> str:
    taken = {name.lower() for name in (*kept, *functions.columns)}
    stages = _Stages(table, kept, _unused(_HELPER, taken))
    scores = _add_scores(stages, functions)
    if functions.link == "votes":
        scores = _add_votes(stages, functions, scores)
    top = stages.name("top")
    # These names are generated here; the user's names are quoted by `identifier`.
    rows = " UNION ALL ".join(f"SELECT t.{name} AS s" for name in scores)
    largest = f"(SELECT MAX(s) FROM ({rows}) AS m)"  # noqa: S608
    stages.add("tops", scores, [(top, largest)])
    values = [f"t.{name}" for name in scores]
    if functions.has_probabilities:
        exps = stages.names("e", len(scores))
        # PostgreSQL raises an error if an exponential underflows.
        shifted = [
            f"EXP(CASE WHEN t.{name} - t.{top} < -700 THEN -700e0 ELSE t.{name} - t.{top} END)"
            for name in scores
        ]
        stages.add("exps", [*scores, top], zip(exps, shifted, strict=True))
        total = signed_sum(0.0, [(1.0, f"t.{name}") for name in exps], _number)
        values = [f"t.{name} / ({total})" for name in exps]
    point, best = functions.operating_point, top
    if point is not None and point.costs is not None:
        # Of exponentials, which are posteriors up to a factor.
        scores, best = stages.names("c", len(exps)), stages.name("least")
        columns = list(zip(*point.costs, strict=True))
        costs = [
            signed_sum(
                0.0, [(cost, f"t.{name}") for cost, name in zip(column, exps, strict=True)], _number
            )
            for column in columns
        ]
        stages.add("costs", exps, zip(scores, costs, strict=True))
        every = " UNION ALL ".join(f"SELECT t.{name} AS s" for name in scores)
        least = f"(SELECT MIN(s) FROM ({every}) AS m)"  # noqa: S608
        stages.add("cheapest", [*exps, *scores], [(best, least)])
    # Ties: the first, as in the model; NULL if a value is missing.
    cases = " ".join(
        f"WHEN t.{name} = t.{best} THEN {literal(label)}"
        for name, label in zip(scores, functions.classes, strict=True)
    )
    if point is not None and point.costs is None:
        value, level = values[point.code], _number(point.threshold or 0.0)
        chosen, alternative = (literal(functions.classes[k]) for k in (point.code, 1 - point.code))
        cases = f"WHEN {value} >= {level} THEN {chosen} WHEN {value} < {level} THEN {alternative}"
    if functions.abstains_below is not None:
        # The largest exponential is that of zero.
        cases = f"WHEN 1e0 / ({total}) < {_number(functions.abstains_below)} THEN NULL {cases}"
    names = []
    for name in (*functions.value_names, "predicted"):
        names.append(_unused(name, taken, exact=True))
        taken.add(names[-1].lower())
    results = [*values, f"CASE {cases} END"]
    quoted = [identifier(name) for name in names]
    query = stages.query(list(zip(quoted, results, strict=True)))
    return (
        f"-- {heading(functions)}\n-- {abstention(functions)}\n"
        f"-- Missing values are NULL. Dates are days since 1970-01-01.\n{query}"
    )


def _add_scores(stages: _Stages, functions: ScoreFunctions) -> list[str]:
    """Add inputs minus their origin, squares if any, and the functions."""
    inputs = stages.names("x", len(functions.inputs))
    deviations = [
        subtraction(_input(source), origin, _number)
        for source, origin in zip(functions.inputs, functions.origin.tolist(), strict=True)
    ]
    stages.add("inputs", [], zip(inputs, deviations, strict=True))
    columns = [f"t.{name}" for name in inputs]
    squares: list[tuple[str, str]] = []
    for k, function in enumerate(functions.functions):
        for r, (direction, shift) in enumerate(
            zip(function.directions, function.shift.tolist(), strict=True)
        ):
            terms = linear_terms(direction, columns)
            squares.append((stages.name(f"w{k}_{r}"), signed_sum(-shift, terms, _number)))
    if squares:
        stages.add("squares", inputs, squares)
    names = stages.names("s", len(functions.functions))
    expressions = [
        _function(k, function, columns, stages) for k, function in enumerate(functions.functions)
    ]
    stages.add("scores", [], zip(names, expressions, strict=True))
    return names


def _function(k: int, function: ScoreFunction, columns: Sequence[str], stages: _Stages) -> str:
    terms = linear_terms(function.linear, columns)
    for r, weight in enumerate(function.weight.tolist()):
        name = f"t.{stages.name(f'w{k}_{r}')}"
        terms.append((weight, f"{name}*{name}"))
    return signed_sum(function.constant, terms, _number)


def _add_votes(stages: _Stages, functions: ScoreFunctions, margins: Sequence[str]) -> list[str]:
    """Add votes and confidence of each class, and the resulting scores."""
    n_classes = len(functions.classes)
    votes, sums = stages.names("v", n_classes), stages.names("c", n_classes)
    cast: list[list[tuple[float, str]]] = [[] for _ in functions.classes]
    confidence: list[list[tuple[float, str]]] = [[] for _ in functions.classes]
    for name, (first, second) in zip(margins, functions.pairs, strict=True):
        cast[second].append((1.0, f"CASE WHEN t.{name} > 0 THEN 1 ELSE 0 END"))
        cast[first].append((1.0, f"CASE WHEN t.{name} > 0 THEN 0 ELSE 1 END"))
        confidence[second].append((1.0, f"t.{name}"))
        confidence[first].append((-1.0, f"t.{name}"))
    totals = [signed_sum(0.0, terms, _number) for terms in (*cast, *confidence)]
    stages.add("sums", [], zip((*votes, *sums), totals, strict=True))
    scores = stages.names("s", n_classes)
    squeezed = [
        f"t.{vote} + t.{total} / 3e0 / (ABS(t.{total}) + 1e0)"
        for vote, total in zip(votes, sums, strict=True)
    ]
    stages.add("votes", [], zip(scores, squeezed, strict=True))
    return scores


def _input(source: Input) -> str:
    column = f"t.{identifier(source.column)}"
    if source.kind == "number":
        return column if source.fill is None else f"COALESCE({column}, {_number(source.fill)})"
    if source.kind == "missing":
        return f"CASE WHEN {column} IS NULL THEN 1e0 ELSE 0e0 END"
    missing = "1e0" if source.counts_missing else "0e0"
    inside, outside = ("0e0", "1e0") if source.is_complement else ("1e0", "0e0")
    as_text = f"CAST({column} AS VARCHAR)"
    if source.has_cut_levels:
        most = LIMITS.max_label_chars
        cut = f"SUBSTR({as_text}, 1, {most - 1}) || '\u2026'"
        as_text = f"CASE WHEN LENGTH({as_text}) > {most} THEN {cut} ELSE {as_text} END"
    if not source.levels:
        return f"CASE WHEN {column} IS NULL THEN {missing} ELSE {outside} END"
    levels = ", ".join(literal(text) for level in source.levels for text in _spellings(level))
    return (
        f"CASE WHEN {column} IS NULL THEN {missing} "
        f"WHEN {as_text} IN ({levels}) THEN {inside} ELSE {outside} END"
    )


def _spellings(level: str) -> tuple[str, ...]:
    """Return the texts to which databases convert an integer level."""
    if level.removeprefix("-").isdecimal():
        return level, f"{level}.0"
    return (level,)


def _unused(name: str, taken: set[str], *, exact: bool = False) -> str:
    """Return a name that is not a column or a prefix of one, ignoring case."""
    while any(
        known == name.lower() if exact else known.startswith(name.lower()) for known in taken
    ):
        name += "_"
    return name
