"""Schemas of signing in by email."""

from __future__ import annotations

from service.core.http.schemas.fields import BooleanField, IntegerField, StringField, example
from service.core.http.schemas.replies.base import Reply
from service.core.http.schemas.requests import Request, SignInRequest

LONGEST = 254
"""Maximum characters of an address (RFC 5321)."""


@example({"address": "ada@example.org"})
class EmailSignInRequest(Request):
    address = StringField(
        LONGEST,
        3,
        r"^[^@\s]+@[^@\s]+$",
        "Must be an email address such as ada@example.org.",
        required=True,
        metadata={"description": "The confirmed address of the account."},
    )


@example({"code": "042137"})
class EmailCodeRequest(SignInRequest):
    code = StringField(
        6,
        6,
        r"^[0-9]{6}$",
        "Must be the six digits from the email.",
        required=True,
        metadata={"description": "The code."},
    )


@example({"enabled": True, "address": "ada@example.org", "confirmed": True})
class EmailSignIn(Reply):
    enabled = BooleanField(required=True, metadata={"description": "Whether you can sign in with your address."})
    address = StringField(
        LONGEST, required=True, allow_none=True, metadata={"description": "Your email address. Null without one."}
    )
    confirmed = BooleanField(required=True, metadata={"description": "Whether the address is confirmed."})


@example({"expires_in": 900, "delayed": False})
class EmailSignInStarted(Reply):
    expires_in = IntegerField(
        0, required=True, metadata={"description": "Seconds within which the link and the code can be used."}
    )
    delayed = BooleanField(
        required=True,
        metadata={"description": "True if emails are late now, to any address. Wait, or sign in another way."},
    )
