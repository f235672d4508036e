"""The terminal player at a real address: by hand, and as a bot that knows Options alone."""

import io
import json
import threading
import time
from collections import Counter

import pytest
from werkzeug.serving import make_server

from domain.options import offers
from domain.terms import Integer, OneOf, Option, SubsetOf
from service.api.application import create_app
from service.audit.auditor import audit
from service.cli.commands.play import Seated, new_game, take_seat
from service.cli.terminal import asking, board
from service.cli.terminal.client import LISTENING, ApiError, Client, Tokens
from service.settings import Settings
from service.store.memory.store import MemoryStore
from tests.audit.games import GAMES
from workers.advance import Advance


@pytest.fixture
def service():
    """The whole service at an address of its own: the API in threads, the worker where it is woken."""
    store = MemoryStore()
    worker, one = Advance.in_process(store), threading.Lock()

    def wake(game):
        with one:
            while worker.round([store.log.partition(game)]):
                pass

    app = create_app(store, Settings(), wake)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    thread.join()


@pytest.fixture
def play(oraclewheel, service, tmp_path):
    def call(*arguments, **given):
        return oraclewheel("play", "--url", service, "--tokens", tmp_path / "tokens.json", *arguments, **given)

    return call


def registered(service, name):
    client = Client(service)
    client.register(name)
    return client


PENNIES = {"kind": "pennies", "seats": 2, "options": {"points": 2}, "visibility": "public"}


def test_a_person_plays_a_whole_game_by_numbers(play, tmp_path):
    answers = "1\n1\n" * 100
    status, told = play("--name", "Ash", "--new", "pennies", "--with", "random", "--options", "points=2", input=answers)

    assert 0 == status, told
    assert "you are asked: hide (PEN-01)" in told
    assert "The die shows" in told
    assert "The game is over: points (PEN-04)." in told
    assert "Ash" in next(iter(json.loads((tmp_path / "tokens.json").read_text()).values()))
    assert 0o600 == (tmp_path / "tokens.json").stat().st_mode & 0o777


def test_a_person_is_told_until_when_a_question_stands(play, service):
    made = ("--new", "battalia", "--with", "random", "--calendar", "18:00", "Europe/Sofia", "--name", "Ada")
    _, told = play(*made, input="")
    (game,) = registered(service, "Guest").call("GET", "/v1/games")["games"]

    assert {"mode": "calendar", "day": "PT24H", "at": "18:00", "zone": "Europe/Sofia"} == game["pace"]
    (due,) = [asked["due"] for asked in game["asked"]]
    assert f"until {time.strftime('%a %d %B %H:%M', time.localtime(due / 1000))}" in told
    assert "not both" in play(*made, "--hours", "3")[1]


@pytest.mark.parametrize("bot", ["random", "greedy"])
def test_a_bot_plays_from_options_alone(play, service, bot):
    status, told = play("--name", "Birk", "--new", "pennies", "--with", "random", "--bot", bot)

    assert 0 == status, told
    assert "The game is over" in told
    game = next(word.rstrip(";") for word in told.split() if word.startswith("g") and word.endswith(";"))
    export = requests_get(service, f"/v1/games/{game}/export")
    assert audit(export, games=GAMES).ok


def requests_get(service, path):
    import requests

    return requests.get(service + path, timeout=30).content


def test_two_clients_at_one_table_meet_over_the_service(service):
    ash, birk = registered(service, "Ash"), registered(service, "Birk")
    game = new_game(ash, PENNIES, [])
    take_seat(birk, game, None)
    seats = [Seated(client, game, asking.RandomBot(b"%032d" % n)) for n, client in enumerate((ash, birk))]
    threads = [threading.Thread(target=seat.play, daemon=True) for seat in seats]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert not any(thread.is_alive() for thread in threads)
    assert "over" == ash.game(game)["status"]


class Slow(Client):
    """A client whose answers come late: what they say of the table may be over when he reads them."""

    def game(self, game):
        told = super().game(game)
        time.sleep(0.2)
        return told


def test_a_move_that_was_made_while_one_read_is_not_waited_for(service):
    players = [Slow(service), Client(service)]
    for number, player in enumerate(players):
        player.register(f"Player {number}")
    game = new_game(players[0], {**PENNIES, "options": {"points": 1}}, [])
    take_seat(players[1], game, None)
    seats = [Seated(player, game, asking.RandomBot(b"%032d" % n)) for n, player in enumerate(players)]
    threads = [threading.Thread(target=seat.play, daemon=True) for seat in seats]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert "over" == players[0].game(game)["status"]
    assert time.monotonic() - began < LISTENING


def test_a_whole_game_of_battalia_is_played_over_rest(service):
    ash = registered(service, "Ash")
    game = new_game(ash, {**PENNIES, "kind": "battalia", "options": {"max_weeks": 1}}, ["random"])
    Seated(ash, game, asking.GreedyBot(b"7" * 32)).play()
    report = audit(requests_get(service, f"/v1/games/{game}/export"))

    assert report.ok, report.verdict
    assert report.facts["refusals"] == 0, "whatever an Option offers is accepted"
    assert "over" == report.facts["status"]


def test_the_token_of_last_time_is_used_again(play, service):
    play("--name", "Ash", "--new", "pennies", "--with", "random", "--bot", "random")
    status, told = play("--new", "pennies", "--with", "random", "--bot", "random")

    assert 0 == status
    assert "You are" not in told


def test_a_problem_is_told_in_a_sentence(play):
    status, told = play("--name", "Ash", "--new", "chess")

    assert 1 == status
    assert "There is no such kind of game." in told
    assert "/kind" in told


