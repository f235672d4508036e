"""Whole games: no dead ends, no lost points, options match the rules, and no seat learns another's orders."""

from __future__ import annotations

import msgspec
import pytest

from domain.games.fronela.events import EVENTS, SECRET, Asked, PointsScored
from domain.games.fronela.game import FRONELA
from domain.games.fronela.state import FronelaState
from domain.games.fronela.turn.sequence import QUESTIONS
from domain.kernel.dice import Dice
from domain.kernel.errors import RuleViolation
from domain.kernel.options import commands, count, offers, pick
from domain.kernel.shape import build, snake
from domain.kernel.terms import SYSTEM, Seat
from domain.table.settle import settle
from service.core.history.narration import Narrator
from tests.fronela.whole import Table
from tests.soaking import sample

SEATS = (Seat(1), Seat(2), Seat(3), Seat(4))


def lawful(table, dice):
    """Offered commands are accepted; others are refused."""
    state = table.position.state
    asked = table.position.asked[0].question.seat if table.position.asked else None
    if asked in (None, SYSTEM):
        return
    options = FRONELA.rules.legal(state, asked)
    answers = [option for option in options if option.type not in FRONELA.rules.unasked]
    assert answers
    for option in answers:
        document = pick([option], dice)
        assert FRONELA.rules.decide(state, asked, build(FRONELA.rules.commands, document), dice)
    bent = dict(pick(answers, dice))
    names = [name for name in bent if name != "type"]
    if names:
        name = dice.choose(names)
        bent[name] = bent[name] + 1 + dice.below(3) if isinstance(bent[name], int) else dice.choose(WORDS)
    else:
        bent = {"type": "done"} if bent["type"] != "done" else {"type": "auto"}
    params = {name: value for name, value in bent.items() if name != "type"}
    offered = any(offers(option, bent["type"], params) for option in options)
    try:
        FRONELA.rules.decide(state, asked, build(FRONELA.rules.commands, bent), dice)
    except RuleViolation as violation:
        assert not offered, (bent, violation)
        assert violation.rule
    else:
        assert offered, bent


WORDS = (
    "tarins",
    "akem",
    "neliomi_sea",
    "",
    "soldier",
    "unit",
    "lord<akem",
    "attack",
    "defence",
    "trolls",
    "dona_vale",
)


def play(seed, bot, *, careful=True):
    table = Table(seed)
    while not table.position.over:
        if careful:
            lawful(table, Dice(seed.to_bytes(32, "big"), drawn=1000 * table.position.seq))
        table.turn(bot)
        assert [] == list(FRONELA.rules.faults(table.position.state))
        if table.luck.below(8) == 0 and not table.position.over:
            table.orders()
        assert len(table.commits) < 20_000
    return table


def _check_end(table):
    state, outcome = table.position.state, table.position.table.outcome
    assert 17 == state.round
    assert sum(outcome.scores.values()) == sum(entry.points for entry in state.ledger)
    told = [event for commit in table.commits for event in commit.events if isinstance(event, PointsScored)]
    assert [(event.nation, event.points) for event in told] == [(line.nation, line.points) for line in state.ledger]
    assert outcome.winners


@pytest.mark.parametrize("seed", sample(range(3), 3))
def test_random_game_ends(seed):
    _check_end(play(seed, "random"))


@pytest.mark.soak
def test_greedy_game_ends():
    _check_end(play(7, "greedy", careful=False))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 300))
def test_many_random_games_end(seed):
    _check_end(play(seed, "random", careful=seed % 4 == 0))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(300, 400))
def test_many_greedy_games_end(seed):
    _check_end(play(seed, "greedy", careful=seed % 10 == 0))


def test_draft_tables_can_be_played():
    table = Table(1, "fronela_v1")
    while not table.position.over:
        table.turn("random")
    assert "fronela_v1" == table.position.state.scenario


