"""Dry runs: a possible result of commands, in a state that their sender cannot distinguish from the real one."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from flask import Response

from domain.kernel.dice import Dice
from domain.kernel.errors import StaleSubmission
from domain.kernel.lifecycle import LEFT, NEWEST, PLAYER
from domain.kernel.record import NO_COMMIT, Chance, Clock, Commit, OpenQuestion, Position, Submission
from domain.kernel.terms import SYSTEM, Seat, Seq
from domain.table.seats import SEATS
from domain.table.settle import no_clock, settle
from domain.table.undo import find_undo_start
from service.core.history.narration import Narrator
from service.core.http.access import outcomes
from service.core.http.access.auth import GameAccess
from service.core.http.context.offload import ReadContext
from service.core.http.problems import Problem
from service.core.http.responses import head_header, json_response
from service.core.pace.clock import bot_wait, clock_of
from service.core.positions.cache import CachedPosition
from service.core.positions.game_config import GameConfig
from service.core.positions.rows import is_open, list_seen

MAX_DEFAULT_ANSWERS = 100
"""Maximum number of questions answered by default before the wanted one."""

MAX_AUTOMATIC_COMMANDS = 500
"""Maximum number of automatic commands of the game and of bots between two commands of a list."""


def simulate_commands(
    access: GameAccess, seat: Seat, body: dict[str, Any] | list[dict[str, Any]], seen: Seq | None
) -> Response:
    """The response to a dry run of a command or a list.

    Raises the problems of a quarantined game, and of news that the sender has not ``seen``.
    """
    access.context.require_not_quarantined(access.lobby.id)
    access.rows_without_views()
    narrator = access.narrator
    if isinstance(body, list):
        seq, document = access.compute(
            lambda reads, facts: run_list(reads, facts, seat, body, seen, narrator, access.by)
        )
    else:
        seq, document = access.compute(
            lambda reads, facts: run_command(reads, facts, seat, body, seen, narrator, access.by)
        )
    if document.get("refusal", {}).get("code") == StaleSubmission.code:
        raise outcomes.stale_problem(access, seat, seen, seq)
    return json_response(document, headers=head_header(*access.context.store.log.head(access.lobby.id)))


def run_command(
    reads: ReadContext,
    facts: GameConfig,
    seat: Seat,
    command: dict[str, Any],
    seen: Seq | None,
    narrator: Narrator,
    by: str = "player",
) -> tuple[int, dict[str, Any]]:
    """The sender's current seq, and a possible result of the command."""
    simulation = Simulation(reads, facts, seat, by=by)
    commit = simulation.play(command, seen)
    return simulation.seq, {
        "dry_run": True,
        "seq": simulation.seq,
        **outcomes.describe_dry_run(facts.game, [commit], seat, narrator),
    }


def run_list(
    reads: ReadContext,
    facts: GameConfig,
    seat: Seat,
    commands: list[dict[str, Any]],
    seen: Seq | None,
    narrator: Narrator,
    by: str = "player",
) -> tuple[int, dict[str, Any]]:
    """The sender's current seq, and possible results of the commands, each after the result of the one before."""
    simulation, results = Simulation(reads, facts, seat, clock_of(facts.pace, facts.started), by), []
    expected = seen
    for command in commands:
        if not simulation.is_settled:
            raise Problem("too-much-work", headers={"Retry-After": "1"})
        commit = simulation.play(command, expected)
        expected = None if seen is None else simulation.position.etag(seat)
        commits = [commit] if commit.refusal is not None else [commit, *simulation.play_automatic_commands()]
        results.append(outcomes.describe_dry_run(facts.game, commits, seat, narrator))
        if commit.refusal is not None:
            break
    stale = results[0] if results[0].get("refusal", {}).get("code") == StaleSubmission.code else {}
    document = {"dry_run": True, "seq": simulation.seq, "accepted": all(each["accepted"] for each in results), **stale}
    return simulation.seq, {**document, "commands": results}


