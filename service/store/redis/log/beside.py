"""What a release before this one reads beside it: small rows with each commit, for as long as an API of it listens."""

from __future__ import annotations

import os
import time
from typing import Any

from service.store.ports.commits import Rows
from service.store.redis import keys
from service.store.redis.connect import Wire

LOOK = 2.0
"""Seconds after which a process looks anew whether an API of another release is there."""

_STAMP = b"beside\n"
"""No release's name: whoever reads a view of these rows makes it anew."""


class Beside:
    """Whether an API is there that goes by rows; looked up every few seconds, by whoever appends.

    Every API hears the news; those of this release hear what their own commands come to as well, each on one channel.
    """

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._until, self._listens, self._process = 0.0, False, 0

    def listens(self) -> bool:
        """Whether more processes hear the news than are of this release."""
        now = time.monotonic()
        if self._wire.is_cluster:
            return False  # no release before this one can use a cluster
        if now >= self._until or self._process != os.getpid():
            told, heard = self._wire.all([("PUBSUB", "CHANNELS", f"{keys.TOLD}*"), ("PUBSUB", "NUMSUB", keys.NEWS)])
            self._listens, self._until, self._process = heard[1] > len(told), now + LOOK, os.getpid()
        return self._listens

    def rows(self, rows: Rows | None, *, over: bool) -> list[Any]:
        """Fields and values for the rows of a release before; empty where nobody reads them, or nothing is told."""
        if rows is None or not rows.asked or not self.listens():
            return []
        told = {
            "seq": rows.seq,
            "head": rows.head,
            "status": "over" if over else "running",
            "signature": rows.signature,
            "key": rows.key_id,
            "seen": _STAMP + ",".join(map(str, rows.seen)).encode(),
            "asked": _STAMP + rows.asked,
            "public": _STAMP + b'{"table":' + (rows.table or b"null") + b"}",
        }
        return [part for pair in told.items() for part in pair]
