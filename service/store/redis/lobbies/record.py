"""A lobby as the fields of its game's meta hash, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

import orjson
from redis.exceptions import ResponseError

from domain.terms import GameId
from service.store.chain import BrokenLog
from service.store.codec import canonical, plain
from service.store.founding import origin
from service.store.ports.lobbies import Chair, Lobby, Status

_FROZEN = (
    *("kind", "creator", "ruleset", "options", "modules", "pace", "visibility", "commitment", "made_at", "sandbox"),
    "table",
)
_STATUSES = (b"lobby", b"running", b"over")
FIELDS = ("lobby", "status", "chairs", "invitation", "started", "stalled", "setup")
"""What `decoded_lobby` reads, in this order."""


def record_of(lobby: Lobby, seed: bytes) -> Mapping[str, Any]:
    """The fields of a new game."""
    values: dict[str, Any] = {
        "lobby": canonical({name: plain(getattr(lobby, name)) for name in _FROZEN}),
        "seed": seed,
        "status": lobby.status,
        "chairs": "".join(_line(chair) for chair in lobby.chairs),
        "creator": lobby.creator,
        "visibility": lobby.visibility,
        "sandboxed": int(lobby.sandbox is not None),
        "invitation": lobby.invitation_digest,
        "revision": 0,
    }
    if lobby.setup:
        values |= {"setup": lobby.setup, "head": origin(lobby.setup)}
    return values


def _line(chair: Chair) -> str:
    return f"{chair.holder or ''} {chair.entropy}\n"


def sound_lobby(game_id: GameId, reply: Any) -> Lobby | None:
    """The lobby, for a list of many: one that cannot be read is left out."""
    try:
        return lobby_in(game_id, reply)
    except BrokenLog:
        return None


def lobby_in(game_id: GameId, reply: Any) -> Lobby | None:
    """The lobby, or None where there is none; raises `BrokenLog` for garbage."""
    try:
        if isinstance(reply, ResponseError):
            raise reply
        return None if reply[0] is None else _same_lobby(game_id, tuple(reply))
    except (ValueError, TypeError, LookupError, AssertionError, ResponseError) as error:
        raise BrokenLog(game_id, 0, f"its lobby cannot be read: {error}") from error


@lru_cache(maxsize=1024)
def _same_lobby(game_id: GameId, reply: tuple[bytes | None, ...]) -> Lobby:
    """As `decoded_lobby`: while the bytes are the same it is the same lobby, and is not read out of them again."""
    return decoded_lobby(game_id, reply)


def decoded_lobby(game_id: GameId, reply: Sequence[bytes | None]) -> Lobby:
    """The lobby in the values of `FIELDS`, which are there; raises what garbage raises."""
    frozen, status, chairs, invitation, started, stalled, setup = reply[:7]
    assert frozen is not None
    assert status is not None
    assert chairs is not None
    assert status in _STATUSES
    document = orjson.loads(frozen)
    document["modules"] = tuple(document["modules"])
    lines = [line.split(" ") for line in chairs.decode().split("\n")[:-1]]
    return Lobby(
        id=game_id,
        chairs=tuple(Chair(holder or None, entropy) for holder, entropy in lines),
        **document,
        invitation_digest=(invitation or b"").decode(),
        status=cast("Status", status.decode()),
        started_at=None if started is None else int(started),
        stalled=stalled == b"1",
        setup=setup or b"",
    )
