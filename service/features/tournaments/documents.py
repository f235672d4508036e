"""The public document of a tournament, from which anyone can compute its rounds and standings again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from domain.kernel.terms import PlayerId
from domain.tournaments.documents import describe_round, describe_section
from domain.tournaments.life import Tournament, TournamentSettings
from domain.tournaments.limits import USED_BY
from domain.tournaments.pairing import StandingsSection, build_standings
from domain.tournaments.rules import TournamentEntry
from service.features.tournaments.storage import read_tournament
from service.store.redis.store import Store

Names = Mapping[PlayerId, str]


def build_summary(tournament: Tournament, names: Names, player_id: PlayerId | None) -> dict[str, Any]:
    """The document for lists: without entries, rounds and standings."""
    entry = None if player_id is None else tournament.entry_of(player_id)
    return {
        "id": tournament.id,
        "state": tournament.state,
        "settings": _settings(tournament.settings),
        "organizer": _player(tournament.organizer, names),
        "entered": tournament.taken,
        "round": len(tournament.rounds),
        "your_entry": None if entry is None else _state(entry),
        "created_at": tournament.created_at,
        "started_at": tournament.started_at,
        "ended_at": tournament.ended_at,
        "commitment": tournament.commitment,
        "seed": None if tournament.started_at is None else tournament.seed,
    }


def find_names(store: Store, players: Iterable[PlayerId]) -> dict[PlayerId, str]:
    return {id_: player.name for id_, player in store.accounts.players(list(dict.fromkeys(players))).items()}


def read_document(store: Store, id_: str, player_id: PlayerId | None) -> dict[str, Any] | None:
    """The complete document for a reader; None if there is no such tournament."""
    found = read_tournament(store, id_)
    if found is None:
        return None
    now = found.now
    holders = (player for each in now.entries for _, player in each.holders)
    names = find_names(store, [now.organizer, *holders])
    sections: list[StandingsSection] = []
    if now.started_at is not None:
        sections = build_standings(now.settings.rules, now.seed, now.numbered, now.rounds)
    return {
        **build_summary(now, names, player_id),
        "waiting": found.waiting if now.state == "running" else None,
        "entries": [_entry(each, names) for each in now.entries],
        "rounds": [describe_round(number, each, found.results) for number, each in enumerate(now.rounds, 1)],
        "standings": [describe_section(each, now.settings.format, now.rounds) for each in sections],
    }


def _settings(settings: TournamentSettings) -> dict[str, Any]:
    """The settings as in a request. Those that the format does not use are omitted."""
    unused = {name for name, formats in USED_BY.items() if settings.format not in formats}
    unused |= {"round_days"} if settings.round_start != "calendar" else set()
    document = msgspec.to_builtins(settings)
    return {name: value for name, value in document.items() if value is not None and name not in unused}


def _player(player_id: PlayerId, names: Names) -> dict[str, Any]:
    return {"id": player_id, "name": names.get(player_id, "")}


def _state(entry: TournamentEntry) -> str:
    return "reserve" if entry.is_reserve else "withdrawn" if entry.is_withdrawn else "entered"


def _entry(entry: TournamentEntry, names: Names) -> dict[str, Any]:
    return {
        "number": entry.number or None,
        "player": _player(entry.player, names),
        "state": _state(entry),
        "registered_at": entry.registered_at,
        "first_round": entry.first,
        "last_round": entry.last,
        "rating": entry.rating,
        "holders": [{"first_round": first, "player": _player(player, names)} for first, player in entry.holders],
    }
