"""Bounded caches over lincore, keyed by the content of the data and the choices made."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import streamlit as st

from lincore import checks, data, io, model_selection
from pages.ui.jobs.shared_cache import Shared
from pages.ui.session.sources import Source, of_sample

if TYPE_CHECKING:
    from lincore.analysis import SplitChoice
    from lincore.checks import DataFinding
    from lincore.data import Dataset, Split, TargetGuess
    from lincore.model_selection import Steps, TrainingSet


#: What holds rows, or as much as rows do: of all visitors and kinds together.
KEPT = Shared(80_000_000)

Made = TypeVar("Made", bound=Callable[..., Any])


def by_bytes(doing: str = "") -> Callable[[Made], Made]:
    """Share what a function returns among visitors, as long as all of it together is not too much.

    As `st.cache_resource`, which counts results whatever their size: arguments are hashable, and
    those whose names begin with an underscore are not looked at.
    """

    def decorate(make: Made) -> Made:
        looked_at = [not name.startswith("_") for name in signature(make).parameters]

        @wraps(make)
        def found(*args: Any) -> Any:
            asked = tuple(
                arg for arg, is_looked_at in zip(args, looked_at, strict=True) if is_looked_at
            )

            def made() -> Any:
                with st.spinner(doing) if doing else nullcontext():
                    return make(*args)

            return KEPT.get_or_make((make.__module__, make.__qualname__, *asked), made)

        return cast("Made", found)

    return decorate


class ModelChoice(NamedTuple):
    """A classifier, as the line that makes it again with its options, and the steps before it."""

    line: str
    steps: Steps


# Samples and fits depend on nothing but their arguments, a digest of the whole content among
# them, so visitors share them. The data themselves travel as `_data`, which is not hashed.


@st.cache_resource(max_entries=8, show_spinner=False)
def sample(name: str) -> Dataset:
    """Return a bundled sample."""
    return io.sample(name)


@st.cache_resource(max_entries=8, show_spinner=False)
def sample_table(name: str) -> Source | None:
    """Return the table that a sample is read from, where it is one with columns of all kinds."""
    if name not in io.SAMPLE_TABLES:
        return None
    return Source(None, io.SAMPLE_TABLES[name], raw=io.sample_file(name), name=f"{name}.csv").read()


@st.cache_resource(max_entries=8, show_spinner=False)
def sample_source(name: str) -> Source:
    """Return a bundled table, of which columns can be used otherwise."""
    return of_sample(sample(name), name)


@st.cache_resource(max_entries=32, ttl="2h", show_spinner=False)
def split(digest: str, choice: SplitChoice, _data: Dataset) -> Split:
    """Return the rows of the training and of the test set."""
    return data.split(_data, choice.how, test_size=choice.test_size, seed=choice.seed)


@st.cache_resource(max_entries=32, ttl="2h", show_spinner=False)
def data_checks(
    digest: str,
    choice: SplitChoice,
    guess: TargetGuess | None,
    group_candidate: str,
    _data: Dataset,
) -> tuple[DataFinding, ...]:
    """Return what makes scores on this split doubtful."""
    return checks.data_checks(_data, split(digest, choice, _data))


@st.cache_resource(max_entries=32, ttl="2h", show_spinner=False)
def constant_within_classes(digest: str, choice: SplitChoice, _data: Dataset) -> DataFinding | None:
    """Return the features that some models ignore, since they never vary within a class."""
    return checks.constant_within_classes(_data, split(digest, choice, _data))


@by_bytes("Summarising the training rows …")
def training_set(digest: str, choice: SplitChoice, _data: Dataset) -> TrainingSet:
    """Make the one pass over the training rows that every fit is solved from."""
    return model_selection.summarise_training_set(_data, split(digest, choice, _data))


@st.cache_data(max_entries=8, ttl="10m", max_size="50MB", show_spinner="Packing the images …")
def image_zip(digest: str, _data: Dataset) -> bytes:
    """Return the data set as a zip of images in class folders."""
    return io.write_image_zip(_data)
