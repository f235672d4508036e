"""Schemas of what is played: commands, history, views, positions."""

from __future__ import annotations

from typing import Any

from marshmallow import EXCLUDE, INCLUDE, fields

from service.core.http.schemas.fields import BooleanField, ComponentField, EnumField, IntegerField, StringField, example
from service.core.http.schemas.replies.accounts import QuestionReply
from service.core.http.schemas.replies.base import (
    COMMAND_ID,
    HEAD,
    MADE_AT,
    Reply,
    id_of,
    instant,
    record,
    seq_of,
)


def by_of(**kwargs: Any) -> EnumField:
    """Who made the choice, as its own seat reads it."""
    about = (
        "`sitter`: the player's sitter. `policy`: a deadline passed, and the move set by `on_timeout` of "
        "the table was played. `plan`: your own plan; other readers see `player`."
    )
    return EnumField("player", "sitter", "plan", "bot", "policy", "system", metadata={"description": about}, **kwargs)


class MoveSearch(Reply):
    bot = StringField(40, required=True)
    release = StringField(
        40, required=True, metadata={"description": "The release of the service that computed the move."}
    )
    simulations = IntegerField(
        0, required=True, metadata={"description": "Approximate number of commands that the search simulated."}
    )


class Refusal(Reply):
    code = StringField(80, required=True)
    message = StringField(1000, required=True)
    rule = StringField(80, required=True, allow_none=True)
    field = StringField(80, required=True, allow_none=True)
    facts = record("The details of the refusal, such as what was missing.")


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
class HistoryEntry(Reply):
    seq = seq_of("The seq of the commit.")
    at = instant("When the commit was settled.")
    planned = instant("The scheduled time, if the calendar caused the commit.", required=False)
    undone_by = IntegerField(
        1,
        metadata={
            "description": "The commit that undid this one. Only in pages of history; streams report an undo when it "
            "happens."
        },
    )
    seat = IntegerField(0, required=True, metadata={"description": "The seat that acted. 0 is the game itself."})
    by = by_of(required=True)
    via = StringField(100, metadata={"description": "The app that sent the command. Omitted if no app did."})
    head = StringField(64, required=True, metadata={"description": "SHA-256 of the header of the commit, in hex."})
    lines = fields.List(ComponentField("Line"), required=True)
    command = StringField(64, metadata={"description": "The id of the command. Omitted if it is not yours."})
    refusal = fields.Nested(
        Refusal, metadata={"description": "Why the command was refused. Omitted if it is not yours."}
    )
    bot = fields.Nested(
        MoveSearch, metadata={"description": "For a move computed by a search worker: the bot and its search."}
    )


@example(
    {
        "seqs": [40, 41, 42],
        "title": "Ash",
        "text": "Ash hires a chief of the Islanders for two supplies, then moves their first hero from C3 to C4.",
        "continued": False,
        "finished": True,
    }
)
class Paragraph(Reply):
    seqs = fields.List(seq_of("The commits of the paragraph."), required=True)
    title = StringField(400, required=True, metadata={"description": "The heading. Empty without a heading."})
    text = StringField(100_000, required=True)
    continued = BooleanField(
        required=True, metadata={"description": "True if the paragraph began before the requested commit."}
    )
    finished = BooleanField(
        required=True, metadata={"description": "If false, the next page returns the paragraph again in full."}
    )
    undone_by = IntegerField(
        1, metadata={"description": "If the whole paragraph was undone: the last commit that undid a part of it."}
    )


@example({"type": "city_lost", "square": "C3", "text": "You lost the level 2 city on C3 to Birk."})
class ChangeReply(Reply):
    class Meta:
        """For marshmallow."""

        unknown = INCLUDE
        description = "Something that changed for the seat, with the fields of its type."

    type = StringField(80, required=True)
    text = StringField(4000, required=True, metadata={"description": "The change as a sentence."})


class PendingQuestion(QuestionReply):
    text = StringField(4000, required=True, metadata={"description": "The question as a sentence."})
    timeout_text = StringField(
        400,
        required=True,
        allow_none=True,
        metadata={
            "description": "The result if no answer arrives before the deadline, as a sentence. Null if there is no "
            "deadline."
        },
    )


@example(
    {"seq": 33, "changes": [ChangeReply.example], "questions": [], "text": "You lost the level 2 city on C3 to Birk."}
)
class ChangesSince(Reply):
    seq = seq_of("The commit of your last command. 1 if you have sent none.")
    changes = fields.List(fields.Nested(ChangeReply), required=True)
    questions = fields.List(
        fields.Nested(PendingQuestion), required=True, metadata={"description": "Your pending questions."}
    )
    text = StringField(100_000, required=True, metadata={"description": "Changes and questions as text."})


