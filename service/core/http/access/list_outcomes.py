"""Results of a list of commands for its sender: after sending, and when looked up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Response

from domain.kernel.errors import StaleSubmission
from domain.kernel.lifecycle import GameEnded
from domain.kernel.record import Commit, Submission
from service.core.history.lines import decode_commit
from service.core.http.access import outcomes
from service.core.http.access.auth import GameAccess
from service.core.http.problems import CommandRefused, Problem
from service.core.http.responses import JsonReply, head_header, json_response
from service.store.ports.commits import Stored
from service.store.shared import lists


def build_reply(
    access: GameAccess, submission: Submission, results: Sequence[Stored | str], headers: dict[str, str]
) -> JsonReply:
    """The response to an accepted list: 200 if all of it was accepted, 202 while some of it waits.

    Raises the refusal or problem that stopped it, with the accepted commands before it.
    """
    document, last = describe_list(access, submission.id, results)
    log, game_id = access.context.store.log, access.lobby.id
    if document["status"] == "pending":
        location = {"Location": f"/v1/games/{game_id}/commands/{submission.id}", **head_header(*log.head(game_id))}
        return JsonReply(document, 202, {**location, **headers})
    members = {"id": submission.id, "settled": document["settled"], "commands": document["commands"]}
    if last is not None:
        headers = {**headers, **head_header(last.seq, document["head"])}
    if document["status"] == "settled":
        return JsonReply(document, headers=headers)
    if last is not None and last.refusal is not None:
        if last.refusal.code == StaleSubmission.code:
            seen, now = last.submission.expected, last.refusal.facts.get("seq")
            raise outcomes.stale_problem(access, submission.seat, seen, now, **members)
        raise CommandRefused(last.refusal, headers, game=game_id, seq=last.seq, **members)
    raise Problem("game-over" if document["status"] == "over" else "list-interrupted", headers=headers, **members)


def lookup_response(access: GameAccess, list_id: str, results: Sequence[Stored | str]) -> Response:
    """The response to a lookup of a list: the status of each of its commands."""
    headers = head_header(*access.context.store.log.head(access.lobby.id))
    return json_response(describe_list(access, list_id, results)[0], headers=headers)


def lookup_response_of_one(access: GameAccess, id_: str) -> Response | None:
    """The response to a lookup of a command in a list that has not been submitted and may never be.

    None for an unknown id.
    """
    named = lists.place_of(id_)
    results = None if named is None else access.context.store.log.outcomes(access.lobby.id, named[0])
    if named is None or results is None or named[1] >= len(results):
        return None
    headers = head_header(*access.context.store.log.head(access.lobby.id))
    return json_response(describe_list(access, named[0], results)[0]["commands"][named[1]], headers=headers)


def describe_list(
    access: GameAccess, list_id: str, results: Sequence[Stored | str]
) -> tuple[dict[str, Any], Commit | None]:
    """The status of a list, and the last of its commits."""
    commands: list[dict[str, Any]] = []
    last: Commit | None = None
    newest: dict[str, Any] = {}
    for place, result in enumerate(results):
        id_ = lists.place_id(list_id, place)
        if isinstance(result, Stored):
            last = decode_commit(access.game, result)
            newest = {"seq": result.seq, "head": result.head}
            commands.append(outcomes.describe_settled(access, last.submission.seat, id_, last, result.head))
        else:
            commands.append({"id": id_, "status": _status_of_unsettled(last) if result == lists.LEFT else result})
    status = commands[-1]["status"]
    if last is not None and last.refusal is not None:
        status = "refused"
    settled = sum(command["status"] == "settled" for command in commands)
    return {"id": list_id, "status": status, **newest, "settled": settled, "commands": commands}, last


def _status_of_unsettled(last: Commit | None) -> str:
    """Why no command follows the last commit of a list: it was refused, or it ended the game."""
    return "over" if last is not None and any(isinstance(event, GameEnded) for event in last.events) else lists.LEFT
