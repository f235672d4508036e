"""Games of pennies that contain everything an audit must check."""

from functools import cache

from domain.kernel.game.rules import Setup
from domain.kernel.terms import SYSTEM, Seat
from service.store.founding import FORM
from service.store.seal import Signer
from tests.pennies import PENNIES
from tools.simulation.selfplay import SelfPlay

GAMES = {"pennies": PENNIES}
SIGNER = Signer(b"k" * 32)
CONTROLLERS = ("player:greedy", "bot:random", "player:random")


def table(points=4, controllers=CONTROLLERS, seed=b"x" * 32, script=None, pace=None, form=FORM):
    setup = Setup(len(controllers), "", {"points": points})
    return SelfPlay(PENNIES, setup, controllers, seed, "g7", script, pace, form)


def eventful(points=4, form=FORM):
    """A running game with every kind of refusal (rules, out of turn, malformed, stale, too late) and a resignation."""
    game = table(points, form=form)
    game.begin()
    game.say(Seat(1), {"type": "hide", "pennies": 99})
    game.say(Seat(1), {"type": "hide", "pennies": 1}, expected=1)
    game.say(Seat(1), {"type": "hide", "pennies": 1})
    game.say(Seat(3), {"type": "hide", "pennies": "many"})
    game.say(Seat(3), {"type": "hide", "pennies": 1}, expected=1)
    game.say(Seat(3), {"type": "dance"})
    game.say(SYSTEM, {"type": "expire", "question": "1:0:1"})
    game.step()
    game.say(Seat(3), {"type": "resign"})
    return game


@cache
def finished(points=4, form=FORM):
    """The export of an eventful game, played to the end and signed."""
    game = eventful(points, form)
    game.run()
    return game.export(SIGNER)


@cache
def running(form=FORM):
    """The export of a running game."""
    return eventful(form=form).export(SIGNER)
