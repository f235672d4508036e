"""The terminal client at a real address: played by hand, and as a bot that knows only Options."""

import io
import json
import re
import sys
import threading
import time
from collections import Counter

import pytest
from werkzeug.serving import make_server

from domain.games.battalia.game import BATTALIA
from domain.games.battalia.readers.terminal import cards
from domain.kernel.options import offers
from domain.kernel.terms import Integer, OneOf, Option, SubsetOf
from service.application import create_app
from service.audit.auditor import audit
from service.cli.terminal import board, bots
from service.cli.terminal.asking import Prompt, Quit
from service.cli.terminal.client import LISTENING, ApiError, TerminalClient, TokenFile
from service.cli.terminal.lobby import find_game, local_time, new_game, take_seat
from service.cli.terminal.seated import Seated, fitted
from service.ops.settings import Settings
from tests.audit.games import GAMES
from tests.battalia.table import table as laid_table
from tests.stores import new_store
from workers.advance import Advance


@pytest.fixture
def service():
    """A whole service with its own address: the API in threads, and a worker that runs when it is woken."""
    store = new_store()
    worker, one = Advance.in_process(store), threading.Lock()

    def wake(game):
        with one:
            while worker.round([store.schedule.partition(game)]):
                pass

    app = create_app(store, Settings(), wake)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
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
    client = TerminalClient(service)
    client.register(name)
    return client


PENNIES = {"kind": "pennies", "seats": 2, "options": {"points": 2}, "visibility": "public"}


def test_whole_game_can_be_played_by_typing_numbers(play, tmp_path):
    answers = "1\n1\n" * 100
    status, told = play("--name", "Ash", "--new", "pennies", "--with", "random", "--options", "points=2", input=answers)

    assert 0 == status, told
    assert "Hide (PEN-01)." in told
    assert "The die shows" in told
    assert "The game is over: points (PEN-04)." in told
    assert 1 == told.count("Won by ")
    assert "Ash" in next(iter(json.loads((tmp_path / "tokens.json").read_text()).values()))
    assert 0o600 == (tmp_path / "tokens.json").stat().st_mode & 0o777


def test_lines_are_wrapped_at_the_width_of_the_terminal(monkeypatch):
    line = "     1  The table is laid for Ada and Birk, who take their turns in this order."
    assert line == fitted(line, "        "), "a file or a pipe has no width"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "40")

    told = fitted(f"{line}\nshort", "        ").splitlines()

    assert "     1  The table is laid for Ada and" == told[0]
    assert "        Birk, who take their turns in" == told[1]
    assert "short" == told[-1]


def test_pending_question_shows_its_deadline(play, service):
    made = ("--new", "battalia", "--with", "random", "--calendar", "18:00", "Europe/Sofia", "--name", "Ada")
    _, told = play(*made, input="")
    (game,) = registered(service, "Guest").call("GET", "/v1/games")["games"]

    assert {"mode": "calendar", "day": "PT24H", "at": "18:00", "zone": "Europe/Sofia"} == game["pace"]
    (due,) = [asked["deadline"] for asked in game["pending_questions"]]
    then = time.localtime(due / 1000)
    assert f"Deadline: {time.strftime('%A', then)} {then.tm_mday} {time.strftime('%B, %H:%M', then)}." in told
    assert "not both" in play(*made, "--hours", "3")[1]


def test_new_game_may_have_days_off(play, service):
    off = ("--off", "saturday,sunday,2026-12-24", "Europe/Sofia")
    play("--new", "pennies", "--with", "random", "--hours", "24", *off, "--name", "Ada", input="")
    (game,) = registered(service, "Guest").call("GET", "/v1/games")["games"]

    days_off = {"zone": "Europe/Sofia", "weekends": ["saturday", "sunday"], "holidays": ["2026-12-24"]}
    assert {"mode": "per_question", "hours": 24, **days_off} == game["pace"]


