"""Plans in the store: one field of their game's meta hash, with the plans of all its seats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import orjson

from domain.kernel.terms import GameId, Seat, Seq
from service.features.plans.documents import document_of, plan_of
from service.store.chain import reading
from service.store.codec import canonical, plain
from service.store.ports.waiting import ANYWHERE, NOWHERE, Dropped, Laid, Plan
from service.store.redis.conditional import set_fields
from service.store.redis.store import Store
from service.store.shared import lists

PLANS = "plans"
"""The field of a game's meta hash."""

State = Literal["waiting", "playing", "paused", "done"]


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan, and how far it was played."""

    document: Mapping[str, Any]
    """The submission of its list (`service.features.plans.documents.document_of`)."""
    digest: str
    at: int
    """When it was stored, milliseconds of Unix time by the store's clock."""
    seen: Seq
    """The last commit that it was compared with."""
    state: State = "waiting"
    """``paused``: it was begun, and its rest waits for others to decide. ``done``: nothing more of it will be played."""
    place: int = 0
    """The place in its list of the command that is played, or that waits."""
    kinds: tuple[str, ...] = ()
    """The kinds of questions that it waits for; `domain.table.plans.ANY` for any."""

    @property
    def id(self) -> str:
        return str(lists.list_id(self.document))

    @property
    def player(self) -> str:
        return str(self.document["plan"]["player"])

    @property
    def next_id(self) -> str:
        """The id of the submission of the command at ``place``."""
        return lists.place_id(self.id, self.place)

    @property
    def waits(self) -> bool:
        return self.state in ("waiting", "paused")


StoredPlans = Mapping[Seat, StoredPlan]
"""The plans of one game."""


def read_plans(packed: bytes | None) -> StoredPlans:
    """The plans in the field; none if there is no field."""
    return {
        Seat(int(seat)): StoredPlan(**{**plan, "kinds": tuple(plan["kinds"])})
        for seat, plan in orjson.loads(packed or b"{}").items()
    }


def plan_fields(plans: StoredPlans) -> dict[str, Any]:
    """The fields to write for these plans: with the seats for which a plan may answer at once."""
    if not plans:
        return {PLANS: b"", "holds": b""}
    holds = " ".join(str(seat) for seat, plan in plans.items() if plan.state != "done")
    packed = orjson.dumps({str(seat): asdict(plan) for seat, plan in plans.items()})
    return {PLANS: packed, "holds": holds}


class Plans:
    """The plans of games, one for each seat. Only the seat's player may see one."""

    def __init__(self, store: Store) -> None:
        self._wire, self._keys, self._log = store.wire, store.keys, store.log

    def get(self, game_id: GameId, seat: Seat) -> Plan | None:
        """The seat's plan, including one that has been played; None without a plan."""
        with reading(game_id):
            plan = read_plans(self._wire.one("HGET", self._keys.game(game_id).meta, PLANS)).get(seat)
        if plan is None:
            return None
        return plan_of(plan.document, plan.at, waits=plan.state == "waiting", paused=plan.state == "paused")

    def lay(self, game_id: GameId, plan: Plan, digest: str, seq: Seq, match: str = ANYWHERE) -> Laid:
        """Store a plan in place of the seat's plan with the id ``match``, whether that waits or not.

        ``changed``: another plan is stored; ``moved``: the log is no longer at ``seq``, where the caller saw that none
        of its questions is pending.
        """
        while True:
            status, packed, known = self._find(game_id)
            match status:
                case b"running":
                    pass
                case None:
                    return "unknown-game"
                case _:
                    return "over" if status == b"over" else "not-started"
            if not _matches(known.get(plan.seat), match) or self._is_begun(game_id, known.get(plan.seat)):
                return "changed"
            laid = StoredPlan(
                orjson.loads(canonical(plain(document_of(plan)))),
                digest,
                self._wire.now(),
                seq,
                kinds=tuple(plan.kinds),
            )
            after = {**known, plan.seat: laid}
            before = {PLANS: packed, "status": status, "seq": str(seq).encode()}
            if set_fields(self._wire, self._keys.game(game_id).meta, before, plan_fields(after)):
                self._withdraw(game_id, known.get(plan.seat))
                return "laid"
            if self._wire.one("HGET", self._keys.game(game_id).meta, "seq") != str(seq).encode():
                return "moved"

    def drop(self, game_id: GameId, seat: Seat, match: str = ANYWHERE, *, used: bool = False) -> Dropped:
        """Delete the seat's plan; ``used`` also deletes one whose commands are submitted."""
        while True:
            _, packed, known = self._find(game_id)
            plan = known.get(seat)
            if not _matches(plan, match):
                return "changed"
            if plan is None:
                return "none"
            if not plan.waits and not used:
                return "used"
            if self._is_begun(game_id, plan):
                return "used"
            fields = plan_fields({each: kept for each, kept in known.items() if each != seat})
            if set_fields(self._wire, self._keys.game(game_id).meta, {PLANS: packed}, fields):
                self._withdraw(game_id, plan)
                return "dropped"

    def _find(self, game_id: GameId) -> tuple[bytes | None, bytes | None, StoredPlans]:
        with reading(game_id):
            status, packed = self._wire.one("HMGET", self._keys.game(game_id).meta, "status", PLANS)
            return status, packed, read_plans(packed)

    def _is_begun(self, game_id: GameId, plan: StoredPlan | None) -> bool:
        """Whether a plan is about to be submitted."""
        return plan is not None and plan.state == "playing" and self._log.outcome(game_id, plan.next_id) is None

    def _withdraw(self, game_id: GameId, plan: StoredPlan | None) -> None:
        """What was announced of a paused plan will not be played."""
        if plan is not None and plan.state == "paused":
            self._log.withdraw(game_id, plan.next_id)


def _matches(plan: StoredPlan | None, match: str) -> bool:
    return match == ANYWHERE or (plan is None if match == NOWHERE else plan is not None and plan.id == match)
