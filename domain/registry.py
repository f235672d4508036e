"""The available games, one line each."""

from __future__ import annotations

from domain.battalia.game import BATTALIA
from domain.fronela.game import FRONELA
from domain.game import AnyGame
from domain.nim.game import NIM

GAMES: dict[str, AnyGame] = {
    BATTALIA.key: BATTALIA,
    FRONELA.key: FRONELA,
    NIM.key: NIM,
}
