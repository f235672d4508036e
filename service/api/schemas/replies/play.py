"""What is played: commands, history, views, positions."""

from __future__ import annotations

from typing import Any

from marshmallow import EXCLUDE, INCLUDE, fields

from service.api.schemas.fields import Component, Text, Truth, Whole, Word, example
from service.api.schemas.replies.accounts import Question
from service.api.schemas.replies.base import (
    COMMAND_ID,
    HEAD,
    MADE_AT,
    Reply,
    anything,
    id_of,
    instant,
    record,
    seq_of,
)


class OtherLine(Reply):
    class Meta:
        """For marshmallow."""

        unknown = INCLUDE
        description = "A line of a type that is not known here: of a newer release, or of another kind of game."

    type = Text(80, required=True)
    text = Text(4000, required=True, metadata={"description": "The same in a sentence."})


def by_of(**kwargs: Any) -> Word:
    """Who made the choice, as its own seat reads it."""
    about = (
        "`sitter`: in the player's place, as they had asked. `policy`: a deadline passed, and what the table's "
        "`on_timeout` says was played. `plan`: your own plan was; others read `player`."
    )
    return Word("player", "sitter", "plan", "bot", "policy", "system", metadata={"description": about}, **kwargs)


class Thought(Reply):
    bot = Text(40, required=True)
    release = Text(40, required=True, metadata={"description": "The release of the service that thought it over."})
    worth = Whole(0, required=True, metadata={"description": "About how many commands it has imagined for that."})


class Refusal(Reply):
    code = Text(80, required=True)
    message = Text(1000, required=True)
    rule = Text(80, required=True, allow_none=True)
    field = Text(80, required=True, allow_none=True)
    facts = record("What was missing.")


@example(
    {
        "seq": 42,
        "at": MADE_AT,
        "seat": 1,
        "by": "player",
        "head": HEAD,
        "lines": [{"type": "turn_ended", "seat": 1, "text": "Ash ends the turn."}],
        "command": COMMAND_ID,
    }
)
class Entry(Reply):
    seq = seq_of("The commit.")
    at = instant("When it was settled.")
    planned = instant("When it was to be, if a calendar brought it about.", required=False)
    undone_by = Whole(
        1,
        metadata={
            "description": "The commit that took it back, if one has: in pages of history. Streams tell that when it happens."
        },
    )
    seat = Whole(0, required=True, metadata={"description": "Who acted; 0 is the game itself."})
    by = by_of(required=True)
    head = Text(64, required=True, metadata={"description": "SHA-256 of the commit's header, hex."})
    lines = fields.List(Component("Line"), required=True)
    command = Text(64, metadata={"description": "The id of the command, if it was yours."})
    refusal = fields.Nested(Refusal, metadata={"description": "Why it was refused, if it was yours."})
    bot = fields.Nested(Thought, metadata={"description": "Of what a bot that thinks has chosen: which one, and how."})


@example(
    {
        "seqs": [40, 41, 42],
        "title": "Ash",
        "text": "Ash hires a chief of the Islanders for 2 supplies; lays a bend on C3 for 2 frimen.",
        "continued": False,
        "finished": True,
    }
)
class Paragraph(Reply):
    seqs = fields.List(seq_of("The commits that it tells of."), required=True)
    title = Text(400, required=True, metadata={"description": "Its heading; empty for none."})
    text = Text(100_000, required=True)
    continued = Truth(required=True, metadata={"description": "Whether it began before what was asked for."})
    finished = Truth(required=True, metadata={"description": "If not, the next page tells it again, whole."})
    undone_by = Whole(
        1, metadata={"description": "Where all of it was taken back: the last commit by which some of it was."}
    )


@example({"type": "city_lost", "square": "C3", "text": "You have lost the city on C3."})
class Change(Reply):
    class Meta:
        """For marshmallow."""

        unknown = INCLUDE
        description = "Something that is not for the seat what it was, with the fields of its type."

    type = Text(80, required=True)
    text = Text(4000, required=True, metadata={"description": "The same in a sentence."})


class Asked(Question):
    text = Text(4000, required=True, metadata={"description": "The question in a sentence."})
    silence = Text(
        400,
        required=True,
        allow_none=True,
        metadata={
            "description": "What comes of it if nobody answers in time, in a sentence; null where nothing is due."
        },
    )


@example({"seq": 33, "changes": [Change.example], "questions": [], "text": "You have lost the city on C3."})
class Since(Reply):
    seq = seq_of("The commit of your last command; 1 if you have given none.")
    changes = fields.List(fields.Nested(Change), required=True)
    questions = fields.List(fields.Nested(Asked), required=True, metadata={"description": "What you are to answer."})
    text = Text(100_000, required=True, metadata={"description": "All of it in words."})


