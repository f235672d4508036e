"""The catalogue of problems, and their responses as `application/problem+json` (RFC 9457).

A browser that followed a link gets the same text as a page.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import orjson
from flask import Flask, Response, request
from redis.exceptions import ResponseError
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge, RequestTimeout

from domain.kernel.record import RuleRefusal
from service.core.http.pages import html_page, is_browser_visit
from service.ops.logging import logger
from service.store.chain import BrokenLog, NeedsRelease
from service.store.codec import UnknownEvent, plain
from service.store.ports.accounts import Suspension
from service.store.ports.errors import ArchiveDown, LobbyRefusal, NotReplicated, StoreDown

CATALOGUE: Mapping[str, tuple[int, str]] = {
    "malformed-json": (400, "The body is not valid JSON."),
    "bad-request": (400, "The request is malformed."),
    "no-token": (401, "The request needs a token."),
    "bad-token": (401, "The token is unknown, revoked or expired."),
    "insufficient-scope": (403, "The token lacks a required scope."),
    "suspended": (403, "The account is suspended."),
    "csrf": (403, "The request was not sent by a page of this service."),
    "registration-closed": (403, "Registration is closed."),
    "wrong-code": (403, "The registration code is wrong."),
    "sign-in-failed": (403, "The sign-in failed."),
    "sign-in-too-recent": (403, "You signed in by email less than a day ago."),
    "wrong-invitation": (403, "The invitation is wrong."),
    "not-your-seat": (403, "The seat is not yours."),
    "not-admitted": (403, "You are not admitted."),
    "too-unreliable": (403, "Your reliability is below the minimum of this game."),
    "not-eligible": (403, "You do not meet the conditions of this tournament."),
    "substitutes-closed": (403, "This game does not accept substitutes."),
    "seat-request-rejected": (403, "The players rejected your request for the seat."),
    "not-creator": (403, "Only the game's creator may do this."),
    "not-organizer": (403, "Only the tournament's organizer may do this."),
    "not-found": (404, "This page or resource does not exist."),
    "unknown-game": (404, "There is no such game."),
    "unknown-kind": (404, "There is no such kind of game."),
    "unknown-ruleset": (404, "The kind of game has no such ruleset."),
    "unknown-seat": (404, "The game has no such seat."),
    "unknown-player": (404, "There is no such player."),
    "unknown-seat-request": (404, "The player has not requested this seat."),
    "unknown-sitter-request": (404, "This player has not asked you to sit in, and you have not agreed to."),
    "no-sitter": (404, "The seat has no sitter."),
    "unknown-command": (404, "You have not sent this command to the game."),
    "unknown-token": (404, "You have no such token."),
    "no-email": (404, "Your account has no email address."),
    "unknown-block": (404, "You have not blocked this player."),
    "unknown-challenge": (404, "You have no such challenge."),
    "unknown-favorite": (404, "You have no such favorite."),
    "unknown-passkey": (404, "You have no such passkey."),
    "unknown-device": (404, "You have no such device."),
    "unknown-study": (404, "You have no such study."),
    "unknown-feed": (404, "You have no such feed."),
    "unknown-vacation": (404, "You have no such vacation."),
    "no-plan": (404, "You have no plan in this game."),
    "unknown-webhook": (404, "You have no such webhook."),
    "unknown-delivery": (404, "The webhook has no such delivery, or it is no longer stored."),
    "unknown-message": (404, "This commit has no chat message that you can erase or report."),
    "unknown-app": (404, "There is no such app, or it is not connected."),
    "no-checkpoint": (404, "The transparency log has no checkpoint yet."),
    "unknown-commit": (404, "The game has no such commit."),
    "unknown-tournament": (404, "There is no such tournament."),
    "unknown-entry": (404, "The player has no entry in this tournament."),
    "no-analysis": (404, "There is no analysis of the game at this level, or it has expired."),
    "method-not-allowed": (405, "The method is not allowed for this URL."),
    "not-acceptable": (406, "The requested format is not available."),
    "too-slow": (408, "The request took too long to arrive."),
    "not-started": (409, "The game has not started."),
    "started": (409, "The game has started."),
    "full": (409, "Every seat is taken."),
    "seated-already": (409, "You already have a seat in this game."),
    "seat-taken": (409, "The seat is taken."),
    "seat-reserved": (409, "The seat is reserved for another player."),
    "not-challengeable": (409, "The player cannot be challenged."),
    "not-seated": (409, "The seat has no player."),
    "feature-disabled": (409, "This feature is disabled in this game."),
    "too-many-seat-requests": (409, "Too many players have requested the seat."),
    "not-vacant": (409, "The seat is not vacant."),
    "vote-open": (409, "Another vote is open. Only one vote can be open at a time."),
    "sitter-not-agreed": (409, "The player has not agreed to sit in for you."),
    "seats-open": (409, "Some seats are still free."),
    "game-over": (409, "The game is over."),
    "tournament-started": (409, "The tournament has started or was cancelled."),
    "tournament-over": (409, "The tournament is over."),
    "entries-closed": (409, "The tournament accepts no entries."),
    "too-few-entries": (409, "The tournament has too few entries."),
    "in-progress": (409, "The first request with this Idempotency-Key is still in progress."),
    "list-interrupted": (409, "The rest of the list was not settled."),
    "email-disabled": (409, "Email is disabled on this service."),
    "email-not-confirmed": (409, "Your email address is not confirmed."),
    "passkeys-disabled": (409, "This service cannot use passkeys."),
    "address-in-use": (409, "The address signs in to another account."),
    "push-disabled": (409, "Push notifications are disabled on this service."),
    "game-not-over": (409, "The game is not over."),
    "game-stalled": (409, "The game cannot continue until an operator checks it."),
    "question-pending": (409, "A question that the plan answers is already pending."),
    "plan-in-progress": (409, "The plan is being played."),
    "too-many-options": (409, "The list of options is too large."),
    "log-diverged": (409, "The game's log does not contain the commit that the request names."),
    "stale": (412, "The game has changed since the version in If-Match."),
    "plan-changed": (412, "The stored plan does not match If-Match or If-None-Match."),
    "too-large": (413, "The body is larger than 64 KiB."),
    "unsupported-encoding": (415, "The body is compressed."),
    "invalid": (422, "The request is invalid."),
    "passkey-rejected": (422, "The passkey could not be verified."),
    "name-reserved": (422, "The name is reserved."),
    "position-too-large": (422, "The position exceeds a size limit."),
    "key-reused": (422, "The Idempotency-Key was used for a different request."),
    "too-many-requests": (429, "Too many requests."),
    "too-many-guesses": (429, "Too many wrong codes, invitations or sign-ins."),
    "too-many-labels": (429, "You have too many labels."),
    "too-many-lobbies": (429, "You have too many games that have not started."),
    "too-many-games": (429, "You have created too many games today."),
    "too-many-running-games": (429, "You have created too many games that are running."),
    "too-many-bot-games": (429, "You have too many running games with only bots."),
    "too-much-sandbox-data": (429, "You have sent too much data to sandboxes today."),
    "too-many-sandboxes": (429, "You have too many sandboxes that are not over."),
    "too-many-studies": (429, "You have too many studies."),
    "too-many-tokens": (429, "You have too many tokens."),
    "too-many-feeds": (429, "You have too many feeds."),
    "too-many-vacations": (429, "You have too many vacations."),
    "too-many-apps": (429, "You have registered too many apps."),
    "too-many-webhooks": (429, "You have too many webhooks."),
    "too-many-devices": (429, "You have too many devices."),
    "too-many-blocks": (429, "You have blocked too many players."),
    "too-many-favorites": (429, "You have too many favorites."),
    "too-many-passkeys": (429, "You have too many passkeys."),
    "too-many-analyses": (429, "You have too many analyses in progress."),
    "too-many-tournaments": (429, "You organize too many tournaments."),
    "too-many-unrequested-commands": (429, "The seat has sent too many commands that answer no question."),
    "too-many-messages": (429, "Too many chat messages were sent within the hour."),
    "too-many-reports": (429, "You have sent too many reports within the hour."),
    "too-many-streams": (429, "Too many streams are open."),
    "too-many-refusals": (429, "Too many commands of the seat were refused."),
    "too-many-pending": (429, "Too many commands are waiting in this game."),
    "internal": (500, "An internal error occurred."),
    "not-ready": (503, "The service is not ready."),
    "not-replicated": (503, "The request may or may not have taken effect."),
    "archive-unavailable": (503, "The archive that contains the game is unavailable."),
    "no-search-worker": (503, "No search worker is running."),
    "too-much-work": (503, "The response takes too long to compute."),
    "quarantined": (503, "The game's log cannot be read. An operator must check it."),
    "needs-release": (503, "The game needs another release of the service."),
}
"""Status and title of each problem by its code, which never changes once released."""

DETAILS: Mapping[str, str] = {
    "bad-token": "The token is unknown, revoked or expired. Use another token of your account.",
    "csrf": "The request was not sent by a page of this service. Repeat the cookie `oraclewheel_csrf` in `X-CSRF-Token`.",
    "registration-closed": "This service accepts no new accounts. Ask its operator.",
    "wrong-code": "The registration code is wrong. Ask the operator for the current code.",
    "sign-in-failed": "The code, link or passkey is wrong, has expired or was used before. Start again, or sign in another way.",
    "sign-in-too-recent": "You signed in by email less than a day ago. Sign in another way to do this, or wait.",
    "wrong-invitation": "The invitation is wrong or was renewed. Ask the game's creator for the current one.",
    "not-admitted": "You cannot take a seat in this game, or sit in for this player.",
    "too-unreliable": "Too few of your recent turns were in time for this game. Choose another game.",
    "unknown-challenge": "You have no such challenge. It may have expired, or its game may have been deleted.",
    "not-challengeable": "The player does not accept challenges, at least not now. Choose another player.",
    "seats-open": "Some seats are still free. Wait for players, or seat bots.",
    "in-progress": "The first request with this Idempotency-Key is still in progress. Repeat your request later.",
    "list-interrupted": "A worker of an older release settled one command and lost the rest of the list. Send the rest again.",
    "question-pending": "A question that the plan answers is already pending. Send the commands instead of a plan.",
    "email-not-confirmed": "Your email address is not confirmed. Open the link in the email that you received, then try again.",
    "address-in-use": "The address signs in to another account. Turn that off there first.",
    "passkeys-disabled": "This service cannot use passkeys: browsers offer them only for a domain with https.",
    "passkey-rejected": "The passkey could not be verified, or five minutes have passed. Start again.",
    "log-diverged": "The game's log does not contain the commit that the request names. Read the game again from its beginning.",
    "stale": "The game has changed since the version in If-Match. Check the missed events, then send the command again.",
    "plan-changed": "The stored plan does not match If-Match or If-None-Match. Get the plan, then try again.",
    "unsupported-encoding": "The body is compressed. Send it uncompressed.",
    "key-reused": "The Idempotency-Key was used for a different request. Use a new key for each request.",
    "too-many-requests": "Too many requests. Wait for the seconds in Retry-After.",
    "too-many-guesses": "Too many wrong codes, invitations or sign-ins. Wait for the seconds in Retry-After.",
    "too-many-lobbies": "You have too many games that have not started. Start or delete one of them.",
    "too-many-sandboxes": "You have too many sandboxes that are not over. Finish one, or delete one that has not started.",
    "too-many-unrequested-commands": "The seat has sent too many commands that answer no question. Wait for the seconds in Retry-After.",
    "too-many-refusals": "Too many commands of the seat were refused. Wait for the seconds in Retry-After.",
    "too-many-analyses": "You have too many analyses in progress. Wait for the seconds in Retry-After.",
    "too-many-messages": "Too many chat messages were sent within the hour. Wait for the seconds in Retry-After.",
    "too-many-reports": "You have sent too many reports within the hour. Wait for the seconds in Retry-After.",
    "too-many-pending": "Too many commands are waiting in this game. Wait for the seconds in Retry-After.",
    "internal": "An internal error occurred. If it happens again, send the X-Request-Id to the operator.",
    "not-ready": "The service is not ready. Try again later.",
    "not-replicated": "The request may or may not have taken effect. Repeat it with the same Idempotency-Key.",
    "archive-unavailable": "The archive that contains the game is unavailable. Try again later.",
    "no-search-worker": "No search worker is running. Try again later, or ask the operator to start one.",
    "too-much-work": "The response takes too long to compute. Request less, or try again later.",
}
"""Default detail of a problem by its code: why it happened and what to do. The title is used for all other codes."""

MAX_ERRORS = 20
"""Maximum number of errors in one response; the rest of the request is not checked."""

REFUSED = 409
RETRY_SECONDS = 2
"""Seconds until a retry if the store does not respond."""

QUARANTINE_RETRY_SECONDS = 30
"""Seconds until a retry for a quarantined game."""


class Problem(Exception):
    """The request fails; ``code`` is a name in the catalogue."""

    def __init__(self, code: str, detail: str = "", headers: Mapping[str, str] | None = None, **members: Any) -> None:
        super().__init__(code)
        self.code, self.detail, self.headers, self.members = code, detail, dict(headers or {}), members

    @property
    def document(self) -> Mapping[str, Any]:
        """The problem document."""
        status, title = CATALOGUE[self.code]
        return {
            "type": f"urn:oraclewheel:problem:{self.code}",
            "title": title,
            "status": status,
            "detail": self.detail or DETAILS.get(self.code, title),
            "code": self.code,
            **self.members,
        }

    @property
    def json_line(self) -> bytes:
        """The document in one line, for a response that has already begun, where no page can be returned."""
        return _json(self.document)

    def response(self) -> Response:
        """The response."""
        return _problem_response(self.document, CATALOGUE[self.code][0], self.headers)


class CommandRefused(Exception):
    """The rules refused a command. Only the HTTP response turns a refusal into a problem document."""

    def __init__(self, refusal: RuleRefusal, headers: Mapping[str, str] | None = None, **members: Any) -> None:
        super().__init__(refusal.code)
        self.refusal, self.headers, self.members = refusal, dict(headers or {}), members

    def response(self) -> Response:
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
        return _problem_response(document, REFUSED, self.headers)


def invalid_fields(faults: Sequence[tuple[str, str]]) -> Problem:
    """The problem of invalid fields: pairs of JSON pointer and expected value, at least one.

    The first `MAX_ERRORS` are shown.
    """
    errors = [{"pointer": pointer, "detail": what} for pointer, what in faults[:MAX_ERRORS]]
    return Problem("invalid", errors[0]["detail"], pointer=errors[0]["pointer"], errors=errors)


def invalid_parameter(name: str, what: str) -> Problem:
    """The problem of an invalid query parameter or header."""
    return Problem("invalid", what, parameter=name)


def quarantine_problem(code: str) -> Problem:
    """The problem of a quarantined game: ``quarantined`` or ``needs-release``."""
    return Problem(code, headers={"Retry-After": str(QUARANTINE_RETRY_SECONDS)})


def sitter_problem(pointer: str) -> Problem:
    """The problem of a sitter who has not agreed."""
    return Problem(
        "sitter-not-agreed",
        "The player must agree to your request first. Name them again after they agree.",
        pointer=pointer,
    )


def suspended_problem(suspension: Suspension, contact: str) -> Problem:
    """The problem of a suspended account. ``contact`` is the operator's email address, or empty."""
    until = "until an operator ends it"
    if suspension.until is not None:
        until = f"until {dt.datetime.fromtimestamp(suspension.until / 1000, dt.UTC):%Y-%m-%d %H:%M} UTC"
    appeal = f"To appeal, write to {contact}." if contact else "To appeal, write to the operator of this service."
    detail = f"Your account is suspended {until}. Reason: {suspension.reason} {appeal}"
    return Problem("suspended", detail, reason=suspension.reason, until=suspension.until, contact=contact or None)


