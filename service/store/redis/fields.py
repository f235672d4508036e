"""Fields of a hash that are changed together, if no one else has changed them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from service.store.redis.client import RedisClient, Script

SET_FIELDS = Script("set_fields")


def set_fields(
    wire: RedisClient,
    key: str,
    before: Mapping[Any, bytes | None],
    after: Mapping[Any, Any],
    messages: Sequence[tuple[str, str]] = (),
) -> bool:
    """Set ``after`` if the hash still has ``before`` (None: no such field), and then publish messages on channels.

    An empty value deletes its field. False, and nothing is written, if one of ``before`` has changed.
    """
    arguments: list[Any] = [len(before), len(after)]
    for name, value in before.items():
        arguments += (name, value or b"")
    for pair in (*after.items(), *messages):
        arguments += pair
    return bool(wire.call(SET_FIELDS, [key], arguments))
