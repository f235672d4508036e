"""Schemas for displaying a game: display hints and the score timeline."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import BooleanField, IntegerField, StringField, example
from service.core.http.schemas.replies.base import Reply, record, seq_of


class CommandHint(Reply):
    type = StringField(80, required=True)
    label = StringField(120, required=True, metadata={"description": "Label of the button."})
    group = StringField(80, metadata={"description": "Heading of the group. Omitted outside a group."})
    icon = StringField(8, metadata={"description": "Symbol before the label."})
    note = StringField(300, metadata={"description": "The effect in a few words."})
    order = BooleanField(metadata={"description": "True for a standing order, which no question asks for."})
    ends = BooleanField(metadata={"description": "True if the command ends a turn."})


class ParameterHint(Reply):
    label = StringField(120, required=True)
    kind = StringField(
        40,
        metadata={"description": "The `data-kind` of the board element that it names, if that differs from the name."},
    )


@example(
    {
        "commands": [{"type": "end_turn", "label": "End the turn", "icon": "✓", "ends": True}],
        "parameters": {"against": {"label": "Against", "kind": "seat"}},
        "endings": {"turn": {"type": "end_turn"}},
    }
)
class DisplayHints(Reply):
    commands = fields.List(
        fields.Nested(CommandHint),
        required=True,
        metadata={"description": "All commands of the game, in display order."},
    )
    parameters = record(
        "Label of each parameter, by name. `step.cards` applies to one command only.",
        values=fields.Nested(ParameterHint),
    )
    endings = record("The command that ends a turn, by kind of question.")


@example({"light": "#15598c", "dark": "#82c4f5"})
class Color(Reply):
    light = StringField(40, required=True, metadata={"description": "Color on a light background, `#rrggbb`."})
    dark = StringField(40, required=True, metadata={"description": "Color on a dark background, `#rrggbb`."})


@example({"seat": 1, "name": "Ash", "color": {"light": "#15598c", "dark": "#82c4f5"}})
class TimelineSeat(Reply):
    seat = IntegerField(1, required=True)
    name = StringField(
        400,
        required=True,
        metadata={"description": "Name as in sentences of the history. Display it as text, not as HTML."},
    )
    color = fields.Nested(
        Color,
        required=True,
        allow_none=True,
        metadata={"description": "Color of the line in the chart. Null without scores."},
    )


@example({"seq": 12, "time": 2, "points": {"1": 3, "2": 5}})
class TimelinePeriod(Reply):
    seq = seq_of("The first commit of the day or round.")
    time = IntegerField(required=True, metadata={"description": "Number of the day or round."})
    points = fields.Dict(
        keys=StringField(10),
        values=IntegerField(),
        required=True,
        metadata={"description": "Score by seat at the start of this day or round."},
    )


@example({"seq": 13, "title": "Ash"})
class TimelineTurn(Reply):
    seq = seq_of("The first commit of the paragraph.")
    title = StringField(
        400, required=True, metadata={"description": "Heading, as in a digest. Empty without a heading."}
    )


@example({"first": 30, "last": 40, "by": 41})
class UndoneRange(Reply):
    first = seq_of("The first undone commit.")
    last = seq_of("The last undone commit.")
    by = seq_of("The commit that undid them.")


@example(
    {
        "seq": 41,
        "unit": "day",
        "seats": [TimelineSeat.example],
        "times": [TimelinePeriod.example],
        "turns": [TimelineTurn.example],
        "undone": [UndoneRange.example],
        "points": {"1": 3, "2": 6},
    }
)
class ScoreTimeline(Reply):
    seq = seq_of("The newest commit that shows something to the public.")
    unit = StringField(
        40,
        required=True,
        allow_none=True,
        metadata={"description": "Unit of time, `day` or `round`. Null if the game has none."},
    )
    seats = fields.List(fields.Nested(TimelineSeat), required=True)
    times = fields.List(
        fields.Nested(TimelinePeriod),
        required=True,
        metadata={"description": "First commits of days or rounds, in order, without undone ones."},
    )
    turns = fields.List(
        fields.Nested(TimelineTurn),
        required=True,
        metadata={
            "description": "First commits of digest paragraphs, in order, including undone ones. Empty if each commit is "
            "its own paragraph."
        },
    )
    undone = fields.List(
        fields.Nested(UndoneRange),
        required=True,
        metadata={"description": "Ranges of commits that are undone. Always complete, even with `?after=`."},
    )
    points = fields.Dict(
        keys=StringField(10),
        values=IntegerField(),
        required=True,
        allow_none=True,
        metadata={"description": "Current score by seat. Null for a game without a score chart."},
    )


@example(
    {
        "level": 1,
        "status": "under-way",
        "since": 1893456000000,
        "done": 120,
        "total": 328,
        "reason": "",
        "analysis": None,
    }
)
class Analysis(Reply):
    level = IntegerField(1, required=True, metadata={"description": "Depth of the analysis: 1 to 3."})
    status = StringField(20, required=True, metadata={"description": "`under-way`, `done` or `failed`."})
    since = IntegerField(
        0, required=True, metadata={"description": "When the analysis was requested. Milliseconds of Unix time."}
    )
    done = IntegerField(
        0,
        required=True,
        metadata={"description": "Number of positions analyzed. Only commits that are not refusals count."},
    )
    total = IntegerField(
        0,
        required=True,
        allow_none=True,
        metadata={"description": "Total number of positions to analyze. Null until known, or if the analysis failed."},
    )
    reason = StringField(400, required=True, metadata={"description": "Why the analysis failed. Empty otherwise."})
    analysis = fields.Dict(
        required=True,
        allow_none=True,
        metadata={
            "description": "The result. Null until it is done. Contains `seats` (each with `unbeaten`, `lost` and `luck`), "
            "`turning_points`, `mistakes` and `luck`. `chances` has a seq, then one number per seat. "
            "`decisions` has the moves that were tried. `release` is the release that computed it."
        },
    )
