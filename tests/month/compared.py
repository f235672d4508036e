"""What must be the same of two months: each commit with its instant, each word, each letter, each feed."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict

from service.post.words import word_id

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


def words(receiver, lengths):
    """What came to each path, each word once by its game and commit, and how many came once more.

    ``lengths`` are those of the games' logs. The words of one game have to have come first in the order of its commits.
    """
    found, doubles = {}, 0
    for path, got in receiver.got.items():
        known = {
            word_id(f"w{path[1:]}", game, seq): (game, seq)
            for game, length in lengths.items()
            for seq in range(1, length + 1)
        }
        firsts = {}
        for each in got:
            plain = "json" not in each.headers["content-type"]
            said = each.body.decode() if plain else json.dumps(_without_chance(each.json))
            place = known[each.id]
            doubles += place in firsts
            assert firsts.setdefault(place, said) == said, f"{place} came twice and said something else"
        for game in lengths:
            came = [seq for of, seq in firsts if of == game]
            assert sorted(came) == came, f"{path} was told of {game} out of order"
        found[path] = firsts
    return found, doubles


CHANCE = ("head", "digest", "vacation")


def _without_chance(value):
    """Without heads, the digests of what is said, and the ids that are drawn by chance: those of plans begin with the player's mark."""
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
    """What came to each address about each game, each letter once in the order of its first coming, and how many came again."""
    found, seen = defaultdict(list), Counter()
    for (to,), letter in mail.letters:
        seen[letter["Message-ID"]] += 1
        if seen[letter["Message-ID"]] == 1:
            text = letter.get_body(("plain",)).get_content()
            found[to, letter["References"]].append((letter["Subject"], TICKET.sub("…", text)))
    return dict(found), sum(seen.values()) - len(seen)