def test_vacation_can_be_announced_and_canceled(oraclewheel, play, service, tmp_path):
    def vacation(*arguments):
        return oraclewheel("vacation", "--url", service, "--tokens", tmp_path / "tokens.json", *arguments)

    made = ("--new", "pennies", "--with", "random", "--hours", "24", "--name", "Ada")
    play(*made, input="")
    year = time.localtime().tm_year + 1
    status, told = vacation(f"{year}-08-01", f"{year}-08-03")

    assert 0 == status, told
    assert f"01 August {year} 00:00 to" in told
    assert f"04 August {year} 00:00; added to 1 game." in told
    assert told.strip().splitlines()[-1] in vacation()[1]
    assert 0 != vacation(f"{year}-08-02", f"{year}-08-05")[0], "there is another one at that time"
    assert "canceled" in vacation("--back")[1]
    assert "Away" not in vacation()[1]
    assert "The default move is played for you." in vacation(f"{year}-09-01", f"{year}-09-03", "--seat", "default")[1]
    assert "There is no such player." in vacation(f"{year}-10-01", f"{year}-10-03", "--sitter", "nobody")[1]
    assert 2 == vacation(f"{year}-10-01", f"{year}-10-03", "--seat", "sitter")[0]
    assert 2 == vacation(f"{year}-10-01", f"{year}-10-03", "--seat", "orders", "--sitter", "nobody")[0]
    assert 2 == vacation("--seat", "default")[0]
    assert 2 == vacation(f"{year}-08-02")[0]
    assert 2 == vacation("soon", "later")[0]


@pytest.mark.parametrize("bot", ["random", "greedy"])
def test_bot_plays_a_whole_game_from_options_alone(play, service, bot):
    status, told = play("--name", "Birk", "--new", "pennies", "--with", "random", "--bot", bot)

    assert 0 == status, told
    assert "The game is over" in told
    export = requests_get(service, f"/v1/games/{made_in(told)}/export")
    assert audit(export, games=GAMES).is_ok


def made_in(told):
    """The id of the new game."""
    return re.search(r"^Game (g\w+)\.", told, re.MULTILINE)[1]


def test_search_bot_is_seated_at_the_service_and_the_player_watches(play, service):
    status, told = play("--name", "Ash", "--new", "nim", "--with", "random", "--bot", "search:1")
    assert 0 == status, told
    assert "The game is over" in told
    assert "Take objects from one heap (NIM-02)." not in told
    (game,) = re.findall(r"Game (\S+)\.", told)
    seats = registered(service, "Looker").game(game)["seats"]
    assert ["search:1", "random"] == [seat["bot"] for seat in seats]
    status, told = play(game, "--bot", "search:1")
    assert 2 == status
    assert "needs --new" in told


def test_final_lines_say_how_to_save_and_audit_the_game(play, service, oraclewheel, tmp_path):
    _, told = play("--name", "Birk", "--new", "pennies", "--with", "random", "--bot", "random")
    game = made_in(told)
    save, check = [line.split() for line in told.splitlines()[-2:]]

    assert ["oraclewheel", "play", game, "--url", service, "--save", f"{game}.ndjson"] == save
    assert 0 == play(*save[2:])[0]
    assert audit((tmp_path / f"{game}.ndjson").read_bytes(), games=GAMES).is_ok
    assert ["oraclewheel", "audit", f"{game}.ndjson"] == check
    assert "AUD-" in oraclewheel(*check[1:])[1]


def test_failed_save_leaves_no_file(play, tmp_path):
    status, told = play("--name", "Ash", "gnone", "--save", tmp_path / "game.ndjson")

    assert 1 == status
    assert "There is no such game." in told
    assert [] == list(tmp_path.glob("game*"))


@pytest.mark.parametrize(
    "wrong",
    [
        ("--seats", "2", "--with", "random,random"),
        ("--with", "nobody"),
        ("--with", "random,nobody", "--visibility", "private"),
    ],
)
def test_game_that_cannot_be_set_up_leaves_no_lobby(play, service, tmp_path, wrong):
    status, told = play("--name", "Ash", "--new", "pennies", *wrong)
    ((_, token),) = json.loads((tmp_path / "tokens.json").read_text())[service].items()

    assert 1 == status
    assert "Error: " in told
    assert [] == TerminalClient(service, token).call("GET", "/v1/games", mine="true")["games"]


def test_watch_save_and_undo_need_the_id_of_a_game(play):
    assert "needs the id of a game" in play("--watch")[1]
    assert "needs the id of a game" in play("--new", "pennies", "--save", "x")[1]
    assert "needs the id of a game" in play("--undo")[1]


