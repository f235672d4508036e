"""Whether this process can serve: asked of the store at most once a second, however many ask."""

from __future__ import annotations

from functools import partial

from service.api.remembered import Remembered
from service.store.ports import Store

KEPT = 1.0
"""Seconds that an answer is believed."""


class Health:
    """What `/readyz` knows."""

    def __init__(self, store: Store) -> None:
        self._faults = Remembered(partial(faults, store), KEPT)

    def faults(self) -> tuple[str, ...]:
        """As they were a moment ago."""
        return self._faults.get()


def faults(store: Store) -> tuple[str, ...]:
    """Why it cannot serve, a sentence each; none if it can. Whatever else must hold is asked here."""
    return () if store.ready() else ("The store does not answer, or takes no writes.",)