@pytest.mark.parametrize("seed", sample(range(2), 2))
def test_fro_d52_only_the_active_player_answers_for_events(seed):
    table = Table(seed)
    passive = {"special_retreat", "retreat", "defence_wizards"}
    while not table.position.over:
        state = table.position.state
        for event in table.turn("random").events:
            if isinstance(event, Asked) and event.seat not in (SYSTEM, _player(state)):
                assert event.kind in passive
            state = FRONELA.rules.evolve(state, event) if type(event) in FRONELA.rules.events.values() else state


def _player(state):
    turn = state.turn
    if turn in state.tables.nations:
        return state.tables.nations[turn].seat
    return Seat(4) if turn == "harrek" else SYSTEM


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2))
def test_fro_d58_every_question_except_move_has_several_answers(seed):
    table = Table(seed)
    while not table.position.over:
        question = table.position.asked[0].question
        if question.seat != SYSTEM and question.kind != "move":
            own = {snake(command.__name__) for command in QUESTIONS[question.kind].commands}
            options = FRONELA.rules.legal(table.position.state, question.seat)
            assert 1 < sum(count(option) for option in options if option.type in own), question
        table.turn("random")


def test_timeout_always_answers_the_question():
    table = Table(11)
    for step in range(1500):
        if table.position.over:
            break
        asked = table.position.asked[0]
        if step % 3 or asked.question.seat == SYSTEM:
            table.say(SYSTEM, {"type": "expire", "question": asked.id})
            assert table.position.question(asked.id) is None
        else:
            table.turn("random")
    assert table.position.over or table.position.state.round > 10


def test_states_and_events_survive_json():
    table = Table(3)
    seen = set()
    while not table.position.over:
        commit = table.turn("random")
        for event in commit.events[:-1] if table.position.over else commit.events:
            if type(event) in EVENTS.values() or type(event) in FRONELA.rules.events.values():
                seen.add(type(event))
                assert event == msgspec.json.decode(msgspec.json.encode(event), type=type(event))
        if table.position.seq % 50 == 0:
            state = table.position.state
            assert state == msgspec.json.decode(msgspec.json.encode(state), type=FronelaState)
            document = msgspec.json.encode(FRONELA.knowledge.view(state))
            assert document == msgspec.json.encode(msgspec.json.decode(document))
    assert len(seen) > 20


@pytest.mark.soak
def test_nothing_depends_on_the_order_of_keys():
    """The log sorts the keys of objects; a game folded from it must continue like the one in memory."""
    table = Table(8)
    stored = folded(None, table.commits[0])
    while True:
        stored = folded(stored, table.turn("random"))
        assert stored == table.position.state
        if table.position.over:
            break
        stored = sorted_copy(stored) if table.position.seq % 10 == 0 else stored
        seat = table.position.asked[0].question.seat
        assert FRONELA.rules.legal(stored, seat) == FRONELA.rules.legal(table.position.state, seat)
        assert msgspec.json.encode(FRONELA.knowledge.view(stored)) == msgspec.json.encode(
            FRONELA.knowledge.view(table.position.state)
        )
        usual = FRONELA.rules.default(stored, seat, Dice(bytes(32)))
        told = [FRONELA.rules.decide(each, seat, usual, Dice(bytes(32))) for each in (stored, table.position.state)]
        assert told[0] == told[1]


def folded(state, commit):
    for event in commit.events:
        if type(event) in FRONELA.rules.events.values():
            state = FRONELA.rules.evolve(state, sorted_copy(event))
    return state


def sorted_copy(thing):
    return msgspec.json.decode(msgspec.json.encode(thing, order="sorted"), type=type(thing))


def test_every_event_has_a_sentence_for_the_narration():
    table = Table(5)
    missing = set(FRONELA.rules.events) - set(FRONELA.presentation.sentences)
    assert set() == missing
    while not table.position.over:
        commit = table.turn("random")
        for event in commit.events:
            told = FRONELA.knowledge.reveal(event, None) if type(event) in FRONELA.rules.events.values() else None
            if told is None:
                continue
            told = {**FRONELA.presentation.gloss(told), **told}
            manner = f"{told['type']}.{told.get('manner')}"
            sentences = FRONELA.presentation.sentences.get(manner, FRONELA.presentation.sentences[told["type"]])
            sentences = (sentences,) if isinstance(sentences, str) else sentences
            fitting = [s for s in sentences if {f.split(":")[0] for f in _fields(s)} <= told.keys()]
            assert fitting, told


