"""The module interface: a module is one class and one entry in the registry, and every hook is called."""

from __future__ import annotations

import pytest

from domain.games.battalia import events as ev
from domain.games.battalia.game import battalia
from domain.games.battalia.module_api.socket import Npc
from domain.games.battalia.rulebook import scoring
from domain.kernel.dice import Dice
from domain.kernel.errors import BadSetup
from domain.kernel.game.rules import Setup
from domain.kernel.options import pick
from domain.kernel.shape import build
from domain.kernel.terms import SYSTEM
from tests.battalia import probe as plug
from tests.battalia.probe import registered
from tests.battalia.table import cards, changed, city, command, dealt, hand, lay, stand, table, tell, with_player
from tests.story import LoadedDice, Story

END = command("end_turn")


@pytest.fixture
def probe():
    with registered() as it:
        yield it


@pytest.fixture
def game(probe):
    return battalia()


def story_by(game, state):
    return Story(game, state)


def at_table(game, **options):
    return story_by(game, changed(table(modules=("probe",), **options)))


def test_module_is_listed_with_its_commands_events_and_settings(game):
    assert "A probe of the socket." == game.rules.modules["probe"]
    assert {"poke", "guess"} <= set(game.rules.commands)
    assert {"probe_poked", "guess_made"} <= set(game.rules.events)
    assert set(plug.Probe.sentences) <= set(game.presentation.sentences)
    assert 5 in game.rules.seats
    assert "probe_depth" in [setting.name for setting in game.rules.settings]


def test_module_adds_settings_and_checks_them(game):
    checked = game.rules.check(Setup(2, "", {}, ("probe",)))
    assert 1 == checked.options["probe_depth"]
    assert checked.options["unbound_units"], "the module brings the mercenaries"
    for setup, path in (
        (Setup(2, "", {"probe_depth": 2}), "options.probe_depth"),
        (Setup(2, "", {"probe_depth": 9}, ("probe",)), "options.probe_depth"),
        (Setup(4, "", {"probe_depth": 3}, ("probe",)), "options.probe_depth"),
        (Setup(5, "", {}), "seats"),
    ):
        with pytest.raises(BadSetup) as bad:
            game.rules.check(setup)
        assert path in bad.value.faults
    assert 5 == len(dealt(game.rules.check(Setup(5, "", {}, ("probe",))), 0).players)


def test_module_has_a_memory_from_the_start_and_enters(game):
    state = table(modules=("probe",))
    assert "D3" == state.npcs["probe"]["square"]
    assert 1 == state.markers, "the plan is adjusted before anything is dealt"
    assert {"square": "D3", "pokes": 0, "guessed": []} == game.knowledge.view(state)["npcs"]["probe"]
    assert {"guess": None} == game.knowledge.private(state, 1)["npcs"]["probe"]


def test_module_acts_at_its_moments_in_calendar_order(game):
    story = story_by(game, changed(table(modules=("probe",)), day=6))
    story.when(1, END)
    assert ["turn_end"] == [event.moment for event in story.of(plug.ProbeActed)]
    story.when(2, END).default(SYSTEM)
    assert ["effects", "week", "enter"] == [event.moment for event in story.of(plug.ProbeActed)]
    assert "guess" == story.state.asking[-1].kind, "the day goes on when all have answered"
    story.when(1, plug.Guess(1)).default(2)
    assert ["move"] == [event.moment for event in story.of(plug.ProbeActed)]
    assert "turn" == story.state.asking[-1].kind


def asking(game):
    story = story_by(game, changed(table(modules=("probe",), probe_depth=3), day=6))
    return story.when(1, END).when(2, END).default(SYSTEM)


def test_answers_to_a_module_question_are_secret_until_all_have_answered(game):
    story = asking(game)
    assert [(1, "guess"), (2, "guess")] == [(q.seat, q.kind) for q in game.rules.awaiting(story.state)]
    story.when(2, plug.Guess(4)).refused("not-allowed", "PRO-01", "number")
    story.when(2, END).refused("not-now")
    story.when(2, plug.Guess(3))
    made = story.of(plug.GuessMade)[0]
    assert "number" not in game.knowledge.reveal(made, 1)
    assert 3 == game.knowledge.reveal(made, 2)["number"]
    assert [1] == [q.seat for q in game.rules.awaiting(story.state)]
    story.when(2, plug.Guess(1)).refused("not-your-turn")
    imagined = {
        game.knowledge.imagine(story.state, 1, Dice(b"%d" % n)).npcs["probe"]["guesses"]["2"] for n in range(30)
    }
    assert {0, 1, 2, 3} == imagined
    assert 3 == game.knowledge.imagine(story.state, 2, Dice(b"x")).npcs["probe"]["guesses"]["2"]
    assert {"guess": 3} == game.knowledge.private(story.state, 2)["npcs"]["probe"]
    story.when(1, plug.Guess(0))
    assert {"1": 0, "2": 3} == story.of(plug.GuessesShown)[0].guesses


