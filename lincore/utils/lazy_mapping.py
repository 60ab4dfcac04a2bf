"""A mapping whose values are computed on first access."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class LazyMapping(Mapping[Key, Value]):
    """Mapping that computes each value on first access.

    Examples
    --------
    >>> squares = LazyMapping([1, 2, 3], lambda key: print("made", key) or key**2)
    >>> list(squares), squares[2], squares[2]
    made 2
    ([1, 2, 3], 4, 4)
    """

    def __init__(self, keys: Iterable[Key], make: Callable[[Key], Value]) -> None:
        self._keys, self._make = dict.fromkeys(keys), make
        self._made: dict[Key, Value] = {}

    def __getitem__(self, key: Key) -> Value:
        """Return the value of a key; KeyError if there is none."""
        if key not in self._made:
            if key not in self._keys:
                raise KeyError(key)
            # Two threads may both compute it; the first result is kept.
            self._made.setdefault(key, self._make(key))
        return self._made[key]

    def __iter__(self) -> Iterator[Key]:
        """Iterate over the keys."""
        return iter(self._keys)

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self._keys)
