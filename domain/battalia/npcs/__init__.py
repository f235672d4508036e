"""The modules: one line each."""

from __future__ import annotations

from domain.battalia.modules.socket import Npc
from domain.battalia.npcs.armamentum import Armamentum
from domain.battalia.npcs.keeper import Keeper
from domain.battalia.npcs.rammoth import Rammoth
from domain.battalia.npcs.stormgates import Stormgates
from domain.battalia.npcs.teams import Teams
from domain.battalia.npcs.unbound_buff import UnboundBuff

_ALL: tuple[Npc, ...] = (
    Stormgates(),
    Rammoth(),
    Armamentum(),
    Keeper(),
    UnboundBuff(),
    Teams(),
)

NPCS: dict[str, Npc] = {npc.key: npc for npc in _ALL}
