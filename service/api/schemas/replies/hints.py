"""What a game says of how it may be shown."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.fields import Text, Truth, example
from service.api.schemas.replies.base import Reply, record


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
