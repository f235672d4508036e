"""The rules in one process: random legal play, folding, auditing."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import orjson

from bench.measure import Result, median, seconds
from bench.whole import long_game, random_commands, seed, table
from domain.dice import Dice
from domain.options import pick
from domain.play.record import Position
from domain.registry import GAMES
from domain.terms import SYSTEM
from service.audit.auditor import audit
from service.projections.positions.cache import folded

SHORT = 300
"""Commits of three games; of a game with fewer, such as Nim, the figure would be what opening a file costs."""


def results() -> Iterator[Result]:
    """Random play of every game; folding and auditing of Battalia."""
    for key, game in GAMES.items():
        rates = [_rate(game, number) for number in range(5)]
        yield Result(
            f"random legal play, every Option built: {key}", statistics.median(rates), 1000, "commands/s", True
        )
        if game.modules:
            yield _modules(key, game)
    play = long_game(2000)
    events = sum(len(orjson.loads(stored.body).get("events", ())) for stored in play.log)
    fold = median(lambda: seconds(lambda: folded(play.game, Position(), play.log)))
    yield Result(
        "folding a whole log, decoding included", events / fold, 20_000, "events/s", True, f"{len(play.log)} commits"
    )
    for key, game in GAMES.items():
        plays = [_finished(game, number) for number in range(3)]
        commits = sum(len(one.log) for one in plays)
        if commits < SHORT:
            continue
        files = [one.export() for one in plays]
        taken = median(lambda files=files: seconds(lambda: [_right(file) for file in files]))
        yield Result(f"audit of an export, re-deciding included: {key}", commits / taken, 2000, "commits/s", True)


def _modules(key: str, game) -> Result:
    """What a command costs once every module has come to the table, in pairs of games one after the other."""
    pairs = [(_late(game, number), _late(game, number, tuple(game.modules))) for number in range(10, 25)]
    ratio = statistics.median(base / full for base, full in pairs)
    base, full = (statistics.median(each) for each in zip(*pairs, strict=True))
    detail = f"{full:.0f}/s against {base:.0f}/s"
    return Result(f"a command with every module, against none: {key}", ratio, 1.5, "times", False, detail)


def _late(game, number: int, modules: tuple[str, ...] = ()) -> float:
    """Commands a second of random play after forty turns each, most of them passed."""
    play, dice = table(game, 4, number, modules), Dice(seed(number))
    play.begin()
    while not play.over and play.position.seq < 40 * 4:
        asked = play.position.asked[0]
        if asked.question.seat == SYSTEM or dice.below(4):
            play.say(SYSTEM, {"type": "expire", "question": asked.id})
        else:
            play.say(asked.question.seat, pick(game.legal(play.position.state, asked.question.seat), dice))
    begun = time.perf_counter()
    done = random_commands(play, dice, 400)
    return done / (time.perf_counter() - begun)


def _rate(game, number: int) -> float:
    play = table(game, max(s for s in game.seats if s <= 4), number)
    begun = time.perf_counter()
    done = random_commands(play, Dice(seed(number)), 3000)
    return done / (time.perf_counter() - begun)


def _finished(game, number: int):
    play = table(game, max(s for s in game.seats if s <= 4), number)
    random_commands(play, Dice(seed(number)), 100_000)
    return play


def _right(file: bytes) -> None:
    report = audit(file)
    if not report.ok:
        raise RuntimeError(report.verdict)
