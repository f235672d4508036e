"""Complete games with random use of every table feature, by players who undo at random."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from domain.kernel.game import AnyGame
from domain.kernel.game.rules import Setup
from domain.kernel.lifecycle import LEFT
from domain.kernel.options import pick
from domain.kernel.record import PLAN, SITTER, Commit, OpenQuestion, PastNotKept, Submission
from domain.kernel.terms import SYSTEM, Seat, Seq
from domain.table import features
from domain.table.feature import Moment
from domain.table.seats import SEATS
from domain.table.settle import settle
from domain.table.votes.ballot import ENDS
from service.core.pace.clock import waits_out_outages
from service.store.ports.commits import Stored
from service.store.seal import seal
from tests.table.undo.whole import Wavering
from tools.simulation.selfplay import SECOND, SelfPlay

HOUR = 3_600_000
DAY = 24 * HOUR


class Spoken(SelfPlay):
    """Self-play in which others than the seat's player may act for a seat."""

    def say(self, seat: Seat, command: Mapping[str, Any], *, expected: Seq | None = None, by: str = "player") -> Commit:
        self.now += SECOND
        chairs = SEATS.memory_at(self.position.table)
        tenure = Seq(0) if chairs is None else chairs.taken.get(seat, Seq(0))
        submission = Submission(f"s{self.position.seq + 1}", seat, command, self.now, expected, by=by, tenure=tenure)
        commit, after = settle(self.game, self.position, submission, self.now, self.chance, self._clock)
        if commit.fault is not None:
            raise commit.fault
        sealed = seal(self.name, commit, self.position.head, self.seed, last=after.over)
        self.log.append(Stored(sealed.seq, sealed.at, sealed.release, sealed.head, sealed.header, sealed.body))
        self.position = after.on(sealed.head)
        return commit


