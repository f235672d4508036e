"""Who is asking: from the Authorization header to a credential, and from a credential to a place in a game."""

from __future__ import annotations

from dataclasses import dataclass

from flask import g, request

from domain.terms import Seat
from service.api.answers import number
from service.api.house import House, here
from service.api.limits import address
from service.api.problems import Problem
from service.api.rooms import Room
from service.api.tokens import digest_of
from service.store.ports import Credential, Lobby

READ, PLAY, ADMIN = "read", "play", "admin"
SCOPES = (READ, PLAY, ADMIN)
CHALLENGE = 'Bearer realm="oraclewheel"'

NO_OTHER = "A bearer token is needed (`Authorization: Bearer <token>`); no other scheme is taken."


def anyone(scope: str = READ) -> Credential | None:
    """The caller, or None for one who says nothing of himself; counts the request.

    Raises the problems of a bad token, of one that may not do this, and of too many requests.
    """
    house = here()
    header = request.headers.get("Authorization")
    if header is None:
        g.limit = house.limits.take(address())
        return None
    kind, _, token = header.partition(" ")
    credential = house.tokens.credential(token.strip()) if kind.lower() == "bearer" else None
    if credential is None:
        house.limits.take(address())
        detail = "" if kind.lower() == "bearer" else NO_OTHER
        raise Problem("bad-token", detail, {"WWW-Authenticate": f'{CHALLENGE}, error="invalid_token"'})
    g.limit = house.limits.take(credential.player)
    if not may(credential, scope):
        raise insufficient(scope)
    return credential


def somebody(scope: str = READ) -> Credential:
    """The caller, who must say who he is."""
    credential = anyone(scope)
    if credential is None:
        raise Problem("no-token", headers={"WWW-Authenticate": CHALLENGE})
    return credential


def may(credential: Credential, scope: str) -> bool:
    """Whether the token reaches so far; who may play may read."""
    return scope in credential.scopes or (scope == READ and PLAY in credential.scopes)


def insufficient(scope: str) -> Problem:
    """The problem of a token without the scope."""
    challenge = f'{CHALLENGE}, error="insufficient_scope", scope="{scope}"'
    return Problem("insufficient-scope", f"The scope {scope!r} is needed.", {"WWW-Authenticate": challenge})


def ticket_or_anyone(game: str) -> Credential | None:
    """The caller by a ticket in the URL, for what cannot send headers; else by his token."""
    ticket = request.args.get("ticket")
    if ticket is None:
        return anyone()
    house = here()
    g.limit = house.limits.take(address())
    credential = house.store.accounts.take_ticket(digest_of(ticket))
    if credential is None or credential.game != game or not house.tokens.is_alive(credential):
        raise Problem("bad-token", "The ticket is unknown, used, too old, or for another game.")
    return credential


@dataclass(frozen=True, slots=True)
class Guest:
    """A caller in a game that he may know of."""

    house: House
    room: Room
    credential: Credential | None
    seat: Seat | None
    """The seat he looks from: his own (the first, or the one that ``?seat=`` names), or None for the public's view."""
    asked: Seat | None
    """A seat that ``?seat=`` names and that is not his: to be shown only when the game is over."""

    @property
    def lobby(self) -> Lobby:
        return self.room.lobby

    @property
    def player(self) -> str | None:
        return None if self.credential is None else self.credential.player

    @property
    def own_seat(self) -> Seat:
        """The seat he acts for; raises the problem of somebody else's."""
        if self.seat is None or self.asked is not None:
            raise Problem("not-your-seat")
        return self.seat

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seat whose private part he reads, if any."""
        return () if self.seat is None else (self.seat,)

    def must_be_creator(self) -> None:
        """Raises the problem of somebody else."""
        if self.lobby.creator != self.player:
            raise Problem("not-creator")

    def must_wait_for(self, status: str) -> None:
        """Another's seat is shown when the game is over, and not before."""
        if self.asked is not None and status != "over":
            raise Problem("not-your-seat")


def enter(game: str, credential: Credential | None, *, fresh: bool = False) -> Guest:
    """Let the caller into a game; raises the problem of an unknown one where its existence is not his to know."""
    house = here()
    room = house.rooms.room(game, fresh=fresh)
    player = None if credential is None else credential.player
    if room.lobby.visibility == "private" and not is_member(room.lobby, player):
        raise Problem("unknown-game")
    seats = room.lobby.seats_of(player)
    seat = Seat(number("seat", 0, 1, len(room.lobby.chairs)))
    if not seat:
        return Guest(house, room, credential, seats[0] if seats else None, None)
    return Guest(house, room, credential, seat, None if seat in seats else seat)


def is_member(lobby: Lobby, player: str | None) -> bool:
    """Whether a private game's existence is the player's to know."""
    return player is not None and (lobby.creator == player or lobby.seat_of(player) is not None)
