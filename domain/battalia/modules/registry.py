"""The registered modules, those that play in a game, and asking them all to adjust what a rule has made."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from domain.battalia.modules.adjustments import Adjustable
from domain.battalia.modules.socket import Npc
from domain.battalia.state import State

_REGISTERED: dict[str, Npc] = {}
"""By key, in the order of registration; `domain.battalia.npcs` fills it."""


class NothingRegistered(RuntimeError):
    """The registry was asked before `domain.battalia.npcs` was imported."""


def register(*npcs: Npc) -> dict[str, Npc]:
    """Enter these modules; returns the registry itself."""
    _REGISTERED.update((npc.key, npc) for npc in npcs)
    return _REGISTERED


def registered() -> Mapping[str, Npc]:
    """Every module there is; raises `NothingRegistered` rather than letting a game be played without modules."""
    if not _REGISTERED:
        raise NothingRegistered("No module is registered; domain.battalia.game imports domain.battalia.npcs for that.")
    return _REGISTERED


@lru_cache(maxsize=256)
def playing(modules: tuple[str, ...]) -> tuple[Npc, ...]:
    """The modules of a game in their order."""
    return tuple(sorted((registered()[key] for key in modules), key=lambda npc: npc.order))


@lru_cache(maxsize=1024)
def _adjusting(modules: tuple[str, ...], subject: str) -> tuple[Npc, ...]:
    def adjusts(npc: Npc) -> bool:
        return npc.adjusts is None or any(kind.__name__ == subject for kind in npc.adjusts)

    return tuple(filter(adjusts, playing(modules)))


def adjusted(state: State, subject: Adjustable) -> Adjustable:
    """What a rule has made, after every module of the game has adjusted it."""
    for npc in _adjusting(state.modules, type(subject).__name__):
        subject = npc.adjust(state, subject)
    return subject


def owner_of(modules: tuple[str, ...], thing: Any) -> Npc | None:
    """The module whose command or event this is; None for the core's own."""
    kind = type(thing)
    for npc in playing(modules):
        if kind in npc.commands.values() or kind in npc.events.values():
            return npc
    return None


def registered_owner(event: Any) -> Npc | None:
    """The registered module whose event this is; None for the core's own."""
    return next((npc for npc in registered().values() if type(event) in npc.events.values()), None)
