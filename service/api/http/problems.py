"""What goes wrong, as `application/problem+json` (RFC 9457): one catalogue of names, and the only way to answer them.

Who has followed a link with a browser reads the same as a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import orjson
from flask import Flask, Response, request
from redis.exceptions import ResponseError
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge, RequestTimeout

from domain.play.record import Refusal
from service.api.http.pages import is_visit, page
from service.process.logs import logger
from service.store.chain import BrokenLog, NeedsRelease
from service.store.codec import UnknownEvent, plain
from service.store.ports.errors import ArchiveDown, LobbyRefusal, NotReplicated, StoreDown

CATALOGUE: Mapping[str, tuple[int, str]] = {
    "malformed-json": (400, "The body is not JSON."),
    "bad-request": (400, "The request makes no sense."),
    "no-token": (401, "A token is needed."),
    "bad-token": (401, "The token is unknown, revoked or used up."),
    "insufficient-scope": (403, "The token may not do this."),
    "registration-closed": (403, "There are no new accounts here."),
    "wrong-code": (403, "The registration code is wrong."),
    "wrong-invitation": (403, "The invitation is wrong."),
    "not-your-seat": (403, "The seat is not yours."),
    "too-unreliable": (403, "The game asks for players who have played more of their turns in time."),
    "substitutes-closed": (403, "In this game nobody else takes a seat."),
    "players-refused": (403, "The players have not agreed that you play on."),
    "not-creator": (403, "Only the game's creator may do this."),
    "not-found": (404, "There is nothing here."),
    "unknown-game": (404, "There is no such game."),
    "unknown-kind": (404, "There is no such kind of game."),
    "unknown-ruleset": (404, "The kind of game has no such ruleset."),
    "unknown-seat": (404, "The game has no such seat."),
    "unknown-player": (404, "There is no such player."),
    "unknown-wish": (404, "This player has not asked for the seat."),
    "unknown-request": (404, "You were not asked to sit in for this player, and have not agreed to it."),
    "no-sitter": (404, "Nobody sits in there."),
    "unknown-command": (404, "You sent no such command to this game."),
    "unknown-token": (404, "You have no such token."),
    "no-email": (404, "You have given no address."),
    "unknown-device": (404, "You have no such device."),
    "unknown-feed": (404, "You have no such feed."),
    "unknown-vacation": (404, "You have no such vacation."),
    "no-plan": (404, "You have no plan in this game."),
    "unknown-webhook": (404, "You have no such webhook."),
    "unknown-delivery": (404, "The webhook has no such delivery, or it is too long ago."),
    "unknown-saying": (404, "Nothing was said there, or nothing that you may do this with."),
    "no-checkpoint": (404, "No checkpoint of the log of heads was ever made."),
    "unknown-commit": (404, "The game has not come that far."),
    "no-analysis": (404, "Nobody has had this game analysed at this level, or it was too long ago."),
    "method-not-allowed": (405, "This cannot be done here."),
    "not-acceptable": (406, "It cannot be had in this form."),
    "too-slow": (408, "The request did not come in within its time."),
    "not-started": (409, "The game has not started."),
    "started": (409, "The game has started."),
    "full": (409, "Every seat is taken."),
    "seated-already": (409, "You sit at this table already."),
    "seat-taken": (409, "The seat is taken."),
    "not-seated": (409, "Nobody sits there."),
    "not-here": (409, "The game was begun without this."),
    "enough-asked": (409, "Enough others have asked for the seat."),
    "not-vacant": (409, "The seat is not on offer."),
    "vote-stands": (409, "The players vote on something else; one vote stands at a time."),
    "sitter-not-agreed": (409, "The player has not agreed to sit in for you."),
    "seats-open": (409, "There are free seats."),
    "game-over": (409, "The game is over."),
    "in-progress": (409, "The first request with this Idempotency-Key has not been answered yet."),
    "cut-short": (409, "What follows in the list was lost: a worker of an older release settled the last of these."),
    "no-letters": (409, "This service sends no letters."),
    "no-push": (409, "This service pushes no notices."),
    "not-over": (409, "The game is not over."),
    "not-settled": (409, "The game cannot go on until an operator has looked at it."),
    "asked-already": (409, "You are asked already: send the commands themselves."),
    "plan-under-way": (409, "The plan is being played."),
    "too-many-options": (409, "More may be said than one answer holds."),
    "log-went-back": (409, "The game's log does not stand where you saw it: read it anew."),
    "stale": (412, "There is news that you had not seen."),
    "plan-changed": (412, "The plan is not the one that you have seen."),
    "too-large": (413, "The body is larger than 64 KiB."),
    "unsupported-encoding": (415, "A body is sent as it is, not compressed."),
    "invalid": (422, "Something in the request is not right."),
    "name-reserved": (422, "The service uses this name itself."),
    "position-too-big": (422, "The position is larger than any that play comes to."),
    "key-reused": (422, "The Idempotency-Key was used for something else."),
    "too-many-requests": (429, "Too many requests."),
    "too-many-guesses": (429, "Too many were wrong."),
    "too-many-lobbies": (429, "You have too many games that have not started."),
    "too-many-games": (429, "You have created too many games today."),
    "too-many-running-games": (429, "You have created too many games that are running."),
    "too-many-bot-games": (429, "You have too many running games of bots alone."),
    "too-much-sandbox-data": (429, "You have sent too much data to sandboxes today."),
    "too-many-sandboxes": (429, "You have too many sandboxes that are not over."),
    "too-many-tokens": (429, "You have too many tokens."),
    "too-many-feeds": (429, "You have too many feeds."),
    "too-many-vacations": (429, "You have too many vacations."),
    "too-many-webhooks": (429, "You have too many webhooks."),
    "too-many-devices": (429, "You have too many devices."),
    "too-many-analyses": (429, "Enough games are being analysed for you."),
    "too-many-unasked": (429, "The seat has sent too many commands that nobody asked it for."),
    "too-many-sayings": (429, "Too much has been said within the hour."),
    "too-many-reports": (429, "You have reported too much within the hour."),
    "too-many-streams": (429, "Too many streams are open."),
    "out-of-refusals": (429, "The seat has had too many commands refused."),
    "too-many-pending": (429, "Too many commands are waiting in this game."),
    "internal": (500, "Something is wrong with the service."),
    "not-ready": (503, "The service is not ready."),
    "not-replicated": (503, "It may have been taken in or not. Asking again with the same Idempotency-Key is safe."),
    "archive-unavailable": (503, "The game lies in the archive, and cannot be had from there now."),
    "nobody-thinks": (503, "Nobody is there who analyses games."),
    "too-much-work": (503, "It takes too long to work out."),
    "quarantined": (503, "The game's log cannot be read: an operator must look."),
    "needs-release": (503, "The game waits for another release of the service."),
}
"""Status and title of each problem by its code, which never changes once released."""

MOST_ERRORS = 20
"""Errors in one response at most; the rest of the request is not looked at."""

REFUSED = 409
RETRY_SECONDS = 2
"""How long to stay away from a store that does not answer."""

ASIDE_SECONDS = 30
"""How long to stay away from a game that is set aside."""


class Problem(Exception):
    """The request comes to nothing; ``code`` is a name of the catalogue."""

    def __init__(self, code: str, detail: str = "", headers: Mapping[str, str] | None = None, **members: Any) -> None:
        super().__init__(code)
        self.code, self.detail, self.headers, self.members = code, detail, dict(headers or {}), members

    @property
    def document(self) -> Mapping[str, Any]:
        """What a program reads of it."""
        status, title = CATALOGUE[self.code]
        return {
            "type": f"urn:oraclewheel:problem:{self.code}",
            "title": title,
            "status": status,
            "detail": self.detail or title,
            "code": self.code,
            **self.members,
        }

    @property
    def line(self) -> bytes:
        """The document in one line, for an answer that has begun already: there no request is left to ask for a page."""
        return _packed(self.document)

    def answer(self) -> Response:
        """The response."""
        return _response(self.document, CATALOGUE[self.code][0], self.headers)


class Refused(Exception):
    """The rules refused a command; a refusal becomes a problem document only here, where it is answered over HTTP."""

    def __init__(self, refusal: Refusal, headers: Mapping[str, str] | None = None, **members: Any) -> None:
        super().__init__(refusal.code)
        self.refusal, self.headers, self.members = refusal, dict(headers or {}), members

    def answer(self) -> Response:
        """The response."""
        refusal = self.refusal
        document = {
            "type": f"urn:oraclewheel:refusal:{refusal.code}",
            "title": "The rules do not allow this command.",
            "status": REFUSED,
            "detail": refusal.message,
            "code": refusal.code,
            "rule": refusal.rule,
            "facts": plain(refusal.facts),
            **({"pointer": "/" + refusal.field} if refusal.field else {}),
            **self.members,
        }
        return _response(document, REFUSED, self.headers)


def invalid(faults: Sequence[tuple[str, str]]) -> Problem:
    """The problem of invalid fields: pairs of JSON pointer and what is expected, at least one; the first `MOST_ERRORS` are shown."""
    errors = [{"pointer": pointer, "detail": what} for pointer, what in faults[:MOST_ERRORS]]
    return Problem("invalid", errors[0]["detail"], pointer=errors[0]["pointer"], errors=errors)


def invalid_parameter(name: str, what: str) -> Problem:
    """The problem of a query parameter or header that is not right."""
    return Problem("invalid", what, parameter=name)


def aside(code: str) -> Problem:
    """The problem of a game that is set aside: ``quarantined`` or ``needs-release``."""
    return Problem(code, headers={"Retry-After": str(ASIDE_SECONDS)})


def not_replicated(error: NotReplicated) -> Problem:
    """The problem of something that was written where too few replicas are known to hold it."""
    logger("api").warning("not replicated", why=str(error))
    return Problem("not-replicated", headers={"Retry-After": str(RETRY_SECONDS)})


def unreadable(error: BrokenLog | UnknownEvent) -> Problem:
    """The problem of a game of which something cannot be read, by this release or by any."""
    return aside("needs-release" if isinstance(error, NeedsRelease | UnknownEvent) else "quarantined")


def _response(document: Mapping[str, Any], status: int, headers: Mapping[str, str]) -> Response:
    if is_visit():
        again = " If you have come from a letter, open its link again." if "ticket" in request.args else ""
        return page(str(document["title"]), escape(str(document["detail"])) + again, "", status, headers)
    answer = Response(_packed(document), status, mimetype="application/problem+json")
    answer.headers["Cache-Control"] = "no-store"
    answer.headers.extend(headers)
    return answer


def _packed(document: Mapping[str, Any]) -> bytes:
    return orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS)


def install(app: Flask) -> None:
    """Turn everything that is raised in a request into a problem."""
    log = logger("api")

    @app.errorhandler(Problem)
    def problem(error: Problem) -> Response:
        return error.answer()

    @app.errorhandler(Refused)
    def refused(error: Refused) -> Response:
        return error.answer()

    @app.errorhandler(LobbyRefusal)
    def lobby_refusal(error: LobbyRefusal) -> Response:
        return Problem(error.code).answer()

    @app.errorhandler(StoreDown)
    def store_down(error: StoreDown) -> Response:
        log.warning("store down", error=str(error))
        return Problem("not-ready", headers={"Retry-After": str(RETRY_SECONDS)}).answer()

    @app.errorhandler(NotReplicated)
    def held_by_too_few(error: NotReplicated) -> Response:
        return not_replicated(error).answer()

    @app.errorhandler(ArchiveDown)
    def archive_down(error: ArchiveDown) -> Response:
        log.error("archive down", error=str(error))
        return Problem("archive-unavailable", headers={"Retry-After": str(ASIDE_SECONDS)}).answer()

    @app.errorhandler(BrokenLog)
    def broken_log(error: BrokenLog) -> Response:
        return unreadable(error).answer()

    @app.errorhandler(ResponseError)
    def strange_reply(error: ResponseError) -> Response:
        """The store cannot do with what it holds: of another type, or garbled. If it is a game's, the game is aside."""
        game_id = (request.view_args or {}).get("game_id")
        if game_id is None:
            return unexpected(error)
        log.error("quarantined", game=game_id, why=str(error))
        return aside("quarantined").answer()

    @app.errorhandler(UnknownEvent)
    def unknown_event(error: UnknownEvent) -> Response:
        return unreadable(error).answer()

    @app.errorhandler(HTTPException)
    def http(error: HTTPException) -> Response:
        match error:
            case RequestTimeout():
                return Problem("too-slow").answer()
            case RequestEntityTooLarge():
                return Problem("too-large").answer()
            case HTTPException(code=404):
                return Problem("not-found").answer()
            case HTTPException(code=405):
                allowed = ", ".join(sorted(getattr(error, "valid_methods", None) or ()))
                return Problem("method-not-allowed", headers={"Allow": allowed}).answer()
            case HTTPException(code=406):
                return Problem("not-acceptable").answer()
            case _:
                return Problem("bad-request").answer()

    @app.errorhandler(Exception)
    def unexpected(error: Exception) -> Response:
        log.error("request failed", exc_info=error)
        return Problem("internal").answer()
