"""The listeners to a game: each with its position, grouped by rights."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Literal, NamedTuple

from domain.kernel.terms import Seat
from service.core.http.access.auth import GameAccess
from service.core.http.streaming.connections import StreamChunk, StreamOutput
from service.store.ports.accounts import Held

State = Literal["listening", "behind", "ended"]


class LogPosition(NamedTuple):
    """A position in a log."""

    seq: int
    head: str
    """The head of that commit; empty before the first."""


class Listener:
    """One stream while another thread reads for it. The reading thread hands over chunks; the serving one waits.

    It is ``behind`` when it must read for itself again, from its position on, and ``ended`` when nothing more is visible to
    it.
    """

    __slots__ = ("_address", "_news", "_output", "audience", "position", "state")

    def __init__(self, access: GameAccess, position: LogPosition, output: StreamOutput) -> None:
        self.audience = Audience(access)
        self.position = position
        self.state: State = "listening"
        self._address = access.address
        self._output = output
        self._news = threading.Event()

    @property
    def access(self) -> GameAccess:
        """The client with the rights that were last checked."""
        return replace(self.audience.access, address=self._address)

    def wait(self) -> None:
        """Wait until there is something to send or to do."""
        self._news.wait()
        self._news.clear()

    def deliver(self, chunk: StreamChunk | None, position: LogPosition) -> None:
        """Hand over what its audience gets up to a position, possibly nothing."""
        self.position = position
        if chunk is not None:
            self.send(chunk)

    def send(self, chunk: StreamChunk) -> None:
        """Hand over some bytes. A client that does not keep up must read for itself from then on."""
        if not self._output.write(chunk):
            self.leave("behind")
        elif self._output.needs_wakeup:
            self._news.set()

    def leave(self, state: State) -> None:
        """Stop listening, and notify the serving thread."""
        self.state = state
        self.audience.listeners.discard(self)
        self._news.set()


class AccessKey(NamedTuple):
    """What access to a game depends on, besides the game."""

    token: Held | None
    named_seat: Seat | None
    seat: Seat | None
    others_seat: Seat | None


class Audience:
    """All listeners with the same rights, who get the same content."""

    __slots__ = ("access", "listeners", "token")

    def __init__(self, access: GameAccess) -> None:
        self.access = access
        """The client with the rights that were last checked."""
        self.token: Held | None = None
        """The token used, if any."""
        if access.credential is not None:
            self.token = access.credential.player, access.credential.id
        self.listeners: set[Listener] = set()

    @property
    def access_key(self) -> AccessKey:
        """Its current rights; they change when a listener takes a seat."""
        return AccessKey(self.token, self.access.named_seat, self.access.seat, self.access.others_seat)

    def add(self, listener: Listener) -> None:
        """Add a listener."""
        listener.audience = self
        self.listeners.add(listener)
