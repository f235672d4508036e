"""Heavy work in a thread of its own: folding in gevent's loop would freeze every stream of the process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from service.projections.positions import Positions
from service.projections.reach import Resignations
from service.store.ports import Store

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Desk:
    """What heavy work works with: a store that its thread may use, and the positions read from it."""

    store: Store
    positions: Positions
    resignations: Resignations = field(default_factory=Resignations)


class Apart:
    """Does work at a desk; under gevent in one thread, which has connections to the store of its own.

    One thread only: a connection that gevent made in one thread cannot be used in another, and the interpreter's lock
    lets no two of them compute at once anyway.
    """

    def __init__(self, desk: Desk, open_store: Callable[[], Store] | None = None) -> None:
        self._desk = desk
        self._open_store = open_store if _in_gevent() else None
        self._own: Desk | None = None
        self._pool: Any = None

    def run(self, work: Callable[[Desk], T]) -> T:
        """What the work comes to, or raises."""
        if self._open_store is None:
            return work(self._desk)
        if self._pool is None:
            from gevent.threadpool import ThreadPool

            self._pool = ThreadPool(1)
        result, error = self._pool.apply(self._caught, (work,))
        if error is not None:
            raise error
        value: T = result
        return value

    def _caught(self, work: Callable[[Desk], T]) -> tuple[T | None, BaseException | None]:
        """Gevent prints what is raised in its threads; problems are answers, so they come back as values."""
        try:
            if self._own is None:
                assert self._open_store is not None
                store = self._open_store()
                self._own = Desk(store, Positions(store))
            return work(self._own), None
        except Exception as error:  # noqa: BLE001 - raised again where it was asked for
            return None, error


def _in_gevent() -> bool:
    from gevent import monkey

    return bool(monkey.is_module_patched("socket"))
