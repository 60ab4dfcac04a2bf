"""`lincore moments`, `merge` and `score`: a comparison over sites that keep their rows."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from lincore import federation, report
from lincore.cli.answer import Answer, Section, write_file
from lincore.cli.data_findings import data_line, data_record
from lincore.cli.data_options import add_data_options, load_data
from lincore.cli.method_options import method_list
from lincore.io.files.sources import read_source

if TYPE_CHECKING:
    from lincore.utils import Progress


def add_command(commands: Any) -> None:
    """Add the three commands to those of a parser."""
    parser = commands.add_parser(
        "moments",
        help="counts, means and scatters of a site's rows, to share instead of the rows",
        description="Write the counts, means and scatters of the rows by fold and class, from "
        "which models can be fitted and cross-validated. No row is in the file, and nothing is "
        "written where a class has too few rows in a fold.",
    )
    parser.set_defaults(run=run_moments)
    add_data_options(parser)
    parser.add_argument("--folds", type=int, default=10, help="of the cross-validation (10)")
    parser.add_argument("--seed", type=int, default=0, help="that rows are dealt with (0)")
    parser.add_argument(
        "--smallest",
        type=int,
        metavar="ROWS",
        default=federation.SMALLEST_CELL,
        help=f"fewest rows of a class in a fold ({federation.SMALLEST_CELL})",
    )
    _add_output(parser)
    parser = commands.add_parser(
        "merge",
        help="the moments of several sites as one file",
        description="Merge files of `lincore moments`, as if the rows of all sites stood in one.",
    )
    parser.set_defaults(run=run_merge)
    parser.add_argument("files", nargs="+", metavar="MOMENTS", help="files of `lincore moments`")
    _add_output(parser)
    parser = commands.add_parser(
        "score",
        help="models of merged moments, tested on a site's own rows",
        description="Fit every fold's models to the merged MOMENTS, and test them on the rows of "
        "that fold in FILE. The counts that are printed (all of them with --json) may be added up "
        "over the sites.",
    )
    parser.set_defaults(run=run_score)
    parser.add_argument("moments", metavar="MOMENTS", help="a file of `lincore merge`")
    add_data_options(parser)
    parser.add_argument(
        "--methods",
        type=method_list,
        metavar="LIST",
        help="of those that are solved from moments (default: LDA, QDA, naive Bayes, Fisher, "
        "least squares)",
    )


def run_moments(options: argparse.Namespace, progress: Progress) -> Answer:
    """Summarise the rows, and write the file."""
    del progress  # one pass
    data = load_data(options)
    shared = federation.summarise(
        data, n_folds=options.folds, seed=options.seed, smallest=options.smallest
    )
    written = write_file(options.output, federation.summary_bytes(shared))
    record = {"command": "moments", "data": data_record(data), **_record(shared)}
    return Answer(record, (Section("", (data_line(data), shared.describe(), written)),))


def run_merge(options: argparse.Namespace, progress: Progress) -> Answer:
    """Merge files of several sites, and write one."""
    del progress
    shared = federation.merge([_read(path) for path in options.files])
    written = write_file(options.output, federation.summary_bytes(shared))
    return Answer(
        {"command": "merge", **_record(shared)}, (Section("", (shared.describe(), written)),)
    )


def run_score(options: argparse.Namespace, progress: Progress) -> Answer:
    """Test the models of every fold on a site's rows."""
    del progress
    data, shared = load_data(options), _read(options.moments)
    methods = options.methods or federation.METHODS
    scores = federation.score_rows(shared, data, methods)
    record = {
        "command": "score",
        "data": data_record(data),
        **_record(shared),
        "methods": [
            {
                "method": method,
                "confusion": scores.confusion[m],
                "sum of log losses": scores.losses[m, :, 0],
                "sum of Brier scores": scores.losses[m, :, 1],
                "scores": {
                    score: scores.interval(method, score)._asdict() for score in scores.scores
                },
            }
            for m, method in enumerate(scores.methods)
        ],
    }
    sentence = f"Models of {shared.describe()[:-1]}, tested on {data.n_rows:,} rows of this site."
    rows = report.shared_score_rows(scores)
    return Answer(record, (Section("", (data_line(data), sentence), rows),))


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", "-o", metavar="FILE", required=True, help="the file to write")


def _read(path: str) -> federation.SharedMoments:
    return federation.read_summary(*read_source(path, None))


def _record(shared: federation.SharedMoments) -> dict[str, Any]:
    return {
        "sites": len(shared.digests),
        "rows": shared.n_rows,
        "folds": shared.n_folds,
        "features": shared.feature_names,
        "classes": shared.classes.tolist(),
        "counts": shared.moments.count,
    }
