"""Narration of the history: the facts in events, one paragraph per turn, and no false statements."""

import json
import re

import pytest

from domain.games.fronela import events as ev
from domain.games.fronela.commands import Done, Fight, March
from domain.games.fronela.episode_api.sparing import LATER
from domain.games.fronela.game import FRONELA
from domain.games.fronela.phases.dice import ATTACK, throws
from domain.games.fronela.readers.condensing import condense
from domain.games.fronela.readers.thrown import dice
from domain.games.fronela.state import groups, size
from domain.kernel.game.knowledge import SeatView
from domain.kernel.record import Position
from domain.kernel.terms import Seat
from domain.table.folding import fold
from service.audit.parser import parse_export
from service.core.history.narration import Narrator
from service.core.history.paragraphs import Paragraphs
from service.store.codec import decode_commit
from tests.fronela.story import History, board
from tests.fronela.whole import Table
from tests.recordings.test_recordings import FILES

NARRATOR = Narrator(FRONELA, {Seat(number): name for number, name in enumerate(("Ann", "Ben", "Cleo", "Dan"), 1)})
FOES = {"tarins": {"grey_malkioni": {"soldier": 2, "lord": 1}}, "akem": {"azure_barbarians": 1}}


def told(*events):
    """The paragraph that these events make."""
    return NARRATOR.write_paragraph(
        [line for event in events if (line := FRONELA.knowledge.reveal(event, None)) is not None]
    )


def battle(key, *faces):
    """Two soldiers against one barbarian, up to the first roll. Version 3 fights an only battle unasked (FRO-D58)."""
    story = History("grey_malkioni", FOES, key, round=12).begin(1).say(March("tarins", "soldier", "akem", 2))
    if key == "fronela_v3":
        return story.say(Done(), *faces)
    return story.say(Done()).say(Fight("akem", "azure_barbarians"), *faces)


# -- facts in events --------------------------------------------------------------------------------------------------


def test_fro_d60_die_gives_the_reasons_of_its_modifier():
    state = board({"golaros": {"gonn_orta": 1}}, "fronela_v3", round=12)

    assert [{"unit": 1, "terrain": -1}] * 2 == [
        throw.because for throw in throws(state, "golaros", "gonn_orta", ATTACK)
    ]


def test_fro_d60_growth_roll_gives_the_parts_of_its_modifier():
    story = History("grey_malkioni", {"tarins": {"grey_malkioni": {"farmer": 2}}}, "fronela_v3", round=12).begin(1)

    assert [{"farmers": 2}] == [event.because for event in story.so_far(ev.GrowthRolled)]


def test_fro_d60_end_of_fighting_gives_the_holder_of_each_battlefield():
    story = battle("fronela_v3", 6, 6, 1)

    assert [{"akem": "grey_malkioni"}] == [event.held for event in story.so_far(ev.FightingEnded)]
    joined = story.so_far(ev.BattleJoined)[0]
    assert ({"soldier": 2}, {"unit": 1}) == (joined.attackers, joined.defenders)


@pytest.mark.parametrize("key", ["fronela_v1", "fronela_v2"])
def test_fro_d60_games_of_older_scenarios_record_none_of_these_facts(key):
    story = battle(key, 6, 6, 1)

    for event in story.log:
        for name in LATER.get(type(event), ()):
            assert getattr(event, name) in ({}, "", 0, -1), (event, name)
    dice = [die for event in story.so_far(ev.BattleRolled) for die in (*event.attack, *event.defence)]
    assert dice
    assert {()} == {tuple(die.because) for die in dice}


# -- no false statements ------------------------------------------------------------------------------------------------


class Turns:
    """The paragraphs of a game with their lines, and the position at the end of each."""

    def __init__(self, commits):
        self.turns = [[[], None]]
        self.taken_back = set()
        """Indexes of turns with undone commits: their text did not stay true."""
        position = Position()
        for commit in commits:
            state = position.state
            position = fold(FRONELA, position, commit)
            for event in commit.events:
                if type(event).__name__ == "Undone":
                    self.taken_back.add(len(self.turns) - 1)
                if type(event) not in FRONELA.rules.events.values():
                    continue
                state = FRONELA.rules.evolve(state, event)
                line = FRONELA.knowledge.reveal(event, None)
                if line is None:
                    continue
                if NARRATOR.find_heading(line) is not None:
                    self.turns.append([[], None])
                self.turns[-1][0].append(line)
                self.turns[-1][1] = state


def recorded(path):
    export = parse_export(path.read_bytes())
    return [decode_commit(FRONELA, c.header.seq, c.header.at, c.header.release, c.body) for c in export.commits]


def greedy(seed):
    table = Table(seed, "fronela_v3")
    while not table.position.over:
        table.turn("greedy")
    return table.commits


GAMES = {path.stem: path for path in FILES if path.stem.startswith("fronela")} | {"greedy 3": 3}


@pytest.fixture(scope="module", params=GAMES, ids=lambda name: name.replace(" ", "-"))
def game(request):
    found = GAMES[request.param]
    return Turns(greedy(found) if isinstance(found, int) else recorded(found))


