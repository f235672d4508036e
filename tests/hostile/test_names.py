"""Deceptive names are refused, or made distinct by seat numbers wherever a name is shown."""

from __future__ import annotations

import pytest

from service.core.accounts.names import clean_name, get_skeleton, is_plain
from service.core.history.seating import build_seat_names
from tests.hostile.table import HIDE

PASSING = [
    "The game",
    "THE  GAME",
    "the gаme",  # noqa: RUF001 - a Cyrillic a
    "Тhе gаmе",  # noqa: RUF001
    "Ｔｈｅ ｇａｍｅ",  # noqa: RUF001
    "The-game",
    "Thé Gamé",
    "𝐓𝐡𝐞 𝐠𝐚𝐦𝐞",  # noqa: RUF001
    "The garne",
    "Seat 2",
    "seat  12",
    "SEAT-2",
    "Seаt 2",  # noqa: RUF001
    "Sеat ２",  # noqa: RUF001
    "greedy bot",
    "the greedy bot",
    "The Greedy Bot",
    "random bot",
    "Greеdy bot",  # noqa: RUF001
    "bot:greedy",
    "System",
    "me",
    "ME",
    "M\u0435",
    "policy",
    "Plan",
    "Sitter",
    "the operator",
    "Admin 2",
    "Oracle Wheel",
    "ѕystem",  # noqa: RUF001
    "nobody",
    "No one",
    "the greedy bot (2)",
    "Greedy bot 2",
    "the greedy bot ②",
    "The game (1)",
    "Seat",
    "Seat 2 (100)",
    "Rammoth",
    "The Rammoth",
    "the Kеeper",  # noqa: RUF001
    "Unbound Buff",
    "Bärfolk",
    "the Islanders",
    "Bärfolk (greedy bot)",
    "bаrfolk (greedy bot)",  # noqa: RUF001
    "Black",
    "BIack",
    "Azure (random bot)",
]

NUMBERED = ["Ash (1)", "Ash(2)", "Ash (l)", "Ash （２）", "Ash ( 3 ) "]  # noqa: RUF001

LETTERLESS = [
    "\u0301",
    "\u0301\u0302",
    "\u05b4",
    "\u20dd",
    ",",
    "-",
    "...",
    "'",
    "\u0301Ash",
    "A" + "\u0315\u0300" * 19,
]

UNSEEN = [
    "Ash\x00",
    "Ash\x1b[31m",
    "Ash\nBirk",
    "Ash\t",
    "A\u202esh",
    "\u2066Ash\u2069",
    "Ash\u200e",
    "Ash\u200b",
    "Ash\ufeff",
    "Ash\u00ad",
    "Ash\u2028",
    "Ash\u3164",
    "Ash\u115f",
    "Ash\u2800",
    "Ash\U000e0041",
    "Ash\ue000",
]

TWINS = [
    ("Ash", "Ash"),
    ("Ash", "ASH"),
    ("Ash", "Аsh"),  # noqa: RUF001
    ("Ash", "Ａｓｈ"),  # noqa: RUF001
    ("Ash", "Ásh"),
    ("Ash", "A s h"),
    ("Ash", "Ash."),
    ("Ian", "lan"),
    ("Bob", "B0b"),
    ("Morn", "Mom"),
    ("Ian", "1an"),
    ("Ian", "ian"),
    ("το", "то"),
    ("ҭо", "то"),
    ("яна", "ᴙна"),
    ("🐙", "🐙\u0301"),
    ("ραν", "pav"),  # noqa: RUF001
]


@pytest.mark.parametrize("name", PASSING)
def test_name_that_looks_like_the_game_a_seat_or_a_bot_is_refused(world, name):
    ash = world.player("Ash")

    for answer in (
        world.public.post("/v1/players", {"name": name}, want=422),
        ash.call("PATCH", "/v1/me", {"name": name}, want=422),
    ):
        assert ("name-reserved", "/name") == (answer.code, answer.json["pointer"])
    assert "Ash" == ash.get("/v1/me").json["name"]


