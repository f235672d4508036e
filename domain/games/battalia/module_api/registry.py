"""The registered modules, the modules of a game, and adjusting values with all of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, TypeVar

from domain.games.battalia.module_api.adjustments import Adjustable
from domain.games.battalia.module_api.socket import Npc
from domain.games.battalia.state import BattaliaState

F = TypeVar("F")
_REGISTERED: dict[str, Npc] = {}
"""The registered modules by key, in the order of registration; filled by `domain.games.battalia.modules`."""


class NothingRegistered(RuntimeError):
    """The registry was used before `domain.games.battalia.modules` was imported."""


def register(*npcs: Npc) -> dict[str, Npc]:
    """Register these modules. Returns the registry itself."""
    _REGISTERED.update((npc.key, npc) for npc in npcs)
    return _REGISTERED


def registered() -> Mapping[str, Npc]:
    """All modules. Raises `NothingRegistered` if there are none, to prevent games without modules."""
    if not _REGISTERED:
        raise NothingRegistered(
            "No module is registered; domain.games.battalia.game imports domain.games.battalia.modules for that."
        )
    return _REGISTERED


@lru_cache(maxsize=256)
def playing(modules: tuple[str, ...]) -> tuple[Npc, ...]:
    """The modules of a game, in order."""
    return tuple(sorted((registered()[key] for key in modules), key=lambda npc: npc.order))


class _Adjusting(dict[type[Any], tuple[Npc, ...]]):
    """The modules that adjust a type of value, in order, by that type."""

    def __init__(self, modules: tuple[str, ...]) -> None:
        super().__init__()
        self._npcs = playing(modules)

    def __missing__(self, subject: type[Any]) -> tuple[Npc, ...]:
        found = self[subject] = tuple(npc for npc in self._npcs if npc.adjusts is None or subject in npc.adjusts)
        return found


_adjusting = lru_cache(maxsize=256)(_Adjusting)


def adjusts(modules: tuple[str, ...], subject: type[Any]) -> tuple[Npc, ...]:
    """The modules of a game that adjust this type. If there are none, the value need not be created."""
    return _adjusting(modules)[subject]


def adjusted(state: BattaliaState, subject: Adjustable) -> Adjustable:
    """The value after every module of the game has adjusted it."""
    for npc in _adjusting(state.modules)[type(subject)]:
        subject = npc.adjust(state, subject)
    return subject


@lru_cache(maxsize=256)
def _owners(modules: tuple[str, ...]) -> Mapping[type[Any], Npc]:
    return {kind: npc for npc in playing(modules) for kind in (*npc.commands.values(), *npc.events.values())}


def owner_of(modules: tuple[str, ...], thing: Any) -> Npc | None:
    """The module of this command or event. None for the core's own."""
    return _owners(modules).get(type(thing))


def registered_owner(event: Any) -> Npc | None:
    """The registered module of this event. None for the core's own."""
    return _registered_owners().get(type(event))


def teller_of(type_: str) -> Npc | None:
    """The registered module with events of this type. None for the core's own."""
    return _tellers().get(type_)


@cache
def _registered_owners() -> Mapping[type[Any], Npc]:
    return _owners(tuple(registered()))


@cache
def _tellers() -> Mapping[str, Npc]:
    return {type_: npc for npc in reversed([*registered().values()]) for type_ in npc.events}


_KNOWN: list[Any] = [playing, _adjusting, _owners, _registered_owners, _tellers]


def forgettable(known: F) -> F:
    """Register a cache for `forget`, because its content depends on the registered modules."""
    _KNOWN.append(known)
    return known


def forget() -> None:
    """Clear these caches. Call it after a module was registered later than the first game."""
    for known in _KNOWN:
        known.cache_clear()