class Simulation:
    """An imagined game of a seat, in which commands are tried one after another."""

    def __init__(
        self, reads: ReadContext, facts: GameConfig, seat: Seat, clock: Clock = no_clock, by: str = "player"
    ) -> None:
        position = reads.positions.read_newest(facts)
        self.seq = list_seen(position)[seat]
        """The ETag of the sender's view."""
        if position.table is not None and not is_open(position, seat):
            # In an older game a bot's seat may send commands, so a dry run could reveal its cards.
            position = replace(position, table=replace(position.table, table_rules=NEWEST))
        if not position.over:
            dice = Dice(secrets.token_bytes(32))
            position = replace(position, state=facts.game.knowledge.imagine(position.state, seat, dice))
        self.position = position
        self._reads, self._facts, self._seat, self._by = reads, facts, seat, by
        self._chance = Chance(secrets.token_bytes(32), facts.chance.script)
        self._clock = clock
        self.is_settled = True
        """Whether all automatic commands before the next one have been played."""

    def play(self, command: dict[str, Any], seen: Seq | None = None, seat: Seat | None = None) -> Commit:
        """The result of a command, by default one of the sender's."""
        sender = self._seat if seat is None else seat
        chairs = SEATS.memory_at(self.position.table)
        tenure = Seq(0) if chairs is None else chairs.taken.get(sender, Seq(0))
        submission = Submission("dry-run", sender, command, self.position.at, seen, by=self._by, tenure=tenure)
        game, at = self._facts.game, self.position.at
        first = find_undo_start(self.position, command)
        before = self.position if first is None else self._imagine_before(first)
        commit, self.position = settle(game, before, submission, at, self._chance, self._clock)
        return commit

    def _imagine_before(self, first: Seq) -> Position:
        """The position with another past: its state before a commit, as far as the seat can tell."""
        game, position = self._facts.game, self.position
        if first <= position.past.since:
            known = CachedPosition(position, 0)
            position = self._reads.positions.extend_past(self._facts, known, Seq(first - 1)).position
        real = position.past.before(first)
        other = real._replace(state=game.knowledge.imagine(real.state, self._seat, Dice(secrets.token_bytes(32))))
        snapshots = tuple(other if each is real else each for each in position.past.stood)
        return replace(position, past=replace(position.past, stood=snapshots))

    def play_automatic_commands(self) -> Iterator[Commit]:
        """Automatic commands of the game and its bots, and their consequences; stops at a refusal.

        At most `MAX_AUTOMATIC_COMMANDS`: after a resignation, bots may play the rest of the game. It is then not settled.
        """
        for _ in range(MAX_AUTOMATIC_COMMANDS):
            due = [command for asked in self.position.asked if (command := self._automatic_command(asked)) is not None]
            if not due:
                return
            commit = self.play(min(due, key=lambda command: command["type"]), seat=SYSTEM)
            if commit.refusal is not None:
                return
            yield commit
        self.is_settled = False

    def answer_by_default_until(self, wanted: Callable[[OpenQuestion], bool]) -> OpenQuestion | None:
        """The wanted question, if all others answer by default until it comes.

        None if it does not come within `MAX_DEFAULT_ANSWERS`.

        Defaults follow the rules and are immediate, whatever clocks say.
        """
        for _ in range(MAX_DEFAULT_ANSWERS):
            list(self.play_automatic_commands())
            found = next((each for each in self.position.asked if wanted(each)), None)
            if found is not None or not self.is_settled:
                return found
            # Players first, and then what the game itself waits for, such as the end of a day.
            silent = [each for each in self.position.asked if each.by_game]
            if not silent:
                return None
            first = min(silent, key=lambda each: (each.question.seat == SYSTEM, each.due or 0))
            running = tuple(replace(each, held=None, dated=NO_COMMIT) for each in self.position.asked)
            self.position = replace(self.position, asked=running)
            if self.play({"type": "expire", "question": first.id}, seat=SYSTEM).refusal is not None:
                return None
        return None

    def _automatic_command(self, asked: OpenQuestion) -> dict[str, Any] | None:
        """SYSTEM's immediate command for a pending question. None for one that waits."""
        assert self.position.table is not None
        seat, table = asked.question.seat, self.position.table
        if seat == SYSTEM:
            waits = asked.held is not None or (asked.due is not None and asked.due > self.position.at)
            return None if waits else {"type": "expire", "question": asked.id}
        if table.controller(seat) == LEFT:
            return {"type": "expire", "question": asked.id}
        if table.controller(seat) == PLAYER or bot_wait(table.pace):
            return None
        return {"type": "act", "question": asked.id}
