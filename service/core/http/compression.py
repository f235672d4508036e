"""Compresses responses with zstd or gzip if the client accepts it and it is worthwhile. Streams are not compressed."""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MIN_SIZE = 1024
"""Minimum size in bytes. Responses with a secret made for one client (a token, an invitation) are smaller."""

TEXT_TYPES = (
    "application/json",
    "application/problem+json",
    "application/yaml",
    "application/x-ndjson",
    "image/svg+xml",
    "text/",
)
"""Prefixes of text media types, which compress well."""

STREAM_TYPE = "text/event-stream"


def _gzip(body: bytes) -> bytes:
    packer = zlib.compressobj(5, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


CODINGS: Mapping[str, Callable[[bytes], bytes]] = {"zstd": lambda body: zstd.compress(body, 3), "gzip": _gzip}
"""By name, in order of our preference."""

_TAGGED = re.compile(rf'-(?:{"|".join(CODINGS)})"')


@lru_cache(maxsize=256)
def coding_for(header: str | None) -> str | None:
    """The coding with the highest weight in an Accept-Encoding, in our order among equals.

    None to send it uncompressed.
    """
    if not header:
        return None
    accepted: Accept = parse_accept_header(header, Accept)
    best = max(CODINGS, key=accepted.quality)  # the first of equals
    return best if accepted.quality(best) > 0 and accepted.quality(best) >= _identity_weight(accepted) else None


def _identity_weight(accepted: Accept) -> float:
    """The weight of the uncompressed form, if it is named. If it is not named, it is merely allowed."""
    return float(next((quality for value, quality in accepted if value == "identity"), 0))


class Compression:
    """WSGI wrapper. A compressed representation has its own entity tag, which is mapped back in requests."""

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        known = environ.get("HTTP_IF_NONE_MATCH", "")
        for name in ("HTTP_IF_NONE_MATCH", "HTTP_IF_MATCH"):
            if name in environ:
                environ[name] = _TAGGED.sub('"', environ[name])
        coding = coding_for(environ.get("HTTP_ACCEPT_ENCODING")) if environ["REQUEST_METHOD"] != "HEAD" else None
        held: list[Any] = []

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            fields = {name.lower(): value for name, value in headers}
            if exc_info is not None or not _is_text(status, fields):
                return start_response(status, headers, exc_info)
            headers = _add_vary(headers) if "vary" in fields else [*headers, ("Vary", "Accept-Encoding")]
            if coding is None:
                return start_response(status, headers, exc_info)
            if status.startswith("304"):
                return start_response(status, _with_tag(headers, fields["etag"], coding, known), exc_info)
            if not _is_worth_compressing(fields):
                return start_response(status, headers, exc_info)
            held[:] = [status, headers, fields.get("etag", "")]
            return None

        parts = self._app(environ, start)
        if not held:
            return parts
        assert coding is not None
        try:
            body = CODINGS[coding](b"".join(parts))
        finally:
            close = getattr(parts, "close", None)
            if close is not None:
                close()
        status, headers, tag = held
        start_response(status, _compressed_headers(headers, tag, coding, len(body)))
        return (body,)


def _is_text(status: str, fields: Mapping[str, str]) -> bool:
    """Whether the response may be compressed, so that its representation depends on Accept-Encoding."""
    if status.startswith("304"):
        return bool(fields.get("etag"))
    form = fields.get("content-type", "")
    return form.startswith(TEXT_TYPES) and not form.startswith(STREAM_TYPE) and not fields.get("content-encoding")


def _is_worth_compressing(fields: Mapping[str, str]) -> bool:
    """Whether it is complete (streams have no length) and long enough."""
    length = str(fields.get("content-length", ""))
    return length.isdecimal() and int(length) >= MIN_SIZE


def _add_vary(headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
    vary = ", ".join([*(value for name, value in headers if name.lower() == "vary"), "Accept-Encoding"])
    return [*((name, value) for name, value in headers if name.lower() != "vary"), ("Vary", vary)]


def _with_tag(headers: list[tuple[str, str]], tag: str, coding: str, known: str) -> list[tuple[str, str]]:
    """The headers of a 304 with the tag that the client knows."""
    packed = f'{tag[:-1]}-{coding}"'
    return _replace_headers(headers, {"ETag": packed}) if packed in known else headers


def _compressed_headers(headers: list[tuple[str, str]], tag: str, coding: str, length: int) -> list[tuple[str, str]]:
    changed = {"Content-Length": str(length), "Content-Encoding": coding}
    return _replace_headers(headers, changed | ({"ETag": f'{tag[:-1]}-{coding}"'} if tag else {}))


def _replace_headers(headers: list[tuple[str, str]], changed: Mapping[str, str]) -> list[tuple[str, str]]:
    names = {name.lower() for name in changed}
    return [*((name, value) for name, value in headers if name.lower() not in names), *changed.items()]
