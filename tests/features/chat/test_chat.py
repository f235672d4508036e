"""Talk over the API: readers of messages, erasing, muting, reporting, and hostile input."""

from __future__ import annotations

import contextlib
import hashlib
import json

import pytest
from click.testing import CliRunner

from service.audit.auditor import audit
from service.cli.commands import reports as reports_command
from service.cli.commands.imports import imported
from service.features.moderation import reports
from service.store.ports.errors import StoreDown
from tests.core.http.conftest import World
from tests.core.http.problem import is_a_problem
from tests.pennies import PENNIES
from tests.stores import new_store

WAIT = {"Prefer": "wait=10"}
HELLO = "Hello, everybody!"


def say(player, game, text=HELLO, to=None, *, want=200, key=None, **query):
    headers = {**WAIT, **({"Idempotency-Key": key} if key else {})}
    body = {"text": text, **({} if to is None else {"to": to})}
    return player.post(f"/v1/games/{game}/talk", body, headers=headers, want=want, **query)


def talk(player, game, **query):
    return player.get(f"/v1/games/{game}/talk", want=200, **query).json


def words(player, game, **query):
    return [said["words"] for said in talk(player, game, **query)["messages"]]


def history(player, game, **query):
    """The messages in the reader's history."""
    lines = [line for entry in player.events(game, **query) for line in entry["lines"]]
    return [(line.get("words"), line.get("gone"), line["text"]) for line in lines if line["type"] == "said"]


@pytest.fixture
def table(world):
    return world, *world.table("Ash", "Birk", "Cyra")


def test_a_public_message_is_shown_to_all_and_the_log_has_only_its_digest(world):
    game, ash, birk = world.table()
    told = say(ash, game).json
    assert [(HELLO, "Ash: “Hello, everybody!”")] == [(line["words"], line["text"]) for line in told["lines"]]
    (said,) = talk(world.public, game)["messages"]

    assert (1, [], HELLO, None) == tuple(said[name] for name in ("seat", "to", "words", "gone"))
    assert told["seq"] == said["seq"] and "Ash: “Hello, everybody!”" == said["text"]
    assert [HELLO] == words(birk, game)
    assert [(HELLO, None, "Ash: “Hello, everybody!”")] == history(world.public, game)
    (stored,) = world.store.log.commits(game, said["seq"], said["seq"])
    assert HELLO.encode() not in stored.body
    note = json.loads(world.store.notes.all(game, "words")[said["digest"]])
    assert 16 == len(bytes.fromhex(note["salt"]))
    assert said["digest"] == hashlib.sha256(bytes.fromhex(note["salt"]) + HELLO.encode()).hexdigest()


def test_a_private_message_stays_private_after_the_end_of_the_game(world):
    game, ash, birk, cyra = world.table("Ash", "Birk", "Cyra")
    before = [reader.get(f"/v1/games/{game}/view").body for reader in (cyra, world.public)]
    say(ash, game, "Between us.", [2])

    assert [["Between us."], ["Between us."], [], []] == [words(each, game) for each in (ash, birk, cyra, world.public)]
    assert [] == history(cyra, game) == history(world.public, game)
    assert [("Between us.", None, "Ash to Birk: “Between us.”")] == history(birk, game)
    assert before == [reader.get(f"/v1/games/{game}/view").body for reader in (cyra, world.public)]
    end(game, ash, birk, cyra)
    assert [["Between us."], ["Between us."], [], []] == [words(each, game) for each in (ash, birk, cyra, world.public)]
    assert [(None, "closed", "Ash sent a message to Birk that is private.")] == history(cyra, game, seat=2)
    is_a_problem(cyra.get(f"/v1/games/{game}/talk", seat=2), 403, "not-your-seat")


def end(game, caller, *others):
    caller.send(game, {"type": "call_vote", "kind": "abort"}, want=200)
    for other in others:
        other.send(game, {"type": "cast_vote", "agree": True}, want=200)