def test_narration_says_no_unit_moves_only_for_nations_that_stayed(game):
    stayed = moved = 0
    for place, (lines, _) in enumerate(game.turns):
        if place in game.taken_back:
            continue
        text, types = NARRATOR.write_paragraph(lines), [line["type"] for line in lines]
        if "No unit moves" in text:
            stayed += 1
            assert types.count("moves_ended") > ("units_marched" in types), text
        elif "moves_ended" in types and "turn_begun" in types:
            moved += 1
            assert "units_marched" in types, text
    assert stayed
    assert moved


def test_narrated_moves_have_the_steps_and_units_of_the_events(game):
    for lines, _ in game.turns:
        steps = sum(line["count"] for line in lines if line["type"] == "units_marched")
        told_ = [march for line in condense(lines) if line["type"] == "moves_told" for march in line["moves"]]
        assert steps == sum(sum(march["units"].values()) * (len(march["way"]) - 1) for march in told_)


def test_narrated_losses_match_the_events(game):
    for lines, _ in game.turns:
        lost = sum(line["count"] for line in lines if line["type"] in ("units_lost", "farmers_taken"))
        told_ = 0
        for line in condense(lines):
            if line["type"] == "battle_told":
                told_ += sum(sum(counts.values()) for counts in line["ends"].get("lost", {}).values())
                gone = ("no-retreat", "farmers", "taken")
                told_ += sum(sum(one["units"].values()) for one in line["ends"].get("went", ()) if one["how"] in gone)
            elif line["type"] == "crowded_told":
                told_ += sum(sum(counts.values()) for counts in line["lost"].values())
            elif line["type"] in ("units_lost", "farmers_taken"):
                told_ += line["count"]
        assert lost == told_


def test_narrated_holder_of_a_battlefield_is_alone_there(game):
    for lines, state in game.turns:
        ended = [line["held"] for line in lines if line["type"] == "fighting_ended"]
        for area, nation in ended[0].items() if len(ended) == 1 else ():
            there = set(state.board.get(area, ()))
            starved = any(line["type"] == "units_lost" and line["why"] == "overpopulation" for line in lines)
            assert there == {nation} or (not there and (starved or not nation)), (area, nation, there)


def test_narrated_holder_of_an_area_is_there_at_the_end_of_the_turn(game):
    outlived = 0
    for lines, state in game.turns:
        if any(line["type"] == "fighting_ended" for line in lines):
            continue
        for line in condense(lines):
            if line["type"] == "battle_told" and line["ends"].get("holder") is not None:
                outlived += 1
                there = set(state.board.get(line["ends"]["area"], ()))
                assert there == ({line["ends"]["holder"]} if line["ends"]["holder"] else set()), line
    if any("attackers" in line and line["attackers"] for lines, _ in game.turns for line in lines):
        assert outlived, "in no turn the last unit of a nation fell in its own attack"


def test_narrated_points_match_the_points_scored(game):
    for lines, _ in game.turns:
        scored = sum(line["points"] for line in lines if line["type"] == "points_scored")
        told_ = 0
        for line in condense(lines):
            if line["type"] == "kills_told":
                told_ += sum(sum(one["reasons"].values()) for one in line["scores"])
            elif line["type"] == "land_told":
                told_ += line["points"]
                assert line["points"] == sum(one["points"] for one in line["nations"])
        assert scored == told_


def test_paragraphs_contain_no_raw_keys_or_template_remains(game):
    keys = {key for key in (*FRONELA.presentation.sentences, *FRONELA.rules.events) if "_" in key}
    for lines, _ in game.turns:
        text = NARRATOR.write_paragraph(lines)
        assert not re.search(r"[{}\[\]_]|\bis asked\b|  |\.\.|\s\.", text), text
        assert not [key for key in keys if key in text]
        for sentence in re.split(r"(?<=\.) ", text):
            assert not sentence or sentence[0].isupper() or sentence[0].isdigit(), sentence


# -- one paragraph for a turn -------------------------------------------------------------------------------------------


def test_turn_is_one_paragraph_titled_with_its_nation():
    table = Table(5, "fronela_v3")
    paragraphs = Paragraphs(NARRATOR, 0)
    while len(paragraphs.finished) < 6:
        commit = table.turn("greedy") if paragraphs.finished or paragraphs.unfinished else table.commits[0]
        events = [event for event in commit.events if type(event) in FRONELA.rules.events.values()]
        lines = [line for event in events if (line := FRONELA.knowledge.reveal(event, None))]
        paragraphs.feed([{"seq": commit.seq, "lines": lines}], 99)

    titles = [paragraph.title for paragraph in paragraphs.finished]
    assert ["", "Round 1, 0-75 ST: Dawn", "The Black Malkioni", "The Bull People"] == titles[:4]


def test_negative_die_result_has_a_real_minus_sign():
    assert "1\u22122=\u22121" == dice([{"face": 1, "modifier": -2, "result": -1}])


