"""The URL of a webhook, in a strict form that all parsers read the same way."""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from service.core.outbound.addresses import AllowedAddresses

MAX_URL_LENGTH = 1000
"""Maximum characters of a URL."""

# ASCII only; no userinfo, fragment or backslash: all parsers must agree on the host.
_URL = re.compile(
    r"(https?)://(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?))"
    r"(?::([0-9]{1,5}))?((?:/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)?(?:\?[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*)?)"
)
URL_REQUIREMENT = (
    "Must be a URL that begins with https:// or http://, in printable ASCII, without a user name and "
    "without a fragment."
)
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Target:
    """The target of a request."""

    secure: bool
    host: str
    """A name or an address; IPv6 without brackets."""
    port: int
    path: str
    """The path with the query."""

    @property
    def authority(self) -> str:
        """The value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS["https" if self.secure else "http"] else f"{host}:{self.port}"


class InvalidTarget(ValueError):
    """A URL that no webhook may have. The message says what is valid."""


def parse_target(url: str, allowed: AllowedAddresses) -> Target:
    """The target of a URL, from its form alone, without a lookup. Raises `InvalidTarget`."""
    found = _URL.fullmatch(url) if len(url) <= MAX_URL_LENGTH else None
    if found is None:
        raise InvalidTarget(URL_REQUIREMENT)
    scheme, literal, name, port, rest = found.groups()
    target = Target(
        scheme == "https", literal or name, int(port or _PORTS[scheme]), rest if rest.startswith("/") else "/" + rest
    )
    if not 0 < target.port < 65536 or not allowed.allows_port(target.port):
        ports = ", ".join(map(str, sorted(allowed.ports)))
        raise InvalidTarget(f"Must use one of the ports {ports}." if ports else "The port must be from 1 to 65535.")
    address = _parse_address(target.host)
    if (literal and address is None) or (address is not None and not allowed.allows(address)):
        raise InvalidTarget("Must be a public address. Private addresses are not allowed.")
    return target


def normalize_host(url: str) -> str:
    """The host of a URL in one spelling, without the port: ``localhost``, ``LOCALHOST`` and ``localhost:81`` are one host.

    An IPv4 address has many spellings that a lookup accepts, such as ``127.1`` and ``0x7f000001``.
    """
    host = urlsplit(url).hostname or ""
    if (address := _parse_address(host)) is not None:
        return address.compressed
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        return host


def _parse_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
