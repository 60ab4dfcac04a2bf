"""Progress of a job: finished steps, partial results, and the request to stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias


class Progress:
    """Progress callback of a job, which stops if the answer is False.

    Examples
    --------
    >>> def work(progress):
    ...     squares = []
    ...     for i in range(3):
    ...         if not progress(i, 3, f"square {i}"):
    ...             break
    ...         squares.append(i * i)
    ...         progress.keep(list(squares))
    ...     return squares
    >>> from pages.ui.jobs.executor import Job
    >>> job = Job("squares", settings=3, work=work)
    >>> job.do()
    >>> job.result, job.reason
    ([0, 1, 4], 'finished')
    """

    def __init__(self, should_continue: Callable[[], bool], keep: Callable[[Any], None]) -> None:
        self.done = 0
        self.total = 0
        self.description = ""
        self.keep = keep
        self.should_continue = should_continue
        #: Whether the work has seen the request to stop.
        self.saw_stop = False

    def __call__(self, done: int, total: int, description: str = "") -> bool:
        """Report that `done` of `total` steps are finished; `description` names the next."""
        self.note(done, total, description)
        self.saw_stop = not self.should_continue()
        return not self.saw_stop

    def note(self, done: int, total: int, description: str = "") -> None:
        """Store the state of the work."""
        self.done, self.total, self.description = int(done), int(total), description

    @property
    def share(self) -> float:
        """Completed fraction, from 0 to 1."""
        return min(max(self.done / self.total, 0.0), 1.0) if self.total else 0.0


Work: TypeAlias = Callable[[Progress], Any]
