"""Authentication: from the Authorization header or the cookie of a session to a credential, and from a credential to a seat in a game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from flask import g, request

from domain.kernel.game import AnyGame
from domain.kernel.record import SITTER
from domain.kernel.terms import GameId, PlayerId, Seat, Seq
from service.core.accounts.scopes import includes
from service.core.history.narration import Narrator
from service.core.http.access import sessions
from service.core.http.context.app import AppContext, current_context
from service.core.http.context.lobbies import SeatedLobby
from service.core.http.context.offload import ReadContext
from service.core.http.context.tokens import digest_of
from service.core.http.limits.rates import client_address
from service.core.http.problems import Problem
from service.core.http.reference.routes import ROUTES
from service.core.http.responses import query_number
from service.core.positions.game_config import GameConfig
from service.store.ports.accounts import SESSION, Credential
from service.store.ports.commits import Rows
from service.store.ports.lobbies import Lobby, find_offers

T = TypeVar("T")
CHALLENGE = 'Bearer realm="oraclewheel"'

TICKET_SECONDS = 24 * 3600
"""Seconds for which a ticket stays valid after each use."""

NO_OTHER = "The request needs a bearer token (`Authorization: Bearer <token>`). No other scheme is accepted."


def optional_caller(scope: str = "", own: str = "") -> Credential | None:
    """The caller's credential, or None without an Authorization header. Counts the request.

    It must have the scope that the operation declares. A page that is not an operation names the ``scope`` here. ``own``
    is the id of a credential that may make the request with any scope, because the request concerns only itself.

    Raises the problems of a bad token, of a suspended account, of a missing scope, of a credential for another game, and of too many requests.
    """
    context = current_context()
    header = request.headers.get("Authorization")
    if header is None:
        credential = _by_session(context)
        if credential is None:
            g.limit = context.rate_limiter.take(client_address())
            return None
        return _counted(context, credential, scope, own)
    kind, _, token = header.partition(" ")
    credential = _find(context, token.strip()) if kind.lower() == "bearer" else None
    if credential is None:
        g.limit = context.rate_limiter.take(client_address())
        detail = "" if kind.lower() == "bearer" else NO_OTHER
        raise Problem("bad-token", detail, {"WWW-Authenticate": f'{CHALLENGE}, error="invalid_token"'})
    return _counted(context, credential, scope, own)


def _find(context: AppContext, token: str) -> Credential | None:
    """As `TokenCache.find`. A request of a suspended account counts for its address."""
    try:
        return context.tokens.find(token)
    except Problem:
        g.limit = context.rate_limiter.take(client_address())
        raise


def _by_session(context: AppContext) -> Credential | None:
    """The credential of the session's cookie. A session that has ended counts as none, and its cookies are removed.

    Raises the problem of a request that changes something and was not sent by one of our pages.
    """
    token = sessions.session_token()
    if token is None:
        return None
    credential = _find(context, token)
    if credential is None or credential.kind != SESSION:
        sessions.drop_session()
        return None
    sessions.require_own_page(token)
    return sessions.renew(credential, token)


def _counted(context: AppContext, credential: Credential, scope: str, own: str) -> Credential:
    """The credential, after the request was counted and its rights were checked."""
    g.payer = credential.player
    g.limit = context.rate_limiter.take(credential.player)
    if own and own == credential.id:
        return credential
    for needed in (scope,) if scope else ROUTES[request.endpoint or ""].scopes:
        if not includes(credential.scopes, needed):
            raise insufficient_scope(needed)
    if credential.game is not None and not _concerns(credential.game):
        raise _other_game(credential.game)
    return credential


def _concerns(game_id: GameId) -> bool:
    """Whether the request concerns this game, or is allowed to credentials for any game."""
    named = (request.view_args or {}).get("game_id")
    if named is not None:
        return bool(named == game_id)
    docs = ROUTES.get(request.endpoint or "")
    return docs is not None and docs.any_game


def _other_game(game_id: GameId) -> Problem:
    detail = f"This token is only for the game {game_id}. Use another token to do this."
    challenge = f'{CHALLENGE}, error="insufficient_scope"'
    return Problem("insufficient-scope", detail, {"WWW-Authenticate": challenge})


def required_caller(scope: str = "", own: str = "") -> Credential:
    """The caller's credential. Raises the problem of a missing token, and as `optional_caller` does."""
    credential = optional_caller(scope, own)
    if credential is None:
        raise Problem("no-token", headers={"WWW-Authenticate": CHALLENGE})
    return credential


