"""The classes that have colours in a scatter of many classes."""

from __future__ import annotations

from types import SimpleNamespace

from lincore.data import Dataset
from lincore.fields import Field
from lincore.plots.base import COLOURED_OF_MANY, MANY_CLASSES


def _data(so_far: SimpleNamespace) -> Dataset:
    data: Dataset = so_far.data if hasattr(so_far, "data") else so_far.projected.data
    return data


COLOURED = Field(
    "Classes in colour",
    "The other classes are grey: colours of more classes could not be told apart.",
    longest=100,
    choices=lambda so_far: dict(enumerate(map(str, _data(so_far).classes))),
    auto=lambda so_far: tuple(range(min(_data(so_far).n_classes, COLOURED_OF_MANY))),
    when=lambda so_far: _data(so_far).n_classes > MANY_CLASSES,
)
