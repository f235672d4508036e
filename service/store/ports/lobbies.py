"""Data of games outside their logs: seats, sitters, settings, status."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeGuard

from domain.kernel.record import NO_COMMIT
from domain.kernel.terms import GameId, PlayerId, Seat, Seq
from domain.table import features
from domain.table.seats import SUBSTITUTES, VOTE
from service.store.ports.titles import default_title

_GAME_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

Status = Literal["lobby", "running", "over"]


def is_bot(holder: str | None) -> bool:
    """Whether a bot holds the seat; False for a player and for a free seat (None)."""
    return holder is not None and holder.startswith("bot:")


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat before and after the start: its holder, and the holder's entropy for the dice."""

    holder: str | None = None
    """A player's id, ``bot:<name>``, or None while it is free."""
    entropy: str = ""
    """Hex digits."""


@dataclass(frozen=True, slots=True)
class Sitter:
    """A player who plays another player's seat for a time."""

    seat: Seat
    player: PlayerId
    begins: int
    until: int
    """Milliseconds of Unix time, exclusive."""


@dataclass(frozen=True, slots=True)
class Reservation:
    """A free seat of a game that has not started, offered to one player."""

    seat: Seat
    player: PlayerId
    until: int
    """Milliseconds of Unix time, exclusive. 0: the player has declined."""


@dataclass(frozen=True, slots=True)
class FormerHolder:
    """A player who had a seat."""

    seat: Seat
    player: PlayerId
    until: Seq
    """The commit in which another player took it."""


@dataclass(frozen=True, slots=True)
class TurnsPlayed:
    """Whether a player played their most recent turns in a game in time."""

    at: int
    """When the newest of them ended, milliseconds of Unix time."""
    turns: str
    """``1`` for a turn played in time, ``0`` for a missed one, the newest last; at most a hundred."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """How many of a player's last hundred turns were theirs to play, and how many of these they played in time."""

    asked: int
    in_time: int

    @property
    def percent(self) -> int:
        """Percentage, rounded down; 100 for a player without turns."""
        return 100 * self.in_time // self.asked if self.asked else 100


MOST_TURNS = 100
"""Number of recent turns that count for a player's reliability."""


def reliability_of(kept: Iterable[TurnsPlayed]) -> Reliability:
    """The reliability of a player from their games; the one with the most recent turn counts first."""
    newest = sorted(kept, key=lambda each: each.at, reverse=True)
    turns = "".join(each.turns[::-1] for each in newest)[:MOST_TURNS]
    return Reliability(len(turns), turns.count("1"))


@dataclass(frozen=True, slots=True)
class SeatChange:
    """The change that a commit makes to a seat."""

    how: Literal["vacant", "taken", "left", "asked", "given", "refused", "withdrawn", "back"]
    """Kind of change.

    ``asked``: a player requests the seat. If the players agree, it is ``given`` to them, otherwise they are
    ``refused``; ``withdrawn`` removes the request. ``back``: a vacation is over, and so is the sitting for that same
    period.
    """
    seat: Seat
    seq: Seq
    holder: str = ""
    """The player who takes it or asks for it; for a vacation, its announced end."""


@dataclass(frozen=True, slots=True)
class Seating:
    """Changes to the seats of a game since its start."""

    revision: int = 0
    """Number of changes."""
    since: Mapping[Seat, Seq] = field(default_factory=dict)
    """The commit in which its player took each seat that has changed hands."""
    vacant: Mapping[Seat, Seq] = field(default_factory=dict)
    """The seats on offer, each with the commit in which it was given up."""
    wishes: tuple[tuple[Seat, PlayerId], ...] = ()
    """Seat requests that the game's creator or the players have not yet accepted, the oldest first."""
    sitters: tuple[Sitter, ...] = ()
    was: tuple[FormerHolder, ...] = ()
    """The former players of seats, in order."""
    refused: tuple[tuple[Seat, PlayerId], ...] = ()
    """Refused seat requests, stored while the seat is on offer."""
    applied: Seq = NO_COMMIT
    """The last commit with changes to seats that are included."""

    def tenure(self, seat: Seat) -> Seq:
        """As `domain.kernel.record.Submission.tenure`."""
        return self.since.get(seat, Seq(0))

    def sits_in(self, player_id: PlayerId, at: int | None = None) -> tuple[Seat, ...]:
        """The seats in which the player sits in for another at an instant (None: now or later, including announced ones)."""
        return tuple(
            each.seat
            for each in self.sitters
            if each.player == player_id and (at is None or each.begins <= at < each.until)
        )

    def asks(self, player_id: PlayerId) -> bool:
        return any(player == player_id for _, player in self.wishes)

    def changed(self, change: SeatChange) -> Seating:
        """The seating after a change. A player who takes a seat stops sitting in."""
        seat, since = change.seat, self.since
        others = tuple(wish for wish in self.wishes if wish[0] != seat)
        if change.how == "asked":
            return replace(self, revision=self.revision + 1, wishes=(*self.wishes, (seat, PlayerId(change.holder))))
        if change.how in ("refused", "withdrawn"):
            mine = [wish for wish in self.wishes if wish not in others]
            refused = (*self.refused, *mine) if change.how == "refused" else self.refused
            return replace(self, revision=self.revision + 1, wishes=others, refused=refused)
        if change.how == "back":
            stay = tuple(each for each in self.sitters if (each.seat, str(each.until)) != (seat, change.holder))
            return replace(self, revision=self.revision + 1, sitters=stay)
        vacant = {each: seq for each, seq in self.vacant.items() if each != seat}
        match change.how:
            case "taken" | "given":
                since = {**since, seat: change.seq}
            case "vacant":
                vacant[seat] = change.seq
        return Seating(
            self.revision + 1,
            since,
            vacant,
            others,
            tuple(each for each in self.sitters if seat != each.seat and change.holder != each.player),
            self.was,
            tuple(wish for wish in self.refused if wish[0] != seat),
            self.applied,
        )

    def with_former(self, seat: Seat, player_id: PlayerId, until: Seq) -> Seating:
        """The same with a player who had the seat until a commit."""
        return replace(self, was=(*self.was, FormerHolder(seat, player_id, until)))

    def player_at(self, chairs: Sequence[Chair], seat: Seat, seq: int) -> str:
        """Who had a seat at a commit: a player's id or ``bot:<name>``."""
        former = (each.player for each in self.was if each.seat == seat and seq <= each.until)
        return next(former, None) or chairs[seat - 1].holder or ""


