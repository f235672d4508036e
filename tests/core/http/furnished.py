"""A service for generated requests: it has one of everything, so that random requests often find something."""

from __future__ import annotations

from domain.kernel.dice import Dice
from domain.table.bots.search import LEVELS
from service.core.accounts.apps import AppConnection, add_connection
from service.features.analysis.storage import StoredAnalysis
from service.features.apps.schemas import AppRequest
from service.features.email import links
from service.features.email.mailbox import Mailbox, find_mailbox
from service.features.ratings.jobs import add_pending
from service.features.ratings.publication import publish_day
from service.features.webhooks.schemas import Delivery
from service.store.transparency.leaves import Leaf, name_of
from service.store.upkeep.log_growth import grow
from tests.core.http.conftest import World
from tests.driver import play_out
from tests.features.passkeys.authenticator import Authenticator
from tests.features.push.test_devices import ENDPOINT
from tests.features.push.test_devices import body as device
from tests.store.pump import SIGNER

DELIVERY = dict(Delivery.example)
DAY = 86_400_000
MANY = 9
"""Number of copies of each thing that a request removes."""
POST = {"smtp_url": "smtp://127.0.0.1:1", "mail_from": "post@example.org", "public_url": "https://example.org"}
COMMANDS = "/v1/games/{game}/commands"
HIDE = {"type": "hide", "pennies": 1}
PLAN = {"commands": [HIDE], "if": "legal", "then": "wait"}
ERASED = "Edda"
"""Name that the requests for erasure contain."""


def furnished(data):
    """
    Return the service with values that schemathesis cannot know.

    `world.ash` sends the requests. `world.values` maps path parameters to values, `world.apt` maps operations to values that
    succeed, and `world.bodies` maps operations to valid bodies.
    """
    world = World(rate_requests=0, rate_registrations=0, lobbies=0, refusal_burst=10**6, webhooks=0, data=data, **POST)
    world.values, world.apt, world.bodies = {}, {}, {}
    running, ash, birk = world.table("Ash", "Birk", options={"points": 100_000})
    world.ash = ash
    _games(world, running, ash, birk)
    _lobbies(world, ash, birk)
    _planned(world, ash, birk)
    _seats(world, ash, birk)
    _talk(world, running, ash, birk)
    _links(world, running, ash, birk)
    _webhooks(world, running, ash)
    _account(world, ash, birk)
    _ways_back(world, ash, birk)
    _apps(world, ash)
    _log_of_heads(world)
    _company(world, ash, birk)
    _ratings(world, ash, birk)
    _tournaments(world, ash, birk)
    _studies(world, running, ash)
    return world


def _games(world, running, ash, birk):
    over, battalia = _begun(ash, birk, options={"points": 1}), _begun(ash, birk, "battalia")
    box = _begun(ash, birk, sandbox={})
    play_out([ash, birk], over, Dice(b"f" * 32))
    world.values |= {
        "game": [running, battalia, over, box, ash.make_game()["id"], "gnone"],
        "key": ["nim", "battalia"],
        "picture_name": ["beginning.svg"],
        "name": ["nim_v1", "creation_v2", "none_v1"],
        "command": [ash.send(running, HIDE, want=200).json["id"], "x"],
        "seat": [1, 2, 3],
        "other": [1, 2, 3],
    }
    for operation in (
        ("GET", "/v1/games/{game}/position"),
        ("GET", "/v1/games/{game}/charts/points.svg"),
        ("POST", "/v1/games/{game}/fork"),
        ("POST", "/v1/games/{game}/analysis"),
        ("GET", "/v1/games/{game}/analysis"),
        ("GET", "/v1/games/{game}/analysis.svg"),
    ):
        world.apt[operation] = {"game": [over]}
    _analysed(world, over)
    world.apt["POST", COMMANDS] = {"game": [_begun(ash, birk) for _ in range(MANY)]}
    world.bodies |= {
        ("POST", "/v1/games"): [{"kind": "pennies", "seats": 2}, {"kind": "battalia", "seats": 3}],
        ("POST", "/v1/games/{game}/fork"): [{"seq": 1}],
        ("POST", "/v1/games/{game}/analysis"): [{}, {"level": 1}],
        ("POST", COMMANDS): [HIDE],
        ("POST", "/v1/me/tickets"): [{"game": running}],
    }


