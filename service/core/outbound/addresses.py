"""The addresses that webhooks may reach: public ones, and private networks named by the operator."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from service.core.outbound.dns import resolve
from service.ops.settings import BadSetting, Settings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
_EMBEDDING_IPV4 = tuple(
    ipaddress.ip_network(text)
    for text in (
        "::/96",  # IPv4-compatible
        "::ffff:0:0/96",  # IPv4-mapped
        "::ffff:0:0:0/96",  # IPv4-translated
        "64:ff9b::/96",  # NAT64
        "64:ff9b:1::/48",
        "2001::/23",  # Teredo and other ranges that no host uses
        "2002::/16",  # 6to4
    )
)
"""IPv6 ranges that embed an IPv4 address, which could be a private one. Real hosts have an address of their own."""

_UNASSIGNED = tuple(
    ipaddress.ip_network(text)
    for text in (
        "192.0.0.0/24",  # for protocols; some releases of Python do not report all of it as private
        "192.88.99.0/24",  # the anycast relays of 6to4
    )
)


class ForbiddenAddress(Exception):
    """The name resolves to a forbidden address."""


class NoAddress(Exception):
    """The name does not resolve."""


@dataclass(frozen=True, slots=True)
class AllowedAddresses:
    """The addresses and ports that webhooks may reach."""

    networks: tuple[Network, ...] = ()
    """Allowed in addition to public addresses."""
    ports: frozenset[int] = frozenset({80, 443})
    """Empty allows all ports."""

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """The limits in the settings. Raises `BadSetting`."""
        try:
            networks = tuple(ipaddress.ip_network(text) for text in settings.webhook_networks)
        except ValueError as error:
            raise BadSetting(f"ORACLEWHEEL_WEBHOOK_NETWORKS must be networks such as 10.0.0.0/8: {error}.") from error
        if any(not (text.isdecimal() and 0 < int(text) < 65536) for text in settings.webhook_ports):
            raise BadSetting("ORACLEWHEEL_WEBHOOK_PORTS must be numbers from 1 to 65535, separated by commas.")
        return cls(networks, frozenset(map(int, settings.webhook_ports)))

    def allows_port(self, port: int) -> bool:
        return not self.ports or port in self.ports

    def allows(self, address: Address) -> bool:
        """Whether a webhook may connect to this address."""
        return is_public(address) or any(address in network for network in self.networks)

    def is_listed(self, host: str) -> bool:
        """Whether the host is an address in a network named by the operator."""
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return False
        return any(address in network for network in self.networks)

    def resolve_host(self, host: str, port: int, seconds: float) -> Sequence[str]:
        """The addresses of a host, all allowed. Connect to these; do not look the name up again.

        Raises `NoAddress`, `TimeoutError` if the lookup takes too long, and `ForbiddenAddress` if any address is not
        allowed: a
        name with both kinds is suspicious.
        """
        try:
            texts = resolve(host, port, seconds)
        except TimeoutError:
            raise
        except (OSError, UnicodeError) as error:
            raise NoAddress(host) from error
        if not texts:
            raise NoAddress(host)
        for text in texts:
            if not self.allows(ipaddress.ip_address(text)):
                raise ForbiddenAddress(host)
        return texts


def is_public(address: Address) -> bool:
    """Whether it is the public address of a single host and embeds no other address."""
    if address.is_multicast or address.is_reserved or not address.is_global:
        return False
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in network for network in _UNASSIGNED)
    return address in _GLOBAL_UNICAST and not any(address in network for network in _EMBEDDING_IPV4)
