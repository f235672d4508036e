"""Schemas of the score timeline."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import IntegerField, StringField, example
from service.core.http.schemas.replies.base import Reply, seq_of


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
