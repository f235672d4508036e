"""Builds responses: JSON, entity tags, pages, preferences, and the head in every response about a game."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

import orjson
from flask import Response, request
from werkzeug.http import parse_etags

from domain.kernel.terms import Seq
from service.core.http.problems import invalid_parameter

SVG = "image/svg+xml"
GUARD = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
"""A picture opened by itself runs and loads nothing."""

GAME_HEAD = "Game-Head"
"""The newest seq and the hash of its header. With it a client can prove later tampering."""

MAX_WAIT_SECONDS = 30
"""Maximum seconds of ``Prefer: wait``; higher values are reduced to it."""

MAX_KEY_LENGTH = 200
"""Maximum characters of an Idempotency-Key."""

PRIVATE = "private, no-store"
"""The `Cache-Control` of responses for one account only."""

_IF_MATCH = re.compile(r'(?:W/)?(?P<quote>"?)(?P<seq>[0-9]{1,15})(?:-(?:gzip|zstd))?(?P=quote)')

_IMMUTABLE = "max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class JsonReply:
    """A response in parts: a document, its status, and headers."""

    document: Mapping[str, Any]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    def body(self) -> bytes:
        """The document as JSON."""
        return orjson.dumps(self.document, option=orjson.OPT_NON_STR_KEYS)

    def response(self) -> Response:
        """The response, built by `json_response`."""
        return json_bytes_response(self.body(), self.status, self.headers)


def json_response(document: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON response; `Cache-Control: no-store` unless the headers say otherwise."""
    return json_bytes_response(orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS), status, headers)


