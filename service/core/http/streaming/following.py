"""One client's stream: missed entries are read for it alone, and from then on it listens with all others."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from service.core.http.access.auth import GameAccess
from service.core.http.access.reading import COMMITS_AT_A_TIME, progress, read_page
from service.core.http.limits.history_limiter import HistorySlot
from service.core.http.problems import Problem
from service.core.http.streaming.connections import StreamOutput
from service.core.http.streaming.listeners import Listener, LogPosition
from service.core.http.streaming.messages import NEWS_COMMITS, format_message
from service.core.http.streaming.watch import GameWatch
from service.core.http.streaming.watches import HEARTBEAT_SECONDS, RECHECK_SECONDS, WatchRegistry
from service.store.chain import BrokenLog, WentBack
from service.store.codec import UnknownEvent
from service.store.ports.errors import StoreDown

RETRY_SECONDS = 0.05
"""Seconds until a client that joined too late reads again."""


@dataclass(frozen=True, slots=True)
class StreamPage:
    """Messages of a stream, and the client's position after them."""

    access: GameAccess
    """The client with the rights that were checked for this page."""
    read_to: int
    """The last commit read."""
    head_read: str
    """Its head; empty while unknown."""
    rest: Literal["more", "none", "over"]
    """Whether more can be read now, nothing until there is news, or nothing ever."""
    messages: bytes = b""


def follow(watches: WatchRegistry, access: GameAccess, after: int, output: StreamOutput) -> Iterator[bytes]:
    """The chunks of a stream after a commit. Shared chunks may be sent directly through the output."""
    slot, last_sent = HistorySlot(access.context.history_limiter, access.client), time.monotonic()
    page = StreamPage(access, after, "", "more")
    try:
        with watches.watch(access.lobby.id) as watch:
            yield b"retry: 2000\n\n"
            while page.rest != "over":
                revocations = access.context.tokens.revocations
                page = _read_next_page(page, slot)
                now = time.monotonic()
                if page.messages or now - last_sent >= HEARTBEAT_SECONDS:
                    last_sent = now
                    yield page.messages or b":\n\n"
                if page.rest == "none":
                    listener = Listener(page.access, LogPosition(page.read_to, page.head_read), output)
                    yield from _forward_shared(watches, watch, listener, output, revocations)
                    if listener.state == "ended":
                        return
                    page = StreamPage(listener.access, *listener.position, "more")
                    last_sent = time.monotonic()
    except WentBack as error:
        yield _diverged_message(access, error)
    except (StoreDown, BrokenLog, UnknownEvent, Problem):
        return  # the client reconnects: and resumes, or gets the problem
    finally:
        slot.release()


def _forward_shared(
    watches: WatchRegistry, watch: GameWatch, listener: Listener, output: StreamOutput, revocations: int
) -> Iterator[bytes]:
    """Shared chunks, until the client must read for itself again or nothing more is visible to it.

    ``revocations`` is the number received when its rights were checked.
    """
    if not watch.join(listener):  # something has happened since it read
        listener.leave("behind")
        watch.request_check()
        time.sleep(RETRY_SECONDS)
        return
    try:
        if revocations != listener.access.context.tokens.revocations:
            watch.request_check()
        with watches.heartbeats(watch, listener):
            while True:
                state = listener.state  # before the rest is sent: nothing is added after it has changed
                yield from output.drain()
                if state != "listening":
                    return
                listener.wait()
    finally:
        watch.leave(listener)


def _read_next_page(before: StreamPage, slot: HistorySlot) -> StreamPage:
    """The page after another, with the client's current rights. Raises the problem of a client that has lost them.

    The order is: position of the game, rights, content. So nothing is sent that happened after the check, and a client
    checked before a start gets nothing of it. A client that is far behind waits for its turn. Raises `WentBack` if the
    log is shorter than what was read, or continues from another head.
    """
    after, head_read = before.read_to, before.head_read
    seq, head, status = progress(before.access.context, before.access.lobby.id)
    waits = seq - after > NEWS_COMMITS and not slot.acquire(RECHECK_SECONDS)
    try:
        access = before.access.refresh()
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
            slot.release()
    messages = b"".join(format_message(entry) for entry in page.entries)
    if page.read_to < seq:
        return StreamPage(access, page.read_to, page.head, "more" if page.read_to > after else "none", messages)
    return StreamPage(access, page.read_to, page.head, "over" if status == "over" else "none", messages)


def _diverged_message(access: GameAccess, error: WentBack) -> bytes:
    """The last message of a stream whose client is ahead of the log. The stream can be resumed from its id."""
    seq, head, _ = progress(access.context, access.lobby.id)
    problem = access.context.diverged_problem(access.lobby.id, error.seq, error.head, seq, head)
    return b"id: %d\nevent: log-diverged\ndata: %b\n\n" % (seq, problem.json_line)
