"""The summary of a game for its page: players, settings and progress, without the board."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.kernel.terms import PlayerId, Seat
from service.core.history.seating import build_seat_names
from service.core.lobbies.inbox import list_questions
from service.store.ports.accounts import Player
from service.store.ports.commits import Rows
from service.store.ports.lobbies import Lobby, is_bot, is_voted_on


def build_summary(
    lobby: Lobby, players: Mapping[PlayerId, Player], rows: Rows | None, player_id: PlayerId | None
) -> dict[str, Any]:
    """The fields for lists of games: the lobby, the progress and the pending questions."""
    return {
        "id": lobby.id,
        "kind": lobby.kind,
        "title": lobby.title,
        "tags": list(lobby.tags),
        "status": lobby.status if rows is None else rows.status,
        "visibility": lobby.visibility,
        "creator": lobby.creator,
        "seats": _build_seats(lobby, players, player_id),
        "your_seats": list(lobby.seats_of(player_id)),
        "ruleset": lobby.ruleset,
        "options": dict(lobby.options),
        "modules": list(lobby.modules),
        "pace": dict(lobby.pace),
        "table": dict(lobby.table),
        "auto_start": lobby.auto_start,
        "commitment": lobby.commitment,
        "created_at": lobby.made_at,
        "started_at": lobby.started_at,
        "sandbox": _build_sandbox(lobby),
        "stalled": lobby.stalled,
        "seq": 0 if rows is None else rows.seq,
        "head": "" if rows is None else rows.head,
        "pending_questions": [] if rows is None else list(list_questions(rows)),
    }


def build_full_summary(
    lobby: Lobby,
    players: Mapping[PlayerId, Player],
    rows: Rows | None,
    table: Mapping[str, Any] | None,
    player_id: PlayerId | None,
    names: Mapping[Seat, str],
) -> dict[str, Any]:
    """The summary with data from the log: who plays each seat, the outcome and the signature of the head.

    ``table`` is the ``table`` of the public view. ``names`` are the names of the seats on the board and in the history.
    """
    document = build_summary(lobby, players, rows, player_id)
    document["outcome"] = None if table is None else table["outcome"]
    document["signature"] = None
    if rows is not None and rows.signature:
        document["signature"] = {"key": rows.key_id, "signature": rows.signature}
    for seat, now in zip(document["seats"], () if table is None else table["seats"], strict=False):
        kind, _, bot = now["controller"].partition(":")
        seat["bot"] = bot if kind == "bot" else None
    for seat in document["seats"]:
        seat["name"] = names[Seat(seat["seat"])]
    return document


def _build_seats(lobby: Lobby, players: Mapping[PlayerId, Player], player_id: PlayerId | None) -> list[dict[str, Any]]:
    known = {id_: player.name for id_, player in players.items()}
    names = build_seat_names([chair.holder for chair in lobby.chairs], known)
    return [
        {
            **_build_seat(lobby, seat, name if lobby.chairs[seat - 1].holder in known else ""),
            **_build_seat_changes(lobby, seat, known, player_id),
        }
        for seat, name in names.items()
    ]


def _build_seat_changes(
    lobby: Lobby, seat: Seat, known: Mapping[PlayerId, str], player_id: PlayerId | None
) -> dict[str, Any]:
    """Whether a seat is vacant, and its requests and sitter if the reader may see them.

    The creator, the requester and players in a vote see requests. The holder and the sitter see the sitter.
    """
    voices = [own for own in lobby.seats_of(player_id) if own not in lobby.seating.vacant]
    asked = is_voted_on(lobby) and bool(voices)
    wishes = [each for of, each in lobby.seating.wishes if of == seat and (asked or player_id in (lobby.creator, each))]
    sitters = [each for each in lobby.seating.sitters if each.seat == seat]
    holder = lobby.chairs[seat - 1].holder
    told = [
        {"player": _build_player(each.player, known), "from": each.begins, "until": each.until}
        for each in sitters
        if player_id is not None and player_id in (holder, each.player)
    ]
    return {
        "vacant": seat in lobby.seating.vacant,
        "reservation": _build_reservation(lobby, seat, known),
        "requests": [_build_player(each, known) for each in wishes],
        "sitter": told[0] if told else None,
    }


def _build_reservation(lobby: Lobby, seat: Seat, known: Mapping[PlayerId, str]) -> dict[str, Any] | None:
    found = next((each for each in lobby.reserved if each.seat == seat), None)
    if found is None:
        return None
    return {"player": _build_player(found.player, known), "expires_at": found.until or None}


def _build_player(player_id: PlayerId, known: Mapping[PlayerId, str]) -> dict[str, Any]:
    return {"id": player_id, "name": known.get(player_id, "")}


def _build_seat(lobby: Lobby, seat: Seat, name: str) -> dict[str, Any]:
    chair = lobby.chairs[seat - 1]
    document: dict[str, Any] = {"seat": seat, "player": None, "bot": None, "entropy": chair.entropy}
    if chair.holder is not None and is_bot(chair.holder):
        document["bot"] = chair.holder.partition(":")[2]
    elif chair.holder is not None:
        document["player"] = {"id": chair.holder, "name": name}
    return document


def _build_sandbox(lobby: Lobby) -> dict[str, Any] | None:
    if lobby.sandbox is None:
        return None
    return {
        "position": lobby.sandbox.get("position") is not None,
        "dice": lobby.sandbox.get("dice") is not None,
        "forked": lobby.sandbox.get("forked"),
    }
