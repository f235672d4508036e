"""Votes: the voters, the required majority, the deadline, and the result."""

import json
from dataclasses import replace

import pytest

from domain.kernel.game.rules import Setup
from domain.kernel.lifecycle import GameEnded
from domain.kernel.options import commands
from domain.kernel.terms import HOUR, SYSTEM, Seat
from domain.table import features
from domain.table.feature import Moment
from domain.table.folding import replay
from domain.table.votes.ballot import KINDS, Ballot, VoteCarried, VoteFailed, VoteKind
from service.audit.auditor import audit
from service.core.history.lines import decode_commit
from tests.audit import forger
from tests.audit.forger import event
from tests.audit.games import SIGNER
from tests.pennies import PENNIES, PenniesRules
from tools.simulation.selfplay import SelfPlay

ONE, TWO, THREE, FOUR = map(Seat, (1, 2, 3, 4))
ABORT = {"type": "call_vote", "kind": "abort"}
YES, NO = ({"type": "cast_vote", "agree": agree} for agree in (True, False))


class InPairs(PenniesRules):
    """Pennies in which opposite seats are allies, and every standing is 7 points."""

    def allies(self, state, seat):
        return [Seat((seat + 1) % 4 + 1)]

    def standings(self, state):
        return dict.fromkeys((ONE, TWO, THREE, FOUR), 7)


def begun(*controllers, game=PENNIES, pace=None):
    controllers = controllers or ("player", "player", "player")
    table = SelfPlay(
        game, Setup(len(controllers), "", {"points": 3}), controllers, b"x" * 32, pace=pace, table={"votes": "on"}
    )
    table.begin()
    return table


def concede(seat):
    return {"type": "call_vote", "kind": "concede", "seat": seat}


def ballot(game):
    return game.position.table.memories["votes"].ballot


def happened(commit):
    return [type(each).__name__ for each in commit.events]


def code(commit):
    return commit.refusal.code


def test_game_aborted_by_all_players_has_no_winner_and_reveals_its_seed():
    game = begun("player", "player", "bot:greedy")
    called = game.say(TWO, ABORT)
    over = game.say(ONE, YES)

    assert (ONE, TWO) == called.events[0].voters, "no bot is asked"
    assert ["VoteCast", "VoteCarried", "GameEnded"] == happened(over)
    assert GameEnded("aborted", "", (), {}) == over.events[-1]
    assert game.position.over and () == game.position.asked
    assert "seed" in json.loads(game.log[-1].body)


def test_player_alone_against_bots_aborts_without_a_vote():
    over = begun("player", "bot:greedy").say(ONE, ABORT)

    assert isinstance(over.events[-1], GameEnded)


def test_one_no_rejects_a_unanimous_vote_and_the_game_continues():
    game = begun()
    game.say(ONE, ABORT)
    failed = game.say(THREE, NO)

    assert [VoteFailed("abort")] == list(failed.events[1:])
    assert ballot(game) is None and not game.position.over
    assert ["hide"] * 3 == [asked.question.kind for asked in game.position.asked]


def test_timeout_of_a_vote_counts_as_no():
    game = begun(pace={"mode": "free"})
    game.say(ONE, ABORT)
    game.say(TWO, YES)
    asked = next(asked for asked in game.position.asked if asked.question.kind == "vote")
    game.now = asked.due
    lapsed = game.say(SYSTEM, {"type": "expire", "question": asked.id})

    assert (THREE, "policy") == (lapsed.seat, lapsed.by)
    assert ["VoteCast", "VoteFailed"] == happened(lapsed)


def test_seat_wins_when_all_other_players_concede_to_it():
    game = begun()
    called = game.say(ONE, concede(2))
    heard = game.say(TWO, YES)
    over = game.say(THREE, YES)

    assert (ONE, THREE) == called.events[0].voters
    assert "not-your-vote" == code(heard)
    assert GameEnded("conceded", "", (TWO,), {}) == over.events[-1]


def test_allies_win_together_when_the_others_concede_and_points_are_kept():
    game = begun(*["player"] * 4, game=replace(PENNIES, rules=InPairs()))
    called = game.say(ONE, concede(2))
    over = game.say(THREE, YES)

    assert (ONE, THREE) == called.events[0].voters
    assert GameEnded("conceded", "", (TWO, FOUR), dict.fromkeys((ONE, TWO, THREE, FOUR), 7)) == over.events[-1]


