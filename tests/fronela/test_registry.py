"""The registry of episodes: it is whole, and a game without it does not begin."""

import subprocess
import sys

import pytest

from domain.games.fronela.episode_api import registry
from domain.games.fronela.episode_api.socket import Episode
from domain.games.fronela.episodes import EPISODES
from domain.games.fronela.scenarios import SCENARIOS
from domain.games.fronela.state import start


def test_every_scenario_finds_its_episodes_and_no_episode_stands_idle():
    for scenario in SCENARIOS.values():
        assert EPISODES.keys() == scenario.episodes.keys()


def test_an_episode_that_reacts_says_to_what_and_no_other_does():
    for episode in EPISODES.values():
        assert bool(episode.reacts) == (type(episode).react is not Episode.react), episode.key


def test_without_its_episodes_no_round_is_played_not_even_one_in_which_there_are_none():
    code = "from domain.games.fronela.episode_api.registry import live; from domain.games.fronela.state import start; live(start('fronela_v1'))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert found.returncode == 1
    assert "LookupError: no such episodes: blinding_eye, " in found.stderr


def test_one_missing_episode_is_named(monkeypatch):
    registry._live.cache_clear()
    monkeypatch.delitem(registry._registered, "dormal")

    with pytest.raises(LookupError, match="no such episodes: dormal;"):
        registry.live(start("fronela_v2"))


def test_a_key_is_registered_once():
    with pytest.raises(ValueError, match="two episodes are called dormal"):
        registry.register(EPISODES["dormal"])
