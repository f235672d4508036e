"""Results of a list of commands for its sender: after sending, and when looked up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Response

from domain.errors import Stale
from domain.play.record import Commit, Submission
from domain.play.table import GameEnded
from service.api.access import outcomes
from service.api.access.auth import GameAccess
from service.api.http.problems import Problem, Refused
from service.api.http.responses import Told, answer, head_header
from service.projections.history.lines import open_commit
from service.store.ports.commits import Stored
from service.store.shared import lists


def sent(access: GameAccess, submission: Submission, came: Sequence[Stored | str], headers: dict[str, str]) -> Told:
    """The response to an accepted list: 200 if all of it was accepted, 202 while some of it waits.

    Raises the refusal or problem that stopped it, with the accepted commands before it.
    """
    document, last = told_of(access, submission.id, came)
    log, game_id = access.context.store.log, access.lobby.id
    if document["status"] == "pending":
        location = {"Location": f"/v1/games/{game_id}/commands/{submission.id}", **head_header(*log.head(game_id))}
        return Told(document, 202, {**location, **headers})
    told = {"id": submission.id, "settled": document["settled"], "commands": document["commands"]}
    if last is not None:
        headers = {**headers, **head_header(last.seq, document["head"])}
    if document["status"] == "settled":
        return Told(document, headers=headers)
    if last is not None and last.refusal is not None:
        if last.refusal.code == Stale.code:
            seen, now = last.submission.expected, last.refusal.facts.get("seq")
            raise outcomes.stale(access, submission.seat, seen, now, **told)
        raise Refused(last.refusal, headers, game=game_id, seq=last.seq, **told)
    raise Problem("game-over" if document["status"] == "over" else "list-interrupted", headers=headers, **told)


def looked_up(access: GameAccess, list_id: str, came: Sequence[Stored | str]) -> Response:
    """The response to a lookup of a list: the status of each of its commands."""
    headers = head_header(*access.context.store.log.head(access.lobby.id))
    return answer(told_of(access, list_id, came)[0], headers=headers)


def looked_up_alone(access: GameAccess, id_: str) -> Response | None:
    """The response to a lookup of a command in a list that has not been submitted and may never be.

    None for an unknown id.
    """
    named = lists.place_of(id_)
    came = None if named is None else access.context.store.log.outcomes(access.lobby.id, named[0])
    if named is None or came is None or named[1] >= len(came):
        return None
    headers = head_header(*access.context.store.log.head(access.lobby.id))
    return answer(told_of(access, named[0], came)[0]["commands"][named[1]], headers=headers)


def told_of(access: GameAccess, list_id: str, came: Sequence[Stored | str]) -> tuple[dict[str, Any], Commit | None]:
    """The status of a list, and the last of its commits."""
    commands: list[dict[str, Any]] = []
    last: Commit | None = None
    newest: dict[str, Any] = {}
    for place, each in enumerate(came):
        id_ = lists.place_id(list_id, place)
        if isinstance(each, Stored):
            last = open_commit(access.rules, each)
            newest = {"seq": each.seq, "head": each.head}
            commands.append(outcomes.settled(access, last.submission.seat, id_, last, each.head))
        else:
            commands.append({"id": id_, "status": _ended(last) if each == lists.LEFT else each})
    status = commands[-1]["status"]
    if last is not None and last.refusal is not None:
        status = "refused"
    settled = sum(command["status"] == "settled" for command in commands)
    return {"id": list_id, "status": status, **newest, "settled": settled, "commands": commands}, last


def _ended(last: Commit | None) -> str:
    """Why no command follows the last commit of a list: it was refused, or it ended the game."""
    return "over" if last is not None and any(isinstance(event, GameEnded) for event in last.events) else lists.LEFT
