"""Which rules decide a game, and the proposal to go on by the present ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response

from domain import RELEASE
from domain.play.parts.votes.ballot import Ballot, Upgraded
from domain.play.parts.votes.upgrading import UPGRADE, ProposeRules
from domain.play.parts.votes.voting import VOTES
from domain.shape import as_document
from domain.terms import GameId, Seat
from service.api.access import outcomes
from service.api.access.auth import PLAY, GameAccess, authorize, optional_caller, required_caller
from service.api.access.ids import command_id
from service.api.access.sending import sending_of, sent
from service.api.context.offload import ReadContext
from service.api.http.answers import answer, head_header, idempotency_key, preferred_wait, revalidated
from service.api.http.problems import RETRY_SECONDS, Problem
from service.api.http.request_ids import request_id
from service.api.reference.routes import documented
from service.api.schemas import replies
from service.api.schemas.requests import read_body
from service.api.schemas.seating import RulesRequest
from service.process.frozen.shelf import present_digest, shelf
from service.projections.history.lines import open_commit
from service.projections.positions.facts import Facts
from service.projections.positions.upgrade import difference, is_readable
from service.store.ports.commits import Stored

blueprint = Blueprint("rules", __name__)


@blueprint.get("/v1/games/<game>/rules")
@documented(
    "Which rules decide a game",
    operation="getRules",
    text="A game that was played by the rules of an older release, and of which the present ones would have decided a commit otherwise, "
    "stays under the older ones as long as its players do not agree to leave them. This says how it stands with that, and which "
    "commit it is, as far as it is yours to see: a refusal is told to who sent the command, and what was hidden from you is hidden "
    "here. A long game is looked at bit by bit: `comparing` says that it is not done yet.",
    gives={200: replies.RulesTold},
    problems=("unknown-game", "not-started", "not-your-seat", "too-much-work"),
    parameters=("seat",),
    answer="The rules of the game, and what the present ones would have decided.",
    headers=("Game-Head",),
)
def show(game_id: GameId) -> Response:
    access = authorize(game_id, optional_caller())
    if access.others_seat is not None:
        raise Problem("not-your-seat")
    # It may wait for rules that are not here, and then the present ones do not decide it.
    access.context.require_not_aside(game_id)
    document, seq, head = access.compute(lambda reads, facts: _report(reads, facts, access.seat))
    headers = {**revalidated(None if access.player_id is None else 0), **head_header(seq, head)}
    return answer(document, headers=headers)


@blueprint.post("/v1/games/<game>/rules")
@documented(
    "Propose to go on by the present rules",
    operation="proposeRules",
    text="Of a game that `stays` under older ones (`getRules`): a vote of all who play, in which all must agree within three days; you have "
    "agreed by asking. The others answer with the command `cast_vote`. When it is carried, history says `rules_upgraded`, and nothing "
    "before that can be taken back. What comes back is as for a command.",
    takes=RulesRequest,
    gives={200: replies.CommandOutcome, 202: replies.CommandPending},
    problems=(
        *("unknown-game", "not-your-seat", "not-started", "game-over", "key-reused"),
        *("rules-present", "rules-alike", "rules-moved", "rules-unread", "not-compared"),
        *("out-of-refusals", "too-many-unasked", "too-many-pending", "too-much-work"),
    ),
    parameters=("seat", "Idempotency-Key", "Prefer"),
    auth="required",
    answer="What it came to.",
    headers=("Game-Head", "Location", "Preference-Applied"),
)
def propose(game_id: GameId) -> Response:
    access = authorize(game_id, required_caller(PLAY))
    seat, credential = access.own_seat, access.credential
    release = read_body(RulesRequest)["release"]
    access.require_started()
    assert credential is not None
    id_ = command_id(game_id, credential.player, idempotency_key())
    earlier = _earlier(access, id_, seat, release)
    if earlier is not None:
        return earlier
    access.context.require_not_aside(game_id)
    command = access.compute(lambda reads, facts: _proposal(reads, facts, release))
    sending = sending_of(credential, seat, command, id_, None, access.tenure, access.by)
    return sent(access, sending, preferred_wait(), request_id()).response()


def _earlier(access: GameAccess, id_: str, seat: Seat, release: str) -> Response | None:
    """The answer to who has asked the same before and knows nothing of what became of it: by now it may make no sense any more."""
    came = access.context.store.log.outcome(access.lobby.id, id_)
    if not isinstance(came, Stored):
        return None
    said = open_commit(access.rules, came).submission
    if (said.seat, said.command.get("type"), said.command.get("release")) != (seat, "propose_rules", release):
        raise Problem("key-reused", parameter="Idempotency-Key")
    return outcomes.sent(access, said, came, {}).response()


def _proposal(reads: ReadContext, facts: Facts, release: str) -> dict[str, Any]:
    """The command by which it is proposed to go on by the rules of a release; raises the problems of what there is not to vote on."""
    found = reads.comparisons.found(reads.store.log, reads.positions, facts)
    match found.standing:
        case "over":
            raise Problem("game-over")
        case "present":
            raise Problem("rules-present")
        case "alike" | "agreed":
            raise Problem("rules-alike")
        case "comparing":
            raise Problem("not-compared", headers={"Retry-After": str(RETRY_SECONDS)})
    if release != RELEASE:
        raise Problem("rules-moved", f"The present release is {RELEASE}.", pointer="/release", present=RELEASE)
    if not is_readable(reads.store.log, facts):
        raise Problem("rules-unread")
    public = difference(reads.store.log, facts, found, None)
    return as_document(ProposeRules(found.release, release, None if public is None else public["seq"]))


def _report(reads: ReadContext, facts: Facts, seat: Seat | None) -> tuple[dict[str, Any], int, str]:
    log = reads.store.log
    found = reads.comparisons.found(log, reads.positions, facts)
    position = found.position
    votes = None if position.table is None else position.table.memories.get(VOTES.key)
    wrong = None if found.comparison is None else found.comparison.divergence
    reader = None
    if wrong is not None and wrong.seq is not None:
        reader = reads.resignations.reader(log, facts.id, position, seat).at(wrong.seq)
    document = {
        "standing": found.standing,
        "release": found.release,
        "digest": (present_digest() if found.release == RELEASE else shelf().digests().get(found.release)) or None,
        "present": RELEASE,
        "differs": difference(log, facts, found, reader),
        "upgraded": None if found.upgraded is None else _upgraded(found.upgraded),
        "votes": votes is not None,
        "vote": None if votes is None or votes.ballot is None else _vote(votes.ballot),
    }
    return document, position.seq, position.head


def _upgraded(upgraded: Upgraded) -> Mapping[str, Any]:
    return {"seq": upgraded.seq, "left": upgraded.left, "release": upgraded.release, "differs": upgraded.differs}


def _vote(ballot: Ballot) -> Mapping[str, Any] | None:
    """The vote on it, if that is what is voted on."""
    rules = ballot.rules
    if ballot.kind != UPGRADE or rules is None:
        return None
    told = {"seq": ballot.seq, "by": ballot.caller, "left": rules.left, "release": rules.release}
    lists = {"voters": list(ballot.voters), "agreed": list(ballot.agreed)}
    return {**told, "differs": rules.differs, "due": ballot.due, **lists}
