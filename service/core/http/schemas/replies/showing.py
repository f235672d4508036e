"""Schemas of display hints."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import BooleanField, StringField, example
from service.core.http.schemas.replies.base import Reply, record


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
