"""The settings of modules, and the modules of a setup."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from domain.games.battalia.module_api.registry import registered
from domain.games.battalia.rulesets.readings import ALWAYS
from domain.games.battalia.rulesets.rules import BattaliaNumbers
from domain.kernel.settings import Setting


def settings(modules: Collection[str]) -> tuple[Setting, ...]:
    """The settings that are available with these modules."""
    plugged = [npc for key, npc in registered().items() if key in modules or npc.switch]
    return tuple(
        setting
        for npc in plugged
        for setting in npc.settings
        if has_trait(modules, npc.conditions.get(setting.name, ""))
    )


def closed(modules: Collection[str], rules: BattaliaNumbers) -> frozenset[str]:
    """The core's settings that are not available because a module that opens them is missing (GATE-03)."""
    if rules.reads("harder_defence") == ALWAYS:
        return frozenset()
    return frozenset(name for key, npc in registered().items() if key not in modules for name in npc.opens)


def defaults(modules: Collection[str], rules: BattaliaNumbers) -> Mapping[str, Any]:
    """The core's defaults with these modules, if different."""
    return {name: value for key in modules for name, value in registered()[key].defaults(rules).items()}


def needed_for(setting: str) -> tuple[str, ...]:
    """The modules that provide a setting; empty for an unknown name."""
    for key, npc in registered().items():
        if setting in npc.opens:
            return (key,)
        if any(each.name == setting for each in npc.settings):
            trait = npc.conditions.get(setting, "")
            return (key, *(other for other, each in registered().items() if trait in each.traits))
    return ()


def switched_on(modules: Collection[str], options: Mapping[str, Any]) -> tuple[str, ...]:
    """These modules and those switched on by the options, in the order of the registry."""
    return tuple(key for key, npc in registered().items() if (options[npc.switch] if npc.switch else key in modules))


def has_trait(modules: Collection[str], trait: str) -> bool:
    """Whether one of the modules has the trait; always true for the empty trait."""
    return not trait or any(trait in registered()[key].traits for key in modules)
