"""Lobbies, on a server and in a cluster."""

from __future__ import annotations

import threading

import orjson
import pytest

from domain.kernel.terms import Seat
from service.store.ports.errors import LobbyRefusal
from service.store.ports.lobbies import Chair, Reservation
from service.store.ports.titles import default_title
from tests.store.pump import command, lobby, opened, outcome, pump, started, submit


def refusal(call, *arguments, **told) -> str:
    with pytest.raises(LobbyRefusal) as caught:
        call(*arguments, **told)
    return caught.value.code


def test_lobby_is_read_as_it_was_created(store):
    made = lobby(
        "ann",
        None,
        "bot:greedy",
        modules=("rammoth", "keeper"),
        options={"points": 2, "names": ["ä"], "deep": {"yes": True}},
        pace={"mode": "per_question", "hours": 24},
        visibility="unlisted",
        title="Friday",
        tags=("fast", "new"),
        invitation_digest="d1",
        sandbox={"position": None, "dice": [1, 6], "forked": {"game": "g0", "seq": 4}},
    )
    store.lobbies.create(made, b"\x01" * 32)

    assert made == store.lobbies.get(made.id)
    assert b"\x01" * 32 == store.lobbies.seed(made.id)


def test_calls_for_an_unknown_game_are_refused(store):
    assert store.lobbies.get("none") is None
    assert "unknown-game" == refusal(store.lobbies.seed, "none")
    assert "unknown-game" == refusal(store.lobbies.join, "none", "bob", "", None)
    assert "unknown-game" == refusal(store.lobbies.seat_bot, "none", "ann", "greedy")
    assert "unknown-game" == refusal(store.lobbies.leave, "none", "ann", 1)
    assert "unknown-game" == refusal(store.lobbies.start, "none", "ann", "begin")
    assert [] == list(store.accounts.games_of("bob"))


@pytest.mark.parametrize("id_", ["", "a b", "a:b", "a\nb", "x" * 65, "{p1}"])
def test_game_id_with_special_characters_is_refused(store, id_):
    with pytest.raises(ValueError, match="game's id"):
        store.lobbies.create(lobby("ann", id=id_), b"")


def test_join_takes_the_first_free_seat_or_the_requested_one(store):
    game = opened(store, "ann", None, None, None).id

    assert 4 == store.lobbies.join(game, "bob", "", None, Seat(4))
    assert 2 == store.lobbies.join(game, "cid", "ff00", None)
    assert "seat-taken" == refusal(store.lobbies.join, game, "dan", "", None, Seat(4))
    assert "seat-taken" == refusal(store.lobbies.join, game, "dan", "", None, Seat(9))
    assert 3 == store.lobbies.join(game, "dan", "", None)
    assert "full" == refusal(store.lobbies.join, game, "eve", "", None)
    chairs = store.lobbies.get(game).chairs
    assert (Chair("ann"), Chair("cid", "ff00"), Chair("dan"), Chair("bob")) == chairs


def test_a_player_has_one_seat_except_in_a_sandbox(store):
    plain = opened(store, "ann", None).id
    sandbox = opened(store, "ann", None, sandbox={"position": None, "dice": None, "forked": None}).id

    assert "seated-already" == refusal(store.lobbies.join, plain, "ann", "", None)
    assert 2 == store.lobbies.join(sandbox, "ann", "", None)
    assert (1, 2) == store.lobbies.get(sandbox).seats_of("ann")


@pytest.mark.parametrize("visibility", ["unlisted", "private"])
def test_game_that_is_not_public_is_joined_only_by_invitation(store, visibility):
    game = opened(store, "ann", None, visibility=visibility, invitation_digest="right").id

    assert "wrong-invitation" == refusal(store.lobbies.join, game, "bob", "", None)
    assert "wrong-invitation" == refusal(store.lobbies.join, game, "bob", "", "wrong")
    store.lobbies.new_invitation(game, "ann", "newer")
    assert "wrong-invitation" == refusal(store.lobbies.join, game, "bob", "", "right")
    assert 2 == store.lobbies.join(game, "bob", "", "newer")
    assert "seated-already" == refusal(store.lobbies.join, game, "bob", "", None)


def test_join_without_invitation_reveals_nothing_of_a_private_game_that_started(store):
    game = started(store, visibility="private", invitation_digest="right")

    for invitation in (None, "", "right", "wrong"):
        assert "wrong-invitation" == refusal(store.lobbies.join, game, "eve", "", invitation)
    assert [] == list(store.accounts.games_of("eve"))


