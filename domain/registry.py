"""The available games, one line each."""

from __future__ import annotations

from domain.games.battalia.game import BATTALIA
from domain.games.fronela.game import FRONELA
from domain.games.nim.game import NIM
from domain.kernel.game import AnyGame

GAMES: dict[str, AnyGame] = {
    BATTALIA.key: BATTALIA,
    FRONELA.key: FRONELA,
    NIM.key: NIM,
}
