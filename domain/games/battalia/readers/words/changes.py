"""The changes between two views of a seat: cities, heroes, cards, points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from domain.kernel.game.knowledge import SeatView
from domain.kernel.terms import Seat

Line = Mapping[str, Any]


def changes(before: SeatView, after: SeatView, seat: Seat) -> Iterator[Line]:
    """Changes between two views, most important first. A private part is None if the seat may no longer see it."""
    old, new = before.public, after.public
    if (old["week"], old["day"]) != (new["week"], new["day"]):
        yield {"type": "date_changed", "day": new["day"], "week": new["week"]}
    yield from _cities(_own_cities(old, seat), _own_cities(new, seat), new)
    yield from _heroes(old["heroes"], new["heroes"], seat)
    yield from _points(old, new, seat)
    if before.private is not None and after.private is not None:
        lost, come = _difference(before.private["hand"], after.private["hand"])
        yield from (
            {"type": name, "cards": cards} for name, cards in (("cards_lost", lost), ("cards_come", come)) if cards
        )
        hidden = _difference(before.private["hidden"], after.private["hidden"])[0]
        if hidden:
            yield {"type": "hidden_lost", "cards": hidden}
    yield from _rivals(old, new, seat)


def _own_cities(view: Any, seat: Seat) -> dict[str, int]:
    squares = view["squares"].items()
    return {name: square["city"]["level"] for name, square in squares if square.get("city", {}).get("owner") == seat}


def _cities(old: Mapping[str, int], new: Mapping[str, int], view: Any) -> Iterator[Line]:
    for square in sorted(old.keys() - new.keys()):
        city = view["squares"].get(square, {}).get("city")
        yield {"type": "city_lost", "square": square, "level": old[square], "to": city["owner"] if city else None}
    for square in sorted(new.keys() - old.keys()):
        yield {"type": "city_won", "square": square, "level": new[square]}
    for square in sorted(old.keys() & new.keys()):
        if old[square] != new[square]:
            name = "city_fell" if new[square] < old[square] else "city_rose"
            yield {"type": name, "square": square, "level": old[square], "now": new[square]}


def _heroes(old: Any, new: Any, seat: Seat) -> Iterator[Line]:
    for name in sorted(old.keys() | new.keys()):
        was, now = (side[name]["square"] if side.get(name, {}).get("seat") == seat else None for side in (old, new))
        if was == now:
            continue
        if now is None:
            yield {"type": "hero_lost", "hero": name, "square": was}
        elif was is None:
            yield {"type": "hero_back", "hero": name, "to": now}
        else:
            yield {"type": "hero_moved", "hero": name, "origin": was, "to": now}


def _points(old: Any, new: Any, seat: Seat) -> Iterator[Line]:
    was, now = old["seats"][str(seat)]["points"], new["seats"][str(seat)]["points"]
    if was != now:
        yield {"type": "points_won" if now > was else "points_lost", "by": abs(now - was), "now": now}


def _rivals(old: Any, new: Any, seat: Seat) -> Iterator[Line]:
    for name, now in new["seats"].items():
        was = old["seats"][name]
        if int(name) == seat:
            continue
        if was["points"] != now["points"]:
            yield {"type": "rival_points", "seat": int(name), "before": was["points"], "now": now["points"]}
        if now["out"] and not was["out"]:
            yield {"type": "rival_out", "seat": int(name)}


def _difference(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    gone, come = Counter(old) - Counter(new), Counter(new) - Counter(old)
    return sorted(gone.elements()), sorted(come.elements())
