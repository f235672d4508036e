"""A player's inbox: their pending questions in all games, with deadlines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import orjson

from domain.kernel.terms import GameId, PlayerId
from service.store.ports.commits import Rows
from service.store.ports.lobbies import Lobby


def list_questions(rows: Rows) -> Sequence[dict[str, Any]]:
    """The pending questions of a game in their public form; empty if the stored rows are malformed or name missing seats."""
    try:
        asked = orjson.loads(rows.asked)
        fits = all(
            0 <= question["seat"] < len(rows.seen) and "due" in question and "since" in question for question in asked
        )
    except (ValueError, TypeError, LookupError):
        return ()
    return [_to_public(row) for row in asked] if fits and isinstance(asked, list) else ()


def _to_public(row: dict[str, Any]) -> dict[str, Any]:
    """A stored question in its public form."""
    return {**{name: value for name, value in row.items() if name != "due"}, "deadline": row["due"]}


def list_turns(
    player_id: PlayerId, lobbies: Iterable[Lobby], asked: Mapping[GameId, Rows], now: Callable[[], int]
) -> list[dict[str, Any]]:
    """The pending questions of the player's seats, most urgent first, those without a deadline last.

    ``now`` returns the current time. It is called only for seats in which the player is a sitter.
    """
    waiting = []
    for lobby in lobbies:
        rows = asked.get(lobby.id)
        if rows is None or rows.status == "over":
            continue
        seats = lobby.seats_of(player_id)
        if lobby.seating.sits_in(player_id):
            seats = (*seats, *lobby.seating.sits_in(player_id, now()))
        for question in list_questions(rows) if seats else ():
            if question["seat"] in seats:
                seq = rows.seen[question["seat"]]
                game = {"game": lobby.id, "game_kind": lobby.kind, "title": lobby.title}
                waiting.append({**game, "seq": seq, **question})
    return sorted(waiting, key=lambda turn: (turn["deadline"] is None, turn["deadline"] or turn["since"], turn["game"]))
