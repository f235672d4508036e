"""Building blocks of response schemas, and values for their examples."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from marshmallow import EXCLUDE, Schema, fields

from service.core.http.schemas.fields import IntegerField, StringField

GAME_ID, PLAYER_ID, COMMAND_ID = "gq3v1xk7rtz2m5ab", "pc0h4t9wz1k8ymr2", "k3Vt0aPq9vZxW1uYbR2sTf4d"
MADE_AT = 1893456000000
HEAD = "9f2c6a7d14b85e03c1f7a2d6b8e90435f1c2d3e4a5b697887960514233241506"
COMMITMENT = "5e884898da28047151d0e56f8dc6292773603d0d6aabbd62a11ef721d1542d8f"


def id_of(about: str = "", **kwargs: Any) -> StringField:
    return StringField(
        64, required=kwargs.pop("required", True), metadata={"description": about} if about else {}, **kwargs
    )


def instant(about: str, **kwargs: Any) -> IntegerField:
    metadata = {"description": f"{about} Milliseconds of Unix time."}
    return IntegerField(0, required=kwargs.pop("required", True), metadata=metadata, **kwargs)


def anything(about: str, **kwargs: Any) -> fields.Raw:
    return fields.Raw(required=True, metadata={"description": about}, **kwargs)


def record(about: str, *, required: bool = True, **kwargs: Any) -> fields.Dict:
    return fields.Dict(required=required, metadata={"description": about}, **kwargs)


def seq_of(about: str) -> IntegerField:
    return IntegerField(0, required=True, metadata={"description": about})


class Reply(Schema):
    """The body of a response. Fields may be added in the future."""

    class Meta:
        """For marshmallow."""

        unknown = EXCLUDE

    example: ClassVar[Mapping[str, Any]] = MappingProxyType({})
