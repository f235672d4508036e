"""Informs games of their players' vacations: at once, and again until every affected game knows."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from domain.kernel.terms import DAY, SYSTEM, GameId, PlayerId, Seat
from domain.table.vacations import ORDERS, VACATION_DAYS
from service.store.ports.accounts import ANNOUNCED, RECALLED, Vacation
from service.store.ports.lobbies import Lobby
from service.store.redis.store import Store
from service.store.upkeep.sitter_assignment import sit_in


def tell_all(store: Store) -> list[GameId]:
    """Inform all games of vacations they do not know of, and delete past ones; returns games to wake a worker for."""
    found = store.accounts.vacationers(store.schedule.now() - DAY)  # one day more, so that past ones are deleted
    return [game_id for player_id in found for game_id in tell_of(store, player_id)]


def tell_of(store: Store, player_id: PlayerId) -> list[GameId]:
    """As `tell_all`, for the vacations of one player.

    Submission ids are fixed, so no game is informed twice if a process is killed halfway or two run at once.
    """
    now, woken = store.schedule.now(), []
    for vacation in store.accounts.vacations(player_id):
        if vacation.ends <= now:
            store.accounts.drop_vacation(player_id, vacation.id)
            continue
        for lobby, told in list(_recalls(store, vacation) if vacation.is_recalled else _announcements(store, vacation)):
            woken += [lobby.id for seat in lobby.seats_of(player_id) if _submit(store, vacation, lobby.id, seat, told)]
            store.accounts.told_vacation(player_id, vacation.id, lobby.id, told)
    return woken


def _announcements(store: Store, vacation: Vacation) -> Iterator[tuple[Lobby, str]]:
    games = [game_id for game_id in store.accounts.games_of(vacation.player) if game_id not in vacation.told]
    going = store.views.asked(games, archived=False) if games else {}
    for game_id in games:
        if game_id not in going or going[game_id].status == "over":
            continue
        lobby = store.lobbies.get(game_id)
        if lobby is not None and concerns(lobby, vacation.player):
            yield lobby, ANNOUNCED


def _recalls(store: Store, vacation: Vacation) -> Iterator[tuple[Lobby, str]]:
    for game_id, told in vacation.told.items():
        lobby = store.lobbies.get(game_id) if told == ANNOUNCED else None
        if lobby is not None:
            yield lobby, RECALLED


def concerns(lobby: Lobby, player_id: PlayerId) -> bool:
    """Whether the game is running, has vacations, and has a clock."""
    has_clock = lobby.pace.get("mode", "free") != "free"
    return (
        lobby.status == "running" and has_clock and bool(lobby.table.get(VACATION_DAYS) and lobby.seats_of(player_id))
    )


def _submit(store: Store, vacation: Vacation, game_id: GameId, seat: Seat, told: str) -> bool:
    # A different name in each game, so that readers of two games cannot see that it is the same player.
    name = sha256(f"{vacation.id} {game_id}".encode()).hexdigest()[:16]
    command: dict[str, Any] = {"type": "recall_vacation", "seat": seat, "vacation": name}
    if told == ANNOUNCED:
        command |= {"type": "announce_vacation", "begins": vacation.begins, "ends": vacation.ends}
        plays = vacation.plays
        if vacation.sitter is not None and not sit_in(store, vacation, game_id, seat):
            plays = ORDERS  # no one would make the decisions
        if plays != ORDERS:
            command["plays"] = plays
    id_ = f"{told}:{vacation.id}:{seat}"
    document = {"id": id_, "seat": SYSTEM, "command": command, "expected": None, "credential": None}
    return store.log.submit(game_id, document, id_).wake
