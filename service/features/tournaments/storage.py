"""Stores tournaments: a hash for each, a list of all, and a list for each player.

A change is written only if its writer has read the newest fields, so that two processes never mix their changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import msgspec

from domain.kernel.terms import GameId, PlayerId
from domain.tournaments.life import OVER, Tournament, with_results
from domain.tournaments.results import TableResult
from domain.tournaments.rules import TournamentEntry, TournamentRound
from service.store import typed
from service.store.ports.side_data import NO_GAME
from service.store.redis.conditional import execute_if, set_fields
from service.store.redis.store import Store

GAME_FIELD = "tournament"
"""The field in a game's meta hash with the id of its tournament."""

_ALL = "tournaments"
"""Notes: ``<created_at> <state>`` of each tournament, by id. The job corrects the state of one that a process left."""

_ROUND, _RESULT, _WAITING = "round ", "result ", "waiting"
"""Prefixes of fields, before the number of a round and the id of a game; and the field with the reason why games wait."""


class StoredTournament(msgspec.Struct, frozen=True):
    """A tournament with its results, and the stored bytes that it was read from."""

    now: Tournament
    results: dict[GameId, TableResult]
    fields: dict[str, bytes]

    @property
    def waiting(self) -> str | None:
        """Why games wait to be created; None if none do."""
        return self.fields[_WAITING].decode() if _WAITING in self.fields else None


_tournament, _entries = typed.decoder(Tournament), typed.decoder(tuple[TournamentEntry, ...])
_round, _result = typed.decoder(TournamentRound), typed.decoder(TableResult)


def _key(store: Store, id_: str) -> str:
    return store.keys.notes(NO_GAME, f"tournament:{id_}")


def _drawer_of(player_id: PlayerId) -> str:
    return f"tournaments-of:{player_id}"


def create_tournament(store: Store, made: Tournament, most: int) -> bool:
    """Store a tournament if it is not stored yet. False if its organizer has ``most`` that are not over."""
    drawer = store.keys.notes(NO_GAME, _drawer_of(made.organizer))
    fields = [part for pair in _packed(made).items() for part in pair]
    writes = [("HSET", drawer, made.id, b"1"), ("HSET", _key(store, made.id), *fields)]
    while made.id.encode() not in (known := store.wire.one("HKEYS", drawer)):
        if _count_unfinished(store, made.organizer, [id_.decode() for id_ in known]) >= most:
            return False
        if execute_if(store.wire, {("HKEYS", drawer): known}, writes):
            break
    list_tournament(store, made)
    return True


def _packed(tournament: Tournament) -> dict[str, bytes]:
    """All fields except results."""
    rounds = {f"{_ROUND}{number}": msgspec.json.encode(each) for number, each in enumerate(tournament.rounds, 1)}
    alone = msgspec.json.encode(replace(tournament, entries=(), rounds=()))
    return {"tournament": alone, "entries": msgspec.json.encode(tournament.entries), **rounds}


def change_tournament(store: Store, found: StoredTournament, changed: Tournament) -> bool:
    """Store a changed tournament. False if another process has changed state, entries or rounds since it was read.

    Rounds can only be appended. Results are never written here.
    """
    written = {
        name: value
        for name, value in _packed(changed).items()
        if not (name.startswith(_ROUND) and name in found.fields) and found.fields.get(name) != value
    }
    compared = ("tournament", "entries", f"{_ROUND}{len(found.now.rounds) + 1}")
    before = {name: found.fields.get(name) for name in compared}
    if not set_fields(store.wire, _key(store, changed.id), before, written):
        return False
    list_tournament(store, changed)
    return True


def update_tournament(store: Store, id_: str, change: Callable[[Tournament], Tournament]) -> StoredTournament | None:
    """Change a tournament by a function of its newest state; returns it as it was before. None if it does not exist."""
    while (found := read_tournament(store, id_)) is not None:
        changed = change(found.now)
        if changed == found.now or change_tournament(store, found, changed):
            return found
    return None


def read_tournament(store: Store, id_: str) -> StoredTournament | None:
    """The tournament, or None if it does not exist."""
    return next(iter(read_tournaments(store, [id_])), None)


def read_tournaments(store: Store, ids: Sequence[str]) -> list[StoredTournament]:
    """Those of these tournaments that exist, in one round trip."""
    replies = store.wire.many([("HGETALL", _key(store, id_)) for id_ in ids])
    return [_unpacked(flat) for flat in replies if flat]


def _unpacked(flat: Sequence[bytes]) -> StoredTournament:
    fields = {name.decode(): value for name, value in zip(flat[::2], flat[1::2], strict=True)}
    numbers = sorted(int(name.removeprefix(_ROUND)) for name in fields if name.startswith(_ROUND))
    results = {
        GameId(name.removeprefix(_RESULT)): _result.decode(value)
        for name, value in fields.items()
        if name.startswith(_RESULT)
    }
    rounds = tuple(_round.decode(fields[f"{_ROUND}{number}"]) for number in numbers)
    alone, entries = _tournament.decode(fields["tournament"]), _entries.decode(fields["entries"])
    ranks = {game: result.ranks for game, result in results.items()}
    return StoredTournament(with_results(replace(alone, entries=entries, rounds=rounds), ranks), results, fields)


def store_result(store: Store, id_: str, game_id: GameId, result: TableResult) -> None:
    """Store the result of a game. The first one stays."""
    store.notes.keep(NO_GAME, f"tournament:{id_}", f"{_RESULT}{game_id}", msgspec.json.encode(result))


def store_waiting(store: Store, found: StoredTournament, reason: str) -> None:
    """Store why games wait to be created; empty if none do."""
    if reason != (found.waiting or ""):
        set_fields(store.wire, _key(store, found.now.id), {}, {_WAITING: reason})


# -- lists --------------------------------------------------------------------------------------------------------------


def list_tournament(store: Store, tournament: Tournament) -> None:
    """Show the tournament with its state in lists."""
    listed = f"{tournament.created_at} {tournament.state}".encode()
    if store.notes.read(NO_GAME, _ALL, [tournament.id]).get(tournament.id) != listed:
        store.notes.put(NO_GAME, _ALL, tournament.id, listed)


def list_ids(store: Store, states: Iterable[str]) -> list[tuple[int, str]]:
    """Creation time and id of all tournaments in these states, the newest first."""
    wanted = set(states)
    found = [(id_, *note.decode().split(" ")) for id_, note in store.notes.all(NO_GAME, _ALL).items()]
    return sorted(((int(at), id_) for id_, at, state in found if state in wanted), reverse=True)


def note_player(store: Store, player_id: PlayerId, id_: str) -> None:
    """Remember that the tournament concerns a player, before it does."""
    store.notes.put(NO_GAME, _drawer_of(player_id), id_, b"1")


def list_ids_of(store: Store, player_id: PlayerId) -> list[str]:
    """The tournaments that a player has organized or registered for, perhaps more."""
    return sorted(store.notes.all(NO_GAME, _drawer_of(player_id)))


def forget_player(store: Store, player_id: PlayerId) -> None:
    store.notes.erase(NO_GAME, _drawer_of(player_id), list_ids_of(store, player_id))


def _count_unfinished(store: Store, player_id: PlayerId, ids: Sequence[str]) -> int:
    """How many of these tournaments of the organizer are not over."""
    found = [each.now for each in read_tournaments(store, ids)]
    return sum(each.organizer == player_id and each.state not in OVER for each in found)
