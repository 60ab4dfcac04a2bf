"""Work in a separate process, so that a crash in native code ends only that process.

The work, a closure with its data, is sent there; progress, partial results and the result come
back. The processes are forked for this server (`_fork_server`), so nothing from outside is ever
unpickled.
"""

from __future__ import annotations

import logging
import pickle
import signal
import sys
import time
from contextlib import suppress
from io import BytesIO
from multiprocessing.connection import Connection
from threading import Lock, Thread
from types import ModuleType
from typing import Any

import cloudpickle
from cloudpickle.cloudpickle import subimport

from lincore import data  # its names on first use: the server imports this before it answers
from lincore.errors import DataError
from pages.ui.jobs._fork_server import ForkServer, Worker
from pages.ui.jobs.progress import Progress, Work

log = logging.getLogger(__name__)

#: Intervals of progress and of partial results, which are larger.
SECONDS_BETWEEN_REPORTS, SECONDS_BETWEEN_PARTS = 0.1, 0.5
#: How long work may continue after the request to stop before its process is killed.
SECONDS_TO_STOP = 2.0
#: From this size on, bytes are sent only once and referred to afterwards, like data sets.
LARGE = 100_000
#: Delay after the warm-up and the first visit, while the browser draws the page.
SECONDS_TO_START = 1.0
#: Idle time until the process is ended: it takes as much memory as the server.
SECONDS_TO_END = 600.0
SECONDS_BETWEEN_LOOKS = 10.0

_lock, _counting = Lock(), Lock()
_server: ForkServer | None = None
_is_allowed = _is_watched = False
_last_use, _n_busy = 0.0, 0


def allow(is_allowed: bool = True) -> None:
    """Allow `wake` to start the process, also if it was called before; only servers do."""
    global _is_allowed
    _is_allowed = is_allowed
    if _last_use:
        wake()


def wake() -> None:
    """Start the process soon if it is not running, and postpone its end."""
    global _last_use, _is_watched
    _last_use = time.monotonic()
    if _is_allowed and not _is_watched:
        with _counting:
            is_first, _is_watched = not _is_watched, True
        if is_first:
            Thread(target=_watch, name="lincore-worker-watch", daemon=True).start()


def _watch() -> None:
    """Start the process, and end it after it has been idle for a while."""
    global _is_watched
    try:
        time.sleep(SECONDS_TO_START)
        start()
        while _n_busy or time.monotonic() < _last_use + SECONDS_TO_END:
            time.sleep(SECONDS_BETWEEN_LOOKS)
        end()
    finally:
        _is_watched = False


def start() -> None:
    """Start the fork server, if the system supports it, and wait until it is ready."""
    global _server
    if sys.platform != "linux":
        return
    with _lock:
        if _server is None:
            server = ForkServer(serve)
            worker = server.fork()  # it answers after its imports
            worker.end()
            _server = server


def end() -> None:
    """End the fork server: work runs in threads again."""
    global _server
    with _lock:
        if _server is not None:
            _server.close()
        _server = None


def is_ready(seconds: float = 0.0) -> bool:
    """Return whether work can be sent to a process; wait up to some seconds for it to start."""
    deadline = time.monotonic() + seconds
    while _server is None and _is_watched and time.monotonic() < deadline:
        time.sleep(0.05)
    return _server is not None


def do(work: Work, progress: Progress) -> Any:
    """Do work in a process and return its result; None if it was killed before it had one."""
    global _n_busy
    with _counting:
        _n_busy += 1
    try:
        return _do(work, progress)
    finally:
        with _counting:
            _n_busy -= 1
        wake()


def _do(work: Work, progress: Progress) -> Any:
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
    """Return a process, from a new fork server if the old one has died."""
    server = _server
    try:
        if server is not None:
            return server.fork()
    except ConnectionError:
        log.warning("the fork server has died")
        end()
    start()
    assert _server is not None  # work is sent only where the system supports it
    return _server.fork()


class WorkerDiedError(DataError):
    """The process of a job ended unexpectedly.

    Parameters
    ----------
    exit_code : int
        Negative if a signal ended it.
    """

    def __init__(self, exit_code: int) -> None:
        number = -exit_code
        if number == signal.SIGKILL:
            why = "The system ended this computation, most likely because memory ran out."
        elif number > 0:
            name = signal.Signals(number).name
            why = f"A crash in native code ended this computation ({name})."
        else:
            why = "The process of this computation ended without a result."
        remedy = (
            "Try fewer rows, features or models. Everything loaded and computed so far is kept."
        )
        super().__init__(why, remedy=remedy)


class _Pickler(cloudpickle.Pickler):
    """Pickles data sets and large files by number: they are sent separately, and only once."""

    def __init__(self, file: BytesIO, apart: list[Any], is_open: bool, **named: Any) -> None:
        super().__init__(file, protocol=5, **named)
        self._apart = apart
        self._numbers = {id(value): number for number, value in enumerate(apart)}
        self._is_open = is_open

    def persistent_id(self, value: Any) -> int | None:
        """Return the number of an object that is sent separately."""
        number = self._numbers.get(id(value))
        if number is None and self._is_open and _is_sent_apart(value):
            number = self._numbers[id(value)] = len(self._apart)
            self._apart.append(value)
        return number

    def reducer_override(self, value: Any) -> Any:
        """Send a package by its name, also one with a class of its own (by lazy_loader)."""
        if isinstance(value, ModuleType) and type(value) is not ModuleType:
            return subimport, (value.__name__,)
        return super().reducer_override(value)


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: BytesIO, apart: list[Any], **named: Any) -> None:
        super().__init__(file, **named)
        self._apart = apart

    def persistent_load(self, number: int) -> Any:
        """Return the separately sent object with a number."""
        return self._apart[number]


