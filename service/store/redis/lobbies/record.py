"""A lobby as the fields of its game's meta hash, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

import orjson
from redis.exceptions import ResponseError

from domain.kernel.terms import GameId, PlayerId, Seat, Seq
from service.store.chain import BrokenLog
from service.store.codec import canonical, plain
from service.store.founding import origin
from service.store.ports.lobbies import (
    NOTHING_CHANGED,
    Chair,
    FormerHolder,
    Lobby,
    Reservation,
    Seating,
    Sitter,
    Status,
)

_FROZEN = (
    *("kind", "creator", "ruleset", "options", "modules", "pace", "visibility", "commitment", "made_at", "sandbox"),
    "table",
    "auto_start",
)
_STATUSES = (b"lobby", b"running", b"over")
FIELDS = (
    *("lobby", "status", "chairs", "invitation", "started", "stalled", "setup", "archived", "seating", "reserved"),
    "title",
)
"""The fields that `decoded_lobby` reads, in this order."""
ARCHIVED = FIELDS.index("archived")
"""Index of the archive object's name; set if the game is a copy."""


def record_of(lobby: Lobby, seed: bytes) -> Mapping[str, Any]:
    values: dict[str, Any] = {
        "lobby": canonical({name: plain(getattr(lobby, name)) for name in _FROZEN}),
        "seed": seed,
        "status": lobby.status,
        "chairs": chair_lines(lobby.chairs),
        "creator": lobby.creator,
        "visibility": lobby.visibility,
        "sandboxed": int(lobby.sandbox is not None),
        "invitation": lobby.invitation_digest,
        "revision": 0,
    }
    if lobby.reserved:
        values["reserved"] = reserved_lines(lobby.reserved)
    values |= {"title": title} if (title := title_line(lobby)) else {}
    if lobby.setup:
        values |= {"setup": lobby.setup, "head": origin(lobby.setup)}
    return values


def title_line(lobby: Lobby) -> bytes:
    """Its title and tags; empty if it has the default title and no tags."""
    titled = {"title": lobby.chosen_title, "tags": list(lobby.tags)}
    return canonical(titled) if any(titled.values()) else b""


def chair_lines(chairs: Iterable[Chair]) -> str:
    return "".join(f"{chair.holder or ''} {chair.entropy}\n" for chair in chairs)


def read_chairs(lines: bytes) -> tuple[Chair, ...]:
    """The chairs in these lines. Raises `ValueError` for lines that no release writes."""
    pairs = [line.split(" ") for line in lines.decode().split("\n")[:-1]]
    return tuple(Chair(holder or None, entropy) for holder, entropy in pairs)


def sound_lobby(game_id: GameId, reply: Any) -> Lobby | None:
    """The lobby, for lists: None also if it cannot be read."""
    try:
        return lobby_in(game_id, reply)
    except BrokenLog:
        return None


def lobby_in(game_id: GameId, reply: Any) -> Lobby | None:
    """The lobby, or None if it does not exist; raises `BrokenLog` for garbage."""
    try:
        if isinstance(reply, ResponseError):
            raise reply
        return None if reply[0] is None else _same_lobby(game_id, tuple(reply))
    except (ValueError, TypeError, LookupError, AssertionError, ResponseError) as error:
        raise BrokenLog(game_id, 0, f"its lobby cannot be read: {error}") from error


@lru_cache(maxsize=1024)
def _same_lobby(game_id: GameId, reply: tuple[bytes | None, ...]) -> Lobby:
    return decoded_lobby(game_id, reply)


def decoded_lobby(game_id: GameId, reply: Sequence[bytes | None]) -> Lobby:
    """The lobby in the values of `FIELDS`; the game must exist. Raises various errors for garbage."""
    frozen, status, chairs, invitation, started, stalled, setup, _, seating, reserved, title = reply[: len(FIELDS)]
    assert frozen is not None
    assert status is not None
    assert chairs is not None
    assert status in _STATUSES
    document = orjson.loads(frozen)
    document["modules"] = tuple(document["modules"])
    titled: dict[str, Any] = {"title": "", "tags": ()} if title is None else orjson.loads(title)
    return Lobby(
        id=game_id,
        chairs=read_chairs(chairs),
        **document,
        invitation_digest=(invitation or b"").decode(),
        status=cast("Status", status.decode()),
        started_at=None if started is None else int(started),
        stalled=stalled == b"1",
        setup=setup or b"",
        seating=NOTHING_CHANGED if seating is None else read_seating(seating.decode()),
        reserved=read_reserved(reserved),
        title=titled["title"],
        tags=tuple(titled["tags"]),
    )


def reserved_lines(reserved: Iterable[Reservation]) -> str:
    return "".join(f"{each.seat} {each.player} {each.until}\n" for each in reserved)


def read_reserved(lines: bytes | None) -> tuple[Reservation, ...]:
    """The reservations in these lines. Raises `ValueError` for lines that no release writes."""
    parts = [line.split(" ") for line in (lines or b"").decode().splitlines()]
    return tuple(Reservation(Seat(int(seat)), PlayerId(player), int(until)) for seat, player, until in parts)


def seating_lines(seating: Seating) -> str:
    lines = [f"rev {seating.revision}"]
    if seating.applied:
        lines.append(f"applied {seating.applied}")
    lines += [f"since {seat} {seq}" for seat, seq in seating.since.items()]
    lines += [f"vacant {seat} {seq}" for seat, seq in seating.vacant.items()]
    lines += [f"wish {seat} {player}" for seat, player in seating.wishes]
    lines += [f"refused {seat} {player}" for seat, player in seating.refused]
    lines += [f"was {each.seat} {each.player} {each.until}" for each in seating.was]
    lines += [f"sitter {each.seat} {each.player} {each.begins} {each.until}" for each in seating.sitters]
    return "".join(line + "\n" for line in lines)


def read_seating(text: str) -> Seating:
    """The seating in these lines; raises `ValueError` for lines that no release writes."""
    revision, applied, sitters, was = 0, Seq(0), [], []
    pairs: dict[str, list[tuple[Seat, PlayerId]]] = {"wish": [], "refused": []}
    seqs: dict[str, dict[Seat, Seq]] = {"since": {}, "vacant": {}}
    for line in text.splitlines():
        match line.split(" "):
            case ["rev", number]:
                revision = int(number)
            case ["applied", seq]:
                applied = Seq(int(seq))
            case [("since" | "vacant") as word, seat, seq]:
                seqs[word][Seat(int(seat))] = Seq(int(seq))
            case [("wish" | "refused") as word, seat, player]:
                pairs[word].append((Seat(int(seat)), PlayerId(player)))
            case ["was", seat, player, seq]:
                was.append(FormerHolder(Seat(int(seat)), PlayerId(player), Seq(int(seq))))
            case ["sitter", seat, player, begins, until]:
                sitters.append(Sitter(Seat(int(seat)), PlayerId(player), int(begins), int(until)))
            case _:
                raise ValueError(f"nothing is said of seats by {line!r}")
    wishes, refused = tuple(pairs["wish"]), tuple(pairs["refused"])
    return Seating(revision, seqs["since"], seqs["vacant"], wishes, tuple(sitters), tuple(was), refused, applied)
