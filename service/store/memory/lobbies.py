"""Lobbies in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

import orjson

from domain.terms import GameId, PlayerId, Seat
from service.store.codec import canonical, plain
from service.store.founding import setup_line
from service.store.memory.shelf import Shelf, ShelfGame
from service.store.ports.errors import LobbyRefusal
from service.store.ports.lobbies import (
    Chair,
    Lobby,
    Reliability,
    Seating,
    TurnsPlayed,
    begin_document,
    reliability_of,
    valid_game,
)
from service.store.ports.news import seats_changed
from service.store.shared.cursor import page_cursor, parse_cursor


class MemoryLobbies:
    """See `service.store.ports.lobbies.Lobbies`."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def create(self, lobby: Lobby, seed: bytes) -> None:
        if not valid_game(lobby.id):
            raise ValueError(f"not a game's id: {lobby.id!r}")
        with self._shelf.guard:
            self._shelf.games.setdefault(lobby.id, ShelfGame(lobby, seed, self._shelf.now()))

    def get(self, game_id: GameId) -> Lobby | None:
        found = self._shelf.games.get(game_id)
        return None if found is None else found.lobby

    def seed(self, game_id: GameId) -> bytes:
        return self._game(game_id).seed

    def join(
        self,
        game_id: GameId,
        player_id: PlayerId,
        entropy: str,
        invitation_digest: str | None,
        seat: Seat | None = None,
    ) -> Seat:
        _check(player_id, entropy)
        with self._shelf.guard:
            found = self._game(game_id)
            lobby = found.lobby
            mine = lobby.seat_of(player_id) is not None
            invited = bool(invitation_digest) and invitation_digest == lobby.invitation_digest
            if not (lobby.visibility == "public" or lobby.creator == player_id or mine or invited):
                raise LobbyRefusal("wrong-invitation")
            _open(lobby)
            if mine and lobby.sandbox is None:
                raise LobbyRefusal("seated-already")
            return self._sit(found, Chair(player_id, entropy), seat)

    def seat_bot(self, game_id: GameId, creator: PlayerId, bot: str, seat: Seat | None = None) -> Seat:
        holder = bot if bot.startswith("bot:") else f"bot:{bot}"
        _check(holder)
        with self._shelf.guard:
            found = self._of_creator(game_id, creator)
            return self._sit(found, Chair(holder), seat)

    def add_entropy(self, game_id: GameId, player_id: PlayerId, seat: Seat, entropy: str) -> None:
        _check(entropy)
        with self._shelf.guard:
            found = self._game(game_id)
            _open(found.lobby)
            if seat not in found.lobby.seats_of(player_id):
                raise LobbyRefusal("not-seated")
            self._put(found, seat, Chair(player_id, entropy))

    def leave(self, game_id: GameId, player_id: PlayerId, seat: Seat) -> None:
        with self._shelf.guard:
            found = self._game(game_id)
            _open(found.lobby)
            holder = found.lobby.chairs[seat - 1].holder if 0 < seat <= len(found.lobby.chairs) else None
            if holder is None or player_id not in (holder, found.lobby.creator):
                raise LobbyRefusal("not-seated")
            self._put(found, seat, Chair())

    def new_invitation(self, game_id: GameId, creator: PlayerId, invitation_digest: str) -> None:
        with self._shelf.guard:
            found = self._game(game_id)
            if found.lobby.creator != creator or not (found.lobby.status == "running" and found.lobby.seating.vacant):
                found = self._of_creator(game_id, creator)
            found.lobby = replace(found.lobby, invitation_digest=invitation_digest)
            found.touched = self._shelf.now()

    def start(self, game_id: GameId, creator: PlayerId, submission_id: str) -> Lobby:
        with self._shelf.guard:
            found = self._game(game_id)
            if found.lobby.creator != creator:
                raise LobbyRefusal("not-creator")
            if found.lobby.status != "lobby":
                return found.lobby
            if any(chair.holder is None for chair in found.lobby.chairs):
                raise LobbyRefusal("seats-open")
            command = orjson.loads(canonical(plain(begin_document(found.lobby))))
            now = self._shelf.now()
            setup = setup_line(command, now)
            document = {"id": submission_id, "seat": 0, "command": command, "expected": None, "credential": None}
            self._shelf.put(found, document)
            found.lobby = replace(found.lobby, status="running", started_at=now, invitation_digest="", setup=setup)
            return found.lobby

    def delete(self, game_id: GameId, creator: PlayerId | None = None, since: int | None = None) -> None:
        with self._shelf.guard:
            found = self._game(game_id)
            if creator is not None and found.lobby.creator != creator:
                raise LobbyRefusal("not-creator")
            _open(found.lobby)
            if since is not None and found.touched > since:
                raise LobbyRefusal("changed")
            del self._shelf.games[game_id]
        self._shelf.board.tell(game_id)

    def offered(self, game_id: GameId, player_id: PlayerId) -> None:
        pass

    def reliability(self, player_id: PlayerId) -> Reliability:
        with self._shelf.guard:
            kept = [
                each
                for game in self._shelf.games.values()
                for each in (
                    *game.lobby.seating.was,
                    *(
                        TurnsPlayed(seat, player_id, *game.turns[seat])
                        for seat in game.lobby.seats_of(player_id)
                        if seat in game.turns
                    ),
                )
                if each.player == player_id
            ]
        return reliability_of(kept)

    def reseat(self, lobby: Lobby, seating: Seating) -> bool:
        with self._shelf.guard:
            found = self._game(lobby.id)
            if found.lobby.chairs != lobby.chairs or found.lobby.seating != lobby.seating:
                return False
            found.lobby = replace(found.lobby, seating=replace(seating, revision=lobby.seating.revision + 1))
        self._shelf.board.revoked(seats_changed(lobby.id, lobby.seating.revision + 1))
        self._shelf.board.tell(lobby.id)
        return True

    def idle(self, since: int) -> Iterator[tuple[Lobby, int]]:
        with self._shelf.guard:
            games = [game for game in self._shelf.games.values() if game.lobby.status == "lobby"]
        yield from [(game.lobby, game.touched) for game in games if game.touched <= since]

    def every(self) -> Iterator[GameId]:
        return iter(list(self._shelf.games))

    def page(
        self,
        *,
        kind: str | None = None,
        status: str | None = None,
        vacant: Literal["vacant"] | None = None,
        player_id: PlayerId | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> tuple[Sequence[Lobby], str | None]:
        after, now = parse_cursor(cursor), self._shelf.now()
        with self._shelf.guard:
            found = [
                game.lobby
                for game in self._shelf.games.values()
                if kind in (None, game.lobby.kind)
                and status in (None, game.lobby.status)
                and (vacant is None or (game.lobby.status == "running" and game.lobby.seating.vacant))
                and (
                    game.lobby.belongs_to(player_id, now)
                    if player_id is not None
                    else game.lobby.visibility == "public"
                )
                and (after is None or (game.lobby.made_at, game.lobby.id) < after)
            ]
        found.sort(key=lambda lobby: (lobby.made_at, lobby.id), reverse=True)
        return found[:limit], page_cursor(found[limit - 1]) if len(found) > limit else None

    def _game(self, game_id: GameId) -> ShelfGame:
        found = self._shelf.games.get(game_id)
        if found is None:
            raise LobbyRefusal("unknown-game")
        return found

    def _of_creator(self, game_id: GameId, creator: PlayerId) -> ShelfGame:
        found = self._game(game_id)
        if found.lobby.creator != creator:
            raise LobbyRefusal("not-creator")
        _open(found.lobby)
        return found

    def _sit(self, found: ShelfGame, chair: Chair, wanted: Seat | None) -> Seat:
        chairs = found.lobby.chairs
        free = next((Seat(n) for n, each in enumerate(chairs, 1) if each.holder is None), None)
        seat = wanted or free
        if seat is None:
            raise LobbyRefusal("full")
        if not 0 < seat <= len(chairs) or chairs[seat - 1].holder is not None:
            raise LobbyRefusal("seat-taken")
        self._put(found, seat, chair)
        return seat

    def _put(self, found: ShelfGame, seat: Seat, chair: Chair) -> None:
        chairs = list(found.lobby.chairs)
        chairs[seat - 1] = chair
        found.lobby = replace(found.lobby, chairs=tuple(chairs))
        found.touched = self._shelf.now()


def _open(lobby: Lobby) -> None:
    if lobby.status != "lobby":
        raise LobbyRefusal("started")


def _check(*texts: str) -> None:
    if set("".join(texts)) & set(" \n"):
        raise ValueError("a holder and entropy have no blanks in them")
