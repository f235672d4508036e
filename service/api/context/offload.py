"""Heavy work in threads of its own, for so long and no longer: in gevent's loop it would freeze every stream of the process."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from service.api.http.problems import RETRY_SECONDS, Problem
from service.api.limits.fair import Line
from service.process.system import system_lock, unpatched
from service.projections.positions.cache import Positions
from service.projections.positions.reach import Resignations
from service.store.redis.store import Store

T = TypeVar("T")

LANES = 2
"""Pieces of work at a time. More would gain nothing, since the interpreter's lock lets no two of them compute at once; one
would let a single slow piece keep everybody waiting until its time is up."""

MOST_WAITING = 128
"""Pieces of work that wait at most. More are refused at once, instead of after seconds in the queue."""

GRACE = 1.0
"""Seconds that stopped work has to let go of what it holds; a lane that still does not answer is given up."""


class OutOfTime(BaseException):
    """The work has lasted too long. No `Exception`, so that neither rules nor what is around them catch it."""


@dataclass(frozen=True, slots=True)
class ReadContext:
    """What heavy work reads with: a store that its thread may use, and what was read from it."""

    store: Store
    positions: Positions
    resignations: Resignations = field(default_factory=Resignations)


class ThreadOffload:
    """Does work with a `ReadContext`; under gevent in a thread, which has connections to the store of its own.

    A connection that gevent made in one thread cannot be used in another. Work that lasts longer than ``seconds``, or
    that finds no lane for so long, comes to the problem `too-much-work`.
    """

    def __init__(self, reads: ReadContext, open_store: Callable[[], Store] | None = None, seconds: float = 5.0) -> None:
        self._reads = reads
        self._open_store = open_store if in_gevent() else None
        self._seconds = seconds
        self._line = Line(LANES)
        self._free: list[Lane] = []

    @property
    def here(self) -> ReadContext:
        """What work reads with that is done at once, where it is asked for."""
        return self._reads

    def run(self, work: Callable[[ReadContext], T], who: str) -> T:
        """What the work comes to, or raises; ``who`` asks for it, an account or an address, and waits behind nobody but themselves."""
        if self._open_store is None:
            return work(self._reads)
        if self._line.waiting >= MOST_WAITING:
            raise too_much_work()
        with self._line.place(who, self._seconds) as free:
            if not free:
                raise too_much_work()
            lane = self._free.pop() if self._free else Lane(self._open_store)
            try:
                return lane.run(work, self._seconds)
            finally:
                if not lane.given_up:
                    self._free.append(lane)


class Lane:
    """One thread, its `ReadContext`, and the way to stop what it does."""

    def __init__(self, open_store: Callable[[], Store]) -> None:
        from gevent.threadpool import ThreadPool

        self._open_store = open_store
        self._pool = ThreadPool(1)
        self._reads: ReadContext | None = None
        self._lock = system_lock()
        self._thread: int | None = None
        """The thread's number while it works."""
        self.given_up = False

    def run(self, work: Callable[[ReadContext], T], seconds: float) -> T:
        """The work's value; raises what it raises, and the problem `too-much-work` after so many seconds."""
        from gevent import Timeout

        running = self._pool.spawn(self._run_caught, work)
        try:
            result, error = running.get(timeout=seconds)
        except Timeout:
            self._stop()
            running.wait(timeout=GRACE)
            self.given_up = not running.ready()
            raise too_much_work() from None
        if isinstance(error, OutOfTime):
            raise too_much_work() from None
        if error is not None:
            raise error
        value: T = result
        return value

    def _stop(self) -> None:
        """Raise `OutOfTime` in the thread at its next line, if it still works."""
        with self._lock:
            if self._thread is not None:
                _raise_in(self._thread, OutOfTime)

    def _run_caught(self, work: Callable[[ReadContext], T]) -> tuple[T | None, BaseException | None]:
        """The work's value or its error: gevent prints what is raised in its threads, and problems are answers."""
        try:
            try:
                self._thread = _thread_id()
                if self._reads is None:
                    store = self._open_store()
                    self._reads = ReadContext(store, Positions(store))
                return work(self._reads), None
            except Exception as error:  # noqa: BLE001 - raised again where it was asked for
                return None, error
            finally:
                with self._lock:  # from here on it is not stopped, and what was not yet raised never is
                    self._thread = None
                    _raise_in(_thread_id(), None)
        except OutOfTime as error:
            self._drop_connections()
            return None, error

    def _drop_connections(self) -> None:
        """Work stopped in the middle of a reply leaves a connection that nobody may read from again."""
        reads, self._reads = self._reads, None
        if reads is not None:
            with contextlib.suppress(Exception):
                reads.store.close()


def too_much_work() -> Problem:
    """The problem of an answer that takes too long to make."""
    return Problem("too-much-work", headers={"Retry-After": str(RETRY_SECONDS)})


def in_gevent() -> bool:
    """Whether this process runs in gevent's loop."""
    from gevent import monkey

    return bool(monkey.is_module_patched("socket"))


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Have it raised there before its next line; nothing takes back what was not raised yet."""
    exception = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), exception)


def _thread_id() -> int:
    """The number of this thread, and not that of the greenlet in it."""
    number: int = unpatched("get_ident")()
    return number
