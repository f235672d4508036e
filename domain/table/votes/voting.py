"""Votes of the players at a table: to end the game, on its clocks, and on requests for a vacant seat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from domain.kernel.errors import NotForSitters, NotNow
from domain.kernel.game import AnyGame
from domain.kernel.lifecycle import SeatLeft, SeatResigned, Table
from domain.kernel.record import SITTER, Submission
from domain.kernel.settings import Setting
from domain.kernel.shape import catalogue
from domain.kernel.terms import HOUR, OneOf, Option, Outcome, Question, Seat, Seq
from domain.table.clocks import clocks
from domain.table.feature import PLACE, Moment, TableFeature
from domain.table.votes import newcomers, upgrading
from domain.table.votes.ballot import (
    CALLED,
    ENDS,
    GRAVE,
    KINDS,
    Ballot,
    CallVote,
    CastVote,
    NotYourVote,
    NoVote,
    PauseLifted,
    Upgraded,
    VoteCalled,
    VoteCarried,
    VoteCast,
    VoteFailed,
    VotesMemory,
)
from domain.table.votes.newcomers import SubstituteProposed, SubstituteRejected, VoterJoined, VoterLeft
from domain.table.votes.subjects import check, offered
from domain.table.votes.upgrading import UPGRADE, ProposeRules, RulesProposed, RulesUpgraded

WHAT = (
    "give {favour:seat} {hours} more {hours:hour|hours}",
    "{kind:vote} to {favour:seat}",
    "{kind:vote}",
)
"""The subject of a vote as text, by what it names."""

CHOICES = {
    "abort": "end the game without a winner",
    "concede": "declare a winner",
    "pause": "stop all clocks",
    "resume": "restart the clocks",
    "more_time": "give more time",
}
"""The kinds of votes as choices of a player, to follow ``to``."""

WHY = "vote"
"""The reason for clocks that a vote has stopped."""


def _decide(memory: VotesMemory, moment: Moment, seat: Seat, command: Any) -> Sequence[Any]:
    match command:
        case CallVote():
            return (_call(memory, moment, seat, command),)
        case CastVote(agree):
            return (_cast(memory, seat, agree=agree),)
        case ProposeRules():
            _may_call(memory, moment, seat, UPGRADE)
            return (upgrading.propose(seat, moment.table, moment.at, command),)
        case newcomers.WithdrawSubstitute():
            return newcomers.withdraw(memory.ballot, command)
    raise AssertionError(command)


def _may_call(memory: VotesMemory, moment: Moment, seat: Seat, kind: str) -> None:
    if memory.ballot is not None:
        raise NotNow("Another vote is open. Wait until it has ended.")
    rest = memory.rests.get(f"{seat} {kind}", 0)
    if moment.at < rest:
        raise NotNow("Your last vote of this kind failed. It is too early for another one.", until=rest)


def _call(memory: VotesMemory, moment: Moment, seat: Seat, vote: CallVote) -> VoteCalled:
    _may_call(memory, moment, seat, vote.kind)
    check(vote, moment, seat, paused=memory.paused)
    kind, left_out = KINDS[vote.kind], set[Seat]()
    if vote.seat is not None and kind.asks == "others":
        left_out = {vote.seat, *moment.game.rules.allies(moment.position.state, vote.seat)}
    voters = tuple(voter for voter in moment.table.players if voter not in left_out)
    told = tuple(sorted(left_out)) if memory.widens else ()
    return VoteCalled(seat, vote.kind, voters, moment.at + kind.hours * HOUR, vote.seat, vote.hours, told)


def _cast(memory: VotesMemory, seat: Seat, *, agree: bool) -> VoteCast:
    ballot = memory.ballot
    if ballot is None:
        raise NoVote("No vote is open.")
    if seat not in ballot.voters:
        raise NotYourVote("You cannot vote on this.")
    if seat in (ballot.agreed if agree else ballot.against):
        raise NotNow("You have already voted like this.")
    return VoteCast(seat, agree)


def _evolve(memory: VotesMemory, event: Any, seq: Seq, at: int) -> VotesMemory:
    ballot = memory.ballot
    match event:
        case VoteCalled(seat, kind, voters, due, favour, hours, left_out):
            agreed = (seat,) if seat in voters else ()
            called = Ballot(seq, kind, seat, voters, due, favour, agreed, hours=hours, left_out=left_out)
            return replace(memory, ballot=called)
        case SubstituteProposed():
            return replace(memory, ballot=newcomers.open_ballot(event, seq))
        case RulesProposed():
            return replace(memory, ballot=upgrading.open_ballot(event, seq))
        case RulesUpgraded():
            return replace(memory, upgraded=Upgraded(seq, event.left, event.release, event.differs))
        case newcomers.SubstituteAccepted() | SubstituteRejected():
            return replace(memory, ballot=None)
        case VoterJoined() | VoterLeft() if ballot is not None:
            return replace(memory, ballot=newcomers.follow(ballot, event))
        case VoteCast(seat, agree) if ballot is not None:
            return replace(memory, ballot=ballot.with_voice(seat, agree=agree))
        case SeatResigned(seat) | SeatLeft(seat) if ballot is not None:
            return replace(memory, ballot=ballot.among({*ballot.voters} - {seat}))
        case VoteCarried(kind, favour) if kind in ENDS:
            return replace(memory, ballot=None, ends=(kind, favour))
        case VoteCarried(kind):
            paused = memory.paused if kind in ("more_time", UPGRADE) else kind == "pause"
            return replace(memory, ballot=None, paused=paused)
        case PauseLifted():
            return replace(memory, paused=False)
        case VoteFailed(kind) if ballot is not None:
            rests = {**memory.rests, f"{ballot.caller} {kind}": at + KINDS[kind].rest * HOUR}
            return replace(memory, ballot=None, rests=rests)
    return memory


def _view(memory: VotesMemory) -> Mapping[str, Any]:
    ballot, upgraded = memory.ballot, memory.upgraded
    more = {} if upgraded is None else {"upgraded": {"seq": upgraded.seq, **upgrading.about(upgraded)}}
    if ballot is None:
        return {"ballot": None, **more}
    told = {name: getattr(ballot, name) for name in ("seq", "kind", "caller", "favour", "hours", "vacant", "due")}
    told["caller"] = ballot.caller or None
    lists = {name: list(getattr(ballot, name)) for name in ("voters", "agreed", "against")}
    rules = {} if ballot.rules is None else {"rules": dict(upgrading.about(ballot.rules))}
    return {"ballot": {**told, **lists, "needs": KINDS[ballot.kind].needs, **rules}, **more}


VOTES = TableFeature(
    key="votes",
    memory=VotesMemory,
    is_on=lambda chosen: chosen.get("votes") == "on",
    begin=lambda chosen, _seats: VotesMemory(widens=chosen.get("newcomers_vote") == "on"),
    decide=_decide,
    evolve=_evolve,
    view=_view,
    settings=(
        Setting(
            "votes",
            "Votes of the players to end the game, to concede it, or to change its clocks.",
            "on",
            ("on", "off"),
        ),
        Setting(
            "newcomers_vote",
            "Whether a player who takes a seat during a vote joins the vote.",
            "on",
            ("on", "off"),
        ),
    ),
    commands=catalogue(CallVote, CastVote),
    routed=upgrading.ROUTED,
    unasked=("call_vote", "cast_vote", "propose_rules"),
    system=newcomers.SYSTEM_COMMANDS,
    events={
        **catalogue(VoteCalled, VoteCast, VoteCarried, VoteFailed, PauseLifted),
        **newcomers.EVENTS,
        **upgrading.EVENTS,
    },
    sentences={
        name: tuple(words.format(what) for what in WHAT)
        for name, words in {
            "vote_called": "{{seat:seat}} asks the players to {}.",
            "vote_carried": "The players have agreed to {}.",
            "vote_failed": "The vote to {} has failed.",
        }.items()
    }
    | {
        "vote_cast": ("{seat:seat} {agree:agrees|does not agree}.",),
        "pause_lifted": "The clocks run again, because no player is left to vote on the pause.",
        **newcomers.SENTENCES,
        **upgrading.SENTENCES,
    },
    asks={
        "vote": (
            newcomers.ASKS,
            *upgrading.ASKS,
            *(
                "{by:seat} asks whether you agree to {}.".replace("{}", what.replace("{kind:", "{vote:"))
                for what in WHAT
            ),
        )
    },
    names={
        "vote": {
            "abort": "end the game without a winner",
            "concede": "concede the game",
            "pause": "stop all clocks",
            "resume": "restart the clocks",
            UPGRADE: upgrading.VOTE,
        },
        "rejection": newcomers.REJECTIONS,
    },
)


def check_sender(table: Table, submission: Submission) -> None:
    """A sitter can neither propose nor support the end of the game or other rules, just as they cannot resign.

    They may vote against it.
    """
    memory = VOTES.memory_at(table)
    if memory is None or submission.by != SITTER:
        return
    command, ballot = submission.command, memory.ballot
    asks = command.get("type") == "call_vote" and command.get("kind") in ENDS
    agrees = command.get("type") == "cast_vote" and command.get("agree") is True
    if asks or (agrees and ballot is not None and ballot.kind in ENDS):
        raise NotForSitters("A sitter cannot vote to end the game.")
    if command.get("type") == "propose_rules" or (agrees and ballot is not None and ballot.kind in GRAVE):
        raise NotForSitters("A sitter cannot vote for other rules.")


def propose_substitute(moment: Moment, seat: Seat) -> Sequence[SubstituteProposed]:
    """The vote of the players on a request for a vacant seat."""
    memory = VOTES.required_at(moment.table)
    if memory.ballot is not None:
        raise NotNow("Another vote is open. Wait until it has ended.", until=memory.ballot.due)
    return (newcomers.propose(seat, moment.table, moment.at),)


def react(moment: Moment, table: Table) -> Sequence[Any]:
    """The result of the open vote, or changes of its voters; empty when there are none left."""
    memory = VOTES.memory_at(table)
    if memory is None:
        return ()
    ballot = memory.ballot
    if ballot is None:
        if memory.paused and table.rules.pauses == "lifted" and not table.players:
            return (PauseLifted(), *clocks.start(moment.at_table(table), None, WHY))
        return ()
    if ballot.vacant is not None and table.is_played(ballot.vacant):
        return (SubstituteRejected(ballot.vacant, "back"),)
    if memory.widens and (voices := newcomers.change_voters(ballot, table)):
        return voices
    result = ballot.among(table.players).result
    if result is None:
        return ()
    if ballot.vacant is not None:
        return newcomers.close_request(table, ballot.vacant, agreed=result)
    if not result:
        return (VoteFailed(ballot.kind, ballot.favour, ballot.hours),)
    come = upgrading.upgrade(ballot.rules) or _change_clocks(ballot, moment.at_table(table))
    return (VoteCarried(ballot.kind, ballot.favour, ballot.hours), *come)


def outcome(table: Table, game: AnyGame, state: Any) -> Outcome | None:
    """The outcome, if a vote has ended the game. The game's own end takes precedence."""
    memory = VOTES.memory_at(table)
    if memory is None or memory.ends is None:
        return None
    kind, favour = memory.ends
    if kind == "abort" or favour is None:
        return Outcome("aborted", "", (), game.rules.standings(state))
    winners = tuple(sorted({favour, *game.rules.allies(state, favour)}))
    return Outcome("conceded", "", winners, game.rules.standings(state))