NOTHING_CHANGED = Seating()


@dataclass(frozen=True, slots=True)
class Lobby:
    """A game's data outside its log. After the start only seats, status and summary fields change."""

    id: GameId
    kind: str
    creator: PlayerId
    chairs: tuple[Chair, ...]
    ruleset: str
    options: Mapping[str, Any]
    modules: tuple[str, ...]
    pace: Mapping[str, Any]
    visibility: Literal["public", "unlisted", "private"]
    commitment: str
    made_at: int
    sandbox: Mapping[str, Any] | None = None
    """For a sandbox: ``{"position": document or None, "dice": [int, …] or None, "forked": {"game", "seq"} or None}``."""
    invitation_digest: str = ""
    status: Status = "lobby"
    started_at: int | None = None
    stalled: bool = False
    """A SYSTEM command was refused: an operator must check (`doctor`)."""
    table: Mapping[str, Any] = field(default_factory=dict)
    """Table settings (`domain.table`) by name; a game older than a feature lacks its settings."""
    setup: bytes = b""
    """The set-up line that its first commit builds on (`service.store.founding`); empty before the start and in form 1."""
    seating: Seating = NOTHING_CHANGED
    """Changes to the seats since the start."""
    auto_start: bool = False
    """Whether it starts automatically when its last seat is taken."""
    reserved: tuple[Reservation, ...] = ()
    title: str = ""
    """Never empty: by default the words of `default_title`. Fixed at the start, as are the tags."""
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.title:
            object.__setattr__(self, "title", default_title(self.id))

    @property
    def chosen_title(self) -> str:
        """The title that its creator has chosen; empty if it has the default one."""
        return "" if self.title == default_title(self.id) else self.title

    @property
    def is_full(self) -> bool:
        return all(chair.holder for chair in self.chairs)

    def seat_of(self, player_id: PlayerId | None) -> Seat | None:
        """The seat the player holds (in a sandbox the first of several)."""
        for number, chair in enumerate(self.chairs, 1):
            if player_id is not None and chair.holder == player_id:
                return Seat(number)
        return None

    def belongs_to(self, player_id: PlayerId, at: int = 0) -> bool:
        """Whether the player created the game, has a seat in it, or sits in at this instant or later."""
        return (
            self.creator == player_id
            or any(chair.holder == player_id for chair in self.chairs)
            or any(each.player == player_id and at < each.until for each in self.seating.sitters)
        )

    def seats_of(self, player_id: PlayerId | None) -> tuple[Seat, ...]:
        """Every seat the player holds (several only in a sandbox)."""
        return tuple(Seat(n) for n, c in enumerate(self.chairs, 1) if player_id is not None and c.holder == player_id)


def find_offers(reserved: Iterable[Reservation], now: int) -> dict[Seat, PlayerId]:
    """The seats that only one player can take now, each with that player."""
    return {each.seat: each.player for each in reserved if each.until > now}


def is_voted_on(lobby: Lobby) -> bool:
    """Whether the players vote on seat requests."""
    return lobby.table.get(SUBSTITUTES) == VOTE


def begin_document(lobby: Lobby) -> dict[str, Any]:
    """The ``begin`` command of a game about to start, from its frozen lobby."""
    return {
        "type": "begin",
        "game": lobby.id,
        "kind": lobby.kind,
        "ruleset": lobby.ruleset,
        "controllers": [chair.holder if is_bot(chair.holder) else "player" for chair in lobby.chairs],
        "options": dict(lobby.options),
        "modules": list(lobby.modules),
        "pace": dict(lobby.pace),
        "commitment": lobby.commitment,
        "entropy": [chair.entropy for chair in lobby.chairs],
        "sandbox": lobby.sandbox is not None,
        "position": (lobby.sandbox or {}).get("position"),
        "table_rules": features.newest_rules(),
        "table": dict(lobby.table),
    }


def valid_game(text: str) -> TypeGuard[GameId]:
    return _GAME_ID.fullmatch(text) is not None
