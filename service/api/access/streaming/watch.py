"""One game that is watched in this process: its news are read once, whoever may still hear them is asked once, and all hear them."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterator, Mapping

from domain.terms import GameId
from service.api.access.auth import GameAccess
from service.api.access.streaming.listeners import Audience, Listener, Mark, Right, State
from service.api.access.streaming.outlets import part
from service.api.access.streaming.telling import Told, told
from service.api.context.app import AppContext
from service.api.context.lobbies import SeatedLobby
from service.api.http.problems import Problem
from service.process.logs import logger
from service.store.chain import BrokenLog, WentBack
from service.store.codec import UnknownEvent
from service.store.ports.accounts import Held
from service.store.ports.errors import StoreDown

PATIENCE = 5.0
"""Seconds for which a store that does not answer may be away before its readers are sent to hear so themselves."""

AGAIN = 1.0
"""Seconds after which it is asked again."""

AT_A_TIME = 64
"""Readers who are written to before others in this process have their turn."""

COMMENT = part(b":\n\n")

log = logger("streams")

Rights = Mapping[Audience, GameAccess | None]
"""Those who were asked about, as they are let in now; None for who has lost their right."""


class Watch:
    """All who listen to one game, and how far it has been read for them.

    Its reader begins with the first who listens and ends with the last who wants the watch; what it has to do it is told
    (`look`), and without news it does nothing.
    """

    def __init__(self, context: AppContext, game_id: GameId) -> None:
        self.game_id = game_id
        self.wanted = 0
        """How many streams may come to listen, or do."""
        self.at = Mark(0, "")
        """How far it has been read: who listens has come so far, or further."""
        self.looked = time.monotonic()
        """When it was last known to be as it is in the store."""
        self._context = context
        # From here on no news are missed: whoever wants the watch reads for themselves after that, and then listens.
        self._news = context.store.news.subscribe(game_id)
        self._guard = threading.Lock()
        self._audiences: dict[Right, Audience] = {}
        self._reader: threading.Thread | None = None
        self._away_since: float | None = None

    # -- those who listen ---------------------------------------------------------------------------------------------

    @property
    def tokens(self) -> set[Held]:
        """The tokens by which anybody listens, each with its account."""
        return {token for audience in list(self._audiences.values()) if (token := audience.token) is not None}

    def join(self, listener: Listener) -> bool:
        """Listen from one's mark on; whether that can be: not if one has missed something that was read for all."""
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
        """Whoever serves the stream is done with it."""
        with self._guard:
            if listener.state == "listening":
                listener.leave("ended")
            if not listener.audience.listeners:
                self._audiences.pop(listener.audience.right, None)

    def comfort(self, listener: Listener) -> None:
        """Show one who listens that the stream lives."""
        with self._guard:
            if listener.state == "listening":
                listener.send(COMMENT)

    def look(self) -> None:
        """Something may have changed: the game, or somebody's right to it."""
        self._news.tell()

    def close(self) -> None:
        """Nobody wants the watch any more."""
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
                self._dismiss("behind")  # what they have heard is no more: they find out by reading for themselves
            except StoreDown:
                self._bear()
            except (BrokenLog, UnknownEvent, Problem) as error:
                if isinstance(error, Problem) and error.code == "too-much-work":
                    self._bear()
                else:
                    self._dismiss("ended")  # they come back: and resume, or hear what is wrong
            except Exception:
                log.exception("a stream's reader failed", game=self.game_id)
                self._dismiss("ended")

    def _bear(self) -> None:
        """The store does not answer, or nobody has time: that may pass."""
        self._away_since = self._away_since or time.monotonic()
        if time.monotonic() - self._away_since >= PATIENCE:
            self._dismiss("ended")

    def _dismiss(self, state: State) -> None:
        with self._guard:
            for listener in self._listeners():
                listener.leave(state)
            self._regroup()

    def _look(self) -> None:
        """First how far the game is, then who may read, then what: nothing is told that happened after they were let in."""
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
        seated = self._context.lobby_cache.seated(lobby)
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
        """All who listen come to the mark, or do not listen any more."""
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
            for listener in self._listeners():  # those who came in the meantime
                _hand(listener, mark, rights, news, over=over)
            self.at = mark
            self._regroup()

    def _listeners(self) -> list[Listener]:
        return [listener for audience in self._audiences.values() for listener in audience.listeners]

    def _regroup(self) -> None:
        """Nobody is left of some audiences, and others have become one: a reader has taken a seat in which they listen too."""
        audiences, self._audiences = self._audiences, {}
        for audience in audiences.values():
            if audience.listeners:
                one = self._audiences.setdefault(audience.right, audience)
                for listener in audience.listeners if one is not audience else ():
                    one.take(listener)


def _rights(asked: Collection[Audience], held: Collection[Held], seated: SeatedLobby, status: str) -> Rights:
    """Who may read now, where these tokens stand."""
    return {
        audience: _let_in(audience.access, seated, status) if audience.token is None or audience.token in held else None
        for audience in asked
    }


def _let_in(access: GameAccess, seated: SeatedLobby, status: str) -> GameAccess | None:
    """Somebody whose token stands, in the game as it is now; None for who has lost their right to it."""
    try:
        now = access if access.seated is seated and access.by == "player" else access.as_of(seated)
        now.require_visible(status)
    except Problem:
        return None
    return now


def _hand(listener: Listener, mark: Mark, rights: Rights, news: Told, *, over: bool) -> None:
    """Bring one who listens to the mark, if they were asked about and have heard what stands in the log."""
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
    """A few at a time; between them everybody else in this process has their turn."""
    for first in range(0, len(listeners), AT_A_TIME):
        if first:
            time.sleep(0)
        yield listeners[first : first + AT_A_TIME]
