"""What every game promises to the rest of the project, as checks that any game can be put through.

`whole` plays a game to its end and `opening` its first part; at every commit they check that nothing is lost and that
the log folds to the state, and at some commits everything else. A law that does not hold is a `Broken`, with the name of
the law.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema_rs

from domain.dice import Dice
from domain.errors import BadSetup, RuleViolation
from domain.game import AnyGame, Setup
from domain.options import as_json, count, from_json, offers, pick
from domain.play import bots, table
from domain.play.settle import Chance, Commit, Position, Submission, fold, settle
from domain.shape import as_document, build, hints
from domain.terms import SYSTEM, Option, Seat
from service.cli.terminal.asking import Prompt
from service.projections.history.narration import Narrator, seat_names
from service.projections.kinds import record_schema
from service.projections.positions.rows import as_bytes, private_part, public_part
from service.store.codec import canonical, decode_position, encode_position

SVG = "{http://www.w3.org/2000/svg}"
LIMIT = 20_000
"""Commits within which a game comes to its end."""


class Broken(AssertionError):
    """A law does not hold."""

    def __init__(self, law: str, what: object) -> None:
        super().__init__(f"{law}: {what}")
        self.law = law


def hold(law: str, holds: bool, what: object = "") -> None:
    if not holds:
        raise Broken(law, what)


@dataclass(frozen=True)
class Case:
    """A game and how it is set up."""

    game: AnyGame
    setup: Setup

    def __str__(self) -> str:
        extras = [*self.setup.modules, *(f"{name}={value}" for name, value in self.setup.options.items())]
        return "-".join((self.game.key, self.setup.ruleset, str(self.setup.seats), *extras))


def cases(game: AnyGame) -> list[Case]:
    """Every ruleset, every number of seats, every module alone and all of them, every setting off its default."""
    first, fewest = game.rulesets[0], min(game.seats)
    setups = [Setup(fewest, ruleset) for ruleset in game.rulesets]
    setups += [Setup(seats, first) for seats in game.seats if seats != fewest]
    setups += [Setup(fewest, first, {}, (module,)) for module in game.modules]
    if len(game.modules) > 1:
        setups += [Setup(max(game.seats), first, {}, tuple(game.modules))]
    for setting in game.settings:
        values = setting.choices or (setting.min, setting.max)
        other = next((value for value in values if value != setting.default), setting.default)
        setups += [Setup(fewest, first, {setting.name: other}, setting.needs)]
    return [Case(game, setup) for setup in setups if possible(game, setup)]


def possible(game: AnyGame, setup: Setup) -> bool:
    try:
        game.check(setup)
    except BadSetup:
        return False
    return True


# -- before a game ----------------------------------------------------------------------------------------------------


def described(game: AnyGame) -> None:
    """What is said of the game agrees with itself."""
    hold("described", bool(game.key.isidentifier() and game.title and game.rulesets and game.seats))
    hold("described", not set(game.commands) & {*table.COMMANDS, *table.SYSTEM_COMMANDS}, "a command of the table")
    hold("described", not set(game.events) & set(table.EVENTS), "an event of the table")
    hold("described", set(game.unasked) <= set(game.commands), "what is unasked is a command")
    hold("described", set(game.sentences) <= set(game.events), "a sentence tells of an event")
    hold("described", bots.RANDOM not in game.bots, "the random bot is everybody's")


def set_up(game: AnyGame) -> None:
    """What a creator may choose is completed, and everything else is refused by name."""
    usual = Setup(min(game.seats), game.rulesets[0])
    if possible(game, usual):
        checked = game.check(usual)
        hold("set-up", game.check(checked) == checked, "what is complete stays as it is")
        hold("set-up", all(value is not None for value in checked.options.values()), "every option has a value")
    wrong = {
        "seats": dataclasses.replace(usual, seats=max(game.seats) + 1),
        "ruleset": dataclasses.replace(usual, ruleset="no such ruleset"),
        "options.no_such_option": dataclasses.replace(usual, options={"no_such_option": 1}),
        "modules": dataclasses.replace(usual, modules=("no such module",)),
    }
    for setting in game.settings:
        wrong[f"options.{setting.name}"] = dataclasses.replace(
            usual, options={setting.name: "no such choice"}, modules=setting.needs
        )
    for path, setup in wrong.items():
        try:
            game.check(setup)
        except BadSetup as error:
            hold("set-up", path in error.faults and bool(error.faults[path]), (path, error.faults))
        else:
            raise Broken("set-up", f"{path} is wrong and nobody says so")


# -- in a game --------------------------------------------------------------------------------------------------------


class Play:
    """One game, seats played at random or by the game's own bots, with the laws looked at on the way."""

    def __init__(self, case: Case, seed: int = 1, silent: int = 12) -> None:
        self.silent = silent
        """Of so many questions one is answered by silence."""
        self.game = case.game
        self.setup = self.game.check(case.setup)
        self.chance = Chance(b"laws".ljust(31, b".") + bytes([seed]))
        self.luck = Dice(b"luck".ljust(31, b".") + bytes([seed]))
        self.position = Position()
        self.narrator: Narrator | None = None
        self.told: set[str] = set()
        """The types of the events that somebody could read."""

    @property
    def seats(self) -> list[Seat]:
        return [Seat(number) for number in range(1, self.setup.seats + 1)]

    @property
    def readers(self) -> list[Seat | None]:
        return [None, *self.seats]

    def begin(self) -> Commit:
        controllers = ("player",) * self.setup.seats
        self.narrator = Narrator(self.game, seat_names(["p"] * self.setup.seats, {"p": "Ash"}))
        begin = {
            "type": "begin",
            "game": "g",
            "kind": self.game.key,
            "ruleset": self.setup.ruleset,
            "controllers": controllers,
            "options": self.setup.options,
            "modules": self.setup.modules,
            "pace": {},
            "commitment": "",
            "entropy": ("",) * self.setup.seats,
        }
        return self.say(SYSTEM, begin)

    def say(self, seat: Seat, command: dict[str, Any]) -> Commit:
        """Settle one command, which the rules must accept; whatever holds after every commit is checked."""
        before, number = self.position, self.position.seq + 1
        commit, after = settle(self.game, before, Submission(str(number), seat, command, number), number, self.chance)
        if commit.fault is not None:
            raise Broken("no fault", f"{command}: {commit.fault!r}") from commit.fault
        hold("offered is accepted", commit.refusal is None, (seat, command, commit.refusal))
        hold("the log folds to the state", fold(self.game, before, commit) == after, commit)
        hold("nothing is lost", not list(self.game.faults(after.state)), list(self.game.faults(after.state)))
        hold("nothing is lost", not list(self.game.bounds(after.state)), list(self.game.bounds(after.state)))
        self.position = after
        if before.state is not None:
            self._silence(before, commit)
        self._history(commit)
        return commit

    def turn(self, bot: str = bots.RANDOM) -> Commit:
        """Whoever is asked answers; now and then nobody does, or a seat gives an order unasked."""
        asked = self.luck.choose(self.position.asked)
        seat = asked.question.seat
        if seat == SYSTEM or self.luck.below(self.silent) == 0:
            return self.say(SYSTEM, {"type": "expire", "question": asked.id})
        if self.game.unasked and self.luck.below(8) == 0:
            giver = self.luck.choose(self.seats)
            orders = [o for o in self.game.legal(self.position.state, giver) if o.type in self.game.unasked]
            if orders:
                return self.say(giver, pick(orders, self.luck))
        return self.say(seat, dict(bots.choose(self.game, bot, self.position.state, seat, self.luck)))

    # -- laws of one commit -------------------------------------------------------------------------------------------

    def _silence(self, before: Position, commit: Commit) -> None:
        """What a reader sees changes only with an event that they may read."""
        if self.position.over:
            return
        events = [event for event in commit.events if not isinstance(event, table.TableEvent)]
        everybody = len(events) < len(commit.events) or any(self.game.audience(event) is None for event in events)
        old, new = before.state, self.position.state
        if not everybody:
            hold("secrets", as_bytes(self.game.view(old)) == as_bytes(self.game.view(new)), "the public view changed")
        for seat in self.seats:
            if not everybody and not any(seat in (self.game.audience(event) or ()) for event in events):
                same = as_bytes(self.game.private(old, seat)) == as_bytes(self.game.private(new, seat))
                hold("secrets", same, f"what seat {seat} sees changed by an event it may not read")

    def _history(self, commit: Commit) -> None:
        """Every event is shown to its readers and to nobody else, as JSON, with a sentence."""
        assert self.narrator is not None
        for event in commit.events:
            if isinstance(event, table.TableEvent):
                continue
            readers = self.game.audience(event)
            for seat in self.readers:
                line = self.game.reveal(event, seat)
                hold("secrets", (line is not None) == (readers is None or seat in readers), (event, seat))
                if line is not None:
                    self._line(line)

    def _line(self, line: Any) -> None:
        self.told.add(line["type"])
        hold("history", line["type"] in self.game.events, line)
        hold("history", is_json(line), line)
        narrated(self.game, self.narrator, line)

    # -- laws of one position -----------------------------------------------------------------------------------------

    def check(self) -> None:
        """Everything that holds between two commits."""
        self._seen()
        self._stored()
        for seat in self.readers:
            self._secrets(seat)
        if not self.position.over:
            hold("somebody is asked", bool(self.position.asked), "the game is not over and nobody is asked")
            for asked in self.position.asked:
                if asked.question.seat != SYSTEM:
                    self._options(asked.question.seat)

    def _stored(self) -> None:
        stored = json.loads(canonical(encode_position(self.position)))
        hold("stored", decode_position(self.game, stored) == self.position, "a position is another when it is read")

    def _secrets(self, seat: Seat | None) -> None:
        """The seat cannot tell the imagined state from the real one."""
        game, state = self.game, self.position.state
        other = game.imagine(state, seat, Dice(self.position.seq.to_bytes(32, "big")))
        hold("secrets", not list(game.faults(other)), f"seat {seat} imagines what cannot be")
        hold("secrets", as_bytes(game.view(state)) == as_bytes(game.view(other)), f"the view, for seat {seat}")
        hold("secrets", game.awaiting(state) == game.awaiting(other), f"the questions, for seat {seat}")
        hold("secrets", game.outcome(state) == game.outcome(other), f"the outcome, for seat {seat}")
        if seat is not None:
            same = as_bytes(game.private(state, seat)) == as_bytes(game.private(other, seat))
            hold("secrets", same, f"the private part of seat {seat}")
            legal = [list(map(as_json, game.legal(each, seat))) for each in (state, other)]
            hold("secrets", legal[0] == legal[1], f"the options of seat {seat}")

    def _options(self, seat: Seat) -> None:
        """What is offered is accepted, what is near to it and not offered is refused, and both for a seat that guesses."""
        game, state = self.game, self.position.state
        options = list(game.legal(state, seat))
        answers = [option for option in options if option.type not in game.unasked]
        hold("offered is accepted", bool(answers), f"seat {seat} is asked and has no answer")
        usual = game.default(state, seat, Dice(bytes(32)))
        hold("silence", refusal(game, state, seat, as_document(usual)) is None, f"the default {usual} is refused")
        for option in options:
            hold("offered is accepted", count(option) > 0, f"{option} stands for nothing")
            hold("offered is accepted", from_json(json.loads(json.dumps(as_json(option)))) == plain(option), option)
            hold("terminal", isinstance(Prompt(game.word).describe(option), str), option)
        for option in options if len(options) <= 12 else [self.luck.choose(options) for _ in range(12)]:
            command = pick([option], self.luck)
            refused = refusal(game, state, seat, command)
            hold("offered is accepted", refused is None, (seat, command, refused))
            hold("schema", validator(game, option.type).is_valid(whole(game, command)), command)
            for bent in bend(game, command, options, self.luck):
                refused = refusal(game, state, seat, bent)
                hold(
                    "not offered is refused",
                    is_offered(game, options, bent) == (refused is None),
                    (seat, bent, refused),
                )

    def _seen(self) -> None:
        """The view is JSON, and can be drawn, charted and told."""
        game, names = self.game, {str(seat): f"Ash <{seat}>" for seat in self.seats}
        view = public_part(game, self.position)
        hold("view", isinstance(view, dict) and is_json(game.view(self.position.state)), view)
        public = json.loads(as_bytes(view))
        for seat in self.seats:
            private = private_part(game, self.position, seat)
            hold("view", is_json(private), private)
            lines = list(game.text(public, json.loads(as_bytes(private))))
            hold("terminal", bool(lines) and all(isinstance(line, str) and "\n" not in line for line in lines), lines)
        hold("terminal", all(isinstance(line, str) for line in game.text(public, None)), "for an onlooker")
        picture(game.board(public, names))
        if game.course is not None:
            sample = game.course.sample(game.view(self.position.state))
            hold("charted", list(sample.seats) == list(names), sample)


