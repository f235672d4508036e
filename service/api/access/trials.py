"""Trying a command out (``dry_run``): what it might come to, in a state that its sender cannot tell from the real one."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Any

from flask import Response

from domain.dice import Dice
from domain.errors import Stale
from domain.play.record import Chance, Submission
from domain.play.settle import settle
from domain.play.table import NEWEST
from domain.terms import Seat, Seq
from service.api.access import outcomes
from service.api.access.auth import GameAccess
from service.api.context.offload import ReadContext
from service.api.http.answers import answer, head_header
from service.projections.history.narration import Narrator
from service.projections.positions.facts import Facts
from service.projections.positions.rows import is_open, shown


def tried(access: GameAccess, seat: Seat, command: dict[str, Any], seen: Seq | None) -> Response:
    """The answer to a trial; raises the problems of a game that is set aside, and of news that was not ``seen``."""
    access.context.require_not_aside(access.lobby.id)
    access.rows()
    narrator = access.narrator
    seq, document = access.compute(lambda reads, facts: attempt(reads, facts, seat, command, seen, narrator))
    if document.get("refusal", {}).get("code") == Stale.code:
        raise outcomes.stale(access, seat, seen, seq)
    return answer(document, headers=head_header(*access.context.store.log.head(access.lobby.id)))


def attempt(
    reads: ReadContext, facts: Facts, seat: Seat, command: dict[str, Any], seen: Seq | None, narrator: Narrator
) -> tuple[int, dict[str, Any]]:
    """The sender's present seq, and what the command would come to."""
    position = reads.positions.newest(facts)
    if position.table is not None and not is_open(position, seat):
        # In an older game the seat may still be heard: even so a trial would say what its cards allow.
        position = replace(position, table=replace(position.table, table_rules=NEWEST))
    key = secrets.token_bytes(32)
    if not position.over:
        position = replace(position, state=facts.rules.imagine(position.state, seat, Dice(key)))
    submission = Submission("dry-run", seat, command, position.at, seen)
    chance = Chance(secrets.token_bytes(32), facts.chance.script)
    commit, _ = settle(facts.rules, position, submission, position.at, chance)
    seq = shown(position)[seat]
    return seq, outcomes.tried(facts.rules, commit, seat, seq, narrator)
