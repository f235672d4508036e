"""Redirect URIs: which ones an app can have, and which one a request may name."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

LONGEST = 500
"""Maximum characters of a redirect URI."""

MOST = 10
"""Maximum number of redirect URIs of an app."""

A_REDIRECT_URI = (
    "Must be an https URL, an http URL of 127.0.0.1, [::1] or localhost, or a URI with a private scheme that contains a "
    "dot, such as com.example.app:/callback. It must have no fragment and no user name."
)

_PRINTABLE = re.compile(r"[!-~]+")
# No backslash, quotes or brackets of markup: browsers and this service must read the same host.
_UNSAFE = re.compile(r"[\\\"'<>`{|}^#]")
_LOOPBACK = re.compile(r"http://(127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?(/.*)?", re.DOTALL)
_HOST = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
_PRIVATE_SCHEME = re.compile(r"[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+")


def is_redirect_uri(uri: object) -> bool:
    """Whether an app may have this redirect URI."""
    if not isinstance(uri, str) or len(uri) > LONGEST or not _PRINTABLE.fullmatch(uri) or _UNSAFE.search(uri):
        return False
    scheme, _, rest = uri.partition(":")
    if _PRIVATE_SCHEME.fullmatch(scheme):
        return True
    host = re.split("[/?]", rest.removeprefix("//"), maxsplit=1)[0]
    if not rest.startswith("//") or not _HOST.fullmatch(host):
        return False
    name = host if host.startswith("[") and host.endswith("]") else re.sub(r":[0-9]+$", "", host)
    return scheme == "https" or (scheme == "http" and name in ("127.0.0.1", "[::1]", "localhost"))


def matches(known: str, given: str) -> bool:
    """Whether a request may name this URI: exactly a known one. Only the port of a loopback address may differ (RFC 8252)."""
    if known == given:
        return True
    one, other = _LOOPBACK.fullmatch(known), _LOOPBACK.fullmatch(given)
    return one is not None and other is not None and one.groups() == other.groups() and is_redirect_uri(given)


def origin_of(uri: str) -> str:
    """The origin of a redirect URI, or its private scheme: what a form may lead to (`form-action`)."""
    found = urlsplit(uri)
    return f"{found.scheme}://{found.netloc}" if found.scheme in ("https", "http") else f"{found.scheme}:"
