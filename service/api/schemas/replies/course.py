"""The course of a game: when its days or rounds and its turns begin, how the points stood, what was taken back."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.fields import Text, Whole, example
from service.api.schemas.replies.base import Reply, seq_of


@example({"light": "#15598c", "dark": "#82c4f5"})
class Colour(Reply):
    light = Text(40, required=True, metadata={"description": "On light ground, `#rrggbb`."})
    dark = Text(40, required=True, metadata={"description": "On dark ground."})


@example({"seat": 1, "name": "Ash", "colour": {"light": "#15598c", "dark": "#82c4f5"}})
class CourseSeat(Reply):
    seat = Whole(1, required=True)
    name = Text(400, required=True, metadata={"description": "As in sentences of the history; show it as text."})
    colour = fields.Nested(
        Colour,
        required=True,
        allow_none=True,
        metadata={"description": "Of its line in the chart; null without points."},
    )


@example({"seq": 12, "time": 2, "points": {"1": 3, "2": 5}})
class CourseTime(Reply):
    seq = seq_of("The commit with which it begins.")
    time = Whole(required=True, metadata={"description": "Which day or round."})
    points = fields.Dict(
        keys=Text(10),
        values=Whole(),
        required=True,
        metadata={"description": "By seat, as they stood then: what the days or rounds before have brought."},
    )


@example({"seq": 13, "title": "Ash"})
class CourseTurn(Reply):
    seq = seq_of("The commit with which it begins.")
    title = Text(400, required=True, metadata={"description": "As a digest has it; empty for none."})


@example({"first": 30, "last": 40, "by": 41})
class Stretch(Reply):
    first = seq_of("The first commit that was taken back.")
    last = seq_of("The last one.")
    by = seq_of("The commit that took them back.")


@example(
    {
        "seq": 41,
        "unit": "day",
        "seats": [CourseSeat.example],
        "times": [CourseTime.example],
        "turns": [CourseTurn.example],
        "undone": [Stretch.example],
        "points": {"1": 3, "2": 6},
    }
)
class Course(Reply):
    seq = seq_of("The newest commit that everybody may read something of.")
    unit = Text(
        40,
        required=True,
        allow_none=True,
        metadata={"description": "What its time is counted in, `day` or `round`; null where it is not counted."},
    )
    seats = fields.List(fields.Nested(CourseSeat), required=True)
    times = fields.List(
        fields.Nested(CourseTime),
        required=True,
        metadata={"description": "When days or rounds begin, in order. What was taken back began none."},
    )
    turns = fields.List(
        fields.Nested(CourseTurn),
        required=True,
        metadata={
            "description": "Where paragraphs of the digest begin, in order; empty where each commit is one. What was taken back is in it."
        },
    )
    undone = fields.List(
        fields.Nested(Stretch), required=True, metadata={"description": "What was taken back and still is: always all."}
    )
    points = fields.Dict(
        keys=Text(10),
        values=Whole(),
        required=True,
        allow_none=True,
        metadata={"description": "As they stand; null for a game without a chart."},
    )
