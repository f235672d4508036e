"""A story for each kind of question, up to the moment it is asked."""

from __future__ import annotations

from dataclasses import replace

from domain.games.fronela.commands import Done, March
from domain.games.fronela.state import Person
from tests.fronela.story import History
from tests.fronela.test_corners import joined

V2, V3 = "fronela_v2", "fronela_v3"


def attacked(key=V3, *, soldiers=2, wizards=0, kinds=None, **fields):
    """Black soldiers march on grey ones in Akem; the moves are over."""
    units = {
        "tarins": {"black_malkioni": {"soldier": soldiers, "lord": 1} | ({"wizard": wizards} if wizards else {})},
        "akem": {"grey_malkioni": kinds or {"soldier": 3}},
    }
    story = History("black_malkioni", units, key, **fields).begin(1)
    story.say(March("tarins", "soldier", "akem", soldiers))
    return story.say(March("tarins", "wizard", "akem", wizards)) if wizards else story


def fleet():
    """The God Learners can land anywhere on the coast; Trolls are in the first area."""
    return History("grey_malkioni", {"oral_ta": {"trolls": 1}}, V3, round=8).begin()


def beasts():
    return History("bull_people", {"tawars": {"bull_people": 1}, "junora": {"bull_people": 2}}, V3, round=4).begin(1)


def hrestol():
    story = History("bull_people", {"tawars": {"bull_people": 1}}, V3, round=1)
    story.state = replace(
        story.state, persons={"hrestol": Person("sog_city", ""), "blinding_eye": Person("golaros", "")}
    )
    return story.begin()


def eye():
    units = {"golaros": {"black_malkioni": {"soldier": 1, "farmer": 1}}}
    story = History("black_malkioni", units, V3, round=2)
    gone = Person("sog_city", "", gone=True)
    story.state = replace(story.state, persons={"blinding_eye": Person("golaros", ""), "hrestol": gone})
    return story.begin(1)


def harrek():
    story = History("harrek", {}, V3, round=17)
    story.state = replace(story.state, persons={"harrek": Person("rathorela", "")})
    return story.begin()


def two_battles(**fields):
    units = {
        "tarins": {"black_malkioni": {"soldier": 4, "lord": 1}},
        "akem": {"grey_malkioni": {"soldier": 2}},
        "arnstor": {"azure_malkioni": {"soldier": 2}},
    }
    story = History("black_malkioni", units, V3, **fields).begin(1)
    return story.say(March("tarins", "soldier", "akem", 2)).say(March("tarins", "soldier", "arnstor", 2)).say(Done())


def wary():
    units = {"tarins": {"black_malkioni": {"soldier": 2, "lord": 1}}, "tastolar": {"reindeer_people": 1}}
    story = History("black_malkioni", units, V3).begin(1)
    return story.say(March("tarins", "soldier", "tastolar", 2)).say(Done())


def rout():
    """Lord against Lord, both there when the combat phase began (FRO-D07)."""
    story = History("black_malkioni", {"akem": {"black_malkioni": {"lord": 1}}}, V3).begin(1)
    return joined(story, "akem", "grey_malkioni", lord=1).say(Done())


def siglat():
    units = {"tarins": {"azure_malkioni": {"soldier": 1}}, "easval": {"azure_malkioni": {"soldier": 2}}}
    return History("azure_malkioni", units, V3, round=16, tokens={"siglat": "azure_malkioni"}).begin(1, 1)


def jonat():
    units = {
        "samita": {"brown_barbarians": 4},
        "okarnia": {"black_malkioni": {"soldier": 1}},
        "southpoint": {"azure_malkioni": {"soldier": 1}},
    }
    story = History("brown_barbarians", units, V3, round=11).begin(1)
    return story.say(March("samita", "unit", "okarnia", 2)).say(March("samita", "unit", "southpoint", 2)).say(Done())


QUESTIONS_PUT = {
    "growth": lambda: History("black_malkioni", {"akem": {"black_malkioni": {"farmer": 2, "lord": 1}}}, V3).begin(5),
    "move": lambda: History("bull_people", {"tawars": {"bull_people": 1}}, V3).begin(1),
    "battle": two_battles,
    "special_retreat": wary,
    "attack_wizards": lambda: attacked(wizards=2).say(Done()),
    "defence_wizards": lambda: attacked(kinds={"soldier": 3, "wizard": 1}).say(Done()),
    "defender_losses": lambda: attacked(kinds={"soldier": 2, "lord": 1}).say(Done(), 6, 1, 1, 1),
    "attacker_losses": lambda: attacked().say(March("tarins", "lord", "akem", 1)).say(Done(), 1, 1, 5, 1, 1),
    "retreat": lambda: attacked().say(Done(), 1, 1, 1, 1, 1),
    "rout": rout,
    "landing": fleet,
    "eleven_beasts": beasts,
    "siglat": siglat,
    "hrestol": hrestol,
    "blinding_eye": eye,
    "talor": lambda: two_battles(round=5, tokens={"talor": "black_malkioni"}),
    "jonat": jonat,
    "harrek_ride": harrek,
}
"""Every kind of question to a seat, pending in a game of `V3`."""
