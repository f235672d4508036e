"""Parse and validate the values of settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from service.ops.settings import redis_url

PREFIX = "ORACLEWHEEL_"
GAMES, QUEUE = PREFIX + "REDIS_URL", PREFIX + "QUEUE_URL"


class BadSetting(ValueError):
    """A setting has an invalid value. The message names the setting and says which values are valid."""


def read(name: str, metadata: Mapping[str, Any], kind: Any, text: str) -> Any:
    """The value of a setting. Raises `BadSetting`."""
    if metadata["choices"] and text not in metadata["choices"]:
        raise BadSetting(f"{name} must be one of {', '.join(metadata['choices'])}, not {text!r}.")
    if kind is int:
        if not text.strip().isdecimal() or int(text) < metadata["least"]:
            raise BadSetting(f"{name} must be an integer of at least {metadata['least']}, not {text!r}.")
        if metadata["most"] is not None and int(text) > metadata["most"]:
            raise BadSetting(f"{name} must be at most {metadata['most']}, not {text!r}.")
        return int(text)
    if kind is bool:
        if text.lower() not in ("1", "true", "yes", "on", "0", "false", "no", "off"):
            raise BadSetting(f"{name} must be 1 or 0, not {text!r}.")
        return text.lower() in ("1", "true", "yes", "on")
    if kind is Path:
        return Path(text).expanduser()
    if name == PREFIX + "PUBLIC_URL":
        return _web_address(name, text)
    if name == PREFIX + "SMTP_URL" and not _is_address(text, "smtp", "smtps"):
        raise BadSetting(f"{name} must be a URL such as smtp://user:password@mail.example.org:587.")
    if name == PREFIX + "MAIL_FROM" and not re.fullmatch(_SENDER, text, re.ASCII):
        raise BadSetting(
            f"{name} must be an email address, optionally with a name, such as Oracle Wheel <post@games.example.org>, not {text!r}."
        )
    if name == PREFIX + "CONTACT" and not re.fullmatch(_ADDRESS, text, re.ASCII):
        raise BadSetting(f"{name} must be an email address such as operator@games.example.org, not {text!r}.")
    if name == PREFIX + "ARCHIVE":
        return _archive(name, text)
    if name in (GAMES, QUEUE):
        _redis_url(name, text)
    if name == PREFIX + "PUSH_CONTACT" and not re.fullmatch(_CONTACT, text, re.ASCII):
        raise BadSetting(f"{name} must be mailto:you@example.org, or a URL that starts with https://, not {text!r}.")
    if kind == tuple[str, ...]:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    return text


LETTERS = "emails need a sender and contain links to the service."
"""The reason why SMTP_URL needs two other settings."""


def ports(api: int, metrics: int) -> None:
    """Raises `BadSetting` if both ports are the same; 0 means no port."""
    if metrics and metrics == api:
        raise BadSetting(f"{PREFIX}METRICS_PORT must differ from {PREFIX}PORT, on which the API listens.")


def servers(games: str, queue: str, replicas: int) -> None:
    """Raises `BadSetting` if these settings contradict each other."""
    if replicas and not games:
        raise BadSetting(f"{PREFIX}REPLICAS needs {GAMES}: the embedded server has no replicas.")
    if not queue and games and redis_url.read(games).form == "cluster":
        raise BadSetting(
            f"{GAMES} is a cluster, which RQ cannot use. Set {QUEUE} to a separate server for the queue (redis:// or redis+sentinel://)."
        )


def _redis_url(name: str, text: str) -> None:
    try:
        form = redis_url.read(text).form
    except ValueError as error:
        raise BadSetting(f"{name} is not a valid Redis URL: {error}.") from None
    if name == GAMES and form == "sentinel":
        raise BadSetting(
            f"{name} cannot use Sentinel, which only {QUEUE} supports. Give the URL of the server or a redis+cluster:// URL."
        )
    if name == QUEUE and form == "cluster":
        raise BadSetting(
            f"{name} cannot be a cluster, which RQ cannot use. Give the URL of one server or a redis+sentinel:// URL."
        )


def _web_address(name: str, text: str) -> str:
    """A base URL. Raises `BadSetting`."""
    if not _is_address(text, "http", "https") or "@" in text or "?" in text:
        raise BadSetting(f"{name} must be a URL such as https://games.example.org, not {text!r}.")
    return text.rstrip("/")


def _archive(name: str, text: str) -> str:
    """The URL of the archive, a folder or a bucket. Raises `BadSetting`."""
    scheme, _, rest = text.partition("://")
    if scheme == "file" and rest.startswith("/") and rest.strip("/") and ".." not in rest.split("/"):
        return text.rstrip("/")
    if scheme == "s3" and _is_address(text, "s3") and not set("@?#") & set(rest):
        return text.rstrip("/")
    raise BadSetting(f"{name} must be file:///a/folder or s3://bucket/prefix, not {text!r}.")


def _is_address(text: str, *schemes: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in schemes and bool(parts.hostname) and parts.port != 0 and not parts.fragment
    except ValueError:
        return False


_SENDER = r"[^<>@\x00-\x1f\x7f]* <[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+"
_ADDRESS = r"[^<>@\s]+@[\w-]+(\.[\w-]+)+"
_CONTACT = r"mailto:[^<>@\s]+@[\w-]+(\.[\w-]+)+|https://[\w-]+(\.[\w-]+)+(:\d+)?(/[!-~]*)?"