def test_rounds_of_a_battle_are_narrated_together():
    story = battle("fronela_v3", 1, 1, 1)
    while story.state.asking.nation != "grey_malkioni" or story.state.asking.kind != "battle":
        story.say(Done())
    story.say(Fight("akem", "azure_barbarians"), 5, 1, 6)

    text = told(*story.log)
    assert 1 == text.count("attack the Azure Barbarians")
    assert "1 and 1 against 1 (no hits); then 5 and 1 against 6 (1 hit to 1)" in text
    assert "the Azure Barbarians a unit" in text or "The Azure Barbarians lose a unit" in text


def landed(area, to, kind="soldier"):
    way = {"area": area, "kind": kind, "to": to, "count": 1, "came": "", "ferried": False}
    return {"type": "units_marched", "nation": "grey_malkioni", **way}


def test_second_move_of_a_turn_follows_the_battles_of_the_first():
    sides = {"area": "oral_ta", "attacker": "grey_malkioni", "defender": "trolls", "number": 1}
    lines = [
        {"type": "turn_begun", "nation": "grey_malkioni"},
        {"type": "units_readied", "nation": "grey_malkioni", "steps": {}},
        {"type": "moves_ended", "nation": "grey_malkioni"},
        landed("neliomi_sea", "oral_ta"),
        {"type": "battle_joined", **sides, "attackers": {"soldier": 1}, "defenders": {"unit": 1}},
        {"type": "units_readied", "nation": "grey_malkioni", "steps": {}},
        landed("tarins", "akem"),
    ]

    assert ["moves_told", "battle_told", "moves_told"] == [line["type"] for line in condense(lines)]


def test_end_of_the_game_follows_the_points_of_the_last_round():
    scored = {"nation": "trolls", "reason": "area", "area": "oral_ta", "points": 2}
    lines = [{"type": "points_scored", **scored}, {"type": "round_ended", "last": True}, {"type": "game_ended"}]

    assert ["land_told", "game_ended"] == [line["type"] for line in condense(lines)]


# -- what has changed for a seat ----------------------------------------------------------------------------------------


def seen(state, seat=2):
    view = json.loads(json.dumps(FRONELA.knowledge.view(state)))
    return SeatView(view, json.loads(json.dumps(FRONELA.knowledge.private(state, Seat(seat)))))


def changed(before, after, seat=2):
    return [NARRATOR.narrate(line) for line in FRONELA.presentation.changes(seen(before), seen(after), Seat(seat))]


def test_changes_list_areas_units_and_points():
    before = board({"tarins": {"grey_malkioni": {"soldier": 2}}, "akem": {"trolls": 1}}, "fronela_v3", round=5)
    after = board({"tarins": {"azure_barbarians": 1}, "easval": {"trolls": 2}}, "fronela_v3", round=6)
    after = FRONELA.rules.evolve(after, ev.PointsScored(6, "azure_barbarians", "noble-killed", "FRO-D34", 2, "tarins"))

    assert [
        "You lost Tarins (now held by the Azure Barbarians) and Akem (now empty).",
        "You gained Easval.",
        "The Grey Malkioni lost two soldiers; the Trolls gained a unit.",
        "Points: Black 0, Grey 0, Azure 2 (up 2), Brown 0.",
        "It is now round 6, 476-575 ST: Peace and settlement.",
    ] == changed(before, after)


def test_changes_are_empty_for_equal_states():
    state = board({"tarins": {"grey_malkioni": {"soldier": 2}}}, "fronela_v3", round=5)

    assert [] == changed(state, state)


def test_changes_count_areas_like_the_board():
    table = Table(2, "fronela_v3")
    before = table.position.state
    while table.position.state.round < 4:
        table.turn("greedy")
    after = table.position.state
    lines = {line["type"]: line for line in FRONELA.presentation.changes(seen(before), seen(after), Seat(2))}
    mine = [nation for nation, row in after.tables.nations.items() if row.seat == 2]
    held = [{area for area in s.board for nation in mine if size(groups(s, area, nation))} for s in (before, after)]

    assert held[1] - held[0] == set(lines["areas_won"]["areas"])


def test_text_view_names_only_standing_orders_that_were_given():
    table = Table(2, "fronela_v3")
    state = table.position.state
    view = {**json.loads(json.dumps(FRONELA.knowledge.view(state))), "table": {"outcome": None}}
    private = json.loads(json.dumps(FRONELA.knowledge.private(state, Seat(1))))

    assert "Standing orders of" not in "\n".join(FRONELA.presentation.text(view, private))
    private["orders"]["gonn_orta"]["growth"] = "decline"
    assert "Standing orders of Gonn Orta: growth decline." in "\n".join(FRONELA.presentation.text(view, private))


def test_narration_says_stayed_only_if_the_turn_began_there():
    begun = {"type": "turn_begun", "nation": "tarins", "seat": 1}
    ended = {"type": "moves_ended", "nation": "tarins"}
    assert [{"type": "stayed"}] == condense([begun, ended])
    assert [] == condense([ended, {**begun, "nation": "akem"}])