def test_new_game_has_the_minimum_number_of_seats(play):
    _, told = play("--name", "Ada", "--new", "fronela", "--with", "greedy,greedy,greedy", input="quit\n")

    assert "Round 1 of 17" in told
    assert "The game continues without you. To return: oraclewheel play g" in told


def test_help_legend_and_board_are_available_at_a_question(play):
    status, told = play("--name", "Ada", "--new", "battalia", "--with", "greedy", input="?\nlegend\nboard\nquit\n")

    assert 0 == status
    assert "Enter or undo" in told
    assert "a hero of that seat" in told
    assert 2 == told.count("Your hand: ")


def test_player_can_chat_and_end_the_game_by_a_vote(play, service):
    answers = "say Good luck!\nsay \x1b[2J\nend the game\ny\n"
    status, told = play("--name", "Ash", "--new", "pennies", "--with", "random", input=answers)

    assert 0 == status, told
    assert "Refused: text: Must not contain control characters" in told
    assert "Ash: “Good luck!”" in told
    assert "Call a vote: to end the game without a winner (at any time)" in told
    assert "The game is over: its players have agreed to end it." in told
    assert "Won by no one." in told
    talk = TerminalClient(service).call("GET", f"/v1/games/{made_in(told)}/talk")
    assert ["Good luck!"] == [said["words"] for said in talk["messages"]]


def test_player_with_only_a_pending_vote_can_answer_it(service, monkeypatch, capsys):
    ash, birk = registered(service, "Ash"), registered(service, "Birk")
    game = new_game(ash, PENNIES, [])
    take_seat(birk, game, None)
    ash.call("POST", f"/v1/games/{game}/start", {})
    birk.send(game, {"type": "hide", "pennies": 0}, birk.options(game)["seq"])
    ash.send(game, {"type": "call_vote", "kind": "abort"}, ash.options(game)["seq"])
    monkeypatch.setattr("click.prompt", lambda *_, **__: next(given))
    monkeypatch.setattr("click.confirm", lambda *_, **__: True)
    given = iter(["cast your vote", "yes"])
    Seated(birk, game, None).play()

    assert re.search(
        r"^Ash asks whether you agree to end the game without a winner\. Deadline: ",
        capsys.readouterr().out,
        re.MULTILINE,
    )
    assert "aborted" == ash.game(game)["outcome"]["reason"]


def requests_get(service, path):
    import requests

    return requests.get(service + path, timeout=30).content


def test_two_clients_play_a_game_against_each_other(service):
    ash, birk = registered(service, "Ash"), registered(service, "Birk")
    game = new_game(ash, PENNIES, [])
    take_seat(birk, game, None)
    seats = [Seated(client, game, bots.RandomBot(b"%032d" % n)) for n, client in enumerate((ash, birk))]
    threads = [threading.Thread(target=seat.play, daemon=True) for seat in seats]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert not any(thread.is_alive() for thread in threads)
    assert "over" == ash.game(game)["status"]


class Slow(TerminalClient):
    """A client whose responses arrive late, so they may be outdated when it reads them."""

    def game(self, game):
        told = super().game(game)
        time.sleep(0.2)
        return told


def test_move_made_while_a_response_was_late_is_noticed_at_once(service):
    players = [Slow(service), TerminalClient(service)]
    for number, player in enumerate(players):
        player.register(f"Player {number}")
    game = new_game(players[0], {**PENNIES, "options": {"points": 1}}, [])
    take_seat(players[1], game, None)
    seats = [Seated(player, game, bots.RandomBot(b"%032d" % n)) for n, player in enumerate(players)]
    threads = [threading.Thread(target=seat.play, daemon=True) for seat in seats]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert "over" == players[0].game(game)["status"]
    assert time.monotonic() - began < LISTENING


@pytest.mark.soak
def test_whole_game_of_battalia_is_played_over_rest(service):
    ash = registered(service, "Ash")
    game = new_game(ash, {**PENNIES, "kind": "battalia", "options": {"max_weeks": 1}}, ["random"])
    Seated(ash, game, bots.GreedyBot(b"7" * 32)).play()
    report = audit(requests_get(service, f"/v1/games/{game}/export"))

    assert report.is_ok, report.verdict
    assert report.facts["refusals"] == 0, "whatever an Option offers is accepted"
    assert "over" == report.facts["status"]