def json_bytes_response(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A response of ready JSON bytes; `Cache-Control: no-store` unless the headers say otherwise."""
    response = Response(body, status, mimetype="application/json")
    response.headers["Cache-Control"] = "no-store"
    if headers:
        for name, value in headers.items():
            response.headers[name] = value
    return response


def view_body(kind: str, seen: int, public: bytes, private: bytes, plan: bytes | None = None) -> bytes:
    """A view from its parts, which are ready JSON; the plan only if requested."""
    more = b"" if plan is None else b',"plan":%b' % plan
    return b'{"kind":"%b","seq":%d,"public":%b,"private":%b%b}' % (kind.encode(), seen, public, private, more)


def no_content() -> Response:
    """204 without a body."""
    return Response(status=204)


def head_header(seq: int, head: str) -> dict[str, str]:
    """The header with a game's head."""
    return {GAME_HEAD: f"{seq} {head}".rstrip()}


def revalidation_headers(seat: int | None) -> dict[str, str]:
    """Headers for content that may change with the next commit: caches must revalidate.

    Content for a ``seat`` (or for 0, some account) is not cached at all: the next user of the browser could read it. A
    client that keeps it with its ETag can revalidate. None is for public content.
    """
    return {"Cache-Control": "no-cache" if seat is None else PRIVATE, "Vary": "Authorization, Cookie"}


def immutable_headers(seat: int | None) -> dict[str, str]:
    """Headers for content that never changes; cached publicly or not at all, as in `revalidation_headers`."""
    return {"Cache-Control": f"public, {_IMMUTABLE}" if seat is None else PRIVATE, "Vary": "Authorization, Cookie"}


def preferred_media_type(media_types: Sequence[str]) -> str | None:
    """The media type that the request accepts best, None if it accepts none of them.

    The first one if the request does not say: without an Accept header, or with an empty one.
    """
    accepted = request.accept_mimetypes
    return accepted.best_match(media_types) if accepted else media_types[0]


def not_modified(etag: str, headers: Mapping[str, str]) -> Response | None:
    """A 304 response if If-None-Match contains the ``etag`` (with quotes). None if the client needs the body."""
    known = request.headers.get("If-None-Match")
    if known is None or not has_tag(known, etag):
        return None
    response = Response(status=304)
    response.headers["ETag"] = etag
    for name, value in headers.items():
        response.headers[name] = value
    return response


def has_tag(header: str, etag: str) -> bool:
    """Whether an If-None-Match contains the entity tag, or is ``*``. Weak tags count as strong (RFC 9110, 13.1.2).

    ``etag`` is strong, with quotes.
    """
    # Unquoted text in the header is not a tag, although werkzeug accepts it.
    return header == "*" or (etag in header and parse_etags(header).contains_weak(etag[1:-1]))


def if_match_seq() -> Seq | None:
    """The seq in If-Match. None without one, or for ``*``. Bare and weak forms of a view's ETag are accepted.

    Raises the problem of any other value.
    """
    header = request.headers.get("If-Match", "*").strip()
    if header == "*":
        return None
    found = _IF_MATCH.fullmatch(header)
    if found is None:
        raise invalid_parameter("If-Match", 'If-Match must be the ETag of your view, such as "235".')
    return Seq(int(found["seq"]))


def idempotency_key() -> str | None:
    """The Idempotency-Key. Raises the problem of one that is empty or too long."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not 1 <= len(key.strip()) <= MAX_KEY_LENGTH:
        raise invalid_parameter("Idempotency-Key", f"An Idempotency-Key must have 1 to {MAX_KEY_LENGTH} characters.")
    return None if key is None else key.strip()


def preferred_wait() -> int | None:
    """The seconds in ``Prefer: wait=10``, at most thirty. None without it."""
    return parse_wait(request.headers.getlist("Prefer"))


def parse_wait(headers: Iterable[str]) -> int | None:
    """The value for `preferred_wait` in these Prefer headers."""
    return next((seconds for seconds in map(_parse_wait_header, headers) if seconds is not None), None)


@lru_cache(maxsize=256)
def _parse_wait_header(header: str) -> int | None:
    found = re.search(r"(?:^|[,;\s])wait\s*=\s*\"?([0-9]{1,6})", header)
    return min(int(found[1]), MAX_WAIT_SECONDS) if found else None


def preference_applied(seconds: int | None) -> dict[str, str]:
    """The `Preference-Applied` header with the applied wait; empty if none was requested."""
    return {} if seconds is None else {"Preference-Applied": f"wait={seconds}"}


def query_number(name: str, default: int, minimum: int, maximum: int) -> int:
    """The integer in a query parameter. Raises the problem of any other value, or of one out of range."""
    text = request.args.get(name)
    if text is None:
        return default
    if not text.isascii() or not text.isdecimal() or len(text) > 15 or not minimum <= int(text) <= maximum:
        raise invalid_parameter(name, f"{name} must be a whole number from {minimum} to {maximum}.")
    return int(text)


def query_flag(name: str) -> bool:
    """Whether a query parameter is ``true``. Raises the problem of anything but true and false."""
    match request.args.get(name):
        case None | "false":
            return False
        case "true":
            return True
        case _:
            raise invalid_parameter(name, f"{name} must be true or false.")


def query_choice(name: str, among: tuple[str, ...]) -> str | None:
    """The value of a query parameter, None without it. Raises the problem of one that is not ``among`` these."""
    text = request.args.get(name)
    if text is not None and text not in among:
        raise invalid_parameter(name, f"{name} must be one of {', '.join(among)}.")
    return text


def query_instant(name: str) -> int | None:
    """The instant in a query parameter, in milliseconds of Unix time; None without it. Raises the problem of any other value."""
    text = request.args.get(name)
    if text is None:
        return None
    try:
        return parse_instant(text)
    except ValueError as error:
        raise invalid_parameter(name, f"{name} must be an instant such as 2030-01-31T18:00:00Z.") from error


def parse_instant(text: str) -> int:
    """An ISO 8601 instant, without a zone in UTC, in milliseconds of Unix time, at least 0. Raises `ValueError`."""
    moment = datetime.fromisoformat(text.replace(" ", "+"))  # a plus sign in a URL can arrive as a space
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0, int(moment.timestamp() * 1000))


def next_page_header(**changed: Any) -> dict[str, str]:
    """The Link header to the next page: this request with other parameters (RFC 8288)."""
    args = {**request.args.to_dict(), **{name: str(value) for name, value in changed.items()}}
    args.pop("ticket", None)
    if "after" in changed:
        args.pop("since", None)
    return {"Link": f'<{request.path}?{urlencode(args)}>; rel="next"'}