@example({"events": [HistoryEntry.example], "after": 42, "more": False})
class EventPage(Reply):
    events = fields.List(fields.Nested(HistoryEntry), required=True, metadata={"description": "Empty in a digest."})
    paragraphs = fields.List(
        fields.Nested(Paragraph), metadata={"description": "In a digest: the paragraphs, instead of `events`."}
    )
    since = fields.Nested(
        ChangesSince, metadata={"description": "Changes for you since your last command. Only with `since`."}
    )
    after = seq_of("The value of `?after=` for the next page.")
    more = BooleanField(required=True, metadata={"description": "True if there is a next page now."})


@example({"events": [HistoryEntry.example], "before": 40, "more": True})
class HistoryPage(Reply):
    events = fields.List(fields.Nested(HistoryEntry), required=True, metadata={"description": "Newest first."})
    before = seq_of("The value of `?before=` for the next page.")
    more = BooleanField(required=True, metadata={"description": "True if there are earlier entries."})


@example({"id": f"{COMMAND_ID}.0", "status": "settled", **HistoryEntry.example, "command": f"{COMMAND_ID}.0"})
class CommandListItem(Reply):
    class Meta:
        """For marshmallow."""

        unknown = EXCLUDE
        description = "The result of one command of a list."

    id = id_of(required=False)
    status = EnumField(
        *("pending", "settled", "refused", "over", "left"),
        metadata={
            "description": "`left`: not tried, because an earlier command was refused. `over`: the game ended first. "
            "Omitted in a dry run."
        },
    )
    accepted = BooleanField(metadata={"description": "In a dry run: true if the command would be legal."})
    seq = IntegerField(0)
    at = instant("When the command was settled.", required=False)
    seat = IntegerField(0)
    by = by_of()
    head = StringField(64)
    command = StringField(64)
    lines = fields.List(ComponentField("Line"))
    refusal = fields.Nested(Refusal)


def _went_through() -> IntegerField:
    return IntegerField(0, metadata={"description": "For a list: number of commands that were played."})


def _each() -> fields.Field[Any]:
    told = "For a list: the result of each command in order; in a dry run, up to the first that is refused."
    return fields.List(fields.Nested(CommandListItem), metadata={"description": told})


@example({"id": COMMAND_ID, "status": "pending"})
class CommandPending(Reply):
    id = id_of()
    status = EnumField("pending", required=True)
    settled = _went_through()
    commands = _each()


@example({"id": COMMAND_ID, "status": "settled", **HistoryEntry.example})
class CommandOutcome(Reply):
    class Meta:
        """For marshmallow."""

        unknown = EXCLUDE
        description = (
            "The result of a settled command or list as its sender can read it, or the predicted result of a dry run."
        )

    id = id_of(required=False)
    status = EnumField("settled")
    seq = seq_of("The seq of the commit; in a dry run, the ETag of the view that was used.")
    lines = fields.List(
        ComponentField("Line"), metadata={"description": "The lines of the commit; in a dry run, one possible result."}
    )
    dry_run = BooleanField(metadata={"description": "True for a dry run."})
    accepted = BooleanField(
        metadata={"description": "In a dry run: true if the rules allow the command. This is reliable."}
    )
    refusal = fields.Nested(Refusal, metadata={"description": "In a dry run: why the rules refuse the command."})
    at = instant("When the command was settled.", required=False)
    seat = IntegerField(0, metadata={"description": "The seat that acted."})
    by = by_of()
    head = StringField(64)
    command = StringField(64, metadata={"description": "Same as `id`."})
    settled = _went_through()
    commands = _each()


@example({"id": COMMAND_ID, "status": "settled", **HistoryEntry.example})
class CommandStatus(Reply):
    id = id_of()
    status = EnumField(
        *("pending", "settled", "refused", "over", "left"),
        required=True,
        metadata={
            "description": "`over`: the game ended first. `left`: not tried, because an earlier command of its list was "
            "refused or lost (`list-interrupted`)."
        },
    )
    seq = IntegerField(0)
    at = instant("When the command was settled.", required=False)
    seat = IntegerField(0, metadata={"description": "The seat that acted."})
    by = by_of()
    head = StringField(64)
    command = StringField(64, metadata={"description": "Same as `id`."})
    lines = fields.List(ComponentField("Line"))
    refusal = fields.Nested(Refusal)
    settled = _went_through()
    commands = _each()
