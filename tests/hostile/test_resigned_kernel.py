"""The kernel refuses commands of a resigned seat; older games stay as they were decided."""

import orjson
import pytest

from domain.games.fronela.game import FRONELA
from domain.kernel import lifecycle
from domain.kernel.game.rules import Setup
from domain.kernel.record import Position
from domain.kernel.terms import SYSTEM, Seat
from domain.registry import GAMES
from domain.table.folding import fold
from domain.table.redecide import redecide
from service.store.codec import UnknownEvent, canonical, decode_commit, decode_position, encode_position
from tests.pennies import PENNIES
from tools.simulation.selfplay import SelfPlay

ONE, TWO = Seat(1), Seat(2)


class Older(SelfPlay):
    """A game that began before tables had named rules."""

    def _beginning(self):
        told = super()._beginning()
        told.pop("table_rules", None)
        return told


def begun(game=PENNIES, controllers=("player:greedy", "player:greedy"), kind=SelfPlay, **options):
    """Begin a game."""
    played = kind(game, Setup(len(controllers), game.rules.rulesets[0], options), controllers, b"r" * 32)
    played.begin()
    return played


def said_by(played, seat, command, **told):
    """Send a command; return the code of its refusal, or None."""
    refusal = played.say(seat, command, **told).refusal
    return None if refusal is None else refusal.code


@pytest.mark.parametrize(
    "command",
    [{"type": "hide", "pennies": 0}, {"type": "hide", "pennies": 77}, {"type": "resign"}, {"type": "no_such_thing"}],
)
def test_every_command_of_a_resigned_seat_is_refused(command):
    played = begun()
    played.say(ONE, {"type": "resign"})
    before = played.position

    assert "played-by-bot" == said_by(played, ONE, command)
    assert "played-by-bot" == said_by(played, ONE, command, expected=1), "not even whether it was stale"
    assert (before.state, before.asked, before.drawn) == (
        played.position.state,
        played.position.asked,
        played.position.drawn,
    )
    assert played.say(TWO, {"type": "hide", "pennies": 0}).refusal is None


def test_command_of_a_bot_seat_or_a_nonexistent_seat_is_refused():
    played = begun(controllers=("player", "bot:greedy"))

    assert "played-by-bot" == said_by(played, TWO, {"type": "hide", "pennies": 0})
    assert "played-by-bot" == said_by(played, TWO, {"type": "resign"})
    assert "played-by-bot" == said_by(played, Seat(7), {"type": "resign"})


def test_bot_of_a_resigned_seat_still_answers():
    played = begun()
    played.say(ONE, {"type": "resign"})
    question = next(asked.id for asked in played.position.asked if asked.question.seat == ONE)

    commit = played.say(SYSTEM, {"type": "act", "question": question})

    assert ("bot", ONE, None) == (commit.by, commit.seat, commit.refusal)


@pytest.mark.parametrize("kind", ["battalia", "fronela"])
def test_unrequested_commands_of_a_resigned_seat_are_refused_too(kind):
    game = GAMES[kind]
    played = begun(game, ("player:greedy",) * 4)
    played.say(TWO, {"type": "resign"})
    offered = list(game.rules.legal(played.position.state, TWO))

    for type_ in sorted({*game.rules.commands, *(option.type for option in offered)}):
        assert "played-by-bot" == said_by(played, TWO, {"type": type_}), type_
    assert set(FRONELA.rules.unasked) <= set(FRONELA.rules.commands), "orders that need no question were among them"
    assert FRONELA.rules.unasked


def test_older_game_keeps_its_rules_for_a_resigned_seat():
    played = begun(kind=Older)
    played.say(ONE, {"type": "resign"})

    assert "not-your-turn" == said_by(played, ONE, {"type": "resign"})
    assert said_by(played, ONE, {"type": "hide", "pennies": 0}) is None


@pytest.mark.parametrize("kind", [Older, SelfPlay])
def test_older_and_newer_games_are_decided_again_with_the_same_result(kind):
    played = begun(kind=kind, points=2)
    played.say(ONE, {"type": "resign"})
    played.say(ONE, {"type": "hide", "pennies": 0})
    played.run()
    position = Position()
    refusals = []
    for stored in played.log:
        body = orjson.loads(stored.body)
        commit = decode_commit(PENNIES, stored.seq, stored.at, stored.release, body)
        again, after = redecide(PENNIES, position, commit, played.chance)
        assert (commit.events, commit.refusal) == (again.events, again.refusal)
        refusals += [] if commit.refusal is None else [commit.refusal.code]
        position = decode_position(PENNIES.rules, encode_position(fold(PENNIES, position, commit)))
        assert after.table == position.table

    assert ([] if kind is Older else ["played-by-bot"]) == refusals


def test_start_of_an_older_game_is_decoded_with_the_oldest_table_rules():
    played = begun(kind=Older)
    document = orjson.loads(played.log[0].body)
    document["events"][0].pop("table_rules")

    commit = decode_commit(PENNIES, 1, 0, "0", document)

    assert lifecycle.OLDEST == commit.events[0].table_rules
    packed = orjson.loads(canonical(encode_position(played.position)))
    packed["table"].pop("table_rules")
    assert played.position == decode_position(PENNIES.rules, packed)


def test_table_rules_of_a_newer_release_are_rejected():
    played = begun()
    document = orjson.loads(played.log[0].body)
    document["events"][0]["table_rules"] = "table_v99"

    with pytest.raises(UnknownEvent):
        decode_commit(PENNIES, 1, 0, "0", document)

    class Newer(SelfPlay):
        def _beginning(self):
            return {**super()._beginning(), "table_rules": "table_v99"}

    told = Newer(PENNIES, Setup(2, PENNIES.rules.rulesets[0], {}), ("player", "player"), b"r" * 32).begin()
    assert "table_rules" == told.refusal.field
