"""Sessions of browsers: a credential whose token travels in a cookie that no script can read.

A request that changes something must prove that one of our pages sent it: it repeats the value of a second cookie, which
pages of other origins cannot read. That value follows from the session's token, so it cannot be chosen by others.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import replace

from flask import Response, g, request

from domain.kernel.terms import PlayerId
from service.core.http.access.ids import new_id
from service.core.http.context.app import current_context
from service.core.http.context.tokens import digest_of, new_token
from service.core.http.problems import Problem
from service.store.ports.accounts import SESSION, Credential

COOKIE, CSRF_COOKIE = "oraclewheel_session", "oraclewheel_csrf"
CSRF_HEADER, CSRF_FIELD = "X-CSRF-Token", "csrf_token"

SESSION_SECONDS = 180 * 24 * 3600
"""Seconds without a request after which a session ends."""

RENEW_SECONDS = 24 * 3600
"""Seconds after which a request renews the session."""

MOST_SESSIONS = 50
"""Sessions of an account. One more ends the one that was used least recently."""

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
"""Methods that change nothing."""

_BROWSERS = {
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "Chrome/": "Chrome",
    "CriOS/": "Chrome",
    "Safari/": "Safari",
}
_SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}
"""Parts of a User-Agent; the first that occurs counts, because most browsers name others too."""


def session_token() -> str | None:
    """The token in the session's cookie, if the request has no Authorization header and the cookie was not found dead."""
    if "Authorization" in request.headers or g.get("session_token") == "":
        return None
    return request.cookies.get(COOKIE) or None


def require_own_page(token: str) -> None:
    """Raises the problem ``csrf`` unless the request changes nothing, or one of our pages has sent it."""
    if request.method in SAFE_METHODS:
        return
    given = request.headers.get(CSRF_HEADER)
    if given is None and request.mimetype in ("application/x-www-form-urlencoded", "multipart/form-data"):
        given = request.form.get(CSRF_FIELD)
    require_same_site()
    if not hmac.compare_digest((given or "").encode(), csrf_token(token).encode()):
        raise Problem("csrf")


def require_same_site() -> None:
    """Raises the problem of a request by a page of another site, which could sign a browser in to a foreign account."""
    if request.headers.get("Sec-Fetch-Site") == "cross-site":
        raise Problem("csrf")


def csrf_token(token: str | None = None) -> str:
    """What a page repeats for the session with this token (None: that of the request); empty without a session.

    HTML forms send it in the field `CSRF_FIELD`.
    """
    token = token or session_token()
    return hashlib.sha256(f"csrf\0{token}".encode()).hexdigest() if token else ""


def open_session(
    player: PlayerId,
    scopes: tuple[str, ...],
    minted_by: str = "",
    ends: int | None = None,
    limited_until: int | None = None,
) -> Credential:
    """Sign the player in, in the browser that has sent the request: the response sets the cookies.

    Raises as `new_session`, and the problem of an account or a token that is gone.
    """
    made, token = new_session(player, scopes, minted_by, ends, limited_until)
    _end_excess(player)
    if not current_context().store.accounts.add_token(made, digest_of(token)):
        raise Problem("bad-token", "The account or the token that the session comes from no longer exists.")
    g.session_token = token
    return made


def new_session(
    player: PlayerId,
    scopes: tuple[str, ...],
    minted_by: str = "",
    ends: int | None = None,
    limited_until: int | None = None,
) -> tuple[Credential, str]:
    """The credential of a new session, which is not stored yet, and its token.

    ``ends``: when the credential that the session comes from expires, milliseconds of Unix time. Raises the problem
    ``csrf`` of a request by a page of another site, which would replace the session of the browser.
    """
    require_same_site()
    now = current_context().store.schedule.now()
    expires = now + SESSION_SECONDS * 1000
    made = Credential(
        new_id("c"),
        player,
        scopes,
        now,
        minted_by=minted_by,
        expires_at=expires if ends is None else min(expires, ends),
        kind=SESSION,
        device=device_of(request.headers.get("User-Agent", "")),
        renews=ends is None,
        limited_until=limited_until,
    )
    return made, new_token("s")


def _end_excess(player: PlayerId) -> None:
    context = current_context()
    used = context.store.accounts.last_uses(player)
    sessions = [each for each in context.store.accounts.tokens(player) if each.kind == SESSION]
    sessions.sort(key=lambda each: used.get(each.id, each.made_at))
    for each in sessions[: max(0, len(sessions) - MOST_SESSIONS + 1)]:
        for revoked in context.store.accounts.revoke(player, each.id):
            context.tokens.forget(revoked)


def renew(credential: Credential, token: str) -> Credential:
    """The session, which now ends later if it was not renewed within a day."""
    now = current_context().store.schedule.now()
    until = now + SESSION_SECONDS * 1000
    ends = credential.expires_at
    if credential.kind != SESSION or ends is None or until - ends < RENEW_SECONDS * 1000 or not credential.renews:
        return credential
    renewed = replace(credential, expires_at=until)
    if not current_context().store.accounts.renew(credential, renewed, digest_of(token)):
        return credential
    g.session_token = token
    return renewed


def drop_session() -> None:
    """The response removes the cookies."""
    g.session_token = ""


def set_cookies(response: Response) -> Response:
    """Set or remove the cookies, if the request has opened, renewed or ended a session."""
    token = g.get("session_token")
    if token is None:
        return response
    age = SESSION_SECONDS if token else 0
    set_cookie(response, COOKIE, token, age)
    set_cookie(response, CSRF_COOKIE, csrf_token(token) if token else "", age, httponly=False)
    response.headers["Cache-Control"] = "no-store"
    return response


def set_cookie(response: Response, name: str, value: str, seconds: int, *, httponly: bool = True) -> None:
    """Set a cookie of this service; 0 seconds remove it."""
    secure = request.is_secure or current_context().settings.public_url.startswith("https:")
    response.set_cookie(name, value, max_age=seconds, path="/", secure=secure, httponly=httponly, samesite="Lax")


def device_of(agent: str) -> str:
    """Browser and system of a User-Agent in words; empty if they are unknown."""
    browser = next((name for mark, name in _BROWSERS.items() if mark in agent), "")
    system = next((name for mark, name in _SYSTEMS.items() if mark in agent), "")
    return f"{browser} on {system}" if browser and system else browser or system
