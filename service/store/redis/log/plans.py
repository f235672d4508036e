"""Plans in Redis: fields of their game's meta, which append.lua submits to the stream when their question is pending."""

from __future__ import annotations

import orjson

from domain.kernel.terms import GameId, Seat, Seq
from service.store.chain import reading
from service.store.codec import canonical, plain
from service.store.ports.waiting import ANYWHERE, Dropped, Laid, Plan
from service.store.redis import keys
from service.store.redis.client import RedisClient, Script
from service.store.redis.keys import Keys
from service.store.shared import lists
from service.store.shared.plans import document_of, plan_of

PLAN = Script("plan")
_FIELDS = 40
"""Bytes of the two id fields and the digest before the text."""


class Plans:
    """The plans of games, one for each seat. Only the seat's player may see one."""

    def __init__(self, wire: RedisClient, names: Keys) -> None:
        self._wire, self._keys = wire, names

    def get(self, game_id: GameId, seat: Seat) -> Plan | None:
        """The seat's plan, including one that has been played; None without a plan."""
        with reading(game_id):
            meta = self._keys.game(game_id).meta
            held, waiting, paused = self._wire.one("HMGET", meta, f"plan{seat}", "plans", "paused")
            if held is None:
                return None
            line, _, document = held[_FIELDS:].partition(b"\n")
            waits, pauses = (
                any(each.startswith(b"%d:" % seat) for each in (listed or b"").split()) for listed in (waiting, paused)
            )
            return plan_of(orjson.loads(document), int(line.split(b" ")[1]), waits=waits, paused=pauses)

    def lay(self, game_id: GameId, plan: Plan, digest: str, seq: Seq, match: str = ANYWHERE) -> Laid:
        """Store a plan in place of the seat's plan with the id ``match``, whether that waits or not.

        ``changed``: another plan is stored; ``moved``: the log is no longer at ``seq``, where the caller saw that none
        of its questions is pending.
        """
        fields = (
            keys.id_field(game_id, plan.id)
            + keys.id_field(game_id, lists.place_id(plan.id, 0))
            + keys.id_digest(digest)
        )
        told = (len(plan.commands), plan.player, plan.id, canonical(plain(document_of(plan))))
        arguments = ["lay", plan.seat, match, seq, ",".join(plan.kinds), fields, *told]
        with reading(game_id):
            answer: Laid = self._wire.call(PLAN, self._named(game_id), arguments).decode()
        return answer

    def drop(self, game_id: GameId, seat: Seat, match: str = ANYWHERE, *, used: bool = False) -> Dropped:
        """Delete the seat's plan; ``used`` also deletes one that has been played or is being played."""
        with reading(game_id):
            arguments = ["drop", seat, match, int(used)]
            answer: Dropped = self._wire.call(PLAN, self._named(game_id), arguments).decode()
        return answer

    def _named(self, game_id: GameId) -> list[str]:
        names = self._keys.game(game_id)
        return [names.meta, names.ids]
