"""Methods that change their object completely or not at all."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

Self = TypeVar("Self")
P = ParamSpec("P")
T = TypeVar("T")


def atomic(method: Callable[Concatenate[Self, P], T]) -> Callable[Concatenate[Self, P], T]:
    """Restore the attributes of an object if its method raises."""
    # The method must assign attributes, not modify arrays and lists in place.

    @wraps(method)
    def wrapped(self: Self, *args: P.args, **options: P.kwargs) -> T:
        attributes: dict[str, Any] = vars(self)
        before = attributes.copy()
        try:
            return method(self, *args, **options)
        except BaseException:
            attributes.clear()
            attributes.update(before)
            raise

    return cast(Callable[Concatenate[Self, P], T], wrapped)
