"""The result of a rated game, from its export alone. `docs/ratings.md` has the clauses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from domain.kernel.record import SPEAKERS, Position
from domain.kernel.terms import GameId, Seat
from domain.registry import GAMES
from domain.table import features
from domain.table.folding import fold
from domain.table.rated import RATED
from service.audit.lines import Export
from service.store.reading.bodies import read_commit

NOT_RATED, ABORTED, NOT_PLAYED = "RAT-01", "RAT-05", "RAT-10"
"""Clauses by which a game does not count."""

LEAVING = ("seat_resigned", "seat_vacated", "seat_left")
"""Events by which a seat loses its player (RAT-06, RAT-07). A substitute changes nothing (RAT-08)."""


class GameResult(msgspec.Struct, frozen=True):
    """What a finished game contributes to a list."""

    game: GameId
    head: str
    """Of its last commit, hex."""
    ended: int
    """When its last commit was settled, milliseconds of Unix time."""
    kind: str
    bots: tuple[str, ...]
    """The bot that has each seat from the start, such as ``bot:greedy``; empty for a player's seat."""
    teams: tuple[tuple[Seat, ...], ...]
    """The seats that win together. A seat without partner, or whose player left, is a team of its own (RAT-04, RAT-06)."""
    places: tuple[int, ...]
    """The place of each team, 1 for the best. Teams with equal results have the same place (RAT-03)."""
    clause: str = ""
    """The clause by which the game does not count; empty if it does."""

    @property
    def seats(self) -> int:
        return len(self.bots)

    @property
    def has_bots(self) -> bool:
        return any(self.bots)


class NotFinished(ValueError):
    """The export is of a running game, or has no outcome. The message says so."""


def read_result(export: Export) -> GameResult:
    """The result of an exported game. Raises `NotFinished`, and various errors if this release cannot read the game.

    The file is not checked; `service.audit.auditor` does that.
    """
    if export.seed is None:
        raise NotFinished("the game is still running")
    last = export.commits[-1].header
    events = list(_events(export))
    begun = next((event for _, event in events if event["type"] == "game_begun"), None)
    ended = next((event for _, event in reversed(events) if event["type"] == "game_ended"), None)
    if begun is None or ended is None:
        raise NotFinished("the game has no outcome")
    bots = tuple("" if each == "player" else each for each in begun["controllers"])
    left: dict[Seat, int] = {}
    for seq, event in events:
        if event["type"] in LEAVING:
            left.setdefault(Seat(event["seat"]), seq)
    teams = _teams(export, len(bots), left)
    keys = [_key(team, ended, left) for team in teams]
    order = sorted(set(keys), reverse=True)
    return GameResult(
        export.setup.game,
        export.end.head,
        last.at,
        export.setup.kind,
        bots,
        teams,
        tuple(1 + sum(keys.count(better) for better in order[: order.index(key)]) for key in keys),
        _exclusion(export, begun, ended, bots) if len(teams) > 1 else NOT_RATED,
    )


def _events(export: Export) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for line in export.commits:
        for event in (line.body or {}).get("events", ()):
            yield line.header.seq, event


def _teams(export: Export, seats: int, left: Mapping[Seat, int]) -> tuple[tuple[Seat, ...], ...]:
    """RAT-04 and RAT-06: the seats that stayed, by team, and each seat that was left."""
    game, first = GAMES[export.setup.kind], export.commits[0]
    commit = read_commit(game, 1, first.header.at, first.header.release, first.body_bytes)
    state = fold(game, Position(), commit).state
    found: list[tuple[Seat, ...]] = []
    for seat in map(Seat, range(1, seats + 1)):
        together = {seat} if seat in left else {seat, *game.rules.allies(state, seat)} - (left.keys() - {seat})
        team = tuple(sorted(together))
        if team not in found:
            found.append(team)
    return tuple(found)


def _key(team: Sequence[Seat], ended: Mapping[str, Any], left: Mapping[Seat, int]) -> tuple[int, ...]:
    """RAT-03: sorts teams by their result, the best last: left early, left late, lost with few points, and so on."""
    if team[0] in left:
        return (0, left[team[0]])
    scores = {int(seat): score for seat, score in ended["scores"].items()}
    return (1, int(team[0] in ended["winners"]), sum(scores.get(seat, 0) for seat in team))


def _exclusion(export: Export, begun: Mapping[str, Any], ended: Mapping[str, Any], bots: Sequence[str]) -> str:
    """The clause by which the game does not count; empty if it does."""
    if begun.get("sandbox") or begun.get("table", {}).get(RATED) is not True:
        return NOT_RATED
    if ended["reason"] == "aborted":
        return ABORTED
    players = {seat for seat, bot in enumerate(bots, 1) if not bot}
    return NOT_PLAYED if players - set(_decided(export)) else ""


def _decided(export: Export) -> Iterator[int]:
    """The seats whose players, or those who act for them, made decisions of the game."""
    for line in export.commits:
        body = line.body or {}
        actor, command = body["actor"], body["submission"]["command"]
        is_decision = command.get("type") not in features.PLAYERS and "refusal" not in body
        if actor["by"] in SPEAKERS and is_decision:
            yield actor["seat"]