def not_replicated_problem(error: NotReplicated) -> Problem:
    """The problem of a write that too few replicas are known to have."""
    logger("api").warning("not replicated", why=str(error))
    return Problem("not-replicated", headers={"Retry-After": str(RETRY_SECONDS)})


def unreadable_log_problem(error: BrokenLog | UnknownEvent) -> Problem:
    """The problem of a game with data that this release, or any, cannot read."""
    return quarantine_problem("needs-release" if isinstance(error, NeedsRelease | UnknownEvent) else "quarantined")


def _problem_response(document: Mapping[str, Any], status: int, headers: Mapping[str, str]) -> Response:
    if is_browser_visit():
        again = " If you followed a link from an email, open it again." if "ticket" in request.args else ""
        title, detail = str(document["title"]), str(document["detail"])
        text = (escape(detail) if detail != title else "") + again
        return html_page(title, f'{text} <a href="/">Go to the start page</a>'.strip(), "", status, headers)
    response = Response(_json(document), status, mimetype="application/problem+json")
    response.headers["Cache-Control"] = "no-store"
    response.headers.extend(headers)
    return response


def _json(document: Mapping[str, Any]) -> bytes:
    return orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS)


def install(app: Flask) -> None:
    """Turn every exception in a request into a problem."""
    log = logger("api")

    @app.errorhandler(Problem)
    def problem(error: Problem) -> Response:
        return error.response()

    @app.errorhandler(CommandRefused)
    def refused(error: CommandRefused) -> Response:
        return error.response()

    @app.errorhandler(LobbyRefusal)
    def lobby_refusal(error: LobbyRefusal) -> Response:
        return Problem(error.code).response()

    @app.errorhandler(StoreDown)
    def store_down(error: StoreDown) -> Response:
        log.warning("store_unavailable", error=str(error))
        return Problem("not-ready", headers={"Retry-After": str(RETRY_SECONDS)}).response()

    @app.errorhandler(NotReplicated)
    def not_replicated(error: NotReplicated) -> Response:
        return not_replicated_problem(error).response()

    @app.errorhandler(ArchiveDown)
    def archive_down(error: ArchiveDown) -> Response:
        log.error("archive_unavailable", error=str(error))
        return Problem("archive-unavailable", headers={"Retry-After": str(QUARANTINE_RETRY_SECONDS)}).response()

    @app.errorhandler(BrokenLog)
    def broken_log(error: BrokenLog) -> Response:
        return unreadable_log_problem(error).response()

    @app.errorhandler(ResponseError)
    def unreadable_data(error: ResponseError) -> Response:
        """The store cannot use its data: it has another type, or is corrupt.

        If the data is a game's, the game is quarantined.
        """
        game_id = (request.view_args or {}).get("game_id")
        if game_id is None:
            return internal_error(error)
        log.error("game_quarantined", game=game_id, reason=str(error))
        return quarantine_problem("quarantined").response()

    @app.errorhandler(UnknownEvent)
    def unknown_event(error: UnknownEvent) -> Response:
        return unreadable_log_problem(error).response()

    @app.errorhandler(HTTPException)
    def http_error(error: HTTPException) -> Response:
        match error:
            case RequestTimeout():
                return Problem("too-slow").response()
            case RequestEntityTooLarge():
                return Problem("too-large").response()
            case HTTPException(code=404):
                return Problem("not-found").response()
            case HTTPException(code=405):
                allowed = ", ".join(sorted(getattr(error, "valid_methods", None) or ()))
                return Problem("method-not-allowed", headers={"Allow": allowed}).response()
            case HTTPException(code=406):
                return Problem("not-acceptable").response()
            case _:
                return Problem("bad-request").response()

    @app.errorhandler(Exception)
    def internal_error(error: Exception) -> Response:
        log.error("request_failed", exc_info=error)
        return Problem("internal").response()
