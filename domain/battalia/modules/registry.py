"""The registered modules, those that play in a game, and asking them all to adjust what a rule has made."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, TypeVar

from domain.battalia.modules.adjustments import Adjustable
from domain.battalia.modules.socket import Npc
from domain.battalia.state import State

F = TypeVar("F")
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


class _Adjusting(dict[type[Any], tuple[Npc, ...]]):
    """By what is adjusted, the modules that do so, in their order."""

    def __init__(self, modules: tuple[str, ...]) -> None:
        super().__init__()
        self._npcs = playing(modules)

    def __missing__(self, subject: type[Any]) -> tuple[Npc, ...]:
        found = self[subject] = tuple(npc for npc in self._npcs if npc.adjusts is None or subject in npc.adjusts)
        return found


_adjusting = lru_cache(maxsize=256)(_Adjusting)


def adjusts(modules: tuple[str, ...], subject: type[Any]) -> tuple[Npc, ...]:
    """The modules of a game that adjust such a thing: where there are none, the thing need not be made."""
    return _adjusting(modules)[subject]


def adjusted(state: State, subject: Adjustable) -> Adjustable:
    """What a rule has made, after every module of the game has adjusted it."""
    for npc in _adjusting(state.modules)[type(subject)]:
        subject = npc.adjust(state, subject)
    return subject


@lru_cache(maxsize=256)
def _owners(modules: tuple[str, ...]) -> Mapping[type[Any], Npc]:
    return {kind: npc for npc in playing(modules) for kind in (*npc.commands.values(), *npc.events.values())}


def owner_of(modules: tuple[str, ...], thing: Any) -> Npc | None:
    """The module whose command or event this is; None for the core's own."""
    return _owners(modules).get(type(thing))


def registered_owner(event: Any) -> Npc | None:
    """The registered module whose event this is; None for the core's own."""
    return _registered_owners().get(type(event))


def teller_of(type_: str) -> Npc | None:
    """The registered module whose events are told under this type; None for the core's own."""
    return _tellers().get(type_)


@cache
def _registered_owners() -> Mapping[type[Any], Npc]:
    return _owners(tuple(registered()))


@cache
def _tellers() -> Mapping[str, Npc]:
    return {type_: npc for npc in reversed([*registered().values()]) for type_ in npc.events}


_KNOWN: list[Any] = [playing, _adjusting, _owners, _registered_owners, _tellers]


def forgettable(known: F) -> F:
    """Have `forget` clear this cache as well, since what it holds depends on who is registered."""
    _KNOWN.append(known)
    return known


def forget() -> None:
    """Find out anew who plays, adjusts and owns what: for whoever registers a module after the first game."""
    for known in _KNOWN:
        known.cache_clear()
