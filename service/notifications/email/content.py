"""The content of an email about a game: the player's questions, the board, and the history since their last turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from domain.drawing.svg import in_scheme
from domain.game import Seen
from domain.kernel.record import Position
from domain.kernel.terms import GameId, PlayerId, Seat
from domain.registry import GAMES
from service.core.feeds.turns import read_newest_turns
from service.core.history.digest import find_last_turn
from service.core.history.lines import build_entries, decode_commit, narrate_commit
from service.core.history.narration import Narrator
from service.core.history.planned_times import PlannedTimes
from service.core.history.seating import add_opponents, build_seat_names, load_player_names
from service.core.history.since import build_changes
from service.core.lobbies.inbox import list_questions
from service.core.pace.zones import zone_of
from service.core.positions.cache import Positions
from service.core.positions.game_config import GameConfig
from service.core.positions.rows import as_bytes, build_private, build_public, load_sides
from service.core.positions.timeout_preview import preview_timeouts
from service.core.positions.visibility import HistoryReader, Resignations
from service.notifications.email.mailbox import OVER, SEAT_VACANT
from service.notifications.email.message import BOARD_WIDTH, Section
from service.notifications.png import render_png
from service.store.chain import reading
from service.store.ports.commits import Rows
from service.store.ports.lobbies import Lobby, is_bot
from service.store.redis.log.log import Log
from service.store.redis.store import Store

MAX_PARAGRAPHS = 12
"""Maximum number of paragraphs per game in an email; the newest are kept."""

BATCH_SIZE = 32
"""Commits read at a time, when only the last minutes matter."""

MAX_BOARD_COMMITS = 40
"""Number of recent commits that are searched for the moves to mark on the board."""


SEAT_VACANT_TEXT = (
    "You missed too many turns. A bot now plays for you, and your seat is vacant. You can take it back until another "
    "player takes it."
)


@dataclass(frozen=True, slots=True)
class MessageContext:
    """The dependencies for writing email, used by one thread."""

    store: Store
    positions: Positions
    resignations: Resignations


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
    """`mailbox.OVER` or `mailbox.SEAT_VACANT`."""
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


def build_section(
    context: MessageContext, game_id: GameId, player_id: PlayerId, zone: str, link: str = "", *, board: bool = True
) -> Section | None:
    """The email section about a game; None if the player has no pending question there.

    ``zone`` is the name of a time zone. Raises the errors of reading the game's log.
    """
    config, found = context.positions.get_config(game_id), load_pending_questions(context, game_id, player_id)
    if config is None or not found:
        return None
    seat = Seat(found[0]["seat"])
    # The order matters: the text must cover the last turn, and the seat must still be the player's after the reads.
    first, newest = find_last_turn(context.store.log, game_id, seat), context.positions.read_newest(config).seq
    lobby, found = context.store.lobbies.get(game_id), load_pending_questions(context, game_id, player_id)
    if lobby is None or not found or found[0]["seat"] != seat:
        return None
    narrator = Narrator(config.rules, _seat_names(context, lobby, in_sentences=True))
    silent = preview_timeouts(config.rules, context.positions.read_at(config, newest), seat)
    asked = [
        " ".join(filter(None, (_describe_question(narrator, each, zone), silent.get(each["id"])))) for each in found
    ]
    return _compose_section(context, config, lobby, seat, (first, newest), asked, link, board=board)


def build_status_section(
    context: MessageContext, game_id: GameId, player_id: PlayerId, after: int, link: str = "", *, board: bool = True
) -> Section | None:
    """As `build_section`, for `load_status_change`; None without news after that commit."""
    config = context.positions.get_config(game_id)
    if config is None or load_status_change(context, game_id, player_id, after) is None:
        return None
    position, lobby = context.positions.read_newest(config), context.store.lobbies.get(game_id)
    found = load_status_change(context, game_id, player_id, after)
    if lobby is None or found is None or not lobby.seats_of(player_id):
        return None
    seat = lobby.seats_of(player_id)[0]
    sentence = _describe_status_change(context, position, lobby, seat, found)
    if sentence is None:
        return None
    first = find_last_turn(context.store.log, game_id, seat)
    return _compose_section(context, config, lobby, seat, (first, position.seq), [sentence], link, board=board)


def summarize_question(
    context: MessageContext, game_id: GameId, player_id: PlayerId, zone: str, question: str
) -> tuple[str, str] | None:
    """A game's title and one question as a sentence; None if the player's question is no longer pending."""
    config, lobby = context.positions.get_config(game_id), context.store.lobbies.get(game_id)
    found = [each for each in load_pending_questions(context, game_id, player_id) if each["id"] == question]
    if config is None or lobby is None or not found:
        return None
    narrator = Narrator(config.rules, _seat_names(context, lobby, in_sentences=True))
    title = add_opponents(config.rules.title, _seat_names(context, lobby), [Seat(found[0]["seat"])])
    return title, _describe_question(narrator, found[0], zone)


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
        _describe_status_change(context, context.positions.read_newest(config), lobby, seats[0], found)
        if seats
        else None
    )
    return (
        None
        if sentence is None
        else (add_opponents(config.rules.title, _seat_names(context, lobby), seats[:1]), sentence)
    )


def _describe_status_change(
    context: MessageContext, position: Position, lobby: Lobby, seat: Seat, found: StatusChange
) -> str | None:
    outcome = position.table.outcome if position.table is not None else None
    if found.kind == OVER and outcome is None:
        return None  # the position that was read is older than the end
    return (
        SEAT_VACANT_TEXT
        if outcome is None
        else _describe_outcome(outcome.winners, seat, _seat_names(context, lobby, in_sentences=True))
    )


def _compose_section(
    context: MessageContext,
    config: GameConfig,
    lobby: Lobby,
    seat: Seat,
    span: tuple[int, int],
    asked: Sequence[str],
    link: str,
    *,
    board: bool,
) -> Section:
    """The section about a game. ``span`` is the seq of the player's last turn and the newest seq."""
    first, newest = span
    narrator = Narrator(config.rules, _seat_names(context, lobby, in_sentences=True))
    changes, paragraphs, left_out = _read_changes(context, config, seat, narrator, first, newest)
    title = add_opponents(config.rules.title, _seat_names(context, lobby), [seat])
    picture = _render_board(context, lobby, config, narrator, newest) if board else b""
    return Section(title, asked, changes, paragraphs, left_out, link, picture)


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