def upgrade_of(table: Table | None) -> Upgraded | None:
    """The last agreement of a table's players to continue with other rules. None if they never agreed."""
    memory = VOTES.memory_at(table)
    return None if memory is None else memory.upgraded


def awaiting(table: Table) -> Iterator[tuple[Question, int]]:
    """The questions of the open vote, with their deadline."""
    memory = VOTES.memory_at(table)
    ballot = None if memory is None else memory.ballot
    if ballot is None:
        return
    names = ("favour", "hours", "vacant")
    about = {"vote": ballot.kind, "by": ballot.caller or None} | {name: getattr(ballot, name) for name in names}
    about = {name: value for name, value in about.items() if value is not None}
    if ballot.rules is not None:
        about |= upgrading.about(ballot.rules)
    for seat in ballot.silent:
        if table.is_played(seat):
            yield Question(-ballot.seq, PLACE, seat, "vote", "", about), ballot.due


def default() -> CastVote:
    """No answer counts as no."""
    return CastVote(agree=False)


def legal(moment: Moment, seat: Seat) -> Sequence[Option]:
    """The votes that the seat may call, or its answers to the open one."""
    memory = VOTES.memory_at(moment.table)
    if memory is None:
        return ()
    ballot = memory.ballot
    if ballot is None:
        called = [kind for kind in CALLED if moment.by != SITTER or kind not in ENDS]
        kinds = [kind for kind in called if moment.at >= memory.rests.get(f"{seat} {kind}", 0)]
        return [option for kind in kinds for option in offered(kind, moment, seat, paused=memory.paused)]
    if seat not in ballot.voters:
        return ()
    voices = (False,) if moment.by == SITTER and ballot.kind in GRAVE else (True, False)
    choices = tuple(agree for agree in voices if seat not in (ballot.agreed if agree else ballot.against))
    return (Option("cast_vote", {}, (OneOf("agree", choices),)),) if choices else ()


def _change_clocks(ballot: Ballot, moment: Moment) -> Sequence[Any]:
    """The effect of a carried vote on the table's clocks."""
    match ballot.kind, ballot.favour, ballot.hours:
        case "pause", _, _:
            return clocks.stop(moment.table, None, WHY)
        case "resume", _, _:
            return clocks.start(moment, None, WHY)
        case "more_time", int(seat), int(hours):
            return clocks.give_time(moment, Seat(seat), hours)
        case _:
            return ()