def test_only_its_author_can_erase_a_message_and_the_game_passes_the_audit(world):
    game, ash, birk = world.table()
    seq = say(ash, game, key="k").json["seq"]
    is_a_problem(birk.call("DELETE", f"/v1/games/{game}/talk/{seq}"), 404, "unknown-message")
    is_a_problem(world.public.call("DELETE", f"/v1/games/{game}/talk/{seq}"), 401, "no-token")
    ash.call("DELETE", f"/v1/games/{game}/talk/{seq}", want=204)

    assert {} == world.store.notes.all(game, "words") == world.store.notes.all(game, "salts")
    assert [(None, "erased", "Ash sent a message that was erased.")] == history(birk, game)
    assert [(None, "erased")] == [(said["words"], said["gone"]) for said in talk(birk, game)["messages"]]
    is_a_problem(ash.call("DELETE", f"/v1/games/{game}/talk/{seq}"), 404, "unknown-message")
    end(game, ash, birk)
    export = ash.get(f"/v1/games/{game}/export").body
    assert HELLO.encode() not in export
    assert audit(export, games={"pennies": PENNIES}).is_ok


def test_a_player_can_erase_all_their_messages(world):
    game, ash, birk = world.table()
    other, *_ = world.table("Dag", "Eir")
    second = ash.make_game(seats=1 + 1)["id"]
    birk.join(second)
    ash.start(second)
    for where in (game, second):
        say(ash, where)
    say(birk, game, "I stay.")
    ash.call("DELETE", "/v1/me/talk", want=204)

    assert [None, "I stay."] == words(birk, game)
    assert [None] == words(birk, second)
    assert [] == words(world.public, other)


def test_a_repeated_key_sends_a_message_once_and_other_content_is_422(table):
    world, game, ash, birk, _ = table
    first, again = say(ash, game, key="once"), say(ash, game, key="once")

    assert first.json["seq"] == again.json["seq"]
    assert [HELLO] == words(birk, game)
    is_a_problem(say(ash, game, "Other words", key="once", want=None), 422, "key-reused")
    is_a_problem(say(ash, game, to=[2], key="once", want=None), 422, "key-reused")
    assert [HELLO] == words(birk, game), "the words of the first are there still"
    assert 1 == world.store.notes.count(game, "words")


def test_a_muted_message_is_shown_without_its_text(table):
    world, game, ash, birk, cyra = table
    made = birk.post(f"/v1/games/{game}/mutes", {"seat": 1}, want=201).json
    say(ash, game)

    assert {"game": game, "seat": 2, "muted": [1]} == made == birk.get(f"/v1/games/{game}/mutes", want=200).json
    assert [(None, "muted", "Ash sent a message that you have muted.")] == history(birk, game)
    assert [None] == words(birk, game)
    assert [HELLO] == words(cyra, game) == words(world.public, game)
    birk.call("DELETE", f"/v1/games/{game}/mutes/1", want=204)
    assert [HELLO] == words(birk, game)


def test_a_mute_of_a_former_player_does_not_apply_to_the_new_one(table):
    world, game, ash, birk, _ = table
    world.store.notes.put(game, "mutes", "2:1", b"p-who-had-the-seat-before")
    say(ash, game)

    assert [HELLO] == words(birk, game)
    assert [] == birk.get(f"/v1/games/{game}/mutes", want=200).json["muted"]


