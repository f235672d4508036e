"""Every follower that settle workers run after their commits, in the order in which they run."""

from __future__ import annotations

from service.core.followers.game_lists import GameLists
from service.core.followers.notifications import Notifications
from service.core.followers.plans import Plans
from service.core.followers.reliability import Reliability
from service.core.followers.runner import Followers
from service.core.followers.seats import Seats
from service.core.positions.cache import Positions
from service.store.redis.store import Store

FOLLOWERS = (Reliability, Seats, Plans, GameLists, Notifications)


def open_followers(store: Store, positions: Positions) -> Followers:
    return Followers(store, positions, [follower(store) for follower in FOLLOWERS])
