"""Talor the Laughing Warrior fights for one Malkioni faction (7.2, FRO-D24, FRO-D51)."""

# ruff: noqa: ARG002 - hooks do not need all their arguments

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from domain.games.fronela import events as ev
from domain.games.fronela.episode_api.control import leading
from domain.games.fronela.episode_api.decision import FronelaDecision
from domain.games.fronela.episode_api.queries import DieBonus, Query
from domain.games.fronela.episode_api.socket import Episode
from domain.games.fronela.phases.champion import Champion, Rally, Rallying
from domain.games.fronela.phases.scoring import score
from domain.games.fronela.state import FronelaState
from domain.kernel.shape import catalogue

TALOR = "talor"


class Talor(Episode):
    key = TALOR
    clause = "FRO-D51"
    queries: ClassVar = (DieBonus,)
    reacts: ClassVar = (ev.UnitsLost,)
    commands: ClassVar = catalogue(Rally)
    questions: ClassVar = {TALOR: Rallying(TALOR)}
    steps: ClassVar = {TALOR: Champion(TALOR).appear}
    names: ClassVar = {TALOR: "Talor"}
    sentences: ClassVar = {
        "person_placed.talor": "Talor the Laughing Warrior fights in {area:place}.",
        "person_removed.talor": "Talor the Laughing Warrior leaves {area:place}.",
        "token_given.talor": "Talor the Laughing Warrior joins {nation:folk}.",
        "token_taken.talor": "Talor the Laughing Warrior leaves {nation:folk}.",
    }

    def on_round_start(self, decision: FronelaDecision) -> None:
        faction = leading(decision.state, lambda _: True)
        if faction:
            decision.happen(ev.TokenGiven(TALOR, faction))

    def on_round_end(self, decision: FronelaDecision) -> None:
        if TALOR in decision.state.tokens:
            decision.happen(ev.TokenTaken(TALOR, decision.state.tokens[TALOR]))

    def agenda(self, state: FronelaState, slot: str, items: tuple[str, ...]) -> tuple[str, ...]:
        return Champion(TALOR).accompanies(items) if state.tokens.get(TALOR) == slot else items

    def adjust(self, state: FronelaState, query: Query, value: Any) -> Any:
        match query:
            case DieBonus(who, area, _) if who == state.turn == state.tokens.get(TALOR):
                return value + Champion(TALOR).bonus(state, area)
        return value

    def after_turn(self, decision: FronelaDecision, slot: str) -> None:
        Champion(TALOR).leave(decision)

    def react(self, state: FronelaState, event: Any) -> Iterable[Any]:
        """Kills of barbarians and wolves by Talor's faction score one extra point, during the whole round."""
        if not event.by or event.by != state.tokens.get(TALOR):
            return
        killer, victim = state.tables.nations[event.by], state.tables.nations[event.nation]
        facts = self.facts(state)
        foe = victim.kind in facts["foes"] or victim.id in facts["foe_nations"]
        if foe and killer.seat != victim.seat:
            for _ in range(event.count):
                yield score(state, killer.id, "talor", "FRO-D34", facts["points"], event.area)
