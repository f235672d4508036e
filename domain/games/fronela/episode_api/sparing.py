"""Event fields that serve only the narration. Games of the first scenarios are recorded without them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from domain.games.fronela import events as ev

LATER: Mapping[type[Any], tuple[str, ...]] = {
    ev.OrderChanged: ("place",),
    ev.GrowthRolled: ("because",),
    ev.GrowthLost: ("why",),
    ev.BattleJoined: ("attackers", "defenders"),
    ev.Die: ("because",),
    ev.UnitsLost: ("cause", "room"),
    ev.HitsSpent: ("hits", "why"),
    ev.FightingEnded: ("held",),
}
"""The fields that were added later, by event or part of an event."""


def spared(event: Any) -> Any:
    """The event as recorded by a scenario whose reading of ``telling`` is ``spare`` instead of ``full``."""
    if isinstance(event, ev.BattleRolled):
        return replace(event, attack=tuple(map(_spared, event.attack)), defence=tuple(map(_spared, event.defence)))
    return _spared(event) if type(event) in LATER else event


def _spared(event: Any) -> Any:
    defaults = {each.name: each for each in fields(event)}
    later = {name: _default(defaults[name]) for name in LATER[type(event)]}
    return replace(event, **later)


def _default(field: Any) -> Any:
    return {} if callable(field.default_factory) else field.default
