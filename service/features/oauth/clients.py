"""Clients: apps that are registered here, and apps that are known by the URL of their metadata."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from werkzeug.datastructures import MultiDict

from service.core.accounts.redirects import matches

_PLAIN = re.compile(r"[ !#-\[\]-~]*")
"""Printable ASCII without the double quote and the backslash (RFC 6749)."""

DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"
GRANT_TYPES = ("authorization_code", "refresh_token", DEVICE_CODE)


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """A public client, with the methods that Authlib calls. A request that does not show a page needs the id only."""

    id: str
    name: str = ""
    redirect_uris: Sequence[str] = ()

    @property
    def host(self) -> str:
        """The host of its metadata, which no one else can publish. Empty for a registered app."""
        return (urlsplit(self.id).hostname or "") if is_metadata_url(self.id) else ""

    @property
    def label(self) -> str:
        """The name to show and to log. The host distinguishes apps that call themselves the same."""
        return f"{self.name} ({self.host})"[:100] if self.host else self.name

    def get_client_id(self) -> str:
        return self.id

    def get_default_redirect_uri(self) -> None:
        """Every request names its redirect URI."""

    def get_allowed_scope(self, scope: str | None) -> str | None:
        """The scopes without repetitions; None if there are none."""
        return " ".join(dict.fromkeys((scope or "").split())) or None

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return any(matches(known, redirect_uri) for known in self.redirect_uris)

    def check_endpoint_auth_method(self, method: str, _endpoint: str) -> bool:
        """Clients have no secret: PKCE and rotation protect codes and refresh tokens."""
        return method == "none"

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type in GRANT_TYPES


def is_well_formed(values: MultiDict[str, str]) -> bool:
    """Whether each parameter is given once, with characters that OAuth allows. Only ``state`` may have others."""
    return all(len(given) == 1 and (name == "state" or _PLAIN.fullmatch(given[0])) for name, given in values.lists())


def is_metadata_url(client_id: str) -> bool:
    """Whether the client is identified by a URL."""
    return client_id.startswith("https://")
