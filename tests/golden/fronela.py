"""Events of Fronela that no recording contains, turns that are narrated as a paragraph, and changes for a seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domain.games.fronela import events as ev
from domain.games.fronela.episodes.blinding_eye import EyeGlared
from domain.games.fronela.events import Die
from domain.games.fronela.game import FRONELA
from domain.games.fronela.readers.condensing import condense
from domain.games.fronela.readers.sentences import ASKS

ROUGH = {"terrain": -1}


def asked(kind: str, nation: str = "trolls", area: str = "oral_ta", seat: int = 2) -> ev.Asked:
    return ev.Asked(seat, kind, "FRO-10", nation, area, (), ())


def lost(nation: str, area: str, kind: str, number: int, by: str, why: str, **more: Any) -> ev.UnitsLost:
    return ev.UnitsLost(nation, area, kind, number, "", False, by, why, **more)


def marched(nation: str, kind: str, number: int, area: str, to: str, **more: Any) -> ev.UnitsMarched:
    facts = {"halted": 0, "left": 1, "came": "", "had": 2, "was_ferried": False, "ferried": False} | more
    return ev.UnitsMarched(nation, kind, number, area, to, **facts)


_EVENTS: Sequence[Any] = (
    ev.OrderChanged(("bear_people", "harrek", "trolls", "mostali"), 0),
    ev.OrderChanged(("trolls", "mostali", "harrek"), 1),
    ev.OrderChanged(("trolls", "brown_malkioni"), 0),
    ev.OrderChanged(("trolls", "mostali", "grotaron")),
    *(asked(kind) for kind in ASKS),
    asked("battle", area=""),
    asked("round", "", "", 0),
    asked("something_new"),
    ev.GrowthRolled("black_malkioni", "tarins", 2, 3, 5, True, {"farmers": 3}),
    ev.GrowthRolled("black_malkioni", "tarins", 1, 3, 4, False, {"farmers": 2, "hrestol": 1}),
    ev.GrowthRolled("gonn_orta", "stomble", 4, 0, 4, False),
    ev.GrowthLost("black_malkioni", "tarins", "declined"),
    ev.GrowthLost("bull_people", "tawars", "no-counter"),
    ev.GrowthLost("bull_people", "tawars"),
    ev.UnitsPlaced("grey_malkioni", "tarins", {"farmer": 2, "lord": 1, "soldier": 3, "wizard": 1}, "arrival"),
    ev.UnitsPlaced("wolf_people", "kartolin_pass", {"unit": 1}, "event"),
    ev.UnitsPlaced("black_malkioni", "black_forest", {"lord_death": 1, "soldier": 6}, "arrival"),
    ev.UnitsReadied("trolls", {"oral_ta": {"unit": 1}}),
    ev.UnitsReadied("black_malkioni", {}),
    marched("gonn_orta", "unit", 1, "western_nida", "nidan_mountains"),
    marched("azure_malkioni", "soldier", 2, "mintol_vale", "oranor", ferried=True),
    marched("grey_malkioni", "lord", 1, "neliomi_sea", "tarins"),
    ev.BattleJoined("oral_ta", "gonn_orta", "trolls", 1, {"unit": 1}, {"unit": 2}),
    ev.BattleJoined("tarins", "harrek", "grey_malkioni", 1, {}, {"soldier": 1, "wizard": 1}),
    ev.BattleJoined("tarins", "trolls", "grey_malkioni", 3, {"unit": 2}, {"soldier": 1}),
    ev.BattleJoined("tarins", "trolls", "grey_malkioni", 2),
    ev.DieBent("grey_malkioni", "tarins", "attack", 2, -1),
    ev.DieBent("grey_malkioni", "tarins", "defence", 1, 1),
    ev.DieBent("grey_malkioni", "tarins", "attack", 1, 1),
    ev.BattleRolled(
        "nidan_mountains",
        "gonn_orta",
        "mostali",
        (Die(5, 0, 5, {"unit": 1, "terrain": -1}), Die(2, 0, 2, {"unit": 1, "terrain": -1})),
        (Die(4, 1, 5, {"defence": 1}),),
        1,
        1,
    ),
    ev.BattleRolled(
        "akem",
        "grey_malkioni",
        "black_malkioni",
        (Die(4, 1, 5, {"hrestol": 1}), Die(3, -1, 2, {"wizards": -1}), Die(4, 1, 5, {"wizards": 1})),
        (),
        2,
        0,
    ),
    ev.BattleRolled("akem", "brown_barbarians", "skunk_people", (Die(4, 1, 5, {"jonat": 1}),), (Die(1, 0, 1),), 1, 0),
    ev.BattleRolled("oranor", "trolls", "bobcat_people", (Die(6, -1, 5),), (Die(1, 0, 1),), 1, 0),
    lost("grey_malkioni", "akem", "lord", 1, "", "no-retreat"),
    lost("grey_malkioni", "akem", "soldier", 2, "", "no-retreat"),
    lost("grey_malkioni", "akem", "farmer", 2, "gonn_orta", "farmers"),
    lost("grey_malkioni", "akem", "lord", 1, "", "overpopulation", room=1),
    lost("grey_malkioni", "greenwood", "soldier", 2, "", "overpopulation", room=0),
    lost("grey_malkioni", "akem", "lord", 1, "", "overpopulation"),
    lost("grey_malkioni", "akem", "wizard", 1, "", "event", cause="closing_seas"),
    lost("grey_malkioni", "akem", "soldier", 3, "", "event", cause="syndics_ban"),
    lost("bull_people", "golaros", "unit", 1, "", "event", cause="blinding_eye"),
    lost("bull_people", "golaros", "unit", 1, "", "event"),
    lost("gonn_orta", "stomble", "unit", 1, "bear_people", "battle", hits=2),
    ev.HitsSpent("gonn_orta", "stomble", 1, "tough"),
    ev.HitsSpent("trolls", "oral_ta", 2, "beyond"),
    ev.HitsSpent("trolls", "oral_ta"),
    ev.HitsSpent("harrek", "tarins", 1),
    ev.FarmersTaken("black_malkioni", "tarins", 3, "grey_malkioni", 2),
    ev.UnitsRetreated("gonn_orta", "stomble", "unit", 1, "", "western_nida", "special"),
    ev.UnitsRetreated("trolls", "oral_ta", "unit", 2, "glacier_west", "glacier_west", "forced"),
    ev.FightingEnded("trolls", {"oral_ta": "trolls", "akem": "trolls", "tarins": "gonn_orta", "easval": ""}),
    ev.FightingEnded("trolls"),
    ev.PersonMoved("harrek", "tarins", "akem", ""),
    ev.PersonPlaced("talor", "akem"),
    ev.PersonRemoved("jonat", "akem"),
    ev.PersonMoved("talor", "tarins", "akem", "tarins"),
    *(ev.GrowthSet(2, "trolls", order) for order in ("", "grow", "decline")),
    *(ev.WithdrawalSet(2, "trolls", order) for order in ("", "if_outnumbered", "always")),
    *(
        ev.TokenGiven(token, "trolls")
        for token in ("talor", "dormal", "moon_boats", "siglat", "kingdom_of_war", "lucky")
    ),
    ev.TokenTaken("dormal", "grey_malkioni"),
    ev.PersonPlaced("dormal", "akem"),
    ev.PersonRemoved("dormal", "akem"),
    *(
        ev.PointsScored(5, "trolls", reason, "FRO-D34", points, area)
        for reason, points, area in (
            ("area", 2, "oral_ta"),
            ("blinding-eye", 3, "golaros"),
            ("dormal", 2, ""),
            ("gonn-orta-killed", 5, "stomble"),
            ("harrek", 8, "sog_city"),
            ("kingdom-of-war", 1, "akem"),
            ("noble-killed", 1, "akem"),
            ("prey-killed", 1, "akem"),
            ("river-tax", 1, "akem"),
            ("siglat", 2, ""),
            ("soldier-killed", 1, "akem"),
            ("talor", 1, "akem"),
        )
    ),
    ev.PointsScored(5, "gonn_orta", "noble-killed", "FRO-D34", 1, "akem"),
    EyeGlared("bull_people", "golaros", 2, 0, 2, True),
    EyeGlared("bull_people", "golaros", 4, 0, 4, False),
    *(ev.StanceSet(2, "trolls", stance) for stance in ("", "hold", "retreat_if_outnumbered", "always_retreat")),
    ev.RefugesSet(2, "trolls", ("oral_ta", "glacier_west")),
    ev.RefugesSet(2, "trolls", ()),
    ev.LossesSet(2, "grey_malkioni", "soldier,farmer,wizard,lord", ""),
    ev.LossesSet(2, "grey_malkioni", "usual", "usual"),
    *(ev.WizardsSet(2, "grey_malkioni", policy) for policy in ("", "weaken", "strengthen", "rest")),
)
_TURNS: Mapping[str, Sequence[Any]] = {
    "a quiet turn": (
        ev.TurnBegun("trolls", 18),
        ev.GrowthRolled("trolls", "valinds_glacier", 2, 0, 2, False),
        ev.UnitsReadied("trolls", {"oral_ta": {"unit": 1}}),
        asked("move", area=""),
        ev.MovesEnded("trolls"),
    ),
    "growth of every kind": (
        ev.TurnBegun("black_malkioni", 0),
        ev.GrowthRolled("black_malkioni", "tarins", 2, 3, 5, True, {"farmers": 3}),
        ev.GrowthRolled("black_malkioni", "akem", 5, 0, 5, True),
        ev.GrowthRolled("black_malkioni", "tawars", 6, 0, 6, True),
        ev.GrowthRolled("black_malkioni", "easval", 6, 0, 6, True),
        ev.GrowthRolled("black_malkioni", "sog_city", 1, 0, 1, False),
        asked("growth", "black_malkioni", "", 1),
        ev.UnitsPlaced("black_malkioni", "tarins", {"lord": 1}, "growth"),
        ev.GrowthLost("black_malkioni", "akem", "declined"),
        ev.GrowthLost("black_malkioni", "tawars", "no-counter"),
    ),
    "ways and a battle in two rounds": (
        ev.TurnBegun("grey_malkioni", 1),
        ev.UnitsPlaced("grey_malkioni", "arnstor", {"soldier": 3, "lord": 1}, "arrival"),
        ev.UnitsReadied("grey_malkioni", {"arnstor": {"soldier": 16, "lord": 16}}),
        marched("grey_malkioni", "soldier", 3, "arnstor", "tarins"),
        marched("grey_malkioni", "lord", 1, "arnstor", "tarins"),
        marched("grey_malkioni", "soldier", 1, "tarins", "akem", came="arnstor"),
        ev.MovesEnded("grey_malkioni"),
        ev.BattleJoined(
            "tarins", "grey_malkioni", "black_malkioni", 1, {"soldier": 2, "lord": 1}, {"soldier": 1, "wizard": 1}
        ),
        ev.DieBent("black_malkioni", "tarins", "attack", 1, -1),
        ev.BattleRolled(
            "tarins",
            "grey_malkioni",
            "black_malkioni",
            (Die(4, -1, 3, {"wizards": -1}), Die(2, 0, 2)),
            (Die(6, 0, 6),),
            0,
            1,
        ),
        lost("grey_malkioni", "tarins", "soldier", 1, "black_malkioni", "battle", hits=1),
        ev.BattleJoined(
            "tarins", "grey_malkioni", "black_malkioni", 2, {"soldier": 1, "lord": 1}, {"soldier": 1, "wizard": 1}
        ),
        ev.BattleRolled("tarins", "grey_malkioni", "black_malkioni", (Die(5, 0, 5),), (Die(1, 0, 1),), 1, 0),
        lost("black_malkioni", "tarins", "soldier", 1, "grey_malkioni", "battle", hits=1),
        ev.UnitsRetreated("black_malkioni", "tarins", "wizard", 1, "", "sog_city", "chosen"),
        ev.FightingEnded("grey_malkioni", {"tarins": "grey_malkioni"}),
        lost("grey_malkioni", "akem", "lord", 1, "", "overpopulation", room=1),
    ),
    "Harrek driven back": (
        ev.TurnBegun("harrek", 3),
        ev.PersonMoved("harrek", "rathorela", "easval", "tastolar"),
        ev.BattleJoined("easval", "harrek", "azure_malkioni", 1, {}, {"soldier": 3, "farmer": 1}),
        ev.BattleRolled(
            "easval",
            "harrek",
            "azure_malkioni",
            tuple(Die(face, 1, face + 1, {"unit": 1}) for face in (4, 1, 2, 3)),
            (Die(5, 0, 5), Die(6, 0, 6), Die(1, 0, 1)),
            1,
            2,
        ),
        lost("azure_malkioni", "easval", "soldier", 1, "harrek", "battle", hits=1),
        ev.HitsSpent("harrek", "easval", 2),
        ev.PersonMoved("harrek", "easval", "tastolar", ""),
        ev.FightingEnded("harrek", {"easval": "azure_malkioni"}),
    ),
    "everybody leaves": (
        ev.TurnBegun("trolls", 18),
        ev.BattleJoined("oral_ta", "trolls", "grey_malkioni", 1, {"unit": 2}, {"soldier": 1, "farmer": 2}),
        ev.BattleRolled(
            "oral_ta", "trolls", "grey_malkioni", (Die(6, -1, 5, ROUGH), Die(1, -1, 0, ROUGH)), (Die(5, 0, 5),), 1, 1
        ),
        lost("grey_malkioni", "oral_ta", "soldier", 1, "trolls", "battle", hits=1),
        lost("trolls", "oral_ta", "unit", 1, "grey_malkioni", "battle", hits=1),
        lost("grey_malkioni", "oral_ta", "farmer", 2, "trolls", "farmers"),
        ev.PointsScored(3, "trolls", "soldier-killed", "FRO-D34", 1, "oral_ta"),
        ev.PointsScored(3, "trolls", "prey-killed", "FRO-D34", 1, "oral_ta"),
        ev.PointsScored(3, "trolls", "prey-killed", "FRO-D34", 1, "oral_ta"),
        ev.UnitsRetreated("trolls", "oral_ta", "unit", 1, "glacier_west", "glacier_west", "forced"),
        ev.FightingEnded("trolls", {"oral_ta": ""}),
    ),
    "slipping away, being taken over, finding no way out": (
        ev.TurnBegun("grey_malkioni", 1),
        ev.BattleJoined("tawars", "grey_malkioni", "bull_people", 1, {"soldier": 2}, {"unit": 1}),
        ev.UnitsRetreated("bull_people", "tawars", "unit", 1, "", "akem", "special"),
        ev.BattleJoined("akem", "grey_malkioni", "black_malkioni", 1, {"soldier": 2}, {"farmer": 2, "lord": 1}),
        ev.BattleRolled("akem", "grey_malkioni", "black_malkioni", (Die(5, 0, 5), Die(1, 0, 1)), (), 1, 0),
        lost("black_malkioni", "akem", "lord", 1, "grey_malkioni", "battle", hits=1),
        ev.FarmersTaken("black_malkioni", "akem", 2, "grey_malkioni", 2),
        ev.BattleJoined("easval", "grey_malkioni", "azure_malkioni", 1, {"lord": 1}, {"lord": 1}),
        lost("grey_malkioni", "easval", "lord", 1, "", "no-retreat"),
        ev.FightingEnded("grey_malkioni", {"akem": "grey_malkioni"}),
    ),
    "an older game, which records less": (
        ev.TurnBegun("trolls", 18),
        ev.BattleJoined("oral_ta", "trolls", "grey_malkioni", 1),
        ev.BattleRolled("oral_ta", "trolls", "grey_malkioni", (Die(6, -1, 5),), (Die(2, 0, 2),), 1, 0),
        lost("grey_malkioni", "oral_ta", "soldier", 1, "trolls", "battle", hits=1),
        ev.FightingEnded("trolls"),
    ),
    "the end of a scoring round": (
        asked("round", "", "", 0),
        ev.TokenTaken("talor", "grey_malkioni"),
        ev.PointsScored(5, "trolls", "area", "FRO-D33", 1, "oral_ta"),
        ev.PointsScored(5, "trolls", "area", "FRO-D33", 1, "glacier_west"),
        ev.PointsScored(5, "grey_malkioni", "area", "FRO-D33", 2, "akem"),
        ev.PointsScored(5, "gonn_orta", "area", "FRO-D33", 2, "western_nida"),
        ev.RoundEnded(5, last=False),
    ),
    "a round that begins": (
        ev.RoundBegun(17, "Hero Wars", "1576-1675"),
        ev.TokenGiven("dormal", "grey_malkioni"),
        ev.PointsScored(17, "grey_malkioni", "dormal", "FRO-D34", 2, ""),
        ev.TokenGiven("moon_boats", "brown_barbarians"),
        ev.OrderChanged(("trolls", "mostali", "grotaron")),
    ),
}
ASKED: Mapping[str, Mapping[str, Any]] = {kind: {"nation": "trolls", "area": "oral_ta"} for kind in ASKS}
_CHANGES: Sequence[Mapping[str, Any]] = (
    {"type": "areas_lost", "areas": [{"area": "akem", "by": ["trolls"]}, {"area": "easval", "by": []}]},
    {"type": "areas_won", "areas": ["tarins", "sog_city"]},
    {
        "type": "units_changed",
        "nations": [
            {"nation": "grey_malkioni", "more": {"soldier": 1}, "fewer": {"farmer": 2, "lord": 1}},
            {"nation": "gonn_orta", "more": {}, "fewer": {"unit": 1}},
        ],
    },
    {
        "type": "points_changed",
        "scores": [{"colour": "Black", "points": 12, "more": 3}, {"colour": "Grey", "points": 9, "more": 0}],
    },
    {"type": "rounds_passed", "round": 6, "years": "476-575", "title": "Peace and settlement"},
)


def _shown(event: Any) -> Mapping[str, Any]:
    line = FRONELA.knowledge.reveal(event, getattr(event, "seat", None))
    assert line is not None
    return line


PARAGRAPHS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    name: [_shown(event) for event in events] for name, events in _TURNS.items()
}
LINES: Sequence[Mapping[str, Any]] = (
    *map(_shown, _EVENTS),
    *(line for lines in PARAGRAPHS.values() for line in condense(lines) if line["type"] not in FRONELA.rules.events),
    *_CHANGES,
)
