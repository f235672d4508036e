"""Games to be recorded in which every table feature is used."""

from __future__ import annotations

from domain.kernel.game.rules import Setup
from domain.registry import GAMES
from tests.pennies import PENNIES
from tests.table.undo.by_post import DAY, ByPost

SOFIA = {"zone": "Europe/Sofia", "weekends": ["saturday", "sunday"], "holidays": ["2026-03-18"]}
BY_QUESTION = {"mode": "per_question", "hours": 6, "bank_hours": 20, "increment_hours": 3, **SOFIA}
BY_CALENDAR = {"mode": "calendar", "day": "PT24H", "at": "18:00", **SOFIA}
TABLE = {"undo": "free", "missed_limit": 3, "vacation_days": 14, "give_time": 40}
EVERYWHERE = ("said", "undone", "vote_called", "vote_cast", "seat_resigned", "seat_taken", "vacation_announced")
BY_QUESTIONS = (*EVERYWHERE, "clocks_stopped", "clocks_started", "time_given", "reserve_begun", "vacation_ended")
BY_DAYS = (*EVERYWHERE, "turn_missed", "vacation_begun")


class Away(ByPost):
    """A player who goes on vacation also chooses a substitute, where the pace offers the choice."""

    def _away(self, seat):
        self._named += 1
        begins = self.play.now + self.luck.below(2 * DAY)
        told = {"seat": seat, "vacation": f"v{self._named}", "begins": begins, "ends": begins + 2 * DAY}
        plays = self.luck.choose(("orders", "default", "sitter"))
        if self.play.pace["mode"] == "calendar" and plays != "orders":
            told["plays"] = plays
        return self.counted(self.tell(0, {"type": "announce_vacation", **told}))


def by_post(kind, seats, pace, wanted, modules=(), tries=200, **options):
    """The first of many games that ends by its own rules after all these events."""
    game = PENNIES if kind == "pennies" else GAMES[kind]
    for seed in range(tries):
        setup = game.rules.check(Setup(seats, "", options, modules))
        post = Away(game, setup, seed, table=TABLE, pace=pace, bot="greedy", one_in=3, until=250)
        while not post.play.over and post.position.seq < 1500:
            post.look(post.step())
        export = post.play.export()
        if all(f'"type":"{name}"'.encode() in export for name in wanted) and post.play.over:
            outcome = post.position.table.outcome
            if outcome.reason in ("points", "weeks", "cities", "full-map", "no-square"):
                return post.play
    raise AssertionError(f"none of {tries} games has everything")


RECORDINGS = {
    "pennies-by-post": lambda: by_post("pennies", 3, BY_QUESTION, BY_QUESTIONS, points=6),
    "battalia-3-by-post": lambda: by_post("battalia", 3, BY_QUESTION, BY_QUESTIONS, ("rammoth",), max_weeks=1),
    "battalia-3-by-post-calendar": lambda: by_post("battalia", 3, BY_CALENDAR, BY_DAYS, ("keeper",), max_weeks=1),
}
