"""Moves tournaments forward: opens registration, starts, pairs rounds, creates and starts games, and ends.

Safe to interrupt and to run in several processes: a round is stored before its games, whose ids follow from it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from domain.kernel.terms import GameId, PlayerId
from domain.tournaments.changes import cancel, next_state, without
from domain.tournaments.life import BEFORE_START, OVER, STATES, Tournament, name_game
from domain.tournaments.results import result_of
from domain.tournaments.rules import TournamentTable
from service.core.game_start import TooManyRunning, start_game
from service.core.jobs import worker_context
from service.core.positions.cache import Positions
from service.features.tournaments import storage
from service.ops.logging import logger
from service.ops.settings import Settings
from service.store.ports.errors import LobbyRefusal, StoreDown
from service.store.ports.lobbies import Chair, Lobby
from service.store.redis.store import Store
from service.store.seal import commitment

log = logger("tournaments")


def advance_tournaments() -> int:
    """The minutely job, on the side queue: do what is due in all tournaments; returns how many are not over."""
    context = worker_context()

    def wake(game_id: GameId) -> None:
        context.queue.wake(context.store.schedule.partition(game_id))

    return Runner(context.store, context.settings, context.positions, wake).advance_all()


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs tournaments."""

    store: Store
    settings: Settings
    positions: Positions
    wake: Callable[[GameId], object]
    """Wakes a worker for a game that was started."""

    def advance_all(self) -> int:
        """Advance all tournaments that are not over. The failure of one does not stop the others. Raises `StoreDown`."""
        found = storage.list_ids(self.store, set(STATES).difference(OVER))
        for _, id_ in reversed(found):
            try:
                self.advance(id_)
            except StoreDown:
                raise  # the others would fail too
            except Exception:
                log.exception("tournament_failed", tournament=id_)
        return len(found)

    def advance(self, id_: str) -> None:
        """Do everything that is due in a tournament."""
        while (found := storage.read_tournament(self.store, id_)) is not None:
            storage.list_tournament(self.store, found.now)
            if found.now.state == "running":
                storage.store_waiting(self.store, found, self._create_games(found.now))
                if self._read_results(found.now):
                    continue
            changed = next_state(found.now, self.store.schedule.now())
            if changed == found.now:
                return
            if storage.change_tournament(self.store, found, changed):
                log.info("tournament_changed", tournament=id_, state=changed.state, round=len(changed.rounds))

    def _create_games(self, tournament: Tournament) -> str:
        """Create and start the games of all rounds, as far as that was not done. Returns why some wait; empty if none do."""
        waiting = [(*about, about[2].game) for about in tournament.running_tables if about[2].game]
        lobbies = self.store.lobbies.read_all([game for *_, game in waiting])
        for (number, place, table, game), lobby in zip(waiting, lobbies, strict=True):
            if lobby is not None and lobby.status != "lobby":
                continue
            try:
                self._start_game(tournament, number, place, table, game)
            except TooManyRunning as error:
                log.warning("tournament_game_waits", tournament=tournament.id, game=game, reason=error.code)
                return error.code  # the next minute, when other games of the organizer are over
            except LobbyRefusal as error:
                log.warning("tournament_game_refused", tournament=tournament.id, game=game, reason=error.code)
                with suppress(LobbyRefusal):  # someone has left a seat: the next minute creates the game again
                    self.store.lobbies.delete(game, tournament.organizer)
        return ""

    def _start_game(
        self, tournament: Tournament, number: int, place: int, table: TournamentTable, game: GameId
    ) -> None:
        seed, settings = secrets.token_bytes(32), tournament.settings
        entries = {each.number: each for each in tournament.entries}
        lobby = Lobby(
            game,
            settings.kind,
            tournament.organizer,
            tuple(Chair(entries[each].holder_at(number), entries[each].entropy) for each in table.entries),
            settings.ruleset,
            settings.options,
            settings.modules,
            settings.pace,
            settings.visibility,
            commitment(seed),
            self.store.schedule.now(),
            table=settings.table,
            title=name_game(tournament, number, place),
        )
        self.store.lobbies.create(lobby, seed)
        self.store.wire.one("HSET", self.store.keys.game(game).meta, storage.GAME_FIELD, tournament.id)
        start_game(self.store, self.settings, self.store.lobbies.get(game) or lobby)
        self.wake(game)

    def _read_results(self, tournament: Tournament) -> bool:
        """Store the results of games that are over and that the follower has not seen; whether there were any."""
        games = [table.game for _, _, table in tournament.running_tables if table.game]
        stored = False
        for lobby in self.store.lobbies.read_all(games):
            if lobby is None or lobby.status != "over":
                continue
            config = self.positions.get_config(lobby.id)
            position = None if config is None else self.positions.refresh(config).position
            result = None if position is None else result_of(position.table, position.head, position.at)
            if result is not None:
                storage.store_result(self.store, tournament.id, lobby.id, result)
                stored = True
        return stored


def erase_entries(store: Store, player_id: PlayerId) -> None:
    """Withdraw a player from all tournaments, and cancel those of theirs that have not started. Safe to repeat."""

    def erased(now: Tournament) -> Tournament:
        if now.organizer == player_id and now.state in BEFORE_START:
            return cancel(now, store.schedule.now())
        return without(now, player_id)

    for id_ in storage.list_ids_of(store, player_id):
        storage.update_tournament(store, id_, erased)
    storage.forget_player(store, player_id)
