"""Schemas of recovery codes."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import IntegerField, StringField, example
from service.core.http.schemas.replies.base import MADE_AT, Reply, instant
from service.core.http.schemas.requests import SignInRequest

CODE = "3q5vx-k7r1t-z2m5a-bd0ce"


@example({"code": CODE})
class RecoveryCodeRequest(SignInRequest):
    code = StringField(
        60,
        1,
        required=True,
        metadata={"description": "One of your recovery codes. Hyphens, spaces and case are ignored."},
    )


@example({"left": 7, "created_at": MADE_AT})
class RecoveryCodes(Reply):
    left = IntegerField(0, required=True, metadata={"description": "Number of unused codes."})
    created_at = instant("When the codes were created. Null without codes.", allow_none=True)


@example({"codes": [CODE], "left": 10, "created_at": MADE_AT})
class CreatedRecoveryCodes(RecoveryCodes):
    codes = fields.List(
        StringField(60, required=True), required=True, metadata={"description": "The codes. Shown only once."}
    )
