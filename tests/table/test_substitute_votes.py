"""Votes on a substitute, and votes while seats change hands."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from domain.kernel.game.rules import Setup
from domain.kernel.options import commands
from domain.kernel.terms import HOUR, SYSTEM, Seat
from domain.table import features
from domain.table.feature import Moment
from domain.table.folding import replay
from domain.table.seats import SeatTaken
from domain.table.votes.newcomers import SubstituteProposed, SubstituteRejected, VoterJoined, VoterLeft
from service.audit.auditor import audit
from service.core.history.lines import decode_commit
from service.store.codec import decode_position, encode_position
from tests.audit.games import SIGNER
from tests.pennies import PENNIES
from tests.soaking import sample
from tests.table.test_votes import (
    ABORT,
    CLOCKED,
    FOUR,
    NO,
    ONE,
    THREE,
    TWO,
    YES,
    InPairs,
    ballot,
    call,
    code,
    happened,
)
from tools.simulation.selfplay import SelfPlay

RESIGN = {"type": "resign"}
ASK = {"type": "propose_substitute", "seat": 3}
TAKE = {"type": "take_seat", "seat": 3}


def begun(seats=3, game=PENNIES, points=3, **table):
    pace = table.pop("pace", CLOCKED)
    settings = features.complete_settings({"substitutes": "vote", "missed_limit": 1, **table})
    made = SelfPlay(
        game, Setup(seats, "", {"points": points}), ["player"] * seats, b"x" * 32, pace=pace, table=settings
    )
    made.begin()
    return made


def miss(game, seat):
    asked = next(each for each in game.position.asked if each.question.seat == seat and each.question.serial >= 0)
    game.now = max(game.now, asked.due)
    return game.say(SYSTEM, {"type": "expire", "question": asked.id})


def say(game, seat, command):
    """Sends a command of the seat's current player."""
    taken = game.position.table.memories["chairs"].taken.get(seat, 0)
    return game.say(seat, command, tenure=taken)


def test_majority_vote_gives_the_seat_to_the_substitute():
    game = begun(4)
    game.say(THREE, RESIGN)
    asked = game.say(SYSTEM, ASK)
    assert (SubstituteProposed(THREE, (ONE, TWO, FOUR), asked.at + 48 * HOUR),) == asked.events
    assert "bot:greedy" == game.position.table.controller(THREE)
    game.say(ONE, YES)
    given = game.say(FOUR, YES)

    assert ["VoteCast", "SubstituteAccepted", "SeatTaken"] == happened(given)
    assert "player" == game.position.table.controller(THREE)
    assert ballot(game) is None


def test_timeout_counts_as_no_and_another_substitute_may_be_proposed():
    game = begun()
    game.say(THREE, RESIGN)
    game.say(SYSTEM, ASK)
    votes = [asked for asked in game.position.asked if asked.question.kind == "vote"]
    assert {"vote": "substitute", "vacant": 3} == votes[0].question.about
    game.now = votes[0].due
    game.say(SYSTEM, {"type": "expire", "question": votes[0].id})

    assert code(game.say(SYSTEM, {"type": "expire", "question": votes[1].id})) == "already-answered"
    assert SubstituteRejected(THREE, "voted") in [e for each in game.log for e in decode_commit(PENNIES, each).events]
    assert game.say(SYSTEM, ASK).refusal is None


def test_substitute_takes_the_seat_without_a_vote_if_no_player_is_left():
    game = begun(seats=3)
    for seat in (ONE, TWO, THREE):
        game.say(seat, RESIGN)

    assert (SeatTaken(THREE),) == game.say(SYSTEM, ASK).events


def test_substitute_is_refused_for_an_occupied_seat_or_during_a_vote():
    game = begun()
    assert "seat-not-vacant" == code(game.say(SYSTEM, ASK))
    game.say(THREE, RESIGN)
    game.say(ONE, ABORT)
    assert "not-now" == code(game.say(SYSTEM, ASK))
    game.say(ONE, NO)
    game.say(SYSTEM, ASK)
    assert "not-now" == code(game.say(SYSTEM, ASK))
    assert "not-now" == code(game.say(ONE, ABORT))


def test_player_may_not_call_a_vote_on_a_substitute():
    game = begun()
    game.say(THREE, RESIGN)
    assert ("malformed", "kind") == (code(r := game.say(ONE, call("substitute", seat=3))), r.refusal.field)
    moment = Moment(PENNIES, game.position, game.position.seq + 1, game.now)
    assert "substitute" not in {option.fixed.get("kind") for option in features.legal(moment, ONE)}


def test_vote_on_a_substitute_ends_when_the_seat_is_taken_back():
    game = begun()
    game.say(THREE, RESIGN)
    game.say(SYSTEM, ASK)
    back = game.say(SYSTEM, TAKE)

    assert (SeatTaken(THREE), SubstituteRejected(THREE, "back")) == back.events
    assert ballot(game) is None


