"""Random games: no card is lost, the log folds to the state, Options agree with the rules, and secrets stay secret."""

from __future__ import annotations

import json

import pytest

from domain.games.battalia.game import BATTALIA
from domain.kernel.dice import Dice
from domain.kernel.options import pick
from domain.kernel.terms import SYSTEM
from domain.table.folding import replay
from service.core.positions.rows import as_bytes
from tests.battalia.random_play import events_of, is_offered, json_of, mutations, refusal_of, scrambled, steps
from tests.soaking import sample

GAMES = [
    (2, 1, {}),
    (3, 2, {"unbound_units": True, "quick_setup": False}),
    (
        4,
        3,
        {
            "modules": ("stormgates",),
            "movement": "basic",
            "neutral_strength": 2,
            "ruins_strength": 10,
            "victory_cities": 4,
        },
    ),
    (3, 5, {"ruleset": "creation_v1", "quick_setup": False, "neutral_strength": 2}),
]


def check(position, dice):
    """Check all properties of a position."""
    state = position.state
    assert BATTALIA.rules.faults(state) == []
    if position.over:
        assert BATTALIA.rules.outcome(state) is not None
        assert as_bytes([BATTALIA.knowledge.private(state, seat) for seat in state.players])
        assert BATTALIA.presentation.board(BATTALIA.title, json.loads(as_bytes(BATTALIA.knowledge.view(state))), {})
        return
    for seat in sorted(state.players):
        options = list(BATTALIA.rules.legal(state, seat))
        imagined = BATTALIA.knowledge.imagine(state, seat, Dice(b"one"))
        assert BATTALIA.rules.faults(imagined) == []
        assert BATTALIA.knowledge.imagine(state, seat, Dice(b"two")) == BATTALIA.knowledge.imagine(
            imagined, seat, Dice(b"two")
        )
        assert BATTALIA.knowledge.view(imagined) == BATTALIA.knowledge.view(state)
        assert BATTALIA.knowledge.private(imagined, seat) == BATTALIA.knowledge.private(state, seat)
        assert json_of(options) == json_of(BATTALIA.rules.legal(imagined, seat))
        if not options:
            continue
        other = scrambled(state)
        assert json_of(options) == json_of(BATTALIA.rules.legal(other, seat))
        for _ in range(4):
            command = pick(options, dice)
            assert events_of(state, seat, command) == events_of(other, seat, command)
            assert refusal_of(state, seat, command) is None, command
            assert is_offered(options, command)
        for command in mutations(state, seat, options, dice):
            refusal = refusal_of(state, seat, command)
            assert is_offered(options, command) == (refusal is None), (command, refusal)
            assert refusal == refusal_of(imagined, seat, command)


def play(seats, seed, cap, every=1, **options):
    dice = Dice(b"checks %d" % seed)
    commits, position = [], None
    for position, commit in steps(seats, seed, cap=cap, **options):
        commits.append(commit)
        if position.over or position.seq % every == 0:
            check(position, dice)
        else:
            assert BATTALIA.rules.faults(position.state) == []
    again = replay(BATTALIA, commits)
    assert again.state == position.state
    assert again == position
    return position


@pytest.mark.parametrize(("seats", "seed", "options"), sample(GAMES, 4))
def test_random_game_passes_all_checks(seats, seed, options):
    play(seats, seed, cap=160, every=5, **options)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(60))
def test_many_random_games_pass_all_checks(seed):
    words = {
        "quick_setup": bool(seed % 2),
        "movement": ("advanced", "basic")[seed // 2 % 2],
        "unbound_units": bool(seed // 3 % 2),
        "victory_cities": (5, 4)[seed // 4 % 2],
        "max_weeks": (0, 3)[seed // 11 % 2],
    }
    neutral = {"neutral_strength": (0, 2)[seed // 5 % 2], "ruins_strength": (8, 10)[seed // 7 % 2]}
    # In the newest ruleset these options need the Stormgates.
    words |= ({"ruleset": "creation_v1", **neutral}, {"modules": ("stormgates",), **neutral}, {})[seed % 5 % 3]
    assert play(2 + seed % 3, 100 + seed, cap=6000, every=5, **words).over


def test_system_has_only_questions_of_the_day():
    for position, _ in steps(2, 9, cap=150):
        for asked in position.asked:
            assert (asked.question.seat == SYSTEM) == (asked.question.kind == "day")
