"""End to end: four clients finish a game over REST, and anyone can verify it afterwards."""

from __future__ import annotations

import pytest

from domain.kernel.dice import Dice
from service.audit.auditor import audit
from tests.audit.test_auditor import mutations
from tests.core.http.test_served import serving, working
from tests.driver import Player, play_out

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600)]


@pytest.fixture
def site(redis_url, redis_store, tmp_path):
    with working(redis_store), serving(redis_url, tmp_path) as remote:
        yield remote


@pytest.mark.parametrize("kind", ["battalia", "fronela"])
def test_four_clients_finish_a_game_and_only_its_unchanged_export_is_valid(site, redis_store, kind):
    players = [Player.register(site, name) for name in ("Ada", "Bob", "Cy", "Di")]
    made = players[0].make_game(kind, 4)
    for player in players[1:]:
        player.join(made["id"], made["invitation"])
    players[0].start(made["id"])
    summary = play_out(players, made["id"], Dice(b"w" * 32), most=100_000, seconds=3000)
    whole = Player(site).get(f"/v1/games/{made['id']}/export", want=200).body
    report = audit(whole, heads=[summary["head"]])

    assert report.is_ok, report.verdict
    assert "authenticated" == report.verdict
    assert {int(seat): points for seat, points in summary["outcome"]["scores"].items()} == {
        int(seat): points for seat, points in report.facts["outcome"]["scores"].items()
    }
    for sort, place, changed in mutations(whole, 200, 11):
        found = audit(changed, heads=[summary["head"]])
        assert not found.is_ok, (sort, place)
        assert found.divergences[0].what
