"""The shipped clients play whole games of both kinds and stream every event over a connection that breaks."""

from __future__ import annotations

import pytest

from tests.clients.conftest import begin
from tests.clients.lossy import lossy

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600)]


@pytest.mark.parametrize(("kind", "seats", "options"), [("battalia", 2, {"max_weeks": 1}), ("fronela", 4, {})])
def test_client_bot_finishes_a_game_and_its_stream_has_every_event(client, url, ada, kind, seats, options):
    game = begin(ada, kind, seats, options=options)

    client.play(url, ada.token, game)

    summary = ada.summary(game)
    assert ("over", ada.id, None) == (
        summary["status"],
        summary["seats"][0]["player"]["id"],
        summary["seats"][0]["bot"],
    )
    with lossy(url, cuts=3, lost=20_001) as wire:
        heard = client.tried("stream", wire.url, ada.token, game)
    assert 3 == wire.cut
    assert [entry["seq"] for entry in ada.events(game)] == heard
