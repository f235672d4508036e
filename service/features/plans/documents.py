"""Plans as documents: the submission of the list that a plan becomes, with the plan's own data added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.kernel.record import PLAN
from domain.kernel.terms import PlayerId, Seat, Seq
from service.store.ports.waiting import Plan
from service.store.shared import lists


def document_of(plan: Plan) -> dict[str, Any]:
    expected = plan.seen if plan.condition == "unchanged" else None
    return {
        **lists.first_of(plan.id, plan.seat, plan.commands, expected, plan.credential),
        "by": PLAN,
        **({"tenure": plan.tenure} if plan.tenure else {}),
        **({"via": plan.via} if plan.via else {}),
        PLAN: {
            "if": plan.condition,
            "then": plan.then,
            "for": list(plan.kinds),
            "laid": plan.laid,
            "seen": plan.seen,
            "player": plan.player,
        },
    }


def plan_of(document: Mapping[str, Any], at: int, *, waits: bool, paused: bool = False) -> Plan:
    """The plan with this document; ``at`` is when it was stored."""
    told, listed = document[PLAN], document[lists.LIST]
    return Plan(
        listed["id"],
        Seat(document["seat"]),
        PlayerId(told["player"]),
        (document["command"], *listed["rest"]),
        told["laid"],
        tuple(told["for"]),
        told["if"],
        told["then"],
        Seq(told["seen"]),
        document["credential"],
        at,
        waits,
        paused,
        Seq(document.get("tenure", 0)),
        document.get("via", ""),
    )
