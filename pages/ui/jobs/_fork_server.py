"""A process that has imported everything that jobs need, and forks itself for each job.

It computes nothing and has one thread, so forking is safe. A forked process starts within a few
hundredths of a second and shares its memory. `multiprocessing` has such a server too, but each of
its workers runs the main module of the program again, which for Streamlit is a page.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from os import _exit
from threading import Lock

from pages.ui.server import logs, preload

#: Pages have priority, over its imports and over jobs.
NICENESS = 5
#: Format of an answer: a process id or an exit code.
N_BYTES = 4


class ForkServer:
    """The handle that the web server has on it.

    Parameters
    ----------
    serve : callable
        A module-level function that each forked process calls with its connection.
    """

    def __init__(self, serve: Callable[[Connection], None]) -> None:
        self._lock = Lock()
        self._socket, theirs = socket.socketpair()
        statements = [
            f"import sys; sys.path[:] = {sys.path!r}",
            f"from {__name__} import main",
            f"from {serve.__module__} import {serve.__name__}",
            f"main({theirs.fileno()}, {serve.__name__})",
        ]
        self._process = subprocess.Popen(  # noqa: S603  no part of the command is user input
            [sys.executable, "-c", "; ".join(statements)],
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # Ctrl-C in a terminal is for the program, not for this process
        )
        theirs.close()

    def fork(self) -> Worker:
        """Return a new process; the first one only after all imports."""
        ours, theirs = Pipe()
        try:
            return Worker(self, self._ask(0, [theirs.fileno()]), ours)
        finally:
            theirs.close()

    def wait(self, pid: int) -> int:
        """Wait until a forked process has ended; return its exit code."""
        return self._ask(pid, [])

    def close(self) -> None:
        """Let it end; processes that it forked continue."""
        self._socket.close()
        self._process.wait(5)

    def _ask(self, number: int, descriptors: list[int]) -> int:
        with self._lock:
            socket.send_fds(self._socket, [_packed(number)], descriptors)
            answer = self._socket.recv(N_BYTES)
        if not answer:
            raise ConnectionError("the fork server has died")
        return int.from_bytes(answer, "little", signed=True)


class Worker:
    """A forked process and the connection to it."""

    def __init__(self, server: ForkServer, pid: int, pipe: Connection) -> None:
        self.pid = pid
        self.pipe = pipe
        self._server = server

    def end(self) -> int:
        """Kill it, if it is still running; return its exit code, negative for a signal.

        Its process id is not reused before this call.
        """
        self.pipe.close()
        os.kill(self.pid, signal.SIGKILL)
        return self._server.wait(self.pid)


def main(descriptor: int, serve: Callable[[Connection], None]) -> None:
    """Fork on request until the web server is gone: the main loop of the process."""
    os.nice(NICENESS)
    preload.import_modules()
    logs.write_json_lines()
    gc.collect()
    gc.freeze()  # so that the garbage collector leaves the shared memory untouched
    asked = socket.socket(fileno=descriptor)
    while True:
        message, descriptors, _, _ = socket.recv_fds(asked, N_BYTES, 1)
        if not message:
            return
        if not descriptors:
            status = os.waitpid(int.from_bytes(message, "little"), 0)[1]
            asked.send(_packed(os.waitstatus_to_exitcode(status)))
            continue
        pid = os.fork()
        if pid == 0:
            asked.close()
            _work(serve, Connection(descriptors[0]))
        os.close(descriptors[0])
        asked.send(_packed(pid))


def _work(serve: Callable[[Connection], None], pipe: Connection) -> None:
    """Run a forked process to its end; it never returns into the code of the fork server."""
    code = 1
    try:
        serve(pipe)
        code = 0
    finally:
        pipe.close()
        _exit(code)


def _packed(number: int) -> bytes:
    return number.to_bytes(N_BYTES, "little", signed=True)