def narrated(game: AnyGame, narrator: Narrator, line: Any) -> None:
    """The line has a sentence, and nothing of its template is left in it."""
    hold("narrated", line["type"] in game.sentences, f"{line['type']} has no sentence")
    text = narrator.tell(line)
    hold("narrated", bool(text) and not set("{}_[]") & set(text) and text == text.strip(), text)


def whole(game: AnyGame, command: Any) -> dict[str, Any]:
    """The command with every parameter, defaults included."""
    built = build(game.commands, command)
    values = {name: getattr(built, name) for name in hints(type(built))}
    return {"type": command["type"]} | {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()}


def is_offered(game: AnyGame, options: list[Option], command: Any) -> bool:
    """Whether an Option stands for the command; what an Option leaves out is at its default."""
    try:
        full = whole(game, command)
    except RuleViolation:
        return False
    for option in (each for each in options if each.type == command["type"]):
        named = set(option.fixed) | {part.name for part in option.open}
        bare = {"type": command["type"], **{name: full[name] for name in named}}
        if whole(game, bare) == full and offers(option, option.type, {name: full[name] for name in named}):
            return True
    return False


def refusal(game: AnyGame, state: Any, seat: Seat, command: Any) -> Any:
    """What the law says: None, or the refusal."""
    try:
        events = game.decide(state, seat, build(game.commands, command), Dice(b"aside".ljust(32, b".")))
    except RuleViolation as violation:
        return (violation.code, violation.message, violation.rule, violation.field)
    except Exception as error:
        raise Broken("no fault", f"{command}: {error!r}") from error
    hold("offered is accepted", len(events) > 0, f"{command} comes to nothing")
    return None


