"""Schema of a new vacation."""

from __future__ import annotations

from domain.table.vacations import DEFAULT, ORDERS, SITS_IN
from service.core.http.schemas.fields import EnumField, IntegerField, StringField, example
from service.core.http.schemas.requests import Request


@example({"from": 1785844800000, "to": 1787054400000})
class VacationRequest(Request):
    begins = IntegerField(
        0,
        required=True,
        data_key="from",
        metadata={"description": "Milliseconds of Unix time. Begins now if the time is past."},
    )
    ends = IntegerField(
        0, required=True, data_key="to", metadata={"description": "Latest end, in milliseconds of Unix time."}
    )
    seat = EnumField(
        *(ORDERS, SITS_IN, DEFAULT),
        load_default=lambda: ORDERS,  # as a plain value it would be published, and generated types would require it
        metadata={
            "description": "Selects what answers for you in games with a calendar, where days continue to pass. `orders`: your "
            "standing orders. `sitter`: your sitter, and your orders only for questions that the sitter "
            "leaves open. `default`: no one; the default moves of the rules are played. This choice is "
            "public."
        },
    )
    sitter = StringField(
        64,
        1,
        metadata={
            "description": "For `sitter`: the account id of the sitter, who plays for you in every game that allows it. "
            "This includes games in which your clock stops."
        },
    )
