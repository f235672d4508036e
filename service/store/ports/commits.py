"""A commit in the log, the data that readers get of it, and everything that is written together with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.kernel.record import Submission
from domain.kernel.terms import GameId, Seat, Seq
from service.store.ports.waiting import Due
from service.store.seal import Sealed


@dataclass(frozen=True, slots=True)
class Stored:
    """A commit in the log."""

    seq: Seq
    at: int
    release: str
    head: str
    header: bytes
    """Canonical JSON; empty unless it was requested."""
    body: bytes
    """Canonical JSON, unpacked."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Ready JSON bytes for the readers of a game, and the seqs they are valid for.

    In an `Append` and in `Views.rewrite`: the parts of views to store. An empty ``public``, or a seat missing from
    ``private``, keeps the stored value, which is served until ``seen`` says that it has changed. A signature belongs to
    one head: a write without a signature removes it.
    """

    seq: Seq
    head: str
    release: str
    """The release that wrote them.

    Read back it is ``""`` if releases are mixed or something is missing: rewrite them before serving.
    """
    public: bytes = b"null"
    private: Mapping[Seat, bytes] = field(default_factory=dict)
    seen: tuple[int, ...] = ()
    """As `domain.kernel.record.Position.seen`."""
    asked: bytes = b"[]"
    """JSON list of the pending questions: ``{"id", "seat", "kind", "rule", "about", "since", "due"}``."""
    status: str = "running"
    signature: str = ""
    """Signature of ``head``, hex; empty if that head was not signed because another commit followed at once."""
    key_id: str = ""
    table: bytes = b""
    """JSON of ``table`` in the public part; empty if unknown."""


WATCHED = 120_000
"""Milliseconds for which commits include the views of a game, after a reader needed them computed."""

BROUGHT_IN = "0-0"
"""Stream entry id of an imported commit, which was settled elsewhere and never waited here."""


@dataclass(frozen=True, slots=True)
class Append:
    """One commit and everything that is written atomically with it."""

    game_id: GameId
    before: Seq
    """The seq it follows.

    The log must end there, with the head that the header names as the previous one, else `StaleWrite`.
    """
    sealed: Sealed
    entry: str
    """Stream entry of the submission it settles, which is removed from the command stream.

    Empty for a submission that was never in the stream, because earlier commits of the same call made it due at once,
    or because it is the next one of its list.
    """
    submission: Submission
    refused: bool
    rows: Rows | None
    """The game's state for readers, and the views worth storing.

    None if another commit follows in the same batch or no one is reading: the next reader computes them.
    """
    due: tuple[Due, ...]
    """All deadlines of the pending questions; replaces the stored ones."""
    over: bool = False
    stalled: bool = False
    resumed: bool = False
    """The game is no longer stalled."""
    snapshot: bytes | None = None
    """The position after this commit (`snapshots.seal_snapshot`), every few commits; the store compresses it."""
    follows: Mapping[str, Any] | None = None
    """The next command of the list whose command this commit settles (`service.store.shared.lists`).

    It is submitted in the same call, after everything that is due by then.
    """
    tell: str = ""
    """Channel of a client that waits for the result (`service.store.shared.news_board.PendingResult`).

    Published in the same call.
    """
    done: bool = False
    """Its worker has nothing more to do: the game is released in the same call, unless something waits."""
    joined: bool = False
    """Appended atomically with the preceding one of the batch, which is of the same game."""
    waited: tuple[str, ...] = ()
    """For the last one in a call: the entries in the stream when it was read.

    If a commit of the call settles a submission that was never in the stream, these must still be the only entries:
    newer ones would have to come first.
    """
    request: str = ""
    """Id of the request that caused it, if any; passed on to notifications of the commit (`Outbox.caused`)."""
    left: tuple[Mapping[str, Any], ...] = ()
    """For the last one in a call: submissions that earlier commits of the call queued and no commit settles.

    They are submitted in this order in the same call, before those that this commit makes due.
    """


def calls_of(batch: Sequence[Append]) -> list[list[Append]]:
    """The commits of a batch, grouped by call; raises `ValueError` if a commit does not follow the preceding one."""
    calls: list[list[Append]] = []
    for append in batch:
        if not append.joined:
            calls.append([append])
            continue
        last = calls[-1][-1]
        if (last.game_id, last.sealed.head) != (append.game_id, append.sealed.previous):
            raise ValueError(f"commit {append.sealed.seq} of {append.game_id} does not follow on {last.sealed.seq}")
        calls[-1].append(append)
    return calls
