"""One watched game in this process.

Its news is read once, the rights of all listeners are checked once, and all get it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterator, Mapping

from domain.kernel.terms import GameId
from service.core.http.access.auth import GameAccess
from service.core.http.context.app import AppContext
from service.core.http.context.lobbies import SeatedLobby
from service.core.http.problems import Problem
from service.core.http.streaming.connections import make_chunk
from service.core.http.streaming.listeners import AccessKey, Audience, Listener, LogPosition, State
from service.core.http.streaming.messages import RenderedCommits, render_commits
from service.ops.logging import logger
from service.store.chain import BrokenLog, WentBack
from service.store.codec import UnknownEvent
from service.store.ports.accounts import Held
from service.store.ports.errors import StoreDown

OUTAGE_SECONDS = 5.0
"""Seconds that the store may be unavailable before listeners are sent to find out for themselves."""

RETRY_SECONDS = 1.0
"""Seconds until the next attempt."""

BATCH_SIZE = 64
"""Number of listeners to write to before other work in this process gets its turn."""

COMMENT = make_chunk(b":\n\n")

log = logger("streams")

CheckedAccess = Mapping[Audience, GameAccess | None]
"""The checked audiences with their current rights. None for one that has lost them."""


class GameWatch:
    """All listeners to one game, and the position read for them.

    Its reading thread starts with the first listener and ends with the last user of the watch. It acts when notified
    (`look`) and is idle without news.
    """

    def __init__(self, context: AppContext, game_id: GameId) -> None:
        self.game_id = game_id
        self.user_count = 0
        """Number of streams that use the watch, listening or not."""
        self.position = LogPosition(0, "")
        """The position read. Listeners are at this position or ahead."""
        self.checked_at = time.monotonic()
        """When it was last known to match the store."""
        self._context = context
        # From here on no news is missed: users of the watch first read for themselves, and then listen.
        self._news = context.store.news.subscribe(game_id)
        self._lock = threading.Lock()
        self._audiences: dict[AccessKey, Audience] = {}
        self._reader: threading.Thread | None = None
        self._unavailable_since: float | None = None

    # -- those who listen ---------------------------------------------------------------------------------------------

    @property
    def tokens(self) -> set[Held]:
        """The tokens of all listeners, each with its account."""
        return {token for audience in list(self._audiences.values()) if (token := audience.token) is not None}

    def join(self, listener: Listener) -> bool:
        """Start to listen from the listener's position. Returns False if it has missed something that was read for all."""
        with self._lock:
            if not self._audiences:
                self.position = listener.position
            elif listener.position.seq < self.position.seq or (
                listener.position.seq == self.position.seq and listener.position != self.position
            ):
                return False
            own = listener.audience
            self._audiences.setdefault(own.access_key, own).add(listener)
            if self._reader is None:
                self._reader = threading.Thread(target=self._read, name="stream-reader", daemon=True)
                self._reader.start()
        return True

    def leave(self, listener: Listener) -> None:
        """The serving thread has finished with it."""
        with self._lock:
            if listener.state == "listening":
                listener.leave("ended")
            if not listener.audience.listeners:
                self._audiences.pop(listener.audience.access_key, None)

    def send_heartbeat(self, listener: Listener) -> None:
        """Send a listener a comment to keep the connection alive."""
        with self._lock:
            if listener.state == "listening":
                listener.send(COMMENT)

    def request_check(self) -> None:
        """Something may have changed: the game, or a listener's rights."""
        self._news.tell()

    def close(self) -> None:
        """The watch is no longer used."""
        self._news.close()
        self._news.tell()

    # -- their reader -------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        while self.user_count:
            self._news.wait(None if self._unavailable_since is None else RETRY_SECONDS)
            try:
                self._check()
                self._unavailable_since = None
            except WentBack:
                self._remove_all("behind")  # what they got is no longer valid: they find out by reading for themselves
            except StoreDown:
                self._tolerate_outage()
            except (BrokenLog, UnknownEvent, Problem) as error:
                if isinstance(error, Problem) and error.code == "too-much-work":
                    self._tolerate_outage()
                else:
                    self._remove_all("ended")  # the clients reconnect: and resume, or get the problem
            except Exception:
                log.exception("stream_reader_failed", game=self.game_id)
                self._remove_all("ended")

    def _tolerate_outage(self) -> None:
        """The store does not respond, or no thread is free: this may pass."""
        self._unavailable_since = self._unavailable_since or time.monotonic()
        if time.monotonic() - self._unavailable_since >= OUTAGE_SECONDS:
            self._remove_all("ended")

    def _remove_all(self, state: State) -> None:
        with self._lock:
            for listener in self._listeners():
                listener.leave(state)
            self._regroup()

    def _check(self) -> None:
        """First the position of the game, then rights, then content: nothing is sent that happened after the check."""
        with self._lock:
            before, asked = self.position, list(self._audiences.values())
        if not asked:
            return
        tokens = {each for audience in asked if (each := audience.token) is not None}
        seq, head, status, held, lobby = self._context.store.followed(self.game_id, tokens)
        self.checked_at = time.monotonic()
        if lobby is None:
            self._remove_all("ended")
            return
        seated = self._context.lobby_cache.to_seated(lobby)
        rights = _check_rights(asked, held, seated, status)
        if seq < before.seq or (seq == before.seq and head != before.head):
            raise WentBack(self.game_id, before.seq, before.head)
        news = RenderedCommits({}, {})
        if seq > before.seq:
            seats = {access.seat for access in rights.values() if access is not None}
            news = render_commits(self._context, self.game_id, seated.narrator, seats, before, seq)
        position = news.end or before
        self._deliver(position, rights, news, over=status == "over" and position.seq == seq)
        if before.seq < position.seq < seq:
            self.request_check()

    # -- delivery ------------------------------------------------------------------------------------------------------

    def _deliver(self, position: LogPosition, rights: CheckedAccess, news: RenderedCommits, *, over: bool) -> None:
        """Bring all listeners to the position, or remove them."""
        with self._lock:
            for audience, access in rights.items():
                if access is not None:
                    audience.access = access
            everybody = list(self._listeners())
        for some in _batches(everybody):
            with self._lock:
                for listener in some:
                    _deliver_to(listener, position, rights, news, over=over)
        with self._lock:
            for listener in self._listeners():  # those who joined in the meantime
                _deliver_to(listener, position, rights, news, over=over)
            self.position = position
            self._regroup()

    def _listeners(self) -> list[Listener]:
        return [listener for audience in self._audiences.values() for listener in audience.listeners]

    def _regroup(self) -> None:
        """Remove empty audiences, and merge those that have become equal because a listener took a seat."""
        audiences, self._audiences = self._audiences, {}
        for audience in audiences.values():
            if audience.listeners:
                one = self._audiences.setdefault(audience.access_key, audience)
                for listener in audience.listeners if one is not audience else ():
                    one.add(listener)


