"""Laws: the contract between a game and the rest of the project, as checks that run on any game.

`finished` plays a game to its end, and `opening` plays its first part. At every commit they check that nothing is lost and
that the log folds to the state; at some commits they check all other laws. A broken law raises `Broken` with its name.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from domain.kernel.dice import Dice
from domain.kernel.draws import draws_of
from domain.kernel.game import AnyGame
from domain.kernel.game.knowledge import SeatView
from domain.kernel.options import as_json, count, from_json, pick
from domain.kernel.shape import as_document, snake
from domain.kernel.terms import SYSTEM, Question, Seat
from domain.table import bots
from domain.table.features import EVENTS
from domain.table.folding import fold
from domain.table.settle import Chance, Commit, Position, Submission, settle
from service.cli.terminal.asking import Prompt
from service.core.history.narration import Narrator
from service.core.history.seating import build_seat_names
from service.core.positions.rows import as_bytes, build_private, build_public, build_questions
from service.store.codec import canonical, decode_position, encode_position
from tests.games.law import Broken, hold, is_json, lawful_text, narrated, picture
from tests.games.near import bend, is_offered, plain, refusal, validator, whole
from tests.games.setups import Case

ENOUGH = 16
"""Number of comparisons of a hidden value after which it must have been imagined differently at least once."""

LIMIT = 20_000
"""Maximum number of commits of a game."""


class Play:
    """One game, played at random or by the game's own bots, that checks the laws while it is played."""

    def __init__(self, case: Case, seed: int = 1, silent: int = 12) -> None:
        self.silent = silent
        """One in this many questions runs out of time."""
        self.game = case.game
        self.setup = self.game.rules.check(case.setup)
        self.chance = Chance(b"laws".ljust(31, b".") + bytes([seed]))
        self.luck = Dice(b"luck".ljust(31, b".") + bytes([seed]))
        self.position = Position()
        self.narrator: Narrator | None = None
        self.looked: dict[Seat, SeatView] = {}
        """The views of each seat at the last check."""
        self.news: list[dict[str, Any]] = []
        """The public history lines with their sentences."""
        self.told: set[str] = set()
        """The event types that at least one reader could read."""
        self.read: dict[Seat | None, list[dict[str, Any]]] = {}
        """The lines of the last commit, by reader."""
        self.encoded: tuple[Position, bytes] | None = None
        """The position that was checked last, with its encoding before any command was decided there."""
        self.held = Held()

    @property
    def seats(self) -> list[Seat]:
        return [Seat(number) for number in range(1, self.setup.seats + 1)]

    @property
    def readers(self) -> list[Seat | None]:
        return [None, *self.seats]

    def begin(self) -> Commit:
        controllers = ("player",) * self.setup.seats
        self.narrator = Narrator(self.game, build_seat_names(["p"] * self.setup.seats, {"p": "Ash"}))
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
        """Settle one command, which the rules must accept, and check the laws of every commit."""
        before, number = self.position, self.position.seq + 1
        commit, after = settle(self.game, before, Submission(str(number), seat, command, number), number, self.chance)
        if self.encoded is not None and self.encoded[0] is before:
            self._left_alone()
        if commit.fault is not None:
            raise Broken("no fault", f"{command}: {commit.fault!r}") from commit.fault
        hold("offered is accepted", commit.refusal is None, (seat, command, commit.refusal))
        hold("the log folds to the state", fold(self.game, before, commit) == after, commit)
        hold(
            "nothing is lost", not list(self.game.rules.faults(after.state)), list(self.game.rules.faults(after.state))
        )
        hold(
            "nothing is lost", not list(self.game.rules.bounds(after.state)), list(self.game.rules.bounds(after.state))
        )
        self.position = after
        self._drawn(before, commit)
        if before.state is not None:
            self._silence(before, commit)
        self._history(commit)
        return commit

    def turn(self, bot: str = bots.RANDOM) -> Commit:
        """Answer a pending question; sometimes it runs out of time instead, or a seat sends a command that needs no question."""
        asked = self.luck.choose(self.position.asked)
        seat = asked.question.seat
        if seat == SYSTEM or self.luck.below(self.silent) == 0:
            return self.say(SYSTEM, {"type": "expire", "question": asked.id})
        if self.game.rules.unasked and self.luck.below(8) == 0:
            giver = self.luck.choose(self.seats)
            orders = [o for o in self.game.rules.legal(self.position.state, giver) if o.type in self.game.rules.unasked]
            if orders:
                return self.say(giver, pick(orders, self.luck))
        return self.say(seat, dict(bots.choose(self.game, bot, self.position.state, seat, self.luck)))

    # -- laws of one commit -------------------------------------------------------------------------------------------

    def _silence(self, before: Position, commit: Commit) -> None:
        """The view of a reader changes only with an event that they may read."""
        if self.position.over:
            return
        events = [event for event in commit.events if type(event) not in EVENTS.values()]
        everybody = len(events) < len(commit.events) or any(
            self.game.knowledge.audience(event) is None for event in events
        )
        old, new = before.state, self.position.state
        if not everybody:
            hold(
                "secrets",
                as_bytes(self.game.knowledge.view(old)) == as_bytes(self.game.knowledge.view(new)),
                "the public view changed",
            )
        for seat in self.seats:
            if not everybody and not any(seat in (self.game.knowledge.audience(event) or ()) for event in events):
                same = as_bytes(self.game.knowledge.private(old, seat)) == as_bytes(
                    self.game.knowledge.private(new, seat)
                )
                hold("secrets", same, f"what seat {seat} sees changed by an event it may not read")

    def _history(self, commit: Commit) -> None:
        """Every event is revealed to its readers only, as JSON, with a sentence."""
        assert self.narrator is not None
        lines = []
        self.read = {reader: [] for reader in self.readers}
        for event in commit.events:
            if type(event) in EVENTS.values():
                continue
            lines.append(self.game.knowledge.reveal(event, None))
            readers = self.game.knowledge.audience(event)
            for seat in self.readers:
                line = self.game.knowledge.reveal(event, seat)
                hold("secrets", (line is not None) == (readers is None or seat in readers), (event, seat))
                if line is not None:
                    self.read[seat].append(line)
                    self._line(line)
                    if seat is None:
                        self.news.append({**line, "text": self.narrator.narrate(line)})
        lawful_text(self.narrator.write_paragraph([line for line in lines if line is not None]), may_be_empty=True)

    def _line(self, line: Any) -> None:
        self.told.add(line["type"])
        hold("history", line["type"] in self.game.rules.events, line)
        hold("history", is_json(line), line)
        narrated(self.game, self.narrator, line)

    def _drawn(self, before: Position, commit: Commit) -> None:
        """A commit draws dice only if one of its events declares a draw."""
        declared = draws_of(self.game.rules.events)
        if self.position.drawn > before.drawn:
            types = [snake(type(event).__name__) for event in commit.events]
            hold("draws", any(type_ in declared for type_ in types), f"{types} declare no draw")
            self._compare_draws(before, commit)

    def _compare_draws(self, before: Position, commit: Commit) -> None:
        """The declared draws are exactly the drawn ones, where the draw table is enough to compute them."""
        declared, dice = draws_of(self.game.rules.events), self.chance.dice(before.drawn, before.rolled)
        for event in commit.events:
            for draw in declared.get(snake(type(event).__name__), ()):
                if draw.how not in ("die", "choice") or not (draw.faces or draw.of) or draw.text:
                    return  # the draw table alone does not determine it
                for value in values_at(plain_event(event), draw.field.replace("[]", ".[]").split(".")):
                    face = dice.roll(draw.faces or len(draw.of))
                    expected = draw.of[face - 1] if draw.of else face
                    hold("draws", value == expected, f"{draw.field} of {event}: drawn is {expected}")
        hold(
            "draws", dice.drawn == self.position.drawn, f"{commit.events} declare {dice.drawn} of {self.position.drawn}"
        )

    def _left_alone(self) -> None:
        """Deciding commands has not changed the position that was checked last."""
        if self.encoded is not None:
            position, encoded = self.encoded
            hold("decide leaves the state", canonical(encode_position(position)) == encoded, "decide changed it")

    # -- laws of one position -----------------------------------------------------------------------------------------

    def check(self) -> None:
        """Check the laws of a position."""
        self._seen()
        self._changed()
        self._stored()
        self.encoded = self.position, canonical(encode_position(self.position))
        for seat in self.readers:
            self._secrets(seat)
        if not self.position.over:
            hold("somebody is asked", bool(self.position.asked), "the game is not over and nobody is asked")
            for asked in self.position.asked:
                if asked.question.seat != SYSTEM:
                    self._options(asked.question.seat)
                    self._planned(asked.question)
        self._left_alone()

    def _planned(self, question: Question) -> None:
        """Every legal answer is declared in `game.rules.answers`, and the ending command of a question is accepted."""
        game, state, seat = self.game, self.position.state, question.seat
        for option in game.rules.legal(state, seat) if game.rules.answers else ():
            known = option.type in game.rules.unasked or option.type in game.rules.answers.get(question.kind, ())
            hold("planned", known, f"{option.type} answers {question.kind}")
        ends = game.rules.endings.get(question.kind)
        hold("planned", ends is None or refusal(game, state, seat, dict(ends)) is None, f"{ends} ends {question.kind}")

    def _stored(self) -> None:
        stored = json.loads(canonical(encode_position(self.position)))
        hold(
            "stored", decode_position(self.game.rules, stored) == self.position, "a position is another when it is read"
        )

    def _secrets(self, seat: Seat | None) -> None:
        """The seat cannot tell the imagined state from the real one."""
        game, state = self.game, self.position.state
        other = game.knowledge.imagine(state, seat, Dice(self.position.seq.to_bytes(32, "big")))
        hold("secrets", not list(game.rules.faults(other)), f"seat {seat} imagines what cannot be")
        hold(
            "secrets",
            as_bytes(game.knowledge.view(state)) == as_bytes(game.knowledge.view(other)),
            f"the view, for seat {seat}",
        )
        hold("secrets", game.rules.awaiting(state) == game.rules.awaiting(other), f"the questions, for seat {seat}")
        hold("secrets", game.rules.outcome(state) == game.rules.outcome(other), f"the outcome, for seat {seat}")
        if seat is not None:
            same = as_bytes(game.knowledge.private(state, seat)) == as_bytes(game.knowledge.private(other, seat))
            hold("secrets", same, f"the private part of seat {seat}")
            legal = [list(map(as_json, game.rules.legal(each, seat))) for each in (state, other)]
            hold("secrets", legal[0] == legal[1], f"the options of seat {seat}")
        if not self.position.over:
            self.held.look(game, state, other, seat, self.seats)
            self._remembered(seat, other)

    def _remembered(self, reader: Seat | None, other: Any) -> None:
        """The state that a reader imagines agrees with the facts that the last commit revealed about other seats."""
        for line in self.read.get(reader, ()):
            seat = line.get("seat")
            if seat not in self.seats or seat == reader:
                continue
            real = self.game.knowledge.private(self.position.state, Seat(seat))
            imagined = self.game.knowledge.private(other, Seat(seat))
            for name, value in line.items():
                if name in real and plain_json(real[name]) == plain_json(value):
                    same = plain_json(imagined.get(name)) == plain_json(value)
                    hold("imagined", same, f"seat {reader} has read {line} and imagines {imagined.get(name)!r}")

    def _options(self, seat: Seat) -> None:
        """Every offered command is accepted, and similar commands that are not offered are refused."""
        game, state = self.game, self.position.state
        options = list(game.rules.legal(state, seat))
        answers = [option for option in options if option.type not in game.rules.unasked]
        hold("offered is accepted", bool(answers), f"seat {seat} is asked and has no answer")
        usual = game.rules.default(state, seat, Dice(bytes(32)))
        hold("silence", refusal(game, state, seat, as_document(usual)) is None, f"the default {usual} is refused")
        for option in options:
            hold("offered is accepted", count(option) > 0, f"{option} stands for nothing")
            hold("offered is accepted", from_json(json.loads(json.dumps(as_json(option)))) == plain(option), option)
            hold("terminal", isinstance(Prompt(game.presentation.word).describe(option), str), option)
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

    def _changed(self) -> None:
        """Changes and questions of a seat have sentences, and there are no changes between two equal views."""
        assert self.narrator is not None
        for seat in self.seats:
            parts = (
                build_public(self.game.knowledge, self.position),
                build_private(self.game.knowledge, self.position, seat),
            )
            now = SeatView(*(json.loads(as_bytes(part)) for part in parts))
            before, self.looked[seat] = self.looked.get(seat, now), now
            hold(
                "changes",
                not self.game.presentation.changes(now, now, seat),
                "something changed between two equal views",
            )
            for line in self.game.presentation.changes(before, now, seat):
                hold("changes", is_json(line) and line["type"] in self.game.presentation.remarks, line)
                lawful_text(self.narrator.narrate(line))
            side = self.game.presentation.side(now.public, seat)
            hold("described", not side or side in self.game.presentation.sides, side)
        for question in build_questions(self.position):
            if question["seat"] != SYSTEM:
                hold(
                    "narrated",
                    not self.game.presentation.asks or question["kind"] in self.game.presentation.asks,
                    question,
                )
                lawful_text(self.narrator.describe_question(question))

    def _seen(self) -> None:
        """The view is JSON, and can be shown as a picture, a chart, and text."""
        game, names = self.game, {str(seat): f"Ash <{seat}>" for seat in self.seats}
        view = build_public(game.knowledge, self.position)
        hold("view", isinstance(view, dict) and is_json(game.knowledge.view(self.position.state)), view)
        public = json.loads(as_bytes(view))
        for seat in self.seats:
            private = build_private(game.knowledge, self.position, seat)
            hold("view", is_json(private), private)
            lines = list(game.presentation.text(public, json.loads(as_bytes(private))))
            hold("terminal", bool(lines) and all(isinstance(line, str) and "\n" not in line for line in lines), lines)
        hold("terminal", all(isinstance(line, str) for line in game.presentation.text(public, None)), "for an onlooker")
        picture(game.presentation.board(game.title, public, names, self.news[-60:]))
        if game.presentation.course is not None:
            sample = game.presentation.course.sample(game.knowledge.view(self.position.state))
            hold("charted", list(sample.seats) == list(names), sample)