def test_only_the_creator_seats_bots_and_creates_invitations(store):
    game = opened(store, "ann", None, None).id

    assert 2 == store.lobbies.seat_bot(game, "ann", "greedy")
    assert 3 == store.lobbies.seat_bot(game, "ann", "bot:random", Seat(3))
    assert ["bot:greedy", "bot:random"] == [chair.holder for chair in store.lobbies.get(game).chairs[1:]]
    assert "full" == refusal(store.lobbies.seat_bot, game, "ann", "random")
    assert "not-creator" == refusal(store.lobbies.seat_bot, game, "bob", "greedy")
    assert "not-creator" == refusal(store.lobbies.new_invitation, game, "bob", "x")


def test_seat_is_freed_by_its_holder_or_the_creator(store):
    game = opened(store, "ann", "bob", "bot:greedy").id
    store.lobbies.add_entropy(game, "bob", Seat(2), "beef")

    assert "not-seated" == refusal(store.lobbies.leave, game, "bob", Seat(1))
    assert "not-seated" == refusal(store.lobbies.leave, game, "eve", Seat(2))
    store.lobbies.leave(game, "bob", Seat(2))
    assert Chair() == store.lobbies.get(game).chairs[1]
    assert "not-seated" == refusal(store.lobbies.leave, game, "ann", Seat(2))
    assert "not-seated" == refusal(store.lobbies.leave, game, "ann", Seat(7))
    store.lobbies.leave(game, "ann", Seat(3))
    store.lobbies.leave(game, "ann", Seat(1))
    assert (Chair(),) * 3 == store.lobbies.get(game).chairs
    assert [] == list(store.accounts.games_of("bob"))
    assert [game] == list(store.accounts.games_of("ann")), "the creator remains"
    assert 1 == store.lobbies.join(game, "ann", "", None)


def reserved(store, *players, until=10**15, **told):
    """A lobby of Ann with a seat for each of these players."""
    offers = tuple(Reservation(Seat(number), player, until) for number, player in enumerate(players, 2))
    return opened(store, "ann", *[None] * len(players), reserved=offers, **told).id


def test_reserved_seat_is_joined_by_its_player_only(store):
    game = reserved(store, "bob", "cy", visibility="private")

    assert "wrong-invitation" == refusal(store.lobbies.join, game, "dot", "", None)
    assert "seat-reserved" == refusal(store.lobbies.join, game, "bob", "", None, Seat(3))
    assert "seat-reserved" == refusal(store.lobbies.seat_bot, game, "ann", "greedy", Seat(2))
    assert "full" == refusal(store.lobbies.seat_bot, game, "ann", "greedy")
    assert 3 == store.lobbies.join(game, "cy", "ab", None)
    assert (Reservation(Seat(2), "bob", 10**15),) == store.lobbies.get(game).reserved
    assert "seats-open" == refusal(store.lobbies.start, game, "ann", "begin")
    assert 2 == store.lobbies.join(game, "bob", "", None)
    assert () == store.lobbies.get(game).reserved


def test_declined_or_expired_seat_is_free_for_others(store):
    game = reserved(store, "bob", "cy")
    store.lobbies.decline(game, "bob")

    assert "unknown-challenge" == refusal(store.lobbies.decline, game, "bob")
    assert "unknown-challenge" == refusal(store.lobbies.decline, game, "dot")
    assert [0, 10**15] == [each.until for each in store.lobbies.get(game).reserved]
    assert 2 == store.lobbies.join(game, "dot", "", None)
    assert "full" == refusal(store.lobbies.join, game, "eve", "", None)
    late = reserved(store, "bob", until=1, visibility="private")
    assert "wrong-invitation" == refusal(store.lobbies.join, late, "bob", "", None)
    assert 2 == store.lobbies.seat_bot(late, "ann", "greedy")


def test_creator_alone_frees_a_reserved_seat(store):
    game = reserved(store, "bob", "cy")

    assert "not-seated" == refusal(store.lobbies.leave, game, "cy", Seat(2))
    store.lobbies.leave(game, "ann", Seat(2))
    assert ["cy"] == [each.player for each in store.lobbies.get(game).reserved]
    assert "not-seated" == refusal(store.lobbies.leave, game, "ann", Seat(2))


