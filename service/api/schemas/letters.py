"""The forms of what is said of letters: where they go, and when."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.fields import Text, Truth, Whole, Word, example
from service.api.schemas.preferences import QUIET, Quiet
from service.api.schemas.replies.base import MADE_AT, Reply, id_of, instant
from service.api.schemas.requests import Request

LONGEST = 254
"""Characters of an address (RFC 5321)."""

ADDRESS = r"^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,63}){0,31}@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$"
AN_ADDRESS = "An address of electronic mail such as ada@example.org, in ASCII (a domain in other letters as xn--…)."
EXAMPLE = {
    "address": "ada@example.org",
    "when": "later",
    "minutes": 60,
    "zone": "Europe/Sofia",
    "quiet": dict(QUIET),
    "reminders": True,
}


@example(EXAMPLE)
class EmailRequest(Request):
    address = Text(LONGEST, 3, ADDRESS, AN_ADDRESS, required=True)
    when = Word("asked", "later", "daily", "off", load_default=lambda: "asked")
    minutes = Whole(1, 7 * 24 * 60, metadata={"description": "For `later`; 60 if nothing is said."})
    hour = Whole(0, 23, metadata={"description": "For `daily`: in your zone; 8 if nothing is said."})
    zone = Text(
        64,
        1,
        metadata={
            "description": "Your time zone, as at `/v1/me/preferences`: it stays as it is if nothing is said here.",
            "example": "Europe/Sofia",
        },
    )
    quiet = fields.Nested(
        Quiet,
        metadata={
            "description": "Hours of your day in which no letter goes, as at `/v1/me/preferences`: they stay as they are if "
            "nothing is said here."
        },
    )
    reminders = Truth(load_default=lambda: True)


@example({"at": MADE_AT, "kind": "asked", "game": None, "state": "delivered", "reason": ""})
class LetterTold(Reply):
    at = instant("When it was tried.")
    kind = Word("confirm", "asked", "half", "tenth", "over", "vacant", "daily", required=True)
    game = id_of("What it was about.", allow_none=True)
    state = Word("delivered", "failed", "dead", required=True, metadata={"description": "`failed` is tried again."})
    reason = Text(200, required=True)


@example({**EXAMPLE, "verified": True, "hour": None, "stopped": None, "letters": [LetterTold.example]})
class Email(Reply):
    address = Text(LONGEST, required=True)
    verified = Truth(
        required=True, metadata={"description": "Whether somebody who reads it has said that they want letters."}
    )
    when = Word("asked", "later", "daily", "off", required=True)
    minutes = Whole(1, required=True, allow_none=True)
    hour = Whole(0, 23, required=True, allow_none=True)
    zone = Text(64, required=True)
    quiet = fields.Nested(Quiet, required=True, allow_none=True)
    reminders = Truth(required=True)
    stopped = Word(
        "bounced",
        "unsubscribed",
        required=True,
        allow_none=True,
        metadata={
            "description": "Why no letters go: the mail server refused three in a row for good (`bounced`), or their reader wanted no "
            "more (`unsubscribed`). Set the address anew."
        },
    )
    letters = fields.List(
        fields.Nested(LetterTold),
        required=True,
        metadata={"description": "What became of the last ones, the newest first."},
    )