@pytest.mark.parametrize("name", UNSEEN)
def test_name_with_invisible_characters_is_refused(world, name):
    answer = world.public.post("/v1/players", {"name": name}, want=422)

    assert ("invalid", "/name") == (answer.code, answer.json["pointer"])
    assert 422 == world.player().call("PATCH", "/v1/me", {"name": name}).status


@pytest.mark.parametrize("name", NUMBERED)
def test_name_that_ends_with_a_seat_number_in_parentheses_is_refused(world, name):
    answer = world.public.post("/v1/players", {"name": name}, want=422)

    assert ("invalid", "/name") == (answer.code, answer.json["pointer"])
    assert 422 == world.player().call("PATCH", "/v1/me", {"name": name}).status


@pytest.mark.parametrize("name", LETTERLESS)
def test_name_without_letters_or_with_combining_marks_is_refused(world, name):
    answer = world.public.post("/v1/players", {"name": name}, want=422)

    assert ("invalid", "/name") == (answer.code, answer.json["pointer"])


@pytest.mark.parametrize(
    "char",
    [
        "\ud800",
        "\u0378",
        "\u034f",
        "\u115f",
        "\u1160",
        "\u17b4",
        "\u17b5",
        "\u180b",
        "\u2800",
        "\u3164",
        "\ufe00",
        "\uffa0",
        "\U000e0100",
    ],
)
def test_invisible_letters_are_not_plain_and_are_removed_from_names(char):
    assert not is_plain(f"As{char}h")
    assert "Ash" == clean_name(f"As{char}h")


def test_paragraph_separator_is_not_plain():
    assert not is_plain("Ash\u2029Birk")


def test_shortened_name_does_not_end_with_a_space():
    assert "A" * 39 == clean_name("A" * 39 + " B")
    assert "A" * 40 == clean_name("A" * 41)


def test_extra_spaces_and_variation_selectors_are_removed_from_names(world):
    assert "Ash the Elder" == world.player("  Ash \u00a0 the\u3000Elder ").name
    assert "Ash \u2764" == world.player("Ash \u2764\ufe0f").name
    assert "Seated" == world.player("Seated").name
    for name in (
        "Gamer",
        "Talbot",
        "Ada's bot",
        "Жанна",
        "李白",
        "Åsa",
        "🐙",
        "O'Neil",
        "مريم",
        "Nguyễn Ệ",
        "Ash (the elder)",
        "R2-D2",
        "Louis 14",
        "4th",
    ):
        assert name == world.player(name).name


@pytest.mark.parametrize(("one", "other"), TWINS)
def test_similar_names_get_their_seat_numbers(one, other):
    told = build_seat_names(["p1", "bot:greedy", "p3", None], {"p1": one, "p3": other})

    assert {1: f"{one} (1)", 2: "the greedy bot", 3: f"{other} (3)", 4: "Seat 4"} == told


def test_different_names_get_no_seat_numbers():
    known = {"p1": "Ash", "p2": "Ashes", "p3": "Birk", "p4": "Sah", "p5": "🐙", "p6": "🐢"}

    assert ["Ash", "Ashes", "Birk", "Sah", "🐙", "🐢"] == list(build_seat_names(list(known), known).values())


def test_name_that_looks_like_a_numbered_name_is_numbered_too():
    told = build_seat_names(["p1", "p2", "p3"], {"p1": "Ash", "p2": "Ash", "p3": "Ash (2)"})

    assert {1: "Ash (1)", 2: "Ash (2)", 3: "Ash (2) (3)"} == told
    assert 3 == len(set(map(get_skeleton, told.values())))


def test_old_name_with_a_number_is_not_mistaken_for_another_seat():
    told = build_seat_names(["p1", "bot:greedy", "p3"], {"p1": "Ash (3)", "p3": "Ash"})

    assert {1: "Ash (3) (1)", 2: "the greedy bot", 3: "Ash"} == told


@pytest.mark.parametrize("name", ["The game", "Seat 1", "the greedy bot", "Seat 3", "the greedy bot (2)", "Rammoth"])
def test_old_deceptive_names_get_their_seat_numbers(name):
    told = build_seat_names(["p1", "bot:greedy", None], {"p1": name})

    assert f"{name} (1)" == told[1]
    assert 3 == len(set(map(get_skeleton, told.values())))