def _check_rights(
    asked: Collection[Audience], held: Collection[Held], seated: SeatedLobby, status: str
) -> CheckedAccess:
    """Current rights, given these valid tokens."""
    return {
        audience: _current_access(audience.access, seated, status)
        if audience.token is None or audience.token in held
        else None
        for audience in asked
    }


def _current_access(access: GameAccess, seated: SeatedLobby, status: str) -> GameAccess | None:
    """A client with a valid token in the current game. None for one that has lost access."""
    try:
        now = access if access.seated is seated and access.by == "player" else access.with_lobby(seated)
        now.require_visible(status)
    except Problem:
        return None
    return now


def _deliver_to(
    listener: Listener, position: LogPosition, rights: CheckedAccess, news: RenderedCommits, *, over: bool
) -> None:
    """Bring a listener to the position, if its rights were checked and it is consistent with the log."""
    if listener.state != "listening":
        return
    had, audience = listener.position, listener.audience
    if audience not in rights:
        if had.seq < position.seq:
            listener.leave("behind")
        return
    access = rights[audience]
    if access is None:
        listener.leave("ended")
        return
    if news.heads.get(had.seq, had.head) != had.head:
        listener.leave("behind")
        return
    if had.seq < position.seq:
        listener.deliver(news.chunk(access.seat, had.seq), position)
    if over and listener.position == position and listener.state == "listening":
        listener.leave("ended")


def _batches(listeners: list[Listener]) -> Iterator[list[Listener]]:
    """A few at a time; between them other work in this process gets its turn."""
    for first in range(0, len(listeners), BATCH_SIZE):
        if first:
            time.sleep(0)
        yield listeners[first : first + BATCH_SIZE]
