"""Analyzes one moment of a game. The result depends only on that moment, so any worker in any order finds the same."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from domain.kernel.dice import Aside
from domain.kernel.errors import RuleViolation
from domain.kernel.options import count
from domain.kernel.shape import build
from domain.kernel.terms import SYSTEM
from domain.table.bots import analyst
from domain.table.bots.chances import Chances, by_outcome, chances, luck
from domain.table.bots.judging import Judgement, Tried, judge
from domain.table.bots.search import LEVELS
from service.features.analysis.moments import AnalysisMoment, ReplayedGame

DECIMALS = 4
"""Decimals of the published values, few enough that all machines agree."""
SAMPLES: Mapping[int, int] = {1: 16, 2: 32, 3: 64}
"""Samples of chance for a commit that depended on it, by level."""

MomentResult = dict[str, Any]
"""JSON: ``seq``, and ``chances``, ``decision`` and ``luck`` where they apply."""


def evaluate_moment(walk: ReplayedGame, moment: AnalysisMoment, level: int) -> MomentResult:
    """The results for a moment. Its randomness depends only on game, seq and level."""
    found: MomentResult = {"seq": moment.seq}
    outcome_chances = _compute_chances(walk, moment, level)
    if moment.outcome is not None or moment.after is not moment.before:
        found["chances"] = _round(outcome_chances)
    if moment.command is None or moment.command.get("type") not in walk.game.rules.commands:
        return found
    decision = _judge_decision(walk, moment, level)
    if decision is not None:
        found["decision"] = decision
    if moment.used_chance and moment.outcome is None:
        try:
            found["luck"] = _measure_luck(walk, moment, outcome_chances, level)
        except RuleViolation:  # the commit was decided under other rules, which allowed a command that these refuse
            found["luck"] = None
    return found


def _compute_chances(walk: ReplayedGame, moment: AnalysisMoment, level: int) -> Chances:
    """Winning chances from the real state: the game is over, so nothing is secret."""
    game = walk.game
    if moment.outcome is not None:
        return by_outcome(game, moment.after, walk.seats, moment.outcome)
    return chances(game, analyst(game), moment.after, walk.seats, _build_dice(walk, moment, level, "chances"))


def _measure_luck(walk: ReplayedGame, moment: AnalysisMoment, outcome_chances: Chances, level: int) -> Any:
    game, dice = walk.game, _build_dice(walk, moment, level, "luck")
    assert moment.command is not None
    command = build(game.rules.commands, moment.command)
    luck_, doubt = luck(game, analyst(game), moment.before, moment.seat, command, outcome_chances, dice, SAMPLES[level])
    return {"by": _round(luck_), "doubt": _round(doubt)}


def _judge_decision(walk: ReplayedGame, moment: AnalysisMoment, level: int) -> MomentResult | None:
    """The judgement of a decision over states that look the same to the seat. None if there was no choice."""
    game, seat, command = walk.game, moment.seat, moment.command
    if seat == SYSTEM or moment.question is None or command is None:
        return None
    dice = _build_dice(walk, moment, level, "decision")
    imagined = game.knowledge.imagine(moment.before, seat, dice)
    options = game.rules.replies(imagined, seat)
    if command["type"] in game.rules.unasked or sum(map(count, options)) < 2:
        return None
    result: MomentResult = {"seat": seat, "by": moment.by, "question": moment.question.kind}
    try:
        judged = judge(game, analyst(game), imagined, seat, command, dice, LEVELS[level])
    except RuleViolation:
        return {**result, "played": {"command": dict(command)}, "tried": [], "loss": None}
    return {**result, **_build_judgement(judged)}


def _build_judgement(judged: Judgement) -> MomentResult:
    return {
        "played": {
            "command": dict(judged.played.command),
            "trials": judged.played.trials,
            "expected": round(judged.played.expected, DECIMALS),
        },
        "tried": [_build_candidate(each) for each in judged.tried],
        "loss": round(judged.loss, DECIMALS),
    }


def _build_candidate(tried: Tried) -> MomentResult:
    return {
        "command": dict(tried.command),
        "trials": tried.trials,
        "expected": round(tried.expected, DECIMALS),
        "ahead": round(tried.ahead, DECIMALS),
        "doubt": None if tried.doubt is None else round(tried.doubt, DECIMALS),
        "surely_ahead": tried.surely_ahead,
    }


def _round(chances_: Chances) -> list[float]:
    return [round(each, DECIMALS) for each in chances_]


def _build_dice(walk: ReplayedGame, moment: AnalysisMoment, level: int, what: str) -> Aside:
    seed = f"oraclewheel/analysis/1 {walk.id} {level} {moment.seq} {what}"
    return Aside(hashlib.sha256(seed.encode()).digest())
