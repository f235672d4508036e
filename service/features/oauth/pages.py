"""Pages on which a player lets an app act for them, after a redirect or with the code that a device shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from flask import Blueprint, Response, g, make_response, render_template, request

from domain.kernel.terms import GameId
from service.core.accounts.apps import find_app
from service.core.accounts.redirects import origin_of
from service.core.accounts.scopes import ACCOUNT_WRITE, DESCRIPTIONS, includes
from service.core.history.seating import describe_game
from service.core.http.access.auth import authorize, insufficient_scope, optional_caller
from service.core.http.access.sessions import csrf_token
from service.core.http.context.app import current_context
from service.core.http.limits.rates import client_address, count_hourly
from service.core.http.problems import Problem
from service.features.oauth import codes
from service.features.oauth.clients import OAuthClient, is_metadata_url, is_well_formed
from service.features.oauth.metadata import BadMetadata, find_by_metadata
from service.features.oauth.server import ONCE, OAuth2Error, authorization_server, connect, with_issuer
from service.store.ports.accounts import SESSION, Credential
from service.store.ports.errors import StoreDown

blueprint = Blueprint("oauth_pages", __name__, template_folder="templates")

DAY = 24 * 3600
LIFETIMES: Mapping[str, tuple[int, str]] = {
    "day": (DAY, "1 day"),
    "month": (30 * DAY, "30 days"),
    "year": (365 * DAY, "1 year"),
}
"""How long an app may act: by name in the form, seconds and words."""

EVERYWHERE = "all"
INVALID = "The app has sent an invalid request."
MOST_GAMES = 50
"""Games that the page offers as the only one."""

CODES_HOUR = 20
"""Codes of devices that an account, and a network address, can try in an hour. There are 25 billion codes."""

STYLE = Path(__file__).with_name("style.css")
POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
HEADERS: Mapping[str, str] = {
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class _Shown(Exception):
    """Ends a request with this response."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


@dataclass(frozen=True, slots=True)
class _Consent:
    """What the player has chosen in the form."""

    game: GameId | None
    seconds: int


@blueprint.errorhandler(_Shown)
def _shown(shown: _Shown) -> Response:
    return shown.response


@blueprint.errorhandler(Problem)
def _problem(problem: Problem) -> Response:
    told = problem.document
    response = _message(told["status"], told["title"], told["detail"])
    response.headers.update(problem.headers)
    return response


@blueprint.errorhandler(StoreDown)
def _store_down(_: StoreDown) -> Response:
    return _message(503, "The store does not answer.", "Nothing was changed. Try again in a moment.")


def _page(name: str, status: int = 200, target: str = "", /, **about: Any) -> Response:
    response = make_response(render_template(f"oauth/{name}", csrf=csrf_token(), **about), status)
    response.headers.update(HEADERS)
    response.headers["Content-Security-Policy"] = f"{POLICY} {target}".strip()
    return response


def _message(status: int, title: str, text: str) -> Response:
    return _page("message.html", status, title=title, text=text, again="")


@blueprint.get("/oauth/style.css")
def style() -> Response:
    return Response(STYLE.read_bytes(), content_type="text/css; charset=utf-8", headers={"Cache-Control": "no-cache"})


# -- after a redirect --------------------------------------------------------------------------------------------------


@blueprint.get("/oauth/authorize")
def ask() -> Response:
    player, client, grant = _request_for_access()
    asked = {name: value for name, value in grant.request.payload.data.items() if name in ONCE}
    return _consent_page(
        player, client, grant.request.scope, asked.get("game"), "/oauth/authorize", asked, origin_of(grant.redirect_uri)
    )


@blueprint.post("/oauth/authorize")
def answer() -> Response:
    player, client, grant = _request_for_access()
    granted = None
    if _is_allowed():
        consent = _read_consent(player, grant.request.scope, request.form.get("game"))
        g.oauth_connection = connect(client, player, grant.request.scope, consent.game, consent.seconds)
        granted = player.player
    response: Response = authorization_server().create_authorization_response(grant=grant, grant_user=granted)
    response.status_code = 303
    return with_issuer(response)


def _request_for_access() -> tuple[Credential, OAuthClient, Any]:
    """The player, the client and the valid request. Ends with a page or a redirect if one of them is missing."""
    player, asked = _signed_in(), request.form if request.method == "POST" else request.args
    if not is_well_formed(asked):
        raise _Shown(
            _message(400, INVALID, "A parameter is repeated or has forbidden characters. Nothing was changed.")
        )
    client = _known_client(player, asked.get("client_id", ""))
    g.oauth_client = client
    server = authorization_server()
    try:
        return player, client, server.get_consent_grant(end_user=player.player)
    except OAuth2Error as error:
        if error.redirect_uri is None:
            raise _Shown(_message(400, INVALID, f"{error.description} Nothing was changed.")) from error
        raise _Shown(with_issuer(server.handle_error_response(None, error))) from error


# -- with the code of a device -----------------------------------------------------------------------------------------


@blueprint.get("/oauth/device")
def ask_for_device() -> Response:
    player = _signed_in()
    if not request.args.get("user_code"):
        return _page("device.html", wrong=False)
    found = _find_device(player, request.args["user_code"])
    if found is None:
        return _page("device.html", 404, wrong=True)
    _, device = found
    client = _known_client(player, device.client)
    asked = {"user_code": device.user_code}
    return _consent_page(player, client, device.get_scope(), None, "/oauth/device", asked, "")


