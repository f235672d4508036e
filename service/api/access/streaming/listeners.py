"""Those who listen to a game: each with how far they have come, together with all who may read the same."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Literal, NamedTuple

from domain.terms import Seat
from service.api.access.auth import GameAccess
from service.api.access.streaming.outlets import Outlet, Part
from service.store.ports.accounts import Held

State = Literal["listening", "behind", "ended"]


class Mark(NamedTuple):
    """How far somebody has come in a log."""

    seq: int
    head: str
    """The head of that commit; empty before the first."""


class Listener:
    """One stream while others read for it. Whoever reads hands on; whoever serves the stream waits.

    It is ``behind`` when it is to read for itself again, from its mark on, and ``ended`` when nothing more is theirs.
    """

    __slots__ = ("_address", "_news", "_outlet", "audience", "mark", "state")

    def __init__(self, access: GameAccess, mark: Mark, outlet: Outlet) -> None:
        self.audience = Audience(access)
        self.mark = mark
        self.state: State = "listening"
        self._address = access.address
        self._outlet = outlet
        self._news = threading.Event()

    @property
    def access(self) -> GameAccess:
        """The reader as they were let in last."""
        return replace(self.audience.access, address=self._address)

    def wait(self) -> None:
        """Until there is something to send or to do."""
        self._news.wait()
        self._news.clear()

    def hand(self, part: Part | None, mark: Mark) -> None:
        """What their audience is told up to a mark, which may be nothing."""
        self.mark = mark
        if part is not None:
            self.send(part)

    def send(self, part: Part) -> None:
        """Some bytes; whoever does not keep up reads for themselves from then on."""
        if not self._outlet.offer(part):
            self.leave("behind")
        elif self._outlet.waits:
            self._news.set()

    def leave(self, state: State) -> None:
        """They listen no longer, and whoever serves the stream is told so."""
        self.state = state
        self.audience.listeners.discard(self)
        self._news.set()


class Right(NamedTuple):
    """What somebody's right to a game depends on, besides the game."""

    token: Held | None
    named_seat: Seat | None
    seat: Seat | None
    others_seat: Seat | None


class Audience:
    """All who listen by the same right, and so are told the same."""

    __slots__ = ("access", "listeners", "token")

    def __init__(self, access: GameAccess) -> None:
        self.access = access
        """The reader as they were let in last."""
        self.token: Held | None = None
        """The token by which they came, if they did by one."""
        if access.credential is not None:
            self.token = access.credential.player, access.credential.id
        self.listeners: set[Listener] = set()

    @property
    def right(self) -> Right:
        """Which one it is; another when a reader has taken a seat."""
        return Right(self.token, self.access.named_seat, self.access.seat, self.access.others_seat)

    def take(self, listener: Listener) -> None:
        """One more."""
        listener.audience = self
        self.listeners.add(listener)
