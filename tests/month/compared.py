"""What must be the same of two months: each commit, each word and each letter with its instant."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from datetime import UTC, datetime

from standardwebhooks.webhooks import Webhook as Verifier

from service.post.words import word_id
from tests.month.founding import SECRET

TICKET = re.compile(r"/letters/[A-Za-z0-9_-]+(?:/[A-Za-z0-9_-]{43})?|[A-Za-z0-9_-]{43}")
"""Of a link in a letter: it is another one each time."""


PLANNED = re.compile(r"^[A-Za-z0-9_-]{24}(?=\.\d+$)")
"""What the id of a command of a plan begins with."""


VACATION = re.compile(r"(?<=:)v[0-9a-z]{16}(?=:)")
"""In the id of what the service says to a game of a vacation."""


class Names:
    """Stand-ins for what is drawn by chance each time, in the order in which it is met."""

    def __init__(self):
        self.known = {}

    def of(self, kind, drawn):
        return self.known.setdefault((kind, drawn), f"{kind} {sum(each[0] == kind for each in self.known) + 1}")


def commits(house, game):
    """Every commit with all that stands in its body, and the instant at which it was settled.

    What cannot be the same: the ids of vacations and plans, which the service draws by chance, and the digest of what is said,
    which is salted by chance. Each stands here under the name of its first appearance. Heads and signatures hang on them.
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
    """What came to each path, each word once by its game and commit, and how many came once more.

    ``heads`` are those of each game's log, from its first commit on. The words of one game have to have come first in the order of its commits, signed, and
    what came again has to say the same. Of headers only the instant is kept; bodies are as `_without_chance` leaves them.
    """
    found, doubles = {}, 0
    for path, got in receiver.got.items():
        known = {
            word_id(f"w{path[1:]}", game, seq, head): (game, seq)
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
    """Without heads, the digests of what is said, and the ids that are drawn by chance: those of plans begin with the player's mark.

    All of these hang on chance; see `commits`.
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
    """What came to each address about each game, each letter once in the order of its first coming, and how many came again.

    Subject, instant, text and HTML; left out are the links, which are drawn by chance in each letter, its id, in which a head is, and
    the pictures, which are blank in both houses.
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
    """Whether the same came to everybody, and what it is that did not come, or came and should not have, or said something else."""
    assert expected.keys() == found.keys()
    for to, here in expected.items():
        there = found[to]
        lost, new = [each for each in here if each not in there], [each for each in there if each not in here]
        assert not lost and not new, f"to {to}, lost: {lost}, new: {new}"
        for each, other in zip(here, there, strict=True):
            told = (here[each], there[each]) if isinstance(here, dict) else (each, other)
            assert told[0] == told[1], f"to {to}, {each}: {told[0]!r} and {told[1]!r}"
    assert expected == found
