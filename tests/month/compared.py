"""The parts of two months that must be equal: each commit, webhook event and email, with its time."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from datetime import UTC, datetime

from standardwebhooks.webhooks import Webhook as Verifier

from service.core.notifications.notification import notification_id
from tests.month.founding import SECRET

TICKET = re.compile(r"/letters/[A-Za-z0-9_-]+(?:/[A-Za-z0-9_-]{43})?|[A-Za-z0-9_-]{43}")
"""The random part of a link in an email."""


PLANNED = re.compile(r"^[A-Za-z0-9_-]{24}(?=\.\d+$)")
"""The random prefix in the id of a plan's command."""


VACATION = re.compile(r"(?<=:)v[0-9a-z]{16}(?=:)")
"""The random vacation id in the id of a submission about a vacation."""


class Names:
    """Stable names for random values, numbered in the order of their first occurrence."""

    def __init__(self):
        self.known = {}

    def of(self, kind, drawn):
        return self.known.setdefault((kind, drawn), f"{kind} {sum(each[0] == kind for each in self.known) + 1}")


def commits(house, game):
    """Every commit with its whole body and the time it was settled.

    Random values are replaced by the name of their first occurrence: ids of vacations and plans, and the salted digest
    of chat messages. Heads and signatures depend on them and are left out.
    """
    names, found = Names(), []
    for stored in house.reading(lambda store: list(store.log.commits(game))):
        body = json.loads(stored.body)
        submission = body["submission"]
        if body["actor"]["by"] == "plan":
            id_, dot, place = submission["id"].rpartition(".")
            submission["id"] = names.of("plan", id_) + dot + place
        found.append({"at": stored.at, **_plain(body, names)})
    return found


def _plain(value, names):
    match value:
        case {"vacation": str(id_)}:
            rest = {name: each for name, each in value.items() if name != "vacation"}
            return {**_plain(rest, names), "vacation": names.of("vacation", id_)}
        case {"type": "say" | "said", "digest": str(digest)}:
            return {**value, "digest": names.of("digest", digest)}
        case dict():
            return {name: _plain(each, names) for name, each in value.items()}
        case list():
            return [_plain(each, names) for each in value]
        case str():
            return VACATION.sub(lambda found: names.of("id of a vacation", found[0]), value)
        case _:
            return value


def words(receiver, heads):
    """The webhook events of each path by game and commit, and how many were delivered again.

    `heads` are the heads of each game's log, from its first commit on. First deliveries of one game must be signed and
    in the order of its commits, and repeated deliveries must be equal. Only the timestamp is kept of the headers;
    bodies are as `_without_chance` returns them.
    """
    found, doubles = {}, 0
    for path, got in receiver.got.items():
        known = {
            notification_id(f"w{path[1:]}", game, seq, head): (game, seq)
            for game, stood in heads.items()
            for seq, head in enumerate(stood, 1)
        }
        firsts = {}
        for each in got:
            plain = "json" not in each.headers["content-type"]
            said = each.body.decode() if plain else json.dumps(_without_chance(each.json))
            said = each.headers["webhook-timestamp"], said
            place, then = known[each.id], datetime.fromtimestamp(int(said[0]), UTC)
            assert Verifier(SECRET).sign(each.id, then, each.body.decode()) == each.headers["webhook-signature"]
            doubles += place in firsts
            assert firsts.setdefault(place, said) == said, f"{place} came twice and said something else"
        for game in heads:
            came = [seq for of, seq in firsts if of == game]
            assert sorted(came) == came, f"{path} was told of {game} out of order"
        found[path] = firsts
    return found, doubles


CHANCE = ("head", "digest", "vacation")


def _without_chance(value):
    """The value without heads, digests of chat messages, and random ids.

    All of them depend on chance; see `commits`.
    """
    match value:
        case dict():
            return {name: _without_chance(each) for name, each in value.items() if name not in CHANCE}
        case list():
            return [_without_chance(each) for each in value]
        case str():
            return PLANNED.sub("a plan", value)
        case _:
            return value


def letters(mail):
    """The emails to each address about each game, in the order of their first delivery, and how many were delivered
    again.

    Subject, time, text and HTML. Left out are the links, which are random, the message id, which contains a head, and
    the pictures, which are blank in both months.
    """
    found, seen, doubles = defaultdict(list), {}, 0
    for (to,), letter in mail.letters:
        id_, bodies = letter["Message-ID"], [letter.get_body((kind,)) for kind in ("plain", "html")]
        texts = [each.get_content().replace(id_.strip("<>"), "its id") for each in bodies if each]
        said = (letter["Subject"], letter["Date"], *(TICKET.sub("…", text) for text in texts))
        doubles += id_ in seen
        if seen.setdefault(id_, said) is said:
            found[to, letter["References"]].append(said)
        assert seen[id_] == said, f"{id_} came twice and said something else"
    return dict(found), doubles


def same(expected, found):
    """Check that every recipient got the same, and report what is missing, unexpected or different."""
    assert expected.keys() == found.keys()
    for to, here in expected.items():
        there = found[to]
        lost, new = [each for each in here if each not in there], [each for each in there if each not in here]
        assert not lost and not new, f"to {to}, lost: {lost}, new: {new}"
        for each, other in zip(here, there, strict=True):
            told = (here[each], there[each]) if isinstance(here, dict) else (each, other)
            assert told[0] == told[1], f"to {to}, {each}: {told[0]!r} and {told[1]!r}"
    assert expected == found