def test_saved_token_is_used_again(play, service):
    play("--name", "Ash", "--new", "pennies", "--with", "random", "--bot", "random")
    status, told = play("--new", "pennies", "--with", "random", "--bot", "random")

    assert 0 == status
    assert "You are" not in told


@pytest.mark.parametrize(
    ("policy", "says", "sits"), [("open", True, True), ("open", False, False), ("closed", True, False)]
)
def test_vacant_seat_is_shown_and_can_be_taken(service, monkeypatch, capsys, policy, says, sits):
    ash, birk, cleo = (registered(service, name) for name in ("Ash", "Birk", "Cleo"))
    game = new_game(ash, {**PENNIES, "options": {"points": 1000}, "table": {"substitutes": policy}}, [])
    take_seat(birk, game, None)
    ash.call("POST", f"/v1/games/{game}/start", {})
    birk.send(game, {"type": "resign"})
    monkeypatch.setattr("click.prompt", lambda *_, **__: 1)
    monkeypatch.setattr("click.confirm", lambda *_, **__: says)

    assert game == find_game(cleo)
    assert "seat 2 is vacant" in capsys.readouterr().out
    take_seat(cleo, game, None)
    assert ("Cleo" if sits else "Birk") == ash.game(game)["seats"][1]["player"]["name"]
    assert ("You have seat 2." in capsys.readouterr().err) == sits


@pytest.mark.parametrize("mine", [True, False])
def test_list_of_games_tells_games_of_one_kind_apart(service, monkeypatch, capsys, mine):
    ash, birk = (registered(service, name) for name in ("Ash", "Birk"))
    clock = {"mode": "per_question", "hours": 24}
    game = new_game(ash, {**PENNIES, "kind": "nim", "options": {}, "title": "Friday", "pace": clock}, [])
    take_seat(birk, game, None)
    ash.call("POST", f"/v1/games/{game}/start", {})
    (asked,) = ash.game(game)["pending_questions"]
    mover, other, name = (ash, birk, "Ash") if asked["seat"] == 1 else (birk, ash, "Birk")
    mover.call("PUT", f"/v1/games/{game}/label", {"label": "League"})
    monkeypatch.setattr("click.prompt", lambda *_, **__: 1)

    find_game(mover if mine else other)

    told = capsys.readouterr().out
    turn = "your turn" if mine else f"waiting for {name}"
    assert f"Friday (nim, running): Ash, Birk - {turn}, due {local_time(asked['deadline'])}" in told
    assert ("League" in told) == mine


def test_problem_is_reported_in_a_sentence(play):
    status, told = play("--name", "Ash", "--new", "chess")

    assert 1 == status
    assert "Error: kind: Unknown kind of game." in told
    assert 1 == told.count("Unknown kind")


def test_missing_service_is_reported_in_a_sentence(oraclewheel, tmp_path):
    status, told = oraclewheel("play", "--url", "http://127.0.0.1:9", "--tokens", tmp_path / "t", "--name", "Ash", "g1")

    assert (
        1,
        "Error: No service answers at http://127.0.0.1:9. Is it running? `make run` starts one on this machine.\n",
    ) == (
        status,
        told,
    )


def test_unlisted_game_needs_its_invitation(service):
    ash, birk = registered(service, "Ash"), registered(service, "Birk")
    made = ash.call("POST", "/v1/games", {**PENNIES, "visibility": "unlisted"})

    with pytest.raises(ApiError):
        take_seat(birk, made["id"], "wrong")
    take_seat(birk, made["id"], made["invitation"])

    assert [2] == birk.game(made["id"])["your_seats"]


def test_tokens_are_kept_by_service_and_name(tmp_path):
    tokens = TokenFile(tmp_path / "deep" / "tokens.json")
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


def asked(monkeypatch, answers, options=OPTIONS, table=(), standing=()):
    monkeypatch.setattr("sys.stdin", io.StringIO(answers))
    return Prompt(standing=standing).ask(options, table)