def _is_sent_apart(value: Any) -> bool:
    return isinstance(value, data.Dataset) or (type(value) is bytes and len(value) >= LARGE)


def _packed(value: Any, apart: list[Any], is_open: bool = False) -> list[Any]:
    """Return buffers to be sent one after another; arrays are not copied into the pickle."""
    buffers: list[pickle.PickleBuffer] = []
    file = BytesIO()
    _Pickler(file, apart, is_open, buffer_callback=buffers.append).dump(value)
    return [file.getbuffer(), *(buffer.raw() for buffer in buffers)]


def _send(pipe: Connection, buffers: list[Any]) -> None:
    pipe.send_bytes(len(buffers).to_bytes(4, "little"))
    for buffer in buffers:
        pipe.send_bytes(buffer)


def _receive(pipe: Connection, apart: list[Any]) -> Any:
    n_buffers = int.from_bytes(pipe.recv_bytes(), "little")
    first = BytesIO(pipe.recv_bytes())
    # Arrays over `bytes` would be read-only.
    buffers = [bytearray(pipe.recv_bytes()) for _ in range(n_buffers - 1)]
    return _Unpickler(first, apart, buffers=buffers).load()


def _send_work(pipe: Connection, work: Work) -> list[Any]:
    """Send the separate objects, then the work; return the former, in order."""
    apart: list[Any] = []
    buffers = _packed(work, apart, is_open=True)
    _send(pipe, _packed([type(value) is bytes for value in apart], []))
    for value in apart:
        _send(pipe, [value] if type(value) is bytes else _packed(value, []))
    _send(pipe, buffers)
    return apart


def _receive_work(pipe: Connection) -> tuple[Work, list[Any]]:
    apart: list[Any] = []
    for is_file in _receive(pipe, []):
        if is_file:
            pipe.recv_bytes()  # number of parts
            apart.append(pipe.recv_bytes())
        else:
            apart.append(_receive(pipe, []))
    return _receive(pipe, apart), apart


def _follow(pipe: Connection, apart: list[Any], progress: Progress) -> Any:
    """Forward the reports of a worker until it has a result, and pass on a request to stop."""
    stopped_at = None
    while True:
        if pipe.poll(SECONDS_BETWEEN_REPORTS):
            kind, value = _receive(pipe, apart)
            if kind == "progress":
                progress.note(*value)
            elif kind == "part":
                progress.keep(value)
            elif kind == "error":
                raise value
            else:
                result, progress.saw_stop = value
                return result
        if stopped_at is None and not progress.should_continue():
            stopped_at = time.monotonic()
            pipe.send_bytes(b"stop")
        if stopped_at is not None and time.monotonic() - stopped_at > SECONDS_TO_STOP:
            progress.saw_stop = True
            return None  # the partial result remains


def serve(pipe: Connection) -> None:
    """Do the work of one job in this process, and report."""
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # if memory runs out, this process is killed and not the server
    work, apart = _receive_work(pipe)
    reporter = Reporter(pipe, apart)
    try:
        answer = ("result", (work(reporter), reporter.saw_stop))
        buffers = _packed(answer, apart)
    except Exception as error:
        if not isinstance(error, DataError):
            log.exception("work failed in its process")
        buffers = _packed_error(error, apart)
    with suppress(BrokenPipeError):  # the server no longer waits
        _send(pipe, buffers)


def _packed_error(error: Exception, apart: list[Any]) -> list[Any]:
    try:
        buffers = _packed(("error", error), apart)
        _Unpickler(BytesIO(buffers[0]), apart, buffers=buffers[1:]).load()
        return buffers
    except Exception:  # the error itself cannot be pickled or unpickled
        return _packed(("error", RuntimeError(type(error).__name__)), [])


class Reporter(Progress):
    """Progress of work in a process, sent to the server at intervals."""

    def __init__(self, pipe: Connection, apart: list[Any]) -> None:
        super().__init__(lambda: not pipe.poll(), self._hold)
        self._pipe = pipe
        self._apart = apart
        self._held: Any = None
        self._reported = self._sent = -1.0

    def __call__(self, done: int, total: int, description: str = "") -> bool:
        """Report, unless that was just done; return whether to continue."""
        now = time.monotonic()
        if self._held is not None and now - self._sent >= SECONDS_BETWEEN_PARTS:
            _send(self._pipe, _packed(("part", self._held), self._apart))
            self._held, self._sent = None, now
        if now - self._reported >= SECONDS_BETWEEN_REPORTS:
            _send(self._pipe, _packed(("progress", (done, total, description)), []))
            self._reported = now
        return super().__call__(done, total, description)

    def _hold(self, partial: Any) -> None:
        self._held = partial
