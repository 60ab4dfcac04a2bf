"""A piece of work in a process of its own: a fault in native code ends that process alone.

What is sent there is the work, a closure with its data; back come progress, what is finished so
far, and the result. These processes are forked for this server (`_fork_server`): nothing from
outside is ever unpickled.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import sys
import time
from contextlib import suppress
from io import BytesIO
from multiprocessing.connection import Connection
from threading import Lock
from typing import Any

import cloudpickle

from lincore.data import Dataset
from lincore.errors import DataError
from pages.ui.jobs._fork_server import ForkServer, Worker
from pages.ui.jobs.progress import Progress, Work

log = logging.getLogger(__name__)

#: Of progress, and of what is finished so far, which is larger.
SECONDS_BETWEEN_REPORTS, SECONDS_BETWEEN_PARTS = 0.1, 0.5
#: How long work that was asked to stop may go on before its process is ended.
SECONDS_TO_STOP = 2.0
#: Pages come first.
NICENESS = 5
#: Bytes of a file from which on they are sent once and named afterwards, as data sets are.
LARGE = 100_000

_lock = Lock()
_server: ForkServer | None = None


def start() -> None:
    """Begin the process from which workers are forked, where the system can, and wait for it."""
    global _server
    if sys.platform != "linux":
        return
    with _lock:
        if _server is None:
            server = ForkServer(serve)
            worker = server.fork()  # it answers when all is imported
            worker.end()
            _server = server


def end() -> None:
    """Let that process end: work is done in threads again."""
    global _server
    with _lock:
        if _server is not None:
            _server.close()
        _server = None


def is_ready() -> bool:
    """Return whether work may be sent to a process; until then, and elsewhere, threads do it."""
    return _server is not None


def do(work: Work, progress: Progress) -> Any:
    """Do work in a process and return its result; None where it was ended before it had one."""
    worker = _fork()
    try:
        result = _follow(worker.pipe, _send_work(worker.pipe, work), progress)
    except (EOFError, ConnectionError):
        code = worker.end()
        log.warning("a worker has died with exit code %s", code)
        raise WorkerDiedError(code) from None
    except BaseException:
        worker.end()
        raise
    worker.end()
    return result


def _fork() -> Worker:
    """Return a process; where the one that forks has died, from a new one."""
    server = _server
    try:
        if server is not None:
            return server.fork()
    except ConnectionError:
        log.warning("the process that forks has died")
        end()
    start()
    return _server.fork()


class WorkerDiedError(DataError):
    """The process of a piece of work ended by itself.

    Parameters
    ----------
    exit_code : int
        The negative of the signal that ended it, where one did.
    """

    def __init__(self, exit_code: int) -> None:
        number = -exit_code
        if number == signal.SIGKILL:
            why = "The system ended this computation, most likely because memory ran out."
        elif number > 0:
            name = signal.Signals(number).name
            why = f"A crash in native code ended this computation ({name})."
        else:
            why = "The process of this computation ended without an answer."
        remedy = (
            "Try fewer rows, features or models. Everything loaded and computed so far is kept."
        )
        super().__init__(why, remedy=remedy)


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Writes data sets and files as numbers: they are sent apart, once, and never come back."""

    def __init__(self, file: BytesIO, apart: list[Any], is_open: bool, **named: Any) -> None:
        super().__init__(file, protocol=5, **named)
        self._apart = apart
        self._numbers = {id(thing): number for number, thing in enumerate(apart)}
        self._is_open = is_open

    def persistent_id(self, thing: Any) -> int | None:
        """Return the number of what is sent apart."""
        number = self._numbers.get(id(thing))
        if number is None and self._is_open and _goes_apart(thing):
            number = self._numbers[id(thing)] = len(self._apart)
            self._apart.append(thing)
        return number


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: BytesIO, apart: list[Any], **named: Any) -> None:
        super().__init__(file, **named)
        self._apart = apart

    def persistent_load(self, number: int) -> Any:
        """Return what was sent apart under a number."""
        return self._apart[number]


def _goes_apart(thing: Any) -> bool:
    return isinstance(thing, Dataset) or (type(thing) is bytes and len(thing) >= LARGE)


