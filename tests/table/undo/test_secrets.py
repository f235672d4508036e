"""Only commits that revealed nothing are undone at once: their events are the same for every state that a reader thinks
possible."""

from __future__ import annotations

import pytest

from domain.games.battalia.events import QuestionAsked
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.modules.unbound_buff.events import BetPlaced
from domain.games.fronela.game import FRONELA
from domain.games.fronela.phases.population import growth_areas
from domain.kernel.dice import Dice
from domain.kernel.errors import RuleViolation
from domain.kernel.game.rules import Setup
from domain.kernel.options import pick
from domain.kernel.shape import build
from domain.kernel.terms import SYSTEM, Seat, Seq
from domain.table import features
from domain.table.feature import Moment
from tests.soaking import soak
from tests.table.undo.whole import Wavering

UNSEEN = frozenset(("place_bet",))
"""Commands that only their own seat sees."""
IMAGINED = 3
"""Number of imagined states in which a command is tried for each reader."""


def shown(game, events, seat):
    return [line for event in events if (line := game.knowledge.reveal(event, seat)) is not None]


def give_random_orders(play, dice):
    """Every seat gives some standing orders."""
    game = play.play.game
    for seat in map(Seat, range(1, len(play.play.speakers) + 1)):
        for _ in range(6):
            options = [each for each in game.rules.legal(play.position.state, seat) if each.type in game.rules.unasked]
            if options:
                play.look(play.play.say(seat, pick([options[dice.below(len(options))]], dice)))


def harmless(game, setup, seed, commits, bot="random"):
    """The commits that reveal no secret and so could be undone at once, each with the position before it."""
    play = Wavering(game, setup, seed, bot=bot, until=0)
    play.look(play.step())
    give_random_orders(play, Dice(bytes([seed]) * 32))
    while not play.play.over and play.position.seq < commits:
        before = play.position
        commit = play.step()
        play.look(commit)
        if before.seq and play.position.bars.told != commit.seq and commit.seat != SYSTEM and not play.play.over:
            yield before, commit


@pytest.mark.parametrize(
    ("game", "seats", "modules", "bot"),
    [
        *soak((BATTALIA, 4, tuple(BATTALIA.rules.modules), "greedy")),
        (BATTALIA, 2, (), "random"),
        *soak((FRONELA, 4, (), "random")),
    ],
    ids=["battalia with all modules", "battalia", "fronela"],
)
def test_commit_that_reveals_no_secret_shows_the_same_for_any_secrets(game, seats, modules, bot):
    looked = 0
    for seed in range(4):
        setup = game.rules.check(Setup(seats, "", {}, modules))
        for before, commit in harmless(game, setup, seed, 250, bot):
            command = commit.submission.command
            if command["type"] in game.rules.unasked or features.COMMANDS.get(command["type"]):
                continue
            for reader in [None, *map(Seat, range(1, seats + 1))]:
                for number in range(IMAGINED):
                    other = game.knowledge.imagine(before.state, reader, Dice(bytes([number]) * 32))
                    real = shown(game, commit.events, reader)
                    said = build(game.rules.commands, command)
                    if command["type"] in UNSEEN and reader != commit.seat:
                        said = game.rules.default(
                            other, commit.seat, Dice(bytes(32))
                        )  # equivalent for a reader who cannot see it
                    try:
                        events = game.rules.decide(other, commit.seat, said, Dice(bytes(32)))
                    except RuleViolation as refused:
                        pytest.fail(f"{commit.seat} says {command}, which {reader} knows now was possible: {refused}")
                    assert real == shown(game, events, reader), (commit.seat, command, reader)
                    looked += 1

    assert looked > 20


def fronela_turn_without_growth(rules, monkeypatch):
    """The answer to an undo of the commit that ended a turn, when the next nation's secret order declined its growth."""
    monkeypatch.setattr(features, "newest_rules", lambda: rules)
    for seed in range(40):
        play = Wavering(FRONELA, FRONELA.rules.check(Setup(4, "")), seed, until=0)
        play.look(play.step())
        for seat in map(Seat, range(1, 5)):
            play.look(play.play.say(seat, {"type": "set_growth", "nation": "all", "growth": "decline"}))
        while play.position.seq < 60 and not play.play.over:
            before = play.position.drawn
            commit = play.step()
            play.look(commit)
            types = [type(event).__name__ for event in commit.events]
            bars = play.position.bars
            if (
                commit.seat == SYSTEM
                or "TurnBegun" not in types
                or before != play.position.drawn
                or not set(types) <= {"MovesEnded", "TurnBegun", "UnitsReadied", "Asked"}
                or bars.acted[commit.seat] != commit.seq
                or any(event.kind != "move" for event in commit.events if type(event).__name__ == "Asked")
            ):
                continue
            nations = [event.nation for event in commit.events if type(event).__name__ == "TurnBegun"]
            states = play.position.state
            if any(growth_areas(states, states.tables.nations[n]) for n in nations if n in states.tables.nations):
                return play.play.say(commit.seat, {"type": "request_undo", "seq": commit.seq}).events
    raise AssertionError("no such turn")


def test_undo_after_a_turn_without_growth_asks_the_others(monkeypatch):
    assert ["UndoRequested"] == [type(e).__name__ for e in fronela_turn_without_growth("table_v5", monkeypatch)]


def test_undo_at_a_table_of_older_rules_is_granted_at_once(monkeypatch):
    assert ["Undone"] == [type(e).__name__ for e in fronela_turn_without_growth("table_v4", monkeypatch)]


def bet_taken_back(rules, monkeypatch):
    """The answer to a player who undoes the first of two bets on the Unbound Buff."""
    monkeypatch.setattr(features, "newest_rules", lambda: rules)
    play = Wavering(BATTALIA, BATTALIA.rules.check(Setup(2, "", {}, ("unbound_buff",))), 3, until=0)
    while "bet" not in {asked.question.kind for asked in play.position.asked}:
        play.look(play.step())
    seat = play.position.asked[0].question.seat
    bet = play.play.say(seat, {"type": "place_bet", "cards": []})
    assert bet.refusal is None
    play.look(bet)
    return play.play.say(seat, {"type": "request_undo", "seq": bet.seq}).events


def test_undo_of_a_bet_before_the_reveal_is_granted_at_once(monkeypatch):
    assert ["Undone"] == [type(event).__name__ for event in bet_taken_back("table_v5", monkeypatch)]


def test_undo_of_a_bet_at_a_table_of_older_rules_asks_the_others(monkeypatch):
    assert ["UndoRequested"] == [type(event).__name__ for event in bet_taken_back("table_v4", monkeypatch)]


def test_bet_by_a_standing_order_discloses_that_there_is_one():
    asked, placed = QuestionAsked("bet", (1, 2), "BUF-01", {}, "unbound_buff"), BetPlaced(Seat(2), ())
    assert BATTALIA.knowledge.discloses([asked, placed])
    assert not BATTALIA.knowledge.discloses([placed])


def test_secret_order_and_refused_command_of_another_player_look_the_same():
    game, setup = FRONELA, FRONELA.rules.check(Setup(4, ""))
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
        answers.append((features.legal(moment, seat), wished.events, answered.refusal is None))

    assert answers[0][:2] == answers[1][:2]
    assert [True, False] == [accepted for _, _, accepted in answers], "the test would see a difference"
    assert ["UndoRequested"] == [type(event).__name__ for event in answers[0][1]]


def alone(commit, position):
    """Whether a player could undo the last commit at once."""
    return commit.seq > 1 and commit.seat != SYSTEM and position.bars.told != commit.seq