# -- games ------------------------------------------------------------------------------------------------------------


def opening(case: Case, commits: int = 60, every: int = 6, seed: int = 1) -> Play:
    """The first part of a game played at random. With modules, every second question times out, to make days pass."""
    play = Play(case, seed, 2 if case.setup.modules else 12)
    play.begin()
    play.check()
    while not play.position.over and play.position.seq < commits:
        play.turn()
        if play.position.over or play.position.seq % every == 0:
            play.check()
    play.held.check()
    return play


def finished(case: Case, looks: int = 400, seed: int = 2) -> Play:
    """A whole game, mostly played by the game's own bot if it has one."""
    bot = next(iter(case.game.bots.by_name), bots.RANDOM)
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
    hold("it ends", not any(play.game.rules.awaiting(play.position.state)), "it is over, and somebody is asked")
    return play


# -- hidden values of seats ---------------------------------------------------------------------------------------------


class Held:
    """Hidden values must vary between imagined states: a reader who always imagines the real value knows it."""

    def __init__(self) -> None:
        self._looks: Counter[str] = Counter()
        self._varied: set[str] = set()
        self._values: dict[tuple[str, Seat], set[bytes]] = {}

    def look(self, game: AnyGame, state: Any, other: Any, reader: Seat | None, seats: list[Seat]) -> None:
        public = plain_json(game.knowledge.view(state))
        for seat in seats:
            if seat == reader:
                continue
            real, imagined = game.knowledge.private(state, seat), game.knowledge.private(other, seat)
            for name, value in real.items():
                told = plain_json(value)
                if not told or told == "null" or f'"{name}":{told}' in public:
                    continue
                self._values.setdefault((name, seat), set()).add(told.encode())
                self._looks[name] += 1
                if plain_json(imagined.get(name)) != told:
                    self._varied.add(name)

    def check(self) -> None:
        """Raise `Broken` for a hidden value that changes during the game but is always imagined as it really is."""
        for name, looks in self._looks.items():
            changes = any(len(found) > 2 for (each, _), found in self._values.items() if each == name)
            hold(
                "imagined",
                name in self._varied or looks < ENOUGH or not changes,
                f"{name!r} of another seat was looked at {looks} times and was never another",
            )


def plain_json(value: Any) -> str:
    return as_bytes(value).decode()


def plain_event(event: Any) -> Any:
    return json.loads(as_bytes(as_document(event)))


def values_at(value: Any, path: list[str]) -> list[Any]:
    """The values at a path of `Draw.field`, in the order in which they are drawn."""
    if not path:
        return [value]
    if path[0] == "[]":
        items = value.values() if isinstance(value, dict) else value
        return [found for item in items for found in values_at(item, path[1:])]
    return values_at(value[path[0]], path[1:]) if value.get(path[0]) is not None else []
