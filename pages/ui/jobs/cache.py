"""Bounded caches of lincore's functions, keyed by the digest of the data and the choices."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from inspect import signature
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import streamlit as st

from lincore import checks, data, io, model_selection
from pages.ui.server.shared_cache import Shared

if TYPE_CHECKING:
    from lincore.analysis import SplitChoice
    from lincore.checks import DataFinding
    from lincore.data import Dataset, Split, TargetGuess
    from lincore.model_selection import Steps, TrainingSample


#: Limit for results as large as data, for all visitors and functions together.
RESULTS = Shared(80_000_000)

Function = TypeVar("Function", bound=Callable[..., Any])


def by_bytes(doing: str = "") -> Callable[[Function], Function]:
    """Share the results of a function among visitors, within a common limit in bytes.

    Like `st.cache_resource`, which only limits the number of results: arguments are hashable, and
    those whose names begin with an underscore are not part of the key.
    """

    def decorate(compute: Function) -> Function:
        is_in_key = [not name.startswith("_") for name in signature(compute).parameters]

        @wraps(compute)
        def cached(*args: Any) -> Any:
            key = (compute.__module__, compute.__qualname__, *compress(args, is_in_key))

            def compute_visibly() -> Any:
                with st.spinner(doing) if doing else nullcontext():
                    return compute(*args)

            return RESULTS.get_or_make(key, compute_visibly)

        return cast("Function", cached)

    return decorate


class ModelChoice(NamedTuple):
    """A classifier, as the line that specifies it with its options, and the steps before it."""

    line: str
    steps: Steps


# Samples and fits depend only on their arguments, which include the digest of the data, so visitors
# share them. The data themselves are passed as `_data`, which is not hashed.


@st.cache_resource(max_entries=8, show_spinner=False)
def sample(name: str) -> Dataset:
    """Return a bundled sample."""
    return io.sample(name)


@by_bytes()
def split(digest: str, choice: SplitChoice, _data: Dataset) -> Split:
    """Return the rows of the training and of the test set."""
    return data.split(_data, choice.how, test_size=choice.test_size, seed=choice.seed)


@by_bytes()
def data_checks(
    digest: str,
    choice: SplitChoice,
    guess: TargetGuess | None,
    group_candidate: str,
    _data: Dataset,
) -> tuple[DataFinding, ...]:
    """Return the findings that make scores on this split doubtful."""
    return checks.data_checks(_data, split(digest, choice, _data))


@by_bytes()
def constant_within_classes(
    digest: str, choice: SplitChoice, _data: Dataset
) -> tuple[DataFinding, ...]:
    """Return the finding on features that some models ignore: constant within every class."""
    finding = checks.constant_within_classes(_data, split(digest, choice, _data))
    return () if finding is None else (finding,)


@by_bytes("Summarising the training rows …")
def training_set(digest: str, choice: SplitChoice, _data: Dataset) -> TrainingSample:
    """Summarise the training rows in one pass; all fits from moments start from the result."""
    return model_selection.summarise_training_set(_data, split(digest, choice, _data))


@st.cache_data(max_entries=8, ttl="10m", max_size="50MB", show_spinner="Packing the images …")
def image_zip(digest: str, _data: Dataset) -> bytes:
    """Return the data set as a zip of images in class folders."""
    return io.write_image_zip(_data)
