"""Plays plans: submits a plan when one of its questions comes, and its rest when the others have decided."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import ClassVar

from domain.kernel.game import AnyGame
from domain.kernel.record import Position
from domain.kernel.terms import GameId, Seat
from domain.table import features
from domain.table.plans import ANY, kinds_waited_for
from domain.table.undo import Undone
from service.core.followers.follower import ChangedGame, CommitStep
from service.features.plans.store import PLANS, StoredPlan, StoredPlans, plan_fields, read_plans
from service.store.redis.conditional import set_fields
from service.store.redis.lobbies.record import read_chairs
from service.store.redis.store import Store
from service.store.shared import lists


class PlanFollower:
    """Safe to run again: a submission has a fixed id, and what was played is in the log."""

    name: ClassVar[str] = "plans"
    fields: ClassVar[Sequence[str]] = (PLANS, "chairs")
    cursor: ClassVar[str] = ""
    is_late: ClassVar[bool] = False

    def __init__(self, store: Store) -> None:
        self._store = store

    def follow(self, games: Collection[ChangedGame]) -> Collection[GameId]:
        return [game.game_id for game in games if game.fields[PLANS] and self._follow(game)]

    def _follow(self, game: ChangedGame) -> bool:
        """Whether something was submitted."""
        packed = game.fields[PLANS]
        while True:
            known = read_plans(packed)
            active = [plan.seen for plan in known.values() if plan.state != "done"]
            if not active:
                return False
            config, steps = game.steps_after(min(active))
            chairs = read_chairs(game.fields["chairs"] or b"")
            plans: StoredPlans = {seat: plan for seat, plan in known.items() if plan.player == chairs[seat - 1].holder}
            for step in steps:
                plans = _after(config.game, plans, step)
            is_over = bool(steps) and steps[-1].after.over
            if not is_over:  # then all that waits is over
                self._announce(game.game_id, known, plans)
            if steps and not is_over:
                plans = self._begin(game.game_id, config.game, plans, steps[-1].after)
            key = self._store.keys.game(game.game_id).meta
            if plans == known or set_fields(self._store.wire, key, {PLANS: packed}, plan_fields(plans)):
                return not is_over and self._submit(game.game_id, plans)
            packed = self._store.wire.one("HGET", key, PLANS)

    def _begin(self, game_id: GameId, game: AnyGame, plans: StoredPlans, now: Position) -> StoredPlans:
        """Choose a plan whose question is pending, unless another is being played: its commands are not mixed."""
        if any(plan.state == "playing" for plan in plans.values()):
            return plans
        for seat, plan in plans.items():
            ends = plan.state == "paused" and game.rules.on_turn(now.state) != seat
            if plan.waits and (ends or _is_asked(now, seat, plan.kinds)):
                if plan.state == "paused":
                    self._store.log.withdraw(game_id, plan.next_id)
                return {**plans, seat: replace(plan, state="playing")}
        return plans

    def _submit(self, game_id: GameId, plans: StoredPlans) -> bool:
        """Submit what is being played, after that is stored: from then on the plan cannot be deleted."""
        submitted = False
        for plan in plans.values():
            if plan.state == "playing":
                document = lists.rest_of(plan.document, plan.place)
                receipt = self._store.log.submit(game_id, document, plan.digest, checked=False)
                submitted = submitted or receipt.status == "accepted" or receipt.wake
        return submitted

    def _announce(self, game_id: GameId, before: StoredPlans, after: StoredPlans) -> None:
        """The next command of a paused plan counts as pending."""
        for seat, plan in before.items():
            if plan.state == "paused" and (seat not in after or not after[seat].waits):
                self._store.log.withdraw(game_id, plan.next_id)
        for seat, plan in after.items():
            if plan.state == "paused" and before[seat].state != "paused":
                self._store.log.announce(game_id, plan.next_id)


def _after(game: AnyGame, plans: StoredPlans, step: CommitStep) -> StoredPlans:
    """The plans of a game after one more commit, before any is submitted."""
    found: dict[Seat, StoredPlan] = {}
    for seat, plan in plans.items():
        if plan.state == "done" or step.commit.seq <= plan.seen:
            found[seat] = plan
        elif (step.after.over and plan.state == "waiting") or _is_vacated(step, seat):
            continue
        else:
            found[seat] = replace(_progress(game, seat, plan, step), seen=step.commit.seq)
    return found


def _progress(game: AnyGame, seat: Seat, plan: StoredPlan, step: CommitStep) -> StoredPlan:
    if step.after.over or (plan.state == "paused" and any(type(event) is Undone for event in step.commit.events)):
        return replace(plan, state="done")
    if step.commit.submission.id != plan.next_id:
        return plan
    if step.commit.refusal is not None or plan.place == lists.left_in(plan.document):
        return replace(plan, state="done")
    following = lists.rest_of(plan.document, plan.place + 1)
    kinds = kinds_waited_for(game, seat, following["command"], step.before, step.after)
    # Without such kinds the settle worker has submitted the next command already.
    return replace(plan, place=plan.place + 1, kinds=tuple(kinds), state="paused" if kinds else "playing")


def _is_vacated(step: CommitStep, seat: Seat) -> bool:
    """Whether the commit gave the seat another controller."""
    before, after = step.before.table, step.after.table
    return before is not None and after is not None and before.controller(seat) != after.controller(seat)


def _is_asked(now: Position, seat: Seat, kinds: Collection[str]) -> bool:
    """Whether the game asks the seat, played by its player, a question of one of these kinds."""
    return (
        now.table is not None
        and now.table.is_played(seat)
        and any(
            asked.question.seat == seat
            and not features.is_asking(asked.question)
            and (ANY in kinds or asked.question.kind in kinds)
            for asked in now.asked
        )
    )
