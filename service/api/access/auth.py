"""Who is asking: from the Authorization header to a credential, and from a credential to a place in a game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from flask import g, request

from domain.game import AnyGame
from domain.play.record import SITTER
from domain.terms import GameId, PlayerId, Seat, Seq
from service.api.context.app import AppContext, current_context
from service.api.context.lobbies import SeatedLobby
from service.api.context.offload import ReadContext
from service.api.context.tokens import digest_of
from service.api.http.answers import query_number
from service.api.http.problems import Problem
from service.api.limits.rates import address
from service.projections.history.narration import Narrator
from service.projections.positions.facts import Facts
from service.store.ports.accounts import Credential
from service.store.ports.commits import Rows
from service.store.ports.lobbies import Lobby

T = TypeVar("T")
READ, PLAY, ACCOUNT, ADMIN = SCOPES = ("read", "play", "account", "admin")
OWNER = (READ, PLAY, ACCOUNT)
"""The scopes of an account's first token."""
CHALLENGE = 'Bearer realm="oraclewheel"'

TICKET_SECONDS = 24 * 3600
"""Seconds for which a ticket stays good after each use."""

LINK_WRITES = (
    "commands.send",
    "plans.lay",
    "plans.drop",
    "talk.say",
    "talk.erase",
    "hearing.mute",
    "hearing.unmute",
    "hearing.report",
)
"""The endpoints at which the link in an email may change its game."""

NO_OTHER = "The request needs a bearer token (`Authorization: Bearer <token>`). No other scheme is accepted."


def optional_caller(scope: str = READ) -> Credential | None:
    """The caller's credential, or None without an Authorization header; counts the request.

    Raises the problems of a bad token, of one that may not do this, and of too many requests.
    """
    context = current_context()
    header = request.headers.get("Authorization")
    if header is None:
        g.limit = context.limits.take(address())
        return None
    kind, _, token = header.partition(" ")
    credential = context.tokens.credential(token.strip()) if kind.lower() == "bearer" else None
    if credential is None:
        g.limit = context.limits.take(address())
        detail = "" if kind.lower() == "bearer" else NO_OTHER
        raise Problem("bad-token", detail, {"WWW-Authenticate": f'{CHALLENGE}, error="invalid_token"'})
    g.payer = credential.player
    g.limit = context.limits.take(credential.player)
    if not has_scope(credential, scope):
        raise insufficient_scope(scope)
    if credential.game is not None and not _is_open_to_link(credential.game):
        raise _link_only(credential.game)
    return credential


def _is_open_to_link(game_id: GameId) -> bool:
    """Whether the link in an email about this game may make the request. Endpoints are closed to it unless they are named here."""
    named = (request.view_args or {}).get("game_id")
    if request.method in ("GET", "HEAD"):
        return named == game_id or (
            named is None and (request.blueprint == "kinds" or request.endpoint == "players.me")
        )
    return named == game_id and request.endpoint in LINK_WRITES


def _link_only(game_id: GameId) -> Problem:
    detail = f"A link from an email can only play its own game, {game_id}. Sign in to do this."
    challenge = f'{CHALLENGE}, error="insufficient_scope"'
    return Problem("insufficient-scope", detail, {"WWW-Authenticate": challenge})


def required_caller(scope: str = READ) -> Credential:
    """The caller's credential; raises the problem of none, and as `optional_caller` does."""
    credential = optional_caller(scope)
    if credential is None:
        raise Problem("no-token", headers={"WWW-Authenticate": CHALLENGE})
    return credential


def has_scope(credential: Credential, scope: str) -> bool:
    """Whether the token has the scope. ``play`` and ``account`` include ``read``; nothing else includes another."""
    return scope in credential.scopes or (scope == READ and (PLAY in credential.scopes or ACCOUNT in credential.scopes))


def insufficient_scope(scope: str) -> Problem:
    """The problem of a token without the scope."""
    challenge = f'{CHALLENGE}, error="insufficient_scope", scope="{scope}"'
    return Problem("insufficient-scope", f"The token needs the scope {scope!r}.", {"WWW-Authenticate": challenge})


