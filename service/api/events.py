"""History as the reader may read it: in pages, as NDJSON, or as it happens."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from flask import Blueprint, Response, request

from service.api import replies
from service.api.answers import answer, choice, current, head_header, next_page, number
from service.api.auth import Guest, enter, ticket_or_anyone
from service.api.gate import Turn
from service.api.limits import address
from service.api.problems import Problem
from service.api.reading import BITE, read
from service.api.streams import Counted
from service.api.told import told
from service.projections.digest import last_turn
from service.store.ports import StoreDown

blueprint = Blueprint("events", __name__)

JSON, NDJSON, SSE = "application/json", "application/x-ndjson", "text/event-stream"
PAGE = 100
FURTHEST = 10**15 - 1
HEARTBEAT = 15.0
"""Seconds after which a silent stream shows that it lives."""

REREAD = 5.0
"""Seconds after which a stream reads again although there was no news."""

TICK = 1.0

NEAR = 16
"""Commits that are news; what is further back is history, and read at the gate."""


@blueprint.get("/v1/games/<game>/events")
@told(
    "What has happened",
    text="One entry for each commit that shows its reader anything, with all its lines and a sentence for each; your own "
    "refused commands are among them. `?after=` (a seq) or `?since=my-last-turn` says where to begin. Ask for "
    "`application/x-ndjson` to get all of it, one entry a line; ask for `text/event-stream` to go on hearing: each "
    "message's id is the entry's seq, and `Last-Event-ID` (or `?last_event_id=`) resumes after it. A stream that has "
    "told the end of the game ends, and answers 204 when it is resumed.",
    gives={200: replies.Events, 204: None},
    problems=("unknown-game", "not-your-seat", "not-acceptable", "too-many-streams"),
    parameters=("after", "limit", "since", "seat", "ticket", "last_event_id", "Last-Event-ID"),
    also=(NDJSON, SSE),
)
def events(game: str) -> Response:
    guest = enter(game, ticket_or_anyone(game))
    form = request.accept_mimetypes.best_match([JSON, NDJSON, SSE]) if "Accept" in request.headers else JSON
    if form is None:
        raise Problem("not-acceptable", f"There are {JSON}, {NDJSON} and {SSE}.")
    seq, head, status = _standing(guest)
    guest.must_wait_for(status)
    after = _after(guest)
    headers = {**current(None if guest.player is None else 0), **head_header(seq, head)}
    headers["Vary"] = "Authorization, Accept"
    match form:
        case "text/event-stream":
            return _stream(guest, after, headers, over=status == "over" and after >= seq)
        case "application/x-ndjson":
            most = number("limit", FURTHEST, 1, FURTHEST)
            return Response(_counted(guest, _ndjson(guest, after, seq, most)), mimetype=NDJSON, headers=headers)
        case _:
            return _page(guest, after, seq, headers)


def _standing(guest: Guest) -> tuple[int, str, str]:
    """Seq, head and status; before the start there is no history yet."""
    rows = guest.house.store.log.asked([guest.lobby.id]).get(guest.lobby.id)
    return (0, "", "lobby") if rows is None else (rows.seq, rows.head, rows.status)


def _after(guest: Guest) -> int:
    """The seq to begin after; a stream's own memory goes before the parameters of its first request."""
    header = request.headers.get("Last-Event-ID", "").strip()
    if header.isascii() and header.isdecimal() and len(header) <= 15:
        return int(header)
    if choice("since", ("my-last-turn",)) is not None:
        game, seat = guest.lobby.id, guest.own_seat
        return guest.house.apart.run(lambda desk: last_turn(desk.store.log, game, seat))
    return number("last_event_id", number("after", 0, 0, FURTHEST), 0, FURTHEST)


def _page(guest: Guest, after: int, newest: int, headers: dict[str, str]) -> Response:
    limit = number("limit", PAGE, 1, 1000)
    document: dict[str, Any] = {"events": [], "after": after, "more": False}
    if newest:
        page = read(guest, guest.seat, after, limit)
        more = page.more and page.read_to < newest
        document = {"events": page.entries, "after": page.read_to, "more": more}
        if more:
            headers |= next_page(after=page.read_to)
    return answer(document, headers=headers)


def _ndjson(guest: Guest, after: int, newest: int, most: int) -> Iterator[bytes]:
    while after < newest and most > 0:
        with guest.house.gate.pass_through():
            page = read(guest, guest.seat, after, min(most, BITE))
        yield b"".join(_json(entry) + b"\n" for entry in page.entries)
        after, most = page.read_to, most - len(page.entries)


def _json(entry: Mapping[str, Any]) -> bytes:
    return orjson.dumps(entry, option=orjson.OPT_NON_STR_KEYS)


# -- as it happens ----------------------------------------------------------------------------------------------------


def _stream(guest: Guest, after: int, headers: dict[str, str], *, over: bool) -> Response:
    if over:  # it makes an EventSource stop asking
        return Response(status=204, headers=headers)
    headers["X-Accel-Buffering"] = "no"
    return Response(_counted(guest, _messages(guest, after)), mimetype=SSE, headers=headers)


def _counted(guest: Guest, parts: Iterator[bytes]) -> Counted:
    return guest.house.streams.opened(guest.player, address(), parts)


def _messages(guest: Guest, after: int) -> Iterator[bytes]:
    news, turn = guest.house.store.news.subscribe(guest.lobby.id), Turn(guest.house.gate)
    try:
        yield b"retry: 2000\n\n"
        spoke = looked = time.monotonic()
        fresh, more = True, False
        while _may_listen(guest):
            now = time.monotonic()
            if fresh or now - looked >= REREAD:
                looked = now
                told, after, over, more = _news(guest, after, turn)
                if told:
                    spoke = now
                    yield told
                if over:
                    return
            if now - spoke >= HEARTBEAT:
                spoke = now
                yield b":\n\n"
            fresh = more or news.wait(TICK)
    except StoreDown:
        return  # the reader comes back, and resumes
    finally:
        turn.end()
        news.close()


def _news(guest: Guest, after: int, turn: Turn) -> tuple[bytes, int, bool, bool]:
    """A page of messages after a commit, the last commit read, whether the game has ended with it, and whether more is known.

    Who is far behind reads when it is his turn, and nothing until then.
    """
    seq, _, status = _standing(guest)
    if after >= seq:
        return b"", after, status == "over", False
    if seq - after > NEAR and not turn.comes(REREAD):
        return b"", after, False, True
    try:
        page = read(guest, guest.seat, after, BITE)
    finally:
        turn.end()
    told = b"".join(b"id: %d\ndata: %b\n\n" % (entry["seq"], _json(entry)) for entry in page.entries)
    return told, page.read_to, status == "over" and page.read_to >= seq, after < page.read_to < seq


def _may_listen(guest: Guest) -> bool:
    """A revoked token or a lost seat ends the stream."""
    if guest.credential is None:
        return True
    if not guest.house.tokens.is_alive(guest.credential):
        return False
    if guest.seat is None or guest.asked is not None or guest.lobby.status == "lobby":
        return True
    return guest.seat in guest.house.rooms.room(guest.lobby.id).lobby.seats_of(guest.player)