def test_module_commands_are_offered_in_a_turn_and_pay_with_lines(game):
    story = at_table(game)
    assert story.offered(1, "poke")
    story.when(1, plug.Poke(), LoadedDice(5))
    story.then(ev.LinePaid(1, ()), plug.ProbePoked(1, 5))
    assert 1 == story.state.npcs["probe"]["pokes"]
    assert not story.state.turn.fresh
    asked = asking(game)
    asked.when(1, plug.Poke()).refused("not-allowed", "PRO-02")
    story_by(game, table()).when(1, plug.Poke()).refused("not-now")


def battle(game):
    state = lay(table(modules=("probe",)), "G4", "road-straight-emberians", "NS")
    state = stand(hand(hand(state, 1, "lord-emberians"), 2), "hero-1-1", "G4", winged=True)
    story = story_by(game, changed(city(state, "G5", owner=2, level=4), day=4))
    return story.when(1, command("step", hero="hero-1-1", to="G5", units=list(state.players[1].hand), against=2))


def test_module_reacts_to_events_and_adjusts_strength_and_tactics(game):
    story = battle(game)
    assert plug.ProbeMoved("G5") in story.events
    assert ("probing",) == story.offered(2, "defend")[0].open[-1].choices
    story.when(2, command("defend", tactics=["probing"]))
    assert {"cards": 4, "probe": 1} == story.of(ev.BattleFought)[0].attack


def test_module_adjusts_steps_and_meets_entering_heroes(game):
    state = lay(
        lay(table(modules=("probe",)), "B1", "road-cross-emberians", "NESW"), "B2", "road-cross-islanders", "NESW"
    )
    state = hand(state, 1, "supply")
    story = story_by(game, changed(state, day=4)).when(1, command("step", hero="hero-1-1", to="B1"))
    assert "B1" == story.state.heroes["hero-1-1"].square, "made free"
    story.when(1, command("step", hero="hero-1-1", to="B2", cards=cards(state, 1, "supply")), LoadedDice(2))
    assert [plug.ProbePoked(1, 2)] == story.of(plug.ProbePoked)
    assert "B1" == story.state.heroes["hero-1-1"].square


def test_module_adjusts_endings(game):
    state = table(modules=("probe",))
    board = {f"{column}{row}": state.board["A1"] for column in "ABCDEFG" for row in range(1, 6)}
    assert scoring.ending(changed(state, board=board)) is None
    assert "full-map" == scoring.ending(changed(table(), board=board)).reason


def test_faults_of_a_module_are_faults_of_the_game(game):
    state = table(modules=("probe",))
    assert [] == game.rules.faults(state)
    memory = {**state.npcs["probe"], "square": "Z9"}
    assert ["the probe stands on Z9"] == game.rules.faults(changed(state, npcs={"probe": memory}))


def test_random_game_with_a_module_has_no_faults(game):
    setup = game.rules.check(Setup(2, "", {"probe_depth": 2}, ("probe",)))
    dice, state = Dice(b"probing"), dealt(setup, 1)
    for _ in range(400):
        questions = game.rules.awaiting(state)
        if not questions:
            break
        seat = dice.choose(questions).seat
        said = game.rules.default(state, seat, dice) if seat == SYSTEM else None
        said = said or build(game.rules.commands, pick(game.rules.replies(state, seat), dice))
        for event in game.rules.decide(state, seat, said, dice):
            state = game.rules.evolve(state, event)
            readers = game.knowledge.audience(event)
            assert readers is not None or game.knowledge.reveal(event, None) is not None
        assert [] == game.rules.faults(state)
    assert state.npcs["probe"]["acts"]


def test_module_that_overrides_nothing_changes_nothing():
    class Idle(Npc):
        key = "idle"
        title = "Nothing."

    from domain.games.battalia.modules import NPCS

    NPCS["idle"] = Idle()
    try:
        story = tell(table(modules=("idle",)))
        story.when(1, END).when(2, END).default(SYSTEM)
        bare = tell(table()).when(1, END).when(2, END).default(SYSTEM)
        assert [type(event) for event in bare.events] == [type(event) for event in story.events]
        assert with_player(story.state, 1).npcs == {"idle": {}}
    finally:
        del NPCS["idle"]
