"""The players and games of the month, equal in any store: `python -m tests.month.founding <receiver>`."""

from __future__ import annotations

import base64
import os
import sys

from domain.kernel.game.rules import Setup
from domain.kernel.terms import PlayerId
from domain.registry import GAMES
from domain.table import features
from service.core.http.context.tokens import digest_of
from service.core.notifications.game_subscriptions import subscribe_game
from service.core.notifications.kinds import EMAIL as LETTERS
from service.core.notifications.kinds import WEBHOOK
from service.features.email import links
from service.features.email.mailbox import DAILY, DAY, Mailbox, next_daily_email
from service.features.webhooks.webhook import WebhookTerms
from service.store.ports.accounts import Credential, Player
from service.store.ports.lobbies import Chair, Lobby
from service.store.ports.outbox import NO_GAME, Subscription
from service.store.redis.store import open_store
from service.store.seal import commitment
from tests.workers.almanac import instant

SOFIA = "Europe/Sofia"
START = instant("2031-03-10 07:00", SOFIA)
"""A Monday; clocks change at the end of the third week. It must be in the future, since no clock is set back."""

OFF = {"weekends": ["saturday", "sunday"], "holidays": ["2031-03-19"]}
BY_CALENDAR = {"mode": "calendar", "day": "PT24H", "at": "18:00", "zone": SOFIA, **OFF}
OVERSEAS = {"mode": "calendar", "day": "PT24H", "at": "08:00", "zone": "America/New_York", "holidays": ["2031-04-01"]}
BY_QUESTION = {"mode": "per_question", "hours": 10, "bank_hours": 5, "increment_hours": 1, "zone": SOFIA, **OFF}

PEOPLE = ("ada", "bob", "cyd", "dan", "eve", "fay")
"""Eve takes the seats that Bob loses, Fay sits in for Dan."""

SEATED = PEOPLE[:4]
ALL = tuple(GAMES["battalia"].rules.modules)

TABLES = {
    "hills": ("battalia", BY_CALENDAR, ALL, {"max_weeks": 4}, {}),
    "lakes": ("battalia", OVERSEAS, ("keeper", "rammoth"), {"max_weeks": 5}, {"on_timeout": "bot"}),
    "rivers": ("battalia", BY_QUESTION, ALL, {"max_weeks": 20}, {}),
    "history": ("fronela", BY_QUESTION, (), {}, {"on_timeout": "random", "undo": "free"}),
}
"""Kind, pace, modules, options and table settings. Fronela has no days, and so no calendar."""

HOOKS = {
    "ada": ("json", ("commit", "your_turn", "turn", "game_over"), "seat"),
    "bob": ("discord", ("your_turn", "turn", "game_over"), "public"),
    "cyd": ("slack", ("turn", "game_over", "commit"), "public"),
    "dan": ("text", ("your_turn", "game_over"), "seat"),
}
BOXES = {
    "ada": {"when": "asked"},
    "bob": {"when": "later", "minutes": 60, "zone": SOFIA, "quiet": ("22:00", "08:00")},
    "cyd": {"when": "daily", "hour": 8, "zone": SOFIA},
    "eve": {"when": "later", "minutes": 30, "reminders": False},
}
SECRET = "whsec_" + base64.b64encode(bytes(range(24))).decode()
SEED = bytes(range(32))


def token(name):
    return f"owt_{name * 12}"


def found(store, receiver, games):
    """Create accounts, subscriptions and started games. `receiver` is the address that paths are added to."""
    now = store.schedule.now()
    for name in PEOPLE:
        player = PlayerId(name)
        made = Credential(f"c{name}", player, ("read", "play"), now)
        store.accounts.create(Player(player, name.title(), now), made, digest_of(token(name)))
        if name in HOOKS:
            format_, events, reader = HOOKS[name]
            hook = WebhookTerms(f"{receiver}/{name}", format_, events, reader, ((SECRET, 0),))
            store.subscriptions.add(Subscription(f"w{name}", WEBHOOK, player, None, now, hook.terms()), 0)
        if name in BOXES:
            box = Mailbox(f"{name}@example.org", verified=True, leave=f"leave-{name}", **BOXES[name])
            letters = Subscription(f"s{name}", LETTERS, player, None, now, box.terms(), active=box.follows_commits)
            store.subscriptions.add(letters, 1)
            links.register_unsubscribe_secret(store, letters, box.leave)
            if box.when == DAILY:
                store.outbox.put(NO_GAME, letters.id, f"{DAY}:{next_daily_email(box, now)}")
    for game in games:
        kind, pace, modules, options, table = TABLES[game]
        setup = GAMES[kind].rules.check(Setup(len(SEATED), "", options, modules))
        chosen = features.complete_settings({"missed_limit": 3, **table})
        lobby = Lobby(
            game,
            kind,
            SEATED[0],
            tuple(Chair(name) for name in SEATED),
            setup.ruleset,
            setup.options,
            setup.modules,
            pace,
            "public",
            commitment(SEED),
            now,
            table=chosen,
        )
        store.lobbies.create(lobby, SEED)
        subscribe_game(store, game, SEATED)
        store.lobbies.start(game, SEATED[0], f"begin {game}")


if __name__ == "__main__":
    house = open_store(os.environ["ORACLEWHEEL_REDIS_URL"])
    found(house, sys.argv[1], sys.argv[2:])
    house.close()