@pytest.mark.parametrize(
    ("command", "field"),
    [
        ({"type": "call_vote", "kind": "concede"}, "seat"),
        (concede(1), "seat"),
        (concede(3), "seat"),
        (concede(0), "seat"),
        (concede(5), "seat"),
        (concede(-1), "seat"),
        ({**ABORT, "seat": 2}, "seat"),
        ({"type": "call_vote", "kind": "dance"}, "kind"),
        ({"type": "call_vote"}, "kind"),
        (concede("2"), "seat"),
        ({"type": "cast_vote", "agree": 1}, "agree"),
    ],
)
def test_malformed_vote_or_vote_on_a_wrong_seat_is_refused_by_field(command, field):
    game = begun(*["player"] * 4, game=replace(PENNIES, rules=InPairs()))

    assert field == game.say(ONE, command).refusal.field


def test_second_vote_repeated_vote_or_vote_without_a_ballot_is_refused():
    game = begun()

    assert "no-vote" == code(game.say(ONE, YES))
    game.say(ONE, ABORT)
    assert "not-now" == code(game.say(TWO, concede(1)))
    assert "not-now" == code(game.say(ONE, YES)), "the caller has agreed"


def test_caller_may_withdraw_a_vote_and_must_wait_before_the_same_kind():
    game = begun()
    game.say(ONE, ABORT)
    assert "VoteFailed" == happened(game.say(ONE, NO))[-1]

    early = game.say(ONE, ABORT)
    assert "not-now" == code(early)
    assert game.say(ONE, concede(2)).refusal is None, "a vote of another kind"
    game.say(ONE, NO)
    assert game.say(TWO, ABORT).refusal is None, "a vote of somebody else"
    game.say(TWO, NO)
    game.now = early.refusal.facts["until"]
    assert game.say(ONE, ABORT).refusal is None


def test_resignation_of_the_last_undecided_voter_decides_the_vote():
    game = begun()
    game.say(ONE, ABORT)
    game.say(TWO, YES)
    resigned = game.say(THREE, {"type": "resign"})

    assert ["SeatResigned", "VoteCarried", "GameEnded"] == happened(resigned)


def test_vote_fails_when_no_voter_is_left():
    game = begun("player", "bot:greedy", "player")
    game.say(ONE, concede(3))
    assert game.position.over, "seat 1 alone is asked"

    game = begun("player", "player", "player")
    game.say(ONE, concede(2))
    game.say(ONE, {"type": "resign"})
    resigned = game.say(THREE, {"type": "resign"})
    assert ["SeatResigned", "VoteFailed"] == happened(resigned)


@pytest.mark.parametrize(
    ("voices", "agreed", "against", "result"),
    [
        (4, 2, 0, None),
        (4, 3, 0, True),
        (4, 2, 2, False),
        (4, 1, 2, False),
        (5, 3, 0, True),
        (5, 2, 2, None),
        (5, 2, 3, False),
    ],
)
def test_majority_is_more_than_half_and_a_vote_fails_when_it_is_out_of_reach(
    monkeypatch, voices, agreed, against, result
):
    monkeypatch.setitem(KINDS, "mostly", VoteKind("nothing", "everybody", "most", 1, 1))
    seats = tuple(map(Seat, range(1, voices + 1)))
    stands = Ballot(2, "mostly", ONE, seats, 0, None, seats[:agreed], seats[voices - against :])

    assert result is stands.result


def test_table_offers_the_votes_that_each_seat_may_call_or_cast():
    def offered(game, seat):
        moment = Moment(PENNIES, game.position, game.position.seq + 1, game.now)
        return [command for option in features.legal(moment, seat) for command in commands(option)]

    game = begun()
    assert [{"type": "resign"}, ABORT, concede(2), concede(3)] == offered(game, ONE)
    game.say(ONE, concede(2))
    assert [{"type": "resign"}, NO] == offered(game, ONE)
    assert [{"type": "resign"}] == offered(game, TWO)
    assert [{"type": "resign"}, YES, NO] == offered(game, THREE)


