"""How answers are put together: JSON, entity tags, pages, preferences, and the head that every game's answer shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

import orjson
from flask import Response, request
from werkzeug.http import parse_etags

from domain.terms import Seq
from service.api.http.problems import invalid_parameter

HEAD = "Game-Head"
"""The newest seq and the hash of its header: who keeps one can prove any later tampering."""

LONGEST_WAIT = 30
"""Seconds that ``Prefer: wait`` may ask for; more is taken for so many."""

LONGEST_KEY = 200
"""Characters of an Idempotency-Key."""

OWN = "private, no-store"
"""The `Cache-Control` of what is for whoever asks alone."""

_SEEN = re.compile(r'(?:W/)?(?P<quote>"?)(?P<seq>[0-9]{1,15})(?:-(?:gzip|zstd))?(?P=quote)')

_IMMUTABLE = "max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Told:
    """What is answered, before it is anybody's response: a document, its status, and headers of its own."""

    document: Mapping[str, Any]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    def body(self) -> bytes:
        """The document as JSON."""
        return orjson.dumps(self.document, option=orjson.OPT_NON_STR_KEYS)

    def response(self) -> Response:
        """The response, as `answer` makes it."""
        return answer_bytes(self.body(), self.status, self.headers)


def answer(document: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON response; `Cache-Control: no-store` unless the headers say otherwise."""
    return answer_bytes(orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS), status, headers)


def answer_bytes(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A response of ready JSON bytes; `Cache-Control: no-store` unless the headers say otherwise."""
    response = Response(body, status, mimetype="application/json")
    response.headers["Cache-Control"] = "no-store"
    if headers:
        for name, value in headers.items():
            response.headers[name] = value
    return response


def view_body(seen: int, public: bytes, private: bytes, plan: bytes | None = None) -> bytes:
    """A view from its parts, which are ready JSON; the plan only where it was asked for."""
    more = b"" if plan is None else b',"plan":%b' % plan
    return b'{"seq":%d,"public":%b,"private":%b%b}' % (seen, public, private, more)


def no_content() -> Response:
    """204: done, without a body."""
    return Response(status=204)


def head_header(seq: int, head: str) -> dict[str, str]:
    """The header that shows a game's head."""
    return {HEAD: f"{seq} {head}".rstrip()}


def revalidated(seat: int | None) -> dict[str, str]:
    """Headers of what may change with the next commit: caches ask again each time.

    What is for a ``seat`` (or for 0, some account) is kept by none: who uses the browser next could read it there. A client
    that keeps it with its ETag asks with that. None is for what everybody may see.
    """
    return {"Cache-Control": "no-cache" if seat is None else OWN, "Vary": "Authorization"}


def immutable(seat: int | None) -> dict[str, str]:
    """Headers of what never changes; for everybody's caches or for none, as in `revalidated`."""
    return {"Cache-Control": f"public, {_IMMUTABLE}" if seat is None else OWN, "Vary": "Authorization"}


def form_asked(forms: Sequence[str]) -> str | None:
    """The one of these media types that the request accepts best, and None if it accepts none of them.

    The first where it does not say: without an Accept, or with one in which nothing stands.
    """
    accepted = request.accept_mimetypes
    return accepted.best_match(forms) if accepted else forms[0]


def not_modified(etag: str, headers: Mapping[str, str]) -> Response | None:
    """The response 304 if If-None-Match names the ``etag`` (with its quotes); None if the reader needs the body."""
    known = request.headers.get("If-None-Match")
    if known is None or not has_tag(known, etag):
        return None
    response = Response(status=304)
    response.headers["ETag"] = etag
    for name, value in headers.items():
        response.headers[name] = value
    return response


def has_tag(header: str, etag: str) -> bool:
    """Whether an If-None-Match names the entity tag, or is ``*``; weak tags count as strong (RFC 9110, 13.1.2).

    ``etag`` is strong, with its quotes.
    """
    # What stands in the header without quotes is no tag, though werkzeug takes it for one.
    return header == "*" or (etag in header and parse_etags(header).contains_weak(etag[1:-1]))


def if_match_seq() -> Seq | None:
    """The seq in If-Match; None without one, or for ``*``. Bare and weak forms of a view's ETag count as the tag.

    Raises the problem of anything else.
    """
    header = request.headers.get("If-Match", "*").strip()
    if header == "*":
        return None
    found = _SEEN.fullmatch(header)
    if found is None:
        raise invalid_parameter("If-Match", 'If-Match must be the ETag of your view, such as "235".')
    return Seq(int(found["seq"]))


def idempotency_key() -> str | None:
    """The Idempotency-Key; raises the problem of one that is empty or too long."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not 1 <= len(key.strip()) <= LONGEST_KEY:
        raise invalid_parameter("Idempotency-Key", f"An Idempotency-Key must have 1 to {LONGEST_KEY} characters.")
    return None if key is None else key.strip()


def preferred_wait() -> int | None:
    """Seconds that the caller would rather wait (``Prefer: wait=10``), at most thirty; None where they do not say so."""
    return wait_in(request.headers.getlist("Prefer"))


def wait_in(headers: Iterable[str]) -> int | None:
    """What `preferred_wait` says of these Prefer."""
    return next((seconds for seconds in map(_wait_of, headers) if seconds is not None), None)


@lru_cache(maxsize=256)
def _wait_of(header: str) -> int | None:
    found = re.search(r"(?:^|[,;\s])wait\s*=\s*\"?([0-9]{1,6})", header)
    return min(int(found[1]), LONGEST_WAIT) if found else None


def preference_applied(seconds: int | None) -> dict[str, str]:
    """The `Preference-Applied` header: for how many seconds the answer would have waited; none if it was not asked to."""
    return {} if seconds is None else {"Preference-Applied": f"wait={seconds}"}


def query_number(name: str, default: int, least: int, most: int) -> int:
    """The whole number that a query parameter holds; raises the problem of anything else, or of one out of its bounds."""
    text = request.args.get(name)
    if text is None:
        return default
    if not text.isascii() or not text.isdecimal() or len(text) > 15 or not least <= int(text) <= most:
        raise invalid_parameter(name, f"{name} must be a whole number from {least} to {most}.")
    return int(text)


def query_flag(name: str) -> bool:
    """Whether a query parameter is ``true``; raises the problem of anything but true and false."""
    match request.args.get(name):
        case None | "false":
            return False
        case "true":
            return True
        case _:
            raise invalid_parameter(name, f"{name} must be true or false.")


def query_choice(name: str, among: tuple[str, ...]) -> str | None:
    """The word that a query parameter holds, None without it; raises the problem of one that is not ``among`` these."""
    text = request.args.get(name)
    if text is not None and text not in among:
        raise invalid_parameter(name, f"{name} must be one of {', '.join(among)}.")
    return text


def next_page(**changed: Any) -> dict[str, str]:
    """The Link to the next page: this request with other parameters (RFC 8288)."""
    args = {**request.args.to_dict(), **{name: str(value) for name, value in changed.items()}}
    args.pop("ticket", None)
    if "after" in changed:
        args.pop("since", None)
    return {"Link": f'<{request.path}?{urlencode(args)}>; rel="next"'}
