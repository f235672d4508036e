"""The forms of what is said of letters, where they go and when, and of the devices to which notices are pushed."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.fields import Text, Truth, Whole, Word, example
from service.api.schemas.preferences import QUIET, Quiet
from service.api.schemas.replies.base import GAME_ID, MADE_AT, Reply, id_of, instant
from service.api.schemas.requests import Request
from service.post.webhooks.targets import LONGEST as LONGEST_URL

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
            "description": "Why no email is sent: three emails in a row bounced because the address is wrong (`bounced`), or the "
            "reader unsubscribed (`unsubscribed`). Set the address again to resume."
        },
    )
    letters = fields.List(
        fields.Nested(LetterTold),
        required=True,
        metadata={"description": "What became of the last ones, the newest first."},
    )


POINT = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
KEYS = Request.from_dict(
    {
        "p256dh": Text(
            100, 1, required=True, metadata={"description": "The browser's public key, base64url.", "example": POINT}
        ),
        "auth": Text(
            40,
            1,
            required=True,
            metadata={"description": "The browser's secret, base64url.", "example": "BTBZMqHH6r4Tts7J_aSIgg"},
        ),
    },
    name="PushKeys",
)
_DEVICE = {
    "id": "d4f1c2a9be0d37788a1b2c3d4",
    "service": "push.example.net",
    "label": "my telephone",
    "reminders": True,
    "active": True,
    "stopped": None,
    "made_at": MADE_AT,
    "notices": [],
}
_NOTICE = {
    "id": "msg_4f1c2a9be0d37788a1b2c3d4",
    "kind": "asked",
    "game": GAME_ID,
    "at": MADE_AT,
    "state": "delivered",
    "reason": "ok",
    "status": 201,
    "again": None,
}


@example(
    {
        "endpoint": "https://push.example.net/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
        "keys": {"p256dh": POINT, "auth": "BTBZMqHH6r4Tts7J_aSIgg"},
        "label": "my telephone",
    }
)
class DeviceRequest(Request):
    endpoint = Text(
        LONGEST_URL, 1, required=True, metadata={"description": "As the browser's `PushSubscription` has it: https."}
    )
    keys = fields.Nested(KEYS, required=True, metadata={"description": "Likewise."})
    label = Text(80, load_default=lambda: "", metadata={"description": "What you call it."})
    reminders = Truth(
        load_default=lambda: True,
        metadata={"description": "Whether it is told at half and at a tenth of the time besides."},
    )


@example({"key": POINT})
class Push(Reply):
    key = Text(
        100,
        required=True,
        allow_none=True,
        metadata={
            "description": "The public key of this service (VAPID), base64url: the `applicationServerKey` of a subscription. "
            "Null where nothing is pushed."
        },
    )


@example(_NOTICE)
class NoticeTold(Reply):
    id = id_of("Of the notice: the same in each try.")
    kind = Word("asked", "half", "tenth", "over", "vacant", "test", required=True)
    game = id_of("What it was about.", allow_none=True)
    at = instant("When it was tried.")
    state = Word("delivered", "failed", "dead", required=True, metadata={"description": "`failed` is tried again."})
    reason = Text(40, required=True, metadata={"description": "As with the deliveries of webhooks."})
    status = Whole(
        required=True, allow_none=True, metadata={"description": "Of the push service's answer, if there was one."}
    )
    again = instant("When it is tried again, if it is.", allow_none=True)


@example({**_DEVICE, "notices": [_NOTICE]})
class Device(Reply):
    id = id_of("`d`, and the first 24 hex digits of the SHA-256 of its endpoint.")
    service = Text(300, required=True, metadata={"description": "The host of its push service."})
    label = Text(80, required=True)
    reminders = Truth(required=True)
    active = Truth(required=True)
    stopped = Word(
        "failing",
        "refused",
        required=True,
        allow_none=True,
        metadata={
            "description": "Why nothing goes there, if the service has switched it off: nothing was taken for a day (`failing`), or "
            "its push service does not let this service in (`refused`). Switch it on again."
        },
    )
    made_at = instant("When it was switched on first.")
    notices = fields.List(
        fields.Nested(NoticeTold),
        required=True,
        metadata={"description": "What became of the last ones, the newest first."},
    )


@example({"devices": [_DEVICE]})
class Devices(Reply):
    devices = fields.List(fields.Nested(Device), required=True, metadata={"description": "The oldest first."})


@example({"id": "msg_4f1c2a9be0d37788a1b2c3d4"})
class NoticeAsked(Reply):
    id = id_of("Of the notice, as it will stand among those of the device.")
