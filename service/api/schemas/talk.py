"""The form of what is said, not heard and reported at a table, as it comes in."""

from __future__ import annotations

from service.api.schemas.fields import Either, Several, Text, Whole, Word, example
from service.api.schemas.requests import Request
from service.projections.history.spoken import LONGEST

PARTNER = "partner"


@example({"text": "Well played!", "to": [2]})
class SayRequest(Request):
    text = Text(
        2 * LONGEST,
        1,
        required=True,
        metadata={
            "description": f"At most {LONGEST} characters on 20 lines; no control characters, no marks of direction."
        },
    )
    to = Several(
        Either([Whole(1, 99), Word(PARTNER)]),
        99,
        1,
        metadata={
            "description": "The seats that it is said to; `partner` stands for those that win together with you. Without it, to all."
        },
    )


@example({"seat": 2})
class MuteRequest(Request):
    seat = Whole(1, 99, required=True, metadata={"description": "Whose words you would rather not read."})


@example({"seq": 41, "why": "It is an insult."})
class ReportRequest(Request):
    seq = Whole(1, required=True, metadata={"description": "The commit in which it was said."})
    why = Text(500, 1, required=True, metadata={"description": "What is wrong with it, for the operator."})
