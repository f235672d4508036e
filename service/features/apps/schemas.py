"""Schemas of apps: those that a player has registered, and those that can act for them."""

from __future__ import annotations

from marshmallow import fields

from service.core.accounts.names import MAX_NAME_LENGTH
from service.core.accounts.redirects import LONGEST, MOST
from service.core.accounts.scopes import APP_SCOPES
from service.core.http.schemas.fields import EnumField, ListField, StringField, example
from service.core.http.schemas.replies.base import MADE_AT, Reply, id_of, instant
from service.core.http.schemas.requests import Request

_APP = {"name": "Penny Helper", "redirect_uris": ["https://helper.example.org/callback"]}


@example(_APP)
class AppRequest(Request):
    name = StringField(MAX_NAME_LENGTH, 1, required=True, metadata={"description": "The name that players see."})
    redirect_uris = ListField(
        StringField(LONGEST, 1),
        MOST,
        1,
        required=True,
        metadata={
            "description": "Where players return to: https, http on a loopback address, or a private scheme that contains a "
            "dot. A request must name one of them exactly. Only the port of a loopback address may differ."
        },
    )


@example({"id": "ap0h4t9wz1k8ymr2", **_APP, "created_at": MADE_AT})
class App(Reply):
    id = id_of("The `client_id` of the app.")
    name = StringField(MAX_NAME_LENGTH, required=True)
    redirect_uris = ListField(StringField(LONGEST), required=True)
    created_at = instant("When the app was registered.")


@example({"apps": [App.example]})
class Apps(Reply):
    apps = fields.List(fields.Nested(App), required=True)


@example(
    {
        "id": "ak2n4x6v0b1q3w5z",
        "name": "Penny Helper",
        "client_id": "ap0h4t9wz1k8ymr2",
        "scopes": ["games:read", "games:play"],
        "game": None,
        "created_at": MADE_AT,
        "expires_at": MADE_AT,
        "last_used_at": None,
    }
)
class ConnectedApp(Reply):
    id = id_of()
    name = StringField(100, required=True)
    client_id = StringField(1000, required=True)
    scopes = ListField(EnumField(*APP_SCOPES), required=True)
    game = id_of("The only game that the app can use. Null for all games.", allow_none=True)
    created_at = instant("When you connected the app.")
    expires_at = instant("When the connection ends.")
    last_used_at = instant("When the app was last used, accurate to about ten minutes. Null if never.", allow_none=True)


@example({"apps": [ConnectedApp.example]})
class ConnectedApps(Reply):
    apps = fields.List(fields.Nested(ConnectedApp), required=True)
