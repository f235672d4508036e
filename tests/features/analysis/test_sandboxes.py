"""Running games cannot be analyzed, except a sandbox by its creator who holds all its seats."""

from dataclasses import replace

import pytest

from service.features.analysis import jobs
from service.features.analysis import storage as keeping
from service.features.analysis.storage import StoredAnalysis
from service.store.ports.lobbies import Seating, Sitter
from tests.core.http.conftest import World

URL, CHART = "/v1/games/{}/analysis", "/v1/games/{}/analysis.svg"


@pytest.fixture
def world(redis_store):
    return World(redis_store)


@pytest.fixture(autouse=True)
def thinkers(monkeypatch):
    """Accept requests without search workers; `made` runs the analyses."""
    monkeypatch.setattr("service.features.analysis.api._require_thinkers", lambda _access: None)


def hidden(player, box, seat, pennies=1):
    player.send(box, {"type": "hide", "pennies": pennies}, seat=seat, want=200)


def of(world, box):
    return StoredAnalysis(world.store.notes, world.store.schedule.now, box, 1)


def made(world, box):
    """Finish the analysis in this process; return the number of positions analyzed."""
    piece, looked = jobs._Piece(world.store, box, 1), []
    kept, look = of(world, box), jobs.evaluate_moment
    jobs.evaluate_moment = lambda *given: looked.append(1) or look(*given)
    try:
        while piece.look_on(60) is not None:
            pass
    finally:
        jobs.evaluate_moment = look
    assert "done" == kept.get_progress().status
    return len(looked)


def both_seats(player, **told):
    box = player.make_game(seats=2, sandbox={}, **told)["id"]
    player.join(box)
    player.start(box)
    return box


def refused(player, game, code="game-not-over"):
    answers = [player.post(URL.format(game), {}), player.get(URL.format(game)), player.get(CHART.format(game))]
    return all(answer.json["code"] == code for answer in answers)


def test_creator_alone_in_a_sandbox_can_have_it_analyzed(world):
    ash = world.player("Ash")
    box = both_seats(ash)
    for seat in (1, 2):
        hidden(ash, box, seat)
    head = world.store.log.head(box)[0]

    assert "under-way" == ash.post(URL.format(box), {}, want=202).json["status"]
    made(world, box)

    told = ash.post(URL.format(box), {}, want=200).json
    assert ("done", head, head) == (told["status"], told["analysis"]["to"], told["analysis"]["commits"])
    assert told == ash.get(URL.format(box), want=200).json
    chart = ash.get(CHART.format(box), want=200)
    assert "private" in chart.headers["Cache-Control"], "nobody keeps it for others"


def test_others_cannot_request_or_read_the_analysis_of_a_running_sandbox(world):
    ash, cyd = world.player("Ash"), world.player("Cyd")
    box = both_seats(ash, visibility="public")
    hidden(ash, box, 1)
    ash.post(URL.format(box), {}, want=202)
    made(world, box)

    assert refused(cyd, box)
    assert ["game-not-over"] * 2 == [world.public.get(url.format(box)).json["code"] for url in (URL, CHART)]