def test_streams_and_digests_show_messages_only_to_their_readers(table):
    world, game, ash, birk, _ = table
    with birk.stream(game, 1) as own, world.public.stream(game, 1) as public:
        say(ash, game, "Between us.", [2])
        say(ash, game, "To all.")
        told = [line.get("words") for _ in range(2) for line in next(own).data["lines"]]
        heard = [line.get("words") for line in next(public).data["lines"]]

    assert (["Between us.", "To all."], ["To all."]) == (told, heard)
    text = birk.get(f"/v1/games/{game}/events", digest="turn", headers={"Accept": "text/plain"}).text
    assert "Ash to Birk: “Between us.”" in text
    lines = birk.get(f"/v1/games/{game}/events", headers={"Accept": "application/x-ndjson"}).text
    assert "Between us." in lines
    page = world.public.get(f"/v1/games/{game}/events", headers={"Accept": "text/html"}).text
    assert "To all." in page and "Between us." not in page


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script><b>&amp;",
        "\u2018quoted\u2019 \u201csaid. Birk wins.\u201d and \"more\" 'of it'",
        "two\nlines\nof it",
        "\U0001f600 \U0001f468\u200d\U0001f469 \U0001d54f \u00e9 \u00df \u6f22\u5b57",
        "שלום لكم",
        "{seat:seat} %s $(x) [~]",
    ],
)
def test_unusual_and_hostile_text_is_shown_unchanged_and_escaped(table, text):
    world, game, ash, birk, _ = table
    say(ash, game, text)

    assert [text] == words(birk, game)
    page = world.public.get(f"/v1/games/{game}/events", headers={"Accept": "text/html"}, want=200).text
    assert "<script" not in page and "<b>" not in page
    plain = world.public.get(f"/v1/games/{game}/events", headers={"Accept": "text/plain"}, want=200).text
    (line,) = [each for each in plain.splitlines() if each.startswith("Ash: ")]
    assert line.endswith("”") and 1 == line.count("“") == line.count("”"), "one line, one quotation"
    picture = world.public.get(f"/v1/games/{game}/board.svg", want=200).text
    assert text.split("\n")[0] not in picture


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "\n \n", "x" * 1001, "x\n" * 21),
        *("a\x00b", "a\x1b[31mred", "a\tb", "a\rb", "\x7f", "\x9b2J"),
        *("\u202eevil", "\u2066x\u2069", "\u200fx", "\ufeffx", "a\u2028b", "\u00adx"),
        *("\ue000", "\U000e0041", "\u3164", "a" + "\u0301" * 5, "\u0301"),
    ],
)
def test_text_that_is_empty_too_long_or_has_forbidden_characters_is_422(table, text):
    world, game, ash, *_ = table
    document = is_a_problem(say(ash, game, text, want=None), 422, "invalid")

    assert ["/text"] == [error["pointer"] for error in document["errors"]]
    assert 0 == world.store.notes.count(game, "words")


@pytest.mark.parametrize("body", [b'{"text": "\\ud800"}', b'{"text": "\xed\xa0\x80"}', b"{", b'{"text": "\xff"}'])
def test_a_body_that_is_not_valid_text_is_400(table, body):
    _, game, ash, *_ = table

    is_a_problem(ash.post(f"/v1/games/{game}/talk", body), 400, "malformed-json")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/text"),
        ({"text": 7}, "/text"),
        ({"text": None}, "/text"),
        ({"text": HELLO, "to": "all"}, "/to"),
        ({"text": HELLO, "to": []}, "/to"),
        ({"text": HELLO, "to": [0]}, "/to/0"),
        ({"text": HELLO, "to": ["2"]}, "/to/0"),
        ({"text": HELLO, "to": "partner"}, "/to"),
        ({"text": HELLO, "to": ["partner"]}, "/to"),
        ({"text": HELLO, "to": [2, 2.5]}, "/to/1"),
        ({"text": HELLO, "loud": True}, "/loud"),
        ([], ""),
    ],
)
def test_a_wrong_body_is_422_and_names_the_field(table, body, pointer):
    _, game, ash, *_ = table

    document = is_a_problem(ash.post(f"/v1/games/{game}/talk", body), 422, "invalid")
    assert [pointer] == [error["pointer"] for error in document["errors"]]