@pytest.mark.parametrize(
    ("answers", "command"),
    [
        ("1\n", {"type": "end_turn"}),
        ("end\n", {"type": "end_turn"}),
        ("2\n1\n1 3\n", {"type": "hire", "unit": "lord", "cards": ["supply-1", "supply-3"]}),
        ("hire\nchief\nB1\n3\n", {"type": "hire", "unit": "chief", "square": "B1", "number": 3}),
        ("2\n2\n\n\n1\n", {"type": "end_turn"}),
        ("9\n1\n", {"type": "end_turn"}),
        ("2\n1\n1\n1 1\n4 5\n2,3\n", {"type": "hire", "unit": "lord", "cards": ["supply-2", "supply-3"]}),
        ("\n", None),
    ],
)
def test_command_is_built_step_by_step_and_is_always_legal(monkeypatch, answers, command):
    built = asked(monkeypatch, answers)

    assert command == built
    if built is not None:
        params = {name: value for name, value in built.items() if name != "type"}
        assert any(offers(option, built["type"], params) for option in OPTIONS)


def test_resigning_needs_a_confirmation(monkeypatch):
    assert {"type": "resign"} == asked(monkeypatch, "3\ny\n", table=(Option("resign"),))
    assert {"type": "end_turn"} == asked(monkeypatch, "3\nn\n1\n", table=(Option("resign"),))


def test_undo_returns_to_the_previous_step_only(monkeypatch, capsys):
    assert {"type": "hire", "unit": "chief", "square": "A1", "number": 2} == asked(
        monkeypatch, "hire\nlord\nundo\nchief\nB1\n\nA1\n2\n"
    )
    assert 1 == capsys.readouterr().out.count("Choose an action"), "what was answered before is not asked again"


def test_quitting_sends_nothing(monkeypatch):
    for answers in ("quit\n", "hire\nchief\nq\n", "?\nexit\n"):
        with pytest.raises(Quit):
            asked(monkeypatch, answers)


def test_choice_named_like_a_keyword_takes_precedence(monkeypatch):
    option = Option("place", {}, (OneOf("of", ("back", "quit", "legend")),))

    assert {"type": "place", "of": "quit"} == asked(monkeypatch, "place\nquit\n", (option,))


def test_standing_orders_of_battalia_are_in_a_separate_list(monkeypatch, capsys):
    answers = "standing\ndefence\nwin\n2\n3\n4\n5\n1\n"
    built = asked(monkeypatch, answers, BATTALIA.rules.legal(laid_table(), 1), standing=board.standing("battalia"))

    first = capsys.readouterr().out.split("Choose an action")[0]
    assert "standing orders…" in first
    assert "defence" not in first
    assert ("set_defence", 2, "win", 3, 4, ["lord"]) == tuple(
        built[name] for name in ("type", "place", "how", "number", "most", "spare")
    )
    said = {name: value for name, value in built.items() if name != "type"}
    assert any(offers(option, "set_defence", said) for option in BATTALIA.rules.legal(laid_table(), 1))


def test_actions_and_parameters_have_the_labels_of_the_game(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("build a road\nquit\n"))
    with pytest.raises(Quit):
        Prompt(board.word("battalia"), board.standing("battalia"), label=board.label("battalia")).ask(
            BATTALIA.rules.legal(laid_table(), 1), ()
        )
    shown = capsys.readouterr().out

    assert "End the turn" in shown
    assert "Take a supply: paid with (1 of 3)" in shown
    assert "T-junction" in shown
    assert "tee" not in shown.split()
    assert "build road" not in shown


def test_standing_orders_are_in_a_separate_list(monkeypatch, capsys):
    orders = (Option("set_stance", {}, (OneOf("stance", ("hold", "flee")),)), Option("set_losses"))

    assert {"type": "set_stance", "stance": "flee"} == asked(
        monkeypatch, "standing\nstance\nflee\n", OPTIONS + orders, standing=("set_stance", "set_losses")
    )
    first = capsys.readouterr().out.split("Choose an action")[0]
    assert "standing orders…" in first
    assert "set stance" not in first


@pytest.mark.parametrize("bot", bots.BOTS)
def test_bot_chooses_only_offered_commands(bot):
    chooser = bots.BOTS[bot](b"3" * 32)
    for _ in range(200):
        command = chooser.choose(OPTIONS)
        params = {name: value for name, value in command.items() if name != "type"}
        assert any(offers(option, command["type"], params) for option in OPTIONS)


