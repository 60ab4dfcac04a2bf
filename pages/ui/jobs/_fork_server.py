"""A process that has imported what work needs, and forks itself for each piece of it.

It computes nothing and has one thread, so a fork is safe; what is forked begins within a few
hundredths of a second and shares its memory. `multiprocessing` has such a server too, but each of
its workers runs the main module of the program anew, which for Streamlit is a page.
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

#: Of an answer: a process's number, or what it ended with.
N_BYTES = 4


class ForkServer:
    """The server's side of it.

    Parameters
    ----------
    serve : callable
        A function of a module, which each forked process calls with its connection.
    """

    def __init__(self, serve: Callable[[Connection], None]) -> None:
        self._lock = Lock()
        self._socket, theirs = socket.socketpair()
        lines = [
            f"import sys; sys.path[:] = {sys.path!r}",
            f"from {__name__} import main",
            f"from {serve.__module__} import {serve.__name__}",
            f"main({theirs.fileno()}, {serve.__name__})",
        ]
        self._process = subprocess.Popen(  # noqa: S603  nothing of it comes from outside
            [sys.executable, "-c", "; ".join(lines)],
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # who interrupts the program in a terminal means the program
        )
        theirs.close()

    def fork(self) -> Worker:
        """Return a new process; the first is there when all has been imported."""
        ours, theirs = Pipe()
        try:
            return Worker(self, self._ask(0, [theirs.fileno()]), ours)
        finally:
            theirs.close()

    def wait(self, pid: int) -> int:
        """Wait for the end of a process that was forked; return its exit code."""
        return self._ask(pid, [])

    def close(self) -> None:
        """Let it end; what it forked goes on."""
        self._socket.close()
        self._process.wait(5)

    def _ask(self, number: int, descriptors: list[int]) -> int:
        with self._lock:
            socket.send_fds(self._socket, [_packed(number)], descriptors)
            answer = self._socket.recv(N_BYTES)
        if not answer:
            raise ConnectionError("the process that forks has died")
        return int.from_bytes(answer, "little", signed=True)


class Worker:
    """A forked process and the connection to it."""

    def __init__(self, server: ForkServer, pid: int, pipe: Connection) -> None:
        self.pid = pid
        self.pipe = pipe
        self._server = server

    def end(self) -> int:
        """End it, if it has not ended by itself; return its exit code, minus a signal's number.

        Its number is nobody else's until then.
        """
        self.pipe.close()
        os.kill(self.pid, signal.SIGKILL)
        return self._server.wait(self.pid)


def main(descriptor: int, serve: Callable[[Connection], None]) -> None:
    """Fork when asked to, until the server is gone: what its process does."""
    preload.import_modules()
    logs.write_json_lines()
    gc.collect()
    gc.freeze()  # what nobody looks at stays shared
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
    """Do what a forked process is for, and end it; nothing returns to what it was forked from."""
    code = 1
    try:
        serve(pipe)
        code = 0
    finally:
        pipe.close()
        _exit(code)


def _packed(number: int) -> bytes:
    return number.to_bytes(N_BYTES, "little", signed=True)
