"""An auditor written from docs/audit.md with only the standard library; it shares no code with the project.

It checks form, chain, salts, signatures and the derivation of every draw of a game of pennies, but no rules.
"""

import hashlib
import hmac
import json


def sha256(data):
    return hashlib.sha256(data).digest()


def mac(key, message):
    return hmac.new(key, message, hashlib.sha256).digest()


def u64(number):
    return number.to_bytes(8, "big")


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def dice_key(seed, game, entropy):
    return mac(seed, b"oraclewheel/dice/1" + sha256(canonical([game, entropy])))


class Draws:
    def __init__(self, key, next_=0):
        self.key, self.next = key, next_

    def draw(self):
        number = int.from_bytes(mac(self.key, u64(self.next))[:8], "big")
        self.next += 1
        return number

    def below(self, count):
        limit = 2**64 - 2**64 % count
        number = self.draw()
        while number >= limit:
            number = self.draw()
        return number % count

    def shuffled(self, things):
        order = list(things)
        for i in reversed(range(1, len(order))):
            j = self.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return order


# -- Ed25519 (RFC 8032), slow and simple -------------------------------------------------------------------------------

P = 2**255 - 19
Q = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(one, other):
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(factor, point):
    result = (0, 1, 1, 0)
    while factor:
        if factor & 1:
            result = add(result, point)
        point = add(point, point)
        factor >>= 1
    return result


def recover(y, sign):
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    assert (x * x - x2) % P == 0, "no point of the curve"
    return P - x if x & 1 != sign else x


def point(data):
    number = int.from_bytes(data, "little")
    y, sign = number & 2**255 - 1, number >> 255
    x = recover(y, sign)
    return x, y, 1, x * y % P


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE_X = recover(BASE_Y, 0)
BASE = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


def signed(public, message, signature):
    """Whether the key made the signature of the message."""
    s = int.from_bytes(signature[32:], "little")
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % Q
    one, other = times(s, BASE), add(point(signature[:32]), times(h, point(public)))
    same = (one[0] * other[2] - other[0] * one[2]) % P == 0 and (one[1] * other[2] - other[1] * one[2]) % P == 0
    return s < Q and same


# -- the file ----------------------------------------------------------------------------------------------------------


def check(data):
    """Return the commits of a file, or raise AssertionError if it is wrong."""
    assert data.endswith(b"\n")
    raw = data[:-1].split(b"\n")
    lines = [json.loads(line) for line in raw]
    assert [canonical(line) for line in lines] == raw
    setup, end = lines[0], lines[-1]
    assert (setup["line"], setup["format"], end["line"]) == ("setup", "oraclewheel/export", "end")
    assert setup["number"] in (1, 2)
    before = b"".join(line + b"\n" for line in raw[:-1])
    assert sha256(before).hex() == end["sha256"]
    over = (setup if setup["number"] == 1 else end)["status"] == "over"
    commits = lines[1:-2] if over else lines[1:-1]
    assert len(commits) == end["commits"]
    _chain(setup, commits, end)
    for signature in end["signatures"]:
        public = bytes.fromhex(signature["public"])
        over_what = bytes.fromhex({"head": end["head"], "file": end["sha256"]}[signature["of"]])
        assert sha256(public).hex()[:16] == signature["key"]
        assert signed(public, over_what, bytes.fromhex(signature["signature"]))
    if over:
        _secrets(setup, commits, lines[-2])
    return commits


def _chain(setup, commits, end):
    head, at = ("0" * 64, 0) if setup["number"] == 1 else (sha256(canonical(setup)).hex(), setup["started"])
    for seq, commit in enumerate(commits, 1):
        header = commit["header"]
        assert (header["game"], header["seq"], header["previous"]) == (setup["game"], seq, head)
        assert header["at"] >= at
        head, at = sha256(canonical(header)).hex(), header["at"]
    assert head == end["head"]


def _secrets(setup, commits, told):
    seed = bytes.fromhex(told["seed"])
    begun = commits[0]["body"]["events"][0]
    assert sha256(seed).hex() == setup["commitment"]
    for name in ("game", "kind", "ruleset", "options", "modules", "controllers", "pace", "commitment"):
        assert setup[name] == begun[name]
    assert bool(setup["sandbox"]) == begun["sandbox"]
    assert [[seat, text] for seat, text in enumerate(begun["entropy"], 1)] == told["entropy"]
    assert dice_key(seed, setup["game"], told["entropy"]).hex() == told["key"]
    assert [told["seed"]] == [commit["body"]["seed"] for commit in commits if "seed" in commit["body"]]
    assert "seed" in commits[-1]["body"]
    for seq, commit in enumerate(commits, 1):
        salt = mac(seed, b"salt" + u64(seq))
        assert salt.hex() == commit["salt"]
        assert sha256(salt + canonical(commit["body"])).hex() == commit["header"]["digest"]


def check_pennies(data):
    """Repeat every draw (purses and rolls) of a finished game of pennies."""
    commits = check(data)
    draws = Draws(bytes.fromhex(json.loads(data.splitlines()[-2])["key"]))
    rolls = 0
    for commit in commits:
        for event in commit["body"].get("events", ()):
            if event["type"] == "pennies_begun":
                assert [3 + draws.below(3) for _ in event["purses"]] == [
                    event["purses"][s] for s in sorted(event["purses"])
                ]
            if event["type"] == "die_rolled":
                assert draws.below(6) + 1 == event["face"]
                rolls += 1
        assert commit["body"]["drawn"] == draws.next
    return rolls
