"""A commit: as it stands in the log, what readers are served of it, and all that becomes true with it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from domain.play.record import Submission
from domain.terms import GameId, Seat, Seq
from service.store.ports.waiting import Due
from service.store.seal import Sealed


@dataclass(frozen=True, slots=True)
class Stored:
    """A commit as it stands in the log."""

    seq: Seq
    at: int
    release: str
    head: str
    header: bytes
    """Canonical JSON; empty unless it was asked for."""
    body: bytes
    """Canonical JSON, unpacked."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What readers of a game get without anything being computed: ready JSON bytes and the seqs they are good for.

    In an `Append` and in `History.rewrite` the parts of views that are to be kept: an empty ``public``, and a seat that is
    not in ``private``, leave what was there, which is served as long as ``seen`` does not say that it has changed since.
    A signature is of one head: without a new one there is none.
    """

    seq: Seq
    head: str
    release: str
    """Who wrote them. Read back it is ``""`` when releases are mixed or something is missing: rewrite before serving."""
    public: bytes = b"null"
    private: Mapping[Seat, bytes] = field(default_factory=dict)
    seen: tuple[int, ...] = ()
    """As `domain.play.record.Position.seen`."""
    asked: bytes = b"[]"
    """JSON list of the standing questions: ``{"id", "seat", "kind", "rule", "about", "since", "due"}``."""
    status: str = "running"
    signature: str = ""
    """Of ``head``, hex; empty where that head was not signed, because another commit followed it at once."""
    key_id: str = ""
    table: bytes = b""
    """JSON of what the public part says under ``table``; empty where it is not known."""


WATCHED = 120_000
"""Milliseconds for which each commit brings the views of a game with it, after somebody had to have them made."""

BROUGHT_IN = "0-0"
"""The entry of what was settled elsewhere and never waited here."""


@dataclass(frozen=True, slots=True)
class Reseated:
    """What a commit does to a seat."""

    how: Literal["vacant", "taken", "left", "asked", "given", "refused", "withdrawn", "back"]
    """``asked``: somebody would have it if the players agree; then it is ``given`` to them, or they are ``refused``, or it is
    ``withdrawn``: of their wish nothing is left. ``back``: a vacation is over, and whoever was to sit in just as long does not."""
    seat: Seat
    seq: Seq
    holder: str = ""
    """Who takes it, or asks for it; of a vacation, until when it was announced to last."""


@dataclass(frozen=True, slots=True)
class Pause:
    """The rest of a plan that waits until its seat is asked again."""

    kinds: Collection[str]
    """The kinds of questions that its next command answers; `domain.play.plans.ANY` for any."""
    document: Mapping[str, Any]
    """The submission of that command (`service.store.shared.lists`)."""


@dataclass(frozen=True, slots=True)
class Append:
    """One commit with everything that must become true with it."""

    game_id: GameId
    before: Seq
    """The seq it follows; the log must stand there, with the head its header names as the previous one, or `StaleWrite`."""
    sealed: Sealed
    entry: str
    """The stream entry of the submission it settles, which leaves the command stream; empty for one that has never stood
    there, because commits before it in the same call have made it due at once, or let it follow in its list."""
    submission: Submission
    refused: bool
    rows: Rows | None
    """How the game stands for its readers now, and those views that are worth keeping; None where another commit follows in
    the same batch or nobody reads: whoever does has it made."""
    due: tuple[Due, ...]
    """All that is due for the questions standing now (replaces what was there)."""
    over: bool = False
    stalled: bool = False
    resumed: bool = False
    """The game is not stalled any more."""
    snapshot: bytes | None = None
    """The position after this commit (`snapshots.seal_snapshot`), every so many commits; the store compresses it."""
    follows: Mapping[str, Any] | None = None
    """The next command of the list that it settles one of (`service.store.shared.lists`): submitted in the same call, after
    whatever is due by then."""
    lapsed: int = 0
    """Commands of its list that will not be tried, because this one was refused."""
    tell: str = ""
    """Where somebody waits for it (`service.store.shared.news_board.Expected`): it is told them in the same call."""
    done: bool = False
    """Its worker has nothing more to do there: the game is released in the same call, unless something waits."""
    reseated: tuple[Reseated, ...] = ()
    """What it does to seats: who takes one holds its chair from then on, in the same step."""
    turns: tuple[tuple[Seat, bool], ...] = ()
    """The seats whose players were asked for a turn that is over with it, each with whether they played it in time."""
    joined: bool = False
    """Appended in one call with the one before it in the batch, which is of the same game: all of them or none."""
    waited: tuple[str, ...] = ()
    """Of the last one in a call: the entries that stood in the stream when it was read. Where one of them settles what never
    stood there, nothing else may by now: what has come in meanwhile stands before it."""
    asked: tuple[tuple[Seat, str], ...] = ()
    """The players' seats that the game asks something now, each with the kind of its question: a plan of theirs that waits for
    one (`service.store.ports.waiting`) is submitted in the same call, unless SYSTEM has something to say at once or a list goes on."""
    on_turn: Seat | None = None
    """The seat whose turn it is now, if any: the rest of another seat's plan that waits is submitted, and then refused."""
    pauses: Pause | None = None
    """The rest of the plan that it settles a command of, if that waits for others to decide."""
    undoes: bool = False
    """It undoes commits: the rests of plans that wait are not played any more."""
    vacated: tuple[Seat, ...] = ()
    """The seats that have another controller since this commit: their plans are gone."""
    request: str = ""
    """What the request is called that it came of, if any: for those who are told of the commit (`Outbox.caused`)."""
    left: tuple[Mapping[str, Any], ...] = ()
    """Of the last one in a call: what those before it have made due at once or let follow, and none of them settles, in this
    order. It is submitted in the same call, before what this one makes due."""


def calls_of(batch: Sequence[Append]) -> list[list[Append]]:
    """The commits of a batch that are appended in one call each; raises `ValueError` where one does not follow on the last."""
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
