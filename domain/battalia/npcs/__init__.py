"""The modules: one line each."""

from __future__ import annotations

from domain.battalia.npc import Npc

_ALL: tuple[Npc, ...] = ()

NPCS: dict[str, Npc] = {npc.key: npc for npc in _ALL}
