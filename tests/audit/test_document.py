"""docs/audit.md matches the code byte for byte: its test vectors are recomputed, and an auditor written from it agrees."""

import json
import re
from pathlib import Path

import pytest

from domain.kernel.dice import Dice, dice_key
from service.audit.report import CHECKS
from service.store import seal
from service.store.codec import canonical
from service.store.founding import FORM, FORMAT, origin, setup_line
from tests.audit import independent
from tests.audit.games import SIGNER, finished, running
from tests.audit.test_auditor import mutations

PAGE = (Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")
VECTORS = json.loads(re.search(r"^```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[1])
SEED, KEY = bytes.fromhex(VECTORS["seed"]), bytes.fromhex(VECTORS["key"])
ENTROPY = [tuple(pair) for pair in VECTORS["entropy"]]


def test_docs_explain_every_check_and_the_format():
    assert list(CHECKS) == re.findall(r"^\| (AUD-\d\d) \|", PAGE, re.MULTILINE)
    assert f"`{FORMAT}`" in PAGE
    assert f"`number` ({FORM}; 1 in form 1)" in PAGE


def test_dice_key_matches_the_docs():
    assert VECTORS["commitment"] == seal.commitment(SEED) == independent.sha256(SEED).hex()
    assert VECTORS["named"].encode() == independent.canonical([VECTORS["game"], VECTORS["entropy"]])
    assert KEY == dice_key(SEED, VECTORS["game"], ENTROPY)
    assert KEY == independent.dice_key(SEED, VECTORS["game"], VECTORS["entropy"])


def test_draws_match_the_docs():
    for draw in VECTORS["draws"]:
        assert draw["hmac"] == independent.mac(KEY, independent.u64(draw["r"])).hex()
        assert draw["number"] == independent.Draws(KEY, draw["r"]).draw() == Dice(KEY, draw["r"]).below(2**64)


def test_rolls_rejected_draw_and_shuffle_match_the_docs():
    rolls, rejected, shuffle = VECTORS["rolls"], VECTORS["rejected"], VECTORS["shuffle"]
    dice, draws = Dice(KEY), independent.Draws(KEY)

    assert rolls["values"] == [dice.roll(rolls["faces"]) for _ in rolls["values"]]
    assert rolls["values"] == [draws.below(rolls["faces"]) + 1 for _ in rolls["values"]]
    assert rolls["next"] == rejected["from"] == dice.drawn == draws.next
    assert rejected["value"] == dice.below(rejected["count"]) == draws.below(rejected["count"])
    assert rejected["from"] + 2 == rejected["next"] == shuffle["from"] == dice.drawn == draws.next
    assert shuffle["gives"] == list(dice.shuffle(shuffle["of"])) == draws.shuffled(shuffle["of"])
    assert shuffle["next"] == dice.drawn == draws.next


def test_commit_matches_the_docs():
    commit = VECTORS["commit"]
    salt = seal.salt(SEED, commit["seq"])
    body, header = commit["body"].encode(), commit["header"].encode()

    assert body == canonical(json.loads(body)) == independent.canonical(json.loads(body))
    assert header == canonical(json.loads(header)) == independent.canonical(json.loads(header))
    assert commit["salt"] == salt.hex() == independent.mac(SEED, b"salt" + independent.u64(commit["seq"])).hex()
    assert commit["digest"] == seal.digest(salt, body) == independent.sha256(salt + body).hex()
    assert commit["digest"] == json.loads(header)["digest"]
    assert commit["head"] == seal.head_of(header) == independent.sha256(header).hex()


def test_signature_matches_the_docs():
    told = VECTORS["signature"]
    signer = seal.Signer(bytes.fromhex(told["private"]))
    public, over, signature = (bytes.fromhex(told[name]) for name in ("public", "over", "signature"))

    assert (told["public"], told["key"]) == (signer.public.hex(), signer.key_id)
    assert told["signature"] == signer.sign(told["over"])
    assert independent.signed(public, over, signature)
    assert not independent.signed(public, over[::-1], signature)
    assert seal.verify(public, told["over"], told["signature"])


@pytest.mark.parametrize("form", [1, FORM])
def test_independent_auditor_accepts_exports_of_every_form(form):
    assert independent.check_pennies(finished(form=form)) > 3
    assert independent.check(running(form=form))
    assert SIGNER.key_id in finished().decode()


def test_independent_auditor_rejects_changed_bytes():
    for _, _, changed in mutations(finished(), 28, 11):
        with pytest.raises((AssertionError, ValueError, KeyError, TypeError, IndexError)):
            independent.check_pennies(changed)


@pytest.mark.parametrize("form", [1, 2])
def test_first_commit_of_every_form_matches_the_docs(form):
    first, told = VECTORS["first"], VECTORS["first"]["forms"][str(form)]
    setup, body, header = (text.encode() for text in (first["setup"], first["body"], told["header"]))
    begun = json.loads(body)["events"][0]
    salt, digest = bytes.fromhex(first["salt"]), first["digest"]

    assert setup == independent.canonical(json.loads(setup)) == setup_line(begun, json.loads(setup)["started"])
    assert salt == seal.salt(SEED, 1) == independent.mac(SEED, b"salt" + independent.u64(1))
    assert digest == seal.digest(salt, body) == independent.sha256(salt + independent.canonical(json.loads(body))).hex()
    assert told["previous"] == origin(setup if form == 2 else b"")
    assert told["previous"] == (independent.sha256(setup).hex() if form == 2 else "0" * 64)
    assert {"seq": 1, "previous": told["previous"], "digest": digest, "game": "example", "release": "0.1.0"} == {
        name: value for name, value in json.loads(header).items() if name != "at"
    }
    assert header == independent.canonical(json.loads(header))
    assert told["head"] == seal.head_of(header) == independent.sha256(header).hex()


def test_purses_in_the_docs_are_the_first_draws():
    draws, body = independent.Draws(KEY), json.loads(VECTORS["first"]["body"])

    assert [3 + draws.below(3), 3 + draws.below(3)] == list(body["events"][1]["purses"].values())
    assert draws.next == body["drawn"]
