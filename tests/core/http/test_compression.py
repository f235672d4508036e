"""Responses are compressed for clients that accept it, with their own ETags; small responses and streams are not."""

from __future__ import annotations

import gzip

import orjson
import pytest
from backports import zstd

from service.core.http.compression import MIN_SIZE, coding_for

UNPACK = {"gzip": gzip.decompress, "zstd": zstd.decompress}


@pytest.fixture
def table(world):
    """A game of Battalia, whose view is long; the player with a pending decision, then the other."""
    players = [world.player() for _ in range(2)]
    game = players[0].make_game("battalia", 2)["id"]
    players[1].join(game)
    players[0].start(game)
    return game, *sorted(players, key=lambda player: -player.options(game)["answers"])


@pytest.mark.parametrize(
    ("header", "coding"),
    [
        (None, None),
        ("", None),
        ("gzip", "gzip"),
        ("zstd", "zstd"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip, deflate", "gzip"),
        ("gzip;q=1, zstd;q=0.5", "gzip"),
        ("gzip;q=0, zstd;q=0", None),
        ("gzip;q=0.5, zstd;q=0", "gzip"),
        ("identity", None),
        ("identity, gzip;q=0.5", None),
        ("identity;q=0.5, gzip;q=0.5", "gzip"),
        ("*", "zstd"),
        ("*;q=0", None),
        ("zstd;q=0, *", "gzip"),
        ("br", None),
        ("gzip;q=nonsense", None),
        (";;,,", None),
    ],
)
def test_the_coding_is_the_one_with_the_greatest_weight(header, coding):
    assert coding == coding_for(header)


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
@pytest.mark.parametrize("path", ["/view", "/view?at=1", "/options", "/board.svg", "/events"])
def test_a_compressed_response_has_the_same_content_and_is_smaller(table, coding, path):
    game, ash, _ = table
    plain = ash.get(f"/v1/games/{game}{path}", want=200)
    packed = ash.get(f"/v1/games/{game}{path}", headers={"Accept-Encoding": coding}, want=200)

    assert (coding, str(len(packed.body))) == (packed.headers["Content-Encoding"], packed.headers["Content-Length"])
    assert plain.body == UNPACK[coding](packed.body)
    assert len(packed.body) < len(plain.body)
    assert "Content-Encoding" not in plain.headers
    for answer in (plain, packed):
        assert "Accept-Encoding" in answer.headers["Vary"]


@pytest.mark.parametrize("path", ["/view", "/view?at=1", "/options"])
def test_a_compressed_response_has_its_own_etag_and_either_etag_gives_304(table, path):
    game, ash, _ = table
    packing = {"Accept-Encoding": "gzip"}
    plain = ash.get(f"/v1/games/{game}{path}", want=200).headers["ETag"]
    packed = ash.get(f"/v1/games/{game}{path}", headers=packing, want=200).headers["ETag"]

    assert f'{plain[:-1]}-gzip"' == packed
    for known, headers in ((plain, {}), (plain, packing), (packed, {}), (packed, packing)):
        answer = ash.get(f"/v1/games/{game}{path}", headers={**headers, "If-None-Match": known}, want=304)
        assert (answer.headers["ETag"] == packed) == (known == packed and bool(headers))
        assert "Accept-Encoding" in answer.headers["Vary"]
        assert b"" == answer.body


def test_the_etag_of_a_compressed_view_works_in_if_match(table):
    game, ash, _ = table
    tag = ash.get(f"/v1/games/{game}/view", headers={"Accept-Encoding": "zstd"}, want=200).headers["ETag"]

    ash.send(game, {"type": "end_turn"}, seen=tag, want=200)
    ash.send(game, {"type": "end_turn"}, seen=tag, want=412)


def test_small_responses_and_head_responses_are_not_compressed(table):
    game, ash, _ = table
    packing = {"Accept-Encoding": "gzip, zstd"}

    small = ash.get("/v1/me", headers=packing, want=200)
    assert len(small.body) < MIN_SIZE
    assert "Content-Encoding" not in small.headers
    head = ash.site.call("HEAD", f"/v1/games/{game}/view", packing, None)
    assert "Content-Encoding" not in head.headers


def test_a_response_with_a_token_and_client_text_is_not_compressed(world):
    ash = world.player()
    told = ash.post("/v1/me/tokens", {"label": "x" * 80, "scopes": ["read"]}, headers={"Accept-Encoding": "gzip"})

    assert "Content-Encoding" not in told.headers
    assert len(told.body) < MIN_SIZE


def test_streams_are_not_compressed(table):
    game, ash, _ = table
    headers = {"Accept-Encoding": "gzip, zstd", "Authorization": f"Bearer {ash.token}"}

    with ash.site.chunks(f"/v1/games/{game}/events", {**headers, "Accept": "text/event-stream"}) as chunks:
        assert next(chunks).startswith(b"retry:")
    lines = ash.get(f"/v1/games/{game}/events", headers={**headers, "Accept": "application/x-ndjson"}, want=200)
    assert 1 == orjson.loads(lines.body.splitlines()[0])["seq"]
    assert "Content-Encoding" not in lines.headers


def test_problems_are_compressed_like_other_responses(table):
    game, ash, _ = table
    body = {"commands": [{"type": "no"}] * 20}

    told = ash.post(f"/v1/games/{game}/commands", body, headers={"Accept-Encoding": "zstd"}, want=422)

    assert "invalid" == orjson.loads(zstd.decompress(told.body))["code"]
