"""One watched game in this process.

Its news is read once, the rights of all listeners are checked once, and all get it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterator, Mapping

from domain.terms import GameId
from service.api.access.auth import GameAccess
from service.api.access.streaming.connections import part
from service.api.access.streaming.listeners import Audience, Listener, Mark, Right, State
from service.api.access.streaming.messages import Told, told
from service.api.context.app import AppContext
from service.api.context.lobbies import SeatedLobby
from service.api.http.problems import Problem
from service.process.logs import logger
from service.store.chain import BrokenLog, WentBack
from service.store.codec import UnknownEvent
from service.store.ports.accounts import Held
from service.store.ports.errors import StoreDown

PATIENCE = 5.0
"""Seconds that the store may be unavailable before listeners are sent to find out for themselves."""

AGAIN = 1.0
"""Seconds until the next attempt."""

AT_A_TIME = 64
"""Number of listeners to write to before other work in this process gets its turn."""

COMMENT = part(b":\n\n")

log = logger("streams")

Rights = Mapping[Audience, GameAccess | None]
"""The checked audiences with their current rights. None for one that has lost them."""


class Watch:
    """All listeners to one game, and the position read for them.

    Its reading thread starts with the first listener and ends with the last user of the watch. It acts when notified
    (`look`) and is idle without news.
    """

    def __init__(self, context: AppContext, game_id: GameId) -> None:
        self.game_id = game_id
        self.wanted = 0
        """Number of streams that use the watch, listening or not."""
        self.at = Mark(0, "")
        """The position read. Listeners are at this position or ahead."""
        self.looked = time.monotonic()
        """When it was last known to match the store."""
        self._context = context
        # From here on no news is missed: users of the watch first read for themselves, and then listen.
        self._news = context.store.news.subscribe(game_id)
        self._guard = threading.Lock()
        self._audiences: dict[Right, Audience] = {}
        self._reader: threading.Thread | None = None
        self._away_since: float | None = None

    # -- those who listen ---------------------------------------------------------------------------------------------

    @property
    def tokens(self) -> set[Held]:
        """The tokens of all listeners, each with its account."""
        return {token for audience in list(self._audiences.values()) if (token := audience.token) is not None}

    def join(self, listener: Listener) -> bool:
        """Start to listen from the listener's mark. Returns False if it has missed something that was read for all."""
        with self._guard:
            if not self._audiences:
                self.at = listener.mark
            elif listener.mark.seq < self.at.seq or (listener.mark.seq == self.at.seq and listener.mark != self.at):
                return False
            own = listener.audience
            self._audiences.setdefault(own.right, own).take(listener)
            if self._reader is None:
                self._reader = threading.Thread(target=self._read, name="stream-reader", daemon=True)
                self._reader.start()
        return True

    def leave(self, listener: Listener) -> None:
        """The serving thread has finished with it."""
        with self._guard:
            if listener.state == "listening":
                listener.leave("ended")
            if not listener.audience.listeners:
                self._audiences.pop(listener.audience.right, None)

    def comfort(self, listener: Listener) -> None:
        """Send a listener a comment to keep the connection alive."""
        with self._guard:
            if listener.state == "listening":
                listener.send(COMMENT)

    def look(self) -> None:
        """Something may have changed: the game, or a listener's rights."""
        self._news.tell()

    def close(self) -> None:
        """The watch is no longer used."""
        self._news.close()
        self._news.tell()

    # -- their reader -------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        while self.wanted:
            self._news.wait(None if self._away_since is None else AGAIN)
            try:
                self._look()
                self._away_since = None
            except WentBack:
                self._dismiss("behind")  # what they got is no longer valid: they find out by reading for themselves
            except StoreDown:
                self._bear()
            except (BrokenLog, UnknownEvent, Problem) as error:
                if isinstance(error, Problem) and error.code == "too-much-work":
                    self._bear()
                else:
                    self._dismiss("ended")  # the clients reconnect: and resume, or get the problem
            except Exception:
                log.exception("stream_reader_failed", game=self.game_id)
                self._dismiss("ended")

    def _bear(self) -> None:
        """The store does not respond, or no thread is free: this may pass."""
        self._away_since = self._away_since or time.monotonic()
        if time.monotonic() - self._away_since >= PATIENCE:
            self._dismiss("ended")

    def _dismiss(self, state: State) -> None:
        with self._guard:
            for listener in self._listeners():
                listener.leave(state)
            self._regroup()

    def _look(self) -> None:
        """First the position of the game, then rights, then content: nothing is sent that happened after the check."""
        with self._guard:
            at, asked = self.at, list(self._audiences.values())
        if not asked:
            return
        tokens = {each for audience in asked if (each := audience.token) is not None}
        seq, head, status, held, lobby = self._context.store.followed(self.game_id, tokens)
        self.looked = time.monotonic()
        if lobby is None:
            self._dismiss("ended")
            return
        seated = self._context.lobby_cache.to_seated(lobby)
        rights = _rights(asked, held, seated, status)
        if seq < at.seq or (seq == at.seq and head != at.head):
            raise WentBack(self.game_id, at.seq, at.head)
        news = Told({}, {})
        if seq > at.seq:
            seats = {access.seat for access in rights.values() if access is not None}
            news = told(self._context, self.game_id, seated.narrator, seats, at, seq)
        mark = news.mark or at
        self._hand_out(mark, rights, news, over=status == "over" and mark.seq == seq)
        if at.seq < mark.seq < seq:
            self.look()

    # -- handing out --------------------------------------------------------------------------------------------------

    def _hand_out(self, mark: Mark, rights: Rights, news: Told, *, over: bool) -> None:
        """Bring all listeners to the mark, or remove them."""
        with self._guard:
            for audience, access in rights.items():
                if access is not None:
                    audience.access = access
            everybody = list(self._listeners())
        for some in _slices(everybody):
            with self._guard:
                for listener in some:
                    _hand(listener, mark, rights, news, over=over)
        with self._guard:
            for listener in self._listeners():  # those who joined in the meantime
                _hand(listener, mark, rights, news, over=over)
            self.at = mark
            self._regroup()

    def _listeners(self) -> list[Listener]:
        return [listener for audience in self._audiences.values() for listener in audience.listeners]

    def _regroup(self) -> None:
        """Remove empty audiences, and merge those that have become equal because a listener took a seat."""
        audiences, self._audiences = self._audiences, {}
        for audience in audiences.values():
            if audience.listeners:
                one = self._audiences.setdefault(audience.right, audience)
                for listener in audience.listeners if one is not audience else ():
                    one.take(listener)


