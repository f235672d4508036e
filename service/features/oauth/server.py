"""The authorization server: Authlib checks the requests, and the store has the codes and tokens."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

import orjson
from authlib.common.urls import add_params_to_uri
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import (
    AuthorizationServer,
    InvalidGrantError,
    InvalidRequestError,
    OAuth2Payload,
    OAuth2Request,
)
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant, RefreshTokenGrant
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc7662 import IntrospectionEndpoint
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant
from flask import Response, g, request

from domain.kernel.terms import PlayerId
from service.core.accounts import apps
from service.core.accounts.apps import AppConnection
from service.core.accounts.scopes import APP_SCOPES
from service.core.http.access.auth import require_valid_token
from service.core.http.access.ids import new_id
from service.core.http.context.app import current_context
from service.core.http.context.tokens import digest_of, new_token
from service.core.http.problems import Problem
from service.features.oauth import codes
from service.features.oauth.clients import OAuthClient, is_metadata_url
from service.features.oauth.codes import CODE, REFRESH, DeviceAuthorization, IssuedSecret
from service.store.ports.accounts import APP, Credential

PUBLIC = ["none"]
"""How clients authenticate: not at all."""

ONCE = (
    "code_challenge",
    "code_challenge_method",
    "game",
    "response_type",
    "client_id",
    "redirect_uri",
    "scope",
    "state",
)
"""Parameters that a request for access may have, each once."""


class _Payload(OAuth2Payload):
    @property
    def data(self) -> Any:
        # The parameters of the form only: those of the URL could differ from what the player has confirmed.
        return request.form if request.method == "POST" else request.args

    @property
    def datalist(self) -> Any:
        return {name: self.data.getlist(name) for name in self.data}


class _FlaskRequest(OAuth2Request):
    def __init__(self) -> None:
        # Authlib would reject http, which is what a server behind a proxy and one on a local network receive.
        super().__init__(request.method, "https://service.invalid/", headers=request.headers)
        self.payload = _Payload()

    @property
    def args(self) -> Any:
        return request.args

    @property
    def form(self) -> Any:
        return request.form


class _Server(AuthorizationServer):
    def query_client(self, client_id: str) -> OAuthClient | None:
        """The client: for a page with its name and redirect URIs, otherwise enough to compare it."""
        page: OAuthClient | None = g.get("oauth_client")
        if page is not None:
            return page if page.id == client_id else None
        if is_metadata_url(client_id):
            return OAuthClient(client_id)
        app = apps.find_app(current_context().store, client_id)
        return None if app is None else OAuthClient(app.id, app.name, app.redirect_uris)

    def save_token(self, token: dict[str, Any], request: Any) -> None:
        """Issue the access token and the refresh token. Raises the error of a connection that has ended meanwhile."""
        issued, store = request.authorization_code or request.refresh_token, current_context().store
        if issued is None:
            issued = _take_device(request)
        elif request.refresh_token and codes.take_secret(store, REFRESH, request.form["refresh_token"]) is None:
            raise InvalidGrantError("The refresh token was used by another request.")
        connection = apps.find_connection(store, issued.player, issued.connection)
        scopes = token["scope"].split()
        credential = None
        if connection is not None:
            credential = apps.issue_access(store, connection, scopes, digest_of(token["access_token"]))
        if connection is None or credential is None or credential.expires_at is None:
            raise InvalidGrantError("The player has ended the connection.")
        current_context().tokens.forget(connection.id)  # the earlier access token
        token["expires_in"] = (credential.expires_at - credential.made_at) // 1000
        if connection.game is not None:
            token["game"] = connection.game
        kept = IssuedSecret(connection.id, connection.player, connection.client, connection.scopes)
        left = max(1, (connection.ends_at - credential.made_at) // 1000)
        token["refresh_token"] = codes.create_secret(store, REFRESH, connection, kept, left)

    def create_oauth2_request(self, _request: Any) -> _FlaskRequest:
        return _FlaskRequest()

    def handle_response(self, status: int, body: Any, headers: Any) -> Response:
        payload = orjson.dumps(body) if isinstance(body, dict) else body
        response = Response(payload, status, dict(headers))
        response.headers["Cache-Control"] = "no-store"
        return response

    def send_signal(self, *_: Any, **__: Any) -> None:
        """Nothing listens to Authlib's signals."""