@pytest.mark.parametrize("to", [[1], [2, 2], [4], [2, 99]])
def test_invalid_listeners_are_refused_and_no_text_is_stored(table, to):
    world, game, ash, *_ = table
    document = is_a_problem(say(ash, game, to=to, want=None), 409, "bad-listeners")

    assert "/to" == document["pointer"]
    assert 0 == world.store.notes.count(game, "words")


def test_messages_without_permission_are_refused(table):
    world, game, ash, birk, cyra = table
    stranger = world.player()

    is_a_problem(say(world.public, game, want=None), 401, "no-token")
    is_a_problem(say(stranger, game, want=None), 403, "not-your-seat")
    is_a_problem(say(ash, "g0", want=None), 404, "unknown-game")
    is_a_problem(say(ash, game, seat=2, want=None), 403, "not-your-seat")
    reader = ash.post("/v1/me/tokens", {"scopes": ["read"]}, want=201).json["token"]
    answer = ash.post(f"/v1/games/{game}/talk", {"text": HELLO}, headers={"Authorization": f"Bearer {reader}"})
    is_a_problem(answer, 403, "insufficient-scope")
    birk.send(game, {"type": "resign"}, want=200)
    is_a_problem(say(birk, game, want=None), 409, "played-by-bot")
    end(game, ash, cyra)
    is_a_problem(say(ash, game, want=None), 409, "game-over")
    assert 0 == world.store.notes.count(game, "words")
    lobby = ash.make_game()["id"]
    is_a_problem(say(ash, lobby, want=None), 409, "not-started")
    assert {"mode": None, "messages": [], "after": 0, "more": False} == talk(ash, lobby)


def test_talk_can_be_off_and_partner_talk_needs_a_game_with_partners(world):
    game, ash, _ = world.table(table={"talk": "off"})

    is_a_problem(say(ash, game, want=None), 409, "not-here")
    assert {"mode": None, "messages": [], "after": 0, "more": False} == talk(ash, game)
    answer = ash.post("/v1/games", {"kind": "pennies", "seats": 2, "table": {"talk": "partners"}})
    assert ["/table/talk"] == [error["pointer"] for error in is_a_problem(answer, 422, "invalid")["errors"]]


def test_partners_can_talk_only_to_each_other(world):
    players = [world.player() for _ in range(4)]
    game = players[0].make_game("battalia", 4, options={"teams": True}, table={"talk": "partners"})["id"]
    for player in players[1:]:
        player.join(game)
    players[0].start(game)
    say(players[0], game, "You left, I right.", ["partner"])

    assert [["You left, I right."], [], ["You left, I right."], []] == [words(player, game) for player in players]
    is_a_problem(say(players[0], game, want=None), 409, "talk-is-off")
    is_a_problem(say(players[0], game, to=[2], want=None), 409, "talk-is-off")
    is_a_problem(say(players[0], game, to=[2, 3], want=None), 409, "talk-is-off")


def test_a_client_cannot_send_the_say_command_directly(table):
    _, game, ash, *_ = table
    answer = ash.send(game, {"type": "say", "digest": "0" * 64})

    assert ["/type"] == [error["pointer"] for error in is_a_problem(answer, 422, "invalid")["errors"]]


def test_too_many_messages_and_too_many_reports_are_429(redis_store):
    world = World(redis_store, rate_talk=3, rate_reports=1)
    game, ash, birk = world.table()
    for _ in range(3):
        seq = say(ash, game).json["seq"]
    refused = say(ash, game, want=None)

    is_a_problem(refused, 429, "too-many-messages")
    assert int(refused.headers["Retry-After"]) > 0
    assert say(birk, game, "I may.").json["seq"]
    report(birk, game, seq, want=201)
    is_a_problem(report(birk, game, seq), 429, "too-many-reports")


