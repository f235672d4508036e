"""A player's questions and news in a game, and their texts for notifications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from domain.kernel.record import Position
from domain.kernel.terms import GameId, PlayerId, Seat
from domain.registry import GAMES
from service.core.history.narration import Narrator
from service.core.history.seating import build_seat_names, describe_game, load_player_names
from service.core.lobbies.inbox import list_questions
from service.core.notifications.schedule import OVER, SEAT_VACANT
from service.core.pace.zones import zone_of
from service.core.positions.cache import Positions
from service.core.positions.rows import load_sides
from service.core.positions.visibility import Resignations
from service.store.chain import reading
from service.store.ports.commits import Rows
from service.store.ports.lobbies import Lobby, is_bot
from service.store.redis.log.log import Log
from service.store.redis.store import Store

CACHED_POSITIONS = 64

BATCH_SIZE = 32
"""Commits read at a time, when only the last minutes matter."""

SEAT_VACANT_TEXT = (
    "You missed too many turns. A bot now plays for you, and your seat is vacant. You can take it back until another "
    "player takes it."
)


@dataclass(frozen=True, slots=True)
class MessageContext:
    """The dependencies for writing notifications, used by one thread."""

    store: Store
    positions: Positions
    resignations: Resignations

    @staticmethod
    def create(store: Store) -> MessageContext:
        """A context with a small cache: notifications are about many games, each rarely."""
        return MessageContext(store, Positions(store, CACHED_POSITIONS), Resignations())


def load_pending_questions(
    context: MessageContext, game_id: GameId, player_id: PlayerId
) -> Sequence[Mapping[str, Any]]:
    """The pending questions of a player in a game, in their public form."""
    return find_pending_questions(
        context.store.lobbies.get(game_id), context.store.views.asked([game_id]).get(game_id), player_id
    )


def find_pending_questions(lobby: Lobby | None, rows: Rows | None, player_id: PlayerId) -> Sequence[Mapping[str, Any]]:
    """As `load_pending_questions`, from a lobby and rows that were already read."""
    if lobby is None or rows is None or rows.status == "over":
        return ()
    seats = lobby.seats_of(player_id)
    return [question for question in list_questions(rows) if question["seat"] in seats] if seats else ()


@dataclass(frozen=True, slots=True)
class StatusChange:
    """News without a question: the player's game is over, or their seat is vacant."""

    kind: str
    """`OVER` or `SEAT_VACANT`."""
    seq: int
    """The seq of the commit."""
    at: int
    """The time of the commit, in milliseconds of Unix time."""


def load_status_change(
    context: MessageContext, game_id: GameId, player_id: PlayerId, after: int
) -> StatusChange | None:
    """As `find_status_change`, from the current state of the store."""
    lobby, rows = context.store.lobbies.get(game_id), context.store.views.asked([game_id]).get(game_id)
    return find_status_change(context.store.log, lobby, rows, player_id, after)


def find_status_change(
    log: Log, lobby: Lobby | None, rows: Rows | None, player_id: PlayerId, after: int
) -> StatusChange | None:
    """News of a player's game after a commit: the end of the game, or else of their seat. None if they caused it themselves."""
    seats = () if lobby is None else lobby.seats_of(player_id)
    if lobby is None or rows is None or not seats:
        return None
    over = rows.status == "over"
    seq = rows.seq if over else lobby.seating.vacant.get(seats[0], 0)
    stored = next(iter(log.commits(lobby.id, seq, seq)), None) if seq > after else None
    if stored is None or find_last_move(log, lobby.id, seats[0], stored.at, stored.at):
        return None
    return StatusChange(OVER if over else SEAT_VACANT, seq, stored.at)


def get_head(log: Log, game_id: GameId, seq: int) -> str:
    """The head after a commit; empty if there is no such commit."""
    return next((stored.head for stored in log.commits(game_id, seq, seq, headers=True)), "")


