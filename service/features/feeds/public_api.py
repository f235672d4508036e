"""Feeds behind secret URLs: the history of a game, pending questions, deadlines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, g

from domain import RELEASE
from service.core.accounts.scopes import GAMES_READ
from service.core.history.seating import describe_game
from service.core.history.since import describe_question
from service.core.history.turns import TurnPage, read_visible_turns
from service.core.http import atom
from service.core.http.access.auth import GameAccess, authorize
from service.core.http.access.quotas import HOUR
from service.core.http.access.reading import progress, reader_in
from service.core.http.context.app import current_context
from service.core.http.context.lobbies import LobbyCache, SeatedLobby
from service.core.http.context.offload import ReadContext
from service.core.http.context.tokens import digest_of
from service.core.http.limits.rates import client_address, limit_problem
from service.core.http.problems import Problem
from service.core.http.reference.parameters import FURTHEST
from service.core.http.reference.routes import documented
from service.core.http.resources.inbox import turns_of
from service.core.http.responses import not_modified, query_choice, query_number
from service.core.notifications.preferences import get_preferences
from service.core.positions.game_config import GameConfig
from service.features.feeds import icalendar
from service.store.ports.accounts import FEED, Credential, SecretAddress

blueprint = Blueprint("secret_feeds", __name__)


GAME, TURNS, CALENDAR = "game", "turns", "calendar"

PAGE = 30
"""Paragraphs of a game's history on a page of its feed."""

BEFORE = 16
"""Without the website, a question's link leads to the history from this many commits before it."""

MOST = 200
"""Maximum number of questions in a feed or calendar: the most urgent ones."""

HIDDEN = {
    "Cache-Control": "private, no-cache",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}
"""Anyone with the URL can read the feed: no cache, no search index and no other site may learn it."""


@blueprint.get("/feeds/<secret>.atom")
@documented(
    "Read an Atom feed",
    operation="getAtomFeed",
    text="A feed of a game has one entry per paragraph of its history, newest first, with a link to the previous "
    "page (`?before=`, RFC 5005). A feed of turns has one entry per pending question. The id of an entry "
    "never changes; `updated` is the time of the latest addition.",
    gives={200: atom.MEDIA_TYPE, 304: None},
    problems=("not-found", "suspended", "too-much-work", "quarantined", "needs-release"),
    parameters=("before", "If-None-Match"),
    auth="none",
    answer="The feed.",
    headers=("ETag",),
)
def atom_feed(secret: str) -> Response:
    found = _found(secret, GAME, TURNS)
    if found.kind == TURNS:
        return _tagged(_turns_feed(found), atom.MEDIA_TYPE)
    return _game_feed(found)


@blueprint.get("/feeds/<secret>.ics")
@documented(
    "Read a calendar of deadlines",
    operation="getCalendarFeed",
    text="Each of your pending questions with a deadline is an event at that time, or with `?as=tasks` a task "
    "due at that time.",
    gives={200: icalendar.MEDIA_TYPE, 304: None},
    problems=("not-found", "suspended", "too-much-work"),
    parameters=("as", "If-None-Match"),
    auth="none",
    answer="The calendar.",
    headers=("ETag",),
)
def calendar(secret: str) -> Response:
    found = _found(secret, CALENDAR)
    form = query_choice("as", icalendar.FORMS) or icalendar.EVENTS
    deadlines = [
        icalendar.CalendarDeadline(
            f"{turn['id']}@{turn['game']}.oraclewheel", f"Due: {title}", text, turn["since"], turn["deadline"], link
        )
        for turn, title, text, link in _waiting(found)
        if turn["deadline"] is not None
    ]
    return _tagged(icalendar.render_calendar("Oracle Wheel", deadlines, form), icalendar.MEDIA_TYPE)


def _found(secret: str, *kinds: str) -> SecretAddress:
    """The feed of a secret URL. Raises the same problem for every invalid one, and those of a suspended account and of too many requests."""
    context = current_context()
    g.limit = context.rate_limiter.take(client_address())
    found = context.store.accounts.by_address(digest_of(secret))
    if found is None or found.purpose != FEED or found.kind not in kinds:
        raise _nothing_there()
    context.tokens.require_active(found.player)
    if not context.store.accounts.holds(found.player, found.credential):
        raise _nothing_there()
    per_hour = context.settings.rate_feeds
    if per_hour:
        allowed, _, seconds = context.store.accounts.allow(f"feed:{found.id}", per_hour, per_hour / HOUR)
        if not allowed:
            raise limit_problem(seconds)
    return found


def _nothing_there() -> Problem:
    return Problem("not-found", headers=HIDDEN)


def _tagged(body: bytes, media_type: str, etag: str = "") -> Response:
    etag = etag or f'"{digest_of(body.hex())[:24]}"'
    known = not_modified(etag, HIDDEN)
    if known is not None:
        return known
    response = Response(body, content_type=f"{media_type}; charset=utf-8")
    response.headers["ETag"] = etag
    response.headers.update(HIDDEN)
    return response