def bend(game: AnyGame, command: dict[str, Any], options: list[Option], luck: Dice) -> Iterator[dict[str, Any]]:
    """Commands near to this one: a parameter with a value from elsewhere, a list with one thing more, less or twice."""
    full = whole(game, command)
    words = sorted({word for other in options for word in _words(other)}) or ["x"]
    for name, value in full.items():
        if name == "type":
            continue
        match value:
            case bool() | None:
                continue
            case int():
                bent: list[Any] = [value + 1, value - 1, value + 1000, -1]
            case str():
                bent = [luck.choose(words), "", "no such thing"]
            case list():
                bent = [value[:-1], [*value, *value[:1]], [*value, luck.choose(words)], [*value, "no such thing"]]
            case _:
                continue
        yield {**full, name: luck.choose(bent)}
    yield {**full, "no_such_parameter": 1}
    if names := sorted(set(full) - {"type"}):
        yield {key: value for key, value in full.items() if key != luck.choose(names)}


def _words(option: Option) -> Iterator[str]:
    yield from (value for value in option.fixed.values() if isinstance(value, str))
    for part in option.open:
        yield from (choice for choice in getattr(part, "choices", ()) if isinstance(choice, str))


def plain(option: Option) -> Option:
    """The Option as it is after a journey through JSON: its lists are lists."""
    return from_json(json.loads(json.dumps(as_json(option))))