@example({"events": [Entry.example], "after": 42, "more": False})
class Events(Reply):
    events = fields.List(fields.Nested(Entry), required=True, metadata={"description": "Empty in a digest."})
    paragraphs = fields.List(fields.Nested(Paragraph), metadata={"description": "Of a digest, in place of `events`."})
    since = fields.Nested(Since, metadata={"description": "What has changed for you, where `since` asks for it."})
    after = seq_of("Where to go on: `?after=` of the next page.")
    more = Truth(required=True, metadata={"description": "Whether there is a next page now."})


@example({"events": [Entry.example], "before": 40, "more": True})
class PageBack(Reply):
    events = fields.List(fields.Nested(Entry), required=True, metadata={"description": "The newest first."})
    before = seq_of("Where to go on: `?before=` of the next page.")
    more = Truth(required=True, metadata={"description": "Whether there is anything before it."})


@example({"id": f"{COMMAND_ID}.0", "status": "settled", **Entry.example, "command": f"{COMMAND_ID}.0"})
class CommandInList(Reply):
    class Meta:
        """For marshmallow."""

        unknown = EXCLUDE
        description = "What became of one command of a list."

    id = id_of(required=False)
    status = Word(
        *("pending", "settled", "refused", "over", "left"),
        metadata={
            "description": "`left`: never tried, because one before it was refused; `over`: the game ended before it. "
            "Missing in a dry run."
        },
    )
    accepted = Truth(metadata={"description": "Of a dry run: whether the rules would allow it then."})
    seq = Whole(0)
    at = instant("When it was settled.", required=False)
    seat = Whole(0)
    by = by_of()
    head = Text(64)
    command = Text(64)
    lines = fields.List(Component("Line"))
    refusal = fields.Nested(Refusal)


def _went_through() -> Whole:
    return Whole(0, metadata={"description": "Of a list: how many of its commands have gone through."})


def _each() -> fields.Field[Any]:
    told = "Of a list: each, in order; of a dry run as far as the first that is refused."
    return fields.List(fields.Nested(CommandInList), metadata={"description": told})


@example({"id": COMMAND_ID, "status": "pending"})
class CommandPending(Reply):
    id = id_of()
    status = Word("pending", required=True)
    settled = _went_through()
    commands = _each()


@example({"id": COMMAND_ID, "status": "settled", **Entry.example})
class CommandOutcome(Reply):
    class Meta:
        """For marshmallow."""

        unknown = EXCLUDE
        description = (
            "A settled command or list, as its sender may read what came of it; or what came of it when tried."
        )

    id = id_of(required=False)
    status = Word("settled")
    seq = seq_of("The commit; of a dry run, the ETag of the view it was tried on.")
    lines = fields.List(Component("Line"), metadata={"description": "Of a dry run: one possible outcome."})
    dry_run = Truth(metadata={"description": "True for one that was only tried."})
    accepted = Truth(metadata={"description": "Of a dry run: whether the rules would allow it, for certain."})
    refusal = fields.Nested(Refusal, metadata={"description": "Of a dry run: why not."})
    at = instant("When it was settled.", required=False)
    seat = Whole(0, metadata={"description": "Who acted."})
    by = by_of()
    head = Text(64)
    command = Text(64, metadata={"description": "The same as `id`."})
    settled = _went_through()
    commands = _each()


@example({"id": COMMAND_ID, "status": "settled", **Entry.example})
class CommandStatus(Reply):
    id = id_of()
    status = Word(
        *("pending", "settled", "refused", "over", "left"),
        required=True,
        metadata={
            "description": "`over`: the game ended before it. `left`: never tried, because a command before it in its list was refused or "
            "lost (`cut-short`)."
        },
    )
    seq = Whole(0)
    at = instant("When it was settled.", required=False)
    seat = Whole(0, metadata={"description": "Who acted."})
    by = by_of()
    head = Text(64)
    command = Text(64, metadata={"description": "The same as `id`."})
    lines = fields.List(Component("Line"))
    refusal = fields.Nested(Refusal)
    settled = _went_through()
    commands = _each()


@example({"seq": 41, "public": {"round": 3}, "private": {"hand": []}})
class View(Reply):
    seq = seq_of("The last commit that changed what this reader sees: the ETag.")
    public = record("What everybody sees, as the kind of game tells it; `table` says who plays and how it ended.")
    private = anything("What the seat sees besides; null for the public.", allow_none=True)
    plan = fields.Raw(
        allow_none=True,
        metadata={
            "description": "With `?with=plan`: what the seat needs to plan its turn, such as prices and reach; null for the "
            "public and when the game is over."
        },
    )


@example({"seq": 41, "position": {"round": 3}})
class PositionDocument(Reply):
    seq = seq_of("The commit after which it stood so.")
    position = record("The state; its JSON Schema is in the kind.")
