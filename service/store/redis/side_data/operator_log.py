"""The log of what operators do: a stream to which entries are only added."""

from __future__ import annotations

from collections.abc import Sequence

from service.store.ports.side_data import OperatorAction
from service.store.redis import keys
from service.store.redis.client import RedisClient


class OperatorLog:
    def __init__(self, wire: RedisClient) -> None:
        self._wire = wire

    def append(self, operator: str, action: str, subject: str, reason: str) -> None:
        """Add an entry. The server's clock gives its time."""
        fields = ("operator", operator, "action", action, "subject", subject, "reason", reason)
        self._wire.one("XADD", keys.OPERATORS, "*", *fields)

    def newest(self, count: int, subject: str = "") -> Sequence[OperatorAction]:
        """The newest entries, the newest first; with a ``subject`` only those about it."""
        found: list[OperatorAction] = []
        end = "+"
        while len(found) < count:
            entries = self._wire.one("XREVRANGE", keys.OPERATORS, end, "-", "COUNT", 1000)
            for entry, flat in entries:
                texts = [each.decode() for each in flat]
                made = OperatorAction(int(entry.split(b"-")[0]), **dict(zip(texts[::2], texts[1::2], strict=True)))
                if subject in ("", made.subject):
                    found.append(made)
            if len(entries) < 1000:
                break
            end = f"({entries[-1][0].decode()}"
        return found[:count]