@blueprint.post("/oauth/device")
def answer_device() -> Response:
    player, store = _signed_in(), current_context().store
    found = _find_device(player, request.form.get("user_code", ""))
    if found is None:
        return _page("device.html", 404, wrong=True)
    name, device = found
    if not _is_allowed():
        codes.answer_device(store, name, msgspec.structs.replace(device, status="denied"))
        return _message(200, "The device was not connected.", "You can close this page.")
    client = _known_client(player, device.client)
    consent = _read_consent(player, device.get_scope(), None)
    made = connect(client, player, device.get_scope(), consent.game, consent.seconds)
    approved = msgspec.structs.replace(device, status="approved", player=player.player, connection=made.id)
    if not codes.answer_device(store, name, approved):
        codes.end_connection(player.player, made.id)
        return _page("device.html", 404, wrong=True)
    return _message(200, "The device is connected.", "Continue on your device. You can close this page.")


def _find_device(player: Credential, typed: str) -> tuple[str, codes.DeviceAuthorization] | None:
    """The device that shows this code. Raises the problem of too many attempts."""
    store = current_context().store
    for guesser in (player.player, client_address()):
        count_hourly(store.accounts, f"device-code:{guesser}", CODES_HOUR, "too-many-guesses")
    letters = re.sub("[^A-Z]", "", typed.upper()[:40])
    return codes.find_device_by_user(store, f"{letters[:4]}-{letters[4:]}")


# -- the form ----------------------------------------------------------------------------------------------------------


def _signed_in() -> Credential:
    """The session of the player. Ends with a page that says how to sign in; raises the problems of a forged form.

    Only a session can consent: an app with a token could otherwise give itself more rights.
    """
    credential = optional_caller(ACCOUNT_WRITE)
    if credential is None:
        title = "Sign in to connect an app."
        text = "Sign in first, then come back to this page."
        raise _Shown(_page("message.html", 401, title=title, text=text, again=request.full_path))
    if credential.kind != SESSION:
        raise Problem("insufficient-scope", "Apps are connected in a browser that is signed in, not with a token.")
    return credential


def _known_client(player: Credential, client_id: str) -> OAuthClient:
    """The client with its name and redirect URIs. Ends with a page if it is unknown."""
    context, title = current_context(), "The app is unknown."
    if is_metadata_url(client_id):
        try:
            return find_by_metadata(context, client_id, player.player)
        except BadMetadata as error:
            raise _Shown(_message(400, title, f"{error} Nothing was changed.")) from error
    app = find_app(context.store, client_id)
    if app is None:
        raise _Shown(_message(400, title, "No app with this client_id is registered. Nothing was changed."))
    return OAuthClient(app.id, app.name, app.redirect_uris)


def _consent_page(
    player: Credential,
    client: OAuthClient,
    scope: str,
    game: str | None,
    action: str,
    asked: Mapping[str, str],
    target: str,
) -> Response:
    """The question to the player. ``game``: the only game that the app asks for; ``target``: where it leads to."""
    scopes = _allowed_scopes(player, scope)
    name = current_context().store.accounts.players([player.player])[player.player].name
    if game is not None:
        authorize(GameId(game), player)
    return _page(
        "consent.html",
        200,
        target,
        app=client,
        player=name,
        allows=[DESCRIPTIONS[each] for each in scopes],
        games=_games(player) if game is None else {game: _title(GameId(game), player)},
        fixed=game is not None,
        lifetimes={name: words for name, (_, words) in LIFETIMES.items()},
        action=action,
        asked=asked,
        target=target,
        everywhere=EVERYWHERE,
    )


def _is_allowed() -> bool:
    """Whether the player allows the request. Ends with a page if the form has no answer."""
    decision = request.form.get("decision")
    if decision not in ("allow", "deny"):
        raise _Shown(
            _message(422, "The form is incomplete.", "Go back and choose Allow or Cancel. Nothing was changed.")
        )
    return decision == "allow"


def _read_consent(player: Credential, scope: str, game: str | None) -> _Consent:
    """The choices in the form. ``game`` is the only game that the app has asked for."""
    _allowed_scopes(player, scope)
    where, until = request.form.get("where", ""), LIFETIMES.get(request.form.get("until", ""))
    if until is None or not where or (game is not None and where != game):
        raise _Shown(
            _message(422, "The form is incomplete.", "Go back and choose where and until when. Nothing was changed.")
        )
    if where == EVERYWHERE:
        return _Consent(None, until[0])
    authorize(GameId(where), player)
    return _Consent(GameId(where), until[0])


def _allowed_scopes(player: Credential, scope: str) -> list[str]:
    """The scopes. Raises the problem of a session that lacks one of them."""
    scopes = scope.split()
    for each in scopes:
        if not includes(player.scopes, each):
            raise insufficient_scope(each)
    return scopes


def _games(player: Credential) -> dict[str, str]:
    """The player's running games and those that have not started, by id."""
    lobbies = current_context().store.lobbies
    found = [
        lobby
        for status in ("running", "lobby")
        for lobby in lobbies.page(player_id=player.player, status=status, limit=MOST_GAMES)[0]
    ]
    return {lobby.id: _title(lobby.id, player) for lobby in found}


def _title(game_id: GameId, player: Credential) -> str:
    """The title of a game, its kind and the other players."""
    seated = authorize(game_id, player).seated
    return describe_game(seated.lobby, seated.names(), seated.lobby.seats_of(player.player)).text