def _take_device(oauth_request: Any) -> IssuedSecret:
    device: DeviceAuthorization = oauth_request.credential
    if not codes.take_device(current_context().store, oauth_request.form["device_code"]) or device.player is None:
        raise InvalidGrantError("The device code was used by another request.")
    return IssuedSecret(device.connection, device.player, device.client, device.scopes)


def _generate(scope: str, **_: Any) -> dict[str, Any]:
    """A token response; `_Server.save_token` completes it."""
    return {"token_type": "Bearer", "access_token": new_token("a"), "scope": scope}


class _CodeGrant(AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS: ClassVar = PUBLIC

    def generate_authorization_code(self) -> str:
        """A code for the connection that the player has confirmed."""
        payload, connection = self.request.payload, g.oauth_connection
        issued = IssuedSecret(
            connection.id,
            connection.player,
            connection.client,
            connection.scopes,
            payload.redirect_uri,
            payload.data["code_challenge"],
        )
        return codes.create_secret(current_context().store, CODE, connection, issued, codes.CODE_SECONDS)

    def save_authorization_code(self, code: str, request: Any) -> None:
        """`generate_authorization_code` has stored it."""

    def query_authorization_code(self, code: str, client: OAuthClient) -> IssuedSecret | None:
        """The first attempt uses a code up, also with a wrong verifier or by another client."""
        issued = codes.take_secret(current_context().store, CODE, code)
        return issued if issued is not None and issued.check_client(client) else None

    def delete_authorization_code(self, authorization_code: IssuedSecret) -> None:
        """`query_authorization_code` has taken it."""

    def authenticate_user(self, authorization_code: IssuedSecret) -> PlayerId:
        return authorization_code.player


class _OnlyS256(CodeChallenge):
    SUPPORTED_CODE_CHALLENGE_METHOD: ClassVar = ["S256"]

    def validate_code_challenge(self, grant: Any, redirect_uri: str) -> None:
        data = grant.request.payload.data
        if data.get("code_challenge_method") != "S256":
            raise InvalidRequestError(
                "PKCE is required: code_challenge, and code_challenge_method with the value S256."
            )
        super().validate_code_challenge(grant, redirect_uri)


class _RefreshGrant(RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS: ClassVar = PUBLIC

    def authenticate_refresh_token(self, refresh_token: str) -> IssuedSecret | None:
        return codes.find_secret(current_context().store, REFRESH, refresh_token)

    def authenticate_user(self, refresh_token: IssuedSecret) -> PlayerId:
        return refresh_token.player

    def revoke_old_credential(self, refresh_token: IssuedSecret) -> None:
        """`_Server.save_token` has taken it."""


class _DeviceGrant(DeviceCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS: ClassVar = PUBLIC

    def query_device_credential(self, device_code: str) -> DeviceAuthorization | None:
        return codes.find_device(current_context().store, device_code)

    def query_user_grant(self, _user_code: str) -> tuple[PlayerId | None, bool] | None:
        found = codes.find_device(current_context().store, self.request.form["device_code"])
        return None if found is None or found.status == "pending" else (found.player, found.status == "approved")

    def should_slow_down(self, credential: Any) -> bool:
        seconds = DeviceAuthorizationEndpoint.INTERVAL - 1  # the network can make two polls arrive a little closer
        return not current_context().store.accounts.allow(f"oauth-poll:{credential.user_code}", 1, 1 / seconds)[0]


class _DeviceEndpoint(DeviceAuthorizationEndpoint):
    CLIENT_AUTH_METHODS: ClassVar = PUBLIC
    EXPIRES_IN = codes.DEVICE_SECONDS

    def get_verification_uri(self) -> str:
        return f"{current_context().base_url()}/oauth/device"

    def create_endpoint_response(self, request: Any) -> Any:
        if request.payload.scope is None or not request.payload.scope.split():
            raise InvalidRequestError("Missing 'scope' in request.")
        return super().create_endpoint_response(request)

    def save_device_credential(self, client_id: str, scope: str, data: dict[str, Any]) -> None:
        store, scopes = current_context().store, tuple(dict.fromkeys(scope.split()))
        ends_at = store.schedule.now() + self.EXPIRES_IN * 1000
        codes.put_device(store, data["device_code"], DeviceAuthorization(client_id, scopes, data["user_code"], ends_at))


class _IssuedToken:
    """An access token or a refresh token that is presented, and its connection."""

    def __init__(self, connection: AppConnection, scopes: tuple[str, ...], expires_at: int) -> None:
        self.connection, self.scopes, self.expires_at = connection, scopes, expires_at

    def check_client(self, client: OAuthClient) -> bool:
        return client.id == self.connection.client

    def is_expired(self) -> bool:
        return False

    def is_revoked(self) -> bool:
        """While the account is suspended, its tokens are refused."""
        return current_context().store.accounts.suspension(self.connection.player) is not None


def _find_token(token: str) -> _IssuedToken | None:
    """A valid token of an app; a refresh token stays unused."""
    store = current_context().store
    credential = store.accounts.by_token(digest_of(token))
    if credential is not None and credential.kind == APP and credential.expires_at is not None:
        connection = apps.find_connection(store, credential.player, credential.id)
        return None if connection is None else _IssuedToken(connection, credential.scopes, credential.expires_at)
    issued = codes.find_secret(store, REFRESH, token)
    connection = None if issued is None else apps.find_connection(store, issued.player, issued.connection)
    return None if connection is None else _IssuedToken(connection, connection.scopes, connection.ends_at)


class _TokenParameters:
    """Reads requests about a token. The hint about its type is ignored, because all types are searched."""

    def check_params(self, request: Any, _client: OAuthClient) -> None:
        if not request.form.get("token"):
            raise InvalidRequestError("Missing 'token' in request.")


class _Revocation(_TokenParameters, RevocationEndpoint):
    CLIENT_AUTH_METHODS: ClassVar = PUBLIC

    def query_token(self, token_string: str, _hint: str | None) -> _IssuedToken | None:
        return _find_token(token_string)

    def revoke_token(self, token: _IssuedToken, _request: Any) -> None:
        """Revoking any token of a connection ends it."""
        codes.end_connection(token.connection.player, token.connection.id)


class _Introspection(_TokenParameters, IntrospectionEndpoint):
    CLIENT_AUTH_METHODS: ClassVar = PUBLIC

    def query_token(self, token_string: str, _hint: str | None) -> _IssuedToken | None:
        return _find_token(token_string)

    def check_permission(self, token: _IssuedToken, client: OAuthClient, _request: Any) -> bool:
        """A client can only look at its own tokens."""
        return token.check_client(client)

    def introspect_token(self, token: _IssuedToken) -> dict[str, Any]:
        connection = token.connection
        about = {
            "client_id": connection.client,
            "scope": " ".join(token.scopes),
            "sub": connection.player,
            "iss": current_context().base_url(),
            "iat": connection.made_at // 1000,
            "exp": token.expires_at // 1000,
            "token_type": "Bearer",
        }
        return about if connection.game is None else {**about, "game": connection.game}


def connect(client: OAuthClient, session: Credential, scopes: str, game: Any, seconds: int) -> AppConnection:
    """A new connection, which the player has just confirmed in this session.

    It ends with the token that the session comes from. Raises the problem of a session that has ended meanwhile.
    """
    store = current_context().store
    now = store.schedule.now()
    ends_at = now + seconds * 1000
    made = AppConnection(
        new_id("a"),
        session.player,
        client.id,
        client.label,
        tuple(scopes.split()),
        game,
        now,
        ends_at if session.renews or session.expires_at is None else min(ends_at, session.expires_at),
        new_token("x"),
        session.parent_of_new,
    )
    apps.add_connection(store, made)
    try:
        require_valid_token(session)
    except Problem:
        apps.end_connection(store, made.player, made.id)
        raise
    return made


def with_issuer(response: Response) -> Response:
    """A redirect that also names this server (RFC 9207), so that an app with several servers cannot mix them up."""
    if response.location:
        response.location = add_params_to_uri(response.location, [("iss", current_context().base_url())])
    return response


@cache
def authorization_server() -> Any:
    """The server. It keeps no state of its own."""
    made = _Server(APP_SCOPES)
    made.register_token_generator("default", _generate)
    made.register_grant(_CodeGrant, [_OnlyS256(required=True)])
    made.register_grant(_RefreshGrant)
    made.register_grant(_DeviceGrant)
    for endpoint in (_DeviceEndpoint, _Revocation, _Introspection):
        made.register_endpoint(endpoint)
    return made


__all__ = ["ONCE", "OAuth2Error", "authorization_server", "connect", "with_issuer"]