def test_view_shows_the_pending_ballot():
    game = begun()
    game.say(ONE, concede(2))
    shown = features.view(game.position.table)["votes"]["ballot"]

    due = game.now + 72 * HOUR
    assert {"seq": 2, "kind": "concede", "caller": 1, "favour": 2, "due": due, "needs": "all"}.items() <= shown.items()
    assert ([1, 3], [1], []) == (shown["voters"], shown["agreed"], shown["against"])


def voted_out():
    """A game that a vote ended after another vote failed, and its export."""
    game = begun()
    game.say(TWO, {"type": "hide", "pennies": 1})
    game.say(ONE, concede(2))
    game.say(THREE, NO)
    game.say(TWO, ABORT)
    asked = next(asked for asked in game.position.asked if asked.question.kind == "vote")
    game.say(SYSTEM, {"type": "put_off", "question": asked.id, "by": 60_000})
    game.say(ONE, YES)
    game.say(THREE, YES)
    assert VoteCarried("abort") in decode_commit(PENNIES, game.log[-1]).events
    return game, game.export(SIGNER)


def test_game_ended_by_a_vote_passes_the_audit():
    game, export = voted_out()
    report = audit(export, games={"pennies": PENNIES})

    assert () == report.divergences
    assert {"ok"} == {status for id_, status in report.statuses.items() if id_ < "AUD-14"}
    assert {"reason": "aborted", "clause": "", "winners": (), "scores": {}} == report.facts["outcome"]
    assert game.position.table == replay(PENNIES, [decode_commit(PENNIES, each) for each in game.log]).table


@pytest.mark.parametrize(
    "change",
    [
        lambda whole: whole.body(7)["submission"]["command"].update(agree=False),
        lambda whole: whole.body(6)["events"].pop(),
        lambda whole: event(whole.body(5), "vote_called").update(due=1),
        lambda whole: whole.body(5)["due"][0].__setitem__(1, 1),
        lambda whole: event(whole.body(8), "game_ended").update(winners=[2]),
        lambda whole: event(whole.body(8), "game_ended").update(reason="conceded"),
    ],
)
def test_audit_detects_a_forged_vote(change):
    whole = forger.Forger(voted_out()[1])
    change(whole)

    assert not audit(whole.file(), games={"pennies": PENNIES}).is_ok


CLOCKED = {"mode": "per_question", "hours": 10}


def timed(*controllers, pace=None):
    controllers = controllers or ("player", "player", "player")
    setup, table = Setup(len(controllers), "", {"points": 3}), {"votes": "on", "give_time": 168}
    game = SelfPlay(PENNIES, setup, controllers, b"x" * 32, pace=CLOCKED if pace is None else pace, table=table)
    game.begin()
    return game


def call(kind, **about):
    return {"type": "call_vote", "kind": kind, **about}


def due(game, seat):
    return next(
        asked.due for asked in game.position.asked if asked.question.seat == seat and asked.question.serial >= 0
    )


def test_majority_pauses_the_clocks_and_resumes_them_with_the_time_left():
    game = timed()
    before = due(game, ONE)
    game.say(ONE, call("pause"))
    stopped = game.say(TWO, YES)
    assert ["VoteCast", "VoteCarried", "ClocksStopped"] == happened(stopped)
    assert [None] * 3 == [due(game, seat) for seat in (ONE, TWO, THREE)]

    game.now += 5 * HOUR
    assert "not-now" == code(game.say(ONE, call("pause")))
    game.say(THREE, call("resume"))
    vote = next(asked for asked in game.position.asked if asked.question.kind == "vote")
    assert vote.due is not None, "a vote has its own time"
    assert ["VoteCast", "VoteCarried", "ClocksStarted"] == happened(game.say(ONE, YES))
    assert before + (game.now - stopped.at) == due(game, ONE)
    assert "not-now" == code(game.say(ONE, call("resume")))


def test_majority_of_the_others_gives_more_time_to_a_seat_that_requests_it():
    game = timed("player", "player", "player", "player")
    before = [due(game, seat) for seat in (ONE, TWO)]
    called = game.say(TWO, call("more_time", seat=2, hours=48))
    assert (ONE, THREE, FOUR) == called.events[0].voters
    game.say(ONE, YES)
    given = game.say(FOUR, YES)

    assert ["VoteCast", "VoteCarried", "TimeGiven"] == happened(given)
    assert [before[0], before[1] + 48 * HOUR] == [due(game, seat) for seat in (ONE, TWO)]


