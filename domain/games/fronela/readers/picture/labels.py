"""Labels on the map of Fronela: names, units by nation and kind, persons. Labels do not overlap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.drawing.lettering import width, wrapped
from domain.drawing.palette import BATTLE, INK, LINE, PAPER, WHITE
from domain.drawing.parts import badge
from domain.drawing.svg import WIDTH, Picture, SvgGroup
from domain.games.fronela.readers.picture import tones
from domain.games.fronela.readers.picture.land import EDGE, at

View = Mapping[str, Any]
NAME, TALL, GAP, ROOM = 14, 21, 2, 88
"""Font size of a name, height of a badge, gap between badges, maximum width of a label."""
LINE_TALL = 17


@dataclass(slots=True)
class Chip:
    """A badge of a label: units of a nation, or a person."""

    wide: float
    words: str
    ref: str
    kind: str
    tip: str
    colour: Any
    ink: Any = WHITE
    nation: str = ""


@dataclass(slots=True)
class Label:
    """An area's name with its units and persons, in a box that can be moved."""

    area: View
    name: list[str]
    rows: list[list[Chip]]
    x: float = 0
    y: float = 0
    wide: float = field(init=False)
    tall: float = field(init=False)

    def __post_init__(self) -> None:
        rows = [sum(chip.wide + GAP for chip in row) - GAP for row in self.rows]
        self.wide = max([width(line, NAME) for line in self.name] + rows) + 8
        self.tall = len(self.name) * LINE_TALL + len(self.rows) * (TALL + GAP) + 6


def labels(view: View, top: float, floor: float) -> list[Label]:
    """A label for every area, without overlaps."""
    short = tones.short_names(view["nations"])
    nations = {nation["id"]: nation for nation in view["nations"]}
    persons: dict[str, list[View]] = {}
    for person in view["persons"]:
        persons.setdefault(person["area"], []).append(person)
    found = []
    for area in view["areas"]:
        rows: list[list[Chip]] = []
        for nation, units in area["units"].items():
            rows += _rows(_chips(nations[nation], short[nation], area, _called(view, area["id"], nation, units)))
        rows += [[_person(person)] for person in persons.get(area["id"], ())]
        room = max([ROOM, *(width(word, NAME) for word in area["name"].split())])
        label = Label(area, wrapped(area["name"], NAME, room, bold=True), rows)
        label.x, label.y = at(area, top)
        found.append(label)
    _settled(found, top, floor)
    return found


def _called(view: View, area: str, nation: str, units: Mapping[str, int]) -> list[tuple[str, str, int]]:
    """The unit names a player can use in an area: kind, name and count."""
    found = []
    for kind, number in sorted(units.items()):
        apart = [
            (kind, str(group["unit"]), int(group["count"]))
            for group in view.get("groups", ())
            if (group["area"], group["nation"], group["kind"]) == (area, nation, kind) and group["unit"] != kind
        ]
        rest = number - sum(count for _, _, count in apart)
        found += [*([(kind, kind, rest)] if rest else []), *apart]
    return found


def _chips(nation: View, short: str, area: View, units: Sequence[tuple[str, str, int]]) -> Iterator[Chip]:
    """Badges for a nation's units in an area: its name with their number, or with a badge for each caste."""
    colour, where = tones.colour_of(nation), f"{nation['name']} in {area['name']}"
    if all(kind != "unit" for kind, _, _ in units):
        yield Chip(width(short, NAME) + 8, short, nation["id"], "nation", where, colour, nation=nation["id"])
    for kind, name, number in units:
        words = f"{short} {number}" if kind == "unit" else f"{kind[0].upper()}{number}"
        tip = f"{where}: {number} {name}"
        yield Chip(width(words, NAME) + 8, words, name, "unit", tip, colour, nation=nation["id"])


def _person(person: View) -> Chip:
    name = person["name"]
    wide = min(width(name, NAME) + 10, ROOM + 16)
    return Chip(wide, name, person["id"], "person", name, tones.PERSON, INK)


def _rows(chips: Iterator[Chip]) -> list[list[Chip]]:
    rows: list[list[Chip]] = []
    used = 0.0
    for chip in chips:
        if not rows or used + chip.wide > ROOM:
            rows.append([])
            used = 0.0
        rows[-1].append(chip)
        used += chip.wide + GAP
    return rows


def _settled(found: Sequence[Label], top: float, floor: float) -> None:
    """Move overlapping labels apart in small steps, up to 160 rounds."""
    for turn in range(160):
        moved = False
        for place, one in enumerate(found):
            for other in found[place + 1 :]:
                right, down = other.x - one.x, other.y - one.y
                across = (one.wide + other.wide) / 2 + 3 - abs(right)
                deep = (one.tall + other.tall) / 2 + 3 - abs(down)
                if across > 0 and deep > 0:
                    moved = True
                    if deep < across * (1.0 if turn < 120 else 0.5):
                        step = (deep / 2 + 0.5) * (1 if down >= 0 else -1)
                        one.y, other.y = one.y - step, other.y + step
                    else:
                        step = (across / 2 + 0.5) * (1 if right >= 0 else -1)
                        one.x, other.x = one.x - step, other.x + step
        for label in found:
            label.x = min(max(label.x, EDGE + 3 + label.wide / 2), WIDTH - EDGE - 3 - label.wide / 2)
            label.y = min(max(label.y, top + 3 + label.tall / 2), floor - 3 - label.tall / 2)
        if not moved:
            return


def draw(picture: Picture, found: Sequence[Label], fought: str) -> None:
    """Draw each label on its own plate. The area of a battle has a red frame."""
    group = picture.group()
    for label in found:
        x, y = label.x - label.wide / 2, label.y - label.tall / 2
        one = group.group(ref=label.area["id"], kind="area")
        edge, thick = (BATTLE, 3) if label.area["id"] == fought else (LINE, 1)
        one.rectangle(x, y, label.wide, label.tall, rx=5, fill=PAPER, stroke=edge, stroke_width=thick)
        style = "italic" if label.area["terrain"] == "sea" else None
        for place, line in enumerate(label.name):
            look: dict[str, Any] = {"anchor": "middle", "fill": INK, "font_weight": "bold", "font_style": style}
            one.text(label.x, y + 15 + place * LINE_TALL, line, NAME, fit=label.wide - 4, **look)
        _badges(one, label, y + 4 + len(label.name) * LINE_TALL)


def _badges(group: SvgGroup, label: Label, y: float) -> None:
    for row in label.rows:
        x = label.x - (sum(chip.wide + GAP for chip in row) - GAP) / 2
        for chip in row:
            one = group.group(ref=chip.ref, kind=chip.kind, data_nation=chip.nation or None)
            rx = TALL / 2 if chip.kind == "person" else 3
            badge(
                one, x, y, chip.wide, TALL, chip.words, NAME, chip.colour, rx=rx, ink=chip.ink, tip=chip.tip,
            )  # fmt: skip
            x += chip.wide + GAP
        y += TALL + GAP
