"""Distributes work over the cores of this machine: forked processes that report results and end together."""

from __future__ import annotations

import fcntl
import gc
import multiprocessing
import signal
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from tempfile import TemporaryFile
from typing import IO, Any, TypeVar

from service.ops.processes.child_process import end_with_parent

Piece = TypeVar("Piece")
Found = TypeVar("Found")
Tell = Callable[[Any], None]


class Inconclusive(RuntimeError):
    """The processes ended before everything was checked, and none of them found the reason."""


@dataclass(frozen=True, slots=True)
class ProcessFailure:
    """The reason why a process ended early. Sent in place of its remaining results."""

    reason: str


class WorkAllocator:
    """Assigns pieces of work: each process that reaches a piece asks, and the first one gets it.

    ``counter`` is shared memory with the next unassigned piece. ``file`` is locked during an assignment: the system
    releases such a lock when its process is killed, so no process waits for a dead one.
    """

    def __init__(self, counter: Any, file: IO[bytes]) -> None:
        self._counter, self._file = counter, file

    def claim(self, number: int) -> bool:
        """Whether the piece belongs to the calling process. Pieces are counted from 0, and must be asked for in order."""
        if self._counter.value != number:  # it only grows
            return False
        fcntl.lockf(self._file, fcntl.LOCK_EX)
        try:
            if self._counter.value != number:
                return False
            self._counter.value += 1
            return True
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN)


Work = Callable[[WorkAllocator, Tell], None]


def can_fork() -> bool:
    """Whether processes can be used: they inherit what is loaded here, which needs a fork."""
    return "fork" in multiprocessing.get_all_start_methods()


def run_processes(count: int, work: Work) -> Generator[Any]:
    """The results of ``count`` processes, as they arrive, while each of them runs ``work(allocator, tell)``.

    A process that ends early sends `ProcessFailure` last. When the iteration ends for any reason, all processes have ended.
    Ctrl-C is handled by the caller.
    """
    context = multiprocessing.get_context("fork")
    with TemporaryFile() as file, _end_processes() as started:
        allocator = WorkAllocator(context.Value("q", 0, lock=False), file)
        listening: dict[Connection, BaseProcess] = {}
        for _ in range(count):
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_run, args=(theirs, work, allocator))
            process.start()
            started.append(process)
            theirs.close()
            listening[ours] = process
        while listening:
            for connection in wait(list(listening)):
                assert isinstance(connection, Connection)
                try:
                    message = connection.recv()
                except EOFError:
                    ended = listening.pop(connection)
                    ended.join()
                    message = (
                        ProcessFailure(f"a process ended with status {ended.exitcode}") if ended.exitcode else None
                    )
                if message is not None:
                    yield message


def map_in_order(
    pieces: Sequence[Piece],
    jobs: int,
    look: Callable[[Piece], Found],
    done: Callable[[int], None] = lambda _number: None,
) -> Iterator[Found]:
    """The results of ``look`` for each piece, in order, while ``jobs`` processes share the pieces.

    ``done`` is called with the number of finished pieces. Raises `Inconclusive` if a process ends early.
    """

    def work(allocator: WorkAllocator, tell: Tell) -> None:
        for number, piece in enumerate(pieces):
            if allocator.claim(number):
                tell((number, look(piece)))

    found: dict[int, Found] = {}
    reached, why = 0, "it is not known why"
    with closing(run_processes(min(jobs, len(pieces)), work)) as messages:
        for message in messages:
            if isinstance(message, ProcessFailure):
                why = message.reason
                continue
            number, what = message
            found[number] = what
            done(reached + len(found))
            while reached in found:
                yield found.pop(reached)
                reached += 1
    if reached < len(pieces):
        raise Inconclusive(why)


@contextmanager
def _end_processes() -> Iterator[list[BaseProcess]]:
    started: list[BaseProcess] = []
    try:
        yield started
    finally:
        for process in started:
            process.kill()
        for process in started:
            process.join()


def _run(out: Connection, work: Work, allocator: WorkAllocator) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    gc.freeze()  # objects from before belong to the parent; scanning them would only copy memory
    try:
        work(allocator, out.send)
    except Exception:  # noqa: BLE001 - the receiver reports it
        out.send(ProcessFailure(traceback.format_exc()))
