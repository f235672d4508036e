"""A running game is analysed for nobody, but for a sandbox to who has made it and plays alone in it."""

from dataclasses import replace

import pytest

from service.projections.positions.analysis import kept as keeping
from service.projections.positions.analysis.kept import Kept
from service.store.ports.lobbies import Seating, Sitter
from tests.api.conftest import World
from workers.thinking import analysing

URL, CHART = "/v1/games/{}/analysis", "/v1/games/{}/analysis.svg"


@pytest.fixture
def world(redis_store):
    return World(redis_store)


@pytest.fixture(autouse=True)
def thinkers(monkeypatch):
    """What is asked for is made by `made`."""
    monkeypatch.setattr("service.api.resources.analyses._require_thinkers", lambda _access: None)


def hidden(player, box, seat, pennies=1):
    player.send(box, {"type": "hide", "pennies": pennies}, seat=seat, want=200)


def of(world, box):
    return Kept(world.store.notes, world.store.schedule.now, box, 1)


def made(world, box):
    """Looked at to the end, here; how many moments that took."""
    piece, looked = analysing._Piece(world.store, box, 1), []
    kept, look = of(world, box), analysing.look
    analysing.look = lambda *given: looked.append(1) or look(*given)
    try:
        while piece.look_on(60) is not None:
            pass
    finally:
        analysing.look = look
    assert "done" == kept.progress().status
    return len(looked)


def both_seats(player, **told):
    box = player.make_game(seats=2, sandbox={}, **told)["id"]
    player.join(box)
    player.start(box)
    return box


def refused(player, game, code="game-not-over"):
    answers = [player.post(URL.format(game), {}), player.get(URL.format(game)), player.get(CHART.format(game))]
    return all(answer.json["code"] == code for answer in answers)


def test_who_has_made_a_sandbox_and_plays_alone_has_it_analysed_as_it_stands(world):
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


def test_nobody_else_has_a_running_sandbox_analysed_or_reads_what_its_owner_has(world):
    ash, cyd = world.player("Ash"), world.player("Cyd")
    box = both_seats(ash, visibility="public")
    hidden(ash, box, 1)
    ash.post(URL.format(box), {}, want=202)
    made(world, box)

    assert refused(cyd, box)
    assert ["game-not-over"] * 2 == [world.public.get(url.format(box)).json["code"] for url in (URL, CHART)]


def test_a_running_game_that_is_no_sandbox_is_analysed_for_nobody_though_one_plays_alone(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    alone = ash.make_game(seats=2)["id"]
    ash.seat_bot(alone, "greedy")
    ash.start(alone)
    game, *_ = world.table("Ada", "Bo")

    assert refused(ash, alone)
    assert refused(birk, alone)
    assert refused(ash, game)
    kept = of(world, alone)
    kept.asked_for(world.store.log.head(alone)[0])
    analysing._Piece(world.store, alone, 1).look_on(60)
    assert ("failed", "it is not over") == (kept.progress().status, kept.progress().why), "not by a forged job either"


def test_a_sandbox_with_another_at_its_table_is_a_game_like_any_other(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    box = ash.make_game(seats=2, sandbox={}, visibility="public")["id"]
    birk.join(box)
    ash.start(box)
    hidden(ash, box, 1)

    assert refused(ash, box)
    assert refused(birk, box)


def test_who_has_all_seats_of_anothers_sandbox_does_not_own_it(world):
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
def test_who_takes_a_seat_or_sits_in_meanwhile_is_seen_at_once(world, monkeypatch, how):
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


def test_what_is_played_while_it_is_made_is_no_part_of_it(world):
    ash = world.player("Ash")
    box = both_seats(ash)
    hidden(ash, box, 1)
    ash.post(URL.format(box), {}, want=202)
    upto = world.store.log.head(box)[0]
    hidden(ash, box, 2)
    made(world, box)

    assert upto == ash.get(URL.format(box), want=200).json["analysis"]["to"]


def test_asked_again_it_goes_on_from_where_it_was_and_comes_to_the_same(world):
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
    of(world, box).asked_for(head)
    made(world, box)
    assert of(world, box).document() == found


def test_when_it_is_over_it_is_gone_on_with_to_its_end_for_whoever_asks(world):
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
    winners = ash.summary(box)["outcome"]["winners"]  # both, where the coin would have it so
    assert [(seat in winners) / len(winners) for seat in (1, 2)] == told["analysis"]["chances"][-1][1:]
    assert [] == of(world, box).found(), "nothing comes to it any more"


def test_what_failed_is_told_so_for_an_hour_and_then_asked_for_again(world, monkeypatch):
    ash = world.player("Ash")
    box = both_seats(ash)
    ash.post(URL.format(box), {}, want=202)
    of(world, box).fail("Whoever looked at it came to an end before it did.")
    assert "failed" == ash.post(URL.format(box), {}, want=200).json["status"]
    monkeypatch.setattr(keeping, "AGAIN", 0)

    assert "under-way" == ash.post(URL.format(box), {}, want=202).json["status"]
    made(world, box)