def ticket_or_caller(game_id: GameId) -> Credential | None:
    """The caller by a ticket in the URL, for clients that cannot send headers; else by their token.

    Raises the problem of a ticket that has expired or is for another game, else as `optional_caller` does.
    """
    ticket = request.args.get("ticket")
    if ticket is None:
        return optional_caller()
    context = current_context()
    g.limit = context.limits.take(address())
    credential = context.store.accounts.use_ticket(digest_of(ticket), TICKET_SECONDS)
    if credential is None or credential.game != game_id or not context.tokens.is_alive(credential):
        raise Problem("bad-token", "The ticket is unknown, has expired, or is for another game.")
    return credential


def require_live(credential: Credential | None) -> None:
    """Asked after a wait: raises the problem of a caller whose token was revoked meanwhile, or whose account is gone."""
    _require_live(current_context(), credential)


def _require_live(context: AppContext, credential: Credential | None) -> None:
    if credential is not None and not context.tokens.is_alive(credential):
        raise _void()


def _void() -> Problem:
    return Problem("bad-token", headers={"WWW-Authenticate": f'{CHALLENGE}, error="invalid_token"'})


@dataclass(frozen=True, slots=True)
class GameAccess:
    """A caller in a game that they may know of."""

    context: AppContext
    seated: SeatedLobby
    credential: Credential | None
    seat: Seat | None
    """The seat they look from: their own (the first, or the one that ``?seat=`` names), or None for the public's view."""
    others_seat: Seat | None
    """A seat that ``?seat=`` names and that is not theirs: to be shown only when the game is over."""
    named_seat: Seat | None = None
    """The seat that ``?seat=`` names, if it does."""
    address: str = ""
    """Where the request comes from, as it is counted."""
    by: str = "player"
    """Who they are to the seat they look from, if it is theirs: its ``player``, or its ``sitter`` for a time."""

    @property
    def lobby(self) -> Lobby:
        return self.seated.lobby

    @property
    def rules(self) -> AnyGame:
        """The rules of the game; raises the problem of a kind that this release does not have."""
        return self.seated.game

    @property
    def narrator(self) -> Narrator:
        """Who puts its history into sentences."""
        return self.seated.narrator

    @property
    def player_id(self) -> PlayerId | None:
        return None if self.credential is None else self.credential.player

    @property
    def who(self) -> str:
        """Who is counted for the work that is done: the account, or else the address."""
        return self.player_id or self.address

    @property
    def own_seat(self) -> Seat:
        """The seat they act for; raises the problem of one that is not theirs."""
        if self.seat is None or self.others_seat is not None:
            raise Problem("not-your-seat")
        return self.seat

    @property
    def tenure(self) -> Seq:
        """The commit in which the player of that seat took it; 0 for one who has had it from the beginning."""
        return Seq(0) if self.seat is None else self.lobby.seating.tenure(self.seat)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seat whose private part they read, as a tuple of one or none."""
        return () if self.seat is None else (self.seat,)

    def rows(self, seats: tuple[Seat, ...] = ()) -> Rows:
        """The newest rows of the game, which had started when they entered; raises the problems of one that had not.

        Until the start seats change hands: what a game has dealt since then may be another's than theirs.
        """
        self.require_started()
        return self.context.rows(self.lobby.id, seats)

    def standing(self) -> Rows:
        """As `rows`, without any view: how far the game is, who is asked what, who has seen what."""
        self.require_started()
        return self.context.rows(self.lobby.id, views=False)

    def compute(self, work: Callable[[ReadContext, Facts], T]) -> T:
        """Do something with the game, which had started when they entered, where it holds up nobody else."""
        self.require_started()
        return self.context.compute(self.lobby.id, work, self.who)

    def require_started(self) -> None:
        """Raises the problem of a game that had not started when they entered."""
        if self.lobby.status == "lobby":
            raise Problem("not-started")

    def renewed(self) -> GameAccess:
        """The same caller in the game as it is now, by what the store says and nothing that is remembered.

        Raises the problem of one who has lost what they came with: token, account, seat, or a private game. Whoever
        tells something after a while asks this after they know how far the game is and before they read it.
        """
        alive, lobby = self.context.store.standing(self.lobby.id, self.credential)
        if not alive or (self.credential is not None and self.credential.has_expired):
            raise _void()
        if lobby is None:
            raise Problem("unknown-game")
        return self.as_of(self.context.lobby_cache.seated(lobby))

    def as_believed(self) -> GameAccess:
        """The same caller in the game as this process would take them in now: what it remembers is believed, as for any request.

        What has lapsed, or was forgotten since they came, is asked of the store; raises as `renewed` does. Enough for who is
        told what `Expectation.came` has told, because by then a revocation before it has been heard of.
        """
        seated = self.context.lobby_cache.cached(self.lobby.id)
        if seated is None or self.credential is None or not self.context.tokens.believes(self.credential):
            return self.renewed()
        return self if seated is self.seated else self.as_of(seated)

    def as_of(self, seated: SeatedLobby) -> GameAccess:
        """The same caller, whose token still stands, in the game as this lobby says; raises as `renewed` does."""
        now = _access_for(self.context, seated, self.credential, self.named_seat, self.address)
        if self.seat is not None and self.others_seat is None and (now.seat, now.others_seat) != (self.seat, None):
            raise Problem("not-your-seat")
        return now

    def require_creator(self) -> None:
        """Raises the problem of a caller who has not made the game."""
        if self.lobby.creator != self.player_id:
            raise Problem("not-creator")

    def require_visible(self, status: str) -> None:
        """Raises the problem of another's seat, which is shown when the game is over and not before."""
        if self.others_seat is not None and status != "over":
            raise Problem("not-your-seat")


