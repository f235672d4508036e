"""What is taken back at once has told nobody anything: whoever could not know a secret could have foreseen all they were shown."""

from __future__ import annotations

import pytest

from domain.battalia.game import BATTALIA
from domain.dice import Dice
from domain.errors import RuleViolation
from domain.fronela.game import FRONELA
from domain.game import Setup
from domain.play.parts import around
from domain.play.parts.part import Moment
from domain.shape import build
from domain.terms import SYSTEM, Seat, Seq
from tests.undo.whole import Wavering

IMAGINED = 3
"""States in which a command is tried for each reader."""


def shown(game, events, seat):
    return [line for event in events if (line := game.reveal(event, seat)) is not None]


def harmless(game, setup, seed, commits, bot="random"):
    """The commits of a game that could be taken back at once as far as secrets go, each with the position before it."""
    play = Wavering(game, setup, seed, bot=bot, until=0)
    while not play.play.over and play.position.seq < commits:
        before = play.position
        commit = play.step()
        play.look(commit)
        if before.seq and play.position.bars.told != commit.seq and commit.seat != SYSTEM and not play.play.over:
            yield before, commit


@pytest.mark.parametrize(
    ("game", "seats", "modules", "bot"),
    [
        (BATTALIA, 4, tuple(BATTALIA.modules), "greedy"),
        (BATTALIA, 2, (), "random"),
        (FRONELA, 4, (), "random"),
    ],
    ids=["battalia with all modules", "battalia", "fronela"],
)
def test_a_commit_that_tells_no_secret_shows_the_same_whatever_the_secrets_are(game, seats, modules, bot):
    looked = 0
    for seed in range(4):
        setup = game.check(Setup(seats, "", {}, modules))
        for before, commit in harmless(game, setup, seed, 250, bot):
            command = commit.submission.command
            if command["type"] in game.unasked or around.COMMANDS.get(command["type"]):
                continue
            for reader in [None, *map(Seat, range(1, seats + 1))]:
                for number in range(IMAGINED):
                    other = game.imagine(before.state, reader, Dice(bytes([number]) * 32))
                    real = shown(game, commit.events, reader)
                    try:
                        events = game.decide(other, commit.seat, build(game.commands, command), Dice(bytes(32)))
                    except RuleViolation as refused:
                        pytest.fail(f"{commit.seat} says {command}, which {reader} knows now was possible: {refused}")
                    assert real == shown(game, events, reader), (commit.seat, command, reader)
                    looked += 1

    assert looked > 20


def test_a_secret_order_and_a_refused_command_of_anothers_are_answered_alike():
    game, setup = FRONELA, FRONELA.check(Setup(4, ""))
    answers = []
    for said in ("hold", "no such stance"):
        play = Wavering(game, setup, 1, until=0)
        while not play.commits or not alone(play.commits[-1], play.position):
            play.look(play.step())
        seat = play.commits[-1].seat
        other = Seat(seat % 4 + 1)
        nation = play.position.state.tables.seats[other][0]
        answered = play.play.say(other, {"type": "set_stance", "nation": nation, "stance": said})
        moment = Moment(game, play.position, Seq(play.position.seq + 1), play.play.now)
        first = play.commits[-1].seq
        wished = play.play.say(seat, {"type": "request_undo", "seq": first})
        answers.append((around.legal(moment, seat), wished.events, answered.refusal is None))

    assert answers[0][:2] == answers[1][:2]
    assert [True, False] == [accepted for _, _, accepted in answers], "the test would see a difference"
    assert ["UndoRequested"] == [type(event).__name__ for event in answers[0][1]]


def alone(commit, position):
    """Whether a player could take the last commit back at once."""
    return commit.seq > 1 and commit.seat != SYSTEM and position.bars.told != commit.seq
