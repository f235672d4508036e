"""Apps of others: those that players have registered, and their connections to the players they act for."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from domain.kernel.terms import GameId, PlayerId
from service.store import typed
from service.store.ports.accounts import APP, Credential
from service.store.ports.side_data import NO_GAME
from service.store.redis.store import Store

ACCESS_SECONDS = 3600
"""Lifetime of an access token."""

MOST_CONNECTIONS = 50
"""Connections of an account. One more ends the oldest."""

_APPS = "oauth-apps"


class RegisteredApp(msgspec.Struct, frozen=True):
    """An app that was registered with `POST /v1/apps`."""

    id: str
    owner: PlayerId
    name: str
    redirect_uris: tuple[str, ...]
    made_at: int


class AppConnection(msgspec.Struct, frozen=True):
    """What a player has confirmed for an app. Its id is also that of the credential of its access token."""

    id: str
    player: PlayerId
    client: str
    name: str
    scopes: tuple[str, ...]
    game: GameId | None
    """The only game that the app may use; None for all games."""
    made_at: int
    ends_at: int
    """Milliseconds of Unix time after which the player is asked again."""
    seed: str
    """The key that seals its codes and refresh tokens."""
    minted_by: str = ""
    """The id of the token that the player's session came from; revoking that ends the connection. Empty for none."""


_APP, _CONNECTION = typed.decoder(RegisteredApp), typed.decoder(AppConnection)


# -- registered apps ---------------------------------------------------------------------------------------------------


def store_app(store: Store, app: RegisteredApp) -> None:
    store.notes.put(NO_GAME, _APPS, app.id, msgspec.json.encode(app))
    store.notes.put(NO_GAME, f"{_APPS}:{app.owner}", app.id, msgspec.json.encode(app))


def find_app(store: Store, id_: str) -> RegisteredApp | None:
    """The app; None if it is unknown, or while the account of its owner is suspended."""
    packed = store.notes.read(NO_GAME, _APPS, [id_]).get(id_)
    found = None if packed is None else _APP.decode(packed)
    return None if found is None or store.accounts.suspension(found.owner) is not None else found


def list_apps(store: Store, owner: PlayerId) -> Sequence[RegisteredApp]:
    """The apps that a player has registered, oldest first."""
    found = [_APP.decode(each) for each in store.notes.all(NO_GAME, f"{_APPS}:{owner}").values()]
    return sorted(found, key=lambda each: (each.made_at, each.id))


def remove_app(store: Store, owner: PlayerId, id_: str) -> bool:
    """Remove an app of its owner. Returns whether it existed."""
    if not store.notes.read(NO_GAME, f"{_APPS}:{owner}", [id_]):
        return False
    store.notes.erase(NO_GAME, _APPS, [id_])
    return bool(store.notes.erase(NO_GAME, f"{_APPS}:{owner}", [id_]))


# -- connections -------------------------------------------------------------------------------------------------------


def _drawer(player_id: PlayerId) -> str:
    return f"connections:{player_id}"


def add_connection(store: Store, connection: AppConnection) -> None:
    """Store a connection; ends the oldest ones if there are too many."""
    store.notes.put(NO_GAME, _drawer(connection.player), connection.id, msgspec.json.encode(connection))
    for each in list_connections(store, connection.player)[:-MOST_CONNECTIONS]:
        end_connection(store, each.player, each.id)


def find_connection(store: Store, player_id: PlayerId, id_: str) -> AppConnection | None:
    """The connection; None if it has ended or its account is gone."""
    packed = store.notes.read(NO_GAME, _drawer(player_id), [id_]).get(id_)
    found = None if packed is None else _CONNECTION.decode(packed)
    if found is None or found.ends_at <= store.schedule.now() or store.accounts.player(player_id) is None:
        return None
    return found


def list_connections(store: Store, player_id: PlayerId) -> Sequence[AppConnection]:
    """The connections of a player that have not ended, oldest first. Removes those that have."""
    now = store.schedule.now()
    found = [_CONNECTION.decode(each) for each in store.notes.all(NO_GAME, _drawer(player_id)).values()]
    for each in found:
        if each.ends_at <= now:
            end_connection(store, player_id, each.id)
    return sorted((each for each in found if each.ends_at > now), key=lambda each: (each.made_at, each.id))


def end_connection(store: Store, player_id: PlayerId, id_: str) -> bool:
    """End a connection and revoke its tokens. Returns whether it existed.

    First the connection: a request that is about to issue a token looks for it afterwards.
    """
    existed = store.notes.erase(NO_GAME, _drawer(player_id), [id_])
    store.accounts.revoke(player_id, id_)
    return bool(existed)


def end_connections(store: Store, player_id: PlayerId, revoked: Collection[str] | None = None) -> Sequence[str]:
    """End connections of an account: those with these ids or minted by a token with one of them; None: all. Returns their ids."""
    known = [_CONNECTION.decode(each) for each in store.notes.all(NO_GAME, _drawer(player_id)).values()]
    ended = [each.id for each in known if revoked is None or each.id in revoked or each.minted_by in revoked]
    for each in ended:
        end_connection(store, player_id, each)
    return ended


def revoke_all(store: Store, player_id: PlayerId, keep: str = "") -> Sequence[str]:
    """Revoke every token and session of an account except ``keep``, and end its connections. Returns the revoked ids."""
    revoked = store.accounts.revoke_all(player_id, keep)
    # After: no other session is left that could confirm another connection.
    return [*revoked, *end_connections(store, player_id)]


def issue_access(
    store: Store, connection: AppConnection, scopes: Sequence[str], token_digest: str
) -> Credential | None:
    """Store an access token in place of the connection's earlier one. None if the connection has ended meanwhile."""
    now = store.schedule.now()
    credential = Credential(
        connection.id,
        connection.player,
        tuple(scopes),
        now,
        connection.name,
        connection.game,
        minted_by="",
        expires_at=min(now + ACCESS_SECONDS * 1000, connection.ends_at),
        kind=APP,
    )
    store.accounts.revoke(connection.player, connection.id)
    store.accounts.add_token(credential, token_digest)
    if find_connection(store, connection.player, connection.id) is None:
        store.accounts.revoke(connection.player, connection.id)
        return None
    return credential


def erase_apps(store: Store, player_id: PlayerId) -> None:
    """End all connections of an account and remove the apps that it has registered."""
    end_connections(store, player_id)
    for app in list_apps(store, player_id):
        remove_app(store, player_id, app.id)
