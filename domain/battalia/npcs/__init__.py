"""All modules, one line each. Importing this package registers them."""

from __future__ import annotations

from domain.battalia.modules.registry import register
from domain.battalia.npcs.armamentum import Armamentum
from domain.battalia.npcs.keeper import Keeper
from domain.battalia.npcs.rammoth import Rammoth
from domain.battalia.npcs.stormgates import Stormgates
from domain.battalia.npcs.teams import Teams
from domain.battalia.npcs.unbound_buff import UnboundBuff

NPCS = register(
    Stormgates(),
    Rammoth(),
    Armamentum(),
    Keeper(),
    UnboundBuff(),
    Teams(),
)
