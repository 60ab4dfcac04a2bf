"""How many small faults the tests catch: ``python -m benchmarks.mutants COPY [--count 50]``.

A seeded sample of places gets a fault each, a kind at a time: a sign, an axis, a bound, a divisor,
a default, a condition, a forgotten weight, a dropped group, a leaked fold, a swapped label, a stale
cache. All of them are written into a copy of the repository at once, each behind a switch: without
``MUTANT`` in the environment the copy behaves as the original and notes which test reaches which
place; with ``MUTANT=7`` it has the seventh fault. So one run of a suite says which tests can
catch a fault at all, and only those are run again, until one fails.

    python -m benchmarks.mutants /tmp/copy              # make the copy, list the faults
    cd /tmp/copy && python -m pytest ...                # notes hits in /tmp/copy/hits
    python -m benchmarks.mutants /tmp/copy --run tests/lincore tests/golden ...
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path

ROOT = Path(__file__).parents[1]
SEED = 32
#: Names of the rows that a model may see.
TRAINING = ("train", "training", "fold.train", "split.train", "rows")
#: A run that takes longer than this has a fault that makes it hang: caught.
PATIENCE = 900
Mutate = Callable[[ast.AST], ast.AST | None]
SWITCH = '''"""Which fault is switched on, and which test reaches which."""
import os
from pathlib import Path

ON = os.environ.get("MUTANT", "")
HITS = Path(__file__).parent / "hits"
SEEN = set()


def active(number):
    if ON:
        return ON == str(number)
    test = os.environ.get("PYTEST_CURRENT_TEST", "import").rsplit(" ", 1)[0]
    if (number, test) not in SEEN:
        SEEN.add((number, test))
        HITS.mkdir(exist_ok=True)
        with (HITS / str(number)).open("a") as file:
            file.write(test + "\\n")
    return False
'''


def _swapped(kind: type, other: type) -> Mutate:
    """Return what puts one operator for another, in sums and comparisons."""

    def mutate(node: ast.AST) -> ast.AST | None:
        if isinstance(node, ast.BinOp) and isinstance(node.op, kind):
            joins_text = _is_text(node.left) or _is_text(node.right)
            return None if joins_text else ast.BinOp(node.left, other(), node.right)
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], kind) and len(node.ops) == 1:
            return ast.Compare(node.left, [other()], node.comparators)
        return None

    return mutate


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or isinstance(getattr(node, "value", None), str)


def _divisor(node: ast.AST) -> ast.AST | None:
    # A path is joined by the same sign.
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
        return None
    if _is_text(node.left) or _is_text(node.right) or "path" in ast.unparse(node).lower():
        return None
    return ast.BinOp(node.left, ast.Div(), ast.BinOp(node.right, ast.Add(), ast.Constant(1)))


def _axis(node: ast.AST) -> ast.AST | None:
    if not isinstance(node, ast.Call):
        return None
    for i, word in enumerate(node.keywords):
        if word.arg == "axis" and isinstance(word.value, ast.Constant | ast.UnaryOp):
            mutated = deepcopy(node)
            was = ast.literal_eval(word.value)
            mutated.keywords[i].value = ast.Constant(1 if was == 0 else 0)
            return mutated
    return None


def _condition(node: ast.AST) -> ast.AST | None:
    if isinstance(node, ast.BoolOp):
        return node.values[0]
    return None


def _keyword(*words: str) -> Mutate:
    """Return what forgets an argument given by name."""

    def mutate(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.Call):
            return None
        for i, word in enumerate(node.keywords):
            if word.arg in words and not isinstance(word.value, ast.Constant):
                mutated = deepcopy(node)
                mutated.keywords[i].value = ast.Constant(None)
                return mutated
        return None

    return mutate


def _fold(node: ast.AST) -> ast.AST | None:
    if _is_read(node) and ast.unparse(node.slice) in TRAINING:
        return ast.Subscript(node.value, ast.Slice(), ast.Load())
    return None


def _label(node: ast.AST) -> ast.AST | None:
    if _is_read(node) and ast.unparse(node.value).endswith(("classes", "classes_", "labels")):
        if isinstance(node.slice, ast.Slice | ast.Tuple):
            return None
        backwards = ast.Slice(step=ast.Constant(-1))
        turned = ast.Subscript(node.value, backwards, ast.Load())
        return ast.Subscript(turned, node.slice, ast.Load())
    if isinstance(node, ast.Attribute) and node.attr == "argmax":
        return ast.Attribute(node.value, "argmin", ast.Load())
    return None


def _is_read(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)


def _cache(node: ast.AST) -> ast.AST | None:
    """Forget the last part of what an answer is kept by."""
    if not isinstance(node, ast.Tuple) or not isinstance(node.ctx, ast.Load) or len(node.elts) < 2:
        return None
    if not any("digest" in ast.unparse(part) for part in node.elts):
        return None
    mutated = deepcopy(node)
    mutated.elts[-1] = ast.Constant(0)
    return mutated


def _default(node: ast.AST) -> ast.AST | None:
    """Mutate a default; the caller hands over defaults alone."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            return ast.Constant(not node.value)
        if isinstance(node.value, int | float):
            return ast.Constant(node.value * 2 if node.value else type(node.value)(1))
    return None