def test_seat_is_taken_or_declined_but_not_both(store):
    for _ in range(20):
        game = reserved(store, "bob", visibility="private")
        done = []

        def run(call, *told, done=done):
            try:
                call(*told)
                done.append(call.__name__)
            except LobbyRefusal:
                pass

        calls = [(store.lobbies.join, "bob", "", None), (store.lobbies.decline, "bob")]
        threads = [threading.Thread(target=run, args=(call, game, *told)) for call, *told in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = store.lobbies.get(game)
        state = (found.chairs[1].holder, [each.until for each in found.reserved])
        assert done in (["join"], ["decline"])
        assert (("bob", []) if done == ["join"] else (None, [0])) == state


def test_only_the_holder_adds_entropy_to_a_seat(store):
    game = opened(store, "ann", "bob").id
    store.lobbies.add_entropy(game, "ann", Seat(1), "0123")
    store.lobbies.add_entropy(game, "ann", Seat(1), "4567")

    assert (Chair("ann", "4567"), Chair("bob")) == store.lobbies.get(game).chairs
    assert "not-seated" == refusal(store.lobbies.add_entropy, game, "ann", Seat(2), "00")
    assert "not-seated" == refusal(store.lobbies.add_entropy, game, "ann", Seat(3), "00")


def test_holder_and_entropy_of_a_chair_must_not_contain_blanks(store):
    game = opened(store, "ann", None).id
    for holder, entropy in (("b b", ""), ("bob", "a\nb"), ("bob", " ")):
        with pytest.raises(ValueError, match="blank"):
            store.lobbies.join(game, holder, entropy, None)


def test_game_starts_when_every_seat_is_taken_and_its_creator_starts_it(store):
    game = opened(store, "ann", None, invitation_digest="x").id

    assert "seats-open" == refusal(store.lobbies.start, game, "ann", "begin")
    store.lobbies.join(game, "bob", "ab", None)
    assert "not-creator" == refusal(store.lobbies.start, game, "bob", "begin")
    before = store.schedule.now()
    first = store.lobbies.start(game, "ann", "begin")

    assert ("running", "") == (first.status, first.invitation_digest)
    assert before <= first.started_at <= store.schedule.now()
    assert "pending" == outcome(store, game, "begin")
    (work,) = store.claims.work([game])
    assert ["", "ab"] == work.pending[0][1]["command"]["entropy"]


def test_starting_twice_returns_the_same_lobby_and_begins_once(store):
    game = opened(store, "ann", "bob").id
    first = store.lobbies.start(game, "ann", "begin")

    assert first == store.lobbies.start(game, "ann", "begin")
    assert 1 == len(store.claims.work([game])[0].pending)


def test_a_lobby_is_frozen_once_it_has_started(store):
    game = opened(store, "ann", "bob").id
    frozen = store.lobbies.start(game, "ann", "begin")

    for call, arguments in (
        (store.lobbies.join, (game, "cid", "", None)),
        (store.lobbies.seat_bot, (game, "ann", "greedy")),
        (store.lobbies.add_entropy, (game, "ann", Seat(1), "00")),
        (store.lobbies.leave, (game, "bob", Seat(2))),
        (store.lobbies.new_invitation, (game, "ann", "y")),
    ):
        assert "started" == refusal(call, *arguments)
    assert frozen == store.lobbies.get(game)


def test_dice_entropy_in_begin_equals_that_of_the_started_lobby(store):
    """Seats change during the start: `begin` must have exactly the chairs that are frozen."""
    game = opened(store, "ann", "bob").id
    ended = threading.Event()

    def stir():
        number = 0
        while not ended.is_set():
            number += 1
            try:
                store.lobbies.add_entropy(game, "bob", Seat(2), f"{number:06x}")
            except LobbyRefusal:
                return

    stirring = threading.Thread(target=stir)
    stirring.start()
    frozen = store.lobbies.start(game, "ann", "begin")
    ended.set()
    stirring.join()

    told = store.claims.work([game])[0].pending[0][1]["command"]
    assert [chair.entropy for chair in frozen.chairs] == told["entropy"]
    assert frozen.chairs == store.lobbies.get(game).chairs


def test_ended_game_has_the_status_over_and_no_pending_decision(store):
    game = started(store)
    turn = 0
    while store.lobbies.get(game).status == "running":
        turn += 1
        for seat in (1, 2):
            submit(store, game, command(f"{turn}-{seat}", seat, pennies=1))
        pump(store, game)
    assert "over" == store.lobbies.get(game).status
    assert orjson.loads(store.views.rows(game).asked) == []


# -- removing -----------------------------------------------------------------------------------------------------------


def test_only_the_creator_deletes_a_lobby(store):
    made = opened(store, "ann", "bob")

    assert "not-creator" == refusal(store.lobbies.delete, made.id, "bob")
    assert made == store.lobbies.get(made.id)
    store.lobbies.delete(made.id, "ann")
    assert store.lobbies.get(made.id) is None
    assert "unknown-game" == refusal(store.lobbies.delete, made.id, "ann")


def test_started_game_is_not_deleted(store):
    game = started(store)
    head = store.log.head(game)

    for told in ({}, {"creator": "ann"}, {"since": store.schedule.now() + 1}):
        assert "started" == refusal(store.lobbies.delete, game, **told)
    assert head == store.log.head(game)


def test_deleted_lobby_wakes_its_subscribers(store):
    made = opened(store, "ann", None)
    waiter = store.news.subscribe(made.id)
    while waiter.wait(0.05):
        pass
    store.lobbies.delete(made.id)

    assert waiter.wait(30)


def test_lobby_missing_from_the_list_of_lobbies_is_not_deleted_as_abandoned(redis_store):
    made = opened(redis_store, "ann", None)
    lobbies = redis_store.keys.partition(made.id).lobbies
    redis_store.wire.one("ZREM", lobbies, made.id)

    assert "changed" == refusal(redis_store.lobbies.delete, made.id, since=redis_store.schedule.now())
    assert made == redis_store.lobbies.get(made.id)


def test_delete_removes_a_game_that_is_no_lobby_from_the_list_of_lobbies(redis_store, monkeypatch):
    """Otherwise the search for abandoned lobbies would find it again and again."""
    game, gone = started(redis_store), opened(redis_store, "ann", None)
    redis_store.lobbies.delete(gone.id)
    monkeypatch.setattr(redis_store.lobbies, "get", lambda _: gone)
    for name, code in ((game, "started"), (gone.id, "unknown-game")):
        lobbies = redis_store.keys.partition(name).lobbies
        redis_store.wire.one("ZADD", lobbies, 1, name)

        assert code == refusal(redis_store.lobbies.delete, name)
        assert redis_store.wire.one("ZSCORE", lobbies, name) is None


def test_title_is_changed_by_the_creator_before_the_start_only(store):
    game = opened(store, "ann", "bob").id
    store.lobbies.set_title(game, "ann", "Friday", ["fast"])
    store.lobbies.set_title(game, "ann", tags=["slow"])
    assert ("Friday", ("slow",)) == titled(store, game)

    assert "not-creator" == refusal(store.lobbies.set_title, game, "bob", "Mine")
    assert "unknown-game" == refusal(store.lobbies.set_title, "g0", "ann", "Mine")
    store.lobbies.start(game, "ann", f"begin:{game}")
    assert "started" == refusal(store.lobbies.set_title, game, "ann", "Late")
    assert ("Friday", ("slow",)) == titled(store, game)


def test_change_of_a_title_counts_as_activity_in_the_lobby(store):
    game = opened(store, "ann", None).id
    lobbies = store.keys.partition(game).lobbies
    store.wire.one("ZADD", lobbies, 5, game)

    store.lobbies.set_title(game, "ann", "Friday")

    assert float(store.wire.one("ZSCORE", lobbies, game)) > 1_700_000_000_000


def test_title_is_not_changed_while_the_game_starts(store, monkeypatch):
    game = opened(store, "ann", "bob", title="Friday").id
    read = type(store.wire).one

    def started_after_reading(wire, *command):
        reply = read(wire, *command)
        monkeypatch.undo()
        store.lobbies.start(game, "ann", f"begin:{game}")
        return reply

    monkeypatch.setattr(type(store.wire), "one", started_after_reading)

    assert "started" == refusal(store.lobbies.set_title, game, "ann", "Late")
    assert "Friday" == store.lobbies.get(game).title


def test_default_title_is_not_stored(store):
    game = opened(store, "ann", "bob", title="Friday").id
    store.lobbies.set_title(game, "ann", "", [])

    assert (default_title(game), ()) == titled(store, game)
    assert store.wire.one("HGET", store.keys.game(game).meta, "title") is None


def titled(store, game):
    found = store.lobbies.get(game)
    return found.title, found.tags
