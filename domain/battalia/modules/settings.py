"""What a table plays with: its modules, what may be set beside them, and who has which trait."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from domain.battalia.modules.registry import registered
from domain.game import Setting


def settings(modules: Collection[str]) -> tuple[Setting, ...]:
    """What may be chosen beside these modules."""
    plugged = [npc for key, npc in registered().items() if key in modules or npc.switch]
    return tuple(
        setting
        for npc in plugged
        for setting in npc.settings
        if has_trait(modules, npc.conditions.get(setting.name, ""))
    )


def needed_for(setting: str) -> tuple[str, ...]:
    """The modules without which there is no such setting; none if there is never."""
    for key, npc in registered().items():
        if any(each.name == setting for each in npc.settings):
            trait = npc.conditions.get(setting, "")
            return (key, *(other for other, each in registered().items() if trait in each.traits))
    return ()


def switched_on(modules: Collection[str], options: Mapping[str, Any]) -> tuple[str, ...]:
    """The modules, and what the options switch on."""
    return tuple(key for key, npc in registered().items() if (options[npc.switch] if npc.switch else key in modules))


def has_trait(modules: Collection[str], trait: str) -> bool:
    """Whether one of the modules has the trait; no trait is had by every table."""
    return not trait or any(trait in registered()[key].traits for key in modules)
