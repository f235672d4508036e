"""The rules in one process: random legal play, the cost of modules, folding a whole log."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import orjson

from bench.load.whole import finished, long_game, random_commands, seed, table
from bench.measure import Row, Sample, core_seconds
from domain.kernel.dice import Aside, Dice
from domain.kernel.game.rules import Setup
from domain.kernel.options import pick
from domain.kernel.record import Position
from domain.kernel.terms import SYSTEM
from domain.registry import GAMES
from domain.table import bots
from service.audit.auditor import audit
from service.core.positions.cache import fold
from tools.simulation.selfplay import SelfPlay

PLAY = {
    key: Row(f"random legal play, every Option built: {key}", limit, "commands/s of a core", at_least=True)
    for key, limit in {"battalia": 4000, "fronela": 8000, "nim": 1000}.items()
}
RECORDED = Row("a recorded game audited: fronela", 1000, "commits/s of a core", at_least=True)
RECORDING = Path(__file__).parents[2] / "tests" / "recordings" / "fronela-4-history.ndjson"
"""Never regenerated, so that results of different commits compare; random play changes with what games offer."""
MODULES = Row("a command with every module, against none: battalia", 1.5, "times", at_least=False)
THOUGHT = Row("decisions of search:1 in whole games: battalia for two", 1000, "a minute of a core", at_least=True)
FOLD = Row("a whole log folded, decoding included: battalia", 100_000, "events/s of a core", at_least=True)


def measure() -> Iterator[Sample]:
    """Every row once, in CPU seconds of this process."""
    for key, row in PLAY.items():
        done, taken = zip(*(_played(GAMES[key], number) for number in range(3)), strict=True)
        yield row.got(sum(done) / sum(taken), f"{sum(done):,} commands of {len(done)} games")
    yield _recorded()
    yield _modules()
    yield _thought()
    fronela = [finished(GAMES["fronela"], number) for number in range(3)]
    beside = _folded([(play.game, play.log) for play in fronela])[1]
    play = long_game(2000)
    events, rate = _folded([(play.game, play.log)])
    yield FOLD.got(rate, f"{len(play.log):,} commits, {events:,} events; three games of fronela: {beside:,.0f}/s")


def _played(game, number: int) -> tuple[int, float]:
    play, done = table(game, max(s for s in game.rules.seats if s <= 4), number), 0
    dice = Dice(seed(number))

    def commands() -> None:
        nonlocal done
        done = random_commands(play, dice, 3000)

    taken = core_seconds(commands)
    return done, taken


def _recorded() -> Sample:
    data = RECORDING.read_bytes()
    rates = []
    for _ in range(3):
        begun = time.process_time()
        report = audit(data)
        rates.append(report.facts["commits"] / (time.process_time() - begun))
        assert report.is_ok, report.verdict
    return RECORDED.got(statistics.median(rates), f"{report.facts['commits']:,} commits, the median of three")


def _modules() -> Sample:
    """The cost of a command once every module is active, in pairs of games one after the other."""
    game = GAMES["battalia"]
    pairs = [(_late(game, number), _late(game, number, tuple(game.rules.modules))) for number in range(10, 20)]
    ratio = statistics.median(base / full for base, full in pairs)
    base, full = (statistics.median(each) for each in zip(*pairs, strict=True))
    return MODULES.got(ratio, f"{full:,.0f}/s against {base:,.0f}/s")


def _late(game, number: int, modules: tuple[str, ...] = ()) -> float:
    """Commands per second of random play after forty turns each, most of them passed."""
    play, dice = table(game, 4, number, modules), Dice(seed(number))
    play.begin()
    while not play.over and play.position.seq < 40 * 4:
        asked = play.position.asked[0]
        if asked.question.seat == SYSTEM or dice.below(4):
            play.say(SYSTEM, {"type": "expire", "question": asked.id})
        else:
            play.say(asked.question.seat, pick(game.rules.replies(play.position.state, asked.question.seat), dice))
    begun = time.process_time()
    done = random_commands(play, dice, 400)
    return done / (time.process_time() - begun)


def _thought() -> Sample:
    """The average cost of a decision in two games against the greedy player, including trivial decisions."""
    game, count, taken = GAMES["battalia"], 0, 0.0
    for number in range(2):
        play = SelfPlay(game, Setup(2, game.rules.rulesets[0]), ("player:greedy", "player:greedy"), seed(number))
        aside = Aside(seed(number))
        while not play.over:
            asked = play.position.asked[0].question.seat if play.position.asked else SYSTEM
            if asked != number + 1:
                play.step()
                continue
            since = time.process_time()
            said = bots.choose(game, "search:1", play.position.state, asked, aside)
            taken += time.process_time() - since
            count += 1
            play.say(asked, said)
    return THOUGHT.got(60 * count / taken, f"{1000 * taken / count:.0f} ms each, of {count} in two games")


def _folded(games) -> tuple[int, float]:
    events = sum(len(orjson.loads(stored.body).get("events", ())) for _, log in games for stored in log)
    taken = core_seconds(lambda: [fold(game, Position(), log) for game, log in games])
    return events, events / taken