def find_last_move(log: Log, game_id: GameId, seat: Seat, after: int, before: int) -> int:
    """When the seat's player last gave an accepted command between two instants; 0 if they gave none."""
    last: int = log.head(game_id)[0]
    while last > 0:
        first = max(1, last - BATCH_SIZE + 1)
        for stored in reversed(list(log.commits(game_id, first, last))):
            if stored.at < after:
                return 0
            with reading(game_id, stored.seq):
                body = orjson.loads(stored.body)
                actor = body["actor"]
                own = actor["seat"] == seat and actor["by"] == "player" and "refusal" not in body
            if own and stored.at <= before:
                return stored.at
        last = first - 1
    return 0


def summarize_question(
    context: MessageContext, game_id: GameId, player_id: PlayerId, zone: str, question: str
) -> tuple[str, str] | None:
    """A game's title and one question as a sentence; None if the player's question is no longer pending."""
    config, lobby = context.positions.get_config(game_id), context.store.lobbies.get(game_id)
    found = [each for each in load_pending_questions(context, game_id, player_id) if each["id"] == question]
    if config is None or lobby is None or not found:
        return None
    narrator = Narrator(config.game, load_seat_names(context, lobby, in_sentences=True))
    title = describe_game(lobby, load_seat_names(context, lobby), [Seat(found[0]["seat"])]).text
    return title, describe_question(narrator, found[0], zone)


def summarize_status_change(
    context: MessageContext, game_id: GameId, player_id: PlayerId, what: str, seq: int
) -> tuple[str, str] | None:
    """As `summarize_question`, for `load_status_change`; None if it is outdated."""
    config, lobby = context.positions.get_config(game_id), context.store.lobbies.get(game_id)
    found = load_status_change(context, game_id, player_id, seq - 1)
    if config is None or lobby is None or found is None or (found.kind, found.seq) != (what, seq):
        return None
    seats = lobby.seats_of(player_id)
    sentence = (
        describe_status_change(context, context.positions.read_newest(config), lobby, seats[0], found)
        if seats
        else None
    )
    return (
        None if sentence is None else (describe_game(lobby, load_seat_names(context, lobby), seats[:1]).text, sentence)
    )


def describe_status_change(
    context: MessageContext, position: Position, lobby: Lobby, seat: Seat, found: StatusChange
) -> str | None:
    """The news as a sentence; None if the position is older."""
    outcome = position.table.outcome if position.table is not None else None
    if found.kind == OVER and outcome is None:
        return None  # the position that was read is older than the end
    return (
        SEAT_VACANT_TEXT
        if outcome is None
        else _describe_outcome(outcome.winners, seat, load_seat_names(context, lobby, in_sentences=True))
    )


def _describe_outcome(winners: Sequence[Seat], seat: Seat, names: Mapping[Seat, str]) -> str:
    others = [names[each] for each in winners if each != seat]
    listed = " and ".join(filter(None, (", ".join(others[:-1]), *others[-1:])))
    if seat in winners:
        return f"The game is over, and you have won{f' with {listed}' if others else ''}."
    who = f"{listed} {'have' if len(others) > 1 else 'has'}" if others else "no one has"
    return f"The game is over, and {who} won."


def format_local_time(instant: int, zone: str) -> str:
    """An instant (milliseconds of Unix time) in local time: ``Thursday 31 January 2030, 18:00 (Europe/Sofia)``."""
    then = datetime.fromtimestamp(instant / 1000, UTC).astimezone(zone_of(zone))
    return f"{then:%A} {then.day} {then:%B %Y, %H:%M} ({zone})"


def describe_question(narrator: Narrator, question: Mapping[str, Any], zone: str) -> str:
    """The question with its deadline as a sentence."""
    text = narrator.describe_question(question)
    return (
        text if question["deadline"] is None else f"{text} Deadline: {format_local_time(question['deadline'], zone)}."
    )


def load_seat_names(context: MessageContext, lobby: Lobby, *, in_sentences: bool = False) -> dict[Seat, str]:
    """The name of each seat's player."""
    holders = [chair.holder for chair in lobby.chairs]
    known = load_player_names(context.store.accounts, holders)
    rules = GAMES[lobby.kind]
    bots = rules.presentation.sides and any(map(is_bot, holders))
    sides = load_sides(context.store, context.positions, rules, lobby.id) if bots else {}
    return build_seat_names(holders, known, sides=sides, in_sentences=in_sentences)