def test_messages_are_paged_from_either_end(table):
    _, game, ash, birk, _ = table
    for number in range(5):
        say(ash, game, str(number), [2] if number == 1 else None)
    first = birk.get(f"/v1/games/{game}/talk", limit=2, want=200)
    link = first.headers["Link"].partition(">")[0].lstrip("<")
    second = birk.get(link, want=200).json

    assert (["0", "1"], True) == ([each["words"] for each in first.json["messages"]], first.json["more"])
    assert (["2", "3"], True) == ([each["words"] for each in second["messages"]], second["more"])
    assert ["4"] == words(birk, game, after=second["after"])
    assert ["3", "4"] == words(birk, game, before=999999999, limit=2)
    assert ["0", "2"] == words(_cyra(table), game, before=talk(birk, game)["messages"][3]["seq"], limit=2)
    for query in ({"limit": 0}, {"after": -1}, {"before": 0}, {"seat": 9}, {"loud": 1}):
        assert 422 == birk.get(f"/v1/games/{game}/talk", **query).status


def _cyra(table):
    return table[-1]


def report(player, game, seq, why="It is an insult.", want=None):
    return player.post(f"/v1/games/{game}/reports", {"seq": seq, "reason": why}, want=want)


def test_the_operator_can_list_erase_and_resolve_reported_messages(world, monkeypatch):
    game, ash, birk = world.table()
    seq = say(ash, game, "You fool\nof a man").json["seq"]
    id_ = report(birk, game, seq, want=201).json["id"]
    assert id_ == report(birk, game, seq, "Look at it.", want=201).json["id"]

    def operator(*arguments):
        monkeypatch.setattr(reports_command, "opened", lambda: contextlib.nullcontext((None, world.store)))
        result = CliRunner().invoke(reports_command.command, arguments)
        return result.output

    told = operator()
    assert f"{id_}  " in told and f"game {game}, commit {seq}" in told
    assert "reported by Birk" in told and "Look at it." in told
    assert "written by Ash" in told and "You fool\n    | of a man" in told
    assert f"{id_}: the message was erased.\n" == operator("--erase", id_)
    assert "The message has been erased." in operator()
    assert [None] == words(birk, game)
    assert f"{id_}: closed.\n" == operator("--resolve", id_)
    assert "There are no open reports.\n" == operator()
    assert "There is no open report" in operator("--resolve", id_)
    assert "There is no open report" in operator("--erase", id_)
    assert {} == reports.list_open_reports(world.store)


def test_a_player_cannot_report_or_erase_a_message_they_cannot_read(table):
    world, game, ash, birk, cyra = table
    seq = say(ash, game, "Between us.", [2]).json["seq"]

    for wrong in (seq, 1, seq + 1, 10**6):
        is_a_problem(report(cyra, game, wrong), 404, "unknown-message")
        is_a_problem(cyra.call("DELETE", f"/v1/games/{game}/talk/{wrong}"), 404, "unknown-message")
    is_a_problem(report(world.public, game, seq), 401, "no-token")
    report(birk, game, seq, want=201)


@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        ("mutes", {}, "/seat"),
        ("mutes", {"seat": "2"}, "/seat"),
        ("mutes", {"seat": 0}, "/seat"),
        ("mutes", {"seat": 1}, "/seat"),
        ("mutes", {"seat": 2, "why": "x"}, "/why"),
        ("reports", {"reason": "x"}, "/seq"),
        ("reports", {"seq": "1", "reason": "x"}, "/seq"),
        ("reports", {"seq": 0, "reason": "x"}, "/seq"),
        ("reports", {"seq": 1}, "/reason"),
        ("reports", {"seq": 1, "reason": ""}, "/reason"),
        ("reports", {"seq": 1, "reason": "x" * 501}, "/reason"),
        ("reports", {"seq": 1, "reason": "\x1b[2J"}, "/reason"),
    ],
)
def test_wrong_mutes_and_reports_are_422_and_name_the_field(table, path, body, pointer):
    _, game, ash, *_ = table

    document = is_a_problem(ash.post(f"/v1/games/{game}/{path}", body), 422, "invalid")
    assert [pointer] == [error["pointer"] for error in document["errors"]]