def authorize(game_id: GameId, credential: Credential | None, *, fresh: bool = False) -> GameAccess:
    """What the caller may do in a game.

    Raises the problem of an unknown game where there is none or its existence is not theirs to know, of a Game-Head that
    does not stand in its log, and of a ``?seat=`` that it does not have.
    """
    context = current_context()
    seated = context.lobby_cache.get(game_id, fresh=fresh)
    _require_known(context, seated.lobby, credential)
    if "Game-Head" in request.headers:
        context.require_head(game_id, request.headers["Game-Head"])
    seat = Seat(query_number("seat", 0, 1, len(seated.lobby.chairs)))
    return _access_for(context, seated, credential, seat or None, address())


def _access_for(
    context: AppContext, seated: SeatedLobby, credential: Credential | None, named: Seat | None, address: str
) -> GameAccess:
    player_id = _require_known(context, seated.lobby, credential)
    own = seats = seated.lobby.seats_of(player_id)
    if seated.lobby.seating.sitters and player_id is not None and seated.lobby.seating.sits_in(player_id):
        seats = (*own, *seated.lobby.seating.sits_in(player_id, context.store.schedule.now()))
    seat = named or (seats[0] if seats else None)
    by = SITTER if seat in seats and seat not in own else "player"
    others = named if named is not None and named not in seats else None
    return GameAccess(context, seated, credential, seat, others, named, address, by)


def _require_known(context: AppContext, lobby: Lobby, credential: Credential | None) -> PlayerId | None:
    """The caller's account; raises the problem of an unknown game where its existence is not theirs to know."""
    player_id = None if credential is None else credential.player
    if lobby.visibility == "private" and not is_member(lobby, player_id, context.store.schedule.now):
        raise Problem("unknown-game")
    return player_id


def is_member(lobby: Lobby, player_id: PlayerId | None, now: Callable[[], int]) -> bool:
    """Whether a private game's existence is the player's to know: for who sits in until their time is over."""
    return player_id is not None and lobby.belongs_to(player_id, now() if lobby.seating.sits_in(player_id) else 0)