def insufficient_scope(scope: str) -> Problem:
    """The problem of a token without the scope."""
    challenge = f'{CHALLENGE}, error="insufficient_scope", scope="{scope}"'
    return Problem("insufficient-scope", f"The token needs the scope {scope!r}.", {"WWW-Authenticate": challenge})


def ticket_or_caller(game_id: GameId) -> Credential | None:
    """The caller by a ticket in the URL, for clients that cannot send headers; otherwise by their token.

    Raises the problem of a ticket that has expired or is for another game, otherwise as `optional_caller` does.
    """
    ticket = request.args.get("ticket")
    if ticket is None:
        return optional_caller()
    context = current_context()
    g.limit = context.rate_limiter.take(client_address())
    credential = context.store.accounts.use_ticket(digest_of(ticket), TICKET_SECONDS)
    if credential is not None:
        context.tokens.require_active(credential.player)
    if credential is None or credential.game != game_id or not context.tokens.is_valid(credential):
        raise Problem("bad-token", "The ticket is unknown, has expired, or is for another game.")
    return credential


def require_valid_token(credential: Credential | None) -> None:
    """Called after a wait. Raises the problem of a caller whose token was revoked meanwhile, or whose account is gone or suspended."""
    _require_valid_token(current_context(), credential)


def _require_valid_token(context: AppContext, credential: Credential | None) -> None:
    if credential is not None and not context.tokens.is_valid(credential):
        raise _lost_token(context, credential)


def _lost_token(context: AppContext, credential: Credential) -> Problem:
    """The problem of a token that no longer works: its account is suspended, or it was revoked."""
    context.tokens.require_active(credential.player)
    return Problem("bad-token", headers={"WWW-Authenticate": f'{CHALLENGE}, error="invalid_token"'})


