"""Complete games with every table feature and random undos pass the audit."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from domain.games.battalia.game import BATTALIA
from domain.games.fronela.game import FRONELA
from domain.games.nim.game import NIM
from domain.kernel.dice import Dice
from domain.kernel.game.rules import Setup
from service.audit.auditor import audit
from tests.pennies import PENNIES
from tests.soaking import soak
from tests.table.undo.by_post import ByPost

KNOWN = {game.key: game for game in (BATTALIA, FRONELA, NIM, PENNIES)}
DAYS_OFF = {"zone": "Europe/Sofia", "weekends": ["saturday", "sunday"], "holidays": ["2026-03-18"]}
CALENDAR = {"mode": "calendar", "day": "PT24H", "at": "18:00", "zone": "Europe/Sofia"}
PACES = (
    {"mode": "free"},
    {"mode": "per_question", "hours": 24},
    {"mode": "per_question", "hours": 6, "bank_hours": 20, "increment_hours": 3, **DAYS_OFF},
)
BY_DAYS = (CALENDAR, {**CALENDAR, **DAYS_OFF})
OPTIONS = {"pennies": {"points": 20}}
MOST = 20_000
"""The most commits of a game that ends."""

SHORT = {"nim": 10, "pennies": 2}
"""Factor for the number of games of kinds that end so soon that little happens in each."""


def drawn(kind, seed):
    """A game whose modules, pace and table settings are drawn from a seed."""
    luck, game = Dice(b"by post" + seed.to_bytes(25, "big")), KNOWN[kind]
    battalia = kind == "battalia"
    modules = tuple(name for name in sorted(BATTALIA.rules.modules) if name != "stormgates" and luck.below(2))
    seats = luck.choose({"battalia": (2, 3, 4), "pennies": (2, 3), "fronela": (4,), "nim": (2,)}[kind])
    options = {"max_weeks": 1} if battalia and luck.below(2) else OPTIONS.get(kind, {})
    setup = game.rules.check(Setup(seats, "", options, modules if battalia else ()))
    table = {
        "undo": luck.choose(("consent", "free", "free")),
        "on_timeout": luck.choose(("default", "random", "bot")),
        "missed_limit": luck.choose((0, 2, 3)),
        "on_resign": luck.choose(("bot", "leave")) if game.rules.departs else "bot",
        "vacation_days": luck.choose((0, 14)),
        "give_time": 40,
    }
    bot = luck.choose([name for name in ("random", "greedy") if name in ("random", *game.bots.by_name)])
    pace, one_in = luck.choose((*PACES, *BY_DAYS) if battalia else PACES), luck.choose((2, 3, 5))
    return ByPost(game, setup, seed, table=table, pace=pace, bot=bot, one_in=one_in, until=400)


def played(kind, seed):
    """The game, checked after every commit and audited."""
    game = drawn(kind, seed)
    while not game.play.over:
        assert game.position.seq < MOST
        game.look(game.step())
    report = audit(game.play.export(), games=KNOWN)
    assert report.is_ok, (kind, seed, report.divergences)
    return game


def done_in(games):
    """How often each kind of command was accepted in these games."""
    done = Counter()
    for game in games:
        done.update(game.done)
        done["undone"] += len(game.granted)
    return done


@pytest.mark.parametrize(("kind", "seeds"), [("pennies", 5), *soak(("battalia", 5), ("fronela", 2), ("nim", 5))])
def test_games_with_table_features_and_random_undos_pass_the_audit(kind, seeds):
    done = done_in([played(kind, seed) for seed in range(seeds)])

    assert done["undone"] > 3, done


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", list(KNOWN))
def test_many_games_use_every_table_feature_with_random_undos(kind):
    many = int(os.environ.get("UNDO_GAMES", "75")) * SHORT.get(kind, 1)
    done = done_in(played(kind, seed) for seed in range(many))

    wanted = (
        "call_vote cast_vote say announce_vacation recall_vacation resign take_seat put_off give_time expire undone"
    )
    assert not [name for name in wanted.split() if not done[name]], done
