"""The address of a webhook, in one form that everybody reads alike."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from service.post.webhooks.addresses import Reach

LONGEST = 1000
"""Characters of an address."""

# No userinfo, no fragment, no backslash, nothing but ASCII: what one reader takes for the host, so does the next.
_URL = re.compile(
    r"(https?)://(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?))"
    r"(?::([0-9]{1,5}))?((?:/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)?(?:\?[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*)?)"
)
RIGHT = (
    "Must be a URL that begins with https:// or http://, in printable ASCII, without a user name and "
    "without a fragment."
)
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Target:
    """Where the request goes."""

    secure: bool
    host: str
    """A name, or an address; one of IPv6 without its brackets."""
    port: int
    path: str
    """What is asked for, with the query."""

    @property
    def authority(self) -> str:
        """What the header Host says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS["https" if self.secure else "http"] else f"{host}:{self.port}"


class BadTarget(ValueError):
    """No webhook may have this address; the message says what would be right."""


def target_of(url: str, reach: Reach) -> Target:
    """The target of an address, by its form alone: no name is looked up here. Raises `BadTarget`."""
    found = _URL.fullmatch(url) if len(url) <= LONGEST else None
    if found is None:
        raise BadTarget(RIGHT)
    scheme, literal, name, port, rest = found.groups()
    target = Target(
        scheme == "https", literal or name, int(port or _PORTS[scheme]), rest if rest.startswith("/") else "/" + rest
    )
    if not 0 < target.port < 65536 or not reach.allows_port(target.port):
        ports = ", ".join(map(str, sorted(reach.ports)))
        raise BadTarget(f"Must use one of the ports {ports}." if ports else "The port must be from 1 to 65535.")
    address = _literal(target.host)
    if (literal and address is None) or (address is not None and not reach.allows(address)):
        raise BadTarget("Must be a public address. Private addresses are not allowed.")
    return target


def _literal(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