@dataclass(frozen=True, slots=True)
class GameAccess:
    """A caller in a game that is visible to them."""

    context: AppContext
    seated: SeatedLobby
    credential: Credential | None
    seat: Seat | None
    """The seat whose view they read: their own (the first, or the one in ``?seat=``), or None for the public view."""
    others_seat: Seat | None
    """A seat of another player in ``?seat=``; shown only when the game is over."""
    named_seat: Seat | None = None
    """The seat in ``?seat=``, if given."""
    address: str = ""
    """The address of the request, as it is counted."""
    by: str = "player"
    """Their role for the seat, if it is theirs: its ``player``, or its ``sitter`` for a time."""

    @property
    def lobby(self) -> Lobby:
        return self.seated.lobby

    @property
    def game(self) -> AnyGame:
        """The game's rules and texts. Raises the problem of a kind that this release does not have."""
        return self.seated.game

    @property
    def narrator(self) -> Narrator:
        """The narrator of its history."""
        return self.seated.narrator

    @property
    def player_id(self) -> PlayerId | None:
        return None if self.credential is None else self.credential.player

    @property
    def client(self) -> str:
        """The account or address to charge for work."""
        return self.player_id or self.address

    @property
    def own_seat(self) -> Seat:
        """The seat they act for. Raises the problem of one that is not theirs."""
        if self.seat is None or self.others_seat is not None:
            raise Problem("not-your-seat")
        return self.seat

    @property
    def tenure(self) -> Seq:
        """The commit in which the player of that seat took it; 0 if they have had it from the start."""
        return Seq(0) if self.seat is None else self.lobby.seating.tenure(self.seat)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seat whose private part they may read, as a tuple of one or none."""
        return () if self.seat is None else (self.seat,)

    def rows(self, seats: tuple[Seat, ...] = ()) -> Rows:
        """The newest rows of the game. Raises the problems of a game that had not started when they entered.

        Until the start seats change hands, so the game may have dealt cards to another player's seat since.
        """
        self.require_started()
        return self.context.rows(self.lobby.id, seats)

    def rows_without_views(self) -> Rows:
        """The position, pending questions, and what each seat has seen."""
        self.require_started()
        return self.context.rows(self.lobby.id, views=False)

    def compute(self, work: Callable[[ReadContext, GameConfig], T]) -> T:
        """Compute something about the game without blocking others. It must have started when they entered."""
        self.require_started()
        return self.context.compute(self.lobby.id, work, self.client)

    def require_started(self) -> None:
        """Raises the problem of a game that had not started when they entered."""
        if self.lobby.status == "lobby":
            raise Problem("not-started")

    def refresh(self) -> GameAccess:
        """The same caller with current rights, read from the store without caches.

        Raises the problem of a caller who has lost their token, account or seat, or access to a private game. A
        long-running response calls this after it has read the game's position and before it reads content.
        """
        alive, lobby = self.context.store.standing(self.lobby.id, self.credential)
        if self.credential is not None and (not alive or self.credential.has_expired):
            raise _lost_token(self.context, self.credential)
        if lobby is None:
            raise Problem("unknown-game")
        return self.with_lobby(self.context.lobby_cache.to_seated(lobby))

    def refresh_from_cache(self) -> GameAccess:
        """The same caller with current rights, from this process's caches, as for any request.

        Expired or removed entries are read from the store. Raises as `refresh` does. This suffices after
        `Expected.came` has reported, because any earlier revocation has been received by then.
        """
        seated = self.context.lobby_cache.get_cached(self.lobby.id)
        if seated is None or self.credential is None or not self.context.tokens.is_cached(self.credential):
            return self.refresh()
        return self if seated is self.seated else self.with_lobby(seated)

    def with_lobby(self, seated: SeatedLobby) -> GameAccess:
        """The same caller, whose token is valid, with the seats of this lobby. Raises as `refresh` does."""
        now = _game_access(self.context, seated, self.credential, self.named_seat, self.address)
        if self.seat is not None and self.others_seat is None and (now.seat, now.others_seat) != (self.seat, None):
            raise Problem("not-your-seat")
        return now

    def require_creator(self) -> None:
        """Raises the problem of a caller who has not created the game."""
        if self.lobby.creator != self.player_id:
            raise Problem("not-creator")

    def require_visible(self, status: str) -> None:
        """Raises the problem of another player's seat, which is visible only when the game is over."""
        if self.others_seat is not None and status != "over":
            raise Problem("not-your-seat")


def authorize(game_id: GameId, credential: Credential | None, *, fresh: bool = False) -> GameAccess:
    """The caller's rights in a game.

    Raises the problem of a credential for another game, of an unknown game if it does not exist or is not visible to the caller, of a Game-Head that is
    not in its log, and of a ``?seat=`` that it does not have.
    """
    context = current_context()
    if credential is not None and credential.game not in (None, game_id):
        raise _other_game(credential.game or game_id)
    seated = context.lobby_cache.get(game_id, fresh=fresh)
    _require_known(context, seated.lobby, credential)
    if "Game-Head" in request.headers:
        context.require_head(game_id, request.headers["Game-Head"])
    seat = Seat(query_number("seat", 0, 1, len(seated.lobby.chairs)))
    return _game_access(context, seated, credential, seat or None, client_address())


def _game_access(
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
    """The caller's account. Raises the problem of an unknown game if it is not visible to them."""
    player_id = None if credential is None else credential.player
    if lobby.visibility == "private" and not is_member(lobby, player_id, context.store.schedule.now):
        raise Problem("unknown-game")
    return player_id


def is_member(lobby: Lobby, player_id: PlayerId | None, now: Callable[[], int]) -> bool:
    """Whether a private game is visible to the player. For sitters, and until they take a reserved seat, it is for a time."""
    if player_id is None:
        return False
    if lobby.reserved and player_id in find_offers(lobby.reserved, now()).values():
        return True
    return lobby.belongs_to(player_id, now() if lobby.seating.sits_in(player_id) else 0)
