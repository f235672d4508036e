"""A clock for stores in tests, which their scripts and `now` read instead of the server's time."""

from __future__ import annotations

import hashlib
import sys

import redis

from service.store.redis.client import RedisClient, Script
from tests import stores

KEY = "test-clock"
"""Milliseconds in each database: ``=`` and the time, or ``+`` and the offset to the server's clock."""
READ = f"""(function()
  local time, set = redis.call('TIME'), redis.call('GET', '{KEY}')
  if not set then return time end
  local now = tonumber(string.sub(set, 2))
  if string.sub(set, 1, 1) == '+' then now = now + time[1] * 1000 + math.floor(time[2] / 1000) end
  return {{math.floor(now / 1000), now % 1000 * 1000}}
end)()"""


class StoreClock:
    """Set the time of every store on the test's server, until the test ends."""

    def __init__(self, monkeypatch, now: int | None = None) -> None:
        """Stop the clock at ``now``, in milliseconds of Unix time. Without ``now`` it runs, and `forward` advances it."""
        self._set = "+0" if now is None else f"={now}"
        self._client = redis.Redis.from_url(stores.server().url)
        monkeypatch.setattr(stores, "after_flush", [self._write])
        for module in [each for name, each in sys.modules.items() if name.startswith("service.store.redis.")]:
            for script in vars(module).values():
                if isinstance(script, Script) and "redis.call('TIME')" in script.text and READ not in script.text:
                    text = script.text.replace("redis.call('TIME')", READ)
                    monkeypatch.setattr(script, "text", text)
                    monkeypatch.setattr(script, "sha", hashlib.sha1(text.encode()).hexdigest())
        many = RedisClient.many

        def translated(wire, commands):
            return many(wire, [("EVAL", f"return {READ}", 0) if each == ("TIME",) else each for each in commands])

        monkeypatch.setattr(RedisClient, "many", translated)
        self._write(*range(16))

    @property
    def now(self) -> int:
        """The time at which the clock is stopped."""
        assert self._set.startswith("=")
        return int(self._set[1:])

    @now.setter
    def now(self, milliseconds: int) -> None:
        self._set = f"={milliseconds}"
        self._write(*range(16))

    def forward(self, milliseconds: int) -> None:
        """Advance the clock."""
        self._set = f"{self._set[0]}{int(self._set[1:]) + milliseconds}"
        self._write(*range(16))

    def _write(self, *databases: int) -> None:
        pipeline = self._client.pipeline(transaction=False)
        for database in databases:
            pipeline.execute_command("SELECT", database)
            pipeline.set(KEY, self._set)
        pipeline.execute()