def _fields(sentence):
    return [part.split("}")[0] for part in sentence.split("{")[1:]]


def test_seat_cannot_see_differences_in_orders_of_others():
    """Noninterference: view, private part, options and history of a seat do not depend on others' orders."""
    table = Table(21)
    while not table.position.over:
        table.turn("random")
        if table.position.seq % 40 or table.position.over:
            continue
        for _ in range(4):
            table.orders()
        state = table.position.state
        for seat in (None, *SEATS):
            other = FRONELA.knowledge.imagine(state, seat, Dice(table.position.seq.to_bytes(32, "big")))
            assert msgspec.json.encode(FRONELA.knowledge.view(state)) == msgspec.json.encode(
                FRONELA.knowledge.view(other)
            )
            assert FRONELA.rules.awaiting(state) == FRONELA.rules.awaiting(other)
            if seat is not None:
                assert FRONELA.knowledge.private(state, seat) == FRONELA.knowledge.private(other, seat)
                assert FRONELA.rules.legal(state, seat) == FRONELA.rules.legal(other, seat)
            if seat is not None and any(question.seat == seat for question in FRONELA.rules.awaiting(state)):
                thoughts = [FRONELA.bots.by_name["greedy"](each, seat, Dice(bytes(32))) for each in (state, other)]
                assert thoughts[0] == thoughts[1]
        for commit in table.commits[-4:]:
            for event in commit.events:  # an order for all own nations makes several events
                assert isinstance(event, SECRET)
                assert [event.seat] == [seat for seat in SEATS if FRONELA.knowledge.reveal(event, seat) is not None]


def test_order_changes_only_what_its_owner_sees():
    table = Table(2)
    before = table.position.seen
    options = [
        option for option in FRONELA.rules.legal(table.position.state, Seat(3)) if option.type in FRONELA.rules.unasked
    ]
    table.say(Seat(3), pick(options, table.luck))
    changed = [place for place, (old, new) in enumerate(zip(before, table.position.seen, strict=True)) if old != new]
    assert [3] == changed


def test_every_offered_answer_in_sampled_states_is_accepted():
    table = Table(4)
    for step in range(300):
        if step % 30 == 0 and table.position.asked[0].question.seat != SYSTEM:
            state, seat = table.position.state, table.position.asked[0].question.seat
            for option in FRONELA.rules.legal(state, seat):
                if option.type in FRONELA.rules.unasked or count(option) > 500:
                    continue
                for document in commands(option):
                    FRONELA.rules.decide(state, seat, build(FRONELA.rules.commands, document), Dice(bytes(32)))
        table.turn("random")


def test_replaying_the_choices_gives_the_same_game():
    table = Table(9)
    for _ in range(200):
        table.turn("random")
    again = Table(9)
    for commit in table.commits[1:]:
        repeated, again.position = settle(FRONELA, again.position, commit.submission, commit.at, again.chance)
        assert commit.events == repeated.events


@pytest.mark.soak
def test_narration_of_a_whole_game_contains_no_raw_keys():
    """The narrator writes every event of a game from what `reveal` shows."""
    table = Table(6)
    narrator = Narrator(FRONELA, {Seat(n): name for n, name in enumerate(("Ann", "Ben", "Cleo", "Dan"), 1)})
    told = set()
    while not table.position.over:
        for event in table.turn("random").events:
            if type(event) in FRONELA.rules.events.values():
                told.add(narrator.narrate(FRONELA.knowledge.reveal(event, None)))
    assert "It is the turn of the Bull People." in told
    assert "Harrek the Berserk comes to Rathorela." in told
    assert not [line for line in told if "{" in line or "_" in line]