def _packed(thing: Any, apart: list[Any], is_open: bool = False) -> list[Any]:
    """Return bytes to be sent one after the other: arrays are not copied into the first."""
    buffers: list[pickle.PickleBuffer] = []
    file = BytesIO()
    _Pickler(file, apart, is_open, buffer_callback=buffers.append).dump(thing)
    return [file.getbuffer(), *(buffer.raw() for buffer in buffers)]


def _send(pipe: Connection, parts: list[Any]) -> None:
    pipe.send_bytes(len(parts).to_bytes(4, "little"))
    for part in parts:
        pipe.send_bytes(part)


def _receive(pipe: Connection, apart: list[Any]) -> Any:
    n_parts = int.from_bytes(pipe.recv_bytes(), "little")
    first = BytesIO(pipe.recv_bytes())
    # Arrays made of bytes could not be written to.
    buffers = [bytearray(pipe.recv_bytes()) for _ in range(n_parts - 1)]
    return _Unpickler(first, apart, buffers=buffers).load()


def _send_work(pipe: Connection, work: Work) -> list[Any]:
    """Send what goes apart, then the work; return the former, in order."""
    apart: list[Any] = []
    parts = _packed(work, apart, is_open=True)
    _send(pipe, _packed([type(thing) is bytes for thing in apart], []))
    for thing in apart:
        _send(pipe, [thing] if type(thing) is bytes else _packed(thing, []))
    _send(pipe, parts)
    return apart


def _receive_work(pipe: Connection) -> tuple[Work, list[Any]]:
    apart: list[Any] = []
    for is_file in _receive(pipe, []):
        if is_file:
            pipe.recv_bytes()  # how many parts: one
            apart.append(pipe.recv_bytes())
        else:
            apart.append(_receive(pipe, []))
    return _receive(pipe, apart), apart


def _follow(pipe: Connection, apart: list[Any], progress: Progress) -> Any:
    """Take over what a worker reports until it has an answer, and tell it to stop when asked."""
    told_at = None
    while True:
        if pipe.poll(SECONDS_BETWEEN_REPORTS):
            kind, thing = _receive(pipe, apart)
            if kind == "progress":
                progress.note(*thing)
            elif kind == "part":
                progress.keep(thing)
            elif kind == "error":
                raise thing
            else:
                result, was_told = thing
                progress.was_told = was_told
                return result
        if told_at is None and not progress.should_continue():
            told_at = time.monotonic()
            pipe.send_bytes(b"stop")
        if told_at is not None and time.monotonic() - told_at > SECONDS_TO_STOP:
            progress.was_told = True
            return None  # what was finished so far stands


def serve(pipe: Connection) -> None:
    """Do one piece of work in this process, and report."""
    os.nice(NICENESS)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # where memory runs out, this process goes and not the server
    work, apart = _receive_work(pipe)
    reporter = Reporter(pipe, apart)
    try:
        answer = ("result", (work(reporter), reporter.was_told))
        parts = _packed(answer, apart)
    except Exception as error:
        if not isinstance(error, DataError):
            log.exception("work failed in its process")
        parts = _packed_error(error, apart)
    with suppress(BrokenPipeError):  # nobody waits any more
        _send(pipe, parts)


def _packed_error(error: Exception, apart: list[Any]) -> list[Any]:
    try:
        parts = _packed(("error", error), apart)
        _Unpickler(BytesIO(parts[0]), apart, buffers=parts[1:]).load()
        return parts
    except Exception:  # one that cannot be sent, or not be made again
        return _packed(("error", RuntimeError(type(error).__name__)), [])


class Reporter(Progress):
    """Progress of work in a process, sent to the server now and then."""

    def __init__(self, pipe: Connection, apart: list[Any]) -> None:
        super().__init__(lambda: not pipe.poll(), self._hold)
        self._pipe = pipe
        self._apart = apart
        self._held: Any = None
        self._reported = self._sent = -1.0

    def __call__(self, done: int, total: int, what: str = "") -> bool:
        """Report, if that was not just done; return whether to go on."""
        now = time.monotonic()
        if self._held is not None and now - self._sent >= SECONDS_BETWEEN_PARTS:
            _send(self._pipe, _packed(("part", self._held), self._apart))
            self._held, self._sent = None, now
        if now - self._reported >= SECONDS_BETWEEN_REPORTS:
            _send(self._pipe, _packed(("progress", (done, total, what)), []))
            self._reported = now
        return super().__call__(done, total, what)

    def _hold(self, partial: Any) -> None:
        self._held = partial