def test_greedy_bot_prefers_actions_to_ending_the_turn():
    chooser = bots.GreedyBot(b"3" * 32)
    kinds = Counter(chooser.choose(OPTIONS)["type"] for _ in range(500))

    assert kinds["hire"] > 8 * kinds["end_turn"] > 0
    assert {"type": "end_turn"} == chooser.choose(OPTIONS[:1])


# -- the board ---------------------------------------------------------------------------------------------------------


def test_board_shows_cities_heroes_and_the_hand():
    from click import unstyle

    from domain.kernel.game.rules import Setup
    from domain.registry import GAMES as REAL
    from service.core.positions.rows import build_private, build_public
    from tools.simulation.selfplay import SelfPlay

    battalia = REAL["battalia"]
    game = SelfPlay(battalia, Setup(2, battalia.rules.rulesets[0]), ["bot:greedy", "bot:random"], b"b" * 32)
    game.run(60)
    view = {
        "public": build_public(battalia.knowledge, game.position),
        "private": build_private(battalia.knowledge, game.position, 1),
    }
    drawn = unstyle(board.text("battalia", view))
    rows = [line for line in drawn.splitlines() if line[:3].strip().isdecimal()]

    assert view["public"]["map"]["rows"] == len(rows)
    cities = [square["city"] for square in view["public"]["squares"].values() if "city" in square]
    assert sum(row.count("◆") for row in rows) == len(cities) > 2
    assert "RUI" in drawn
    assert "♟1" in drawn
    assert "Your hand: " in drawn
    assert 1 == len({len(row) for row in rows})


def test_cards_of_a_hand_are_counted_in_the_plural():
    ids = [
        "supply-1",
        "supply-2",
        "frimen-islanders-1",
        "frimen-islanders-3",
        "lord-barfolk-1",
        "lord-barfolk-2",
        "tool-barfolk-1",
    ]
    more = ["unbound-chief-1", "unbound-chief-2", "great-crown"]
    counted = "Crown of Titus, 2 Unbound chiefs, 2 frimen of the Islanders, 2 lords of the Bärfolk, 2 supplies, tool of the Bärfolk"
    assert counted == cards([*ids, *more])


def test_labels_of_a_vote_are_those_of_the_table_in_every_game():
    for kind in ("battalia", "fronela", "nim"):
        assert "To" == board.label(kind)("call_vote", "kind")
        assert "end the game without a winner" == board.word(kind)("abort")


def test_map_of_fronela_shows_every_area_and_its_units():
    from click import unstyle

    from domain.kernel.game.rules import Setup
    from domain.registry import GAMES as REAL
    from service.core.positions.rows import build_private, build_public
    from tools.simulation.selfplay import SelfPlay

    fronela = REAL["fronela"]
    game = SelfPlay(fronela, Setup(4, fronela.rules.rulesets[0]), ["bot:greedy"] * 4, b"b" * 32)
    for commands in (1, 100, 300):
        game.run(commands)
        view = {
            "public": build_public(fronela.knowledge, game.position),
            "private": build_private(fronela.knowledge, game.position, 1),
        }
        drawn = unstyle(board.text("fronela", view))
        legend = unstyle("\n".join(board.legend("fronela", view)))
        placed, words = drawn.split("K Black, ")
        flat = " ".join(words.split())

        for area in view["public"]["areas"]:
            assert area["name"][:7] in placed
            assert area["name"] in legend
            for nation, units in area["units"].items():
                named = next(row["name"] for row in view["public"]["nations"] if row["id"] == nation)
                assert f"{area['name']} {next(iter(units.values()))}" in flat.partition(named + ":")[2]
        assert max(map(len, drawn.splitlines())) <= 100
        assert max(map(len, legend.splitlines())) <= 120


def test_view_of_another_game_is_shown_field_by_field():
    view = {
        "public": {"round": 3, "points": {"1": 2}, "log": [{"a": [1, 2]}], "table": {}},
        "private": {"coins_left": 4},
    }

    assert ["round: 3", "points: 1 2", "log:", "  - a 1, 2", "You:", "  coins left: 4"] == board.text(
        "x", view
    ).splitlines()
