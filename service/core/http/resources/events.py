"""Routes for the history of a game as pages, NDJSON or a stream."""

from __future__ import annotations

from collections.abc import Iterator

from flask import Blueprint, Response, current_app, request

from domain.kernel.terms import GameId
from service.core.accounts.scopes import GAMES_READ
from service.core.history.digest import find_last_turn
from service.core.http.access.auth import GameAccess, authorize, ticket_or_caller
from service.core.http.access.history_page import HTML, JSON, TEXT, read_history, render_page
from service.core.http.access.reading import COMMITS_AT_A_TIME, progress, read_page
from service.core.http.limits.rates import client_address
from service.core.http.limits.streams import CountedStream
from service.core.http.problems import Problem, unreadable_log_problem
from service.core.http.reference.parameters import FURTHEST
from service.core.http.reference.routes import documented
from service.core.http.responses import (
    head_header,
    preferred_media_type,
    query_choice,
    query_number,
    revalidation_headers,
)
from service.core.http.schemas import replies
from service.core.http.streaming.connections import open_output
from service.core.http.streaming.following import follow
from service.core.http.streaming.messages import to_json
from service.core.http.streaming.watches import WATCHES, WatchRegistry
from service.store.chain import BrokenLog, WentBack
from service.store.codec import UnknownEvent

blueprint = Blueprint("events", __name__)

NDJSON, SSE = "application/x-ndjson", "text/event-stream"
FORMS = (JSON, NDJSON, SSE, TEXT, HTML)


@blueprint.get("/v1/games/<game>/events")
@documented(
    "List or stream events",
    operation="listEvents",
    scope=GAMES_READ,
    text="Each entry is one commit that the reader can see, with all its lines and a sentence for each line. "
    "Your own refused commands are included. A player who resigned reads what the public reads, from the "
    "next commit until the game is over. Start after a seq with `?after=`, or after your last turn with "
    "`?since=my-last-turn`.\n\nThe `Accept` header selects the format. `application/x-ndjson` returns the "
    "whole history, one `HistoryEntry` per line. `text/event-stream` streams new entries; each message id is the "
    "seq of the entry, and `Last-Event-ID` (or `?last_event_id=`) resumes after it. The stream closes when you "
    "lose access: your token is revoked, you lose your seat, or you can no longer see a private game. It "
    "also closes at the end of the game; resuming it then returns 204.\n\n`?digest=turn` returns a page of "
    "paragraphs instead, one for each turn of a player or each day, depending on the kind of game. `after` "
    "continues after the last paragraph; an unfinished paragraph is returned again in full. "
    "`?since=my-last-turn` adds what changed for you and your pending questions, as data and as text. A "
    "page is also available as `text/plain` and `text/html`.",
    gives={200: replies.EventPage, 204: None},
    problems=("unknown-game", "not-your-seat", "not-acceptable", "log-diverged", "too-many-streams"),
    parameters=("after", "entries", "since", "digest", "seat", "ticket", "last_event_id", "Last-Event-ID"),
    also=(NDJSON, SSE, TEXT, HTML),
    answer="A page of the history, the whole history, or a stream of events.",
    headers=("Game-Head", "Link"),
)
def events(game_id: GameId) -> Response:
    access = authorize(game_id, ticket_or_caller(game_id))
    form = preferred_media_type(FORMS)
    digest = query_choice("digest", ("turn",)) is not None
    if form is None or (digest and form in (NDJSON, SSE)):
        raise Problem("not-acceptable", f"Available formats: {', '.join(FORMS)}. A digest cannot be streamed.")
    after = _after(access)  # before the progress: a turn that is settled between the two would be beyond it
    # A caller who entered before the start must not read the game that has begun since: another player may have the
    # seat.
    seq, head, status = (
        (0, "", "lobby") if access.lobby.status == "lobby" else progress(access.context, access.lobby.id)
    )
    access.require_visible(status)
    if after > seq and form != SSE:
        raise access.context.diverged_problem(game_id, after, "", seq, head)
    headers = {**revalidation_headers(None if access.player_id is None else 0), **head_header(seq, head)}
    headers["Vary"] = "Authorization, Cookie, Accept"
    if seq:
        access.narrator  # noqa: B018 - without the game's rules there is no history: said before a body begins
    match form:
        case "text/event-stream":
            return _stream(access, after, headers, over=status == "over" and after == seq)
        case "application/x-ndjson":
            most = query_number("limit", FURTHEST, 1, FURTHEST)
            return Response(_counted(access, _ndjson(access, after, seq, most)), mimetype=NDJSON, headers=headers)
        case _:
            return render_page(read_history(access, after, seq, status, digest=digest), form, access, headers)


def _after(access: GameAccess) -> int:
    """The seq to begin after. A stream's Last-Event-ID takes precedence over the parameters of its first request."""
    header = request.headers.get("Last-Event-ID", "").strip()
    if header.isascii() and header.isdecimal() and len(header) <= 15:
        return int(header)
    if query_choice("since", ("my-last-turn",)) is not None:
        game_id, seat = access.lobby.id, access.own_seat
        if access.lobby.status == "lobby":
            return 0
        return access.context.offload.run(lambda reads: find_last_turn(reads.store.log, game_id, seat), access.client)
    return query_number("last_event_id", query_number("after", 0, 0, FURTHEST), 0, FURTHEST)


def _ndjson(access: GameAccess, after: int, newest: int, most: int) -> Iterator[bytes]:
    head_read = ""
    while after < newest and most > 0:
        try:
            with access.context.history_limiter.slot(access.client):
                try:
                    access = access.refresh()
                except Problem:
                    return
                page = read_page(access, access.seat, after, newest, min(most, COMMITS_AT_A_TIME), head_read)
        except WentBack as error:
            now, head, _ = progress(access.context, access.lobby.id)
            yield (access.context.diverged_problem(access.lobby.id, error.seq, error.head, now, head).json_line + b"\n")
            return
        except (BrokenLog, UnknownEvent) as error:
            yield unreadable_log_problem(error).json_line + b"\n"
            return
        if page.read_to == after:
            return
        yield b"".join(to_json(entry) + b"\n" for entry in page.entries)
        after, head_read, most = page.read_to, page.head, most - len(page.entries)


# -- as it happens ----------------------------------------------------------------------------------------------------


def _stream(access: GameAccess, after: int, headers: dict[str, str], *, over: bool) -> Response:
    if over:  # makes an EventSource stop reconnecting
        return Response(status=204, headers=headers)
    headers["X-Accel-Buffering"] = "no"
    watches: WatchRegistry = current_app.extensions[WATCHES]
    chunks = follow(watches, access, after, open_output(request.environ))
    return Response(_counted(access, chunks), mimetype=SSE, headers=headers)


def _counted(access: GameAccess, chunks: Iterator[bytes]) -> CountedStream:
    return access.context.stream_limiter.count(access.player_id, client_address(), chunks)