KINDS: dict[str, Mutate] = {
    "sign": _swapped(ast.Add, ast.Sub),
    "sign back": _swapped(ast.Sub, ast.Add),
    "bound": _swapped(ast.Lt, ast.LtE),
    "bound above": _swapped(ast.Gt, ast.GtE),
    "comparison": _swapped(ast.Eq, ast.NotEq),
    "factor": _swapped(ast.Mult, ast.Div),
    "divisor": _divisor,
    "axis": _axis,
    "condition": _condition,
    "weight": _keyword("weights", "sample_weight", "class_weight", "weight"),
    "group": _keyword("groups", "strata"),
    "priors": _keyword("priors"),
    "fold": _fold,
    "label": _label,
    "cache": _cache,
    "default": _default,
}


class _Writer(ast.NodeTransformer):
    """Put a fault behind its switch at one node."""

    def __init__(self, target: ast.AST, number: int, kind: str) -> None:
        self.target, self.number, self.kind = target, number, kind

    def visit(self, node: ast.AST) -> ast.AST:
        """Replace the target, and go on into everything else."""
        if node is self.target:
            return ast.IfExp(_call(self.number), KINDS[self.kind](deepcopy(node)), node)
        return self.generic_visit(node)


def _call(number: int) -> ast.expr:
    return ast.Call(ast.Name("_mutant", ast.Load()), [ast.Constant(number)], [])


