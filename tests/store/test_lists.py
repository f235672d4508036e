"""Lists of games, on a server and in a cluster."""

from __future__ import annotations

import pytest

from service.store.shared.cursor import BadCursor
from tests.store.pump import command, lobby, opened, pump, started, submit


def walk(store, limit, **filters):
    """The ids of every game of a list, page by page."""
    found, cursor = [], None
    while True:
        page, cursor = store.lobbies.page(cursor=cursor, limit=limit, **filters)
        assert len(page) <= limit
        found += [game.id for game in page]
        if cursor is None:
            return found
        assert len(page) == limit


@pytest.mark.parametrize("limit", [1, 3, 50])
def test_list_is_complete_newest_first_and_without_repeats(store, limit):
    games = [opened(store, "ann", None).id for _ in range(30)]

    assert games[::-1] == walk(store, limit)


@pytest.mark.parametrize("limit", [1, 4])
def test_games_of_the_same_instant_are_all_listed(store, limit):
    games = [opened(store, "ann", None, made_at=1_700_000_000_000).id for _ in range(25)]

    assert sorted(games, reverse=True) == walk(store, limit)


def test_games_created_between_pages_do_not_change_later_pages(store):
    games = [opened(store, "ann", None).id for _ in range(6)]
    first, cursor = store.lobbies.page(limit=3)
    opened(store, "ann", None)
    second, _ = store.lobbies.page(limit=3, cursor=cursor)

    assert games[::-1] == [game.id for game in (*first, *second)]


def test_only_public_games_are_listed_except_for_their_own_players(store):
    hidden = opened(store, "ann", None, visibility="private", invitation_digest="x").id
    unlisted = opened(store, "bob", None, visibility="unlisted", invitation_digest="x").id
    public = opened(store, "ann", None).id
    store.lobbies.join(unlisted, "ann", "", "x")

    assert [public] == walk(store, 10)
    assert [public, unlisted, hidden] == walk(store, 2, player_id="ann")
    assert [unlisted] == walk(store, 10, player_id="bob")
    assert [public, unlisted, hidden] == list(store.accounts.games_of("ann"))


def test_games_are_filtered_by_kind_and_status(store):
    waiting = opened(store, "ann", None).id
    other = opened(store, "ann", None, kind="marbles").id
    running = started(store)
    over = started(store)
    turn = 0
    while store.lobbies.get(over).status == "running":
        turn += 1
        for seat in (1, 2):
            submit(store, over, command(f"{turn}-{seat}", seat, pennies=1))
        pump(store, over)

    assert [over, running, other, waiting] == walk(store, 10)
    for filters, expected in (
        ({"kind": "pennies"}, [over, running, waiting]),
        ({"kind": "marbles"}, [other]),
        ({"kind": "chess"}, []),
        ({"status": "lobby"}, [other, waiting]),
        ({"status": "running"}, [running]),
        ({"status": "over"}, [over]),
        ({"kind": "pennies", "status": "lobby"}, [waiting]),
        ({"kind": "marbles", "status": "running"}, []),
    ):
        assert expected == walk(store, 10, **filters)
        assert expected == walk(store, 1, player_id="ann", **filters)


@pytest.mark.parametrize("limit", [1, 3, 50])
def test_oldest_games_can_come_first(store, limit):
    same = [opened(store, "ann", None, made_at=1_600_000_000_000).id for _ in range(7)]
    games = [opened(store, "ann", None).id for _ in range(20)]

    assert [*sorted(same), *games] == walk(store, limit, oldest_first=True)
    assert [*sorted(same), *games] == walk(store, limit, oldest_first=True, player_id="ann")


@pytest.mark.parametrize("limit", [1, 3, 50])
def test_games_are_filtered_by_the_time_of_their_creation(store, limit):
    games = [opened(store, "ann", None, made_at=1000 + number) for number in range(9)]
    late = [each.id for each in games[4:]]

    assert late == walk(store, limit, since=1004, oldest_first=True)
    assert late[::-1] == walk(store, limit, since=1004)
    assert [] == walk(store, limit, since=2000)


@pytest.mark.parametrize("limit", [1, 50])
def test_games_are_filtered_by_tag_and_player(store, limit):
    both = opened(store, "ann", "bob", tags=("fast", "new")).id
    hidden = opened(store, "ann", "bob", tags=("fast",), visibility="private", invitation_digest="x").id
    fast = opened(store, "cid", None, kind="marbles", tags=("fast",)).id
    opened(store, "cid", "bot:greedy")

    assert [fast, both] == walk(store, limit, tag="fast")
    assert [both] == walk(store, limit, tag="new") == walk(store, limit, with_player="bob")
    assert [fast] == walk(store, limit, tag="fast", kind="marbles") == walk(store, limit, tag="fast", with_player="cid")
    assert [hidden, both] == walk(store, limit, player_id="ann", tag="fast", with_player="bob")
    assert [] == walk(store, limit, tag="other") == walk(store, limit, player_id="ann", with_player="cid")


def test_tags_follow_the_game_until_it_is_deleted(store):
    game = opened(store, "ann", None, tags=("fast",)).id
    store.lobbies.set_title(game, "ann", tags=["slow", "new"])

    assert [] == walk(store, 5, tag="fast")
    assert [game] == walk(store, 5, tag="slow") == walk(store, 5, tag="new")
    hidden = opened(store, "ann", None, visibility="private", invitation_digest="x").id
    store.lobbies.set_title(hidden, "ann", tags=["slow"])
    assert 0 == store.wire.one("EXISTS", store.keys.tagged(store.keys.partition(hidden), "slow"))
    store.lobbies.delete(game, "ann")
    names = [store.keys.tagged(store.keys.partition(game), tag) for tag in ("fast", "slow", "new")]
    assert [0, 0, 0] == store.wire.all([("EXISTS", name) for name in names])


def test_player_who_left_a_game_no_longer_finds_it_in_their_list(store):
    game = opened(store, "ann", None).id
    seat = store.lobbies.join(game, "bob", "", None)
    assert [game] == walk(store, 5, player_id="bob")
    store.lobbies.leave(game, "bob", seat)

    assert [] == walk(store, 5, player_id="bob")


@pytest.mark.parametrize("cursor", ["x", "%%%", "aGVsbG8", "", "é"])
def test_invalid_cursor_is_refused(store, cursor):
    with pytest.raises(BadCursor):
        store.lobbies.page(cursor=cursor)


def test_list_contains_complete_lobbies(store):
    made = lobby("ann", "bot:greedy", modules=("one",))
    store.lobbies.create(made, b"s")
    page, _ = store.lobbies.page()

    assert [made] == list(page)
