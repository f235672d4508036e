"""The search bot in every game and with all modules: its commands are legal, and it beats the greedy bot."""

import pytest

from domain.kernel.dice import Aside
from domain.kernel.game.rules import Setup
from domain.kernel.shape import build
from domain.kernel.terms import SYSTEM
from domain.registry import GAMES
from domain.table import bots
from domain.table.bots import search
from service.audit.auditor import audit
from tests.soaking import sample
from tools.simulation.selfplay import SelfPlay

BATTALIA, FRONELA = GAMES["battalia"], GAMES["fronela"]
SETS = [
    ("battalia", 2, ()),
    *(("battalia", 4, (module,)) for module in BATTALIA.rules.modules if module != "stormgates"),
]
SETS += [("battalia", 6, tuple(BATTALIA.rules.modules))]
SETS += [(key, min(game.rules.seats), ()) for key, game in GAMES.items() if key != "battalia"]


def trying(game, worth):
    """A search bot with this budget."""

    def usual(state, seat, dice):
        return bots.choose(game, bots.stand_in(game), state, seat, dice)

    return lambda state, seat, dice: search.best(game, usual, state, seat, dice, worth)


def random_game(kind, seats, modules, seed):
    game = GAMES[kind]
    return SelfPlay(
        game, Setup(seats, game.rules.rulesets[0], {}, modules), ["player:random"] * seats, bytes([seed]) * 32
    )


def considered(kind, seats, modules, *, seed, every, most):
    """The commands that the search bot considers at some positions of a random game. It chooses one of them."""
    play = random_game(kind, seats, modules, seed)
    while not play.over and play.position.seq < most:
        if play.position.seq % every == 1 and (asked := play.position.asked[0].question.seat) != SYSTEM:
            game, dice = play.game, Aside(b"%d" % play.position.seq)
            imagined = game.knowledge.imagine(play.position.state, asked, dice)
            choice = bots.choose(game, bots.stand_in(game), imagined, asked, dice)
            for said in (choice, *search.other_commands(game, imagined, asked, choice, dice)):
                yield play, asked, said
        play.step()


@pytest.mark.parametrize(("kind", "seats", "modules"), sample(SETS, 4))
def test_commands_considered_by_the_search_bot_are_legal_in_the_real_state(kind, seats, modules):
    tried = 0
    for play, seat, said in considered(kind, seats, modules, seed=3, every=4, most=160):
        play.game.rules.decide(play.position.state, seat, build(play.game.rules.commands, said), Aside(b"x"))
        tried += 1

    assert tried


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("kind", "seats", "modules"), SETS)
def test_commands_considered_by_the_search_bot_are_legal_in_long_games(kind, seats, modules, seed):
    for play, seat, said in considered(kind, seats, modules, seed=seed, every=3, most=1000):
        play.game.rules.decide(play.position.state, seat, build(play.game.rules.commands, said), Aside(b"x"))


TWINS = [
    *(each for each in SETS if each[0] in ("battalia", "fronela")),
    ("battalia", 6, ("stormgates",)),
    ("battalia", 4, ("keeper", "unbound_buff")),
]


@pytest.mark.parametrize(("kind", "seats", "modules"), sample(TWINS, 3))
def test_states_that_look_the_same_to_a_seat_give_the_same_choice(kind, seats, modules):
    """Compares imagined states, candidates, and choices for the real state and for another that looks the same to the seat.

    Choices depend only on imagined states: `tests.table.test_search` checks that bots receive nothing else.
    """
    play, looked = random_game(kind, seats, modules, 5), 0
    while looked < 5:
        play.step()
        asked = play.position.asked[0].question.seat
        if asked == SYSTEM or play.position.seq % 25:
            continue
        looked += 1
        game, state = play.game, play.position.state
        said = []
        for each in (state, game.knowledge.imagine(state, asked, Aside(b"other"))):
            imagined = game.knowledge.imagine(each, asked, Aside(b"i"))
            choice = bots.choose(game, bots.stand_in(game), each, asked, Aside(b"u"))
            others = [*search.other_commands(game, imagined, asked, choice, Aside(b"o"))]
            said.append((imagined, choice, others, bots.choose(game, "search:1", each, asked, Aside(b"s"), 60)))
        assert said[0] == said[1]


def test_mulligan_candidate_depends_only_on_visible_information():
    play, seen = random_game("battalia", 2, (), 5), set()
    while len(seen) < 2:
        play.step()
        asked = play.position.asked[0].question.seat
        if asked == SYSTEM:
            continue
        told = [
            [command["type"] for _, command in play.game.bots.policy(each, asked)]
            for each in (play.position.state, play.game.knowledge.imagine(play.position.state, asked, Aside(b"other")))
        ]
        assert told[0] == told[1]
        seen.add("mulligan" in told[0])


def won(kind, number, *, bot="search:1", seats=2, **options):
    """The share of the win of one bot against greedy bots, and the game. The bot's seat changes from game to game."""
    game, own = GAMES[kind], number % seats
    sitting = ["bot:greedy"] * seats
    sitting[own] = f"bot:{bot}"
    play = SelfPlay(game, Setup(seats, game.rules.rulesets[0], options), sitting, bytes([number + 1]) * 32)
    play.run()
    return search.share(game, play.position.state, own + 1, play.position.table.outcome.winners), play


@pytest.mark.parametrize("modules", [(), ("keeper", "unbound_buff")])
def test_choice_of_an_adept_depends_only_on_visible_information(modules):
    play = random_game("battalia", 4, modules, 8)
    said = []
    while len(said) < 12:
        play.step()
        asked = play.position.asked[0].question.seat
        if asked == SYSTEM or play.position.seq % 10:
            continue
        state = play.position.state
        chosen = [
            play.game.bots.adept(play.game.knowledge.imagine(each, asked, Aside(b"i")), asked, Aside(b"s"))
            for each in (state, play.game.knowledge.imagine(state, asked, Aside(b"other")))
        ]
        assert chosen[0] == chosen[1]
        play.game.rules.decide(state, asked, build(play.game.rules.commands, chosen[0]), Aside(b"x"))
        said.append(chosen[0]["type"])

    assert "hide_card" in said


@pytest.mark.soak
def test_search_bot_beats_the_greedy_bot_in_two_short_audited_games(monkeypatch):
    monkeypatch.setattr(bots, "THINKING", {"search:0": 250})
    shares, games = zip(*(won("battalia", number, bot="search:0", max_weeks=2) for number in (1, 2)), strict=True)

    assert (1.0, 1.0) == shares
    assert [(), ()] == [audit(play.export()).divergences for play in games]


@pytest.mark.soak
def test_search_bot_beats_the_greedy_bot_in_most_games_of_battalia():
    assert 7 <= sum(won("battalia", number)[0] for number in range(10))
