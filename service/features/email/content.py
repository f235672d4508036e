"""The content of an email about a game: the player's questions, the board, and the history since their last turn."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from domain.drawing.svg import in_scheme
from domain.kernel.terms import GameId, PlayerId, Seat
from service.core.history.digest import find_last_turn
from service.core.history.lines import read_board_lines
from service.core.history.narration import Narrator
from service.core.history.seating import describe_game
from service.core.history.turns import read_visible_turns
from service.core.notifications.questions import (
    MessageContext,
    describe_question,
    describe_status_change,
    load_pending_questions,
    load_seat_names,
    load_status_change,
)
from service.core.outbound.message import BOARD_WIDTH, Section
from service.core.pictures.png import render_png
from service.core.positions.game_config import GameConfig
from service.core.positions.rows import as_bytes, build_public, build_seat_view
from service.core.positions.timeout_preview import preview_timeouts
from service.store.ports.lobbies import Lobby

MAX_PARAGRAPHS = 12
"""Maximum number of paragraphs per game in an email; the newest are kept."""


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
    narrator = Narrator(config.game, load_seat_names(context, lobby, in_sentences=True))
    silent = preview_timeouts(config.game, context.positions.read_at(config, newest), seat)
    asked = [
        " ".join(filter(None, (describe_question(narrator, each, zone), silent.get(each["id"])))) for each in found
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
    sentence = describe_status_change(context, position, lobby, seat, found)
    if sentence is None:
        return None
    first = find_last_turn(context.store.log, game_id, seat)
    return _compose_section(context, config, lobby, seat, (first, position.seq), [sentence], link, board=board)


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
    (first, newest), log = span, context.store.log
    narrator = Narrator(config.game, load_seat_names(context, lobby, in_sentences=True))
    reader = context.resignations.get_reader(log, config.id, context.positions.read_newest(config), seat)
    found = read_visible_turns(log, config, reader, narrator, newest, MAX_PARAGRAPHS + 1)
    paragraphs = [(turn.title, turn.text) for turn in found.turns if turn.last_seq > first and turn.text][::-1]
    before, after = (
        build_seat_view(config.game.knowledge, context.positions.read_at(config, seq), reader.seat_at(seq))
        for seq in (max(first, 1), newest)
    )
    return Section(
        describe_game(lobby, load_seat_names(context, lobby), [seat]).text,
        asked,
        [narrator.narrate(line) for line in config.game.presentation.changes(before, after, seat)],
        paragraphs[-MAX_PARAGRAPHS:],
        len(paragraphs) > MAX_PARAGRAPHS,
        link,
        _render_board(context, lobby, config, narrator, newest) if board else b"",
    )


def _render_board(context: MessageContext, lobby: Lobby, config: GameConfig, narrator: Narrator, seq: int) -> bytes:
    """The public board, with the last moves marked."""
    public = orjson.loads(as_bytes(build_public(config.game.knowledge, context.positions.read_at(config, seq))))
    shown = read_board_lines(context.store.log, config, narrator, seq)
    names = {str(seat): name for seat, name in load_seat_names(context, lobby).items()}
    board = config.game.presentation.board(config.game.title, public, names, shown)
    return render_png(in_scheme(board, "light"), BOARD_WIDTH)