def candidates(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Yield what could be made wrong in a file: the kind, and the node."""
    skipped: set[ast.AST] = set()
    defaults: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
            defaults.update(given)
            for note in [node.returns, *(a.annotation for a in _all_arguments(node.args))]:
                skipped.update(ast.walk(note) if note is not None else ())
        elif isinstance(node, ast.AnnAssign):
            skipped.update(ast.walk(node.annotation))
        elif isinstance(node, ast.Raise | ast.JoinedStr | ast.FormattedValue | ast.match_case):
            skipped.update(ast.walk(node))
    for node in ast.walk(tree):
        if node in skipped:
            continue
        for kind, mutate in KINDS.items():
            if (kind == "default") == (node in defaults) and mutate(node) is not None:
                yield kind, node


def _all_arguments(arguments: ast.arguments) -> list[ast.arg]:
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def sample(count: int, leave_out: tuple[str, ...]) -> list[tuple[Path, str, int]]:
    """Draw places: kinds in turn, packages in turn, so that neither large ones nor `+` prevail."""
    pool: dict[str, dict[str, list[tuple[Path, int]]]] = defaultdict(lambda: defaultdict(list))
    for folder in ("lincore", "pages"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT)
            if name.name.startswith("__") or any(part in str(name) for part in leave_out):
                continue
            package = "/".join(name.parts[:3] if folder == "pages" else name.parts[:2])
            for i, (kind, _) in enumerate(candidates(ast.parse(path.read_text("utf-8")))):
                pool[kind][package].append((name, i))
    random.seed(SEED)
    used: dict[str, int] = defaultdict(int)
    chosen: list[tuple[Path, str, int]] = []
    while len(chosen) < count:
        for kind in KINDS:
            packages = [package for package in pool[kind] if pool[kind][package]]
            if not packages or len(chosen) == count:
                continue
            least = min(used[package] for package in packages)
            package = random.choice([p for p in packages if used[p] == least])
            places = pool[kind][package]
            name, place = places.pop(random.randrange(len(places)))
            chosen.append((name, kind, place))
            used[package] += 1
    return chosen


def copy(folder: Path, count: int, leave_out: tuple[str, ...]) -> None:
    """Copy the repository with all faults switched off, and write down which they are."""
    if not folder.exists():
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".venv", ".git", "__pycache__"))
    (folder / "_mutants.py").write_text(SWITCH)
    chosen = sample(count, leave_out)
    files: dict[Path, list[tuple[int, str, int]]] = defaultdict(list)
    for number, (name, kind, place) in enumerate(chosen):
        files[name].append((number, kind, place))
    listed = {}
    for name, faults in files.items():
        tree = ast.parse((ROOT / name).read_text("utf-8"))
        nodes = list(candidates(tree))
        owners = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        targets = [(number, kind, nodes[place][1]) for number, kind, place in faults]
        for number, kind, node in targets:
            wrong = ast.unparse(KINDS[kind](deepcopy(node)))
            listed[number] = f"{name}:{node.lineno} {kind}: {ast.unparse(node)} -> {wrong}"
        for number, kind, node in targets:
            if kind == "default":
                _note_call(owners, node, number)
            tree = _Writer(node, number, kind).visit(tree)
        at = 1 if ast.get_docstring(tree) is not None else 0
        while isinstance(tree.body[at], ast.ImportFrom) and tree.body[at].module == "__future__":
            at += 1
        tree.body.insert(at, ast.parse("from _mutants import active as _mutant").body[0])
        (folder / name).write_text(ast.unparse(ast.fix_missing_locations(tree)) + "\n", "utf-8")
    (folder / "mutants.json").write_text(json.dumps(listed, indent=1, sort_keys=True))
    for number in sorted(listed):
        print(f"{number:3d} {listed[number]}")


def _note_call(owners: dict[ast.AST, ast.AST], node: ast.AST, number: int) -> None:
    """Note calls of the function of a default, which is evaluated once, at import."""
    function = owners[owners[node]]
    at = 1 if ast.get_docstring(function) is not None else 0
    function.body.insert(at, ast.Expr(_call(number)))


def run(folder: Path, tests: list[str], numbers: list[int] | None) -> None:
    """Run the tests that reach each fault, with the fault, until one fails."""
    listed = json.loads((folder / "mutants.json").read_text())
    caught = 0
    asked = [int(n) for n in listed] if numbers is None else numbers
    for number in sorted(asked):
        hits = folder / "hits" / str(number)
        # What is reached at import or by a server's process has no test of its own: its files do.
        reached = set(hits.read_text().splitlines()) if hits.exists() else set()
        reached = [name for name in sorted(reached, key=_cost) if name.startswith(tuple(tests))]
        verdict = "not reached"
        if reached:
            verdict = _verdict(folder, number, reached)
        caught += verdict.startswith("caught")
        print(f"{number:3d} {verdict:12s} ({len(reached)} tests) {listed[str(number)]}", flush=True)
    print(f"{caught} of {len(asked)} caught")


def _cost(name: str) -> tuple[int, str]:
    """Sort tests of the library before those that draw pages."""
    return next(i for i, part in enumerate(("tests/lincore", "lincore", "")) if part in name), name


def _verdict(folder: Path, number: int, reached: list[str]) -> str:
    names = folder / f"reached-{number}.txt"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "-o",
        "addopts=",
        "--doctest-modules",
        "--import-mode=importlib",
        f"@{names}",
    ]
    names.write_text("\n".join(reached))
    environment = {**os.environ, "MUTANT": str(number)}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return "caught: hangs"
    if done.returncode in (4, 5):
        print(done.stdout[-2000:], done.stderr[-2000:], file=sys.stderr)
        return "no tests"
    return "caught" if done.returncode else "MISSED"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("copy", type=Path)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--leave-out", nargs="*", default=())
    parser.add_argument("--only", nargs="*", type=int)
    parser.add_argument("--run", nargs="*", metavar="TESTS")
    options = parser.parse_args()
    if options.run is None:
        copy(options.copy.resolve(), options.count, tuple(options.leave_out))
    else:
        run(options.copy.resolve(), options.run, options.only)
