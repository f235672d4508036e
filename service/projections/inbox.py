"""A player's inbox: every game that waits for him, the question, and when it is due."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from service.store.ports import Lobby, Rows


def turns(player: str, lobbies: Iterable[Lobby], asked: Mapping[str, Rows]) -> list[dict[str, Any]]:
    """The standing questions to the player's seats, the most urgent first, those without a deadline last."""
    waiting = []
    for lobby in lobbies:
        rows = asked.get(lobby.id)
        if rows is None or rows.status == "over":
            continue
        seats = lobby.seats_of(player)
        for question in orjson.loads(rows.asked) if seats else ():
            if question["seat"] in seats:
                seq = rows.seen[question["seat"]]
                waiting.append({"game": lobby.id, "game_kind": lobby.kind, "seq": seq, **question})
    return sorted(waiting, key=lambda turn: (turn["due"] is None, turn["due"] or turn["since"], turn["game"]))