def test_mutes_of_unknown_seats_or_by_strangers_are_refused(table):
    world, game, ash, *_ = table

    is_a_problem(ash.post(f"/v1/games/{game}/mutes", {"seat": 4}), 404, "unknown-seat")
    is_a_problem(ash.call("DELETE", f"/v1/games/{game}/mutes/4"), 404, "unknown-seat")
    is_a_problem(world.player().get(f"/v1/games/{game}/mutes"), 403, "not-your-seat")
    is_a_problem(world.player().post(f"/v1/games/{game}/mutes", {"seat": 1}), 403, "not-your-seat")
    is_a_problem(world.public.get(f"/v1/games/{game}/mutes"), 401, "no-token")


def test_a_message_sent_during_erasure_is_erased_the_next_time(table, monkeypatch):
    world, game, ash, *_ = table
    put, asked = type(world.store.notes).put, []

    def puts(notes, where, drawer, name, note):
        if drawer == "words" and not asked:
            asked.append(ash.call("DELETE", "/v1/me/talk", want=204))
        put(notes, where, drawer, name, note)

    monkeypatch.setattr(type(world.store.notes), "put", puts)
    say(ash, game)
    assert [HELLO] == words(ash, game)
    ash.call("DELETE", "/v1/me/talk", want=204)

    assert [None] == words(ash, game)


def test_a_mute_before_the_start_is_refused_and_not_stored(table):
    world, *_ = table
    ash = world.player()
    game = ash.make_game()["id"]

    is_a_problem(ash.post(f"/v1/games/{game}/mutes", {"seat": 2}), 409, "not-started")
    assert 0 == world.store.notes.count(game, "mutes")


def test_the_text_of_a_failed_message_is_invisible_and_erased_with_the_rest(table, monkeypatch):
    world, game, ash, birk, _ = table
    with monkeypatch.context() as away:
        away.setattr(world.store.log, "submit", _down)
        is_a_problem(say(ash, game, "Lost.", key="k", want=None), 503, "not-ready")

    assert [] == words(ash, game) == words(birk, game)
    assert 1 == world.store.notes.count(game, "words"), "it may have been taken in"
    assert [HELLO] == [say(ash, game, HELLO) and words(birk, game)[0]]
    say(ash, game, "Lost.", key="k")
    assert [HELLO, "Lost."] == words(birk, game)
    ash.call("DELETE", "/v1/me/talk", want=204)
    assert 0 == world.store.notes.count(game, "words") == world.store.notes.count(game, "salts")


def _down(*_, **__):
    raise StoreDown("away")


def test_a_game_with_talk_is_imported_without_message_texts(table):
    _, game, ash, birk, cyra = table
    say(ash, game)
    say(ash, game, "Between us.", [2])
    end(game, ash, birk, cyra)
    export = ash.get(f"/v1/games/{game}/export").body
    other = World(new_store())
    list(imported(other.store, export, audit(export, games={"pennies": PENNIES})))

    assert export.splitlines()[:-1] == other.public.get(f"/v1/games/{game}/export", want=200).body.splitlines()[:-1]
    assert [("erased", "Seat 1 sent a message that was erased.")] == [
        (said["gone"], said["text"]) for said in talk(other.public, game)["messages"]
    ]
    assert ["erased"] == [gone for _, gone, _ in history(other.public, game)]


def test_messages_do_not_make_commands_or_etags_stale(table):
    _, game, ash, birk, _ = table
    seen, etags = (
        ash.view(game)["seq"],
        [ash.get(f"/v1/games/{game}/{what}").headers["ETag"] for what in ("view", "options")],
    )
    say(birk, game)
    say(birk, game, "Between us.", [1])

    assert etags == [ash.get(f"/v1/games/{game}/{what}").headers["ETag"] for what in ("view", "options")]
    ash.send(game, {"type": "hide", "pennies": 1}, seen=seen, want=200)
    assert [HELLO, "Between us."] == words(ash, game)