def test_one_no_of_two_voters_rejects_a_majority_vote():
    game = timed("player", "player", "bot:greedy")
    game.say(ONE, call("pause"))

    assert ["VoteCast", "VoteFailed"] == happened(game.say(TWO, NO))


@pytest.mark.parametrize(
    ("vote", "field"),
    [
        (call("pause", seat=1), "seat"),
        (call("pause", hours=1), "hours"),
        (call("concede", seat=2, hours=1), "hours"),
        (call("more_time"), "seat"),
        (call("more_time", hours=5), "seat"),
        (call("more_time", seat=4, hours=5), "seat"),
        (call("more_time", seat=3, hours=5), "seat"),
        (call("more_time", seat=2), "hours"),
        (call("more_time", seat=2, hours=0), "hours"),
        (call("more_time", seat=2, hours=721), "hours"),
        (call("more_time", seat=2, hours="5"), "hours"),
    ],
)
def test_invalid_clock_vote_is_refused_by_field(vote, field):
    game = timed()
    game.say(THREE, {"type": "hide", "pennies": 1})

    assert field == game.say(ONE, vote).refusal.field


@pytest.mark.parametrize("vote", [call("pause"), call("resume"), call("more_time", seat=2, hours=5)])
def test_clock_votes_are_refused_in_a_game_without_clocks(vote):
    game = timed(pace={"mode": "free"})

    assert ("bad-vote", "kind") == (code(refused := game.say(ONE, vote)), refused.refusal.field)
    assert {"abort", "concede"} == {option.fixed["kind"] for option in called_by(game, ONE)}


def called_by(game, seat):
    moment = Moment(PENNIES, game.position, game.position.seq + 1, game.now)
    return [option for option in features.legal(moment, seat) if option.type == "call_vote"]


def test_options_include_the_clock_votes():
    game = timed()
    kinds = {option.fixed["kind"]: option for option in called_by(game, ONE)}
    assert {"abort", "concede", "pause", "more_time"} == set(kinds)
    assert [("seat", (1, 2, 3)), ("hours", 1, 720)] == [
        (part.name, part.choices) if hasattr(part, "choices") else (part.name, part.min, part.max)
        for part in kinds["more_time"].open
    ]
    game.say(ONE, call("pause"))
    game.say(TWO, YES)
    assert {"abort", "concede", "resume"} == {option.fixed["kind"] for option in called_by(game, ONE)}


def test_game_with_clock_votes_passes_the_audit():
    game = timed("player:greedy", "player:greedy", "player:greedy")
    game.say(ONE, call("pause"))
    game.say(TWO, YES)
    game.say(ONE, {"type": "hide", "pennies": 1})
    game.now += 100 * HOUR
    game.say(ONE, call("resume"))
    game.say(THREE, YES)
    game.say(TWO, call("more_time", seat=2, hours=30))
    game.say(ONE, YES)
    game.say(THREE, YES)
    game.run()
    report = audit(game.export(SIGNER), games={"pennies": PENNIES})

    assert () == report.divergences
    assert "points" == report.facts["outcome"]["reason"]


SEATED = {"votes": "on", "give_time": 0, "on_timeout": "default", "missed_limit": 1, "on_resign": "bot"}


def seated(pace=None):
    setup, players = Setup(3, "", {"points": 3}), ["player"] * 3
    game = SelfPlay(PENNIES, setup, players, b"x" * 32, pace=pace, table=SEATED)
    game.begin()
    return game


def test_seat_vacated_by_missed_turns_has_no_vote():
    game = seated(CLOCKED)
    game.say(ONE, ABORT)
    game.say(TWO, YES)
    asked = next(each for each in game.position.asked if each.question.seat == THREE)
    game.now = asked.due
    missed = game.say(SYSTEM, {"type": "expire", "question": asked.id})

    assert ["SeatVacated", "VoteCarried", "GameEnded"] == happened(missed)[-3:]


def test_resigned_seat_that_is_taken_again_keeps_no_vote():
    game = seated()
    game.say(ONE, ABORT)
    game.say(THREE, YES)
    game.say(THREE, {"type": "resign"})
    game.say(SYSTEM, {"type": "take_seat", "seat": 3})

    assert ((ONE, TWO), (ONE,)) == (ballot(game).voters, ballot(game).agreed)
