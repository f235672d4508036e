"""Schemas of public keys."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import EnumField, StringField, example
from service.core.http.schemas.replies.base import HEAD, Reply


class SigningKey(Reply):
    id = StringField(64, required=True)
    algorithm = EnumField("Ed25519", required=True)
    public = StringField(64, required=True)


@example({"keys": [{"id": "c0ffee0123456789", "algorithm": "Ed25519", "public": HEAD}]})
class SigningKeys(Reply):
    keys = fields.List(fields.Nested(SigningKey), required=True)
