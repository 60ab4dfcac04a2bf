"""First lines are noun phrases or imperatives; public names have NumPy sections."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

import lincore
from lincore.errors import DataError

ROOT = Path(__file__).parents[2]
FOLDERS = ("lincore", "pages", "benchmarks", "docs", "tests")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)
QUESTION = re.compile(r"(What|Whether|How|Which|Where|Who|Why|When)\b")


def begun_as_questions(path: Path) -> list[str]:
    """Return the first lines of the docstrings of a file that begin as a question does."""
    kinds = ast.Module if "tests" in path.relative_to(ROOT).parts else DOCUMENTED
    found = [
        ast.get_docstring(node) or ""
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, kinds)
    ]
    return [words.splitlines()[0] for words in found if QUESTION.match(words)]


def test_no_docstring_begins_as_a_question():
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    begun = {str(path.relative_to(ROOT)): begun_as_questions(path) for path in files}
    assert {name: lines for name, lines in begun.items() if lines} == {}


#: Records of the library, which say themselves what they hold.
RECORD = (
    r"((?!Array|Codes|Counts|Flags|Any\b|NDArray|Sequence|Mapping|Callable|Iterable)"
    r"([a-z]\w*\.)*[A-Z]\w+)( \| None)?"
)
#: What a first line can say of what is returned.
PLAIN = re.compile(
    rf"{RECORD}|list\[[A-Z]\w+\]|(str|bool)( \| None)?|list\[str\]|tuple\[str, \.\.\.\]|None|"
    r"Iterator\[None\]"
)


#: Sections that describe the fields of a record, or the options of a model.
FIELDS = ("Parameters", "Attributes")


def public() -> list[tuple[str, Any]]:
    """Return the functions and classes of every package's door, each once."""
    found = {}
    for path in sorted((ROOT / "lincore").rglob("__init__.pyi")):
        package = importlib.import_module(".".join(path.parent.relative_to(ROOT).parts))
        for name in package.__all__:
            one = getattr(package, name)
            is_ours = getattr(one, "__module__", "").startswith("lincore")
            if is_ours and (inspect.isfunction(one) or inspect.isclass(one)):
                found[f"{one.__module__}.{name}"] = one
    return sorted(found.items())


def sections(doc: str) -> dict[str, str]:
    """Return the NumPy sections of a docstring by title."""
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", inspect.cleandoc(doc), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def entries(section: str) -> set[str]:
    """Return the names that a section describes."""
    heads = re.findall(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?= :|$)", section, re.MULTILINE)
    return {name.strip("* ") for head in heads for name in head.split(",")}


def raised(function: Any) -> set[str]:
    """Return the errors of the library that the body of a function raises itself."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    calls = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    names = {ast.unparse(call.func) for call in calls if isinstance(call, ast.Call)}
    return {name for name in names if hasattr(lincore.errors, name)}


def missing_in_function(function: Any) -> list[str]:
    """Return the sections that the docstring of a function lacks."""
    found = sections(function.__doc__ or "")
    signature = inspect.signature(function)
    parameters = {
        name: str(parameter.annotation) for name, parameter in signature.parameters.items()
    }
    missing = []
    records = [kind for kind in parameters.values() if re.fullmatch(RECORD, kind)]
    if "Parameters" in found or len(records) < len(parameters):
        unnamed = parameters.keys() - entries(found.get("Parameters", ""))
        missing += [f"Parameters: {', '.join(sorted(unnamed))}"] if unnamed else []
    if not PLAIN.fullmatch(str(signature.return_annotation)):
        missing += ["Returns"] if not found.keys() & {"Returns", "Yields"} else []
    unsaid = {name for name in raised(function) if name not in found.get("Raises", "")}
    return missing + [f"Raises: {name}" for name in sorted(unsaid)]


def missing_in_class(cls: type) -> list[str]:
    """Return what a class does not describe: the fields of a record, the options of a model."""
    bases = [base for base in cls.__mro__ if base.__module__.startswith("lincore")]
    found = [sections(base.__doc__ or "") for base in bases]
    named = {name for each in found for title in FIELDS for name in entries(each.get(title, ""))}
    fields = getattr(cls, "_fields", None) or getattr(cls, "__dataclass_fields__", None)
    if fields is not None:
        wanted = {name for name in fields if not name.startswith("_")} - commented(cls)
    elif "__init__" in vars(cls):
        wanted = set(inspect.signature(cls).parameters)
    else:
        return []
    unnamed = wanted - named
    return [f"Parameters: {', '.join(sorted(unnamed))}"] if unnamed else []


def commented(cls: type) -> set[str]:
    """Return the fields that have a comment beside or above them, or a sentence below."""
    bases = [base for base in cls.__mro__ if base.__module__.startswith("lincore")]
    lines = "\n".join(inspect.getsource(base) for base in bases).splitlines()
    found = set()
    for before, line, after in zip(lines, lines[1:], [*lines[2:], ""], strict=False):
        field = re.match(r" {4}(\w+): ", line)
        if field and ("#" in line or before.strip()[:1] == "#" or after.strip()[:3] == '"""'):
            found.add(field[1])
    return found


PUBLIC = public()


@pytest.mark.parametrize("one", [one for _, one in PUBLIC], ids=[name for name, _ in PUBLIC])
def test_public_names_say_what_goes_in_and_what_comes_out(one):
    assert not (missing_in_class(one) if inspect.isclass(one) else missing_in_function(one))


def test_what_is_missing_is_found():
    def silent(rows: Array, width: int = 2) -> Array:  # noqa: F821
        """Return rows.

        Parameters
        ----------
        rows : ndarray of shape (n, p)
        """
        raise DataError("Refused.")

    assert missing_in_function(silent) == ["Parameters: width", "Returns", "Raises: DataError"]
