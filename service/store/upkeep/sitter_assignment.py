"""Assigns sitters for vacations in each game that allows them."""

from __future__ import annotations

from dataclasses import replace

from domain.kernel.terms import GameId, PlayerId, Seat
from domain.table.seats import SEATS
from service.store.ports.accounts import Vacation
from service.store.ports.lobbies import Lobby, Sitter
from service.store.redis.store import Store

NAMED, A_DAY = 30, 24 * 3600
"""Requests or assignments of sitters that an account may make in this many seconds."""


def allowed(store: Store, holder: PlayerId) -> tuple[bool, int]:
    """Count a sitter's assignment by an account: whether it is allowed, and if not, seconds to wait."""
    may, _, seconds = store.accounts.allow(f"sitter:{holder}", NAMED, NAMED / A_DAY)
    return may, seconds


def ask(store: Store, player_id: PlayerId, holder: PlayerId) -> bool:
    """Whether the player agrees to sit in for the holder; if not, stores a request."""
    if player_id == holder or store.accounts.agrees_to_sit(player_id, holder):
        return True
    store.accounts.ask_to_sit(player_id, holder, store.schedule.now())
    return False


def conflicts(lobby: Lobby, sitter: Sitter) -> str:
    """Why the player may not sit in in this game, as a sentence; empty if they may."""
    if lobby.sandbox is not None:
        return ""
    if lobby.seat_of(sitter.player) is not None:
        return "A sitter must not have a seat in the same game."
    if any(each.player == sitter.player and each.seat != sitter.seat for each in lobby.seating.sitters):
        return "A player can sit in for only one seat of a game."
    return ""


def sit_in(store: Store, vacation: Vacation, game_id: GameId, seat: Seat) -> bool:
    """Assign the vacation's sitter to one seat; whether the seat has a sitter when the vacation begins.

    Keeps a sitter assigned earlier for the game. Safe to interrupt and run again.
    """
    assert vacation.sitter is not None
    if not store.accounts.agrees_to_sit(vacation.sitter, vacation.player):
        return False
    sitter = Sitter(seat, vacation.sitter, vacation.begins, vacation.ends)
    counted = False
    while True:
        lobby = store.lobbies.get(game_id)
        if lobby is None or lobby.status != "running" or not SEATS.is_on(lobby.table):
            return False
        if lobby.chairs[seat - 1].holder != vacation.player:
            return False
        known = [each for each in lobby.seating.sitters if each.seat == seat and each.until > store.schedule.now()]
        if known:
            return any(each.begins <= vacation.begins < each.until for each in known)
        if conflicts(lobby, sitter) or not (counted or allowed(store, vacation.player)[0]):
            return False
        counted = True
        # Before and after, because a repair between the two would remove it.
        store.lobbies.offered(game_id, sitter.player)
        others = tuple(each for each in lobby.seating.sitters if each.seat != seat)
        if store.lobbies.reseat(lobby, replace(lobby.seating, sitters=(*others, sitter))):
            store.lobbies.offered(game_id, sitter.player)
            return True
