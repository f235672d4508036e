"""The registry of episodes is complete, and a game without its episodes does not start."""

import subprocess
import sys

import pytest

from domain.games.fronela.episode_api import registry
from domain.games.fronela.episode_api.socket import Episode
from domain.games.fronela.episodes import EPISODES
from domain.games.fronela.scenarios import SCENARIOS
from domain.games.fronela.state import start


def test_every_scenario_uses_exactly_the_registered_episodes():
    for scenario in SCENARIOS.values():
        assert EPISODES.keys() == scenario.episodes.keys()


def test_only_episodes_that_override_react_declare_what_they_react_to():
    for episode in EPISODES.values():
        assert bool(episode.reacts) == (type(episode).react is not Episode.react), episode.key


def test_game_without_registered_episodes_is_a_lookup_error():
    code = "from domain.games.fronela.episode_api.registry import live; from domain.games.fronela.state import start; live(start('fronela_v1'))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert found.returncode == 1
    assert "LookupError: no such episodes: blinding_eye, " in found.stderr


def test_one_missing_episode_is_named(monkeypatch):
    registry._live.cache_clear()
    monkeypatch.delitem(registry._registered, "dormal")

    with pytest.raises(LookupError, match="no such episodes: dormal;"):
        registry.live(start("fronela_v2"))


def test_registering_an_episode_key_twice_is_an_error():
    with pytest.raises(ValueError, match="two episodes are called dormal"):
        registry.register(EPISODES["dormal"])
