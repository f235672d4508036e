"""Whether this process can serve: asked of the store at most once a second, however many ask."""

from __future__ import annotations

from functools import partial

from service.api.http.remembered import Remembered
from service.store.backlog import Backlog
from service.store.ports import Store, StoreDown

AWAY = "The store does not answer, or takes no writes."

KEPT = 1.0
"""Seconds that an answer is believed."""
WARNINGS_KEPT = 30.0
"""Seconds that the look at how the store is set up is believed."""


class Health:
    """What `/readyz` knows."""

    def __init__(self, store: Store, patience: int = 0) -> None:
        self._faults = Remembered(partial(faults, store, Backlog(store), patience), KEPT)
        self._warnings = Remembered(lambda: tuple(store.warnings()), WARNINGS_KEPT)

    def faults(self) -> tuple[str, ...]:
        """As they were a moment ago."""
        return self._faults.get()

    def warnings(self) -> tuple[str, ...]:
        """By what play could be lost although it can serve: the operator must look."""
        return self._warnings.get()


def faults(store: Store, backlog: Backlog, patience: int) -> tuple[str, ...]:
    """Why it cannot serve, a sentence each; none if it can. Whatever else must hold is asked here."""
    try:
        if not store.ready():
            return (AWAY,)
        waited = backlog.seconds() if patience else 0
    except StoreDown:
        return (AWAY,)
    if waited > patience:
        return (f"Commands wait to be settled, the oldest has waited for {waited:.0f} seconds: do workers live?",)
    return ()
