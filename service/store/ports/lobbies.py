"""Games apart from their logs: who sits where, and the lists of all games."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeGuard

from domain.play.table import NEWEST
from domain.terms import GameId, PlayerId, Seat

_GAME_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

Status = Literal["lobby", "running", "over"]


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat before and after the start: who holds it, and what they added to the dice."""

    holder: str | None = None
    """A player's id, ``bot:<name>``, or None while it is free."""
    entropy: str = ""
    """Hex digits."""


@dataclass(frozen=True, slots=True)
class Lobby:
    """What is known of a game apart from its log; frozen once it starts (status and summary fields apart)."""

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
    """A SYSTEM command was refused: an operator must look (`doctor`)."""
    table: Mapping[str, Any] = field(default_factory=dict)
    """The settings of the parts of the table (`domain.play.parts`), by name; games older than a part name none of its."""
    setup: bytes = b""
    """The set-up line that its first commit stands on (`service.store.founding`); empty before the start and in form 1."""

    def seat_of(self, player_id: PlayerId | None) -> Seat | None:
        """The seat the player holds (in a sandbox the first of several)."""
        for number, chair in enumerate(self.chairs, 1):
            if player_id is not None and chair.holder == player_id:
                return Seat(number)
        return None

    def belongs_to(self, player_id: PlayerId) -> bool:
        """Whether the game is one of the player's own: they made it or have a seat in it."""
        return self.creator == player_id or any(chair.holder == player_id for chair in self.chairs)

    def seats_of(self, player_id: PlayerId | None) -> tuple[Seat, ...]:
        """Every seat the player holds (several only in a sandbox)."""
        return tuple(Seat(n) for n, c in enumerate(self.chairs, 1) if player_id is not None and c.holder == player_id)


class Lobbies(Protocol):
    """Games before their start, and the lists of all games."""

    def create(self, lobby: Lobby, seed: bytes) -> None:
        """A new game; its 32-byte seed stays in the store until the end of the game publishes it."""

    def get(self, game_id: GameId) -> Lobby | None: ...

    def seed(self, game_id: GameId) -> bytes: ...

    def join(
        self,
        game_id: GameId,
        player_id: PlayerId,
        entropy: str,
        invitation_digest: str | None,
        seat: Seat | None = None,
    ) -> Seat:
        """Take a free seat (that one, or the first).

        An open (public) game needs no invitation; others need the right one. One seat a player, except in a sandbox.
        Raises `LobbyRefusal`.
        """

    def seat_bot(self, game_id: GameId, creator: PlayerId, bot: str, seat: Seat | None = None) -> Seat: ...

    def add_entropy(self, game_id: GameId, player_id: PlayerId, seat: Seat, entropy: str) -> None: ...

    def leave(self, game_id: GameId, player_id: PlayerId, seat: Seat) -> None:
        """Free a seat: its holder may free their own, the creator any. Raises `LobbyRefusal`."""

    def new_invitation(self, game_id: GameId, creator: PlayerId, invitation_digest: str) -> None: ...

    def start(self, game_id: GameId, creator: PlayerId, submission_id: str) -> Lobby:
        """Freeze the lobby and submit ``begin`` in the same call. Every seat must be taken. Starting twice answers alike."""

    def delete(self, game_id: GameId, creator: PlayerId | None = None, since: int | None = None) -> None:
        """Remove a game that has not started, with all that is kept of it, from all lists.

        By its ``creator``, or by the house if nothing has happened there after an instant. Whoever waits for news of it
        hears. Raises `LobbyRefusal` (``changed`` if something has).
        """

    def idle(self, since: int) -> Iterator[tuple[Lobby, int]]:
        """Games that have not started in which nothing has happened after an instant, and when something last did."""

    def page(
        self,
        *,
        kind: str | None = None,
        status: str | None = None,
        player_id: PlayerId | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> tuple[Sequence[Lobby], str | None]:
        """Public games (with ``player_id``: that player's own, whatever their visibility), newest first, and the next page's cursor."""

    def every(self) -> Iterator[GameId]:
        """The id of every game there is, once each and in no order: for an operator's tools."""


def begin_document(lobby: Lobby) -> dict[str, Any]:
    """The ``begin`` command of a game about to start, from its frozen lobby."""
    return {
        "type": "begin",
        "game": lobby.id,
        "kind": lobby.kind,
        "ruleset": lobby.ruleset,
        "controllers": [
            chair.holder if (chair.holder or "").startswith("bot:") else "player" for chair in lobby.chairs
        ],
        "options": dict(lobby.options),
        "modules": list(lobby.modules),
        "pace": dict(lobby.pace),
        "commitment": lobby.commitment,
        "entropy": [chair.entropy for chair in lobby.chairs],
        "sandbox": lobby.sandbox is not None,
        "position": (lobby.sandbox or {}).get("position"),
        "table_rules": NEWEST,
        "table": dict(lobby.table),
    }


def valid_game(text: str) -> TypeGuard[GameId]:
    """Whether a string can be a game's id."""
    return _GAME_ID.fullmatch(text) is not None
