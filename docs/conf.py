"""The site of docs/: the guide as it stands here, and a reference of every public name."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from api_pages import write_api_pages  # noqa: E402
from docutils import nodes  # noqa: E402
from latex2mathml.converter import convert  # noqa: E402

import lincore  # noqa: E402

project = "lincore"
version = release = lincore.__version__
html_title = f"lincore {lincore.__version__}"
html_theme = "furo"
html_static_path: list[str] = []
html_show_sphinx = False
html_copy_source = False
html_show_copyright = False
# Formulas are MathML, which browsers draw: the site fetches nothing.
html_math_renderer = "mathml"
exclude_patterns = ["build"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["dollarmath"]
# GitHub's way to write a formula of its own.
myst_fence_as_directive = ["math"]
myst_heading_anchors = 3

# The docstrings name every type, and what is private stays so.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_ivar = True
# Words of shapes and types, such as p, are no names to link to.
napoleon_use_param = False
napoleon_use_rtype = False
suppress_warnings = ["ref.python"]

write_api_pages(HERE / "api")


def setup(app: Any) -> None:
    """Connect what makes our docstrings fit for reStructuredText."""
    app.connect("autodoc-process-docstring", escape_underscores)
    app.connect("autodoc-skip-member", skip_routing)
    app.add_html_math_renderer("mathml", (write_formula, None), (write_formula, None))


def write_formula(translator: Any, node: Any) -> None:
    """Write a formula of either kind as MathML."""
    is_block = isinstance(node, nodes.math_block)
    text = convert(node.astext(), display="block" if is_block else "inline")
    translator.body.append(f"<p>{text}</p>" if is_block else text)
    raise nodes.SkipNode


def escape_underscores(
    app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Escape the ends of words such as n_components_, which are links in reStructuredText."""
    lines[:] = [re.sub(r"(?<![`\w])(\w+)_(?![\w`])", r"\1\\_", line) for line in lines]


def skip_routing(
    app: Any, what: str, name: str, thing: Any, is_skipped: bool, options: Any
) -> bool | None:
    """Leave out the methods that scikit-learn adds for its metadata routing."""
    return True if re.fullmatch(r"set_\w+_request", name) else None
