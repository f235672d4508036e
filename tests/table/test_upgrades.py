"""Votes on the rules of another release, which stored logs may contain: folding and redeciding give the same result."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.kernel.game.rules import Setup
from domain.kernel.record import Submission
from domain.kernel.terms import HOUR, SYSTEM, Seat
from domain.table import features
from domain.table.feature import Moment
from domain.table.folding import replay
from domain.table.settle import settle
from domain.table.votes.ballot import Upgraded, VoteCarried, VoteFailed
from domain.table.votes.upgrading import RulesProposed, RulesUpgraded
from domain.table.votes.voting import upgrade_of
from service.audit.auditor import audit
from service.core.history.lines import decode_commit
from service.store.codec import decode_position, encode_position
from tests.audit.games import SIGNER
from tests.pennies import PENNIES
from tests.table.test_votes import NO, ONE, THREE, TWO, YES, ballot, code, happened
from tools.simulation.selfplay import SelfPlay

HIDE = {"type": "hide", "pennies": 1}
OLD, NEW, NEWER = "0.1.0", "0.2.0", "0.3.0"
PROPOSE = {"type": "propose_rules", "left": OLD, "release": NEW, "differs": 5, "decided_by": OLD, "present": NEW}


def begun(*controllers, **table):
    made = SelfPlay(
        PENNIES,
        Setup(len(controllers), "", {"points": 3}),
        controllers,
        b"x" * 32,
        table={"votes": "on", **table},
    )
    made.begin()
    return made


def three(**table):
    return begun("player", "player", "player", **table)


def agreed():
    game = three(undo="consent")
    game.say(ONE, PROPOSE)
    game.say(TWO, YES)
    return game


def test_rules_upgrade_needs_the_consent_of_all_players():
    game = agreed()
    proposed = decode_commit(PENNIES, game.log[1])
    assert (RulesProposed(ONE, (ONE, TWO, THREE), proposed.at + 72 * HOUR, OLD, NEW, 5),) == proposed.events
    assert upgrade_of(game.position.table) is None
    carried = game.say(THREE, YES)

    assert (VoteCarried("upgrade_rules"), RulesUpgraded(OLD, NEW, 5)) == carried.events[1:]
    assert Upgraded(carried.seq, OLD, NEW, 5) == upgrade_of(game.position.table)


def test_upgrade_question_names_the_rules_and_the_first_differing_commit():
    game = three()
    game.say(ONE, PROPOSE)
    about = {"vote": "upgrade_rules", "by": 1, "left": OLD, "release": NEW, "differs": 5}
    asked = [each for each in game.position.asked if each.question.kind == "vote"]
    assert [(TWO, about), (THREE, about)] == [(each.question.seat, each.question.about) for each in asked]


@pytest.mark.parametrize("silent", [False, True])
def test_one_no_or_timeout_rejects_the_upgrade_and_its_caller_must_wait(silent):
    game = agreed()
    if silent:
        (asked,) = [each for each in game.position.asked if each.question.kind == "vote"]
        game.now = asked.due
        last = game.say(SYSTEM, {"type": "expire", "question": asked.id})
    else:
        last = game.say(THREE, NO)
    assert VoteFailed("upgrade_rules") == last.events[-1]
    assert upgrade_of(game.position.table) is None
    assert "not-now" == code(game.say(ONE, PROPOSE))
    assert game.say(TWO, PROPOSE).refusal is None


def test_player_alone_against_bots_upgrades_without_a_vote():
    game = begun("player", "bot:greedy")
    assert ["RulesProposed", "VoteCarried", "RulesUpgraded"] == happened(game.say(ONE, PROPOSE))


def test_upgrade_vote_continues_without_a_resigned_seat():
    game = agreed()
    left = game.say(THREE, {"type": "resign"})
    assert RulesUpgraded(OLD, NEW, 5) == left.events[-1]


@pytest.mark.parametrize("change", [{"decided_by": NEW}, {"present": NEWER}, {"release": OLD, "present": OLD}])
def test_upgrade_vote_on_outdated_rules_is_refused(change):
    game = three()
    assert "other-rules" == code(game.say(ONE, {**PROPOSE, **change}))
    assert ballot(game) is None


def test_upgrade_vote_without_the_releases_of_the_worker_is_refused():
    bare = {name: value for name, value in PROPOSE.items() if name not in ("decided_by", "present")}
    assert "other-rules" == code(three().say(ONE, bare))


def test_upgrade_is_not_offered_and_may_not_be_called_as_a_vote():
    game = three()
    offered = str(features.legal(Moment(PENNIES, game.position, 2, game.now), ONE))
    assert [True, False, False] == [word in offered for word in ("abort", "upgrade", "propose")]
    assert "malformed" == code(game.say(ONE, {"type": "call_vote", "kind": "upgrade_rules"}))


def test_upgrade_proposal_is_refused_at_a_table_without_votes():
    game = begun("player", "player", votes="off")
    assert "not-here" == code(game.say(ONE, PROPOSE))


def test_upgrade_proposal_is_refused_during_another_vote():
    game = three()
    game.say(ONE, {"type": "call_vote", "kind": "abort"})
    assert "not-now" == code(game.say(TWO, PROPOSE))


def test_sitter_may_neither_propose_an_upgrade_nor_agree_to_it():
    game = agreed()

    def sits(seat, command):
        submission = Submission(f"s{seat}", Seat(seat), command, game.now, by="sitter")
        return settle(PENNIES, game.position, submission, game.now, game.chance)[0]

    assert "not-for-sitters" == code(sits(THREE, YES))
    assert sits(THREE, NO).refusal is None
    assert "not-for-sitters" == code(sits(THREE, PROPOSE))


def test_pause_continues_after_an_upgrade():
    game = three()
    votes = replace(game.position.table.memories["votes"], paused=True)
    table = replace(game.position.table, memories={**game.position.table.memories, "votes": votes})
    game.position = replace(game.position, table=table)
    game.say(ONE, PROPOSE)
    game.say(TWO, YES)
    game.say(THREE, YES)
    assert upgrade_of(game.position.table) is not None
    assert game.position.table.memories["votes"].paused


def undoing(game):
    """The undo options of seat 1."""
    moment = Moment(PENNIES, game.position, game.position.seq + 1, game.now)
    return [option for option in features.legal(moment, ONE) if "undo" in option.type]


def test_commands_before_an_upgrade_cannot_be_undone():
    game = agreed()
    carried = game.say(THREE, YES).seq
    refused = game.say(ONE, {"type": "request_undo", "seq": carried})
    assert ("not-that-far", "seq") == (code(refused), refused.refusal.field)
    assert [] == undoing(game)
    first = game.say(ONE, HIDE).seq
    (option,) = undoing(game)
    assert carried + 1 == option.open[0].min
    assert "not-that-far" == code(game.say(ONE, {"type": "request_undo", "seq": carried}))
    assert game.say(ONE, {"type": "request_undo", "seq": first}).refusal is None


def test_undo_requested_before_an_upgrade_can_only_be_declined():
    game = three(undo="consent")
    first = game.say(ONE, HIDE).seq
    game.say(TWO, HIDE)
    asked = game.say(ONE, {"type": "request_undo", "seq": first})
    game.say(ONE, PROPOSE)
    game.say(TWO, YES)
    game.say(THREE, YES)
    yes = {"type": "answer_undo", "request": asked.seq, "agree": True}
    waiting = game.position.table.memories["undo"].request.waiting
    came = [game.say(seat, yes) for seat in waiting]
    assert "not-that-far" == code(came[-1])
    moment = Moment(PENNIES, game.position, game.position.seq + 1, game.now)
    (answer,) = [option for option in features.legal(moment, waiting[-1]) if option.type == "answer_undo"]
    assert (False,) == answer.open[0].choices


def test_upgrade_is_kept_by_replay_and_by_snapshots():
    game = agreed()
    game.say(THREE, YES)
    again = replay(PENNIES, [decode_commit(PENNIES, each) for each in game.log])
    assert game.position.table == again.table
    assert game.position.table == decode_position(PENNIES.rules, encode_position(game.position)).table


def test_game_with_an_upgrade_passes_the_audit():
    game = agreed()
    game.say(THREE, YES)
    game.say(ONE, {"type": "call_vote", "kind": "abort"})
    game.say(TWO, YES)
    game.say(THREE, YES)
    assert () == audit(game.export(SIGNER), games={PENNIES.key: PENNIES}).divergences