class ByPost(Wavering):
    """A game with every table feature: clocks, players who join and leave, and undo."""

    def __init__(
        self,
        game: AnyGame,
        setup: Setup,
        seed: int,
        *,
        table: Mapping[str, Any],
        pace: Mapping[str, Any],
        bot: str = "random",
        one_in: int = 6,
        until: int = 300,
    ) -> None:
        super().__init__(game, setup, seed, bot=bot, one_in=one_in, until=until)
        luck, chosen = seed.to_bytes(32, "big"), features.complete_settings(table)
        self.play = Spoken(game, setup, [f"player:{bot}"] * setup.seats, luck, pace=pace, table=chosen)
        self.done: Counter[str] = Counter()
        """How often each kind of command was accepted."""
        self._named = 0

    def step(self) -> Commit:
        position = self.position
        if not position.seq:
            return self.play.begin()
        if self.luck.below(20) == 0 and position.seq < self.until:
            self.refresh()
        if (late := self._late()) is not None:
            return self._ring(late)
        if position.seq < self.until and self.luck.below(self.one_in) == 0:
            done = self._around()
            if done is not None:
                return done
        return self._on()

    def _late(self) -> OpenQuestion | None:
        """The question that is due, if any; bots answer at once."""
        table = self.position.table
        for asked in self.position.asked:
            if asked.due is not None and asked.due <= self.play.now:
                return asked
            if asked.question.seat and not table.is_played(asked.question.seat):
                return asked
        return None

    def _ring(self, asked: OpenQuestion) -> Commit:
        seat, late = asked.question.seat, asked.due is not None and asked.due <= self.play.now
        if late and seat and waits_out_outages(self.play.pace) and self.luck.below(12) == 0:
            told = {"type": "put_off", "question": asked.id, "by": HOUR * (1 + self.luck.below(30))}
            return self.counted(self.tell(SYSTEM, told))
        nobody = bool(seat) and self.position.table.controller(seat) == LEFT
        return self.counted(self.tell(SYSTEM, {"type": "expire" if late or nobody else "act", "question": asked.id}))

    def _on(self) -> Commit:
        """A player answers, or time passes until something is due."""
        players = [
            asked
            for asked in self.position.asked
            if asked.question.serial >= 0 and self.position.table.is_played(asked.question.seat)
        ]
        later = [asked.due for asked in self.position.asked if asked.due is not None]
        if self.luck.below(4) == 0:
            self.play.now += self.luck.below(6 * HOUR)
        if not players and any(asked.held is not None for asked in self.position.asked):
            self.play.now += HOUR
            return self.counted(self.open_again())
        if later and (not players or self.luck.below(25) == 0):
            self.play.now = max(self.play.now, min(later))
            return self._ring(self._late())
        assert players, f"nobody who could answer is asked: {self.position.asked}"
        asked = self.luck.choose(players)
        by = (PLAN, SITTER, "player", "player", "player")[self.luck.below(5)]
        return self.tell(asked.question.seat, self.play.choice(asked), by=by)

    def open_again(self) -> Commit:
        """All clocks are stopped: a player calls a vote to resume, and others agree."""
        position = self.position
        votes = [asked for asked in position.asked if asked.question.kind == "vote"]
        if votes:
            agree = position.table.memories["votes"].ballot.kind == "resume"
            return self.tell(votes[0].question.seat, {"type": "cast_vote", "agree": agree})
        if self.luck.below(3) == 0:
            later = [asked.due for asked in position.asked if asked.due is not None]
            self.play.now = max([self.play.now, *later])
            if (late := self._late()) is not None:
                return self._ring(late)
        players = [seat for seat in self.play.speakers if position.table.is_played(seat)]
        if not players:
            return self._take(Seat(1)) or self.stuck()
        commit = self.tell(self.luck.choose(players), {"type": "call_vote", "kind": "resume"})
        if commit.refusal is not None:
            self.play.now += DAY  # a player whose vote failed waits until they may call one again
        return commit

    def stuck(self) -> Commit:
        raise AssertionError(f"clocks that stand for ever: {self.position.table.memories['clocks']}")

    def _around(self) -> Commit | None:
        """A command of a table feature."""
        ways = ["undo"] * 9 + ["answer"] * 5 + ["vote"] * 3 + ["talk", "away", "recall", "take", "take", "resign"]
        way = self.luck.choose(ways)
        seat = Seat(1 + self.luck.below(len(self.play.speakers)))
        if not self.position.table.is_played(seat) and way in ("undo", "vote", "talk", "resign"):
            return None
        return getattr(self, f"_{way}")(seat)

    def _undo(self, seat: Seat) -> Commit | None:
        return self.waver(seat, "request_undo")

    def _answer(self, _seat: Seat) -> Commit | None:
        asked = [each.question for each in self.position.asked if each.question.kind in ("undo", "vote")]
        if not asked:
            return None
        question = self.luck.choose(asked)
        if question.kind == "undo":
            return self.waver(question.seat, "answer_undo")
        ends = self.position.table.memories["votes"].ballot.kind in ENDS
        agree = self.luck.below(12) == 0 if ends else self.luck.below(3) > 0
        return self.counted(self.tell(question.seat, {"type": "cast_vote", "agree": agree}))

    def _vote(self, seat: Seat) -> Commit | None:
        moment = Moment(self.play.game, self.position, Seq(self.position.seq + 1), self.play.now)
        offered = [
            each for each in features.legal(moment, seat) if each.type in ("call_vote", "cast_vote", "give_time")
        ]
        if not offered:
            return None
        command = pick(offered, self.luck)
        if command.get("kind") in ENDS and self.luck.below(6):
            return None
        if command["type"] == "cast_vote" and self.position.table.memories["votes"].ballot.kind in ENDS:
            command["agree"] = False
        commit = self.tell(seat, command)
        return self.counted(commit)

    def _talk(self, seat: Seat) -> Commit | None:
        others = [each for each in self.play.speakers if each != seat]
        to = [self.luck.choose(others)] if self.luck.below(2) else []
        return self.counted(self.tell(seat, {"type": "say", "digest": "0" * 64, "to": to}))

    def _away(self, seat: Seat) -> Commit | None:
        self._named += 1
        begins = self.play.now + self.luck.below(3 * DAY)
        told = {
            "seat": seat,
            "vacation": f"v{self._named}",
            "begins": begins,
            "ends": begins + self.luck.below(3 * DAY),
        }
        return self.counted(self.tell(SYSTEM, {"type": "announce_vacation", **told}))

    def _recall(self, _seat: Seat) -> Commit | None:
        memory = self.position.table.memories["vacations"]
        aways = [*memory.planned, *memory.taken]
        if not aways:
            return None
        away = self.luck.choose(aways)
        return self.counted(
            self.tell(SYSTEM, {"type": "recall_vacation", "seat": away.seat, "vacation": away.vacation})
        )

    def _take(self, _seat: Seat) -> Commit | None:
        vacant = sorted(SEATS.memory_at(self.position.table).vacant)
        if not vacant:
            return None
        return self.counted(self.tell(SYSTEM, {"type": "take_seat", "seat": self.luck.choose(vacant)}))

    def _resign(self, seat: Seat) -> Commit | None:
        players = [each for each in self.play.speakers if self.position.table.is_played(each)]
        if len(players) < 3 - bool(self.luck.below(8) == 0):
            return None
        return self.counted(self.tell(seat, {"type": "resign"}))

    def counted(self, commit: Commit) -> Commit:
        name = commit.submission.command["type"]
        if commit.refusal is None:
            self.done[name] += 1
        return commit

    def tell(self, seat: Seat, command: Mapping[str, Any], by: str = "player") -> Commit:
        try:
            return self.play.say(seat, command, by=by)
        except PastNotKept:
            self.play.position = self.stood[-1]
            return self.play.say(seat, command, by=by)