def is_json(value: Any) -> bool:
    """Whether it is the JSON that it becomes: texts for keys, no tuples that somebody counts on, no floats."""
    match value:
        case dict():
            return all(isinstance(key, str) and is_json(each) for key, each in value.items())
        case list() | tuple():
            return all(map(is_json, value))
        case _:
            return value is None or type(value) in (bool, int, str) or isinstance(value, str)


@cache
def _validator(cls: type[Any], name: str) -> Any:
    return jsonschema_rs.validator_for(record_schema(name, cls))


def validator(game: AnyGame, type_: str) -> Any:
    """Says whether a command is what the kind's schema asks for."""
    return _validator(game.commands[type_], type_)


def picture(document: str) -> None:
    """It is SVG, 800 pixels wide, with a title and a description."""
    try:
        root = ET.fromstring(document)
    except ET.ParseError as error:
        raise Broken("drawn", error) from error
    hold("drawn", root.tag == f"{SVG}svg" and root.get("width") == "800", root.attrib)
    hold("drawn", int(root.get("height")) > 0, root.attrib)
    for part in ("title", "desc"):
        hold("drawn", bool(root.find(f"{SVG}{part}").text), f"no {part}")


# -- games ------------------------------------------------------------------------------------------------------------


def opening(case: Case, commits: int = 60, every: int = 6, seed: int = 1) -> Play:
    """The first part of a game played at random; with modules every other seat is silent, so that time goes by."""
    play = Play(case, seed, 2 if case.setup.modules else 12)
    play.begin()
    play.check()
    while not play.position.over and play.position.seq < commits:
        play.turn()
        if play.position.over or play.position.seq % every == 0:
            play.check()
    return play


def finished(case: Case, looks: int = 400, seed: int = 2) -> Play:
    """A game to its end, by the game's own bot if it has one."""
    bot = next(iter(case.game.bots), bots.RANDOM)
    play = Play(case, seed)
    play.begin()
    while not play.position.over:
        play.turn(bot if play.luck.below(4) else bots.RANDOM)
        if play.position.seq % looks == 0:
            play.check()
        hold("it ends", play.position.seq < LIMIT, f"not within {LIMIT} commits")
    play.check()
    outcome = play.position.table.outcome
    hold("it ends", set(outcome.scores) == set(play.seats) >= set(outcome.winners), outcome)
    hold("it ends", bool(outcome.reason and outcome.clause), outcome)
    hold("it ends", not any(play.game.awaiting(play.position.state)), "it is over, and somebody is asked")
    return play