def test_withdrawal_must_name_the_pending_vote():
    game = begun()
    game.say(THREE, RESIGN)
    asked = game.say(SYSTEM, ASK)
    for seat, vote in ((2, asked.seq), (3, asked.seq + 1), (3, 0)):
        assert "no-vote" == code(game.say(SYSTEM, {"type": "withdraw_substitute", "seat": seat, "vote": vote}))
    gone = game.say(SYSTEM, {"type": "withdraw_substitute", "seat": 3, "vote": asked.seq})
    assert (SubstituteRejected(THREE, "withdrawn"),) == gone.events


def test_proposing_a_substitute_is_refused_at_a_table_without_votes():
    game = begun(votes="off")
    game.say(THREE, RESIGN)
    assert "not-here" == code(game.say(SYSTEM, ASK))


# -- players who take a seat during a vote ------------------------------------------------------------------------------


def test_player_who_takes_a_seat_joins_the_pending_vote():
    game = begun()
    game.say(THREE, RESIGN)
    game.say(ONE, ABORT)
    taken = game.say(SYSTEM, TAKE)

    assert (SeatTaken(THREE), VoterJoined(THREE)) == taken.events
    asked = {each.question.seat: each.due for each in game.position.asked if each.question.kind == "vote"}
    assert {TWO: ballot(game).due, THREE: ballot(game).due} == asked
    say(game, TWO, YES)
    assert not game.position.over, "all are asked, the newcomer among them"
    say(game, THREE, YES)
    assert game.position.over


def test_vote_of_a_vacated_seat_is_dropped_when_it_is_taken():
    game = begun()
    game.say(ONE, ABORT)
    game.say(THREE, YES)
    missed = miss(game, THREE)
    assert VoterLeft(THREE) == missed.events[-1]
    assert ((ONE, TWO), (ONE,)) == (ballot(game).voters, ballot(game).agreed)
    game.say(SYSTEM, TAKE)
    assert ((ONE, TWO, THREE), (ONE,)) == (ballot(game).voters, ballot(game).agreed)


def test_new_player_may_not_vote_if_newcomers_vote_is_off():
    game = begun(newcomers_vote="off")
    game.say(THREE, RESIGN)
    game.say(ONE, ABORT)

    assert (SeatTaken(THREE),) == game.say(SYSTEM, TAKE).events
    assert "not-your-vote" == code(say(game, THREE, YES))


def test_new_player_does_not_join_a_concession_vote_that_their_team_wins():
    game = begun(4, game=replace(PENNIES, rules=InPairs()))
    game.say(FOUR, RESIGN)
    called = game.say(ONE, call("concede", seat=2))
    assert ((ONE, THREE), (TWO, FOUR)) == (called.events[0].voters, called.events[0].left_out)
    assert (SeatTaken(FOUR),) == game.say(SYSTEM, {"type": "take_seat", "seat": 4}).events


@pytest.mark.parametrize("number", sample(range(12), 3))
def test_random_games_with_votes_on_substitutes_pass_the_audit(number):
    chance = random.Random(number)
    game, seats = begun(4, points=12), tuple(map(Seat, (1, 2, 3, 4)))
    for _ in range(160):
        if game.position.over:
            break
        one_step(game, chance, seats)
        assert decode_position(PENNIES.rules, encode_position(game.position)) == game.position
    game.now += 1000 * HOUR
    while not game.position.over:
        for seat in seats:
            if game.position.table.is_played(seat):
                say(game, seat, RESIGN)
        if not game.position.over:
            game.step()
    report = audit(game.export(SIGNER), games={"pennies": PENNIES})

    assert () == report.divergences
    assert replay(PENNIES, [decode_commit(PENNIES, each) for each in game.log]).table == game.position.table


def one_step(game, chance, seats):
    """One random action: play, resign, miss a turn, vote, request a seat, withdraw the request, or return."""
    seat, what = chance.choice(seats), chance.random()
    position = game.position
    if what < 0.1:
        game.say(SYSTEM, {"type": chance.choice(["propose_substitute", "take_seat"]), "seat": seat})
    elif what < 0.13 and ballot(game) is not None:
        vote = chance.choice([ballot(game).seq, 1])
        game.say(SYSTEM, {"type": "withdraw_substitute", "seat": seat, "vote": vote})
    elif what < 0.2 and position.table.is_played(seat):
        say(game, seat, RESIGN)
    elif what < 0.3 and position.asked:
        asked = chance.choice(position.asked)
        if asked.due is not None:
            game.now = max(game.now, asked.due)
            game.say(SYSTEM, {"type": "expire", "question": asked.id})
    elif position.table.is_played(seat):
        moment = Moment(PENNIES, position, position.seq + 1, game.now)
        options = [each for each in features.legal(moment, seat) if each.type in ("call_vote", "cast_vote")]
        options += (
            PENNIES.rules.legal(position.state, seat) if any(a.question.seat == seat for a in position.asked) else []
        )
        offered = [each for option in options for each in list(commands(option))[:20]]
        offered = [each for each in offered if each.get("kind") not in ("abort", "concede") or chance.random() < 0.1]
        if offered:
            say(game, seat, chance.choice(offered))
    else:
        asked = next((each for each in position.asked if each.question.seat == seat), None)
        if asked is not None:
            game.say(SYSTEM, {"type": "act", "question": asked.id})