def test_running_game_that_is_not_a_sandbox_cannot_be_analyzed(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    alone = ash.make_game(seats=2)["id"]
    ash.seat_bot(alone, "greedy")
    ash.start(alone)
    game, *_ = world.table("Ada", "Bo")

    assert refused(ash, alone)
    assert refused(birk, alone)
    assert refused(ash, game)
    kept = of(world, alone)
    kept.request(world.store.log.head(alone)[0])
    jobs._Piece(world.store, alone, 1).look_on(60)
    assert ("failed", "it is not over") == (kept.get_progress().status, kept.get_progress().reason), (
        "not by a forged job either"
    )


def test_sandbox_with_a_second_player_cannot_be_analyzed_while_it_runs(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    box = ash.make_game(seats=2, sandbox={}, visibility="public")["id"]
    birk.join(box)
    ash.start(box)
    hidden(ash, box, 1)

    assert refused(ash, box)
    assert refused(birk, box)


def test_holder_of_all_seats_of_another_players_sandbox_is_refused(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    box = ash.make_game(seats=2, sandbox={}, visibility="public")["id"]
    ash.call("DELETE", f"/v1/games/{box}/seats/1", want=204)
    for _ in range(2):
        birk.join(box)
    ash.start(box)
    hidden(birk, box, 1)

    assert refused(birk, box)
    assert refused(ash, box)


@pytest.mark.parametrize("how", ["taken", "sat in"])
def test_new_player_or_sitter_in_a_sandbox_is_noticed_at_once(world, monkeypatch, how):
    ash = world.player("Ash")
    box = both_seats(ash)
    hidden(ash, box, 1)
    ash.post(URL.format(box), {}, want=202)
    lobby = world.store.lobbies.get(box)
    now = {
        "taken": replace(lobby, chairs=(lobby.chairs[0], replace(lobby.chairs[1], holder="p-birk"))),
        "sat in": replace(lobby, seating=Seating(sitters=(Sitter(2, "p-birk", 0, 10**15),))),
    }[how]

    monkeypatch.setattr(world.store, "standing", lambda *_given: (True, now))

    assert refused(ash, box), "though this process remembers it otherwise"


def test_moves_played_during_the_analysis_are_not_part_of_it(world):
    ash = world.player("Ash")
    box = both_seats(ash)
    hidden(ash, box, 1)
    ash.post(URL.format(box), {}, want=202)
    upto = world.store.log.head(box)[0]
    hidden(ash, box, 2)
    made(world, box)

    assert upto == ash.get(URL.format(box), want=200).json["analysis"]["to"]


def test_repeated_request_extends_the_analysis_with_an_equal_result(world):
    ash = world.player("Ash")
    box = both_seats(ash)
    for seat in (1, 2, 1):
        hidden(ash, box, seat)
    ash.post(URL.format(box), {}, want=202)
    before = made(world, box)
    assert "done" == ash.post(URL.format(box), {}, want=200).json["status"], "nothing has come to it"
    first = world.store.log.head(box)[0]
    for seat in (2, 1):
        hidden(ash, box, seat)
    assert first == ash.get(URL.format(box), want=200).json["analysis"]["to"], "until it is asked for more"

    told = ash.post(URL.format(box), {}, want=202).json
    after = made(world, box)

    head = world.store.log.head(box)[0]
    assert (before, None, head - first) == (told["done"], told["total"], after)
    found = ash.get(URL.format(box), want=200).json["analysis"]
    of(world, box)._drop(f"{box} 1")
    of(world, box).request(head)
    made(world, box)
    assert of(world, box).load_document() == found


def test_finished_sandbox_can_be_analyzed_to_its_end_by_any_player(world):
    ash = world.player("Ash")
    box = ash.make_game(seats=2, sandbox={}, options={"points": 1}, visibility="public")["id"]
    ash.join(box)
    ash.start(box)
    hidden(ash, box, 1)
    ash.post(URL.format(box), {}, want=202)
    made(world, box)
    hidden(ash, box, 2)
    for _ in range(40):
        if world.store.lobbies.get(box).status == "over":
            break
        for seat in (1, 2):
            ash.send(box, {"type": "hide", "pennies": seat - 1}, seat=seat)
    assert "over" == world.store.lobbies.get(box).status
    cyd = world.player("Cyd")
    assert "done" == cyd.get(URL.format(box), want=200).json["status"]

    cyd.post(URL.format(box), {}, want=202)
    made(world, box)

    told = cyd.post(URL.format(box), {}, want=200).json
    assert world.store.log.head(box)[0] == told["analysis"]["to"]
    winners = ash.summary(box)["outcome"]["winners"]  # both, if the dice decide so
    assert [(seat in winners) / len(winners) for seat in (1, 2)] == told["analysis"]["chances"][-1][1:]
    assert [] == of(world, box).load_results(), "nothing comes to it any more"


def test_failed_analysis_can_be_requested_again_after_an_hour(world, monkeypatch):
    ash = world.player("Ash")
    box = both_seats(ash)
    ash.post(URL.format(box), {}, want=202)
    of(world, box).fail("Whoever looked at it came to an end before it did.")
    assert "failed" == ash.post(URL.format(box), {}, want=200).json["status"]
    monkeypatch.setattr(keeping, "RETRY_AFTER", 0)

    assert "under-way" == ash.post(URL.format(box), {}, want=202).json["status"]
    made(world, box)
