"""History as the reader may read it: in pages, as NDJSON, or as it happens."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import orjson
from flask import Blueprint, Response, request

from domain.terms import GameId
from service.api.access.auth import GameAccess, authorize, ticket_or_caller
from service.api.access.reading import COMMITS_AT_A_TIME, read_page
from service.api.access.told import HTML, JSON, TEXT, read, reply
from service.api.http.answers import head_header, query_choice, query_number, revalidated
from service.api.http.problems import Problem, unreadable
from service.api.limits.gate import Turn
from service.api.limits.rates import address
from service.api.limits.streams import Counted
from service.api.reference.routes import documented
from service.api.schemas import replies
from service.projections.history.digest import last_turn
from service.store.chain import BrokenLog, WentBack
from service.store.codec import UnknownEvent
from service.store.ports.errors import StoreDown

blueprint = Blueprint("events", __name__)

NDJSON, SSE = "application/x-ndjson", "text/event-stream"
FORMS = (JSON, NDJSON, SSE, TEXT, HTML)
FURTHEST = 10**15 - 1
HEARTBEAT = 15.0
"""Seconds after which a silent stream shows that it lives."""

REREAD = 5.0
"""Seconds after which a stream reads again although there was no news."""

TICK = 1.0

NEAR = 16
"""Commits that are news; what is further back is history, and read at the gate."""


@blueprint.get("/v1/games/<game>/events")
@documented(
    "What has happened",
    operation="listEvents",
    text="One entry for each commit that shows its reader anything, with all its lines and a sentence for each; your own "
    "refused commands are among them. Whoever has resigned reads as the public does from the next commit to the end of the "
    "game. `?after=` (a seq) or `?since=my-last-turn` says where to begin. Ask for "
    "`application/x-ndjson` to get all of it, one entry a line; ask for `text/event-stream` to go on hearing: each "
    "message's id is the entry's seq, and `Last-Event-ID` (or `?last_event_id=`) resumes after it. It ends when you lose "
    "what you opened it with: the token, the seat, a private game. A stream that has "
    "told the end of the game ends, and answers 204 when it is resumed. `?digest=turn` tells a page of it in paragraphs "
    "instead, one for a player's turn or a day, as the kind of game has them: `after` goes on from there, and a paragraph "
    "that is not finished comes again, whole. `?since=my-last-turn` adds what has changed for you, and what you are to "
    "answer, as data and in words. A page can be had as `text/plain` and as `text/html` too.",
    gives={200: replies.Events, 204: None},
    problems=("unknown-game", "not-your-seat", "not-acceptable", "log-went-back", "too-many-streams"),
    parameters=("after", "entries", "since", "digest", "seat", "ticket", "last_event_id", "Last-Event-ID"),
    also=(NDJSON, SSE, TEXT, HTML),
    answer="A page of the history, or all of it, or the history as it happens.",
    headers=("Game-Head", "Link"),
)
def events(game_id: GameId) -> Response:
    access = authorize(game_id, ticket_or_caller(game_id))
    form = request.accept_mimetypes.best_match(FORMS) if "Accept" in request.headers else JSON
    digest = query_choice("digest", ("turn",)) is not None
    if form is None or (digest and form in (NDJSON, SSE)):
        raise Problem("not-acceptable", f"There are {', '.join(FORMS)}; of a digest no streams.")
    # Who came before the start reads nothing of the game that has begun since: the seat may be another's by now.
    seq, head, status = (0, "", "lobby") if access.lobby.status == "lobby" else _progress(access)
    access.require_visible(status)
    after = _after(access)
    if after > seq and form != SSE:
        raise access.context.went_back(game_id, after, "", seq, head)
    headers = {**revalidated(None if access.player_id is None else 0), **head_header(seq, head)}
    headers["Vary"] = "Authorization, Accept"
    if seq:
        access.narrator  # noqa: B018 - without the game's rules there is no history: said before a body begins
    match form:
        case "text/event-stream":
            return _stream(access, after, headers, over=status == "over" and after == seq)
        case "application/x-ndjson":
            most = query_number("limit", FURTHEST, 1, FURTHEST)
            return Response(_counted(access, _ndjson(access, after, seq, most)), mimetype=NDJSON, headers=headers)
        case _:
            return reply(read(access, after, seq, status, digest=digest), form, access, headers)


def _progress(access: GameAccess) -> tuple[int, str, str]:
    """Seq, head and status of the game as it stands; before the start there is no history yet."""
    rows = access.context.store.log.asked([access.lobby.id]).get(access.lobby.id)
    return (0, "", "lobby") if rows is None else (rows.seq, rows.head, rows.status)


def _after(access: GameAccess) -> int:
    """The seq to begin after; a stream's own memory goes before the parameters of its first request."""
    header = request.headers.get("Last-Event-ID", "").strip()
    if header.isascii() and header.isdecimal() and len(header) <= 15:
        return int(header)
    if query_choice("since", ("my-last-turn",)) is not None:
        game_id, seat = access.lobby.id, access.own_seat
        if access.lobby.status == "lobby":
            return 0
        return access.context.offload.run(lambda reads: last_turn(reads.store.log, game_id, seat), access.who)
    return query_number("last_event_id", query_number("after", 0, 0, FURTHEST), 0, FURTHEST)


