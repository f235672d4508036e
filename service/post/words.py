"""What one commit tells one subscription: with the eyes of its reader, and nothing besides."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.terms import GameId, Seat
from service.post.news import GameNews, Happening
from service.projections.history.lines import entry
from service.projections.history.narration import stamp
from service.projections.history.seating import in_company
from service.projections.positions.reach import Reader
from service.projections.positions.rows import question_told
from service.store.codec import plain

GAME_FULL = "game_full"
EVENTS = ("game_over", "your_turn", "turn", "commit", GAME_FULL)
"""What may be told of a commit, the most telling first: it ends the game, asks a seat of the subscription's owner, asks any
player's seat, shows its reader something. The last one is of no commit: all seats of a game are taken, and its owner has to
start it. These names never change."""


@dataclass(frozen=True, slots=True)
class Word:
    """What a commit tells a subscription."""

    id: str
    """The same however often it is delivered."""
    game: GameId
    kind: str
    title: str
    """The game as its reader calls it: ``Nim with Birk``."""
    seq: int
    at: int
    seat: Seat | None
    """The seat with whose eyes it is told; None for the public's."""
    events: tuple[str, ...]
    """Those of `EVENTS` that the subscription wants to hear of and that happened; at least one."""
    entry: Mapping[str, Any] | None
    """The commit's entry of history; None where it shows the reader nothing but that somebody is asked."""
    questions: Sequence[Mapping[str, Any]]
    """What it asks: of the owner's seats, or of every player's where ``turn`` is heard of."""
    outcome: Mapping[str, Any] | None
    text: str
    """All of it in sentences; empty for a refusal, which is its sender's alone."""
    instants: Mapping[str, int] = field(default_factory=dict)
    """The deadlines that stand there, as they stand there."""


def word_id(subscription: str, game_id: GameId, what: object, head: str = "") -> str:
    """The id of a word: a hash, so that it tells nothing and is the same each time.

    ``head`` is that of the commit it is about. Where a store went back and another commit came to stand under a seq, its word is
    another one: whoever drops what they have would never hear of it. Empty for a word about no commit.
    """
    told = f"{subscription} {game_id} {what}{f' {head}' if head else ''}"
    digest = hashlib.blake2b(told.encode(), digest_size=12).hexdigest()
    return f"msg_{digest}"


def word_of(
    subscription: str,
    game: GameNews,
    happening: Happening,
    reader: Reader,
    owned: Collection[Seat],
    wanted: Collection[str],
    zone: str = "UTC",
) -> Word | None:
    """The word that a commit is to a subscription, or None.

    ``owned`` are the seats of its owner, ``wanted`` what it wants to hear of (`EVENTS`), ``zone`` the time zone of its sentences.
    """
    commit = happening.commit
    shown = entry(game.facts.rules, commit, happening.stored.head, reader, game.narrator)
    own = [asked for asked in happening.asked if asked.question.seat in owned]
    happened = {
        "game_over": happening.over,
        "your_turn": bool(own),
        "turn": bool(happening.asked),
        "commit": shown is not None,
    }
    events = tuple(name for name in EVENTS if happened.get(name) and name in wanted)
    if not events:
        return None
    questions = [
        _question(game, asked, reader.at(commit.seq), zone)
        for asked in (happening.asked if "turn" in wanted else own if "your_turn" in wanted else ())
    ]
    outcome = game.position.table.outcome if happening.over and game.position.table is not None else None
    lines = [] if shown is None else shown["lines"]
    sentences = [game.narrator.paragraph(lines) if lines else "", *(question["text"] for question in questions)]
    return Word(
        word_id(subscription, game.facts.id, commit.seq, happening.stored.head),
        game.facts.id,
        game.facts.rules.key,
        in_company(game.facts.rules.title, game.names, () if reader.at(commit.seq) is None else owned),
        commit.seq,
        commit.at,
        reader.at(commit.seq),
        events,
        shown,
        questions,
        None if outcome is None else plain(outcome),
        " ".join(filter(None, sentences)),
        {stamp(each["due"], zone): each["due"] for each in questions if each["due"] is not None},
    )


def _question(game: GameNews, asked: Any, reads: Seat | None, zone: str) -> dict[str, Any]:
    """A question as everybody may read it, with its sentence, which names whom it is put to unless that is who reads it."""
    told = question_told(asked)
    text = game.narrator.ask(told)
    if asked.question.seat != reads:
        text = game.narrator.addressed(asked.question.seat, text)
    if asked.due is not None:
        text = f"{text} {game.narrator.due(asked.due, zone)}"
    return {**told, "text": text}
