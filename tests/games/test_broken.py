"""Tests of the laws themselves: a game that breaks a law is detected, with the name of the law."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from domain.games.nim.game import NIM, NimBots, NimKnowledge, NimPresentation, NimRules
from domain.kernel.errors import BadSetup
from domain.kernel.game.rules import Setup
from domain.kernel.terms import Integer, Option, Outcome
from domain.table import bots
from tests.games import law, laws, setups
from tests.pennies import PENNIES, DieRolled, Hide, PenniesHidden, PenniesKnowledge, PenniesRules, Roll


def changed(part):
    """Nim or Pennies with this part instead of its own."""
    return next(
        replace(game, **{field.name: part()})
        for game in (NIM, PENNIES)
        for field in fields(game)
        if issubclass(part, type(getattr(game, field.name))) and field.name not in ("key", "title", "release")
    )


class OffersTooMuch(NimRules):
    def legal(self, state, seat):
        return [replace(o, open=(Integer("objects", 1, o.open[0].max + 1),)) for o in super().legal(state, seat)]


class OffersTooLittle(NimRules):
    def legal(self, state, seat):
        return [replace(option, open=(Integer("objects", 1, 1),)) for option in super().legal(state, seat)]


class OffersNothing(NimRules):
    def legal(self, state, seat):
        return ()


class Fails(NimRules):
    def decide(self, state, seat, command, dice):
        return [1 // 0]


class Multiplies(NimRules):
    def evolve(self, state, event):
        after = super().evolve(state, event)
        return replace(after, heaps=(*after.heaps, 99))


class Forgets(NimRules):
    turns = 0

    def evolve(self, state, event):
        self.turns += 1
        return replace(super().evolve(state, event), moves=self.turns)


class NeverEnds(NimRules):
    def decide(self, state, seat, command, dice):
        (event,) = super().decide(state, seat, command, dice)
        return [event if sum(state.heaps) - event.objects else replace(event, objects=0, left=1)]


class EndsForNobody(NimRules):
    def outcome(self, state):
        outcome = super().outcome(state)
        return None if outcome is None else Outcome(outcome.reason, outcome.clause, (3,), outcome.scores)


class Untold(NimPresentation):
    sentences = {"nim_begun": "It begins."}


class ToldInBraces(NimPresentation):
    sentences = {**NimPresentation.sentences, "objects_taken": "{{seat}} takes."}


class Scrawls(NimPresentation):
    def board(self, title, view, seats, lines=()):
        return "<svg>&</svg>"


class SpeaksInTuples(NimKnowledge):
    def view(self, state):
        return {**super().view(state), "by_seat": {1: "no text for a key"}}


class Mute(NimPresentation):
    def text(self, public, private):
        return iter(())


class TakesAnySetup(NimRules):
    def check(self, setup):
        try:
            return super().check(setup)
        except BadSetup:
            return super().check(Setup(2, ""))


class Sleeps(NimRules):
    def default(self, state, seat, dice):
        return replace(super().default(state, seat, dice), objects=0)


class ShowsEveryHand(PenniesKnowledge):
    def view(self, state):
        return {**super().view(state), "hidden": {str(seat): n for seat, n in state.hidden.items()}}


class ShowsAnothersHand(PenniesKnowledge):
    def private(self, state, seat):
        return {**super().private(state, seat), "hidden": {str(seat): n for seat, n in state.hidden.items()}}


class TellsEverybody(PenniesKnowledge):
    def reveal(self, event, seat):
        return super().reveal(event, event.seat if isinstance(event, PenniesHidden) else seat)


class ForgetsWhoWasHeard(PenniesKnowledge):
    """The die roll has no audience, but changes the public view."""

    def audience(self, event):
        return () if isinstance(event, DieRolled) else super().audience(event)

    def reveal(self, event, seat):
        return None if isinstance(event, DieRolled) else super().reveal(event, seat)


class OffersByAnothersHand(PenniesRules):
    def legal(self, state, seat):
        least = 1 if 1 in state.hidden.values() else 0
        return [Option(o.type, {}, (Integer("pennies", least, o.open[0].max),)) for o in super().legal(state, seat)]


class AnswersOtherwise(NimRules):
    answers = {"turn": ("give",)}


class EndsWithNothing(NimRules):
    endings = {"turn": {"type": "take", "heap": 1, "objects": 0}}


class DecidesInPlace(PenniesRules):
    def decide(self, state, seat, command, dice):
        object.__setattr__(state, "goal", state.goal + 1)
        return super().decide(state, seat, command, dice)


class DrawsUndeclared(PenniesRules):
    def decide(self, state, seat, command, dice):
        dice.roll(6)
        return super().decide(state, seat, command, dice)


class DrawsAnother(PenniesRules):
    def decide(self, state, seat, command, dice):
        if isinstance(command, Roll):
            dice.roll(6)
        return super().decide(state, seat, command, dice)


class ImaginesWhatIsThere(PenniesKnowledge):
    def imagine(self, state, seat, dice):
        return state


class ForgetsWhatWasTold(PenniesKnowledge):
    """A seat's hidden number is revealed to all, but the other seats still imagine another one."""

    def audience(self, event):
        return None

    def reveal(self, event, seat):
        line = super().reveal(event, event.seat if isinstance(event, PenniesHidden) else seat)
        return {**line, "hidden": event.pennies} if isinstance(event, PenniesHidden) else line


