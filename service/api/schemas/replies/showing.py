"""What clients show a game with: how its kind says that it may be shown, and the course that it took."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.fields import Text, Truth, Whole, example
from service.api.schemas.replies.base import Reply, record, seq_of


class HintedCommand(Reply):
    type = Text(80, required=True)
    label = Text(120, required=True, metadata={"description": "What its button may say."})
    group = Text(80, metadata={"description": "The heading under which it stands; left out where it has none."})
    icon = Text(8, metadata={"description": "A sign before the label."})
    note = Text(300, metadata={"description": "What it comes to, in a few words."})
    order = Truth(metadata={"description": "It is a standing order, which nobody asks for."})
    ends = Truth(metadata={"description": "It ends a turn."})


class HintedParameter(Reply):
    label = Text(120, required=True)
    kind = Text(
        40, metadata={"description": "The `data-kind` of what it names on the board, where that is called otherwise."}
    )


@example(
    {
        "commands": [{"type": "end_turn", "label": "End the turn", "icon": "✓", "ends": True}],
        "parameters": {"against": {"label": "Against", "kind": "seat"}},
        "endings": {"turn": {"type": "end_turn"}},
    }
)
class Hints(Reply):
    commands = fields.List(
        fields.Nested(HintedCommand),
        required=True,
        metadata={"description": "Every command of the game, in the order in which they are best shown."},
    )
    parameters = record(
        "By name, how a parameter is asked for; `step.cards` is that of one command.",
        values=fields.Nested(HintedParameter),
    )
    endings = record("By the kind of the question, the command that ends a turn.")


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


@example(
    {
        "level": 1,
        "status": "under-way",
        "since": 1893456000000,
        "done": 120,
        "whole": 328,
        "why": "",
        "analysis": None,
    }
)
class Analysis(Reply):
    level = Whole(1, required=True, metadata={"description": "How deep it is: 1 to 3."})
    status = Text(20, required=True, metadata={"description": "`under-way`, `done` or `failed`."})
    since = Whole(0, required=True, metadata={"description": "When it was asked for. Milliseconds of Unix time."})
    done = Whole(
        0, required=True, metadata={"description": "The moments that were looked at: commits that were no refusals."}
    )
    whole = Whole(
        0,
        required=True,
        allow_none=True,
        metadata={"description": "Of how many; null before that is known, and where it failed."},
    )
    why = Text(400, required=True, metadata={"description": "Why it failed; else empty."})
    analysis = fields.Dict(
        required=True,
        allow_none=True,
        metadata={
            "description": "When it is done: `seats` with `unbeaten`, `lost` and `luck`, `turning_points`, `mistakes`, `chances` "
            "(seq, then one number for each seat), `luck`, `decisions` with what was tried, the `release` that made it."
        },
    )