def _analysed(world, game):
    """Store an analysis of a finished game at each level; no search worker runs here."""
    seq = world.store.log.head(game)[0]
    for level in LEVELS:
        kept = StoredAnalysis(world.store.notes, world.store.schedule.now, game, level)
        kept.request(seq)
        kept.finish({"game": game, "turning_points": [], "chances": [[1, 0.5, 0.5], [9, 1.0, 0.0]]}, 2, seq)


def _lobbies(world, ash, birk):
    games = {name: [] for name in ("dropped", "joined", "left", "entropy")}
    for each in games.values():
        for _ in range(MANY):
            maker = birk if each is games["joined"] else ash
            each.append(maker.make_game(visibility="public")["id"])
    for game in games["left"]:
        birk.join(game)
    world.apt |= {
        ("DELETE", "/v1/games/{game}"): {"game": games["dropped"]},
        ("POST", "/v1/games/{game}/seats"): {"game": games["joined"]},
        ("POST", "/v1/games/{game}/invitation"): {"game": games["entropy"]},
        ("DELETE", "/v1/games/{game}/seats/{seat}"): {"game": games["left"], "seat": [2]},
        ("PATCH", "/v1/games/{game}/seats/{seat}"): {"game": games["entropy"], "seat": [1]},
    }
    world.bodies["POST", "/v1/games/{game}/invitation"] = [{}]
    world.bodies["POST", "/v1/games/{game}/seats"] = [{}]
    world.bodies["PATCH", "/v1/games/{game}/seats/{seat}"] = [{"entropy": "cc"}]


def _planned(world, ash, birk):
    """Games in which Ash has moved, waits for Birk and has a plan."""
    path, games = "/v1/games/{game}/plan", []
    for _ in range(3 * MANY):
        game = _begun(ash, birk)
        ash.send(game, HIDE, want=200)
        ash.call("PUT", path.format(game=game), PLAN, want=200)
        games.append(game)
    for number, method in enumerate(("PUT", "GET", "DELETE")):
        world.apt[method, path] = {"game": games[number::3]}
    world.bodies["PUT", path] = [PLAN]


def _seats(world, ash, birk):
    """Vacant seats, seats that Ash has requested, and seats of Ash with Cyd as the sitter."""
    cyd = world.player("Cyd")
    take, sitter = "/v1/games/{game}/seats/{seat}/take", "/v1/games/{game}/seats/{seat}/sitter"

    def vacant(**told):
        game = birk.make_game(options={"points": 1000}, visibility="public", **told)["id"]
        cyd.join(game)
        birk.start(game)
        cyd.send(game, {"type": "resign"}, want=200)
        return game

    asked = [vacant(table={"substitutes": "creator"}) for _ in range(MANY)]
    for game in asked:
        ash.post(take.format(game=game, seat=2), {}, want=202)
    world.apt["POST", take] = {"game": [vacant() for _ in range(MANY)], "seat": [2]}
    world.apt["DELETE", take] = {"game": asked, "seat": [2]}
    until = {"player": cyd.id, "until": world.store.schedule.now() + 100 * DAY}
    for method in ("POST", "DELETE"):
        games = [_begun(ash, birk) for _ in range(MANY)]
        world.apt[method, sitter] = {"game": games, "seat": [1]}
    cyd.agrees_to_sit_for(ash)
    world.apt["PUT", "/v1/me/sitting/{player}"] = {"player": [birk.id, cyd.id]}
    world.apt["DELETE", "/v1/me/sitting/{player}"] = {"player": [world.player().id for _ in range(MANY)]}
    for player_id in world.apt["DELETE", "/v1/me/sitting/{player}"]["player"]:
        world.store.accounts.agree_to_sit(ash.id, player_id, 0)
    for game in games:
        ash.post(sitter.format(game=game, seat=1), until, want=200)
    world.bodies |= {("POST", take): [{}], ("POST", sitter): [until]}


def _talk(world, running, ash, birk):
    talk, waits = f"/v1/games/{running}/talk", {"Prefer": "wait=10"}
    said = [ash.post(talk, {"text": f"{number}."}, headers=waits, want=200).json["seq"] for number in range(MANY)]
    world.values["seq"] = [*said, 10**6]
    words = [birk.post(talk, {"text": f"{number}!"}, headers=waits, want=200).json["seq"] for number in range(MANY)]
    world.bodies["POST", "/v1/games/{game}/reports"] = [{"seq": seq, "reason": "Rude."} for seq in words]
    world.bodies["POST", "/v1/games/{game}/mutes"] = [{"seat": 2}]
    for operation in (("POST", "/v1/games/{game}/reports"), ("POST", "/v1/games/{game}/mutes")):
        world.apt[operation] = {"game": [running]}