def _rights(asked: Collection[Audience], held: Collection[Held], seated: SeatedLobby, status: str) -> Rights:
    """Current rights, given these valid tokens."""
    return {
        audience: _let_in(audience.access, seated, status) if audience.token is None or audience.token in held else None
        for audience in asked
    }


def _let_in(access: GameAccess, seated: SeatedLobby, status: str) -> GameAccess | None:
    """A client with a valid token in the current game. None for one that has lost access."""
    try:
        now = access if access.seated is seated and access.by == "player" else access.with_lobby(seated)
        now.require_visible(status)
    except Problem:
        return None
    return now


def _hand(listener: Listener, mark: Mark, rights: Rights, news: Told, *, over: bool) -> None:
    """Bring a listener to the mark, if its rights were checked and it is consistent with the log."""
    if listener.state != "listening":
        return
    had, audience = listener.mark, listener.audience
    if audience not in rights:
        if had.seq < mark.seq:
            listener.leave("behind")
        return
    access = rights[audience]
    if access is None:
        listener.leave("ended")
        return
    if news.heads.get(had.seq, had.head) != had.head:
        listener.leave("behind")
        return
    if had.seq < mark.seq:
        listener.hand(news.part(access.seat, had.seq), mark)
    if over and listener.mark == mark and listener.state == "listening":
        listener.leave("ended")


def _slices(listeners: list[Listener]) -> Iterator[list[Listener]]:
    """A few at a time; between them other work in this process gets its turn."""
    for first in range(0, len(listeners), AT_A_TIME):
        if first:
            time.sleep(0)
        yield listeners[first : first + AT_A_TIME]