def _describe_question(narrator: Narrator, question: Mapping[str, Any], zone: str) -> str:
    text = narrator.describe_question(question)
    return (
        text if question["deadline"] is None else f"{text} Deadline: {format_local_time(question['deadline'], zone)}."
    )


def _seat_names(context: MessageContext, lobby: Lobby, *, in_sentences: bool = False) -> dict[Seat, str]:
    holders = [chair.holder for chair in lobby.chairs]
    known = load_player_names(context.store.accounts, holders)
    rules = GAMES[lobby.kind]
    bots = rules.sides and any(map(is_bot, holders))
    sides = load_sides(context.store, context.positions, rules, lobby.id) if bots else {}
    return build_seat_names(holders, known, sides=sides, in_sentences=in_sentences)


def _read_changes(
    context: MessageContext, config: GameConfig, seat: Seat, narrator: Narrator, first: int, newest: int
) -> tuple[list[str], list[tuple[str, str]], bool]:
    """The changes since the player's last turn (``first``), the paragraphs since, and whether older ones are omitted."""
    log = context.store.log
    reader = context.resignations.get_reader(log, config.id, context.positions.read_newest(config), seat)
    planned = PlannedTimes(log, config)

    def read(begin: int, end: int) -> list[Mapping[str, Any]]:
        visible = build_entries(config.rules, log.commits(config.id, begin, end), reader, narrator, planned)
        return [entry for _, _, entry in visible if entry is not None and entry["lines"]]

    found = read_newest_turns(read, narrator, newest, MAX_PARAGRAPHS + 1)
    fresh = [turn for turn in found.turns if turn.last_seq > first and turn.text][::-1]
    views = tuple(_view_at(context, config, seq, reader) for seq in (max(first, 1), newest))
    changed = build_changes(config.rules, narrator, seat, max(first, 1), (views[0], views[1]), (), {})["changes"]
    paragraphs = [(turn.title, turn.text) for turn in fresh[-MAX_PARAGRAPHS:]]
    return [line["text"] for line in changed], paragraphs, len(fresh) > MAX_PARAGRAPHS


def _view_at(context: MessageContext, config: GameConfig, seq: int, reader: HistoryReader) -> Seen:
    position, seat = context.positions.read_at(config, seq), reader.seat_at(seq)
    private = None if seat is None else build_private(config.rules, position, seat)
    return Seen(orjson.loads(as_bytes(build_public(config.rules, position))), orjson.loads(as_bytes(private)))


def _render_board(context: MessageContext, lobby: Lobby, config: GameConfig, narrator: Narrator, seq: int) -> bytes:
    """The public board, with the last moves marked."""
    public = orjson.loads(as_bytes(build_public(config.rules, context.positions.read_at(config, seq))))
    commits = context.store.log.commits(config.id, max(1, seq - MAX_BOARD_COMMITS + 1), seq)
    shown = [
        line
        for each in commits
        for line in narrate_commit(config.rules, decode_commit(config.rules, each), None, narrator)
    ]
    names = {str(seat): name for seat, name in _seat_names(context, lobby).items()}
    return render_png(in_scheme(config.rules.board(public, names, shown), "light"), BOARD_WIDTH)
