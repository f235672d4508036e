"""The notification of one commit for one subscription, with only what its reader may see."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.kernel.terms import GameId, Seat
from service.core.history.lines import build_entry
from service.core.history.narration import format_instant
from service.core.history.seating import GameHeading, describe_game
from service.core.notifications.lobby_notices import FULL, LOBBY_NOTICES
from service.core.notifications.recent_commits import CommitContext, GameContext
from service.core.positions.rows import build_question
from service.core.positions.visibility import HistoryReader
from service.store.codec import plain

NOTICES = {FULL: "game_full"} | {what: what for what in LOBBY_NOTICES if what != FULL}
"""The events without a commit, by the kind of their notice."""
EVENTS = ("game_over", "your_turn", "turn", "commit", *NOTICES.values())
"""The events of a notification, most specific first: the commit ends the game, asks a seat of the owner, asks any player, or
shows the reader something. The others have no commit, because the game has not started. These names never change."""


@dataclass(frozen=True, slots=True)
class Notification:
    """The notification of a commit for a subscription."""

    id: str
    """The same for every delivery attempt."""
    game: GameId
    kind: str
    heading: GameHeading
    """For its reader."""
    seq: int
    at: int
    seat: Seat | None
    """The seat whose view it has; None for the public view."""
    events: tuple[str, ...]
    """The `EVENTS` that occurred and that the subscription wants; at least one."""
    entry: Mapping[str, Any] | None
    """The commit's entry of history; None if the reader may see nothing of it except a question."""
    questions: Sequence[Mapping[str, Any]]
    """New questions: those to the owner's seats, or to all players if the subscription wants ``turn``."""
    outcome: Mapping[str, Any] | None
    text: str
    """Everything as sentences; empty for a refusal, which is private to its sender."""
    instants: Mapping[str, int] = field(default_factory=dict)
    """The deadlines in `text`, by their wording there."""


def notification_id(subscription: str, game_id: GameId, what: object, head: str = "") -> str:
    """The id of a notification: a hash, which reveals nothing and is the same each time.

    ``head`` is the head of its commit, or empty if it has none. If a store loses commits and a seq is reused, the new
    commit needs a new id, because receivers drop ids that they have seen.
    """
    identity = f"{subscription} {game_id} {what}{f' {head}' if head else ''}"
    digest = hashlib.blake2b(identity.encode(), digest_size=12).hexdigest()
    return f"msg_{digest}"


def build_notification(
    subscription: str,
    game: GameContext,
    context: CommitContext,
    reader: HistoryReader,
    owned: Collection[Seat],
    wanted: Collection[str],
    zone: str = "UTC",
) -> Notification | None:
    """The notification of a commit for a subscription, or None.

    ``owned`` are the owner's seats, ``wanted`` the events (`EVENTS`), ``zone`` the time zone of the text.
    """
    commit = context.commit
    shown = build_entry(game.config.game, commit, context.stored.head, reader, game.narrator)
    own = [asked for asked in context.questions if asked.question.seat in owned]
    happened = {
        "game_over": context.ends_game,
        "your_turn": bool(own),
        "turn": bool(context.questions),
        "commit": shown is not None,
    }
    events = tuple(name for name in EVENTS if happened.get(name) and name in wanted)
    if not events:
        return None
    questions = [
        _build_question(game, asked, reader.seat_at(commit.seq), zone)
        for asked in (context.questions if "turn" in wanted else own if "your_turn" in wanted else ())
    ]
    outcome = game.position.table.outcome if context.ends_game and game.position.table is not None else None
    lines = [] if shown is None else shown["lines"]
    sentences = [game.narrator.write_paragraph(lines) if lines else "", *(question["text"] for question in questions)]
    return Notification(
        notification_id(subscription, game.config.id, commit.seq, context.stored.head),
        game.config.id,
        game.config.game.key,
        describe_game(game.lobby, game.names, () if reader.seat_at(commit.seq) is None else owned),
        commit.seq,
        commit.at,
        reader.seat_at(commit.seq),
        events,
        shown,
        questions,
        None if outcome is None else plain(outcome),
        " ".join(filter(None, sentences)),
        {
            format_instant(each["deadline"], zone): each["deadline"]
            for each in questions
            if each["deadline"] is not None
        },
    )


def _build_question(game: GameContext, asked: Any, reads: Seat | None, zone: str) -> dict[str, Any]:
    """A question in its public form with its text, which names the seat unless that seat is the reader."""
    question = build_question(asked)
    text = game.narrator.describe_question(question)
    if asked.question.seat != reads:
        text = game.narrator.address(asked.question.seat, text)
    if asked.due is not None:
        text = f"{text} {game.narrator.describe_deadline(asked.due, zone)}"
    return {**question, "text": text}
