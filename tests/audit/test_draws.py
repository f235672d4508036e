"""Every event declares which fields contain rolls and draws; repeating exactly those reproduces every game."""

import json
from functools import cache
from pathlib import Path

import pytest

from domain.registry import GAMES
from service.core.catalog.draws import build_draw_documents, list_markdown_rows
from service.core.catalog.kinds import build_full_kind
from tests.audit.independent import Draws
from tests.audit.test_document import PAGE
from tests.recordings.make import KNOWN

FILES = sorted((Path(__file__).parents[1] / "recordings").glob("*.ndjson"))
RANKS = ("frimen", "chief", "priest", "lord")
ORDER = [*RANKS, "unbound", "supply", "tool", "horse", "weapon", "amulet", "tent", "title", "scroll"]
ORDER += [f"road-{shape}" for shape in ("straight", "bend", "tee", "cross")]
ORDER += [f"city-{shape}" for shape in ("end", "straight", "bend", "tee", "cross")]


class Replay:
    """Repeats the draws that a game's table declares, from the dice key and the events alone."""

    def __init__(self, kind, key):
        self.table, self.draws = build_draw_documents(KNOWN[kind].rules), Draws(key)
        self.begun, self.checked = {}, 0
        self.dealt = {}

    def commit(self, events):
        self.dealt = {}
        for event in events:
            if event["type"] == "battalia_begun":
                self.begun = event
                self.lay_out(event)
                continue
            for draw in self.table.get(event["type"], ()):
                getattr(self, draw["how"])(event, draw)

    def die(self, event, draw):
        for value in values(event, draw["field"].split(".")):
            rolled = self.draws.below(draw["faces"]) + 1
            assert (draw["of"][rolled - 1] if "of" in draw else rolled) == value, (event, draw)
            self.checked += 1

    def number(self, event, draw):
        for value in values(event, draw["field"].split(".")):
            assert self.draws.below(draw["faces"]) + 3 == value
            self.checked += 1

    def choice(self, event, draw):
        """The event does not contain the leaders: some number of leaders must give the winner."""
        if event["by"] != "lot":
            return
        order = [seat for seat in self.begun["order"] if str(seat) in event["totals"]]
        best = [seat for seat in order if event["totals"][str(seat)] == max(event["totals"].values())]
        number = self.draws.draw()
        assert event["seat"] in [best[number % count] for count in range(2, len(best) + 1)]
        self.checked += 1

    def shuffle(self, event, draw):
        if event["type"] == "deck_shuffled":
            assert self.draws.shuffled(sorted(event["order"])) == event["order"]
        elif event["answers"]:
            return
        else:
            if event["type"] not in self.dealt:
                whole = self.begun["factions" if draw["field"] == "faction" else "starts"]
                self.dealt[event["type"]] = self.draws.shuffled(whole)
            assert self.dealt[event["type"]][event["seat"] - 1] == event[draw["field"]]
        self.checked += 1

    def lay_out(self, event):
        """Check the rows of ``battalia_begun`` in their order."""
        seats, factions = sorted(event["order"]), event["factions"]
        if len(seats) == 2:
            known = ["barfolk", "islanders", "emberians", "cloudborn"]
            known += ["wolfsclan", "sunblessed"] if "stormgates" in event["modules"] else []
            kept = self.draws.shuffled(known)[:3]
            assert [faction for faction in known if faction in kept] == factions
        dealt = [card for deck in event["decks"].values() for card in deck] + list(event["neutrals"].values())
        piles = {}
        for name in [name for name in ORDER if name in event["piles"]]:
            cards = [card for card in [*event["piles"][name], *dealt] if card.startswith(name + "-")]
            place = {card: position(card, factions) for card in cards}
            piles[name] = self.draws.shuffled(sorted(cards, key=place.get))
        for seat in seats:
            hand = []
            for name, count in (("frimen", 3), ("chief", 1), ("priest", 1), ("supply", 5)):
                hand, piles[name] = hand + piles[name][:count], piles[name][count:]
            assert self.draws.shuffled(hand) == event["decks"][str(seat)]
        great = next(each for each in self.table["battalia_begun"] if each["field"] == "great")
        assert self.draws.shuffled(great["of"]) == event["great"] + event["gone"]
        count = len(event["neutrals"])
        assert sorted(piles["city-cross"][:count]) == sorted(event["neutrals"].values())
        piles["city-cross"] = piles["city-cross"][count:]
        assert piles == event["piles"]
        first = self.draws.below(len(seats))
        assert seats[first:] + seats[:first] == event["order"]
        self.checked += 1


def position(card, factions):
    """A card's place in its pile before the shuffle."""
    name, _, copy = card.rpartition("-")
    last = name.rpartition("-")[2]
    return (factions.index(last) if last in factions else RANKS.index(last) if last in RANKS else 0, int(copy))


def values(value, path):
    """Yield the values at a path."""
    name, *rest = path
    found = value[name.removesuffix("[]")]
    items = (found.values() if isinstance(found, dict) else found) if name.endswith("[]") else [found]
    for item in items:
        yield from values(item, rest) if rest else [item]


@cache
def replayed(path):
    *lines, told, _ = [json.loads(line) for line in path.read_bytes().splitlines()]
    replay = Replay(lines[0]["kind"], bytes.fromhex(told["key"]))
    for commit in lines[1:]:
        replay.commit(commit["body"].get("events", ()))
        assert commit["body"]["drawn"] == replay.draws.next, commit["header"]["seq"]
    return replay


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_declared_draws_reproduce_every_roll_of_a_recording(path):
    assert replayed(path).checked > 0


@pytest.mark.parametrize("kind", KNOWN)
def test_every_event_with_draws_occurs_in_a_recording(kind):
    told = b"".join(path.read_bytes() for path in FILES if path.stem.startswith(kind))

    assert [] == [name for name in build_draw_documents(KNOWN[kind].rules) if f'"type":"{name}"'.encode() not in told]


@pytest.mark.parametrize("kind", GAMES)
def test_docs_contain_the_table_of_every_game(kind):
    assert "\n".join(list_markdown_rows(GAMES[kind].rules)) in PAGE


def test_a_kind_lists_its_draws():
    told = build_full_kind(GAMES["fronela"])["draws"]

    assert [{"field": "attack[].face", "how": "die", "faces": 6}] == told["battle_rolled"][:1]
    assert "units_lost" not in told
