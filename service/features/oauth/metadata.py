"""Client ID Metadata Documents (IETF draft): the client's id is the URL of its name and redirect URIs."""

from __future__ import annotations

import hashlib
import re

import msgspec
import orjson

from domain.kernel.terms import PlayerId
from service.core.accounts.names import MAX_NAME_LENGTH, clean_name, is_readable
from service.core.accounts.redirects import MOST, is_redirect_uri
from service.core.http.context.app import AppContext
from service.core.http.limits.rates import count_hourly
from service.core.outbound.addresses import AllowedAddresses
from service.core.outbound.sender import Sender
from service.core.outbound.targets import InvalidTarget, Target, parse_target
from service.features.oauth.clients import OAuthClient
from service.store import typed

LARGEST = 5 * 1024
"""Bytes of a document."""

FETCH_SECONDS = 5
CACHE_SECONDS = 3600

FETCHES_HOUR = 60
"""Documents that one account can have fetched in an hour."""

_DOT_SEGMENT = re.compile(r"/(?:\.|%2e){1,2}(?=[/?]|$)", re.IGNORECASE)


class BadMetadata(ValueError):
    """The document cannot be read or is not valid. The message is a sentence."""


class _Metadata(msgspec.Struct, frozen=True):
    name: str
    redirect_uris: tuple[str, ...]


_METADATA = typed.decoder(_Metadata)


def target_of(url: str, allowed: AllowedAddresses) -> Target:
    """The target of a client id. Raises `BadMetadata` if it is not a valid URL for that."""
    try:
        target = parse_target(url, allowed)
    except InvalidTarget as error:
        raise BadMetadata(f"The client_id is not a valid URL. {error}") from error
    if not target.secure or url.count("/") < 3 or _DOT_SEGMENT.search(target.path):
        raise BadMetadata("The client_id must be an https URL with a path, without the segments . and ..")
    return target


def find_by_metadata(context: AppContext, url: str, player_id: PlayerId) -> OAuthClient:
    """The client with this URL, from its document, which is fetched at most once an hour.

    Raises `BadMetadata`, and the problem of an account that causes too many requests.
    """
    allowed = AllowedAddresses.from_settings(context.settings)
    target = target_of(url, allowed)
    accounts, name = context.store.accounts, f"oauth-client:{hashlib.sha256(url.encode()).hexdigest()}"
    cached = accounts.one_time(name)
    if cached is None:
        count_hourly(accounts, f"oauth-client:{player_id}", FETCHES_HOUR)
        fetched = Sender(allowed, FETCH_SECONDS).get(target, {"Accept": "application/json"}, LARGEST)
        if fetched.result.status != 200 or not fetched.result.is_accepted:
            status = fetched.result.status
            found = fetched.result.reason if status is None else f"status {status}"
            raise BadMetadata(f"The metadata of the app cannot be read from {target.host} ({found}).")
        cached = msgspec.json.encode(read_metadata(url, fetched.body))
        accounts.put_one_time(name, cached, CACHE_SECONDS)
    known = _METADATA.decode(cached)
    return OAuthClient(url, known.name, known.redirect_uris)


def read_metadata(url: str, body: bytes | None) -> _Metadata:
    """The client's name and redirect URIs. Raises `BadMetadata`. None stands for a document that is too large."""
    if body is None:
        raise BadMetadata(f"The metadata of the app is larger than {LARGEST} bytes.")
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadMetadata("The metadata of the app is not valid JSON.") from error
    if not isinstance(document, dict) or document.get("client_id") != url:
        raise BadMetadata("The client_id in the metadata of the app is not the URL of the metadata.")
    if document.get("token_endpoint_auth_method", "none") != "none" or "client_secret" in document:
        raise BadMetadata("Apps must be public clients: token_endpoint_auth_method must be none.")
    uris = document.get("redirect_uris")
    if not isinstance(uris, list) or not 0 < len(uris) <= MOST or not all(is_redirect_uri(uri) for uri in uris):
        raise BadMetadata(f"The metadata of the app must have 1 to {MOST} valid redirect_uris.")
    given = document.get("client_name", "")
    name = clean_name(given) if isinstance(given, str) else ""
    return _Metadata(name[:MAX_NAME_LENGTH] if name and is_readable(name) else "An app", tuple(uris))