def test_similar_names_are_numbered_wherever_they_are_shown(world):
    ash, other = world.player("Ash"), world.player("Аsh")  # noqa: RUF001
    made = ash.make_game("battalia", visibility="public")
    game = made["id"]
    other.join(game)
    wanted = ["Ash (1)", "Аsh (2)"]  # noqa: RUF001

    def seated(document):
        return [seat["player"]["name"] for seat in document["seats"]]

    assert wanted == seated(ash.summary(game))
    ash.start(game)
    assert wanted == seated(ash.summary(game))
    (listed,) = [each for each in world.public.get("/v1/games", want=200).json["games"] if each["id"] == game]
    assert wanted == seated(listed)
    board = world.public.get(f"/v1/games/{game}/board.svg", want=200).text
    chart = world.public.get(f"/v1/games/{game}/charts/points.svg", want=200).text
    assert all(name in board and name in chart for name in wanted)
    other.send(game, {"type": "resign"}, want=200)
    texts = [line["text"] for entry in world.public.events(game) for line in entry["lines"]]
    assert any(text.startswith(wanted[1] + " resigns") for text in texts)


def test_name_changed_during_the_game_is_numbered_if_it_is_similar(world, monkeypatch):
    monkeypatch.setattr("service.core.http.context.lobbies.CACHE_SECONDS", 0.0)
    game, ash, birk = world.table()
    birk.call("PATCH", "/v1/me", {"name": "ASH"}, want=200)
    birk.send(game, HIDE, want=200)

    assert ["Ash (1)", "ASH (2)"] == [seat["player"]["name"] for seat in ash.summary(game)["seats"]]
    assert "ASH (2) is ready." == ash.events(game)[-1]["lines"][-1]["text"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Ash wins. Birk", "\u201cAsh wins. Birk\u201d"),
        ("Ash attacks Birk", "\u201cAsh attacks Birk\u201d"),
        ("Ash, Birk", "\u201cAsh, Birk\u201d"),
        ("Ash Takes The Ruins", "\u201cAsh Takes The Ruins\u201d"),
        ("Ash\u201d loses. \u201cBirk", "\u201cAsh\u2019 loses. \u2019Birk\u201d"),
        ("Ash", "Ash"),
        ("Ash the Elder", "Ash the Elder"),
        ("Ludwig van Beethoven", "Ludwig van Beethoven"),
        ("O'Neil", "O'Neil"),
        ("R2-D2", "R2-D2"),
        ("李白", "李白"),
    ],
)
def test_name_that_could_be_read_as_text_is_quoted_only_in_sentences(name, told):
    known = {"p1": name}

    assert name == build_seat_names(["p1"], known)[1]
    assert told == build_seat_names(["p1"], known, in_sentences=True)[1]


def test_seat_number_is_written_outside_the_quotation_marks():
    known = {"p1": "Ash wins. Birk", "p2": "ASH wins. Birk"}
    told = build_seat_names(["p1", "p2"], known, in_sentences=True)

    assert {1: "\u201cAsh wins. Birk\u201d (1)", 2: "\u201cASH wins. Birk\u201d (2)"} == told


def test_bots_and_empty_seats_are_named_after_their_side():
    sides = {1: "Bärfolk", 2: "Islanders", 4: "Black"}
    told = build_seat_names(["bot:greedy", "p2", "bot:greedy", None, "bot:greedy"], {"p2": "Ash"}, sides=sides)

    assert {1: "Bärfolk (greedy bot)", 2: "Ash", 3: "the greedy bot (3)", 4: "Black", 5: "the greedy bot (5)"} == told


def test_old_name_equal_to_a_side_gets_its_seat_number():
    told = build_seat_names(["p1", "bot:greedy"], {"p1": "Bärfolk"}, sides={1: "Islanders", 2: "Bärfolk"})

    assert {1: "Bärfolk (1)", 2: "Bärfolk (greedy bot)"} == told
