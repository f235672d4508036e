"""Every follower of the log: those of the features and the core's."""

from __future__ import annotations

from service.core.feature import load
from service.core.followers.follower import Follower
from service.core.followers.game_lists import GameLists
from service.core.followers.runner import Followers
from service.core.positions.cache import Positions
from service.features import FEATURES
from service.store.redis.store import Store

FOLLOWERS: tuple[type[Follower], ...] = tuple(
    sorted(
        (*(load(feature.follower) for feature in FEATURES if feature.follower), GameLists),
        key=lambda follower: follower.is_late,
    )
)


def open_followers(store: Store, positions: Positions) -> Followers:
    return Followers(store, positions, [follower(store) for follower in FOLLOWERS])
