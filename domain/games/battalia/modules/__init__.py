"""All modules, one line each. Importing this package registers them."""

from __future__ import annotations

from domain.games.battalia.module_api.registry import register
from domain.games.battalia.modules.armamentum import Armamentum
from domain.games.battalia.modules.keeper import Keeper
from domain.games.battalia.modules.rammoth import Rammoth
from domain.games.battalia.modules.stormgates import Stormgates
from domain.games.battalia.modules.teams import Teams
from domain.games.battalia.modules.unbound_buff import UnboundBuff

NPCS = register(
    Stormgates(),
    Rammoth(),
    Armamentum(),
    Keeper(),
    UnboundBuff(),
    Teams(),
)