def _links(world, running, ash, birk):
    """Feeds and email links. Ash unsubscribes and Birk confirms: a confirmation link is void after unsubscribing."""
    feeds = [ash.post("/v1/me/feeds", body, want=201).json for body in ({"kind": "turns"}, {"kind": "calendar"})]
    feeds.append(ash.post("/v1/me/feeds", {"kind": "game", "game": running}, want=201).json)
    world.values["secret"] = [each["url"].rpartition("/")[2].partition(".")[0] for each in feeds]
    world.values["feed"] = [
        *(ash.post("/v1/me/feeds", {"kind": "turns"}, want=201).json["id"] for _ in range(MANY)),
        "x",
    ]
    world.bodies["POST", "/v1/me/feeds"] = [{"kind": "turns"}]
    boxes = []
    for player in (ash, birk):
        player.call("PUT", "/v1/me/email", {"address": f"{player.id}@example.org"}, want=200)
        subscription = find_mailbox(world.store, player.id)
        boxes.append((subscription, Mailbox.from_subscription(subscription)))
    for kind in (links.CONFIRM, links.OPEN):
        lent = [links.create_link(world.store, *boxes[1], kind, running) for _ in range(MANY)]
        for method in ("GET", "POST"):
            world.apt[method, f"/letters/{kind}/{{secret}}"] = {"secret": lent}
    for method in ("GET", "POST"):
        world.apt[method, "/letters/leave/{secret}"] = {"secret": [boxes[0][1].leave]}


def _webhooks(world, running, ash):
    hooks = [ash.post("/v1/webhooks", {"url": "https://example.org/"}, want=201).json["id"] for _ in range(MANY)]
    world.values["webhook"], kept = [*hooks[:-1], "x"], hooks[-1:]
    for number, hook in enumerate(hooks):
        for each in range(3):
            noted = {**DELIVERY, "id": f"msg_{each}", "game": running if each else None, "seq": 1 if each else None}
            world.store.subscriptions.note(hook, noted, dead=each == number % 3)
    world.values["delivery"] = ["msg_0", "msg_1", "msg_2", "x"]
    again = ("POST", "/v1/webhooks/{webhook}/deliveries/{delivery}/redeliver")
    world.apt[again] = {"webhook": kept, "delivery": ["msg_1", "msg_2"]}
    world.bodies["POST", "/v1/webhooks"] = [{"url": "https://example.org/hook"}]
    world.bodies[again] = [{}]


def _account(world, ash, birk):
    now = world.store.schedule.now()
    away = [{"from": now + (700 + n) * DAY, "to": now + (700 + n) * DAY + 1} for n in range(2 * MANY)]
    made = [ash.post("/v1/me/vacations", each, want=201).json["id"] for each in away[:MANY]]
    world.values["vacation"] = [*made, "x"]
    world.bodies["POST", "/v1/me/vacations"] = away[MANY:]
    tokens = [ash.post("/v1/me/tokens", {"scopes": ["read"]}, want=201).json["id"] for _ in range(MANY)]
    world.values["token"], world.values["player"] = [*tokens, "x"], [ash.id, birk.id, "x"]
    devices = [ash.post("/v1/me/devices", device(f"{ENDPOINT}{n}"), want=201).json["id"] for n in range(MANY)]
    world.values["device"] = [*devices, "x"]
    world.apt["PUT", "/v1/me/blocks/{player}"] = {"player": [world.player().id]}
    blocked = [world.player().id for _ in range(MANY)]
    for each in blocked:
        ash.call("PUT", f"/v1/me/blocks/{each}", {}, want=200)
    world.apt["DELETE", "/v1/me/blocks/{player}"] = {"player": blocked}
    world.bodies["POST", "/v1/me/devices"] = [device(f"{ENDPOINT}new")]
    world.bodies["DELETE", "/v1/me"] = [{"name": ERASED}]


def _ways_back(world, ash, birk):
    """Ash's passkeys and recovery codes of Birk. A signed challenge would expire before it is sent."""
    passkeys = []
    for number in range(MANY):
        made = Authenticator("https://example.org").create(ash.post("/v1/me/passkeys/options", {}).json["publicKey"])
        body = {"name": f"Passkey {number}", "credential": made}
        passkeys.append(ash.post("/v1/me/passkeys", body, want=201).json["id"])
    world.values["passkey"] = [*passkeys, "x"]
    codes = birk.post("/v1/me/recovery-codes", {}, want=201).json["codes"]
    world.bodies["POST", "/v1/sign-in/recovery-code"] = [{"code": code} for code in codes]