def test_no_service_is_told_in_a_sentence(oraclewheel, tmp_path):
    status, told = oraclewheel("play", "--url", "http://127.0.0.1:9", "--tokens", tmp_path / "t", "--name", "Ash", "g1")

    assert 1 == status
    assert "does not answer" in told


def test_a_private_game_needs_its_invitation(service):
    ash, birk = registered(service, "Ash"), registered(service, "Birk")
    made = ash.call("POST", "/v1/games", {**PENNIES, "visibility": "unlisted"})

    with pytest.raises(ApiError):
        take_seat(birk, made["id"], "wrong")
    take_seat(birk, made["id"], made["invitation"])

    assert [2] == birk.game(made["id"])["your_seats"]


def test_tokens_are_kept_by_service_and_name(tmp_path):
    tokens = Tokens(tmp_path / "deep" / "tokens.json")
    tokens.keep("http://one", "Ash", "a")
    tokens.keep("http://one", "Birk", "b")
    tokens.keep("http://two", "Ash", "c")

    assert ("Birk", "b") == tokens.find("http://one", None)
    assert ("Ash", "a") == tokens.find("http://one", "Ash")
    assert ("Ash", "c") == tokens.find("http://two", None)
    assert None is tokens.find("http://three", None)
    assert None is tokens.find("http://one", "Cole")


# -- choosing ----------------------------------------------------------------------------------------------------------

OPTIONS = (
    Option("end_turn"),
    Option("hire", {"unit": "lord"}, (SubsetOf("cards", ("supply-1", "supply-2", "supply-3"), 2, 2),)),
    Option("hire", {"unit": "chief"}, (OneOf("square", ("A1", "B1")), Integer("number", 0, 3))),
)


def asked(monkeypatch, answers, options=OPTIONS, table=()):
    monkeypatch.setattr("sys.stdin", io.StringIO(answers))
    return asking.ask(options, table)


@pytest.mark.parametrize(
    ("answers", "command"),
    [
        ("1\n", {"type": "end_turn"}),
        ("end\n", {"type": "end_turn"}),
        ("2\n1\n1 3\n", {"type": "hire", "unit": "lord", "cards": ["supply-1", "supply-3"]}),
        ("hire\nchief\nB1\n3\n", {"type": "hire", "unit": "chief", "square": "B1", "number": 3}),
        ("2\n2\n\n1\n", {"type": "end_turn"}),
        ("9\n1\n", {"type": "end_turn"}),
        ("2\n1\n1\n1 1\n4 5\n2,3\n", {"type": "hire", "unit": "lord", "cards": ["supply-2", "supply-3"]}),
        ("\n", None),
    ],
)
def test_a_command_is_built_step_by_step_and_always_legal(monkeypatch, answers, command):
    built = asked(monkeypatch, answers)

    assert command == built
    if built is not None:
        params = {name: value for name, value in built.items() if name != "type"}
        assert any(offers(option, built["type"], params) for option in OPTIONS)


def test_resigning_asks_twice(monkeypatch):
    assert {"type": "resign"} == asked(monkeypatch, "3\ny\n", table=(Option("resign"),))
    assert {"type": "end_turn"} == asked(monkeypatch, "3\nn\n1\n", table=(Option("resign"),))


@pytest.mark.parametrize("bot", asking.BOTS)
def test_what_a_bot_chooses_is_offered(bot):
    chooser = asking.BOTS[bot](b"3" * 32)
    for _ in range(200):
        command = chooser.choose(OPTIONS)
        params = {name: value for name, value in command.items() if name != "type"}
        assert any(offers(option, command["type"], params) for option in OPTIONS)


def test_the_greedy_bot_would_rather_do_something():
    chooser = asking.GreedyBot(b"3" * 32)
    kinds = Counter(chooser.choose(OPTIONS)["type"] for _ in range(500))

    assert kinds["hire"] > 8 * kinds["end_turn"] > 0
    assert {"type": "end_turn"} == chooser.choose(OPTIONS[:1])


# -- the board ---------------------------------------------------------------------------------------------------------


def test_the_board_shows_cities_heroes_and_the_hand():
    from click import unstyle

    from domain.game import Setup
    from domain.registry import GAMES as REAL
    from service.cli.simulating.selfplay import SelfPlay
    from service.projections.positions.rows import private_part, public_part

    battalia = REAL["battalia"]
    game = SelfPlay(battalia, Setup(2, battalia.rulesets[0]), ["bot:greedy", "bot:random"], b"b" * 32)
    game.run(60)
    view = {"public": public_part(battalia, game.position), "private": private_part(battalia, game.position, 1)}
    drawn = unstyle(board.text("battalia", view))
    rows = [line for line in drawn.splitlines() if line[:3].strip().isdecimal()]

    assert view["public"]["map"]["rows"] == len(rows)
    cities = [square["city"] for square in view["public"]["squares"].values() if "city" in square]
    assert sum(row.count("◆") for row in rows) == len(cities) > 2
    assert "RUI" in drawn
    assert "♟1" in drawn
    assert "Your hand: " in drawn
    assert 1 == len({len(row) for row in rows})


def test_any_other_view_is_told_field_by_field():
    view = {"public": {"round": 3, "points": {"1": 2}, "log": [{"a": [1, 2]}], "table": {}}, "private": {"purse": 4}}

    assert ["round: 3", "points: 1 2", "log:", "  - a 1, 2", "You:", "  purse: 4"] == board.text("x", view).splitlines()
