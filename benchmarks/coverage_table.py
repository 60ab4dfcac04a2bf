"""The table of docs/coverage.md, from what benchmarks/coverage.py simulated."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from pathlib import Path

import numpy as np

from lincore.metrics import SCORES

PAGE = Path(__file__).resolve().parents[1] / "docs" / "coverage.md"
SCHEMES = ("hold-out", "5-fold", "10-fold", "5×5", "10×10", "leave-one-out")
#: Coverage that counts as 95 %, and of how many data sets with an interval it is reported.
LEAST, MOST, FEWEST = 0.93, 0.975, 30
#: Between these marks the page is written anew; around them people write.
BEGIN, END = "<!-- begin: benchmarks/coverage.py -->", "<!-- end -->"


def write(
    cache: Path, designs: Iterable[str], sizes: Iterable[int], methods: Iterable[str]
) -> None:
    """Write the tables of what is in the cache between the marks of the page."""
    lines, rates, counts, drawn = [], [], [], []
    for design, size in product(designs, sizes):
        rows = []
        for method in methods:
            path = cache / f"{design.replace('/', '-')} {size} {method}.npz"
            if path.exists():
                rows += rows_of(path, method)
                with np.load(path) as cell:
                    drawn.append(int(cell["times"]))
        if rows:
            lines += [f"\n### {design}, {size:,} rows\n", head(), rule()]
            lines += [
                f"| {method} | {scheme} | {n} | {cells(found)} |"
                for method, scheme, n, found in rows
            ]
            rates += [share for *_, found in rows for share, _, kept in found if kept >= FEWEST]
            counts += [n for _, _, n, _ in rows]
    known = np.array(rates)
    inside = np.mean((known >= LEAST) & (known <= MOST))
    times = " to ".join(map(str, sorted({min(drawn), max(drawn)})))
    summary = (
        f"{times} data sets were drawn for each cell, and the method could be fitted on "
        f"{min(counts)} to {max(counts)}; of {len(known):,} coverages "
        f"{inside:.0%} lie between {LEAST:.0%} and {MOST:.1%}, {np.mean(known < LEAST):.0%} below, "
        f"{np.mean(known > MOST):.0%} above. The lowest is {known.min():.3f}; a coverage of 95 % "
        f"seen in {int(np.median(counts))} data sets has a standard error of "
        f"{np.sqrt(0.95 * 0.05 / np.median(counts)):.3f}."
    )
    replace_between(PAGE, BEGIN, END, "\n".join([summary, *lines]))


def replace_between(page: Path, begin: str, end: str, made: str) -> None:
    """Write text between two marks of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{begin}\n\n{made}\n\n{end}{after}", encoding="utf-8")


def rows_of(path: Path, method: str) -> list[tuple[str, str, int, list[tuple[float, float, int]]]]:
    """Return for each scheme: coverage, share without an interval, and data sets with one."""
    found = []
    with np.load(path) as known:
        for scheme in SCHEMES:
            if f"{scheme} intervals" not in known:
                continue
            ends, truth = known[f"{scheme} intervals"], known[f"{scheme} truth"]
            given = ~np.isnan(ends[:, :, 1])
            held = (ends[:, :, 1] - 1e-6 <= truth) & (truth <= ends[:, :, 2] + 1e-6)
            found.append((method, scheme, len(ends), [
                (float(held[given[:, j], j].mean()) if given[:, j].any() else np.nan,
                 float(1 - given[:, j].mean()), int(given[:, j].sum()))
                for j in range(len(SCORES))
            ]))  # fmt: skip
    return found


def head() -> str:
    """Return the names of the columns."""
    return f"| method | scheme | data sets | {' | '.join(SCORES)} |"


def rule() -> str:
    """Return the line below the names."""
    return f"|---|---|---|{'---|' * len(SCORES)}"


def cells(found: list[tuple[float, float, int]]) -> str:
    """Write coverages in per cent: bold outside the bounds, and how many had no interval."""
    written = []
    for share, silent, kept in found:
        if kept < FEWEST:
            written.append("no interval" if silent > 0.5 else "–")
            continue
        text = f"{100 * share:.1f}"
        text = text if LEAST <= share <= MOST else f"**{text}**"
        written.append(f"{text} (none: {silent:.0%})" if silent >= 0.005 else text)
    return " | ".join(written)
