"""Parses the URL of a Redis or Valkey: one server, a cluster, or a server found through Sentinel."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit

_SCHEMES = "redis://, rediss://, unix://, redis+cluster://, rediss+cluster://, redis+sentinel:// or rediss+sentinel://"
_NUMBERS: dict[str, type[int | float]] = {
    "db": int,
    "health_check_interval": int,
    "socket_connect_timeout": float,
    "socket_timeout": float,
    "ssl_min_version": int,
}
_OPTIONS = frozenset(
    {
        *("username", "password", "client_name", "socket_keepalive", *_NUMBERS),
        *("ssl_cert_reqs", "ssl_ca_certs", "ssl_ca_path", "ssl_certfile", "ssl_keyfile", "ssl_password"),
        *("ssl_check_hostname", "ssl_ciphers"),
    }
)
"""The allowed options of a URL, and the type of those that are numbers: options of redis-py that an operator can use.

Redis-py is not imported to check them. Gunicorn reads the settings before gevent patches the modules that redis-py
uses.
"""
_OF_SENTINELS = frozenset({"sentinel_username", "sentinel_password"})
_PORTS = {"cluster": 6379, "sentinel": 26379}
_HOST = re.compile(r"(?P<host>\[[0-9a-fA-F:.]+\]|[^\[\]:@/?#\s]+)(?::(?P<port>\d{1,5}))?")


@dataclass(frozen=True, slots=True)
class RedisUrl:
    """The parts of a URL, including its passwords. Show a URL only with `shown`."""

    form: Literal["server", "cluster", "sentinel"]
    text: str
    hosts: tuple[tuple[str, int], ...] = ()
    """The first servers or Sentinels to contact."""
    service: str = ""
    """The name of the server in the Sentinels."""
    sentinels: tuple[tuple[str, str], ...] = ()
    """Name and password for the Sentinels themselves, as redis-py's arguments."""
    scheme: str = ""
    people: str = ""
    """``user:password@`` exactly as in the URL, or empty."""
    options: tuple[tuple[str, str], ...] = ()

    def of_server(self, host: str, port: int) -> str:
        """The URL of one of several servers, with the same name, password and options."""
        name = f"[{host}]" if ":" in host else host
        query = f"?{urlencode(self.options, quote_via=quote)}" if self.options else ""
        return f"{self.scheme}://{self.people}{name}:{port}{query}"


def read(text: str) -> RedisUrl:
    """The parts of a URL. Raises `ValueError` with the reason, which never contains a password."""
    scheme, is_url, _ = text.partition("://")
    if not is_url or not re.fullmatch(r"rediss?(\+cluster|\+sentinel)?|unix", scheme):
        raise ValueError(f"it must start with {_SCHEMES}")
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise ValueError("the part between the slashes is not an address") from error
    options = parse_qsl(parts.query, keep_blank_values=True)
    _must_be_known(options, scheme)
    if parts.fragment:
        raise ValueError("it must not contain #; in a password, write %23")
    plain, _, form = scheme.partition("+")
    if form == "cluster":
        return _cluster(text, parts, plain, tuple(options))
    if form == "sentinel":
        return _sentinel(text, parts, plain, options)
    _must_be_server(parts)
    return RedisUrl("server", text)


def shown(text: str) -> str:
    """A URL without name, password and options, which may be shown."""
    before, is_url, rest = text.partition("://")
    return f"{before}{is_url}{rest.partition('?')[0].rpartition('@')[2]}"


def elsewhere(text: str, host: str, port: int) -> str:
    """The URL of another server for the same user. Raises `ValueError` for the URL of a socket."""
    parts = urlsplit(text)
    if parts.scheme == "unix":
        raise ValueError("a socket reaches only one server")
    people, at, _ = parts.netloc.rpartition("@")
    name = f"[{host}]" if ":" in host else host
    return parts._replace(netloc=f"{people}{at}{name}:{port}").geturl()


def _must_be_known(options: list[tuple[str, str]], scheme: str) -> None:
    known = _OPTIONS | (_OF_SENTINELS if scheme.endswith("sentinel") else frozenset())
    for name, value in options:
        if name not in known:
            raise ValueError(f"{name!r} is not a valid option")
        if name.startswith("ssl_") and not scheme.startswith("rediss"):
            raise ValueError(f"{name!r} is only valid with rediss://, which is encrypted")
        try:
            _NUMBERS.get(name, str)(value or "0")  # redis-py ignores options without a value
        except ValueError as error:
            raise ValueError(f"the value of {name!r} is not a number") from error


def _must_be_server(parts: SplitResult) -> None:
    if parts.scheme == "unix":
        if parts.path in ("", "/") or parts.hostname:
            raise ValueError("the path of the socket is missing: unix:///run/valkey.sock, with three slashes")
    else:
        _host(parts.netloc.rpartition("@")[2] or "localhost", 6379)
        if not re.fullmatch(r"(/\d*)?", parts.path):
            raise ValueError("after the address, only a database number such as /0 is allowed")


def _cluster(text: str, parts: SplitResult, plain: str, options: tuple[tuple[str, str], ...]) -> RedisUrl:
    if parts.path not in ("", "/", "/0") or dict(options).get("db", "0") != "0":
        raise ValueError("a cluster has only database 0")
    people, hosts = _several(parts, "cluster")
    url = RedisUrl("cluster", text, hosts, scheme=plain, people=people, options=options)
    _must_be_server(urlsplit(url.of_server(*hosts[0])))
    return url


def _sentinel(text: str, parts: SplitResult, plain: str, options: list[tuple[str, str]]) -> RedisUrl:
    service, _, database = parts.path.removeprefix("/").partition("/")
    if not service or not re.fullmatch(r"\d*", database):
        raise ValueError("the name of the server must follow the Sentinels, as in redis+sentinel://host:26379/mymaster")
    people, hosts = _several(parts, "sentinel")
    own = tuple((name.removeprefix("sentinel_"), value) for name, value in options if name in _OF_SENTINELS)
    others = [(name, value) for name, value in options if name not in _OF_SENTINELS]
    if database:
        others.append(("db", database))
    url = RedisUrl("sentinel", text, hosts, unquote(service), own, plain, people, tuple(others))
    _must_be_server(urlsplit(url.of_server(*hosts[0])))
    return url


def _several(parts: SplitResult, form: str) -> tuple[str, tuple[tuple[str, int], ...]]:
    people, at, hosts = parts.netloc.rpartition("@")
    return people + at, tuple(_host(each, _PORTS[form]) for each in hosts.split(","))


def _host(text: str, usual: int) -> tuple[str, int]:
    found = _HOST.fullmatch(text)
    port = int(found["port"] or usual) if found else 0
    if not found or not 0 < port < 65536:
        # The message contains no part of the text: an unescaped / or @ in a password can put the password here.
        raise ValueError(
            "its address must be a host and a port, such as 10.0.0.5:6379 (in a password, write %2F for / and %40 for @)"
        )
    return found["host"].strip("[]"), port