def _ndjson(access: GameAccess, after: int, newest: int, most: int) -> Iterator[bytes]:
    head_read = ""
    while after < newest and most > 0:
        try:
            with access.context.gate.pass_through(access.who):
                try:
                    access = access.renewed()
                except Problem:
                    return
                page = read_page(access, access.seat, after, newest, min(most, COMMITS_AT_A_TIME), head_read)
        except WentBack as error:
            now, head, _ = _progress(access)
            yield (
                access.context.went_back(access.lobby.id, error.seq, error.head, now, head).answer().get_data() + b"\n"
            )
            return
        except (BrokenLog, UnknownEvent) as error:
            yield unreadable(error).answer().get_data() + b"\n"
            return
        if page.read_to == after:
            return
        yield b"".join(_json(entry) + b"\n" for entry in page.entries)
        after, head_read, most = page.read_to, page.head, most - len(page.entries)


def _json(entry: Mapping[str, Any]) -> bytes:
    return orjson.dumps(entry, option=orjson.OPT_NON_STR_KEYS)


# -- as it happens ----------------------------------------------------------------------------------------------------


def _stream(access: GameAccess, after: int, headers: dict[str, str], *, over: bool) -> Response:
    if over:  # it makes an EventSource stop asking
        return Response(status=204, headers=headers)
    headers["X-Accel-Buffering"] = "no"
    return Response(_counted(access, _follow(access, after)), mimetype=SSE, headers=headers)


def _counted(access: GameAccess, parts: Iterator[bytes]) -> Counted:
    return access.context.streams.opened(access.player_id, address(), parts)


def _follow(access: GameAccess, after: int) -> Iterator[bytes]:
    tokens = access.context.tokens
    news, turn = access.context.store.news.subscribe(access.lobby.id), Turn(access.context.gate, access.who)
    try:
        yield b"retry: 2000\n\n"
        last_sent = last_read = time.monotonic()
        fresh, revocations = True, tokens.revocations
        page = StreamPage(access, after, "", "more")
        while True:
            now = time.monotonic()
            if fresh or revocations != tokens.revocations or now - last_read >= REREAD:
                last_read, revocations = now, tokens.revocations
                page = _next_page_of(page, turn)
                if page.messages:
                    last_sent = now
                    yield page.messages
                if page.rest == "over":
                    return
            if now - last_sent >= HEARTBEAT:
                last_sent = now
                yield b":\n\n"
            fresh = page.rest == "more" or news.wait(TICK)
    except WentBack as error:
        yield _went_back(access, error)
    except (StoreDown, BrokenLog, UnknownEvent, Problem):
        return  # the reader comes back: and resumes, or hears what is wrong
    finally:
        turn.end()
        news.close()


@dataclass(frozen=True, slots=True)
class StreamPage:
    """Some messages of a stream, and how far its reader has come with them."""

    access: GameAccess
    """The reader as they were let in for it."""
    read_to: int
    """The last commit read."""
    head_read: str
    """Its head; empty while it is not known."""
    rest: Literal["more", "none", "over"]
    """Whether more can be read now, nothing until there is news, or nothing ever."""
    messages: bytes = b""


def _next_page_of(before: StreamPage, turn: Turn) -> StreamPage:
    """The page after another, for the reader as they are now; raises the problem of a reader who has lost their right.

    First how far the game is, then who reads, then what: so nothing is sent that happened after they were let in, and
    who is let in before a start gets nothing of it. Who is far behind reads when it is their turn, and nothing until
    then. Raises `WentBack` where the log is shorter than what was read, or goes on from another head.
    """
    after, head_read = before.read_to, before.head_read
    seq, head, status = _progress(before.access)
    waits = seq - after > NEAR and not turn.comes(REREAD)
    try:
        access = before.access.renewed()
        access.require_visible(status)
        if after > seq or (after == seq and head_read not in ("", head)):
            raise WentBack(access.lobby.id, after, head_read)
        if waits:
            return StreamPage(access, after, head_read, "more")
        if after == seq:
            return StreamPage(access, after, head, "over" if status == "over" else "none")
        page = read_page(access, access.seat, after, seq, COMMITS_AT_A_TIME, head_read)
    finally:
        if not waits:
            turn.end()
    messages = b"".join(b"id: %d\ndata: %b\n\n" % (entry["seq"], _json(entry)) for entry in page.entries)
    if page.read_to < seq:
        return StreamPage(access, page.read_to, page.head, "more" if page.read_to > after else "none", messages)
    return StreamPage(access, page.read_to, page.head, "over" if status == "over" else "none", messages)


def _went_back(access: GameAccess, error: WentBack) -> bytes:
    """The last message of a stream whose reader is ahead of the log: from its id on it can be resumed."""
    seq, head, _ = _progress(access)
    problem = access.context.went_back(access.lobby.id, error.seq, error.head, seq, head)
    return b"id: %d\nevent: log-went-back\ndata: %b\n\n" % (seq, problem.answer().get_data().rstrip())
