"""The form of a vacation that comes in."""

from __future__ import annotations

from domain.play.parts.vacations import DEFAULT, ORDERS, SITS_IN
from service.api.schemas.fields import Text, Whole, Word, example
from service.api.schemas.requests import Request


@example({"from": 1785844800000, "to": 1787054400000})
class VacationRequest(Request):
    begins = Whole(
        0,
        required=True,
        data_key="from",
        metadata={"description": "Milliseconds of Unix time; at once if that is past."},
    )
    ends = Whole(0, required=True, data_key="to", metadata={"description": "At the latest; milliseconds of Unix time."})
    seat = Word(
        *(ORDERS, SITS_IN, DEFAULT),
        load_default=lambda: ORDERS,  # as a plain value it would be published, and generated types would demand it
        metadata={
            "description": "Who answers for you in games by a calendar, where the days go on: your standing orders; `sitter`, who "
            "sits in meanwhile, and your orders only for what they let pass; `default`: nobody, so that silence means what it "
            "means by the rules. Everybody reads it."
        },
    )
    sitter = Text(
        64,
        1,
        metadata={
            "description": "With `sitter`: who sits in, by the id of their account, in each of the games where they can; in those "
            "where your clock stands as well."
        },
    )
