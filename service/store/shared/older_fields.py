"""The fields of a game's meta hash as release 0.3.0 wrote them, and the same in the form of this release.

`oraclewheel migrate` converts the games of a store. Objects of the archive never change: they are converted when read.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from typing import Any

import orjson

from domain.kernel.terms import Seat
from service.store.codec import canonical
from service.store.shared import lists

_GONE = re.compile(rb"behind|t\d+|plan\d+|paused\d*")
_FIELDS = 40
"""Bytes of two id fields and a digest before the text of a plan."""


def is_older(meta: Mapping[bytes, bytes]) -> bool:
    """Whether a started game has no field that only this release writes."""
    return b"seq" in meta and b"turned" not in meta


def converted(meta: Mapping[bytes, bytes], pending: Collection[str] = ()) -> tuple[dict[str, Any], list[str]]:
    """The fields to set in a started game, and those to delete; ``pending``: ids of submissions that wait.

    Everything else in the hash has the same form. Raises `ValueError` or `LookupError` for fields that no release
    writes.
    """
    gone = [name.decode() for name in meta if _GONE.fullmatch(name)]
    players = [line.split(b" ")[0].decode() for line in meta[b"chairs"].split(b"\n")[:-1]]
    fields: dict[str, Any] = {"turned": meta[b"seq"], "seated": meta[b"seq"]}
    for seat, player in enumerate(players, 1):
        if turns := meta.get(b"t%d" % seat):
            fields[f"turns {player}"] = turns
    if seating := meta.get(b"seating"):
        lines, turns_of = _seating(seating.decode(), int(meta[b"seq"]))
        fields |= {"seating": lines, **turns_of}
    plans = _plans(meta, pending)
    if plans or b"plans" in meta:
        fields["plans"] = orjson.dumps(plans) if plans else b""
        fields["holds"] = " ".join(seat for seat, plan in plans.items() if plan["state"] != "done")
    return fields, gone


def _seating(text: str, seq: int) -> tuple[str, dict[str, str]]:
    """The lines of the seating, and the last turns of former players."""
    lines = text.splitlines()
    since = {
        seat: at
        for word, seat, *rest in (line.split(" ") for line in lines if line.count(" ") > 1)
        for at in rest[:1]
        if word == "since"
    }
    found, turns = [], {}
    for line in lines:
        match line.split(" "):
            case ["was", seat, player, at, played]:
                # Only the commit of the last change is known; earlier players had it until then at the latest.
                found.append(f"was {seat} {player} {since.get(seat, seq)}")
                turns[f"turns {player}"] = f"{at} {played}"
            case _:
                found.append(line)
    return "".join(f"{line}\n" for line in (*found[:1], f"applied {seq}", *found[1:])), turns


def _plans(meta: Mapping[bytes, bytes], pending: Collection[str]) -> dict[str, Any]:
    """The plans by seat, as `service.features.plans.store` stores them."""
    waiting, paused = _listed(meta.get(b"plans", b"")), _listed(meta.get(b"paused", b""))
    plans: dict[str, Any] = {}
    for name, packed in meta.items():
        if not re.fullmatch(rb"plan\d+", name):
            continue
        seat = name[4:].decode()
        line, _, text = packed[_FIELDS:].partition(b"\n")
        document = orjson.loads(text)
        commands = [document["command"], *document[lists.LIST]["rest"]]
        place, state, kinds = 0, "done", []
        if seat in waiting:
            state, kinds = "waiting", waiting[seat]
        elif seat in paused:
            rest = orjson.loads(meta[b"paused" + name[4:]].partition(b"\n")[2])
            place, state, kinds = rest[lists.LIST]["place"], "paused", paused[seat]
        else:
            list_id = str(lists.list_id(document))
            for each in range(len(commands)):
                if lists.place_id(list_id, each) in pending:
                    place, state = each, "playing"
                    break
        digest = hashlib.sha256(canonical([Seat(int(seat)), commands])).hexdigest()
        plans[seat] = {"document": document, "digest": digest, "at": int(line.split(b" ")[1])}
        plans[seat] |= {"seen": int(meta[b"seq"]), "state": state, "place": place, "kinds": kinds}
    return plans


def _listed(text: bytes) -> dict[str, list[str]]:
    """Seats and their kinds of questions: ``<seat>:<kinds>`` each, followed by a blank."""
    pairs = (each.split(":", 1) for each in text.decode().split())
    return {seat: kinds.split(",") for seat, kinds in pairs}