def _apps(world, ash):
    """Apps that Ash has registered and connected."""
    store = world.store
    made = [ash.post("/v1/apps", dict(AppRequest.example), want=201).json["id"] for _ in range(MANY)]
    world.values["app"] = [*made, "x"]
    now = store.schedule.now()
    known = [
        AppConnection(f"a{n}", ash.id, made[0], "Helper", ("games:read",), None, now, now + DAY, "x")
        for n in range(MANY)
    ]
    for each in known:
        add_connection(store, each)
    world.values["connection"] = [*(each.id for each in known), "x"]


def _log_of_heads(world):
    leaves = [Leaf(name_of(f"g{n}"), 1, name_of("h")) for n in range(300)]
    grow(world.store.ledger, SIGNER, "example.org/v1/log", leaves, 0)
    world.store.log.add_key(SIGNER.key_id, SIGNER.public.hex())
    world.values["tile"] = ["0/000", "0/001.p/44", "entries/000", "x"]


def _company(world, ash, birk):
    """Games to rename, and challenges for Ash to answer."""
    rename = ("PATCH", "/v1/games/{game}")
    world.apt[rename] = {"game": [ash.make_game()["id"]]}
    world.bodies[rename] = [{"title": "Friday evening", "tags": ["beginners"]}]
    challenge = {"kind": "pennies", "games": [{"seats": [{"player": birk.id}, {"player": ash.id}]}]}
    made = [birk.post("/v1/challenges", challenge, want=201).json["challenges"] for _ in range(MANY)]
    world.apt["DELETE", "/v1/me/challenges/{game}"] = {"game": [each[0]["game"]["id"] for each in made]}
    world.bodies["POST", "/v1/challenges"] = [challenge]


def _ratings(world, ash, birk):
    """A rated game that is over, and the published list that contains it."""
    game = _begun(ash, birk, visibility="public", table={"rated": True}, options={"points": 1})
    play_out([ash, birk], game, Dice(b"r" * 32))
    add_pending(world.store)
    day = publish_day(world.store).day
    world.apt |= {
        ("GET", "/v1/games/{game}/rating"): {"game": [game]},
        ("GET", "/v1/ratings/{rating_list}"): {"rating_list": ["pennies:2:players"]},
        ("GET", "/v1/ratings/published/{day}"): {"day": [day]},
    }


def _tournaments(world, ash, birk):
    """Tournaments of Ash that can be changed in each way."""
    body = {
        "name": "Autumn",
        "kind": "pennies",
        "seats": 2,
        "format": "round_robin",
        "places": 4,
        "pace": {"mode": "per_question", "hours": 24},
    }
    path = "/v1/tournaments/{tournament}"

    def made(organizer, count, *players):
        found = [organizer.post("/v1/tournaments", body, want=201).json["id"] for _ in range(count)]
        for tournament in found:
            for player in players:
                player.post(f"/v1/tournaments/{tournament}/entries", {}, want=201)
        return {"tournament": found}

    world.values["tournament"] = [*made(birk, 1, ash)["tournament"], "x"]
    world.apt |= {
        ("DELETE", path): made(ash, 3),
        ("POST", f"{path}/start"): made(ash, 3, ash, birk),
        ("POST", f"{path}/entries"): made(birk, MANY - 1),
        ("DELETE", f"{path}/entries/{{player}}"): made(world.player(), MANY, ash) | {"player": [ash.id]},
    }
    world.bodies |= {
        ("POST", "/v1/tournaments"): [body],
        ("POST", f"{path}/start"): [{}],
        ("POST", f"{path}/entries"): [{}],
    }


def _studies(world, running, ash):
    """Studies of Ash."""
    path = "/v1/games/{game}/studies"
    made = [ash.post(path.format(game=running), {}, want=201).json["id"] for _ in range(MANY)]
    world.values["study"] = [*made, "x"]
    world.apt |= {
        (method, path + more): {"game": [running]}
        for method, more in (("POST", ""), ("PATCH", "/{study}"), ("DELETE", "/{study}"))
    }
    world.bodies |= {("POST", path): [{}, {"at": 1, "draw": 7}], ("PATCH", path + "/{study}"): [{"name": "Quiet line"}]}


def _begun(ash, birk, kind="pennies", **told):
    game = ash.make_game(kind, **told)["id"]
    birk.join(game)
    ash.start(game)
    return game
