"""The ladder at a running service: programs play for their accounts, and unplayed games are reported."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from domain.kernel.terms import Seat
from service.cli import main
from service.cli.terminal.client import ApiError
from service.ops.instance.embedded import EmbeddedServer
from service.store.redis.store import open_store
from service.store.upkeep.repair import games_of
from tests.cli import programs
from tests.core.http.test_served import serving, working
from tests.driver import Player, Remote
from tests.soaking import soak
from tools.commands.ladder import _all
from tools.ladder.entrants import Entrant
from tools.ladder.tables import HostedPlan, Tables
from tools.ladder.watching import Limits, Watched, notes
from tools.load.accounts import Account
from tools.load.line import Answer
from tools.simulation.figures import Result
from tools.simulation.rating import plot

ONE, TWO = Seat(1), Seat(2)
LIMITS = Limits(answer=10, game=100)


# -- results of games ---------------------------------------------------------------------------------------------------


def summary(*asked, seq=5, bots=(None, "greedy"), outcome=None):
    return {
        "seq": seq,
        "outcome": outcome,
        "seats": [{"seat": seat, "bot": bot} for seat, bot in enumerate(bots, 1)],
        "pending_questions": [{"id": f"5-{seat}", "seat": seat, "kind": kind} for seat, kind in asked],
    }


def watched(*names, entrants=(ONE,)):
    return Watched(7, "g", names or ("ada", "greedy"), {*entrants}, began=0)


def over(reason, *winners, **given):
    return summary(
        **given, outcome={"reason": reason, "clause": "NIM-05", "winners": [*winners], "scores": {"1": 3, "2": 4}}
    )


def counted(result):
    return result.reason, result.clause, result.winners


def test_finished_game_counts_as_it_ended():
    result = watched().look(over("points", 2), 5, LIMITS)

    assert (7, ("ada", "greedy"), ("points", "NIM-05", (2,))) == (result.number, result.bots, counted(result))
    assert ({1: 3, 2: 4}, 5) == (result.scores, result.commits)


def test_unanswered_question_loses_the_game_after_the_limit():
    game = watched()

    assert None is game.look(summary((1, "turn")), 20, LIMITS)
    assert None is game.look(summary((1, "turn")), 30, LIMITS)
    assert ("absent", "ada", (2,)) == counted(game.look(summary((1, "turn")), 30.1, LIMITS))


def test_every_command_of_a_turn_restarts_the_time_limit():
    game = watched()

    for seq, now in ((5, 1), (6, 9), (7, 18)):
        assert None is game.look(summary((1, "turn"), seq=seq), now, LIMITS, {ONE: True})
    assert ("late", "ada", (2,)) == counted(game.look(summary((1, "turn"), seq=7), 29, LIMITS))


def test_refused_command_does_not_restart_the_time_limit():
    game = watched()
    game.look(summary((1, "turn")), 1, LIMITS)

    assert None is game.look(summary((1, "turn"), seq=6), 10, LIMITS, {ONE: False})
    assert ("late", "ada", (2,)) == counted(game.look(summary((1, "turn"), seq=7), 12, LIMITS, {ONE: False}))


def test_only_new_commits_during_a_question_need_a_check_of_their_author():
    game = watched()
    assert [] == [*game.unclear(summary((1, "turn")))]
    game.look(summary((1, "turn")), 1, LIMITS)

    assert [] == [*game.unclear(summary((1, "turn")))]
    assert [ONE] == [*game.unclear(summary((1, "turn"), seq=6))]
    assert [] == [*game.unclear(summary((2, "turn"), seq=6))]


def test_entrant_is_not_late_with_a_vote_or_while_others_have_questions():
    game = watched()

    assert None is game.look(summary((1, "vote"), (2, "turn")), 1, LIMITS)
    assert None is game.look(summary((1, "vote"), (2, "turn")), 99, LIMITS)
    assert ("given up", "-", ()) == counted(game.look(summary((2, "turn")), 101, LIMITS))


def test_resigning_or_ending_the_game_by_a_vote_loses_it():
    assert ("resigned", "ada", (2,)) == counted(watched().look(summary(bots=("greedy", "greedy")), 1, LIMITS))
    assert ("broken off", "ada", (2,)) == counted(watched().look(over("aborted"), 1, LIMITS))
    both = watched("ada", "bob", entrants=(ONE, TWO)).look(over("aborted", bots=(None, None)), 1, LIMITS)
    assert ("broken off", "ada, bob", ()) == counted(both)


def test_all_others_win_at_a_larger_table():
    game = watched("greedy", "ada", "greedy", "greedy", entrants=(TWO,))
    game.look(summary((2, "turn"), bots=("greedy", None, "greedy", "greedy")), 0, LIMITS)
    result = game.look(summary((2, "turn"), bots=("greedy", None, "greedy", "greedy")), 11, LIMITS)

    assert ("absent", "ada", (1, 3, 4)) == counted(result)


def test_notes_report_unplayed_games_in_sentences():
    late = watched()
    late.look(summary((1, "turn"), seq=4), 0, LIMITS)
    late.look(summary((1, "turn")), 1, LIMITS, {ONE: True})
    results = [late.look(summary((1, "turn")), 20, LIMITS)] * 2
    results += [watched().look(summary(), 101, LIMITS), watched().look(over("points", 1), 1, LIMITS)]

    assert [
        "ada left a question unanswered for too long in 2 games and lost.",
        "1 game lasted too long and is not counted.",
    ] == notes(results)


def test_notes_report_answers_of_the_fallback_bot():
    results = [
        Result(n, ("ada", "search:1"), "points", "-", (1,), {}, 9, 0.0, counts=counts)
        for n, counts in enumerate(({}, {"search:1": 4}, {"search:1": 3}))
    ]

    assert ["search:1 was too slow in 2 games: a fallback bot gave 7 answers."] == notes(results)
    assert ["search:1 was too slow in 1 game: a fallback bot gave 4 answers."] == notes(results[:2])


def test_entrant_meets_every_bot_on_every_seat_and_entrants_in_games_for_two():
    two = [*HostedPlan({"seats": 2}, 4, 1, LIMITS).meetings(("greedy", "random"), ("ada", "bob"))]
    four = [*HostedPlan({"seats": 4}, 4, 1, LIMITS).meetings(("greedy",), ("ada", "bob"))]
    pairs = {frozenset(pair) for pair in two}

    assert 4 * 5 == len(two)
    assert {
        frozenset(pair)
        for pair in (("ada", "greedy"), ("ada", "random"), ("bob", "greedy"), ("bob", "random"), ("ada", "bob"))
    } == pairs
    for pair in pairs:
        assert {2} == set(Counter(tuple(sitting) for sitting in two if set(sitting) == pair).values())
    assert 4 * 2 == len(four)
    assert {0, 1, 2, 3} == {sitting.index("ada") for sitting in four if "ada" in sitting}
    assert all(3 == sitting.count("greedy") for sitting in four)


class Flickering:
    """A service that does not answer the first requests."""

    def __init__(self, away, then):
        self.away, self.then, self.asked = away, then, 0

    def ask(self, *_):
        self.asked += 1
        if self.asked <= self.away:
            raise ApiError(0, {"code": "no-answer", "detail": "No service answers."})
        return Answer(200, {}, json.dumps(self.then).encode())


@pytest.fixture
def passing(monkeypatch):
    """A clock that advances only during sleep."""
    clock = SimpleNamespace(
        now=0.0, monotonic=lambda: clock.now, sleep=lambda seconds: setattr(clock, "now", clock.now + seconds)
    )
    monkeypatch.setattr("tools.ladder.tables.time", clock)
    return clock


def tables(line, entrants=MappingProxyType({})):
    entered = [Entrant(name, account) for name, account in entrants.items()]
    found = Tables(line, Account("host", "t", own=True), HostedPlan({"seats": 2}, 1, 1, LIMITS), entered)
    found._running["g"] = Watched(0, "g", ("ada", "greedy"), {ONE}, began=0)
    return found


def test_outage_of_the_service_makes_no_entrant_late(passing):
    line = Flickering(away=40, then=summary((1, "turn")))
    found = tables(line)
    game = found._running["g"]
    assert None is game.look(summary((1, "turn")), 0, LIMITS)

    assert line.then == found._summary("g")
    assert 41 == line.asked
    assert None is game.look(line.then, passing.now + 10, LIMITS)
    assert "absent" == game.look(line.then, passing.now + 10.1, LIMITS).reason


def test_lasting_outage_ends_the_ladder_with_the_games_played(passing, capsys):
    found = tables(Flickering(away=10_000, then={}))
    one = watched().look(over("points", 2), 5, LIMITS)

    def playing():
        yield one
        found._summary("g")

    results, failed = _all(playing(), 9)
    assert ([one], 0) == (results, failed.status)
    assert 300 <= passing.now <= 302
    assert "Broken off after 1 of 9 games." in capsys.readouterr().err
    with pytest.raises(ApiError):
        found.clear()
    assert passing.now <= 302, "who clears up does not wait once more"


class Forgetful:
    """A service that frees a seat but loses the response; the repeated request is a problem."""

    def __init__(self, code):
        self.code, self.asked = code, []

    def ask(self, _what, method, path, *_):
        self.asked.append(f"{method} {path}")
        if method == "DELETE":
            if self.asked.count(self.asked[-1]) == 1:
                raise ApiError(0, {"code": "no-answer", "detail": "No service answers."})
            return Answer(409, {}, json.dumps({"code": self.code}).encode())
        return Answer(201, {}, json.dumps({"id": "g", "invitation": "i"}).encode())


def test_leaving_a_seat_succeeds_although_the_response_was_lost(passing):
    line = Forgetful("not-seated")
    tables(line)._open(("greedy", "random"), 0)

    assert ["DELETE /v1/games/g/seats/1"] * 2 == line.asked[1:3]
    assert "POST /v1/games/g/start" == line.asked[-1]
    with pytest.raises(ApiError):
        tables(Forgetful("started"))._open(("greedy", "random"), 0)


def test_other_problems_are_raised_at_once(passing):
    class Refusing:
        def ask(self, *_):
            raise ApiError(500, {"code": "broken"})

    with pytest.raises(ApiError):
        tables(Refusing())._summary("g")
    assert 0 == passing.now


@pytest.mark.parametrize("name", ["x" * 41, "a\nb", "\x01", "\u202eabc", " a"])
def test_unprintable_entrant_name_is_refused_before_the_games(tmp_path, name):
    status, output = ladder("http://127.0.0.1:1", "--entrant", f"{name}={token_file(tmp_path, 'x', 'ada')}")

    assert 2 == status
    assert "is not a valid name. Use up to 40 printable characters" in output


@pytest.mark.parametrize("name", ["a_{$b$}", *soak("$\\frac$", "<b>&\"'", "$")])
def test_plot_shows_names_literally(tmp_path, name):
    results = [Result(number, ("greedy", name), "r", "c", (number,), {1: 1, 2: 0}, 5, 0.0) for number in (1, 2)]
    plot(["greedy", name], results, name, tmp_path / "ladder.svg")

    told = ET.parse(tmp_path / "ladder.svg").iter()
    assert name in [(each.text or "").strip() for each in told]


# -- at a service -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def store():
    """A store for this module, because tests check what is left in it."""
    folder = Path(tempfile.mkdtemp(prefix="ow-"))
    with EmbeddedServer(folder, fsync="no") as server, closing(open_store(server.url)) as store:
        store.url = server.url
        yield store
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def url(store, tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    with working(store), serving(store.url, folder, RATE_REGISTRATIONS="0") as remote:
        yield remote._base


@pytest.fixture
def ada(url):
    return Player.register(Remote(url), "Ada")


@pytest.fixture
def file(tmp_path, ada):
    return token_file(tmp_path, ada.token, "ada")


def token_file(folder, text, name):
    path = folder / name
    path.write_text(f"{text}\n")
    return path


def ladder(url, *arguments):
    """Exit status and output."""
    told = CliRunner().invoke(main, ["ladder", "--url", url, *map(str, arguments)])
    if told.exception is not None and not isinstance(told.exception, SystemExit):
        raise told.exception
    return told.exit_code, told.output


def left(store):
    """The running games, and the names of the creators of all games."""
    lobbies = [store.lobbies.get(id_) for id_ in games_of(store)]
    people = store.accounts.players([*{lobby.creator for lobby in lobbies}])
    return [lobby.id for lobby in lobbies if lobby.status != "over"], {
        each.name for each in people.values() if each.name
    }


@pytest.mark.soak
def test_program_is_rated_against_the_service_bots_and_nothing_is_left(store, url, ada, file):
    with programs.running(url, (ada.token, programs.by_chance)):
        status, told = ladder(
            url,
            "--kind",
            "nim",
            "--bots",
            "expert,random",
            "--entrant",
            f"ada={file}",
            "--games",
            2,
            "--jobs",
            2,
            "--json",
        )
    found = json.loads(told[told.index("{") :])
    rated = {each["bot"]: each for each in found["ratings"]}

    assert 0 == status, told
    assert {"ada", "expert", "random"} == rated.keys()
    assert (4, 2, 2) == tuple(rated[name]["sat"] for name in ("ada", "expert", "random"))
    assert (0.0, 0.0) == (rated["expert"]["points"], rated["expert"]["half"])
    assert "Nim, 2 seats, nim_v1, at" in found["title"]
    assert ", 4 games" in found["title"]
    assert [] == found["notes"]
    assert ([], set()) == left(store), "what made the games is erased"
    assert 200 == ada.get("/v1/me").status


@pytest.mark.soak
def test_search_bot_without_search_workers_is_reported_as_too_slow(store, url, ada, file):
    with programs.running(url, (ada.token, programs.by_chance)):
        status, told = ladder(url, "--kind", "nim", "--bots", "search:1", "--entrant", f"ada={file}", "--games", 1)

    assert 0 == status, told
    assert "search:1 was too slow in 1 game:" in told
    assert ([], set()) == left(store)


@pytest.mark.soak
def test_two_programs_play_against_each_other(store, url, ada, file, tmp_path):
    bob = Player.register(Remote(url), "Bob")
    entrants = ("--entrant", f"ada={file}", "--entrant", f"bob={token_file(tmp_path, bob.token, 'bob')}")
    with programs.running(url, (ada.token, programs.by_chance), (bob.token, programs.by_chance)):
        status, told = ladder(url, "--kind", "nim", "--bots", "random", *entrants, "--games", 2)

    assert 0 == status, told
    assert "ada        against bob" in told
    assert ([], set()) == left(store)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("say", "told"),
    [
        (programs.resigns, "ada gave up its seat in 2 games and lost."),
        (programs.breaks_off, "ada ended the game by a vote in 2 games and lost."),
        (programs.falls_silent, "ada left a question unanswered for too long in 1 game and lost."),
    ],
)
def test_game_that_an_entrant_abandons_is_lost_and_reported(store, url, ada, file, say, told):
    limits = ("--patience", 2) if say is programs.falls_silent else ()
    with programs.running(url, (ada.token, say)):
        status, output = ladder(
            url, "--kind", "nim", "--bots", "random", "--entrant", f"ada={file}", "--games", 2, *limits
        )

    assert 0 == status, output
    assert told in output
    assert "random     against ada        100 %" in output
    assert ([], set()) == left(store)


@pytest.mark.soak
def test_entrant_that_sends_only_refused_commands_loses_its_games(store, url, ada, file, tmp_path):
    with (
        serving(store.url, tmp_path, RATE_REGISTRATIONS="0", REFUSAL_BURST="3") as strict,
        programs.running(strict._base, (ada.token, programs.babbles)),
    ):
        status, output = ladder(
            *(strict._base, "--kind", "nim", "--bots", "random", "--entrant", f"ada={file}"),
            *("--games", 2, "--jobs", 2, "--patience", 1),
        )

    assert 0 == status, output
    assert "ada left a question unanswered for too long in 2 games and lost." in output
    games, _ = left(store)
    for game in games:
        assert f"ada cannot vote any longer to end game {game}, so it continues." in output
        # Another process has a separate limit for refusals.
        told = ada.send(game, {"type": "call_vote", "kind": "abort"}, wait=10)
        assert "settled" == told.json["status"]
    assert 2 == len(games)
    assert ([], set()) == left(store)


def test_entrant_cannot_undo_its_commands(store, url, ada, file):
    with programs.running(url, (ada.token, programs.takes_back)):
        status, output = ladder(
            url, "--kind", "nim", "--bots", "expert", "--entrant", f"ada={file}", "--games", 2, "--patience", 5
        )

    assert 0 == status, output
    assert "expert     against ada        100 %" in output
    games = [id_ for id_ in games_of(store) if ada.id in {chair.holder for chair in store.lobbies.get(id_).chairs}]
    told = [line["type"] for game in games for entry in ada.events(game) for line in entry["lines"]]
    assert "objects_taken" in told
    assert "undone" not in told


@pytest.mark.soak
def test_entrant_with_a_deleted_account_loses_its_games(store, url, ada, file, tmp_path):
    eve = Player.register(Remote(url), "Eve")
    entrants = ("--entrant", f"ada={file}", "--entrant", f"eve={token_file(tmp_path, eve.token, 'eve')}")

    def vanishes(_options, _number):
        eve.call("DELETE", "/v1/me", {"name": "Eve"}, want=204)
        raise programs.Ended

    with programs.running(url, (ada.token, programs.by_chance), (eve.token, vanishes)):
        status, output = ladder(url, "--kind", "nim", "--bots", "random", *entrants, "--games", 2)

    assert 0 == status, output
    assert "random     against eve        100 %" in output
    assert "ada        against eve        100 %" in output
    assert "eve did not take its seat in 3 games and lost." in output
    assert ([], set()) == left(store)


class Shutting:
    """A service that refuses one method for the entrant and accepts everything else."""

    def __init__(self, method, code, status):
        self.method, self.code, self.status, self.seq, self.asked = method, code, status, 7, []

    def ask(self, _what, method, path, token, *_):
        if token == "ada" and method == self.method:
            raise ApiError(self.status, {"code": self.code})
        if path.endswith("/start") and self.method == "DELETE":
            raise ApiError(409, {"code": "seats-open"})
        self.seq += 1
        self.asked.append(f"{method} {path}")
        told = {"id": "g", "invitation": "i", "status": "running", **summary((1, "turn"), seq=self.seq)}
        told["seats"] = [{"seat": 1, "player": None, "bot": None}, {"seat": 2, "player": None, "bot": "random"}]
        return Answer(200, {}, json.dumps(told).encode())


@pytest.mark.parametrize(
    ("method", "code", "status"),
    [("POST", "too-many-requests", 429), ("POST", "bad-token", 401), ("DELETE", "seats-open", 409)],
)
def test_entrant_that_cannot_take_or_keep_its_seat_loses_the_game(passing, method, code, status):
    line = Shutting(method, code, status)
    found = tables(line, {"ada": Account("ada", "ada", own=False)})
    found._running.clear()

    (result,) = found.play(iter([("ada", "random")]), lambda: passing.now)

    assert ("unseated", "ada", (2,)) == counted(result)
    assert ["ada did not take its seat in 1 game and lost."] == notes([result])
    assert "DELETE /v1/games/g" == line.asked[-1], "of games that have not started an account has only so many"


@pytest.mark.parametrize(("code", "status"), [("too-many-requests", 429), ("bad-token", 401)])
def test_entrant_that_gets_no_answers_is_late_and_the_ladder_continues(passing, code, status):
    found = tables(Shutting("GET", code, status), {"ada": Account("ada", "ada", own=False)})

    (result,) = found.play(iter(()), lambda: passing.now)

    assert ("absent", "ada", (2,)) == counted(result)
    assert 10 < passing.now < 12


@pytest.mark.soak
def test_entrant_that_never_sends_a_command_ends_the_ladder(store, url, file):
    status, output = ladder(
        url,
        "--kind",
        "nim",
        "--bots",
        "random",
        "--entrant",
        f"ada={file}",
        "--games",
        9,
        "--patience",
        0.5,
        "--jobs",
        2,
    )

    assert 1 == status
    assert "ada has sent no command in 3 games. Is its program running?" in output
    assert ([], set()) == left(store)


@pytest.mark.soak
def test_game_that_lasts_too_long_is_ended_and_not_counted(store, url, ada, file):
    with programs.running(url, (ada.token, programs.ends_turns)):
        status, output = ladder(url, "--bots", "random", "--entrant", f"ada={file}", "--games", 1, "--minutes", 0.02)

    assert 0 == status, output
    assert "1 game lasted too long and is not counted." in output
    assert ([], set()) == left(store)


def test_error_of_creating_a_game_is_shown_as_the_service_words_it(store, url, file):
    status, output = ladder(url, "--kind", "nim", "--entrant", f"ada={file}", "--options", "speed=3")

    assert 1 == status
    assert "Options, speed" in output or "options, speed" in output
    assert ([], set()) == left(store)


def reading(ada):
    return ada.post("/v1/me/tokens", {"label": "looks on", "scopes": ["read"]}, want=201).json["token"]


@pytest.mark.parametrize(
    ("token", "told"),
    [
        (lambda ada: "nonsense", "ada cannot be entered. The token in line 1 of"),
        (lambda ada: "owt_☃", "ada cannot be entered. Line 1 of"),
        (lambda ada: "owt_\x07", "ada cannot be entered. Line 1 of"),
        (reading, "ada cannot be entered: the token in"),
        (lambda ada: "", "must contain one token, but contains none."),
    ],
)
def test_unusable_token_is_reported(url, ada, tmp_path, token, told):
    file = token_file(tmp_path, token(ada), "ada")
    status, output = ladder(url, "--kind", "nim", "--entrant", f"ada={file}")

    assert 1 == status
    assert told in output


def test_entrants_with_equal_names_or_accounts_are_refused(url, file):
    twice = ladder(url, "--kind", "nim", "--entrant", f"ada={file}", "--entrant", f"eve={file}")
    bot = ladder(url, "--kind", "nim", "--entrant", f"expert={file}")

    assert (1, 1) == (twice[0], bot[0])
    assert "ada and eve use the same account" in twice[1]
    assert "Two entrants are called 'expert'" in bot[1]


def test_unknown_game_bot_or_service_is_reported(url, file):
    for arguments, told in (
        (("--kind", "chess"), "The service has no game 'chess'. Choose from"),
        (("--kind", "nim", "--bots", "deep"), "The service has no bot 'deep' for nim. Choose from"),
    ):
        status, output = ladder(url, *arguments, "--entrant", f"ada={file}")
        assert 1 == status
        assert told in output
    status, output = ladder("http://127.0.0.1:9", "--kind", "nim", "--entrant", f"ada={file}")
    assert 1 == status
    assert "No service answers" in output


def test_invalid_hosted_ladder_arguments_are_reported(url, file):
    def call(*arguments):
        told = CliRunner().invoke(main, ["ladder", *map(str, arguments)])
        assert 2 == told.exit_code
        return told.output

    assert "--entrant needs --url" in call("--entrant", f"ada={file}")
    assert "--url needs --entrant" in call("--url", url)
    assert "--seed cannot be used with --url" in call("--url", url, "--entrant", f"ada={file}", "--seed", "x")
    assert "is not NAME=TOKENFILE" in call("--url", url, "--entrant", "ada")
    assert "The token file of ada was not found" in call("--url", url, "--entrant", "ada=nowhere")
