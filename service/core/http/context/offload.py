"""Heavy work in separate threads with a time limit. In gevent's loop it would block every stream of the process."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from service.core.accounts.apart import FindApart, no_one_apart
from service.core.http.limits.fair_queue import FairQueue
from service.core.http.problems import RETRY_SECONDS, Problem
from service.core.positions.cache import Positions
from service.core.positions.visibility import Resignations
from service.ops.processes.native_threads import system_lock, unpatched
from service.store.redis.store import Store

T = TypeVar("T")

THREADS = 2
"""Number of threads.

More would gain nothing, because the interpreter's lock lets only one compute at a time. With one, a single slow piece
of work would block all others until its time is up.
"""

MAX_WAITING = 128
"""Maximum number of waiting pieces of work. More are refused at once, instead of after seconds in the queue."""

GRACE_SECONDS = 1.0
"""Seconds that stopped work has to release its resources. A thread that still does not respond is abandoned."""


class TimeLimitExceeded(BaseException):
    """The work has taken too long. Not an `Exception`, so that neither rules nor their callers catch it."""


@dataclass(frozen=True, slots=True)
class ReadContext:
    """What heavy work reads with: a store for its thread, and the data read from it."""

    store: Store
    positions: Positions
    resignations: Resignations = field(default_factory=Resignations)
    find_apart: FindApart = no_one_apart


class ThreadOffload:
    """Runs work with a `ReadContext`; under gevent in a thread with its own connections to the store.

    A connection that gevent made in one thread cannot be used in another. Work that takes longer than ``seconds``, or
    waits that long for a thread, ends with the problem `too-much-work`.
    """

    def __init__(self, reads: ReadContext, open_store: Callable[[], Store] | None = None, seconds: float = 5.0) -> None:
        self._reads = reads
        self._open_store = open_store if is_gevent_active() else None
        self._seconds = seconds
        self._queue = FairQueue(THREADS)
        self._free_threads: list[OffloadThread] = []

    @property
    def local_reads(self) -> ReadContext:
        """The `ReadContext` for work that is done in place."""
        return self._reads

    def run(self, work: Callable[[ReadContext], T], client: str) -> T:
        """The result of the work; raises its exceptions.

        ``client`` (an account or address) waits only behind its own requests.
        """
        if self._open_store is None:
            return work(self._reads)
        if self._queue.waiting_count >= MAX_WAITING:
            raise too_much_work_problem()
        with self._queue.slot(client, self._seconds) as free:
            if not free:
                raise too_much_work_problem()
            thread = (
                self._free_threads.pop()
                if self._free_threads
                else OffloadThread(self._open_store, self._reads.find_apart)
            )
            try:
                return thread.run(work, self._seconds)
            finally:
                if not thread.is_abandoned:
                    self._free_threads.append(thread)


class OffloadThread:
    """One thread, its `ReadContext`, and the means to stop its work."""

    def __init__(self, open_store: Callable[[], Store], find_apart: FindApart) -> None:
        from gevent.threadpool import ThreadPool

        self._open_store, self._find_apart = open_store, find_apart
        self._pool = ThreadPool(1)
        self._reads: ReadContext | None = None
        self._lock = system_lock()
        self._thread_id: int | None = None
        """The thread's number while it works."""
        self.is_abandoned = False

    def run(self, work: Callable[[ReadContext], T], seconds: float) -> T:
        """The work's value. Raises its exceptions, and the problem `too-much-work` after so many seconds."""
        from gevent import Timeout

        running = self._pool.spawn(self._run_safely, work)
        try:
            result, error = running.get(timeout=seconds)
        except Timeout:
            self._stop()
            running.wait(timeout=GRACE_SECONDS)
            self.is_abandoned = not running.ready()
            raise too_much_work_problem() from None
        if isinstance(error, TimeLimitExceeded):
            raise too_much_work_problem() from None
        if error is not None:
            raise error
        value: T = result
        return value

    def _stop(self) -> None:
        """Raise `TimeLimitExceeded` in the thread at its next line, if it is still working."""
        with self._lock:
            if self._thread_id is not None:
                _raise_in(self._thread_id, TimeLimitExceeded)

    def _run_safely(self, work: Callable[[ReadContext], T]) -> tuple[T | None, BaseException | None]:
        """The work's value or its error. Gevent prints exceptions of its threads, but problems are normal results."""
        try:
            try:
                self._thread_id = _thread_id()
                if self._reads is None:
                    store = self._open_store()
                    self._reads = ReadContext(store, Positions(store), find_apart=self._find_apart)
                return work(self._reads), None
            except Exception as error:  # noqa: BLE001 - raised again where it was asked for
                return None, error
            finally:
                with self._lock:  # from here on it is not stopped; a pending exception is never raised
                    self._thread_id = None
                    _raise_in(_thread_id(), None)
        except TimeLimitExceeded as error:
            self._drop_connections()
            return None, error

    def _drop_connections(self) -> None:
        """Work stopped in the middle of a reply leaves a connection that must not be read again."""
        reads, self._reads = self._reads, None
        if reads is not None:
            with contextlib.suppress(Exception):
                reads.store.close()


def too_much_work_problem() -> Problem:
    """The problem of a response that takes too long to compute."""
    return Problem("too-much-work", headers={"Retry-After": str(RETRY_SECONDS)})


def is_gevent_active() -> bool:
    """Whether this process runs in gevent's loop."""
    from gevent import monkey

    return bool(monkey.is_module_patched("socket"))


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise the error in the thread before its next line. Nothing can cancel a pending one."""
    exception = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), exception)


def _thread_id() -> int:
    """The number of this thread, not of the greenlet in it."""
    number: int = unpatched("get_ident")()
    return number
