"""Whole games in one process: the kernel and a table of bots, without a server; games can be exported."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from typing import Any

from domain import RELEASE
from domain.kernel.dice import Aside, dice_key
from domain.kernel.game import AnyGame
from domain.kernel.game.rules import Setup
from domain.kernel.lifecycle import PLAYER
from domain.kernel.record import NO_COMMIT, Chance, Commit, OpenQuestion, Position, Submission
from domain.kernel.terms import SYSTEM, GameId, Seat, Seq
from domain.table import bots, features
from domain.table.settle import settle
from service.audit.export import build_lines
from service.audit.lines import build_setup
from service.core.pace.clock import clock_of
from service.store.founding import FORM, origin, setup_line
from service.store.ports.commits import Stored
from service.store.seal import Signer, commitment, seal

EPOCH = 1_767_225_600_000
"""The instant at which such games begin (2026-01-01 UTC, milliseconds); each commit is a second later than the last."""
SECOND = 1000


class Deadlock(RuntimeError):
    """The game is not over and has no pending question: a fault of the rules."""


class SelfPlay:
    """One game, played by bots from a seed of 32 bytes: the same seed gives the same game, to the byte.

    ``controllers`` are the players of the seats, as in the table: ``bot:greedy``, or ``player:greedy`` for a seat whose
    bot sends its own commands, as a client would. ``script`` has the rolls of a sandbox; ``pace`` the pace, whose
    deadlines pass when `now` is increased. Raises `BadSetup` for a game that cannot begin.
    """

    def __init__(
        self,
        game: AnyGame,
        setup: Setup,
        controllers: Sequence[str],
        seed: bytes,
        name: str = "game",
        script: tuple[int, ...] | None = None,
        pace: Mapping[str, Any] | None = None,
        form: int = FORM,
        table: Mapping[str, Any] | None = None,
    ) -> None:
        self.game = game
        self.name = GameId(name)
        self.seed = seed
        self.setup = game.rules.check(setup)
        self.speakers = {Seat(n): c.partition(":")[2] for n, c in enumerate(controllers, 1)}
        self.entropy = tuple(hmac.digest(seed, b"entropy" + bytes([n]), "sha256").hex()[:16] for n in self.speakers)
        self.chance = Chance(dice_key(seed, self.name, list(enumerate(self.entropy, 1))), script)
        self.aside = Aside(hmac.digest(seed, b"players", "sha256"))
        self.form = form
        self.line = b""
        """The set-up line that the first commit builds on."""
        self.position = Position()
        self.log: list[Stored] = []
        self.now = EPOCH
        self.pace = dict(pace or {"mode": "free"})
        self.table = dict(table or {})
        self._clock = clock_of(self.pace, EPOCH)
        self._controllers = [c if c.startswith("bot:") else PLAYER for c in controllers]

    @property
    def over(self) -> bool:
        return self.position.over

    def begin(self) -> Commit:
        if self.form == FORM:
            self.line = setup_line(self._beginning(), EPOCH)
        self.position = Position(head=origin(self.line))
        return self.say(SYSTEM, {"type": "begin", **self._beginning()})

    def _beginning(self) -> dict[str, Any]:
        return {
            "game": self.name,
            "kind": self.game.key,
            "ruleset": self.setup.ruleset,
            "controllers": self._controllers,
            "options": dict(self.setup.options),
            "modules": list(self.setup.modules),
            "pace": self.pace,
            "commitment": commitment(self.seed),
            "entropy": list(self.entropy),
            "sandbox": self.chance.script is not None,
            "table_rules": features.newest_rules(),
            "table": self.table,
        }

    def say(
        self, seat: Seat, command: Mapping[str, Any], *, expected: Seq | None = None, tenure: Seq = NO_COMMIT
    ) -> Commit:
        """Settle one command now; ``tenure`` is as in `Submission`."""
        self.now += SECOND
        submission = Submission(f"s{self.position.seq + 1}", seat, command, self.now, expected, tenure=tenure)
        commit, after = settle(self.game, self.position, submission, self.now, self.chance, self._clock)
        sealed = seal(self.name, commit, self.position.head, self.seed, last=after.over)
        self.log.append(Stored(sealed.seq, sealed.at, sealed.release, sealed.head, sealed.header, sealed.body))
        self.position = after.on(sealed.head)
        return commit

    def step(self) -> Commit:
        """Begin, or answer the first pending question. Raises `Deadlock` without one."""
        if self.position.seq == 0:
            return self.begin()
        if not self.position.asked:
            raise Deadlock(f"after commit {self.position.seq}")
        asked = self.position.asked[0]
        seat, table = asked.question.seat, self.position.table
        assert table is not None
        if seat == SYSTEM:
            self.now = max(self.now, asked.due or 0)  # a calendar's day ends at this instant
            return self.say(SYSTEM, {"type": "expire", "question": asked.id})
        if table.controller(seat) == PLAYER:
            return self.say(seat, self.choice(asked))
        return self.say(SYSTEM, {"type": "act", "question": asked.id, **self._thought(asked)})

    def _thought(self, asked: OpenQuestion) -> Mapping[str, Any]:
        seat, name = asked.question.seat, self.speakers[asked.question.seat]
        if not bots.thinks(name):
            return {}
        dice = self.chance.aside("bot", self.position.seq + 1)
        choice = bots.choose(self.game, name, self.position.state, seat, dice)
        return {"choice": choice, "bot": name, "release": RELEASE, "worth": bots.THINKING[name], "moved": asked.moved}

    def choice(self, asked: OpenQuestion) -> Mapping[str, Any]:
        """The command of the bot that plays a player's seat."""
        seat = asked.question.seat
        return bots.choose(self.game, self.speakers[seat], self.position.state, seat, self.aside)

    def run(self, limit: int = 100_000) -> Position:
        """Play to the end, or until there are ``limit`` commits."""
        while not self.over and self.position.seq < limit:
            self.step()
        return self.position

    def export(self, signer: Signer | None = None) -> bytes:
        """The game as an export file; headers only if it is not over."""
        setup, seed = build_setup(self._beginning(), self.line), self.seed if self.over else None
        return b"".join(build_lines(setup, self.log, seed, signer=signer, dice=self.chance.script))
