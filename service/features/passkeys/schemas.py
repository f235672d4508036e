"""Schemas of passkeys. The contents of options and credentials are those of WebAuthn Level 3, in its JSON form."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import StringField, example
from service.core.http.schemas.replies.base import MADE_AT, Reply, id_of, instant, record
from service.core.http.schemas.requests import Request, SignInRequest

_CREATED = {
    "id": "9C1Zt0…",
    "rawId": "9C1Zt0…",
    "type": "public-key",
    "response": {"clientDataJSON": "eyJ0eXBl…", "attestationObject": "o2NmbXRk…", "transports": ["internal"]},
}
_SIGNED = {
    "id": "9C1Zt0…",
    "rawId": "9C1Zt0…",
    "type": "public-key",
    "response": {
        "clientDataJSON": "eyJ0eXBl…",
        "authenticatorData": "SZYN5Y…",
        "signature": "MEUCIQ…",
        "userHandle": "cGMwaDR0…",
    },
}


def _credential(about: str) -> fields.Dict:
    return fields.Dict(
        keys=fields.String(),
        required=True,
        error_messages={"invalid": "Must be a JSON object."},
        metadata={"description": about},
    )


@example({"name": "Laptop", "credential": _CREATED})
class PasskeyRequest(Request):
    name = StringField(80, 1, required=True, metadata={"description": "A name by which you recognize the passkey."})
    credential = _credential("`toJSON()` of the result of `navigator.credentials.create()`.")


@example({"credential": _SIGNED})
class PasskeySignInRequest(SignInRequest):
    credential = _credential("`toJSON()` of the result of `navigator.credentials.get()`.")


@example({"publicKey": {"challenge": "kx3vT0…", "timeout": 300000, "rpId": "games.example.org"}})
class PasskeyOptions(Reply):
    publicKey = record(  # noqa: N815 - the name that the browser expects
        "Options for `navigator.credentials`, in their JSON form. The challenge is valid for five minutes, once."
    )


@example({"id": "k0f3a9c21b7d84e65", "name": "Laptop", "created_at": MADE_AT, "last_used_at": None})
class PasskeyReply(Reply):
    id = id_of()
    name = StringField(80, required=True)
    created_at = instant("When the passkey was added.")
    last_used_at = instant("When it was last used to sign in. Null if never.", allow_none=True)


@example({"passkeys": [PasskeyReply.example]})
class Passkeys(Reply):
    passkeys = fields.List(fields.Nested(PasskeyReply), required=True)
