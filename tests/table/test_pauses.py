"""A vote pauses the clocks, and then every player who could vote to resume them resigns."""

from domain.kernel.terms import HOUR, SYSTEM
from domain.table import features
from domain.table.votes.ballot import PauseLifted
from service.audit.auditor import audit
from tests.audit.games import SIGNER
from tests.pennies import PENNIES
from tests.table.test_votes import CLOCKED, ONE, THREE, TWO, YES, call, called_by, due, happened, seated, timed

RESIGN = {"type": "resign"}


def paused(game):
    """The game after its players paused the clocks, two hours passed, and seat 3 resigned."""
    game.say(ONE, call("pause"))
    game.say(TWO, YES)
    game.now += 2 * HOUR
    game.say(THREE, RESIGN)
    return game


def stands(game):
    return [each.why for each in game.position.table.memories["clocks"].standing]


def test_clocks_resume_with_the_time_left_when_the_last_player_resigns():
    game = timed()
    before = due(game, ONE)
    game.say(ONE, call("pause"))
    stopped = game.say(TWO, YES).at
    game.now += 2 * HOUR
    game.say(THREE, RESIGN)
    assert "PauseLifted" not in happened(game.say(TWO, RESIGN)), "seat 1 may still call a vote"
    last = game.say(ONE, RESIGN)

    assert ["SeatResigned", "PauseLifted", "ClocksStarted"] == happened(last)
    assert before + last.at - stopped == due(game, ONE)
    assert [] == stands(game)
    assert not game.position.table.memories["votes"].paused


def test_pending_vote_fails_before_the_clocks_resume():
    game = paused(timed())
    game.say(ONE, call("resume"))
    game.say(TWO, RESIGN)
    assert ["vote"] != stands(game), "seat 1 alone has agreed"

    game = paused(timed())
    game.say(TWO, call("abort"))
    game.say(TWO, {"type": "cast_vote", "agree": False})
    game.say(ONE, call("more_time", seat=2, hours=1))
    game.say(TWO, RESIGN)
    assert "PauseLifted" in happened(game.say(ONE, RESIGN))


def test_substitute_may_call_a_vote_to_pause_the_resumed_clocks():
    game = paused(seated(CLOCKED))
    game.say(TWO, RESIGN)
    game.say(ONE, RESIGN)
    assert game.say(SYSTEM, {"type": "take_seat", "seat": 3}).refusal is None

    kinds = {option.fixed["kind"] for option in called_by(game, THREE)}
    assert "pause" in kinds
    assert "resume" not in kinds


def test_game_with_an_automatic_resume_ends_and_passes_the_audit():
    game = paused(timed())
    game.say(TWO, RESIGN)
    assert PauseLifted() in game.say(ONE, RESIGN).events
    game.run()

    assert game.position.over
    assert () == audit(game.export(SIGNER), games={"pennies": PENNIES}).divergences


def test_clocks_stay_paused_in_a_game_with_older_table_rules(monkeypatch):
    monkeypatch.setattr(features, "newest_rules", lambda: "table_v2")
    game = paused(timed())
    game.say(TWO, RESIGN)

    assert ["SeatResigned"] == happened(game.say(ONE, RESIGN))
    assert ["vote"] == stands(game)