def _waiting(found: SecretAddress) -> list[tuple[Mapping[str, Any], str, str, str]]:
    """The player's pending questions with a title, a text and a link, the most urgent first."""
    context = current_context()
    base, web = context.base_url(), context.settings.web != "off"

    def told(reads: ReadContext) -> list[tuple[Mapping[str, Any], str, str, str]]:
        lobbies = LobbyCache(reads.store, reads.positions)
        zone = get_preferences(reads.store, found.player).zone
        shown: list[tuple[Mapping[str, Any], str, str, str]] = []
        for turn in turns_of(reads, lobbies, found.player)[:MOST]:
            seated = lobbies.get(turn["game"])
            asked = describe_question(seated.narrator, turn, zone)
            title = describe_game(seated.lobby, seated.names(), seated.lobby.seats_of(found.player)).text
            # The link must not change while the question is pending, or each read would create a new entry.
            link, after = _link(base, seated, web=web), int(turn["id"].partition(":")[0]) - BEFORE
            shown.append((turn, title, asked, f"{link}&after={after}" if link and not web and after > 0 else link))
        return shown

    return context.offload.run(told, found.player)


def _turns_feed(found: SecretAddress) -> bytes:
    shown = [
        atom.AtomEntry(
            f"urn:oraclewheel:question:{turn['game']}:{turn['id']}", title, text, turn["since"], turn["since"], link
        )
        for turn, title, text, link in _waiting(found)
    ]
    shown.sort(key=lambda entry: entry.updated, reverse=True)
    updated = shown[0].updated if shown else found.made_at
    return atom.render_atom(atom.AtomFeed(f"urn:oraclewheel:feed:{found.id}", "My turns", updated, shown))


def _link(base: str, seated: SeatedLobby, *, web: bool) -> str:
    """The URL of the game's page. Without the website that of its history; empty if a browser without a token cannot read it."""
    lobby = seated.lobby
    if web:
        return f"{base}/games/{lobby.id}"
    return "" if lobby.visibility == "private" else f"{base}/v1/games/{lobby.id}/events?digest=turn"


def _moment(link: str, seq: int, *, web: bool) -> str:
    """The URL of a commit: in the replay of the game, or in its history."""
    if web:
        return f"{link}/replay?at={seq}"
    return link and f"{link}{f'&after={seq - 1}' if seq > 1 else ''}#seq-{seq}"


# -- a game's history ---------------------------------------------------------------------------------------------------


def _game_feed(found: SecretAddress) -> Response:
    access = _access(found)
    before = query_number("before", FURTHEST, 1, FURTHEST)
    started = access.lobby.status != "lobby"
    seq, head = progress(access.context, access.lobby.id)[:2] if started else (0, "")
    access = _access(found)  # a player who has lost the seat since sees nothing that came after
    names = ", ".join(access.seated.names().values())
    web = access.context.settings.web != "off"
    link = _link(access.context.base_url(), access.seated, web=web)
    title = f"{access.lobby.title} ({access.game.title}: {names})"
    etag = f'"{digest_of(f"{seq} {head} {before} {RELEASE} {title} {link}")[:24]}"'
    known = not_modified(etag, HIDDEN)
    if known is not None:
        return known
    newest = TurnPage((), None) if not seq else _turns(access, seq, None if before == FURTHEST else before)
    reader = "public" if access.seat is None else f"seat:{access.seat}"
    stem = f"urn:oraclewheel:told:{access.lobby.id}:{reader}"
    shown = [
        atom.AtomEntry(
            f"{stem}:{turn.first_seq}{f'.{turn.index}' if turn.index else ''}",
            turn.title,
            turn.text,
            turn.first_at,
            turn.last_at,
            _moment(link, turn.first_seq, web=web),
        )
        for turn in newest.turns
        if turn.text  # readers show an entry once, so an entry without text must wait
    ]
    updated = max((entry.updated for entry in shown), default=access.lobby.made_at)
    older = f"?before={newest.older}" if newest.older is not None else ""
    return _tagged(
        atom.render_atom(atom.AtomFeed(f"urn:oraclewheel:feed:{found.id}", title, updated, shown, link, older)),
        atom.MEDIA_TYPE,
        etag,
    )


def _access(found: SecretAddress) -> GameAccess:
    """The player's current access to the game. Raises the problem of an invalid URL if they have lost it."""
    assert found.game is not None
    credential = Credential(found.credential, found.player, (GAMES_READ,), found.made_at, FEED, found.game)
    try:
        access = authorize(found.game, credential, fresh=True)
    except Problem as problem:
        raise _nothing_there() if problem.code == "unknown-game" else problem from problem
    if found.seated and access.seat is None:
        raise _nothing_there()
    return access


def _turns(access: GameAccess, seq: int, before: int | None) -> TurnPage:
    seat, narrator = access.seat, access.narrator

    def newest(reads: ReadContext, facts: GameConfig) -> TurnPage:
        reader = reader_in(reads, facts, seat)
        return read_visible_turns(reads.store.log, facts, reader, narrator, seq, PAGE, before)

    return access.compute(newest)
