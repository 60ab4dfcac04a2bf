"""A file of moments on the page Data: what it holds, and models of all of its sites compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from lincore import federation, report, utils
from lincore.errors import DataError
from lincore.plots.base import shorten
from pages.ui.session import cache, state
from pages.ui.widgets import tables, text

if TYPE_CHECKING:
    from lincore.data import Dataset

KEY = "data.moments"


def show(data: Dataset) -> None:
    """Show the file of moments that was opened, if one was.

    Parameters
    ----------
    data : Dataset
        Of this session: the rows of a site, perhaps.
    """
    found = state.summary()
    if found is None:
        return
    with st.container(border=True, key=KEY):
        st.markdown(f"**{text.escape(found.name)}**: {found.shared.describe()}")
        st.markdown(
            "Counts, means and scatters by class and fold, and no rows: Explore, Classify, "
            "Compare, Balance and Predict need rows, and go on with "
            f"**{text.escape(data.name)}**."
        )
        with st.container(key=f"{KEY}.classes"):
            tables.show(_classes(found.shared), hide_index=True)
        names = text.escape(shorten(", ".join(found.shared.feature_names), 200))
        st.caption(f"Features: {names}. Target: {text.escape(found.shared.target_name)}.")
        _comparison(found, data)
        st.button("Close it", key=f"{KEY}.close", on_click=state.keep_summary, args=(None,))


def _classes(shared: federation.SharedMoments) -> pd.DataFrame:
    count = shared.moments.count
    return pd.DataFrame(
        {
            "class": [str(label) for label in shared.classes.tolist()],
            "rows": count.sum(axis=0).astype(int),
            "share": [utils.percent(share) for share in count.sum(axis=0) / shared.n_rows],
            "fewest in a fold": count.min(axis=0).astype(int),
        }
    )


def _comparison(found: state.Summary, data: Dataset) -> None:
    """Show the scores of models of all sites on the rows of this one, where they are here."""
    shared = found.shared
    if data.digest not in shared.digests:
        st.markdown(
            "To compare models of it, load the rows of one of its sites, unchanged: the models of "
            "every fold are then tested on them."
        )
        return
    try:
        rows = _scores(found.sha, data.digest, shared, data)
    except (DataError, ValueError) as error:
        st.markdown(f"Its models cannot be compared: {text.escape(str(error))}")
        return
    st.markdown(
        f"{shared.n_folds}-fold comparison: models of all sites, tested on the {data.n_rows:,} "
        f"rows of {text.escape(data.name)}, each row by models that have not learned from it. In "
        "parentheses 95 % intervals, by the corrected resampled t over the folds."
    )
    with st.container(key=f"{KEY}.scores"):
        tables.show(pd.DataFrame(rows), hide_index=True, alt="Scores of each method, a row each.")


@cache.by_bytes("Testing the models of all sites …")
def _scores(
    sha: str, digest: str, _shared: federation.SharedMoments, _data: Dataset
) -> tuple[dict[str, str], ...]:
    del sha, digest
    return report.shared_score_rows(federation.score_rows(_shared, _data, federation.METHODS))
