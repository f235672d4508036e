"""Complete games with random undos, with all invariants checked after each commit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.kernel.dice import Dice
from domain.kernel.game import AnyGame
from domain.kernel.game.rules import Setup
from domain.kernel.options import pick
from domain.kernel.record import Commit, PastNotKept, Position
from domain.kernel.terms import Seat, Seq
from domain.table import features
from domain.table.feature import Moment
from domain.table.folding import fold
from domain.table.undo import Undone
from service.store.codec import decode_position, encode_position, plain
from tools.simulation.selfplay import SelfPlay


class Wavering:
    """A game played by bots that undo at random."""

    def __init__(
        self,
        game: AnyGame,
        setup: Setup,
        seed: int,
        *,
        undo: str = "consent",
        bot: str = "random",
        one_in: int = 8,
        until: int = 400,
        pace: Mapping[str, Any] | None = None,
    ) -> None:
        """One of `one_in` commands is an undo request, up to commit `until`."""
        luck = seed.to_bytes(32, "big")
        self.luck = Dice(luck)
        self.one_in, self.until = one_in, until
        self.play = SelfPlay(game, setup, [f"player:{bot}"] * setup.seats, luck, pace=pace, table={"undo": undo})
        self.stood = [Position()]
        """The position after each commit."""
        self.ids: set[str] = set()
        """The ids of all questions ever asked."""
        self.commits: list[Commit] = []
        self.granted: list[tuple[Commit, Undone]] = []
        self.refreshed = 0
        """How often the position was replaced by one decoded from storage."""

    @property
    def position(self) -> Position:
        return self.play.position

    def run(self) -> None:
        while not self.play.over:
            self.look(self.step())

    def step(self) -> Commit:
        if self.position.seq and self.position.seq < self.until:
            if self.luck.below(20) == 0:
                self.refresh()
            asked = [each.question.seat for each in self.position.asked if each.question.kind == "undo"]
            if asked and self.luck.below(8):
                return self.waver(self.luck.choose(asked), "answer_undo") or self.play.step()
            if self.luck.below(self.one_in) == 0:
                seat = Seat(1 + self.luck.below(len(self.play.speakers)))
                return self.waver(seat, "request_undo") or self.play.step()
        return self.play.step()

    def waver(self, seat: Seat, type_: str) -> Commit | None:
        """The seat requests an undo, or answers another's request."""
        moment = Moment(self.play.game, self.position, Seq(self.position.seq + 1), self.play.now)
        offered = [each for each in features.legal(moment, seat) if each.type == type_]
        if not offered:
            return None
        command = pick(offered, self.luck)
        if type_ == "answer_undo" and self.luck.below(6):
            command["agree"] = True  # otherwise, with many seats, almost no request would be granted
        own = self.position.bars.acted[seat]
        if type_ == "request_undo" and offered[0].open[0].min <= own <= offered[0].open[0].max and self.luck.below(3):
            command["seq"] = own  # the seat's last action, as most players request
        return self.say(seat, command)

    def say(self, seat: Seat, command: dict[str, Any]) -> Commit:
        try:
            commit = self.play.say(seat, command)
        except PastNotKept as far:
            assert self.position.past.since > far.seq
            self.play.position = self.stood[-1]
            commit = self.play.say(seat, command)
        assert commit.refusal is None, (seat, command, commit.refusal)
        return commit

    def refresh(self) -> None:
        """Continue with the position as a snapshot restores it, without its past."""
        self.play.position = decode_position(self.play.game.rules, plain(encode_position(self.position)))
        assert self.position == self.stood[-1]
        self.refreshed += 1

    def look(self, commit: Commit) -> None:
        """Check the invariants after a commit."""
        before, after = self.stood[-1], self.position
        folded = fold(self.play.game, before, commit).on(after.head)
        assert folded == after, "folding comes to what was decided"
        assert after.drawn >= before.drawn, "dice never go back"
        self.stood.append(folded)
        self.commits.append(commit)
        for event in commit.events:
            if isinstance(event, Undone):
                self.granted.append((commit, event))
                self.taken_back(event, commit, before, after)
        stands = {asked.id for asked in before.asked}
        for asked in after.asked:
            assert asked.id in stands or asked.id not in self.ids, "no id of a question is used twice"
        self.ids |= {asked.id for asked in after.asked}
        assert not list(self.play.game.rules.faults(after.state))

    def taken_back(self, event: Undone, commit: Commit, before: Position, after: Position) -> None:
        then = self.stood[event.first - 1]
        assert after.state == then.state, "it stands again as it stood"
        questions = [asked.question for asked in after.asked if asked.question.serial >= 0]
        assert questions == list(self.play.game.rules.awaiting(after.state))
        assert event.last == commit.seq - 1
        assert (before.drawn, before.rolled) == (after.drawn, after.rolled)
        if not event.agreed:
            taken = self.commits[event.first - 1 : event.last]
            assert then.drawn == before.drawn, "what was drawn is not taken back at once"
            others = {each.seat for each in taken if each.refusal is None and _plays(each)} - {event.seat, 0}
            mode = self.position.table.memories["undo"].mode
            assert mode == "free" or not others, "nor what others have done"


def _plays(commit: Commit) -> bool:
    return any(type(event) not in features.EVENTS.values() for event in commit.events)