class MisnamesAField(NimPresentation):
    sentences = {**NimPresentation.sentences, "objects_taken": "{player:seat} takes {amount}."}


@pytest.mark.parametrize(
    ("game", "name"),
    [
        (DecidesInPlace, "decide leaves the state"),
        (DrawsUndeclared, "draws"),
        (DrawsAnother, "draws"),
        (ImaginesWhatIsThere, "imagined"),
        (ForgetsWhatWasTold, "imagined"),
        (MisnamesAField, "narrated"),
        (OffersTooMuch, "offered is accepted"),
        (OffersTooLittle, "not offered is refused"),
        (OffersNothing, "offered is accepted"),
        (Fails, "no fault"),
        (Multiplies, "nothing is lost"),
        (Forgets, "the log folds to the state"),
        (Untold, "narrated"),
        (ToldInBraces, "narrated"),
        (Scrawls, "drawn"),
        (SpeaksInTuples, "view"),
        (Mute, "terminal"),
        (Sleeps, "silence"),
        (ShowsEveryHand, "secrets"),
        (ShowsAnothersHand, "secrets"),
        (TellsEverybody, "secrets"),
        (ForgetsWhoWasHeard, "secrets"),
        (OffersByAnothersHand, "secrets"),
        (AnswersOtherwise, "planned"),
        (EndsWithNothing, "planned"),
    ],
)
def test_game_that_breaks_a_law_is_detected(game, name):
    broken = changed(game)
    case = setups.Case(broken, Setup(2, broken.rules.rulesets[0]))

    with pytest.raises(law.Broken) as found:
        for seed in range(8):
            laws.opening(case, every=1, seed=seed)
    assert name == found.value.law


@pytest.mark.parametrize("game", [NeverEnds, EndsForNobody])
def test_game_that_never_ends_or_has_a_wrong_winner_is_detected(game, monkeypatch):
    monkeypatch.setattr(laws, "LIMIT", 300)
    with pytest.raises(law.Broken, match="it ends"):
        laws.finished(setups.Case(changed(game), Setup(2, "nim_v1")))


def test_a_game_with_private_data_or_an_audience_must_define_imagine():
    with pytest.raises(TypeError, match="must define view and imagine"):
        type("Private", (NimKnowledge,), {"private": lambda *_: {"hand": 1}})
    with pytest.raises(TypeError, match="must define view and imagine"):
        type("Whispers", (NimKnowledge,), {"audience": lambda *_: (1,)})


def test_unknown_fallback_bot_is_detected():
    class Unmanned(NimBots):
        stand_in = "nobody"

    with pytest.raises(law.Broken, match="described"):
        setups.described(replace(NIM, bots=Unmanned()))


def test_bot_named_greedy_is_the_fallback_bot_only_if_the_game_declares_it():
    class Greedy(NimBots):
        by_name = {**NimBots.by_name, "greedy": NimBots.by_name["expert"]}

    assert bots.RANDOM == bots.stand_in(replace(NIM, bots=Greedy()))
    assert "greedy" == bots.stand_in(PENNIES)


def test_game_that_accepts_any_setup_is_detected():
    with pytest.raises(law.Broken, match="set-up"):
        setups.set_up(replace(NIM, rules=TakesAnySetup()))


def test_game_that_reuses_a_table_command_is_detected():
    class Resigns(NimRules):
        commands = {**NimRules.commands, "resign": Hide}

    with pytest.raises(law.Broken, match="described"):
        setups.described(replace(NIM, rules=Resigns()))


def test_unmodified_games_obey_all_laws():
    for game in (NIM, PENNIES):
        setups.described(game)
        setups.set_up(game)
        laws.finished(setups.Case(game, Setup(2, game.rules.rulesets[0])))
